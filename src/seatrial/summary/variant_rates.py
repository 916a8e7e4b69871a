"""The variants of an experiment, in the order of the study, with the interval of each mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.result.quantities import RATE, Quantity
from seatrial.study.experiment import VARIANT
from seatrial.summary.point_results import mean_result
from seatrial.summary.points import Measured
from seatrial.summary.sources import Sources, experiment_of, points_of


@dataclass(frozen=True)
class VariantRate:
    """One variant in one phase. Values are in SI units of the quantity."""

    variant: str
    mean: float | None
    """None where it was not measured"""
    low: float | None
    """limits of the 95 % interval of the mean; None below two repeats"""
    high: float | None
    repeats: int
    bound_bytes_per_s: float | None
    """upper bound; None where none is known, or where the quantity is no aggregate rate"""
    is_limited: bool
    """every repeat was limited by the lab machine or came out of caches"""


@dataclass(frozen=True)
class PhaseVariants:
    """Every variant in one phase."""

    phase: str
    quantity: Quantity
    variants: tuple[VariantRate, ...]
    in_lab: bool


def compared_at(points: Sequence[Measured]) -> dict[str, Any]:
    """The values at which variants are compared where something else varies: the last ones."""
    last = points[-1].point if points else {}
    return {key: value for key, value in last.items() if key != VARIANT}


def variant_rates(sources: Sources, name: str) -> tuple[PhaseVariants, ...]:
    """The variants of an experiment by phase; empty where it has none, or measured none."""
    experiment = experiment_of(sources, name)
    points = points_of(sources, name)
    if experiment is None or not experiment.variants or not points:
        return ()
    at = compared_at(points)
    phases = []
    for phase in dict.fromkeys(item.phase for item in points):
        of_phase = [item for item in points if item.phase == phase]
        variants = []
        for variant in experiment.variants:
            expected = {**at, VARIANT: variant}
            point = next((item for item in of_phase if item.point == expected), None)
            variants.append(_variant(sources, name, variant, point))
        quantity = of_phase[0].quantity
        in_lab = any(item.in_lab for item in of_phase)
        phases.append(PhaseVariants(phase, quantity, tuple(variants), in_lab))
    return tuple(phases)


def _variant(sources: Sources, name: str, variant: str, point: Measured | None) -> VariantRate:
    if point is None or point.mean is None:
        return VariantRate(variant, None, None, None, 0, None, is_limited=False)
    looks = sources.result.looks(name, point.point)
    interval = mean_result(point.values, looks)
    bound = point.first_of("bound_bytes_per_s") if point.quantity is RATE else None
    return VariantRate(
        variant=variant,
        mean=point.mean,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        repeats=len(point.basis),
        bound_bytes_per_s=bound or None,
        is_limited=point.lab_limited,
    )
