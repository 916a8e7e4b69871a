"""The verb `list`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from seatrial.cli.arguments import JsonOption
from seatrial.cli.studies import load


def list_studies(
    path: Annotated[
        Path | None, typer.Argument(metavar="STUDY", help="a study, its folder or its name; by default all")
    ] = None,
    records: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="where records are kept, whose times are told")
    ] = Path("records"),
    as_json: JsonOption = False,
) -> None:
    """Name the studies; of one, its experiments and faults, the forms that have them, and their expected times."""
    from seatrial.start.catalogue import parts_text, parts_told, studies_text, studies_told

    if path is None:
        told = list(studies_told())
        print(json.dumps({"studies": told}) if as_json else studies_text(told))
        return
    parts = parts_told(load(path), records)
    print(json.dumps(parts) if as_json else parts_text(parts))
