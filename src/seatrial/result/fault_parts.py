"""The entries of a fault's line in the result that stay mappings: their keys, and the types of
their values.

All times are seconds of the common clock, unless a key has another clock in its name.
"""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from seatrial.analysis.histories import FindingsEntry


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
    unfinished: list[Any]
    extents: list[Any]
    names: list[Any]
    unreadable_by: NotRequired[list[str]]


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
