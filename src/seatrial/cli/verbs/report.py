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
        typer.Option("--format", metavar="FORMAT", help="html: one page; pdf: three PDF files"),
    ] = "html",
    part: Annotated[
        Literal["management", "technical", "evidence", "all"],
        typer.Option(
            "--part",
            metavar="PART",
            help="with --format pdf: management (summary and signatures), technical (figures and "
            "tables), evidence (folded tables, scripts, study), or all",
        ),
    ] = "all",
    beside: Annotated[
        list[Path] | None,
        typer.Option("--beside", metavar="RESULT", help="compare with this result; repeatable"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a result again, from its files alone, and print its path."""
    from seatrial.advice.compare import common_points
    from seatrial.basics.errors import InputError
    from seatrial.judge.judge import judge
    from seatrial.predict.recorded import steps_of
    from seatrial.report.beside import ComparedResult
    from seatrial.report.html import write_report
    from seatrial.report.parts import Part
    from seatrial.report.pdf import write_pdf
    from seatrial.result.opened import opened
    from seatrial.result.result import as_written

    if part != "all" and form != "pdf":
        raise InputError(f"--part {part}: the page has no parts", "add --format pdf")
    parts = tuple(Part) if part == "all" else (Part(part),)
    with opened(say_aside) as results:
        result, *rest = [results.read(path) for path in (result_path, *(beside or ()))]
        with as_written(result_path):
            others = [
                ComparedResult(other, judge(other), common_points(result, other)) for other in rest
            ]
            judgements = judge(result)
            steps = steps_of(result)
            if form == "pdf":
                written = write_pdf(result, judgements, steps, others, parts)
            else:
                written = [write_report(result, judgements, steps, others)]
    if as_json:
        paths = [str(path) for path in written]
        output.print_json({"reports": paths} if form == "pdf" else {"report": paths[0]})
        return
    for path in written:
        print(path)
