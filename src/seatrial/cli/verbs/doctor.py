"""The verb `doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


def doctor(
    hosts: Annotated[
        bool, typer.Option("--hosts", help="only the requirements for real hosts")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check whether this machine can run the lab, or real hosts only.

    Prints a command for each missing part.
    """
    from seatrial.start.doctor import doctor_text, examine

    findings = examine(lab=not hosts)
    if as_json:
        output.print_json({"findings": [asdict(item) for item in findings]})
    else:
        print(doctor_text(findings))
    raise typer.Exit(0 if all(item.good for item in findings if item.needed) else 1)
