"""The estimated duration of a fault, for the time left of a run."""

from seatrial.faults.aftermath import AFTERMATH_S
from seatrial.faults.base import Planned

BASELINE_S = 5.0
"""load in s before the injection"""
OVERHEAD_S = 30.0
"""initial estimate in s of a fault's overhead in addition to its own times"""
BESIDE_A_FAULT_S = BASELINE_S + AFTERMATH_S + OVERHEAD_S


def expected_fault_s(planned: Planned) -> float:
    """The estimated duration of a fault in s."""
    fault_s = planned.duration_s + planned.waits_s
    observed_s = planned.aftermath_s + planned.fault.observe
    return fault_s + observed_s + BASELINE_S + OVERHEAD_S
