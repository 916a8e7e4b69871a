"""The verb `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultPath


def report(
    result_path: ResultPath,
    form: Annotated[
        Literal["html", "pdf"],
        typer.Option("--format", metavar="FORMAT", help="html: a page; pdf: a paper with page numbers and contents"),
    ] = "html",
    beside: Annotated[
        list[Path] | None,
        typer.Option("--beside", metavar="RESULT", help="compare with this result; repeatable"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the report of a result again, from its files alone, and print its path."""
    from seatrial.advice.compare import common_points
    from seatrial.judge.judge import judge
    from seatrial.predict.recorded import steps_of
    from seatrial.report.beside import Beside
    from seatrial.report.html import write_report
    from seatrial.report.pdf import write_pdf
    from seatrial.result.opened import opened
    from seatrial.result.result import as_written

    write = write_pdf if form == "pdf" else write_report
    with opened(say_aside) as results:
        result, *rest = [results.read(path) for path in (result_path, *(beside or ()))]
        with as_written(result_path):
            others = [Beside(other, judge(other), common_points(result, other)) for other in rest]
            written = write(result, judge(result), steps_of(result), others)
    if as_json:
        output.print_json({"report": str(written)})
    else:
        print(written)
