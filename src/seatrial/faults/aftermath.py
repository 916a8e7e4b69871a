"""The time for which the background load continues after a fault."""

from seatrial.solutions.base import Solution, grace_s, timers_of

AFTERMATH_S = 3.0


def aftermath_s(solution: Solution, *, taken_over: bool) -> float:
    """How long streams continue once the system is healthy, in s.

    A lost member is detected within this time, and a client's abandoned lease expires.
    """
    detection = timers_of(solution).get("detection")
    if detection is None:
        return AFTERMATH_S
    wait_for_lease_s = grace_s(solution) if taken_over else 0.0
    return max(AFTERMATH_S, detection.duration_s + wait_for_lease_s)
