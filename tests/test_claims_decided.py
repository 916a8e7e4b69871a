"""Errors of earlier versions: noise, single repeats and one of many points decided a
published claim.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.answer import Verdict
from seatrial.judge.contrary import HIGHER_IS_BETTER, UNCLEAR, sides_of, verdict_of_all
from seatrial.result.phases import PhaseResult
from tests.builders.claims import OTHER, SERIES, TWO, answer, measured, points
from tests.simulations import series

NOISY = (0.764, 1.0, 1.309)
"""repeats with an interval from 0.54 to 1.84 of a ratio of two"""
CASES: list[tuple[str, dict[str, Any], dict[str, Any], list[PhaseResult], str]] = [
    (
        "an order that one of four values decides, and three may turn round",
        {"type": "order", "order": ["a", "b"]},
        TWO,
        [
            *points(
                "read",
                {1: [13, 13.01, 12.99], 2: [7, 10, 7.5], 4: [7.1, 10, 7.5], 8: [7, 10.2, 7.3]},
            ),
            *points(
                "write",
                {1: [10, 10.01, 9.99], 2: [9, 11.5, 10], 4: [9, 11.4, 10], 8: [9.1, 11.5, 10]},
            ),
        ],
        "inconclusive",
    ),
    (
        "a difference of +60 % in noise, where +20 % is published",
        {"type": "delta", "approx": 20, "unit": "%"},
        {"series": SERIES, "a": 2, "b": 1},
        points("read", {1: [8.8, 10, 11.3], 2: [14.2, 16, 18.1]}),
        "inconclusive",
    ),
    (
        "a ratio of 1.36 that may be 2.50, where 2.4 is the limit",
        {"type": "ratio", "max": 2.4},
        TWO,
        measured({8: 13.6}, {8: 10}, repeats=NOISY),
        "inconclusive",
    ),
    (
        "a share of a resource from two repeats, by the interval of one mean",
        {"type": "ratio", "max": 5},
        {"series": SERIES, "share_of": "1Gbit/s"},
        points("read", {8: [9.5, 10.5]}),
        "inconclusive",
    ),
    (
        "a property that one repeat misses or meets by a ten-thousandth",
        {"type": "property"},
        {"expect": [{"series": SERIES, "other": OTHER, "at_least": 1.2}]},
        points("read", {8: [12.001]}) + points("write", {8: [10]}),
        "inconclusive",
    ),
    (
        "a best value beside another that may be higher",
        {"type": "bound", "op": "<=", "value": 500, "unit": "MB/s"},
        {"series": SERIES, "share_of": "nas"},
        points("read", {1: [14, 14.001, 14.002], 2: [10, 13.5, 17]}),
        "inconclusive",
    ),
    (
        "the best of eight over the best of one",
        {"type": "ratio", "max": 1},
        TWO,
        measured({1: 10.6, 2: 10.1, 3: 9.9, 4: 10.2, 5: 10, 6: 10.3, 7: 10.1, 8: 9.7}, {8: 10}),
        "agrees",
    ),
    (
        "a course that rises, and falls back almost to its beginning",
        {"type": "trend", "direction": "up"},
        {"series": SERIES},
        measured({1: 10, 2: 40, 4: 20, 8: 12}),
        "different",
    ),
    (
        "a flat line with a peak in it",
        {"type": "trend", "direction": "flat"},
        {"series": SERIES},
        measured({1: 10, 2: 14, 8: 10}),
        "different",
    ),
    (
        "an optimum that three values share",
        {"type": "optimum", "best": 4},
        {"series": SERIES, "other": SERIES},
        measured({1: 6, 4: 10, 8: 10, 16: 10}),
        "inconclusive",
    ),
    (
        "a single repeat far from the limit, which has no interval either",
        {"type": "bound", "op": "~", "value": 100, "unit": "MB/s"},
        {"series": SERIES, "share_of": "nas"},
        points("read", {8: [25]}),
        "inconclusive",
    ),
]


@pytest.mark.parametrize(
    ("form", "mapping", "phases", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_an_undecided_claim_has_no_verdict(
    tmp_path: Path,
    form: dict[str, Any],
    mapping: dict[str, Any],
    phases: list[PhaseResult],
    expected: str,
) -> None:
    """Each had another answer before."""
    found = answer(tmp_path, form, mapping, *phases)
    assert found.verdict == expected, found.evidence


def test_two_claims_on_the_same_writes_have_one_interval(tmp_path: Path) -> None:
    """As a share of the link of 1250 MB/s, and over the 125 MB/s of another one: ten times the
    figures.
    """
    phases = points("read", {8: [9.5, 10.5]})
    share = {"type": "bound", "op": "~", "value": 400, "unit": "MB/s"}
    first = answer(tmp_path / "a", share, {"series": SERIES, "share_of": "nas"}, *phases).evidence
    second = answer(
        tmp_path / "b",
        {"type": "ratio", "min": 1},
        {"series": SERIES, "share_of": "1Gbit/s"},
        *phases,
    ).evidence
    percents = [float(it) / 10 for it in re.findall(r"interval (\d+)% to (\d+)%", first)[0]]
    times = [float(it) for it in re.findall(r"interval ([\d.]+) to ([\d.]+)", second)[0]]
    assert percents == pytest.approx(times, abs=0.06)


def test_values_like_the_optimum_are_named(tmp_path: Path) -> None:
    """And each distinguishable value is not named."""
    mapping = {"series": SERIES, "other": SERIES}
    found = answer(
        tmp_path, {"type": "optimum", "best": 4}, mapping, *measured({1: 6, 4: 10, 8: 10, 16: 10})
    )
    assert found.evidence.endswith("4 is not distinguishable from 8, 16")


def test_a_ratio_is_better_or_worse_within_one_phase_only() -> None:
    """Reads over writes may rise as writes fall."""
    reads, writes = (series({}, name) for name in ("read", "write"))
    assert sides_of(reads, reads) == HIGHER_IS_BETTER
    assert sides_of(reads, writes) == UNCLEAR


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["agrees", "agrees"], "agrees"),
        (["agrees", "inconclusive"], "inconclusive"),
        (["better", "inconclusive", "agrees"], "better"),
        (["better", "worse"], "different"),
        ([], "inconclusive"),
    ],
)
def test_several_answers_are_one(verdicts: list[Verdict], expected: str) -> None:
    """A result that is better in one part and worse in another is different."""
    assert verdict_of_all(verdicts) == expected
