"""Simulations of the checks `regression`, `slow-member` and `degraded`: rows of
`tests.simulations`.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random

from seatrial.analysis.regressions import Outcome, Pair, find_slower
from seatrial.analysis.statistics import Sample
from seatrial.judge.checks.degraded import Options as DegradedOptions
from seatrial.judge.checks.degraded import judge_rates
from seatrial.judge.checks.slow_member import slow_members
from seatrial.judge.members import MemberKind, Observations, observe
from seatrial.result.faults import FaultResult, StreamInterval, StreamResult
from seatrial.result.phases import ClientResult, PhaseResult
from tests.builders.results import client, phase
from tests.simulations import Simulated

STORED_NOISE = 0.0054
"""of the repeats of tests/data/md1200-quick: the deviation of the logarithms of a point"""
NOISY = 0.066
"""of the repeats of tests/data/nss-ha-quick"""
MEMBERS = 16
CORRELATION = 0.7
"""of a client's rate from one second to the next"""
FEW_TRIALS = 100
"""of rows with seconds: each trial draws thousands of them"""


# ---- regression


def pairs_of(
    random: Random, ratios: Sequence[float], noise: float, repeats: int
) -> dict[int, Pair]:
    """Points of two results, each with the ratio of its true means."""

    def draw(mean: float) -> Sample:
        values = [mean * math.exp(random.gauss(0, noise)) for _ in range(repeats)]
        return Sample(tuple(values))

    return {at: Pair(draw(100.0), draw(100.0 * value)) for at, value in enumerate(ratios)}


def _regression(
    ratios: Sequence[float], noise: float, repeats: int, tolerance: float = 0.05
) -> Callable[[Random], bool]:
    """Whether some point is found slower."""

    def trial(random: Random) -> bool:
        found = find_slower(pairs_of(random, ratios, noise, repeats), tolerance)
        return any(item.outcome == Outcome.SLOWER for item in found.values())

    return trial


def _inside(ratios: Sequence[float], noise: float, repeats: int) -> Callable[[Random], bool]:
    """Whether every point is found inside, so that the check passes."""

    def trial(random: Random) -> bool:
        found = find_slower(pairs_of(random, ratios, noise, repeats), 0.05)
        return all(item.outcome == Outcome.INSIDE for item in found.values())

    return trial


def regressions() -> Iterator[Simulated]:
    """Rows of the check `regression` and of `compare --fail-on regression`."""
    what = "`regression` fails"
    limit = 0.025
    for repeats in (2, 3, 5):
        case = f"8 points at the limit, {repeats} repeats, 3 %"
        yield _wrong(what, case, _regression([0.95] * 8, 0.03, repeats), limit)
    stored = f"{100 * STORED_NOISE:.2f} %"
    noisy = f"{100 * NOISY:.1f} %"
    yield _wrong(what, f"4 equal points, {stored}", _regression([1.0] * 4, STORED_NOISE, 3), limit)
    yield _wrong(
        "`regression` passes", "one point at the limit, 3 %", _inside([0.95], 0.03, 3), limit
    )
    yield _power(
        what, f"one of 4 points 10 % slower, {stored}", _regression([0.9, 1, 1, 1], STORED_NOISE, 3)
    )
    yield _power(what, "4 points 10 % slower, 1.5 %", _regression([0.9] * 4, 0.015, 3), least=0.6)
    yield _power(what, "4 points 10 % slower, 5 repeats, 1.5 %", _regression([0.9] * 4, 0.015, 5))
    yield _power(what, f"one point 10 % slower, {noisy}", _regression([0.9], NOISY, 3), least=0.0)
    yield _power(
        "`regression` passes", f"4 equal points, {stored}", _inside([1.0] * 4, STORED_NOISE, 3)
    )


def _wrong(what: str, case: str, trial: Callable[[Random], bool], most: float) -> Simulated:
    return Simulated(what, case, trial, 0.0, most + 0.015, f"at most {100 * most:g} %")


def _power(
    what: str, case: str, trial: Callable[[Random], bool], least: float = 0.95, **more: int
) -> Simulated:
    return Simulated(what, case, trial, least, 1.0, "power", **more)


# ---- slow_member


def seconds_of(random: Random, mean: float, noise: float, count: int) -> list[float]:
    """A rate second by second, each second correlated with the one before."""
    own = noise * math.sqrt(1 - CORRELATION**2)
    deviation = random.gauss(0, noise)
    found = []
    for _ in range(count):
        deviation = CORRELATION * deviation + random.gauss(0, own)
        found.append(mean * math.exp(deviation))
    return found


def _client(name: str, rates: Sequence[float]) -> ClientResult:
    size = round(sum(rates))
    lines = tuple((float(at), round(rate), 1) for at, rate in enumerate(rates, start=1))
    length_s = float(len(rates))
    return client(
        client=name,
        size_bytes=size,
        elapsed_s=length_s,
        tasks=((size, length_s, 1),),
        seconds=lines,
    )


def phases_of(
    random: Random, speeds: Mapping[str, float], repeats: int, length: int, noise: float
) -> list[PhaseResult]:
    """Repeats of a phase in which each client has its own speed; 1 % from repeat to repeat."""
    return [
        phase(
            repeat=number,
            clients=tuple(
                _client(
                    name, seconds_of(random, 1e6 * speed * random.gauss(1, 0.01), noise, length)
                )
                for name, speed in speeds.items()
            ),
        )
        for number in range(1, repeats + 1)
    ]


EQUAL = {f"c{number}": 1.0 for number in range(1, MEMBERS + 1)}


def _observed(random: Random, slow: float, repeats: int, length: int, noise: float) -> Observations:
    """The observations on sixteen clients; the first one has another speed."""
    phases = phases_of(random, {**EQUAL, "c1": slow}, repeats, length, noise)
    found = observe(phases, MemberKind.CLIENTS)
    assert found is not None
    return found


def _found(slow: float, repeats: int, length: int, noise: float = 0.05) -> Callable[[Random], bool]:
    """Whether the slow client is named, and no other."""

    def trial(random: Random) -> bool:
        return slow_members(_observed(random, slow, repeats, length, noise), 0.85) == ["c1"]

    return trial


def _alarm(
    speed: float, repeats: int, length: int, noise: float = 0.05
) -> Callable[[Random], bool]:
    """Whether any client is named, where none is slower than the limit."""

    def trial(random: Random) -> bool:
        return bool(slow_members(_observed(random, speed, repeats, length, noise), 0.85))

    return trial


def slow_member_rows() -> Iterator[Simulated]:
    """Rows of the check `slow-member`: 60 s per repeat, or 120 s in blocks."""
    few = {"trials": FEW_TRIALS}
    what = "`slow-member` names it alone"
    yield _power(what, "one of 16 at 80 %, 3 repeats, 5 % a second", _found(0.8, 3, 60), **few)
    yield _power(what, "one of 16 at 80 %, 1 repeat in blocks, 5 %", _found(0.8, 1, 120), **few)
    what = "`slow-member` names some client"
    most = 0.01
    for case, trial in (
        ("16 equal, 3 repeats, 5 % a second", _alarm(1.0, 3, 60)),
        ("16 equal, 3 repeats, 30 % a second", _alarm(1.0, 3, 60, 0.3)),
        ("16 equal, 1 repeat in blocks, 30 %", _alarm(1.0, 1, 120, 0.3)),
    ):
        yield Simulated(what, case, trial, 0.0, most, "at most 1 %", FEW_TRIALS)
    limit = _alarm(0.85, 3, 60)
    yield Simulated(what, "one of 16 at 85 %", limit, 0.0, 0.05, "at most 2.5 %", FEW_TRIALS)


# ---- degraded


def fault_of(
    before: Sequence[float], during: Sequence[float], after: Sequence[float]
) -> FaultResult:
    """A fault with one stream of one client: its operations in each second of the three windows."""
    rates = [*before, *during, *after]
    seconds = tuple(
        StreamInterval(float(at), 1.0, 0, round(1000 * rate))
        for at, rate in enumerate(rates, start=1)
    )
    stream = StreamResult(
        client="c1",
        stream="names",
        phase="create",
        lost_power=False,
        outages=(),
        first_completion_unix_s=None,
        seconds=seconds,
        operations=1000,
    )
    injected_s = float(len(before))
    repaired_s = injected_s + len(during)
    return FaultResult(
        name="it",
        kind="panic",
        word="panic",
        title="it",
        published=None,
        expect={},
        started_unix_s=-1.0,
        injected_unix_s=injected_s,
        repaired_unix_s=repaired_s,
        recovered_unix_s=repaired_s,
        ended_unix_s=float(len(rates)),
        streams=(stream,),
    )


@lru_cache
def _options(share: float) -> DegradedOptions:
    return DegradedOptions(after_at_least=share)


def _degraded(
    true_share: float, verdict: str, length: int, noise: float
) -> Callable[[Random], bool]:
    """The verdict on `after_at_least: 0.9`."""

    def trial(random: Random) -> bool:
        before = seconds_of(random, 1.0, noise, length)
        after = seconds_of(random, true_share, noise, length)
        answer = judge_rates(fault_of(before, before[:1], after), _options(0.9))
        return answer.verdict == verdict

    return trial


def degraded_rows() -> Iterator[Simulated]:
    """Rows of the check `degraded`: windows of 30 s, seconds that depend on each other."""
    few = {"trials": FEW_TRIALS}
    limit = "it is 90 %, 5 % a second"
    steady = "it is 100 %, 5 % a second"
    for verb, verdict in (("passes", "pass"), ("fails", "fail")):
        trial = _degraded(0.9, verdict, 30, 0.05)
        what = f"`degraded` after 90 % {verb}"
        yield Simulated(what, limit, trial, 0.0, 0.07, "at most 2.5 %", FEW_TRIALS)
    fails = _degraded(0.7, "fail", 30, 0.05)
    passes = _degraded(1.0, "pass", 30, 0.05)
    yield _power("`degraded` after 90 % fails", "it is 70 %, 5 % a second", fails, **few)
    yield _power("`degraded` after 90 % passes", steady, passes, least=0.6, **few)


def rows() -> Iterator[Simulated]:
    """All rows, in the order of the table."""
    yield from regressions()
    yield from slow_member_rows()
    yield from degraded_rows()
