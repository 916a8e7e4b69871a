"""The verb `export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli.arguments import ResultPath
from seatrial.cli.kinds import shipped_kinds

if TYPE_CHECKING:
    from seatrial.summary.results import ResultSummary

FORMATS = shipped_kinds("writers/formats")


def export(
    path: ResultPath,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help=f"{FORMATS}, or a plug-in")
    ] = "csv",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="write to this file  [default: stdout]"),
    ] = None,
) -> None:
    """Export the summary of a result for other programs: figures, verdicts, faults."""
    from seatrial.predict.recorded import steps_of
    from seatrial.result.opened import opened
    from seatrial.result.result import as_written
    from seatrial.summary.summarise import summary_of
    from seatrial.writers.base import writer

    chosen = writer(form)
    with opened(say_aside) as results:
        result = results.read(path)
        with as_written(path):
            summary = summary_of(result, steps_of(result))
            _put(chosen.write(summary), out, form)
            if why := _nothing_measured(summary, path):
                say_aside(why)


def _put(document: str | bytes, out: Path | None, form: str) -> None:
    """Write the document to the file or to standard output."""
    data = document.encode() if isinstance(document, str) else document
    if out is not None:
        out.write_bytes(data)
    elif isinstance(document, str):
        print(document, end="")
    elif sys.stdout.isatty():
        raise InputError(f"--format {form} is not a text format", "--out FILE names a file for it")
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _nothing_measured(summary: ResultSummary, path: Path) -> str:
    """Why there is no figure, as text; empty where there is one."""
    from seatrial.result.result import NOT_COMPLETED

    if summary.points or any(fault.skipped is None for fault in summary.faults):
        return ""
    cut = "" if summary.run.is_complete else f", {NOT_COMPLETED}"
    return f"{path}: no phase and no fault was measured{cut}"
