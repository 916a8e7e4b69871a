"""The state of a run at one moment, as every view shows it."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from seatrial.basics.finite import only_finite


class RunStatus(StrEnum):
    """Whether a run is in progress, and how it ended."""

    RUNNING = "running"
    COMPLETED = "completed"
    NOT_COMPLETED = "not completed"
    """it has an end, with a reason"""
    INTERRUPTED = "interrupted"
    """a signal ended it"""
    KILLED = "killed"
    """it has no end, and no process writes to it"""


class ClientState(StrEnum):
    """The state of one client in the current load."""

    WAITING = "waiting"
    """its agent opens files, or waits for the common start"""
    RUNNING = "running"
    SILENT = "silent"
    """no operation was completed although one is due, or its agent sends nothing"""
    LOST = "lost"
    """its agent is missing, and the run continues without it"""
    DONE = "done"


class FaultState(StrEnum):
    """How far a fault has come."""

    BEGUN = "begun"
    """its workload streams are prepared or run; nothing is broken yet"""
    INJECTED = "injected"
    REPAIRED = "repaired"
    """the run waits until the storage is healthy, and compares the data"""
    RECOVERED = "recovered"
    NOT_RECOVERED = "not recovered"
    FAILED = "failed"
    """it could not be completed"""
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Count:
    """A number of planned steps, and those that are done."""

    done: int
    planned: int


@dataclass(frozen=True)
class ClientView:
    """One client, or one of its workload streams; rates are those of the last seconds."""

    client: str
    stream: str
    state: ClientState
    silent_s: float
    rate_bytes_per_s: float
    operations_per_s: float
    operations: int
    """since the load began"""
    errors: int
    latency_p50_ms: float | None
    latency_p99_ms: float | None
    latency_max_ms: float | None
    lost: str | None
    """why it is lost"""

    @property
    def name(self) -> str:
        """Client and stream."""
        return f"{self.client} {self.stream}".rstrip()


@dataclass(frozen=True)
class FaultView:
    """One fault of the run that has begun."""

    name: str
    title: str
    state: FaultState
    injected_unix_s: float | None
    repaired_unix_s: float | None
    outage_s: float | None
    """the longest time in s in which a client got no answer, so far; None before the injection"""
    reason: str | None = None
    """why it failed or was skipped"""


@dataclass(frozen=True)
class LoadView:
    """The current load, or the last one where none runs."""

    title: str
    experiment: str | None
    point: dict[str, Any]
    repeat: int | None
    phase: str | None
    fault: str | None
    is_running: bool
    share: float | None
    """completed share, 0 to 1; None where it is unknown"""
    rate_bytes_per_s: float
    operations_per_s: float


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment."""

    result: str
    """the folder"""
    study: str
    title: str
    profile: str
    status: RunStatus
    began_unix_s: float | None
    elapsed_s: float
    remaining_s: float | None
    """expected; None where it is unknown"""
    message: str
    """the newest message of the run"""
    phases: Count
    searches: Count
    """searches for a saturation rate; their number of phases is not known before"""
    faults_done: Count
    load: LoadView | None
    clients: tuple[ClientView, ...]
    """the silent ones first, then the lost ones, the slowest, those that wait, and those done"""
    faults: tuple[FaultView, ...]
    unreadable_lines: int
    reason: str | None = None
    """why the run did not complete"""
    verdict: str | None = None
    """the meaning of the verdicts, once the run has ended"""
    silent: tuple[str, ...] = field(default=())
    """the clients that are silent"""

    @property
    def is_running(self) -> bool:
        """Whether the run is under way."""
        return self.status is RunStatus.RUNNING

    def to_json(self) -> dict[str, Any]:
        """An object for programs; a figure that is not finite is null."""
        data: dict[str, Any] = only_finite(asdict(self))
        return data
