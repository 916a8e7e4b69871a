"""Published claims with numbers that a test chooses."""

from pathlib import Path
from typing import Any

import yaml

from seatrial.judge.base import Judgement
from seatrial.judge.judge import study_of
from seatrial.judge.published_claims import judge_published
from seatrial.result.phases import PhaseResult
from tests.builders.results import phase, result_of
from tests.builders.strategies import changed

SERIES = {"experiment": "one", "phase": "read"}
OTHER = {"experiment": "one", "phase": "write"}


def answer(
    tmp_path: Path, form: dict[str, Any], mapping: dict[str, Any], *phases: PhaseResult
) -> Judgement:
    """The judgement of one published claim."""
    data = changed("criteria", [])
    data |= {"published": "p", "published_claims": {"C1": mapping}}
    text = yaml.safe_dump({"claims": [{"id": "C1", "statement": "s", "form": form}]})
    result = result_of(tmp_path / "r", data, *phases, published=text)
    return judge_published(study_of(result), result)[0]


def points(phase_name: str, rates: dict[int, list[float]], **more: Any) -> list[PhaseResult]:
    """Repeats in MB/s by number of clients."""
    return [
        phase(rate * 1e6, phase=phase_name, point={"clients": clients}, repeat=index, **more)
        for clients, values in rates.items()
        for index, rate in enumerate(values, start=1)
    ]


TWO = {"series": SERIES, "other": OTHER}
STILL = (0.999, 1, 1.001)
"""repeats of one point, as shares of it: almost equal"""
NOISE = (0.35, 1.0, 1.65)
"""repeats of one point, as shares of it: far apart"""


Rates = dict[int, float]


def measured(
    read: Rates, write: Rates | None = None, *, repeats: tuple[float, ...] = STILL, **more: Any
) -> list[PhaseResult]:
    """Phases of one or two series, each rate with these repeats."""
    return [
        item
        for name, rates in (("read", read), ("write", write or {}))
        for item in points(
            name, {at: [rate * part for part in repeats] for at, rate in rates.items()}, **more
        )
    ]
