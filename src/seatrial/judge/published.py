"""The published results that studies are compared with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seatrial.basics.errors import InputError
from seatrial.basics.shipped import shipped
from seatrial.result.published import published_result
from seatrial.study.study import Study


def published_data(name: str) -> Mapping[str, Any]:
    """One of the published results that come with Seatrial; empty where they are not installed."""
    path = shipped("published") / f"{name}.yaml"
    return published_result(path.read_text(), path) if path.is_file() else {}


def published_file(study: Study) -> Path | None:
    """The study's published result: in the study's folder, or in the `published` folder above it;
    None where it has none.
    """
    if study.published is None:
        return None
    name = f"{study.published}.yaml"
    start = study.source.path.absolute().parent
    folders = [start, *(parent / "published" for parent in [start, *start.parents])]
    folders.append(shipped("published"))
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        f"{study.source.where(('published',))}: published: no {name} next to the study or in a "
        "folder `published` above it",
        "add the file, or remove the key",
    )


def published_experiment(published: Mapping[str, Any], number: str | None) -> Mapping[str, Any]:
    """One of its tables or figures; empty where it has none of that number."""
    matching = (item for item in published.get("experiments") or () if item.get("id") == number)
    return next(matching, {}) if number else {}


def published_rows(published: Mapping[str, Any], number: str | None) -> dict[int, dict[str, Any]]:
    """The rows of a published table by their first number: their line, or the variable. Column ->
    value.

    Rows with the same number are counted from 1. Values that an erratum corrects are the corrected
    ones.
    """
    experiment = published_experiment(published, number)
    columns = experiment.get("columns")
    if not columns:
        return {}
    printed = experiment.get("rows", ())
    corrected = experiment.get("rows_corrected", ())
    lines = corrected if len(corrected) == len(printed) else printed
    rows = [dict(zip(columns, row, strict=True)) for row in lines]
    first = [row[columns[0]] for row in rows]
    return dict(
        zip(first if len(set(first)) == len(first) else range(1, len(rows) + 1), rows, strict=True)
    )
