"""The estimated duration of a fault, for the time left of a run."""

from seatrial.faults.aftermath import AFTERMATH_S
from seatrial.faults.base import planned_fault
from seatrial.study.faults import Fault
from seatrial.study.study import Study

BASELINE_S = 5.0
"""load in s before the injection"""
OVERHEAD_S = 30.0
"""initial estimate in s of a fault's overhead in addition to its own times"""
BESIDE_A_FAULT_S = BASELINE_S + AFTERMATH_S + OVERHEAD_S


def expected_fault_s(study: Study, name: str, fault: Fault) -> float:
    """The estimated duration of a fault in s."""
    planned = planned_fault(study, name, fault)
    fault_s = planned.duration_s + planned.waits_s
    observed_s = planned.aftermath_s + fault.observe
    return fault_s + observed_s + BASELINE_S + OVERHEAD_S
