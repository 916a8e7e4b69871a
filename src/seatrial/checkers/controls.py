"""Negative controls: faults that a check has to find (`expect: {caught: [...]}`), and that fail no other claim.

Such a fault is counted as passed only when every check that it names has found damage; one that found nothing would
find nothing where it matters either.
"""

from seatrial.record_faults import FaultResult


def turned(fault: FaultResult, verdict: str, words: str) -> tuple[str, str]:
    """The verdict on a negative control from that on a fault; damage beside a fault that was not carried through
    proves nothing.
    """
    if fault.failed is not None:
        return "unknown", f"negative control, could not be carried through: {fault.failed}"
    if verdict == "fail":
        return "pass", f"negative control, caught: {words}"
    if verdict == "pass":
        return "fail", f"negative control, not caught: {words}"
    return verdict, f"negative control: {words}"


def judge_control(fault: FaultResult) -> tuple[str, str]:
    """Whether every check that it names has caught it."""
    from seatrial.checkers import fencing, integrity  # noqa: PLC0415 - both turn their verdicts with this module

    answers = []
    for name in fault.controls:
        found = fencing.judge(fault) if name == "fencing" else integrity.judge(fault)
        verdict, words = turned(fault, *found)
        answers.append((verdict, f"{name}, {words}"))
    worst = next((verdict for verdict in ("fail", "unknown", "skipped") if verdict in dict(answers)), "pass")
    return worst, "; ".join(words for _, words in answers)
