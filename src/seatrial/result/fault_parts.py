"""The entries of a fault's line in the result that stay mappings: their keys, and the types of
their values.

All times are seconds of the common clock, unless a key has another clock in its name.
"""

from enum import StrEnum
from typing import Any, NotRequired

from typing_extensions import TypedDict

from seatrial.analysis.histories import FindingsEntry
from seatrial.result.extents import Extent


class ActionPart(StrEnum):
    """The part of a fault to which an action belongs."""

    INJECT = "inject"
    REPAIR = "repair"
    AFTER = "after"
    """waits for an effect that lasts longer than the repair"""


class Done(TypedDict):
    """One action that injected or repaired a fault."""

    what: str
    part: str
    started_unix_s: float
    ended_unix_s: float
    error: str | None
    exit_code: int | None
    output: NotRequired[str | None]
    seen: list[str]


class PowerEvent(TypedDict):
    """One line of the power log."""

    boottime_s: float
    unix_s: float
    node: str
    what: str
    by: str


class Moment(TypedDict):
    """One event that a node noted."""

    boottime_s: float
    unix_s: float
    node: str
    what: str
    text: str
    subject: str
    good: bool
    by_wall_clock: bool


class Writing(TypedDict):
    """One interval in which a server wrote to a volume."""

    volume: str
    start_unix_s: float
    end_unix_s: float
    bytes: int


class RefusedWriting(TypedDict):
    """One interval in which the array refused writes of a server to a volume."""

    volume: str
    start_unix_s: float
    end_unix_s: float
    requests: int


class Expectations(TypedDict, total=False):
    """The expected effects of a fault; an older result lacks some of them."""

    fails_over: bool | str | list[str] | tuple[str, ...]
    """`may` where it is permitted; for several services, the names of those that fail over"""
    outage: float | None
    """the longest allowed outage in s"""
    outage_parts: list[tuple[str, float]] | tuple[tuple[str, float], ...]
    """the terms of its sum: the failover phase, and its time in s"""
    target: float | None
    """the outage in s that is aimed at"""
    min_stall: float | None
    """the shortest time in s without an answer, between injection and repair"""
    errors: list[str] | tuple[str, ...]
    """symbols of the errors that clients may get, such as `ENOSPC`"""
    blocks: bool
    detected_by: list[str] | tuple[str, ...]
    """the checks that a negative control has to fail"""


class RebuildResult(TypedDict, total=False):
    """The rebuild of an array under load; empty without a rebuild."""

    node: str
    array: str
    begun_unix_s: float
    until_unix_s: float
    ended: bool
    """false if it did not end in time"""
    loads: dict[str, dict[str, dict[str, float]]]
    """by stream, `before` the injection and during the `rebuild`: the work of all clients together
    (`faults.figures.loads_in`)"""


class Wait(TypedDict):
    """A place in which a thread of the agent waited."""

    unix_s: float
    thread: str
    state: str
    """of proc_pid_stat(5)"""
    functions: list[str]
    """of the kernel, the innermost first"""


class ConsistencyResult(FindingsEntry):
    """The findings of one consistency test."""

    consistency_test: str


class Comparison(TypedDict):
    """The data that a stream wrote, compared with its operation logs."""

    blocks: int
    must: int
    may: int
    lost: int
    wrong: int
    names_checked: int
    names_wrong: int
    unfinished: list[str]
    extents: list[Extent]
    names: list[dict[str, Any]]
    unreadable_by: NotRequired[list[str]]


class ComparisonLine(Comparison):
    """The same as a line of the result, for a repeat of an experiment or a stream of a fault."""

    experiment: str
    point: dict[str, Any]
    repeat: int
    fault: NotRequired[str]


class CopyResult(TypedDict):
    """The findings on a copy by dd."""

    client: str
    checked_by: str
    parts: int
    size_bytes: int
    longest_s: float
    blocks: int
    extents: dict[str, Any]
    damage: list[Any]
    error: str | None
    unknown: str | None
