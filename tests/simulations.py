"""How often intervals hold the truth and verdicts are wrong, by simulation with fixed seeds.

`python -m tests.simulations` prints the table of docs/statistics.md; `test_statistics_simulated.py`
holds both to it. Repeats have logarithms that are normal. Nothing is timed, and the same seeds give
the same figures.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, cast
from unittest.mock import patch

from seatrial.analysis import scaling
from seatrial.analysis.scaling import Law, Scaling
from seatrial.analysis.statistics import Interval, Sample, contrast, highest, mean_of, ratio, spread
from seatrial.judge.answer import Answer
from seatrial.judge.checks.spread import judge_points
from seatrial.judge.claim import Context, claim_form
from seatrial.judge.comparing import quotient_at_best
from seatrial.judge.series import Series
from seatrial.load.rounds import looks_of, stop_reason
from seatrial.result.quantities import RATE
from seatrial.study.experiment import Precision
from seatrial.study.published import PublishedClaim, SeriesRef
from tests.builders.results import phase

TRIALS = 1000
FITS = 150
"""of the scaling law, each with its own bootstrap"""
DRAWS = 200


@dataclass(frozen=True)
class Simulated:
    """One row of the table."""

    what: str
    case: str
    trial: Callable[[Random], bool]
    """whether one draw is a hit"""
    least: float = 0.0
    """the allowed share of hits, with the chance error of this number of trials"""
    most: float = 1.0
    nominal: str = ""
    trials: int = TRIALS

    def share(self) -> float:
        """Of hits."""
        random = Random(f"{self.what} {self.case}")
        return sum(self.trial(random) for _ in range(self.trials)) / self.trials


def sample(random: Random, mean: float, noise: float, count: int, looks: int = 1) -> Sample:
    """Repeats about a mean; `noise` is the deviation of their logarithms."""
    return Sample(tuple(mean * math.exp(random.gauss(0, noise)) for _ in range(count)), looks)


def samples(
    random: Random, means: Mapping[Any, float], noise: float, count: int
) -> dict[Any, Sample]:
    """The samples of several values of a variable."""
    return {key: sample(random, mean, noise, count) for key, mean in means.items()}


def holds(interval: Interval, truth: float) -> bool:
    """Whether it holds the truth."""
    return interval.low <= truth <= interval.high


# ---- intervals

FLAT = dict.fromkeys(range(1, 9), 100.0)
"""eight points that are equal"""


def _mean(noise: float, count: int) -> Callable[[Random], bool]:
    def trial(random: Random) -> bool:
        found = mean_of(sample(random, 100.0, noise, count))
        return found is not None and holds(found.interval(), 100.0)

    return trial


def _ratio(points: int, count: int) -> Callable[[Random], bool]:
    def trial(random: Random) -> bool:
        pairs = [
            (sample(random, 150.0, 0.2, count), sample(random, 100.0, 0.05, count))
            for _ in range(points)
        ]
        found = ratio(pairs)
        return found is not None and holds(found.interval(), 1.5)

    return trial


def _points(random: Random) -> bool:
    efficiencies = [
        (0.25, Sample(tuple(random.gauss(0.6, 0.03) for _ in range(3)))) for _ in range(4)
    ]
    others = [(-0.25, Sample(tuple(random.gauss(0.5, 0.01) for _ in range(3)))) for _ in range(4)]
    found = contrast([*efficiencies, *others])
    return found is not None and holds(found.interval(), 0.1)


def _best(means: Mapping[Any, float], count: int) -> Callable[[Random], bool]:
    def trial(random: Random) -> bool:
        found = highest(samples(random, means, 0.1, count))
        return found is not None and holds(found.interval, max(means.values()))

    return trial


def _as_measured(random: Random) -> bool:
    """What the best mean's own interval would do."""
    found = samples(random, FLAT, 0.1, 3)
    best = mean_of(max(found.values(), key=lambda item: item.mean))
    return best is not None and holds(best.interval(), 100.0)


def series(found: Mapping[Any, Sample], name: str = "read") -> Series:
    """A series of a result."""
    return Series(name, name, "clients", RATE, dict(found), 0)


def _quotient(random: Random) -> bool:
    a, b = (series(samples(random, FLAT, 0.1, 3), name) for name in ("read", "write"))
    return holds(quotient_at_best(a, b).ratio.interval(), 1.0)


# ---- repeats until a mean is known

UNTIL = Precision.model_validate({"interval": 0.05, "at_most": 10, "within": "1h"})


def _until(noise: float, *, narrow: bool = False) -> Callable[[Random], bool]:
    """Whether the interval contains the truth; with `narrow`, whether it is reported as
    narrow and does not.
    """

    def trial(random: Random) -> bool:
        rates = [100e6 * math.exp(random.gauss(0, noise)) for _ in range(3)]
        while True:
            results = [phase(rate, repeat=number) for number, rate in enumerate(rates, start=1)]
            found = stop_reason(UNTIL, 3, results, 0.0, 1.0)
            if found is not None:
                break
            rates.append(100e6 * math.exp(random.gauss(0, noise)))
        mean = mean_of(Sample(tuple(rates), looks_of(UNTIL, 3)))
        covered = mean is not None and holds(mean.interval(), 100e6)
        return found.reason == "narrow" and not covered if narrow else covered

    return trial


# ---- verdicts


class Given(Context):
    """A claim with given series."""

    def __init__(
        self, form: dict[str, Any], mapping: PublishedClaim, own: Series, other: Series | None
    ) -> None:
        super().__init__(cast(Any, None), cast(Any, None), form, mapping)
        self._own = own
        self._other = other

    def series(self, reference: SeriesRef | None) -> Series:
        """By its phase."""
        assert reference is not None
        return (
            self._other
            if self._other is not None and reference.phase == self._other.phase
            else self._own
        )

    def resource(self) -> tuple[str, float]:
        """Of 1000 MB/s."""
        return "the link", 1000e6

    def share(self, rate_bytes_per_s: float) -> float:
        """Of it."""
        return rate_bytes_per_s / 1000e6

    @property
    def here(self) -> str:
        """Nowhere."""
        return "here"


OWN, OTHER = ({"experiment": "one", "phase": name} for name in ("read", "write"))


def judged(
    form: dict[str, Any], own: Mapping[Any, Sample], other: Mapping[Any, Sample] | None, **more: Any
) -> Answer:
    """A claim on one series or two."""
    both = {"series": OWN} if other is None else {"series": OWN, "other": OTHER}
    mapping = PublishedClaim.model_validate(more if "expect" in more else {**both, **more})
    judge = claim_form(form["type"])
    assert judge is not None
    return judge.judge(
        Given(form, mapping, series(own), None if other is None else series(other, "write"))
    )


def _claim(
    form: dict[str, Any],
    own: Mapping[Any, float],
    other: Mapping[Any, float] | None,
    verdicts: set[str],
    noise: float = 0.1,
    **more: Any,
) -> Callable[[Random], bool]:
    """Whether a claim on three repeats of each mean gets one of these verdicts."""

    def trial(random: Random) -> bool:
        second = None if other is None else samples(random, other, noise, 3)
        return judged(form, samples(random, own, noise, 3), second, **more).verdict in verdicts

    return trial


def _spread(spreads: list[float], verdict: str) -> Callable[[Random], bool]:
    """Whether the check has this verdict on three repeats of points of these spreads, where 20 % is
    allowed.
    """

    def trial(random: Random) -> bool:
        found = {
            str(at): Sample(tuple(random.gauss(1.0, it) for _ in range(3)))
            for at, it in enumerate(spreads)
        }
        if any(spread([item]) is None for item in found.values()):  # a mean below zero
            return False
        answer = judge_points(found, 0.2)
        return answer is not None and answer.verdict == verdict

    return trial


# ---- the scaling law

COUNTS = (1, 2, 4, 8, 16, 28)
DECLINING = Law(10.0, 0.05, 0.002)
LEVEL_OFF = Law(10.0, 0.1, 0.0)


@lru_cache
def _fits(law: Law) -> tuple[Scaling, ...]:
    """Of draws about a law; each band is tried on all of them."""
    random = Random("scaling")
    fits = []
    for _ in range(FITS):
        drawn = [
            (clients, law.rate(clients) * math.exp(random.gauss(0, 0.05))) for clients in COUNTS
        ]
        with patch.object(scaling, "DRAWS", DRAWS):
            found = scaling.fit(drawn)
        assert found is not None
        fits.append(found)
    return tuple(fits)


def _law(law: Law, hit: Callable[[Scaling], bool]) -> Callable[[Random], bool]:
    """Whether the next fit is a hit."""
    rest: list[Scaling] = []

    def trial(_random: Random) -> bool:
        if not rest:
            rest.extend(_fits(law))
        return hit(rest.pop())

    return trial


def _in(band: tuple[float, float], truth: float) -> bool:
    return band[0] <= truth <= band[1]


CONTRARY = {"better", "worse", "different"}
UP = {"type": "trend", "direction": "up"}
RISING = {1: 100.0, 2: 120.0, 4: 140.0, 8: 160.0}
EQUAL = dict.fromkeys((1, 2, 4, 8), 100.0)


def every() -> Iterator[Simulated]:
    """All rows, in the order of the table."""
    for count in (2, 3, 5):
        yield _covers("mean, or share of a resource", f"{count} repeats, 10 %", _mean(0.1, count))
    for count in (2, 3, 5):
        yield _covers("ratio of two", f"{count} repeats, 20 % and 5 %", _ratio(1, count))
    yield _covers("mean of ratios", "4 points, 3 repeats, 20 % and 5 %", _ratio(4, 3))
    yield _covers("difference in points", "4 points, 3 repeats, 3 and 1 points", _points)
    for count in (3, 5):
        yield _covers(
            "best of several",
            f"8 equal points, {count} repeats, 10 %",
            _best(FLAT, count),
            most=1.0,
        )
    yield _covers(
        "best of several", "4 points, one 30 % above, 10 %", _best({**EQUAL, 8: 130.0}, 3), most=1.0
    )
    yield Simulated(
        "the best's own interval",
        "8 equal points, 3 repeats, 10 %",
        _as_measured,
        0.0,
        0.95,
        "not used",
    )
    yield _covers("ratio where both are best", "8 equal points, 3 repeats, 10 %", _quotient)
    for noise in (0.02, 0.05, 0.1):
        yield _covers("`repeats_until` 5 %, 3 to 10", f"{100 * noise:g} %", _until(noise), most=1.0)
    yield _wrong("`repeats_until`: reported narrow, and wrong", "10 %", _until(0.1, narrow=True))
    yield from _verdicts()
    yield from _laws()
    from tests.simulations_regressions import rows  # noqa: PLC0415 - it imports this module

    yield from rows()


def _covers(
    what: str, case: str, trial: Callable[[Random], bool], most: float = 0.985
) -> Simulated:
    return Simulated(
        f"interval: {what}" if not what.startswith("`") else what, case, trial, 0.935, most, "95 %"
    )


def _wrong(what: str, case: str, trial: Callable[[Random], bool], most: float = 0.05) -> Simulated:
    return Simulated(what, case, trial, 0.0, most + 0.015, f"at most {100 * most:g} %")


def _verdicts() -> Iterator[Simulated]:
    above = {"type": "order"}
    turned = {1: 130.0, 2: 100.0, 4: 100.0, 8: 100.0}
    later = {1: 100.0, 2: 122.0, 4: 122.0, 8: 122.0}
    yield _wrong(
        "`order` agrees",
        "one of 4 values above, three 22 % below",
        _claim(above, turned, later, {"agrees"}),
    )
    yield _wrong("`order` agrees", "4 equal values", _claim(above, EQUAL, EQUAL, {"agrees"}), 0.025)
    yield _wrong("`order` is different", "4 equal values", _claim(above, EQUAL, EQUAL, CONTRARY))
    delta = {"type": "delta", "approx": 20, "unit": "%"}
    more = {1: 100.0, 2: 160.0}
    edge = {1: 100.0, 2: 124.0}
    ab = {"a": 2, "b": 1}
    yield _wrong(
        "`delta` of +20 % agrees",
        "it is +60 %, 12 %",
        _claim(delta, more, None, {"agrees"}, 0.12, **ab),
        0.025,
    )
    yield _wrong(
        "`delta` of +20 % agrees",
        "it is +24 %, 1 %",
        _claim(delta, edge, None, {"agrees"}, 0.01, **ab),
        0.025,
    )
    one = {8: 250.0}
    two = {8: 100.0}
    between = {"type": "ratio", "min": 0.6, "max": 2.4}
    yield _wrong(
        "`ratio` of 0.6 to 2.4 agrees", "it is 2.5", _claim(between, one, two, {"agrees"}), 0.025
    )
    equal = {"type": "ratio", "max": 1.0}
    yield _wrong(
        "`ratio` of at most 1 is not so",
        "8 equal points",
        _claim(equal, FLAT, FLAT, CONTRARY),
        0.025,
    )
    bound = {"type": "bound", "op": "<", "value": 500, "unit": "MB/s"}
    at_limit = dict.fromkeys(FLAT, 500e6)
    yield _wrong(
        "`bound` of less than 50 % is not so", "8 points at it",
        _claim(bound, at_limit, None, CONTRARY, share_of="link", tolerance=0.001), 0.025,
    )  # fmt: skip
    yield _wrong(
        "`trend` up agrees",
        "10, 40, 20, 12; 5 %",
        _claim(UP, {1: 10, 2: 40, 4: 20, 8: 12}, None, {"agrees"}, 0.05),
    )
    yield _wrong("`trend` up agrees", "4 equal values", _claim(UP, EQUAL, None, {"agrees"}), 0.025)
    yield _wrong(
        "`trend` up is not so", "it rises by 20 a step", _claim(UP, RISING, None, CONTRARY)
    )
    best = {"type": "optimum", "best": 4}
    three = {1: 60.0, 2: 100.0, 4: 100.0, 8: 100.0}
    yield _wrong(
        "`optimum` agrees", "3 of 4 are equal; 3 %", _claim(best, three, three, {"agrees"}, 0.03)
    )
    yield _wrong(
        "`optimum` is different",
        "3 of 4 are equal; 3 %",
        _claim(best, three, three, CONTRARY, 0.03),
    )
    least = [{"series": OWN, "other": OTHER, "at_least": 1.2}]
    at_it = {8: 120.0}
    claim = _claim({"type": "property"}, at_it, two, {"agrees"}, expect=least)
    yield _wrong("`property` of at least 1.2 agrees", "it is 1.2", claim, 0.025)
    yield _wrong(
        "`spread` below 20 % passes",
        "12 points of 1 %, one of 40 %",
        _spread([0.01] * 12 + [0.4], "pass"),
    )
    yield _wrong("`spread` below 20 % fails", "13 points of 20 %", _spread([0.2] * 13, "fail"))
    yield Simulated(
        "`spread` below 20 % passes",
        "13 points of 1 %",
        _spread([0.01] * 13, "pass"),
        0.9,
        1.0,
        "power",
    )
    agreed = _claim(delta, {1: 100.0, 2: 120.0}, None, {"agrees"}, 0.005, **ab)
    yield Simulated("`delta` of +20 % agrees", "it is +20 %, 0.5 %", agreed, 0.8, 1.0, "power")
    agreed = _claim(above, {1: 120.0, 2: 120.0}, {1: 100.0, 2: 100.0}, {"agrees"}, 0.03)
    yield Simulated("`order` agrees", "2 values 20 % above, 3 %", agreed, 0.8, 1.0, "power")
    agreed = _claim(UP, RISING, None, {"agrees"}, 0.03)
    yield Simulated("`trend` up agrees", "it rises by 20 a step, 3 %", agreed, 0.9, 1.0, "power")


def _laws() -> Iterator[Simulated]:
    for law, name in ((DECLINING, "σ 0.05, κ 0.002"), (LEVEL_OFF, "σ 0.1, κ 0")):
        bands: dict[str, Callable[[Scaling], bool]] = {
            "contention": lambda it, law=law: _in(it.contention, law.contention),  # type: ignore[misc]
            "coherency": lambda it, law=law: _in(it.coherency, law.coherency),  # type: ignore[misc]
            "peak": lambda it, law=law: _in(it.peak_clients, law.peak_clients),  # type: ignore[misc]
            "rate at 16": lambda it, law=law: _in(it.band(16), law.rate(16)),  # type: ignore[misc]
        }
        for band, hit in bands.items():
            case = f"{name}; 1 to 28 clients, 5 %"
            yield Simulated(f"90 % band of {band}", case, _law(law, hit), 0.82, 1.0, "90 %", FITS)
    declines = _law(LEVEL_OFF, lambda it: it.coherency[0] > 0)
    yield Simulated(
        "law: declines",
        "σ 0.1, κ 0; 1 to 28 clients, 5 %",
        declines,
        0.0,
        0.08,
        "at most 5 %",
        FITS,
    )
    declines = _law(DECLINING, lambda it: it.coherency[0] > 0)
    yield Simulated(
        "law: declines", "σ 0.05, κ 0.002; 1 to 28 clients, 5 %", declines, 0.7, 1.0, "power", FITS
    )


def table() -> str:
    """The table of docs/statistics.md."""
    lines = ["| what | case, and the noise of a repeat | share | nominal |", "|---|---|---|---|"]
    lines += [
        f"| {it.what} | {it.case} | {100 * it.share():.1f} % | {it.nominal} |" for it in every()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
