"""The figures of a summary in long format: one row per point and quantity, and per fault and
quantity.

A figure without a value has no row.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal

from seatrial.study.points import point_text
from seatrial.summary.fault_results import FaultOutcome
from seatrial.summary.point_results import Mean, Point
from seatrial.summary.results import ResultSummary

Unit = Literal["bytes/s", "operations/s", "ms", "s", "1"]


@dataclass(frozen=True)
class Figure:
    """One quantity of a point or of a fault."""

    quantity: str
    unit: Unit
    value: float
    low: float | None = None
    """95 % interval of a mean"""
    high: float | None = None
    deviation: float | None = None
    samples: int | None = None
    """repeats of a mean; operations of a latency"""


@dataclass(frozen=True)
class Row:
    """A figure with its place. None: the column does not apply."""

    study: str
    profile: str
    result: str
    kind: Literal["point", "fault"]
    experiment: str | None
    variant: str | None
    point: str | None
    """the swept values: `clients=4,threads=8`"""
    clients: int | None
    phase: str | None
    fault: str | None
    quantity: str
    unit: Unit
    value: float
    low: float | None
    high: float | None
    deviation: float | None
    samples: int | None
    flags: str
    """limitations of the point, separated by blanks"""


COLUMNS = tuple(item.name for item in fields(Row))


def rows(summary: ResultSummary) -> Iterator[Row]:
    """Every figure of the points, then every figure of the faults."""
    for point in summary.points:
        for figure in point_figures(point):
            yield _row(summary, figure, point=point)
    for fault in summary.faults:
        for figure in fault_figures(fault):
            yield _row(summary, figure, fault=fault)


def _row(
    summary: ResultSummary,
    figure: Figure,
    *,
    point: Point | None = None,
    fault: FaultOutcome | None = None,
) -> Row:
    return Row(
        study=summary.study.id,
        profile=summary.run.profile,
        result=summary.run.result,
        kind="fault" if point is None else "point",
        experiment=point.experiment if point else None,
        variant=point.variant if point else None,
        point=point_text(point.values) if point else None,
        clients=point.clients if point else None,
        phase=point.phase if point else None,
        fault=fault.name if fault else None,
        quantity=figure.quantity,
        unit=figure.unit,
        value=figure.value,
        low=figure.low,
        high=figure.high,
        deviation=figure.deviation,
        samples=figure.samples,
        flags=" ".join(point.flags) if point else "",
    )


def point_figures(point: Point) -> Iterator[Figure]:
    """Every known figure of a point."""
    means: tuple[tuple[str, Unit, Mean | None], ...] = (
        ("rate", "bytes/s", point.rate_bytes_per_s),
        ("operations", "operations/s", point.operations_per_s),
        ("copy-rate", "bytes/s", point.copy_rate_bytes_per_s),
    )
    for name, unit, mean in means:
        if mean is not None:
            samples = len(mean.values)
            yield Figure(name, unit, mean.mean, mean.low, mean.high, mean.deviation, samples)
    yield from _latencies(point)
    yield from _single_values(point)


def _latencies(point: Point) -> Iterator[Figure]:
    latency = point.latency
    if latency is None:
        return
    values_ms = (
        ("latency-p50", latency.p50_ms),
        ("latency-p99", latency.p99_ms),
        ("latency-max", latency.max_ms),
    )
    for name, value_ms in values_ms:
        if value_ms is not None:
            yield Figure(name, "ms", value_ms, samples=latency.operations)


def _single_values(point: Point) -> Iterator[Figure]:
    spread = point.spread
    bound = point.bound
    values: tuple[tuple[str, Unit, float | None], ...] = (
        ("jain-fairness-index", "1", spread.jain_fairness_index if spread else None),
        ("slowest-client-rate", "bytes/s", spread.slowest_bytes_per_s if spread else None),
        ("fastest-client-rate", "bytes/s", spread.fastest_bytes_per_s if spread else None),
        ("bound", "bytes/s", bound.rate_bytes_per_s if bound else None),
        ("share-of-bound", "1", bound.share if bound else None),
        ("predicted-rate", "bytes/s", point.predicted_bytes_per_s),
        ("duration", "s", point.lasted_s),
    )
    for name, unit, value in values:
        if value is not None:
            yield Figure(name, unit, value)


def fault_figures(fault: FaultOutcome) -> Iterator[Figure]:
    """Every known figure of a fault."""
    values: tuple[tuple[str, Unit, float | None], ...] = (
        ("longest-outage", "s", fault.longest_outage_s),
        ("outage-limit", "s", fault.outage_limit_s),
        ("blocks-lost-or-wrong", "1", fault.blocks_lost_or_wrong),
    )
    for name, unit, value in values:
        if value is not None:
            yield Figure(name, unit, value)
    for phase in fault.failover_phases:
        yield Figure(f"failover-{phase.name.replace(' ', '-')}", "s", phase.duration_s)
