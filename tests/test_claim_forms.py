"""Every form of published claim on numbers: a paper's own agree, those that contradict it differ,
noise is neither.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.result.phases import PhaseResult
from tests.builders.claims import NOISE, SERIES, STILL, TWO, answer, measured
from tests.builders.places import PUBLISHED
from tests.builders.yaml_texts import loaded

SCALE = 0.025
"""of the lab of these results, and 1250 MB/s is what `share_of: nas` stands for"""


Tried = Iterator[tuple[dict[str, Any], str, list[PhaseResult]]]
"""the study's answer to the claim, the correct verdict, and the measurements"""


def factors(form: dict[str, Any]) -> tuple[float, list[float], float]:
    """The factors of a ratio or a difference: the paper's, those that contradict it, and the
    one for noise.
    """
    if form["type"] == "delta":
        own = 1 + form["approx"] / 100
        others = [1 + 2.2 * (own - 1), 2 - own] if own != 1 else [1.2, 0.8]
        return own, [other for other in others if other > 0], own**0.5
    if "approx" in form:
        own = form["approx"]
        others = [1 + 2 * (own - 1), 1 - (own - 1) / own] if own != 1 else [1.5, 0.6]
        return own, [other for other in others if other > 0], own
    low = form.get("min", 0.5 * form.get("max", 0))
    high = form.get("max", 2 * form.get("min", 0))
    others = ([1.6 * high] if "max" in form else []) + ([0.4 * low] if "min" in form else [])
    return (low + high) / 2, others, float(form["max"] if "max" in form else form["min"])


CONTRARY = {"better", "worse", "different"}


def side(own: float, other: float) -> str:
    """Of one phase, for which higher is better."""
    return "better" if other > own else "worse"


def ratio(form: dict[str, Any]) -> Tried:
    """Two series, the first larger by the factor."""
    own, others, noisy = factors(form)
    yield TWO, "agrees", measured({8: 10 * own}, {8: 10})
    for other in others:
        yield TWO, "different", measured({8: 10 * other}, {8: 10})
    yield TWO, "inconclusive", measured({8: 10 * noisy}, {8: 10}, repeats=NOISE)


def delta(form: dict[str, Any]) -> Tried:
    """One series with a larger second value; or efficiencies of two, in points."""
    if form["unit"] == "points":
        mapping: dict[str, Any] = {
            name: it | {"quantity": "efficiency"} for name, it in TWO.items()
        }
        own = form["value"]
        for wanted, by, repeats in (
            ("agrees", own, STILL),
            ("different", own + 8, STILL),
            ("different", own - 8, STILL),
            ("inconclusive", own, NOISE),
        ):
            rates = {8: 12.5 * (60 + by) / 100}, {8: 12.5 * 60 / 100}
            yield mapping, wanted, measured(*rates, repeats=repeats, bound_bytes_per_s=12.5e6)
        return
    mapping = {"series": SERIES, "a": 2, "b": 1}
    own, others, noisy = factors(form)
    yield mapping, "agrees", measured({1: 10, 2: 10 * own})
    for other in others:
        yield mapping, side(own, other), measured({1: 10, 2: 10 * other})
    yield mapping, "inconclusive", measured({1: 10, 2: 10 * noisy}, repeats=NOISE)
    # For two series, a mean over the common values that count.
    for wanted, factor in (("agrees", own), *(("different", other) for other in others)):
        yield (
            TWO,
            wanted,
            measured({1: 10 * factor * 1.05, 2: 20 * factor * 0.95}, {1: 10, 2: 20, 8: 1}),
        )
        yield TWO | {"among": [2]}, wanted, measured({1: 90, 2: 20 * factor}, {1: 10, 2: 20})
    yield TWO, "inconclusive", measured({8: 10 * noisy}, {8: 10}, repeats=NOISE)


def bound(form: dict[str, Any]) -> Tried:
    """A rate as a share of the server's link; or the loss of one series against the other."""
    if form["unit"] == "%":
        more = form["op"] == ">"
        limit = form["value"] / 100
        for lost in (limit - 0.1, limit + 0.1):
            yield (
                TWO,
                "agrees" if (lost > limit) == more else "different",
                measured({8: 10 * (1 - lost)}, {8: 10}),
            )
        yield TWO, "inconclusive", measured({8: 10 * (1 - limit)}, {8: 10}, repeats=NOISE)
        return
    mapping: dict[str, Any] = {"series": SERIES, "share_of": "nas"}
    low, high = (
        SCALE * float(form[name] if name in form else form["value"]) for name in ("min", "max")
    )
    op = form.get("op", "~")
    yield mapping, "agrees", measured({8: (low + high) / 2})
    if op != ">=":
        yield mapping, "better", measured({8: 2 * high})
    if not op.startswith("<"):
        yield mapping, "worse", measured({8: low / 2})
    yield mapping, "inconclusive", measured({8: high if op.startswith("<") else low}, repeats=NOISE)


def turned(published: str, direction: str) -> str:
    """An unpublished decline is worse; a published decline that does not occur is better."""
    if direction == published:
        return "agrees"
    if published == "down":
        return "better"
    return "worse" if direction == "down" else "different"


def trend(form: dict[str, Any]) -> Tried:
    """From the first value to the last."""
    mapping = {"series": SERIES}
    for direction, last in (("up", 15.0), ("flat", 10.0), ("down", 6.0)):
        yield mapping, turned(form["direction"], direction), measured({1: 10, 8: last})
    yield mapping, "inconclusive", measured({1: 10, 8: 12}, repeats=NOISE)


def order(_form: dict[str, Any]) -> Tried:
    """The first series above the second."""
    for wanted, rate, repeats in (
        ("agrees", 13, STILL),
        ("different", 8, STILL),
        ("inconclusive", 13, NOISE),
    ):
        yield TWO, wanted, measured({1: rate, 8: 2 * rate}, {1: 10, 8: 20}, repeats=repeats)


def optimum(_form: dict[str, Any]) -> Tried:
    """The published choice above its neighbours, in both series."""
    for wanted, rate, repeats in (
        ("agrees", 13, STILL),
        ("different", 8, STILL),
        ("inconclusive", 13, NOISE),
    ):
        rates = {1: 10, 2: rate, 4: 10.5}
        yield TWO | {"best": 2}, wanted, measured(rates, rates, repeats=repeats)


def claimed_property(_form: dict[str, Any]) -> Tried:
    """One series flat, and at least nine tenths of another."""
    mapping = {
        "expect": [
            {"series": SERIES, "direction": "flat"},
            {"series": SERIES, "other": TWO["other"], "at_least": 0.9},
        ]
    }
    for wanted, last, other, repeats in (
        ("agrees", 10, 10, STILL),
        ("different", 15, 10, STILL),
        ("different", 10, 15, STILL),
        ("inconclusive", 10, 10, NOISE),
    ):
        yield mapping, wanted, measured({1: 10, 8: last}, {8: other}, repeats=repeats)


TRIED: dict[str, Callable[[dict[str, Any]], Tried]] = {
    "ratio": ratio,
    "delta": delta,
    "bound": bound,
    "range": bound,
    "trend": trend,
    "order": order,
    "optimum": optimum,
    "property": claimed_property,
}


NO_SERIES = {"IOPS", "ops/s", "s", "min"}
"""units of limits that no series of a result is judged by"""


def claims() -> Iterator[Any]:
    """Every claim of every paper."""
    for path in sorted(PUBLISHED.glob("*.yaml")):
        for claim in loaded(path.read_text())["claims"]:
            form = claim["form"]
            limit_of_none = form["type"] in ("bound", "range") and form["unit"] in NO_SERIES
            if not limit_of_none and not (form["type"] == "range" and form["unit"] == "%"):
                yield pytest.param(form, id=f"{path.stem} {claim['id']}")


@pytest.mark.parametrize("form", list(claims()))
def test_a_form_agrees_with_the_papers_own_numbers_and_with_no_others(
    tmp_path: Path, form: dict[str, Any]
) -> None:
    """Contradicting figures differ; with repeats that scatter by a factor there is no verdict."""
    seen = set()
    for number, (mapping, wanted, phases) in enumerate(TRIED[form["type"]](form)):
        found = answer(tmp_path / str(number), form, mapping, *phases)
        assert found.verdict == wanted, found.evidence
        seen.add(wanted)
    assert {"agrees", "inconclusive"} < seen <= {"agrees", "inconclusive"} | CONTRARY
