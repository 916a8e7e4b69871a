"""The verb `import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


def import_results(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="what a program printed or wrote")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="the folder of the new result; it must not exist")
    ],
    as_json: JsonOption = False,
) -> None:
    """Import the output of fio, IOR, mdtest, IOzone, elbencho or IO500, for compare and export."""
    from seatrial.advice.importing import import_files
    from seatrial.basics.units import counted

    imported = import_files(paths, out)
    for message in imported.messages():
        say_aside(message)
    if as_json:
        results = len(imported.results)
        output.print_json(
            {"result": str(imported.folder), "program": imported.program, "results": results}
        )
        return
    print(f"{imported.folder}: {counted(len(imported.results), 'result')} of {imported.program}")
