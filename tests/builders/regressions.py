"""Runs of one study for tests of regressions: each with the references that it would copy."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seatrial.judge.references import LINE, references_of
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.study import parse_study
from tests.builders.results import phase, result_of
from tests.builders.strategies import changed, text_of

Rates = Mapping[int, Sequence[float]]
"""repeats in MB/s by number of clients"""
STEADY: Rates = {1: (10.0, 10.05, 9.95), 2: (20.0, 20.1, 19.9)}


def study_with(**options: Any) -> dict[str, Any]:
    """The data of a study with the criterion `regression`."""
    claim = {"id": "not-slower", "check": "regression", **options}
    return changed("criteria", [claim])


def repeats(rates: Rates, **more: Any) -> list[PhaseResult]:
    """The phases of these repeats."""
    return [
        phase(rate * 1e6, point={"clients": clients}, repeat=number, **more)
        for clients, values in rates.items()
        for number, rate in enumerate(values, start=1)
    ]


def scaled(rates: Rates, factor: float) -> dict[int, tuple[float, ...]]:
    """The same repeats, each `factor` times as fast."""
    return {clients: tuple(rate * factor for rate in values) for clients, values in rates.items()}


def run(
    folder: Path, data: Mapping[str, Any], phases: Sequence[PhaseResult], **more: Any
) -> Result:
    """The result of a run of a study; it copies its references as a run does."""
    study = parse_study(text_of(dict(data)), folder.parent / "study.yaml")
    found = references_of(study, more.get("profile", "quick"), folder.parent)
    lines = [(LINE, item.to_json()) for item in found]
    return result_of(folder, dict(data), *phases, lines=lines, **more)
