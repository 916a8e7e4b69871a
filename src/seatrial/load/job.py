"""The job of an agent: one line of JSON, as `Job` in crates/job/src/job.rs reads it.

Fields and defaults are those of the agent, and docs/agent.md describes each one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import ClassVar, Protocol

from pydantic import JsonValue

PROTOCOL = 3
"""version of the conversation; the agent refuses any other one"""


class AgentJob(Protocol):
    """A job of any command of the agent."""

    def line(self) -> str:
        """The job as one line of JSON."""


@dataclass(frozen=True)
class MixedPhase:
    """A phase that reads and writes the same files."""

    word: ClassVar[str] = "mixed"
    read_percent: float


@dataclass(frozen=True)
class FindPhase:
    """A phase that lists directories and asks for the size of each matching file."""

    word: ClassVar[str] = "find"
    name_pattern: str


@dataclass(frozen=True)
class CopySize:
    """Files of one size, for each task."""

    file_bytes: int
    files: int


@dataclass(frozen=True)
class CopyPhase:
    """A phase that copies files to the storage, or from it."""

    word: ClassVar[str] = "copy"
    direction: str
    sizes: tuple[CopySize, ...]
    local_directory: str
    discard: int


@dataclass(frozen=True)
class Segmented:
    """One file for all ranks; each has one contiguous part."""

    word: ClassVar[str] = "n-1-segmented"
    first_rank: int
    ranks: int


@dataclass(frozen=True)
class Interleaved:
    """One file for all ranks, which take turns."""

    word: ClassVar[str] = "n-1-interleaved"
    first_rank: int
    ranks: int
    chunk_bytes: int


@dataclass(frozen=True)
class NumberedPattern:
    """A pattern that has numbers, by the agent's name of each."""

    word: str
    numbers: Mapping[str, int]


@dataclass(frozen=True)
class Directories:
    """The directories and items of a metadata phase."""

    items_per_directory: int
    depth: int
    branching: int
    renamed: bool = False
    """whether an earlier phase renamed the files"""
    directories: bool = False
    """whether the items are directories"""


@dataclass(frozen=True, kw_only=True)
class LoadJob:
    """The work of one agent in one phase."""

    protocol: int = PROTOCOL
    run_id: str
    client: str
    client_index: int
    tasks: int
    phase: str | MixedPhase | FindPhase | CopyPhase
    pattern: str | NumberedPattern = "sequential"
    layout: str | Segmented | Interleaved = "n-n"
    transfer_bytes: int
    file_bytes: int = 0
    directory: str
    files: tuple[str, ...]
    writer_client_indexes: tuple[int, ...]
    direct: bool = False
    fsync: str
    close_in_timing: bool
    generation: int
    generation_from: int | None = None
    seed: int
    verify: bool
    log: str | None
    log_sync: bool
    time_limit_s: float | None
    time_based: bool
    warm_up_s: float | None = None
    window_s: float | None = None
    block_bytes: int | None
    o_sync: bool = False
    hints: tuple[str, ...] = ()
    hint_ahead_transfers: int = 0
    outage_threshold_s: float = 1.0
    arrivals_per_s: float | None
    queue_depth: int = 1
    go_on_after: tuple[str, ...] = ()
    engine: str = "auto"
    seconds: bool = True
    tree: Directories | None = None

    def line(self) -> str:
        """The job as one line of JSON."""
        return job_line(self)


def job_line(job: object) -> str:
    """A dataclass as one line of JSON, in the representation of serde.

    A value that has a `word` is a variant of an enumeration: an object with this word as its only
    key.
    """
    return json.dumps(_json(job))


def _json(value: object) -> JsonValue:
    if isinstance(value, NumberedPattern):
        return {value.word: dict(value.numbers)}
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        members = {item.name: _json(getattr(value, item.name)) for item in fields(value)}
        word = getattr(value, "word", None)
        return members if word is None else {word: members}
    assert value is None or isinstance(value, bool | int | float | str)
    return value
