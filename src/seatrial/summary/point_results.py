"""The points of a result summary: rates, latencies and limitations of each phase."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev
from typing import Any

from seatrial.analysis.histogram import Histogram
from seatrial.analysis.statistics import Sample, mean_of
from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import COPIES, OPERATIONS, RATE
from seatrial.result.quantities import Quantity as RecordedQuantity
from seatrial.result.result import Result
from seatrial.result.validity import sorted_repeats
from seatrial.study.experiment import VARIANT
from seatrial.study.workload import COPY_PHASES, moves_data
from seatrial.summary.described import DESCRIBED
from seatrial.summary.latency_results import merged_histograms
from seatrial.summary.points import Measured

BUCKETS_PER_DECADE = (1, 2, 5)
LOWEST_NS = 1_000
HIGHEST_NS = 1_000_000_000_000
"""1000 s"""


class Quantity(StrEnum):
    """The quantity by which a point is judged."""

    RATE = "rate"
    OPERATIONS = "operations"
    COPIES = "copies"
    EFFICIENCY = "efficiency"


class Flag(StrEnum):
    """A limitation of a point."""

    PARTIAL = "partial"
    """a client did not finish"""
    LAB_LIMITED = "lab-limited"
    """the processors of the lab machine were the limit"""
    OUT_OF_CACHES = "out-of-caches"
    """caches answered the reads"""
    MAYBE_CACHED = "maybe-cached"
    """reads may come from caches that could not be emptied"""
    SHORT = "short"
    """measured for less than a steady state needs"""
    NO_VALID_REPEAT = "no-valid-repeat"
    """the figures rest on complete repeats that are not valid; no published claim may use them"""
    NOT_MEASURED = "not-measured"
    """no repeat is complete, so there is no figure"""
    ERRORS = "errors"
    """clients reported errors or damaged data"""
    UNSERVED = "unserved"
    """operations of an open loop never began, and have no latency"""


@dataclass(frozen=True)
class RepeatCounts:
    """The repeats of a point. The figures use the valid ones; without any, the complete ones."""

    __pydantic_config__ = DESCRIBED

    total: int
    complete: int
    valid: int
    used: int


@dataclass(frozen=True)
class Mean:
    """The mean of some repeats, with its 95 % interval."""

    __pydantic_config__ = DESCRIBED

    mean: float
    low: float | None
    """None below two repeats"""
    high: float | None
    deviation: float | None
    """sample standard deviation (n - 1); None below two repeats"""
    values: tuple[float, ...]
    """of each used repeat, in the order of the run"""


@dataclass(frozen=True)
class Latency:
    """Latency of the operations of a point: of each figure, the worst of the repeats."""

    __pydantic_config__ = DESCRIBED

    p50_ms: float | None
    p99_ms: float | None
    """None below 100 operations, where it would be the maximum"""
    max_ms: float | None
    operations: int | None
    """lowest number of operations of a repeat; None where another program did not print it"""


@dataclass(frozen=True)
class Bucket:
    """A cumulative bucket of a latency histogram."""

    __pydantic_config__ = DESCRIBED

    up_to_s: float
    operations: int


@dataclass(frozen=True)
class LatencyHistogram:
    """The latencies of one kind of operation, of all clients and all used repeats."""

    __pydantic_config__ = DESCRIBED

    operation: str
    operations: int
    sum_s: float
    """from the middle of each bucket of the recorded histogram"""
    buckets: tuple[Bucket, ...]


@dataclass(frozen=True)
class ClientSpread:
    """The differences between the clients of a point; means of the used repeats."""

    __pydantic_config__ = DESCRIBED

    jain_fairness_index: float
    """of the rates of the tasks: 1 for equal rates"""
    slowest_client: str | None
    slowest_bytes_per_s: float | None
    fastest_client: str | None
    fastest_bytes_per_s: float | None
    first_done_s: float | None
    last_done_s: float | None


@dataclass(frozen=True)
class Bound:
    """The upper bound of a rate."""

    __pydantic_config__ = DESCRIBED

    layer: str
    rate_bytes_per_s: float
    share: float | None
    """the measured mean as a share of the bound"""


@dataclass(frozen=True)
class Point:
    """One phase of an experiment at one combination of the swept values."""

    __pydantic_config__ = DESCRIBED

    experiment: str
    variant: str | None
    values: dict[str, Any]
    """the swept values, without the variant"""
    clients: int | None
    phase: str
    quantity: Quantity
    repeats: RepeatCounts
    rate_bytes_per_s: Mean | None
    """all bytes over the time of the slowest task; None where no data move"""
    operations_per_s: Mean | None
    copy_rate_bytes_per_s: Mean | None
    """mean over the file sizes of one transfer's rate; None without copies"""
    latency: Latency | None
    histograms: tuple[LatencyHistogram, ...]
    spread: ClientSpread | None
    bound: Bound | None
    bottleneck: str | None
    predicted_bytes_per_s: float | None
    lasted_s: float | None
    flags: tuple[Flag, ...]


# ---- from the measured points


def point_results(result: Result, points: Sequence[Measured]) -> tuple[Point, ...]:
    """The points of one experiment, in the order of the run."""
    return tuple(_point(result, item) for item in points)


def _point(result: Result, item: Measured) -> Point:
    repeats = sorted_repeats(item.repeats, item.quantity)
    experiment = item.repeats[0].experiment
    looks = result.looks(experiment, item.point)
    values = {key: value for key, value in item.point.items() if key != VARIANT}
    variant = item.point.get(VARIANT)

    def mean(quantity: RecordedQuantity) -> Mean | None:
        return mean_result([quantity.of(repeat) for repeat in item.basis], looks)

    is_copy = item.phase in COPY_PHASES
    return Point(
        experiment=experiment,
        variant=None if variant is None else str(variant),
        values=values,
        clients=_clients(item),
        phase=item.phase,
        quantity=Quantity(item.quantity.name),
        repeats=RepeatCounts(
            total=len(item.repeats),
            complete=len(repeats.complete),
            valid=len(repeats.valid),
            used=len(repeats.basis),
        ),
        rate_bytes_per_s=mean(RATE) if moves_data(item.phase) else None,
        operations_per_s=mean(OPERATIONS),
        copy_rate_bytes_per_s=mean(COPIES) if is_copy else None,
        latency=_latency(item),
        histograms=tuple(_histograms(item.basis)),
        spread=_spread(item),
        bound=bound_of(item),
        bottleneck=item.first_of("bottleneck"),
        predicted_bytes_per_s=item.first_of("predicted_bytes_per_s"),
        lasted_s=item.lasted_s,
        flags=tuple(flags_of(item)),
    )


def mean_result(values: Sequence[float], looks: int = 1) -> Mean | None:
    """The mean with its 95 % interval; None without values, or where one is missing (0).

    The interval is that of the mean of the logarithms (`analysis.statistics`), as every comparison
    uses it. `looks`: how often the run checked whether the repeats were sufficient.
    """
    if not values or min(values) <= 0 or not all(map(math.isfinite, values)):
        return None
    estimate = mean_of(Sample(tuple(values), looks))
    interval = estimate.interval() if estimate is not None else None
    return Mean(
        mean=fmean(values),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        deviation=stdev(values) if len(values) > 1 else None,
        values=tuple(values),
    )


def _clients(item: Measured) -> int | None:
    """The number of clients: as swept, else those that took part; None where it is not known."""
    swept = item.point.get("clients")
    if isinstance(swept, int):
        return swept
    return max((len(repeat.clients) for repeat in item.repeats), default=0) or None


def _latency(item: Measured) -> Latency | None:
    latency = item.latency
    if latency is not None and latency.operations:
        return Latency(latency.p50_ms, latency.p99_ms, latency.max_ms, latency.operations)
    return _printed_latency(item)


def _printed_latency(item: Measured) -> Latency | None:
    """The latency that another program printed, which may lack some of the figures."""
    printed = [repeat.latency_ms.get(item.phase, {}) for repeat in item.basis]

    def worst(name: str) -> float | None:
        return max((figures[name] for figures in printed if figures.get(name)), default=None)

    latency = Latency(worst("p50"), worst("p99"), worst("max"), None)
    is_empty = latency.p50_ms is None and latency.p99_ms is None and latency.max_ms is None
    return None if is_empty else latency


def _histograms(repeats: Sequence[PhaseResult]) -> Iterator[LatencyHistogram]:
    for operation, histogram in merged_histograms(repeats):
        yield LatencyHistogram(
            operation=operation,
            operations=histogram.count,
            sum_s=histogram.mean * histogram.count / 1e9,
            buckets=tuple(_buckets(histogram)),
        )


def _buckets(histogram: Histogram) -> Iterator[Bucket]:
    """The cumulative buckets from the first with an operation up to the first with all of them."""
    limits_ns = list(_limits_ns())
    for limit_ns, operations in zip(limits_ns, histogram.counts_up_to(limits_ns), strict=True):
        if operations:
            yield Bucket(limit_ns / 1e9, operations)
        if operations == histogram.count:
            return


def _limits_ns() -> Iterator[int]:
    decade_ns = LOWEST_NS
    while decade_ns <= HIGHEST_NS:
        for factor in BUCKETS_PER_DECADE:
            yield factor * decade_ns
        decade_ns *= 10


def _spread(item: Measured) -> ClientSpread | None:
    """The differences between clients; None where the result has no part of a client."""
    rates: dict[str, list[float]] = {}
    for repeat in item.basis:
        for client in repeat.clients:
            rates.setdefault(client.client, []).append(client.rate_bytes_per_s)
    fairness = item.mean_of("fairness")
    if not rates or fairness is None:
        return None
    means = {client: fmean(values) for client, values in rates.items()}
    has_rates = moves_data(item.phase) and min(means.values()) > 0
    slowest = min(means, key=lambda client: means[client])
    fastest = max(means, key=lambda client: means[client])
    first_done_s, last_done_s = item.done_s or (None, None)
    return ClientSpread(
        jain_fairness_index=fairness,
        slowest_client=slowest if has_rates else None,
        slowest_bytes_per_s=means[slowest] if has_rates else None,
        fastest_client=fastest if has_rates else None,
        fastest_bytes_per_s=means[fastest] if has_rates else None,
        first_done_s=first_done_s,
        last_done_s=last_done_s,
    )


def bound_of(item: Measured) -> Bound | None:
    """The upper bound of a point's rate; None where it is not known, or the point has no rate."""
    layer = item.first_of("bound")
    rate_bytes_per_s = item.first_of("bound_bytes_per_s")
    if not layer or not rate_bytes_per_s or not moves_data(item.phase):
        return None
    is_rate = item.quantity is RATE and item.mean is not None
    share = (item.mean or 0.0) / rate_bytes_per_s if is_rate else None
    return Bound(str(layer), float(rate_bytes_per_s), share)


def flags_of(item: Measured) -> Iterator[Flag]:
    """The limitations of a point, from all of its repeats."""
    clients = [client for repeat in item.repeats for client in repeat.clients]
    conditions: tuple[tuple[Flag, bool], ...] = (
        (Flag.PARTIAL, any(repeat.partial for repeat in item.repeats)),
        (Flag.LAB_LIMITED, any(repeat.lab_limited for repeat in item.repeats)),
        (Flag.OUT_OF_CACHES, any(repeat.out_of_caches for repeat in item.repeats)),
        (Flag.MAYBE_CACHED, any(repeat.cached for repeat in item.repeats)),
        (Flag.SHORT, item.is_short),
        (Flag.NO_VALID_REPEAT, bool(item.whole) and not item.usable),
        (Flag.NOT_MEASURED, not item.whole),
        (Flag.ERRORS, any(client.errors or client.damage for client in clients)),
        (Flag.UNSERVED, any(client.unserved for client in clients)),
    )
    return (flag for flag, is_set in conditions if is_set)
