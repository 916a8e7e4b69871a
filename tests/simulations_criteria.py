"""How often criteria on rates and latency are wrong, by simulation with fixed seeds.

`python -m tests.simulations_criteria` prints the second table of docs/statistics.md;
`test_statistics_simulated.py` holds both to it.
"""

import math
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random

from seatrial.analysis.statistics import Sample, mean_of, ratio, repeats_to_decide
from seatrial.judge.checks import variation
from seatrial.judge.limits import Limit, combine_all, decide, decide_best
from tests.simulations import FLAT, Simulated, holds, sample, samples

Trial = Callable[[Random], bool]
TRUTH_DRAWS = 20_000
LIMIT = Limit(100.0, "100")


def _covers(what: str, case: str, trial: Trial) -> Simulated:
    return Simulated(f"interval: {what}", case, trial, 0.93, 0.975, "95 %")


def _wrong(what: str, case: str, trial: Trial, most: float = 0.025) -> Simulated:
    return Simulated(what, case, trial, 0.0, most + 0.015, f"at most {100 * most:g} %")


# ---- rates


def _at_limit(count: int, noise: float, verdict: str) -> Trial:
    """Whether repeats about the limit get this verdict."""

    def trial(random: Random) -> bool:
        return decide(sample(random, 100.0, noise, count), at_least=LIMIT).verdict == verdict

    return trial


def _best_at_limit(count: int, verdict: str) -> Trial:
    """The same for the best of eight points at the limit."""

    def trial(random: Random) -> bool:
        found = samples(random, FLAT, 0.1, count)
        return decide_best(found, at_least=LIMIT).verdict == verdict

    return trial


def _range(count: int, mean: float, verdict: str) -> Trial:
    """Whether repeats about a mean get this verdict for the limits 90 and 100."""

    def trial(random: Random) -> bool:
        found = sample(random, mean, 0.05, count)
        return decide(found, at_least=Limit(90.0, "90"), at_most=LIMIT).verdict == verdict

    return trial


def _variant(count: int, verdict: str) -> Trial:
    """Whether a variant at 0.9 of another one gets this verdict, where 0.9 is required."""

    def trial(random: Random) -> bool:
        reference = sample(random, 100.0, 0.1, count)
        found = sample(random, 90.0, 0.1, count)
        return decide(found, at_least=Limit(0.9, "0.9", reference)).verdict == verdict

    return trial


def _decides_later(pilot: int) -> Trial:
    """Whether the number of repeats that an open answer names decides, drawn again."""

    def trial(random: Random) -> bool:
        while True:
            first = sample(random, 105.0, 0.05, pilot)
            needed = repeats_to_decide(first, 100.0)
            if needed is not None and decide(first, at_least=LIMIT).verdict == "unknown":
                break
        again = sample(random, 105.0, 0.05, needed)
        return decide(again, at_least=LIMIT).verdict != "unknown"

    return trial


# ---- latency

OPERATIONS = 1000
P99_MS = 1 / math.exp(-2.3263479 * 0.8)
"""the 99th percentile of logarithms that are normal with a deviation of 0.8"""


def _percentile(random: Random, truth: float) -> float:
    """The measured 99th percentile of a repeat: an order statistic of independent operations, times
    5 % of noise that all operations of the repeat share.
    """
    rank = math.ceil(0.99 * OPERATIONS)
    below = random.betavariate(rank, OPERATIONS - rank + 1)
    shared = random.gauss(0, 0.05)
    log = 0.8 * statistics.NormalDist().inv_cdf(below) + shared
    return truth / P99_MS * math.exp(log)


def _latency_covers(count: int) -> Trial:
    def trial(random: Random) -> bool:
        found = mean_of(Sample(tuple(_percentile(random, 20.0) for _ in range(count))))
        return found is not None and holds(found.interval(), 20.0)

    return trial


def _latency(points: int, count: int, verdict: str) -> Trial:
    """Whether points at the limit get this verdict together."""

    def trial(random: Random) -> bool:
        answers = []
        for _ in range(points):
            values = tuple(_percentile(random, 20.0) for _ in range(count))
            limit = Limit(20.0, "20 ms")
            answers.append(decide(Sample(values), at_most=limit, among=points))
        return combine_all(answers, "").verdict == verdict

    return trial


# ---- scaling and variation


def _scaling_covers(count: int) -> Trial:
    """An efficiency of 0.8: the rate per client of 16 over that of one."""

    def trial(random: Random) -> bool:
        found = ratio([(sample(random, 80.0, 0.05, count), sample(random, 100.0, 0.1, count))])
        return found is not None and holds(found.interval(), 0.8)

    return trial


def _scaling(count: int, verdict: str) -> Trial:
    def trial(random: Random) -> bool:
        reference = sample(random, 100.0, 0.1, count)
        found = sample(random, 80.0, 0.05, count)
        return decide(found, at_least=Limit(0.8, "0.8", reference)).verdict == verdict

    return trial


def _slowest(random: Random) -> float:
    """The rate of the slowest of 16 clients over the mean; one is 20 % slower, noise 3 %."""
    rates = [math.exp(random.gauss(0, 0.03)) for _ in range(15)]
    rates.append(0.8 * math.exp(random.gauss(0, 0.03)))
    return min(rates) / statistics.fmean(rates)


def _seconds(random: Random) -> float:
    """The coefficient of variation of 30 seconds; each depends on the one before (0.5)."""
    value = random.gauss(0, 0.2)
    rates = []
    for _ in range(30):
        value = 0.5 * value + random.gauss(0, 0.2 * math.sqrt(0.75))
        rates.append(math.exp(value))
    return statistics.stdev(rates) / statistics.fmean(rates)


@lru_cache
def _truth(draw: Callable[[Random], float]) -> float:
    """The geometric mean of a figure over many repeats."""
    random = Random("truth")
    logs = (math.log(draw(random)) for _ in range(TRUTH_DRAWS))
    return math.exp(statistics.fmean(logs))


def _variation_covers(draw: Callable[[Random], float], count: int) -> Trial:
    def trial(random: Random) -> bool:
        found = mean_of(Sample(tuple(draw(random) for _ in range(count))))
        return found is not None and holds(found.interval(), _truth(draw))

    return trial


def _variation(between: str, draw: Callable[[Random], float], verdict: str) -> Trial:
    """Whether three repeats at the limit get this verdict."""

    def trial(random: Random) -> bool:
        truth = _truth(draw)
        below = 1 - truth if between == "clients" else truth
        asked = {"experiment": "one", "between": between, "below": below}
        options = variation.Options.model_validate(asked)
        found = Sample(tuple(draw(random) for _ in range(3)))
        return variation.judge_variation(options, found).verdict == verdict

    return trial


def criteria() -> Iterator[Simulated]:
    """All rows, in the order of the table."""
    yield from _rates()
    yield from _latencies()
    yield from _others()


def _rates() -> Iterator[Simulated]:
    for verdict, words in (("pass", "passes"), ("fail", "fails")):
        for count in (2, 3, 5):
            case = f"it is at the limit, {count} repeats, 10 %"
            yield _wrong(f"`throughput` {words}", case, _at_limit(count, 0.1, verdict))
    for verdict, words in (("pass", "passes"), ("fail", "fails")):
        for count in (2, 3):
            case = f"best of 8 points at the limit, {count} repeats, 10 %"
            yield _wrong(f"`throughput` {words}", case, _best_at_limit(count, verdict))
    for verdict, words in (("pass", "passes"), ("fail", "fails")):
        case = "share of a variant, at the limit, 3 repeats, 10 %"
        yield _wrong(f"`throughput` {words}", case, _variant(3, verdict))
    yield _wrong(
        "`throughput` passes",
        "two limits, at one of them, 3 repeats, 5 %",
        _range(3, 100.0, "pass"),
    )
    yield _wrong(
        "`throughput` fails", "two limits, at one of them, 3 repeats, 5 %", _range(3, 100.0, "fail")
    )
    power = "power"
    above = _at_limit_of(110.0, 0.02, "pass")
    yield Simulated(
        "`throughput` passes", "10 % above the limit, 3 repeats, 2 %", above, 0.8, 1.0, power
    )
    below = _at_limit_of(90.0, 0.02, "fail")
    yield Simulated(
        "`throughput` fails", "10 % below the limit, 3 repeats, 2 %", below, 0.8, 1.0, power
    )
    later = _decides_later(3)
    case = "5 % above the limit, 3 repeats first, 5 %"
    yield Simulated("the named number of repeats decides", case, later, 0.4, 1.0, power)


def _at_limit_of(mean: float, noise: float, verdict: str) -> Trial:
    def trial(random: Random) -> bool:
        return decide(sample(random, mean, noise, 3), at_least=LIMIT).verdict == verdict

    return trial


def _latencies() -> Iterator[Simulated]:
    for count in (2, 3, 5):
        yield _covers("p99 of 1000 operations", f"{count} repeats", _latency_covers(count))
    for verdict, words in (("pass", "passes"), ("fail", "fails")):
        for count in (2, 3):
            case = f"p99 is at the limit, {count} repeats"
            yield _wrong(f"`latency` {words}", case, _latency(1, count, verdict))
    yield _wrong("`latency` passes", "8 points at the limit, 3 repeats", _latency(8, 3, "pass"))
    yield _wrong(
        "`latency` fails", "8 points at the limit, 3 repeats", _latency(8, 3, "fail"), 0.05
    )


def _others() -> Iterator[Simulated]:
    for count in (2, 3, 5):
        yield _covers("efficiency", f"{count} repeats, 5 % and 10 %", _scaling_covers(count))
    for verdict, words in (("pass", "passes"), ("fail", "fails")):
        for count in (2, 3):
            case = f"it is at the limit, {count} repeats, 5 % and 10 %"
            yield _wrong(f"`scaling` {words}", case, _scaling(count, verdict))
    for count in (2, 3, 5):
        case = f"{count} repeats, 16 clients, 3 %"
        yield _covers("slowest client", case, _variation_covers(_slowest, count))
    for count in (2, 3, 5):
        case = f"{count} repeats of 30 dependent seconds, 20 %"
        yield _covers("variation of seconds", case, _variation_covers(_seconds, count))
    for between, draw in (("clients", _slowest), ("seconds", _seconds)):
        for verdict, words in (("pass", "passes"), ("fail", "fails")):
            case = f"{between} at the limit, 3 repeats"
            yield _wrong(f"`variation` {words}", case, _variation(between, draw, verdict))


def table() -> str:
    """As it is in docs/statistics.md."""
    lines = ["| what | case, and the noise of a repeat | share | nominal |", "|---|---|---|---|"]
    lines += [
        f"| {it.what} | {it.case} | {100 * it.share():.1f} % | {it.nominal} |" for it in criteria()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
