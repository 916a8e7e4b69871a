"""The verb `predict`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, study_names
from seatrial.cli.changes import SetOption, values_of

if TYPE_CHECKING:
    from seatrial.matrix.matrix import RunMatrix
    from seatrial.predict.costs import Costs


def predict(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="STUDY|RESULT",
            help="a study; with --validate, results",
            autocompletion=study_names,
        ),
    ] = None,
    changes: SetOption = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            metavar="CLIENTS",
            help="clients=1..4096: at 1, 2, 4, ... clients, also more than the study has",
        ),
    ] = None,
    calibration: Annotated[
        Path | None, typer.Option(metavar="FILE", help="the output of `calibrate --json`")
    ] = None,
    validate: Annotated[
        bool,
        typer.Option(
            "--validate", help="compare with the five published results, or with stored results"
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Predict the rates of a study and their bottlenecks before a run."""
    if validate:
        _validate(paths or [], as_json)
        return
    if paths is None or len(paths) != 1:
        raise InputError(
            "predict takes one study",
            "seatrial predict STUDY, or seatrial predict --validate [RESULT]...",
        )
    from seatrial.predict.output import prediction, prediction_text

    matrix = _matrix(paths[0], changes or [])
    predicted = prediction(matrix, clients=_counts(sweep), costs=_costs(calibration))
    if as_json:
        output.print_json(asdict(predicted))
    else:
        print(prediction_text(predicted))


def _matrix(path: Path, changes: list[str]) -> RunMatrix:
    from seatrial.matrix.resolve import resolve
    from seatrial.study.changed import changed_study
    from seatrial.study.study import load_study

    study = load_study(path / "study.yaml" if path.is_dir() else path)
    return resolve(changed_study(study, values_of(study, changes)), "full")


def _counts(sweep: str | None) -> list[int]:
    """1, 2, 4, ... and the last of `clients=1..4096`."""
    if sweep is None:
        return []
    key, _, span = sweep.partition("=")
    first, dots, last = span.partition("..")
    if key != "clients" or not dots or not (first.isdecimal() and last.isdecimal()):
        raise InputError(f"--sweep {sweep}: write clients=1..4096")
    low = int(first)
    high = int(last)
    if not 1 <= low <= high <= 1_000_000:
        raise InputError(f"--sweep {sweep}: from at least 1 to at most 1000000, the smaller first")
    counts = [low]
    while counts[-1] < high:
        counts.append(min(counts[-1] * 2, high))
    return counts


def _costs(path: Path | None) -> Costs | None:
    from seatrial.predict.costs import Costs

    if path is None:
        return None
    try:
        return Costs(**json.loads(path.read_text())["costs"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{path}: no calibration", "write one by seatrial calibrate RESULT... --json"
        ) from None


def _validate(paths: list[Path], as_json: bool) -> None:

    if paths:
        from seatrial.predict.measured import validate_results
        from seatrial.predict.output import measured_text
        from seatrial.result.opened import opened

        with opened(say_aside) as results:
            measured = validate_results([results.read(path) for path in paths])
            if as_json:
                output.print_json(asdict(measured))
            else:
                print(measured_text(measured))
        return
    from seatrial.predict.research import papers_validation

    validation = papers_validation()
    if as_json:
        output.print_json(validation.as_data())
    else:
        print(validation.as_text())
