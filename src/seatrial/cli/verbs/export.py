"""The verb `export`."""

from __future__ import annotations

from typing import Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli.arguments import ResultPath


def export(
    path: ResultPath,
    form: Annotated[str, typer.Option("--format", metavar="FORMAT", help="csv, json or openmetrics")] = "csv",
) -> None:
    """Print the figures of a result for programs: a row per phase of each repeat, and per fault."""
    from seatrial.advice.export import FORMATS, nothing_there
    from seatrial.result.opened import opened
    from seatrial.result.result import as_written

    made = next((make for name, make in FORMATS.items() if name == form), None)
    if made is None:
        raise InputError(f"--format: {form!r} is none of {', '.join(FORMATS)}")
    with opened(say_aside) as results:
        result = results.read(path)
        with as_written(path):
            print(made(result), end="")
            if why := nothing_there(result):
                say_aside(why)
