"""The peaks and the scaling laws of a result summary."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.study.experiment import VARIANT
from seatrial.summary.described import DESCRIBED
from seatrial.summary.peaks import Peak, Throughput
from seatrial.summary.point_results import Bound, Quantity, bound_of
from seatrial.summary.scaling import ScalingLaw, scaling_laws
from seatrial.summary.sources import MeasuredExperiment


@dataclass(frozen=True)
class PeakPoint:
    """The highest valid point of a phase."""

    __pydantic_config__ = DESCRIBED

    experiment: str
    variant: str | None
    values: dict[str, Any]
    phase: str
    quantity: Quantity
    value: float
    """in bytes/s, or in operations/s"""
    unit: str
    bound: Bound | None
    words: str


@dataclass(frozen=True)
class Law:
    """A universal scalability law: X(N) = λ N / (1 + σ (N - 1) + κ N (N - 1))."""

    __pydantic_config__ = DESCRIBED

    experiment: str
    name: str
    phase: str
    one_client: float
    """λ, in the unit"""
    unit: str
    contention: float
    """σ"""
    contention_band: tuple[float | None, float | None]
    """90 %"""
    coherency: float
    """κ"""
    coherency_band: tuple[float | None, float | None]
    knee_clients: float | None
    peak_clients: float | None
    peak: float | None
    is_declining: bool
    """the measured range shows a decline beyond the peak"""


def peak_results(throughput: Throughput) -> tuple[PeakPoint, ...]:
    """The highest valid point of each phase of the headline."""
    return tuple(_peak(item) for item in throughput.peaks if item.item.mean is not None)


def _peak(peak: Peak) -> PeakPoint:
    item = peak.item
    values = {key: value for key, value in item.point.items() if key != VARIANT}
    variant = item.point.get(VARIANT)
    return PeakPoint(
        experiment=item.repeats[0].experiment,
        variant=None if variant is None else str(variant),
        values=values,
        phase=peak.phase,
        quantity=Quantity(item.quantity.name),
        value=item.mean or 0.0,
        unit=SI_UNITS[item.quantity.name],
        bound=bound_of(item),
        words=f"{peak.value} ({peak.where})",
    )


SI_UNITS = {
    "rate": "bytes/s",
    "operations": "operations/s",
    "copies": "bytes/s",
    "efficiency": "1",
}
"""of the values of each quantity"""


def law_results(experiments: Sequence[MeasuredExperiment]) -> tuple[Law, ...]:
    """The scaling laws of all experiments."""
    return tuple(_laws(experiments))


def _laws(experiments: Sequence[MeasuredExperiment]) -> Iterator[Law]:
    for experiment in experiments:
        for item in scaling_laws(experiment.points):
            yield _law(experiment.name, item)


def _law(experiment: str, item: ScalingLaw) -> Law:
    law = item.fit.law
    return Law(
        experiment=experiment,
        name=item.name,
        phase=item.phase,
        one_client=law.one_client,
        unit=SI_UNITS[item.quantity.name],
        contention=law.contention,
        contention_band=_band(item.fit.contention),
        coherency=law.coherency,
        coherency_band=_band(item.fit.coherency),
        knee_clients=_finite(law.knee_clients),
        peak_clients=item.peak_clients,
        peak=item.peak_rate,
        is_declining=item.is_declining,
    )


def _band(band: tuple[float, float]) -> tuple[float | None, float | None]:
    low, high = band
    return (_finite(low), _finite(high))


def _finite(value: float) -> float | None:
    """The value; None for an infinite one, which JSON does not have."""
    return value if math.isfinite(value) else None
