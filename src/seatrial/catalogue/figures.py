"""The figures of a run under names that are the same in all runs: points, peaks and faults.

Comparisons and trends use these figures. A figure without a valid repeat has no value, and names
the reason.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.analysis.statistics import Sample, mean_of
from seatrial.study.points import phase_text
from seatrial.summary.fault_results import FaultOutcome, OutageState
from seatrial.summary.point_results import Flag, Mean, Point, Quantity
from seatrial.summary.rate_results import PeakPoint
from seatrial.summary.results import ResultSummary

BYTES_PER_MB = 1e6
RATE_UNIT = "MB/s"
OPERATIONS_UNIT = "operations/s"
PEAK_UNITS = {"bytes/s": (RATE_UNIT, BYTES_PER_MB), "1": ("%", 0.01)}
"""unit of a peak in a summary -> (unit here, its value in that of the summary)"""
LOOKS_MAX = 1000
"""above the number of repeats that any run makes"""
ROUNDING = 1e-9
NOT_VALID = {
    Flag.NOT_MEASURED: "no complete repeat",
    Flag.LAB_LIMITED: "limited by the lab's CPUs",
    Flag.OUT_OF_CACHES: "caches answered the reads",
    Flag.PARTIAL: "a client did not finish",
}
"""why a point has no valid repeat"""


@dataclass(frozen=True)
class Figure:
    """The rate of one point of a run, or its operations per second."""

    key: str
    """the same for the same experiment, variant, swept values and phase of any run"""
    title: str
    unit: str
    value: float | None
    """mean of the used repeats, in `unit`"""
    low: float | None
    """the 95 % interval; None below two repeats"""
    high: float | None
    sample: Sample | None
    """the valid repeats, in `unit`; None where the point may not be compared"""
    doubt: str
    """why it may not be compared; empty where it may"""
    p99_ms: float | None
    """of its operations; None below 100 operations"""


@dataclass(frozen=True)
class PeakFigure:
    """The highest valid point of a phase."""

    title: str
    """`write`"""
    unit: str
    value: float
    low: float | None
    high: float | None
    where: str
    """the point, as text"""


def point_figures(summary: ResultSummary) -> tuple[Figure, ...]:
    """One figure for each point, in the order of the run."""
    return tuple(map(_figure, summary.points))


def _figure(point: Point) -> Figure:
    mean, unit, divisor = _mean_of(point)
    is_usable = mean is not None and _is_positive(mean)
    doubt = _doubt(point, has_value=is_usable)
    sample = sample_of(mean, divisor) if mean is not None and not doubt else None
    p99_ms = point.latency.p99_ms if point.latency is not None else None
    return Figure(
        key=_key(point),
        title=_title(point),
        unit=unit,
        value=mean.mean / divisor if mean is not None and is_usable else None,
        low=_scaled(mean.low, divisor) if mean is not None and is_usable else None,
        high=_scaled(mean.high, divisor) if mean is not None and is_usable else None,
        sample=sample,
        doubt=doubt,
        p99_ms=p99_ms,
    )


def _mean_of(point: Point) -> tuple[Mean | None, str, float]:
    """The mean of a point, its unit, and the SI value of that unit: the rule of `compare`."""
    if point.copy_rate_bytes_per_s is not None:
        return point.copy_rate_bytes_per_s, RATE_UNIT, BYTES_PER_MB
    if point.rate_bytes_per_s is not None:
        return point.rate_bytes_per_s, RATE_UNIT, BYTES_PER_MB
    has_operations = point.operations_per_s is not None
    if has_operations or point.quantity is Quantity.OPERATIONS:
        return point.operations_per_s, OPERATIONS_UNIT, 1.0
    return None, RATE_UNIT, BYTES_PER_MB


def _scaled(value: float | None, divisor: float) -> float | None:
    return None if value is None else value / divisor


def _is_positive(mean: Mean) -> bool:
    values = (mean.mean, *mean.values)
    return bool(mean.values) and all(value > 0 and math.isfinite(value) for value in values)


def _doubt(point: Point, *, has_value: bool) -> str:
    is_valid = Flag.NO_VALID_REPEAT not in point.flags and Flag.NOT_MEASURED not in point.flags
    if is_valid and has_value:
        return ""
    reasons = [words for flag, words in NOT_VALID.items() if flag in point.flags]
    return " or ".join(reasons) or "without a figure"


def sample_of(mean: Mean, divisor: float = 1.0) -> Sample:
    """The repeats of a mean, with the number of looks.

    A summary has no key for the looks, but the interval of the mean depends on them. They are the
    smallest number with an interval as wide as the recorded one.
    """
    values = tuple(value / divisor for value in mean.values)
    if mean.high is None:
        return Sample(values)
    recorded = mean.high * (1 - ROUNDING)
    for looks in range(1, LOOKS_MAX):
        estimate = mean_of(Sample(mean.values, looks))
        if estimate is None or estimate.interval().high >= recorded:
            return Sample(values, looks)
    return Sample(values, LOOKS_MAX)


def _key(point: Point | PeakPoint) -> str:
    parts = [point.experiment, point.variant, point.values, point.phase]
    return json.dumps(parts, sort_keys=True)


def _title(point: Point | PeakPoint) -> str:
    variant = (point.variant,) if point.variant is not None else ()
    experiment = " ".join((point.experiment, *variant))
    return phase_text(experiment, point.values, point.phase)


def peak_figures(summary: ResultSummary) -> tuple[PeakFigure, ...]:
    """The peaks, with the intervals of their points."""
    points = {item.key: item for item in point_figures(summary)}
    return tuple(_peak(item, points.get(_key(item))) for item in summary.peaks if item.value > 0)


def _peak(peak: PeakPoint, point: Figure | None) -> PeakFigure:
    unit, divisor = PEAK_UNITS.get(peak.unit, (peak.unit, 1.0))
    has_interval = point is not None and point.unit == unit
    return PeakFigure(
        title=peak.phase,
        unit=unit,
        value=peak.value / divisor,
        low=point.low if point is not None and has_interval else None,
        high=point.high if point is not None and has_interval else None,
        where=_title(peak),
    )


OUTAGE_WORDS = {
    OutageState.NONE: "below the threshold",
    OutageState.NOT_RECOVERED: "not recovered",
    OutageState.NO_LOAD: "no load",
    OutageState.NOT_INJECTED: "not injected",
}
"""the meaning of an outage without a length"""


def longest(faults: Sequence[FaultOutcome]) -> FaultOutcome | None:
    """The fault with the longest measured outage; None where no fault has one."""
    measured = [item for item in faults if item.longest_outage_s is not None]
    return max(measured, key=lambda item: item.longest_outage_s or 0.0, default=None)
