"""The verb `compare`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


def compare(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="the folder of a run, or of an import")],
    others: Annotated[list[Path], typer.Argument(metavar="OTHER", help="those that are compared with it")],
    as_json: JsonOption = False,
) -> None:
    """Compare results: ratios to the first, their intervals, and which differences are real."""
    from seatrial.advice.compare import compare as compare_results
    from seatrial.advice.compare import comparison_table
    from seatrial.result.opened import opened
    from seatrial.result.result import as_written

    with opened(say_aside) as results:
        base, *rest = [results.read(path) for path in (first, *others)]
        with as_written(first):
            compared = [compare_results(base, other) for other in rest]
        found = dict(zip(map(str, others), compared, strict=True))
        if as_json:
            rows = [{"result": other, **asdict(comparison)} for other, comparison in found.items()]
            output.print_json({"first": str(first), "others": rows})
            return
        for number, (other, comparison) in enumerate(found.items()):
            print(("\n" if number else "") + f"A: {first}\nB: {other}\n{comparison_table(comparison)}")
