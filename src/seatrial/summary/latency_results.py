"""The distribution of the latencies of a point, from its merged histograms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.analysis.histogram import (
    P90_OPERATIONS,
    P99_OPERATIONS,
    P999_OPERATIONS,
    Histogram,
    merge,
)
from seatrial.result.phases import PhaseResult
from seatrial.summary.points import Measured, own_operations

STEP_SHARE = 0.005
"""smallest step between two values of a curve, as a share of all operations"""


@dataclass(frozen=True)
class LatencyStep:
    """A value of the cumulative distribution."""

    latency_ms: float
    share: float
    """of the operations that took at most that"""


@dataclass(frozen=True)
class LatencyDistribution:
    """The latencies of one kind of operation at one point: all clients and all used repeats."""

    point: Mapping[str, Any]
    phase: str
    operation: str
    is_own: bool
    """the operation of the phase, and not a further one such as fsync"""
    repeats: int
    clients: int
    operations: int
    p50_ms: float
    p90_ms: float | None
    """None where the number of operations is too low for it, as for the next two"""
    p99_ms: float | None
    p999_ms: float | None
    max_ms: float
    steps: tuple[LatencyStep, ...]
    """the cumulative distribution, ascending; the last share is 1"""
    unserved: int
    """operations of an open loop that never began and have no latency"""
    in_lab: bool


def latency_distributions(points: Sequence[Measured]) -> tuple[LatencyDistribution, ...]:
    """One distribution per point and kind of operation, in the order of the run.

    Results of older versions have no histograms, and percentiles cannot be merged.
    """
    return tuple(distribution for item in points for distribution in _of_point(item))


def merged_histograms(repeats: Sequence[PhaseResult]) -> Iterator[tuple[str, Histogram]]:
    """(kind of operation, histogram of all clients and these repeats of a point).

    A kind without an operation is left out, and one with histograms that are cut off or have
    different resolutions.
    """
    for operation in dict.fromkeys(name for repeat in repeats for name in repeat.histograms):
        texts = [
            repeat.histograms[operation] for repeat in repeats if operation in repeat.histograms
        ]
        try:
            merged = merge(map(Histogram.decode, texts))
        except ValueError:
            continue
        if merged is not None and merged.count:
            yield operation, merged


def _of_point(item: Measured) -> Iterator[LatencyDistribution]:
    own_names = own_operations(item.phase)
    clients = {client.client for repeat in item.basis for client in repeat.clients}
    for operation, histogram in merged_histograms(item.basis):
        figures_ms = histogram.figures()
        number = histogram.count
        yield LatencyDistribution(
            point=item.point,
            phase=item.phase,
            operation=operation,
            is_own=operation in own_names,
            repeats=sum(operation in repeat.histograms for repeat in item.basis),
            clients=len(clients),
            operations=number,
            p50_ms=figures_ms["p50"],
            p90_ms=figures_ms["p90"] if number >= P90_OPERATIONS else None,
            p99_ms=figures_ms["p99"] if number >= P99_OPERATIONS else None,
            p999_ms=figures_ms["p999"] if number >= P999_OPERATIONS else None,
            max_ms=figures_ms["max"],
            steps=tuple(_steps(histogram)),
            unserved=sum(repeat.unserved for repeat in item.basis),
            in_lab=item.in_lab,
        )


def _steps(histogram: Histogram) -> Iterator[LatencyStep]:
    """The first value, then one per STEP_SHARE of the operations, and the last."""
    cumulative = histogram.cumulative()
    before = 0.0
    for number, (highest_ns, operations) in enumerate(cumulative):
        share = operations / histogram.count
        is_end = number in (0, len(cumulative) - 1)
        if is_end or share - before >= STEP_SHARE:
            yield LatencyStep(highest_ns / 1e6, share)
            before = share
