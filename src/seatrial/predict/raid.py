"""RAID: the cost of a small write, the usable capacity, and the probability of data loss.

Formulas: D. Patterson, G. Gibson, R. Katz, *A Case for Redundant Arrays of Inexpensive Disks*
(1988), for the mean time to data loss with one parity disk; P. Chen et al., *RAID:
High-Performance, Reliable Secondary Storage* (1994), for two.
"""

import math
from dataclasses import dataclass

HOURS_PER_YEAR = 8766.0
SMALL_WRITE = {0: 1, 1: 2, 5: 4, 6: 6, 10: 2, 50: 4}
"""disk operations of a write that is smaller than a stripe: data and parity are read and written
(Chen et al., 3.2)
"""
PARITY_DISKS = {0: 0, 5: 1, 6: 2, 50: 1}
"""disks of a set with parity, for levels without mirrors"""
TOLERATES = {0: 0, 1: 1, 5: 1, 6: 2, 10: 1, 50: 1}
"""disks of a set that may fail without a loss of data"""


@dataclass(frozen=True)
class Wear:
    """The conditions of the probability of data loss."""

    annual_failure_rate: float = 0.02
    """of one disk; close to the field data of B. Schroeder and G. Gibson (FAST'07: 2 to 4 %)"""
    rebuild_s: float = 24 * 3600.0
    """from a disk's failure until its replacement is rebuilt"""
    years: float = 5.0
    assumptions: str = (
        "disks fail independently, at a constant rate; no read error while rebuilding; only the"
        " loss of disks counts"
    )

    @property
    def mttf_h(self) -> float:
        """Mean time to failure of one disk: a constant rate of -ln(1 - AFR) a year."""
        return HOURS_PER_YEAR / -math.log1p(-self.annual_failure_rate)


def data_disks(level: int, disks: int, spans: int = 1) -> int:
    """Number of data disks of an array without spares; raises ValueError for an unknown level."""
    if level not in SMALL_WRITE:
        raise ValueError(f"RAID {level} is not known")
    if level == 1:
        return 1
    if level == 10:
        return disks // 2
    return disks - spans * PARITY_DISKS[level]


def usable_bytes(level: int, disks: int, disk_bytes: float, spans: int = 1) -> float:
    """Usable bytes for a file system."""
    return data_disks(level, disks, spans) * disk_bytes


def mean_time_to_loss_h(level: int, disks: int, wear: Wear, spans: int = 1) -> float:
    """Mean time to data loss of the whole array, hours; for equal sets in a row, one set's divided
    by their number.
    """
    mttf_h = wear.mttf_h
    repair_h = wear.rebuild_s / 3600
    sets = disks // 2 if level == 10 else spans
    members = 2 if level == 10 else disks // sets
    failures_to_loss = members if level == 1 else TOLERATES[level] + 1
    set_h = mttf_h
    for failed in range(failures_to_loss):
        set_h *= (mttf_h / repair_h if failed else 1.0) / (members - failed)
    return set_h / sets


def loss_probability(level: int, disks: int, wear: Wear, spans: int = 1) -> float:
    """The probability that data are lost within the years: 1 - exp(-t / MTTDL)."""
    return -math.expm1(
        -wear.years * HOURS_PER_YEAR / mean_time_to_loss_h(level, disks, wear, spans)
    )
