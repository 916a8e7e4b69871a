"""Faults that last at the same time."""

from collections.abc import Sequence

from seatrial.faults.base import Actions, Wait


def at_once(
    parts: Sequence[Actions], delay_s: float, *, first_repaired_first: bool = False
) -> Actions:
    """Combine faults that last at the same time, each `delay_s` after the previous one; by default
    the last is repaired first.
    """
    pause = (Wait(delay_s),) if delay_s else ()
    inject = [action for part in parts for action in (*pause, *part.inject)][len(pause) :]
    repaired = parts if first_repaired_first else parts[::-1]
    repair = [action for part in repaired for action in part.repair]
    after = tuple(action for part in repaired for action in part.after)
    return Actions(
        tuple(inject),
        tuple(repair),
        after,
        frozenset(node for part in parts for node in part.fenced),
    )
