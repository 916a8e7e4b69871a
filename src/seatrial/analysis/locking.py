"""From what clients wrote down of their locks to the times in which each certainly held one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NS = 1e9
NO_ROOM = ("ENOSPC", "EDQUOT")
"""what a full file system answers to who writes a token; it says nothing of the lock"""


@dataclass
class Hold:
    """A range that one client held, from the answer to its lock to the last that proves it; on the common clock."""

    client: str
    range: int
    token: str
    kept: bool
    """taken before the start, to be held to the end"""
    start_s: float
    end_s: float
    error_s: float
    looks: int = 0
    foreign: str | None = None
    unwritten: bool = False
    """there was no room for its token: what stands there is an earlier one, and looks at it prove nothing"""
    lost: str | None = None
    released: bool = False

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.client}, range {self.range} from {self.start_s:.3f} s"


def holds(events: Iterable[Mapping[str, Any]], client: str, ahead_s: float, error_s: float) -> list[Hold]:
    """Every hold of one client.

    It is certain until the beginning of the last look at which its own token stood there. A lock that was lost is one
    whose holder got an error of the storage: until then it could not know.
    """
    found: dict[str, Hold] = {}
    for event in events:
        op, token = event.get("op"), str(event.get("token"))
        if op == "lock" and event["outcome"] == "ok":
            start_s = event["end_ns"] / NS - ahead_s
            kept = bool(event["kept"]) and not any(item.kept for item in found.values())
            found[token] = Hold(client, event["range"], token, kept, start_s, start_s, error_s)
        elif op in ("held", "unlock") and token in found:
            _follow(found[token], event, ahead_s)
    return list(found.values())


def _follow(hold: Hold, event: Mapping[str, Any], ahead_s: float) -> None:
    if event["outcome"] == "error" and event["op"] == "held" and event.get("errno") in NO_ROOM:
        hold.unwritten = True
    elif event["outcome"] == "error":
        hold.lost = hold.lost or f"{event.get('errno')} of {event['op']}"
    elif event["op"] == "unlock":
        hold.released = True
    elif hold.unwritten:
        return
    elif event["outcome"] == "foreign":
        hold.looks += 1
        hold.foreign = hold.foreign or str(event.get("seen"))
    elif not hold.lost:
        hold.looks += 1
        hold.end_s = max(hold.end_s, event["begin_ns"] / NS - ahead_s)


def overlaps(found: Sequence[Hold]) -> list[str]:
    """Two holders of one range at once, by more than their clocks may be wrong."""
    told = []
    ordered = sorted(found, key=lambda item: (item.range, item.start_s))
    for index, one in enumerate(ordered):
        for other in ordered[index + 1 :]:
            error_s = one.error_s + other.error_s
            if other.range != one.range or other.start_s > one.end_s:
                break
            both_s = min(one.end_s, other.end_s) - other.start_s
            # A hold without length was nevertheless granted while the other certainly held the range.
            inside = one.start_s + error_s < other.start_s < one.end_s - error_s
            if one.client != other.client and (both_s > error_s or inside):
                lasting = f"for {both_s:.3f} s" if both_s > error_s else f"when {other.client} was granted it"
                told.append(
                    f"{one.client} and {other.client} both held range {one.range} {lasting}, "
                    f"from {other.start_s:.3f} s (clocks: {error_s:.3f} s)"
                )
    return told


def kept(own: Sequence[Hold], at_s: float | None) -> str:
    """Of one client: whether the lock that it held before the fault was still its own at a look after it."""
    lasting = [hold for hold in own if hold.kept]
    if not lasting:
        return "unknown"
    hold = lasting[0]
    if hold.lost:
        return "lost"
    return "held" if hold.looks and (at_s is None or hold.end_s > at_s) else "unknown"
