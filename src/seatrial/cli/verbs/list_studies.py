"""The verb `list`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultsFolder, study_names
from seatrial.cli.studies import load, results_folder


def list_studies(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="STUDY", help="a study, its folder or its name; by default all", autocompletion=study_names
        ),
    ] = None,
    out: ResultsFolder = None,
    as_json: JsonOption = False,
) -> None:
    """List the studies; for one study its experiments and faults, their profiles and times."""
    from seatrial.start import catalogue

    if path is None:
        studies = list(catalogue.listed_studies())
        if as_json:
            output.print_json({"studies": studies})
        else:
            print(catalogue.studies_text(studies))
            output.note("`seatrial list STUDY` lists the parts of one; `seatrial run STUDY` runs it")
        return
    parts = catalogue.listed_parts(load(path), results_folder(out))
    if as_json:
        output.print_json(parts)
    else:
        output.note(catalogue.basis_text(parts))
        print(catalogue.parts_text(parts))
