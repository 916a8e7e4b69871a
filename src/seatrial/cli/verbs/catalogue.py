"""The verb `catalogue`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption
from seatrial.cli.studies import results_folder

if TYPE_CHECKING:
    from seatrial.catalogue.sources import Inputs

ENDINGS = (".html", ".htm")


HELP = "the folder of a run, a results.json, or a folder of them"
DEFAULT = "[default: $SEATRIAL_RESULTS, or ./results]"
PAGE = Path("catalogue.html")
Operands = Annotated[list[Path] | None, typer.Argument(metavar="RESULT", help=f"{HELP}  {DEFAULT}")]
OutFile = Annotated[Path, typer.Option("--out", metavar="FILE", help="write the page to this file")]


def catalogue(operands: Operands = None, out: OutFile = PAGE, as_json: JsonOption = False) -> None:
    """Write one page over many results, with filters, comparisons and trends."""
    from seatrial.basics.units import counted
    from seatrial.catalogue.page import write_catalogue
    from seatrial.catalogue.sources import Problem, read_inputs
    from seatrial.result.opened import opened

    _check_out(out)
    inputs = read_inputs(operands or [results_folder(None)])
    for item in inputs.left_out:
        say_aside(f"left out: {item.path}: {item.words}")
    if not inputs.runs:
        hints = {item.problem for item in inputs.left_out}
        hint = "seatrial judge RESULT writes results.json" if Problem.NO_SUMMARY in hints else None
        raise InputError("no input is a readable result summary", hint)
    with opened(say_aside) as results:
        for run in inputs.runs:
            results.note(run.place, run.seal)
        write_catalogue(inputs, out)
        if as_json:
            output.print_json(_object(inputs, out))
        else:
            studies = {run.summary.study.id for run in inputs.runs}
            of_studies = counted(len(studies), "study", "studies")
            print(f"{out}: {counted(len(inputs.runs), 'run')} of {of_studies}")


def _check_out(out: Path) -> None:
    """InputError for a path that may be a result's file, or that cannot be written."""
    if out.suffix.lower() not in ENDINGS:
        raise InputError(f"--out {out}: the page is HTML", "give a name that ends with .html")
    if not out.absolute().parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {out.parent}", "create it first")


def _object(inputs: Inputs, out: Path) -> dict[str, object]:
    """The object of --json."""
    left_out = []
    for item in inputs.left_out:
        problem = item.problem.value
        left_out.append({"path": str(item.path), "problem": problem, "words": item.words})
    return {"catalogue": str(out), "runs": len(inputs.runs), "left_out": left_out}
