"""The live file of a run, `live.jsonl`: the current load, second by second, for `seatrial watch`.

The lines of agents are in the result only when a phase has ended. The live file has one line per
second for all clients while the run is in progress. The run removes it at its end; no verdict and
no seal depends on it. A full disk ends the live file, never the run.

The writer holds a lock (`flock(2)`) on the file. The kernel releases the lock when the process
ends, so a reader can distinguish a running run from a killed one.
"""

import contextlib
import fcntl
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from seatrial.basics.clock import unix_s
from seatrial.basics.finite import json_text

LIVE = "live.jsonl"
LIVE_BYTES_MAX = 8 * 2**20
"""at this size in bytes the file is replaced by a new one, which begins with the current state"""
LOAD = "live-load"
SECOND = "live-second"
LOAD_ENDED = "live-load-ended"
FAULT = "live-fault"
MESSAGE = "live-message"
EXPECTED = "live-expected"


class AgentState(StrEnum):
    """The state of one client's agent."""

    WAITING = "waiting"
    """it opens its files, or waits for the common start"""
    RUNNING = "running"
    DONE = "done"
    LOST = "lost"


@dataclass(frozen=True)
class LiveAgent:
    """One agent of a load: a client, and one of its workload streams."""

    client: str
    stream: str = ""


@dataclass(frozen=True)
class LiveLoad:
    """A load that begins: one phase of an experiment, or the workload streams of a fault."""

    title: str
    agents: tuple[LiveAgent, ...]
    experiment: str | None = None
    point: dict[str, Any] = field(default_factory=dict)
    repeat: int | None = None
    phase: str | None = None
    fault: str | None = None
    total_bytes: int = 0
    """bytes of all clients together; 0 where unknown"""
    total_operations: int = 0
    """metadata operations of all clients together; 0 where bytes count"""
    time_limit_s: float | None = None
    """of a load that ends after a time"""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of the line; TypeError or KeyError where it is another line."""
        known_fields = {
            key: value for key, value in data.items() if key in cls.__dataclass_fields__
        }
        agents = tuple(LiveAgent(item["client"], item["stream"]) for item in known_fields["agents"])
        return cls(**{**known_fields, "agents": agents})


@dataclass(frozen=True)
class AgentSecond:
    """One agent in one second; in the line it is a list of these values in this order."""

    state: AgentState
    operations_total: int
    errors_total: int
    size_bytes: int
    """bytes since the line before"""
    operations: int
    """operations since the line before"""
    interval_ms: float
    """the time that the agent has reported for both; 0: it reported nothing"""
    latency_max_ms: float
    silent_s: float
    """time without a completed operation while one is due; 0 where the storage answers"""

    @classmethod
    def from_json(cls, values: list[Any]) -> Self:
        """The inverse of the list; TypeError or ValueError where it is another list."""
        state, *numbers = values
        if not all(isinstance(number, int | float) for number in numbers):
            raise TypeError("a figure of an agent is no number")
        return cls(AgentState(state), *numbers)


_VALUES = attrgetter(*(item.name for item in fields(AgentSecond)))
"""the values in the order of the fields; `astuple` copies them, which takes ten times as long"""


@dataclass(frozen=True)
class LiveSecond:
    """All agents of the current load in one second, in the order of its `LiveLoad`."""

    size_bytes_total: int
    operations_total: int
    agents: tuple[AgentSecond, ...]
    lost: dict[int, str] = field(default_factory=dict)
    """number of an agent -> why it is lost"""
    histograms: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """number of an agent -> histograms of the latencies that it has reported"""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of the line; KeyError, TypeError or ValueError where it is another line."""
        return cls(
            size_bytes_total=int(data["size_bytes_total"]),
            operations_total=int(data["operations_total"]),
            agents=tuple(AgentSecond.from_json(item) for item in data["agents"]),
            lost={int(number): str(reason) for number, reason in data["lost"].items()},
            histograms={int(number): tuple(texts) for number, texts in data["histograms"].items()},
        )

    def to_json(self) -> dict[str, Any]:
        """The fields of its line."""
        return {
            "size_bytes_total": self.size_bytes_total,
            "operations_total": self.operations_total,
            "agents": [_VALUES(item) for item in self.agents],
            "lost": self.lost,
            "histograms": self.histograms,
        }


@dataclass(frozen=True)
class LiveFault:
    """The current fault, as far as it has come; its line in the result follows when it has
    ended.
    """

    name: str
    title: str
    injected_unix_s: float | None = None
    repaired_unix_s: float | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of the line; KeyError or TypeError where it is another line."""
        injected_s = data["injected_unix_s"]
        repaired_s = data["repaired_unix_s"]
        return cls(str(data["name"]), str(data["title"]), injected_s, repaired_s)


class LiveFile:
    """Appends to the live file; no method raises an error of the file system."""

    def __init__(self, folder: Path, bytes_max: int = LIVE_BYTES_MAX) -> None:
        """Create the file in the folder of a result; one of a killed run is replaced."""
        self._path = folder / LIVE
        self._bytes_max = bytes_max
        self._write_lock = threading.Lock()
        self._state: dict[str, bytes] = {}
        self._file: int | None = None
        self._size_bytes = 0
        self._begin()

    def load(self, load: LiveLoad) -> None:
        """A load begins."""
        self._line(LOAD, asdict(load), is_state=True)

    def second(self, second: LiveSecond) -> None:
        """One second of the current load."""
        self._line(SECOND, second.to_json())

    def load_ended(self) -> None:
        """The current load has ended; its line in the result follows."""
        self._state.pop(LOAD, None)
        self._line(LOAD_ENDED, {})

    def fault(self, fault: LiveFault) -> None:
        """The current fault has begun, was injected, or was repaired."""
        self._line(FAULT, asdict(fault), is_state=True)

    def message(self, text: str) -> None:
        """A message of the run."""
        self._line(MESSAGE, {"text": text}, is_state=True)

    def expected(self, remaining_s: float) -> None:
        """The expected remaining time of the run in s."""
        self._line(EXPECTED, {"remaining_s": remaining_s}, is_state=True)

    def close(self) -> None:
        """Remove the file; later lines have no effect."""
        with self._write_lock, contextlib.suppress(OSError):
            if self._file is not None:
                self._path.unlink(missing_ok=True)
                self._end()

    def _line(self, kind: str, fields: Mapping[str, Any], *, is_state: bool = False) -> None:
        """Append a line; `is_state`: a new file begins with the last one of its kind."""
        data = {"type": kind, "unix_s": round(unix_s(), 3), **fields}
        line = json_text(data, separators=(",", ":"), default=str).encode() + b"\n"
        with self._write_lock:
            if is_state:
                self._state[kind] = line
            if self._file is None:
                return
            if self._size_bytes + len(line) > self._bytes_max:
                self._begin()
                if is_state:
                    return
            self._append(line)

    def _begin(self) -> None:
        """Put a new file in the place of the current one, locked before it has its name."""
        new = self._path.with_name(f"{LIVE}.new")
        self._end()
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW
            self._file = os.open(new, flags, 0o600)
            with contextlib.suppress(OSError):  # some file systems have no locks
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size_bytes = 0
            self._append(b"".join(self._state.values()))
            new.replace(self._path)
        except OSError:
            self._end()

    def _append(self, data: bytes) -> None:
        """Append; after an error of the disk nothing more is appended."""
        if self._file is None:
            return
        try:
            rest = data
            while rest:
                rest = rest[os.write(self._file, rest) :]
            self._size_bytes += len(data)
        except OSError:
            self._end()

    def _end(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def is_running(folder: Path) -> bool:
    """Whether a run writes to this result now: its live file exists and is locked.

    Also true where the file system has no locks, because the run removes the file at its end.
    """
    try:
        file = os.open(folder / LIVE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False
