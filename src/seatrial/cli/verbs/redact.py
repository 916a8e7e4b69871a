"""The verb `redact`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.printable import command, say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultPath


def redact(
    path: ResultPath,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="the folder of the copy; it must not exist")
    ],
    as_json: JsonOption = False,
) -> None:
    """Copy a result without hosts, addresses, serial numbers and users. Verdicts stay the same."""
    from seatrial.advice.redact import redact as redacted
    from seatrial.basics.units import counted
    from seatrial.result.opened import opened, unedited
    from seatrial.result.result import as_written

    with opened(say_aside) as results:
        result = unedited(path)  # a copy gets a new seal, which would hide an edit
        results.note(path, result.seal)
        with as_written(path):
            names = redacted(result, out)
    replaced = len(names.exact) + len(names.numbered) + len(names.generated)
    if as_json:
        output.print_json({"result": str(out), "replaced": replaced})
        return
    print(f"{counted(replaced, 'name')} replaced, every verdict as before")
    print(
        f"{command('report', out)}   # titles and your own commands are as you wrote them: read"
        " them once more"
    )
