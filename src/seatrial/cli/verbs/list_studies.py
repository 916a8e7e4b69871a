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
            metavar="STUDY",
            help="a study, its folder or its name; by default all",
            autocompletion=study_names,
        ),
    ] = None,
    out: ResultsFolder = None,
    as_json: JsonOption = False,
) -> None:
    """List the studies. For one study, list its experiments and faults with their durations."""
    from seatrial.start import listing

    if path is None:
        studies = list(listing.listed_studies())
        if as_json:
            output.print_json({"studies": studies})
        else:
            print(listing.studies_text(studies))
            output.note(
                "`seatrial list STUDY` lists the parts of one; `seatrial run STUDY` runs it"
            )
        return
    parts = listing.listed_parts(load(path), results_folder(out))
    if as_json:
        output.print_json(parts)
    else:
        output.note(listing.basis_text(parts))
        print(listing.parts_text(parts))
