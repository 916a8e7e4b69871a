"""The verbs `predict` and `calibrate`. Importing this file imports nothing else of Seatrial."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seatrial.basics.arguments import JsonOption
from seatrial.basics.printable import say_aside

if TYPE_CHECKING:
    from seatrial.predict.costs import Costs
    from seatrial.study.study import Study


def register(app: typer.Typer) -> None:
    """Register these verbs."""
    app.command("predict")(predict)
    app.command("calibrate")(calibrate)


def predict(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[STUDY|RECORD]...", help="a study; with --validate, results"),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="a changed value: nodes.nas.link=25Gbit/s; repeatable",
        ),
    ] = None,
    sweep: Annotated[
        str | None, typer.Option(metavar="clients=A..B", help="at 1, 2, 4, ... clients, also more than the study has")
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="output of `calibrate --json`"),
    ] = None,
    validate: Annotated[
        bool,
        typer.Option("--validate", help="compare with the five papers, or with given results"),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Predict the rates of a study before anything runs, the bottlenecks, and the accuracy."""
    from seatrial.basics.errors import InputError

    if validate:
        _validate(paths or [], as_json)
        return
    if paths is None or len(paths) != 1:
        raise InputError(
            "predict takes one study", "seatrial predict STUDY, or seatrial predict --validate [RECORD]..."
        )
    from seatrial.predict.words import prediction, prediction_text

    study = _study(paths[0], changes or [])
    found = prediction(study, clients=_counts(sweep), costs=_costs(calibration))
    print(json.dumps(_finite(found)) if as_json else prediction_text(found))


def _study(path: Path, changes: list[str]) -> Study:
    from seatrial.basics.errors import InputError, option
    from seatrial.basics.yamlfile import parse_yaml
    from seatrial.check import prepare
    from seatrial.study.study import load_study

    study = load_study(path / "study.yaml" if path.is_dir() else path)
    values = {}
    for text in changes:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set {text}: write KEY=VALUE, such as nodes.nas.link=25Gbit/s")
        values[_existing(study, key)] = option("--set", lambda given: parse_yaml(given, Path("--set")).data, value)
    changed = study.with_values(values) if values else study
    prepare(changed)
    return changed


def _existing(study: Study, key: str) -> str:
    """The key, of which every part but the last must exist: a changed value needs an
    existing node.
    """
    from seatrial.basics.errors import InputError

    at: Any = study.source.data
    for part in key.split(".")[:-1]:
        if not isinstance(at, dict) or part not in at:
            known = f"; one of {', '.join(map(str, at))}" if isinstance(at, dict) else ""
            raise InputError(f"--set {key}: the study has no {part!r} there{known}")
        at = at[part]
    return key


def _counts(sweep: str | None) -> list[int]:
    """1, 2, 4, ... and the last of `clients=1..4096`."""
    from seatrial.basics.errors import InputError

    if sweep is None:
        return []
    key, _, span = sweep.partition("=")
    first, dots, last = span.partition("..")
    if key != "clients" or not dots or not (first.isdecimal() and last.isdecimal()):
        raise InputError(f"--sweep {sweep}: write clients=1..4096")
    low, high = int(first), int(last)
    if not 1 <= low <= high <= 1_000_000:
        raise InputError(f"--sweep {sweep}: from at least 1 to at most 1000000, the smaller first")
    counts = [low]
    while counts[-1] < high:
        counts.append(min(counts[-1] * 2, high))
    return counts


def _costs(path: Path | None) -> Costs | None:
    from seatrial.basics.errors import InputError
    from seatrial.predict.costs import Costs

    if path is None:
        return None
    try:
        return Costs(**json.loads(path.read_text())["costs"])
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{path}: no calibration", "write one by seatrial calibrate RECORD... --json") from None


def _finite(value: Any) -> Any:
    """The same without infinities, which JSON does not support: null."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and abs(value) == float("inf") else value


def _validate(paths: list[Path], as_json: bool) -> None:
    if paths:
        from seatrial.predict.measured import validate_records
        from seatrial.predict.words import measured_text
        from seatrial.record.opened import opened

        with opened(say_aside) as results:
            measured = validate_records([results.read(path) for path in paths])
            print(json.dumps(_finite(asdict(measured))) if as_json else measured_text(measured))
        return
    from seatrial.predict.validate import validate_papers
    from seatrial.predict.words import validation_text

    found = validate_papers()
    print(json.dumps(_finite(asdict(found))) if as_json else validation_text(found))


def calibrate(
    records: Annotated[list[Path], typer.Argument(metavar="RECORD...", help="the folders of runs on one host or lab")],
    as_json: JsonOption = False,
) -> None:
    """Fit a host's or lab's costs to two thirds of the points of results, and predict the rest."""
    from seatrial.predict.measured import calibrate as calibrate_from
    from seatrial.predict.words import calibration_text
    from seatrial.record.opened import opened

    with opened(say_aside) as results:
        found = calibrate_from([results.read(path) for path in records])
        print(json.dumps(_finite(asdict(found))) if as_json else calibration_text(found))
