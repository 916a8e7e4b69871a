"""A percentile of latencies against an upper limit.

The percentile of each repeat comes from the merged histograms of all clients. The interval is that
between repeats: Student's t on the logarithms of the percentiles. Operations of one repeat wait for
each other, so an exact (binomial) interval within a repeat would be too narrow.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.analysis.histogram import Histogram
from seatrial.analysis.statistics import Sample
from seatrial.basics.units import counted, significant
from seatrial.judge.answer import Answer, Reason, failed, unknown
from seatrial.judge.limits import Limit, decide

NS_PER_MS = 1e6
DECIDING_TIMES = 10
"""times the number of operations that make a percentile meaningful: with fewer, its estimate is
biased by more than 1 % (exponential tail)"""


@dataclass(frozen=True)
class Latencies:
    """The latencies of one repeat, of all clients."""

    histogram: Histogram
    """in nanoseconds"""
    unserved: int = 0
    """operations that were due and never began: they count as longer than any other"""

    @property
    def operations(self) -> int:
        """All operations that were due."""
        return self.histogram.count + self.unserved

    def percentile_ms(self, percentile: float) -> float | None:
        """The latency that this percentage of all operations does not exceed, in ms; None where
        that operation never began.
        """
        rank = math.ceil(percentile / 100 * self.operations)
        if rank > self.histogram.count:
            return None
        return self.histogram.quantile(rank / self.histogram.count) / NS_PER_MS


def kinds_of(phase: str) -> tuple[str, ...]:
    """The kinds of operations that a phase is named after, as agents name them."""
    return ("read", "write") if phase == "mixed" else (phase,)


def operations_needed(percentile: float) -> int:
    """The number of operations that make a percentile meaningful: 100 for the 99th.

    It is 1 / (1 - p), and 1 / p below the median.
    """
    share = percentile / 100
    return math.ceil(round(1 / min(share, 1 - share), 6))


def judge_percentile(
    repeats: Sequence[Latencies | None],
    percentile: float,
    limit_ms: float,
    looks: int = 1,
    among: int = 1,
) -> Answer:
    """The answer on the repeats of one point; None is a repeat without a histogram.

    `looks` and `among` are those of `Sample` and `decide`.
    """
    histograms = [item for item in repeats if item is not None]
    if not histograms or len(histograms) < len(repeats):
        return unknown("a repeat has no histogram of latencies", Reason.NOTHING_CHECKED)
    name = f"p{percentile:g}"
    needed = operations_needed(percentile)
    fewest = min(item.operations for item in histograms)
    if fewest < needed:
        words = f"{counted(fewest, 'operation')} in a repeat; {name} has no meaning below {needed}"
        return unknown(words, Reason.INCOMPLETE)
    if fewest < DECIDING_TIMES * needed:
        words = (
            f"{counted(fewest, 'operation')} in a repeat; to decide, {name} needs "
            f"{DECIDING_TIMES * needed} in each"
        )
        return unknown(words, Reason.INCOMPLETE)
    values_ms = [item.percentile_ms(percentile) for item in histograms]
    known_ms = tuple(value for value in values_ms if value is not None)
    if len(known_ms) < len(values_ms):
        return _judge_unserved(name, known_ms, len(values_ms))
    limit = Limit(limit_ms, milliseconds(limit_ms))
    sample = Sample(known_ms, looks)
    answer = decide(sample, at_most=limit, written=milliseconds, among=among)
    return answer.about(f"{name} of at least {counted(fewest, 'operation')}")


def _judge_unserved(name: str, known_ms: Sequence[float], repeats: int) -> Answer:
    """The answer where an operation at the percentile never began."""
    never = repeats - len(known_ms)
    words = f"{name}: in {never} of {repeats} repeats this operation never began"
    if not known_ms and repeats > 1:
        return failed(f"{words}, so it exceeds any limit")
    return unknown(words, Reason.NOT_DISTINGUISHABLE)


def milliseconds(value_ms: float) -> str:
    """A latency in words: `12.3 ms`."""
    return f"{significant(value_ms)} ms"
