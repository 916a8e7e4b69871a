"""The clients' logs of a consistency test, on the common clock, and the findings of their
comparison.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, cast

from typing_extensions import TypedDict

NS = 1e9
RETRANSMITTED = (
    "may be the answer to a request that was sent again (RFC 8881, section 2.10.6; RFC 1813, "
    "section 4.5: only a duplicate request cache)"
)
SENT_AGAIN_S = 0.2
"""Before this time no request is sent again: Linux's shortest retransmission timeout of TCP
(TCP_RTO_MIN, include/net/tcp.h); an RPC waits for a new connection, or for its own timeout of
seconds"""
LISTED_MAX = 20

Event = Mapping[str, Any]


@dataclass(frozen=True)
class History:
    """The log of one client, and the error of its clock."""

    client: str
    index: int
    events: Sequence[Mapping[str, Any]]
    ahead_s: float = 0.0
    error_s: float = 0.0

    @property
    def cut(self) -> bool:
        """It has no end: one more operation may have begun."""
        return not any(event.get("op") == "end" for event in self.events)

    def of(self, *ops: str) -> list[Mapping[str, Any]]:
        """Its events of some kinds, in their order."""
        return [event for event in self.events if event.get("op") in ops]

    def begin_s(self, event: Mapping[str, Any]) -> float:
        """When it began, on the common clock."""
        return float(event["begin_ns"] / NS - self.ahead_s)

    def end_s(self, event: Mapping[str, Any]) -> float:
        """When it had ended, on the common clock."""
        return float(event["end_ns"] / NS - self.ahead_s)


@dataclass(frozen=True)
class Inode:
    """The storage's answer for a name in the end."""

    size_bytes: int
    links: int


@dataclass(frozen=True)
class Final:
    """The content of the storage in the end, reported by one client without its caches."""

    names: frozenset[str] = frozenset()
    files: Mapping[str, bytes] = field(default_factory=dict)
    """the contents of those that the judgement of its kind reads"""
    inodes: Mapping[str, Inode] = field(default_factory=dict)
    """by name"""


class FindingsEntry(TypedDict):
    """The findings of a consistency test in a result; the lists have only their first entries."""

    checked: dict[str, int]
    reasons: dict[str, int]
    kept_locks: dict[str, Literal["held", "lost", "unknown"]]
    violations_count: int
    unknowns_count: int
    lost_locks_count: int
    unasked_count: int
    violations: list[str]
    unknowns: list[str]
    lost_locks: list[str]
    unasked: list[str]


@dataclass
class Findings:
    """The violations, the undecided cases, and the number of checks."""

    checked: dict[str, int] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    lost_locks: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)
    """a look showed less than had been acknowledged, after an open without a request to the
    server"""
    reasons: dict[str, int] = field(default_factory=dict)
    """code of a reason -> how many of the violations and unknowns have it; older kinds give none"""
    kept_locks: dict[str, str] = field(default_factory=dict)
    """client -> `held`, `lost` or `unknown`: the lock that it held from before the fault until
    after it"""

    def count(self, what: str, number: int = 1) -> None:
        """Add this number of checks."""
        self.checked[what] = self.checked.get(what, 0) + number

    def violate(self, reason: StrEnum, text: str) -> None:
        """Something is wrong, for certain."""
        self.violations.append(text)
        self._give(reason)

    def doubt(self, reason: StrEnum, text: str) -> None:
        """Note that something cannot be decided."""
        self.unknowns.append(text)
        self._give(reason)

    def _give(self, reason: StrEnum) -> None:
        self.reasons[reason.value] = self.reasons.get(reason.value, 0) + 1

    def to_json(self) -> FindingsEntry:
        """For the result: the counts, and the first entries of each list."""
        lists = {
            "violations": self.violations,
            "unknowns": self.unknowns,
            "lost_locks": self.lost_locks,
            "unasked": self.unasked,
        }
        counts = {f"{key}_count": len(items) for key, items in lists.items()}
        listed = {key: items[:LISTED_MAX] for key, items in lists.items()}
        evidence = {"checked": self.checked, "reasons": self.reasons, "kept_locks": self.kept_locks}
        return cast(FindingsEntry, {**evidence, **counts, **listed})


@dataclass(frozen=True)
class Circumstances:
    """The facts that the histories alone do not have."""

    run_id: str
    final: Final | None = None
    """None: the storage could not be inspected"""
    disturbed: tuple[float, float] | None = None
    """from when until when answers may have been lost, on the common clock"""
    settled_s: float | None = None
    """from when on the system was healthy again, on the common clock; None where it never was, or
    is not known"""
    lost_power: frozenset[str] = frozenset()
    """clients that lost their power in the fault: histories of these without an end are expected"""
    forgetful: frozenset[str] = frozenset()
    """those of them that keep the file system's journal themselves: names that they had changed,
    and not synced, may be as before (rename(2) promises no durability; NFS does, RFC 1813, section
    3.3.14)"""


def in_doubt(history: History, event: Mapping[str, Any], circumstances: Circumstances) -> bool:
    """Whether the operation was under way while answers may have been lost, for long enough to have
    been sent again.
    """
    if circumstances.disturbed is None or event["end_ns"] - event["begin_ns"] < SENT_AGAIN_S * NS:
        return False
    from_s, to_s = circumstances.disturbed
    begin_s = history.begin_s(event) - history.error_s
    end_s = history.end_s(event) + history.error_s
    return begin_s <= to_s and end_s >= from_s
