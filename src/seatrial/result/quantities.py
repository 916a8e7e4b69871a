"""The quantity of a figure, a table or a claim: bytes per second, operations per second, or a share
of the possible rate.
"""

from dataclasses import dataclass
from typing import get_args

from seatrial.basics.units import format_rate, plain
from seatrial.result.phases import PhaseResult
from seatrial.study.workload import COPY_PHASES, Phase, moves_data


@dataclass(frozen=True)
class Quantity:
    """A measured quantity of a phase: its place in the result, and its notation."""

    name: str
    """of the key of a figure: `rate`, `operations`, `copies` or `efficiency`"""
    unit: str
    divisor: float
    """SI value over the value in `unit`"""
    attribute: str
    title: str

    def of(self, phase: PhaseResult) -> float:
        """The value of a phase, in SI units."""
        value: float = getattr(phase, self.attribute)
        return value

    def text(self, phase: PhaseResult) -> str:
        """The value of a phase in words."""
        return self.written(self.of(phase))

    def written(self, value: float) -> str:
        """A value in words."""
        return (
            format_rate(value)
            if self in (RATE, COPIES)
            else f"{plain(value / self.divisor)} {self.unit}"
        )


RATE = Quantity("rate", "MB/s", 1e6, "natural_bytes_per_s", "Aggregate throughput of all clients")
OPERATIONS = Quantity(
    "operations", "operations/s", 1.0, "operations_per_s", "Operations per second of all clients"
)
COPIES = Quantity(
    "copies",
    "MB/s",
    1e6,
    "copy_rate_bytes_per_s",
    "Mean over the file sizes of one transfer's rate",
)
"""The statistic of the 2008 paper (network-storage-clusters, lines 78-80): small files count as
much as large ones."""
EFFICIENCY = Quantity(
    "efficiency", "%", 0.01, "efficiency", "Rate over that of the links and ports in its way"
)
"""Achieved over theoretical, as the GFS paper has it (gfs-equallogic, lines 524-528); for the
divisor see E19."""
QUANTITIES = {item.name: item for item in (RATE, OPERATIONS, COPIES, EFFICIENCY)}


def quantity_of(phase: str, name: str | None = None) -> Quantity:
    """The quantity by which a phase is judged: the quantity of the figure; else its rate, or its
    operations where no data move.
    """
    if name is not None:
        return QUANTITIES[name]
    if phase in COPY_PHASES:
        return COPIES
    return RATE if moves_data(phase) else OPERATIONS


def quantity_of_result(phase: PhaseResult, name: str | None = None) -> Quantity:
    """The same for a phase of a result. Work of another program on directory entries, such as
    `find`, is no phase of a workload: it counts operations.
    """
    is_foreign = not phase.clients and phase.phase not in get_args(Phase)
    return OPERATIONS if is_foreign else quantity_of(phase.phase, name)
