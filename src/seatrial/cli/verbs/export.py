"""The verb `export`."""

from __future__ import annotations

from typing import Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli.arguments import RecordPath


def export(
    path: RecordPath,
    form: Annotated[str, typer.Option("--format", metavar="FORMAT", help="csv, json or openmetrics")] = "csv",
) -> None:
    """Print the figures of a result for programs: a row per phase of each repeat, and per fault."""
    from seatrial.advice.export import FORMATS, nothing_there
    from seatrial.record.opened import opened
    from seatrial.record.record import as_written

    made = next((make for name, make in FORMATS.items() if name == form), None)
    if made is None:
        raise InputError(f"--format: {form!r} is none of {', '.join(FORMATS)}")
    with opened(say_aside) as results:
        record = results.read(path)
        with as_written(path):
            print(made(record), end="")
            if why := nothing_there(record):
                say_aside(why)
