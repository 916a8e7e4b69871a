"""Every contradiction within a result."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from seatrial.result.faults import FaultResult
from seatrial.result.invariants.contradiction import Code, Contradiction, Subject
from seatrial.result.invariants.fault_lines import of_fault
from seatrial.result.invariants.figures import of_figures
from seatrial.result.invariants.phase_lines import of_phase
from seatrial.result.invariants.run_lines import of_run
from seatrial.result.invariants.shape import of_shape
from seatrial.result.phases import PhaseResult

SUBJECTS = {
    "phase": Subject.PHASE,
    "fault": Subject.FAULT,
    "comparison": Subject.COMPARISON,
    "baselines": Subject.BASELINE,
}


def contradictions(
    lines: Sequence[dict[str, Any]],
    phases: Sequence[PhaseResult],
    faults: Sequence[FaultResult],
    failed_experiments: Mapping[str, str],
) -> tuple[Contradiction, ...]:
    """The contradictions in the order of the result: of the run, of figures, of phases, of faults.

    A line of a wrong form, which no invariant can test, is a contradiction too.
    """
    contradictions_so_far = _tried(Subject.RUN, "run", of_run, lines, faults, failed_experiments)
    has_every_field = any(line["type"] == "manifest" for line in lines)
    for line in lines:
        subject = SUBJECTS.get(str(line["type"]), Subject.RUN)
        where = str(line.get("experiment") or line.get("name") or line["type"])
        contradictions_so_far += of_figures(line, subject, where)
        if has_every_field:
            contradictions_so_far += _tried(subject, where, of_shape, line, where)
    for phase in phases:
        contradictions_so_far += _tried(Subject.PHASE, phase.experiment, of_phase, phase)
    for fault in faults:
        contradictions_so_far += _tried(Subject.FAULT, fault.name, of_fault, fault)
    return tuple(contradictions_so_far)


def _tried(
    subject: Subject, where: str, invariants: Callable[..., Iterable[Contradiction]], *lines: Any
) -> list[Contradiction]:
    try:
        return list(invariants(*lines))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        return [Contradiction(Code.MALFORMED, subject, where, f"{type(error).__name__}: {error}")]
