"""Series of a result: the rate or the operations per second of one phase of one experiment against
the varied parameter.

Only valid points are in a series: no client's part is missing, nothing but the system limited them,
and no cache answered them. The points that were left out are reported.
"""

from dataclasses import dataclass
from typing import Any

from seatrial.analysis.statistics import Sample
from seatrial.basics.units import format_size
from seatrial.result.phases import PhaseResult, doubts_of
from seatrial.result.quantities import Quantity, quantity_of
from seatrial.result.result import Result
from seatrial.result.validity import is_valid
from seatrial.study.published import SeriesRef


class NoAnswer(Exception):  # noqa: N818 - not an error: a reason why nothing can be said
    """Why a claim cannot be answered from this result."""


class NotMeasured(NoAnswer):
    """The profile of the run did not measure it."""


@dataclass(frozen=True)
class Series:
    """Samples by the value of the variable, in the order of the result."""

    title: str
    phase: str
    over: str
    quantity: Quantity
    samples: dict[Any, Sample]
    left_out: int
    """phases that are not valid"""
    doubts: str = ""
    """why not: `partial or out of caches`"""

    def at(self, value: Any) -> Sample:
        """The sample at a value of the variable; NoAnswer when there is no valid one."""
        if value not in self.samples:
            raise NoAnswer(
                f"{self.title} has no valid point at {short(self.over)} {value}{self.excuse()}"
            )
        return self.samples[value]

    def best(self) -> tuple[Any, Sample]:
        """The value with the highest mean, and its sample."""
        value = max(self.samples, key=lambda key: self.samples[key].mean)
        return value, self.samples[value]

    def excuse(self) -> str:
        """The number of points that were left out, as the end of a sentence."""
        if not self.left_out:
            return ""
        many = "1 phase was" if self.left_out == 1 else f"{self.left_out} phases were"
        return f" ({many} {self.doubts or 'without a figure'})"


def short(path: str) -> str:
    """The last part of a dotted key."""
    return path.rpartition(".")[2]


def series(
    run_result: Result, reference: SeriesRef, over: str, quantity_name: str | None = None
) -> Series:
    """The series that a study's reference names; NoAnswer when the result has nothing of it.

    `quantity_name`: rate or operations; by default the quantity of the phase.
    """
    of_phase = [
        item
        for item in run_result.phases
        if (item.experiment, item.phase) == (reference.experiment, reference.phase)
    ]
    selected = [
        item
        for item in of_phase
        if all(item.point.get(key) == value for key, value in reference.where.items())
    ]
    words = [f"{reference.experiment} {reference.phase}", *map(str, reference.where.values())]
    words += [f"by {reference.kind} clients"] if reference.kind else []
    title = " ".join(
        [*words, *([f"files of {format_size(reference.file_size)}"] if reference.file_size else [])]
    )
    quantity = quantity_of(reference.phase, reference.quantity or quantity_name)
    if not selected:
        raise NotMeasured(f"{title} was not measured in this run")
    usable = [phase for phase in selected if is_valid(phase, quantity)]
    values: dict[Any, list[float]] = {}
    looks: dict[Any, int] = {}
    for phase in usable:
        looked = run_result.looks(phase.experiment, phase.point)
        for key, value in _values(phase, reference, over, quantity):
            values.setdefault(key, []).append(value)
            looks[key] = max(looks.get(key, 1), looked)
    samples = {key: Sample(tuple(rates), looks[key]) for key, rates in values.items()}
    result = Series(
        title,
        reference.phase,
        over,
        quantity,
        samples,
        len(selected) - len(usable),
        doubts_of(selected),
    )
    if not values:
        raise NoAnswer(f"{title} has no valid point{result.excuse()}")
    return result


def _values(
    phase: PhaseResult, reference: SeriesRef, over: str, quantity: Quantity
) -> list[tuple[Any, float]]:
    """(value of the variable, figure) of one phase: of each file size where the series runs along
    them.
    """
    if over == FILE:
        return list(phase.copy_rates_bytes_per_s.items())
    if reference.file_size is not None:
        rate = phase.copy_rates_bytes_per_s.get(reference.file_size)
        return [] if rate is None else [(phase.point.get(over), rate)]
    if reference.kind is not None:
        rate = phase.kinds_bytes_per_s.get(reference.kind)
        return [] if rate is None else [(phase.point.get(over), rate)]
    return [(phase.point.get(over), quantity.of(phase))]


FILE = "file_size"
"""the variable of a series of copies"""
