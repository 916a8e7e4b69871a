"""The lines that an agent prints during a job, as crates/agent/src/events.rs writes them.

docs/agent.md describes each field. Times have the clock of the agent's node.
"""

from typing import NotRequired

from typing_extensions import TypedDict

from seatrial.result.extents import Extent


class StalledTask(TypedDict):
    """A task that waits for the storage."""

    task: int
    file: str
    since_boottime_ns: int
    stalled_ns: int


class StalledTasks(TypedDict):
    """The lines `preparing`, `stall` and `abandoned`."""

    event: str
    boottime_ns: int
    tasks: list[StalledTask]


class SecondLine(TypedDict):
    """The work of one second, and the telemetry of the node."""

    event: str
    second: int
    boottime_ns: int
    interval_ns: int
    bytes: int
    operations: int
    errors: int
    latency_ns_max: int
    telemetry: NotRequired[dict[str, float | None]]


class LatenciesLine(TypedDict):
    """The completions of one second since the common start, and their latencies."""

    event: str
    second: int
    bytes: int
    operations: int
    histograms: dict[str, str]
    """kind of operation -> encoded histogram"""


class WaitingThread(TypedDict):
    """A thread of the agent that waits in the kernel."""

    name: str
    state: str
    functions: list[str]


class WaitingLine(TypedDict):
    """The threads that wait in the kernel."""

    event: str
    boottime_ns: int
    threads: list[WaitingThread]


class LatencySummary(TypedDict):
    """The latencies of one kind of operation."""

    count: int
    min_ns: int
    mean_ns: float
    p50_ns: int
    p90_ns: int
    p99_ns: int
    p999_ns: int
    max_ns: int
    histogram: str


class TaskReport(TypedDict):
    """The work of one task."""

    task: int
    file: str
    first_operation_boottime_ns: int | None
    last_operation_boottime_ns: int | None
    elapsed_ns: int
    fsync_ns: int
    close_ns: int
    bytes: int
    operations: int
    rate_bytes_per_s: float
    complete: bool


class StonewallReport(TypedDict):
    """The work of all tasks until the first of them ended."""

    task: int
    complete: bool
    elapsed_ns: int
    bytes: int
    operations: int
    rate_bytes_per_s: float


class SteadyReport(TypedDict):
    """The work in the steady window; without rates where the window is empty."""

    from_boottime_ns: int
    to_boottime_ns: int
    bytes: int
    operations: int
    rate_bytes_per_s: float | None
    operations_per_s: float | None
    latency: dict[str, LatencySummary]


class OutageReport(TypedDict):
    """A time without a completion: of one task, or of all tasks of the client."""

    task: NotRequired[int]
    start_boottime_ns: int
    end_boottime_ns: int
    open: bool
    flush: bool


class ErrorReport(TypedDict):
    """An error of an operation, and how often it occurred."""

    operation: str
    errno: int
    name: str
    text: str
    file: str
    offset: int
    count: int


class Verification(TypedDict):
    """The result of the verification."""

    blocks_checked: int
    blocks_damaged: int
    extents: list[Extent]
    extents_omitted: int


class CopyReport(TypedDict):
    """The copies of files of one size."""

    file_bytes: int
    files: int
    mean_s: float | None
    deviation_s: float | None
    min_s: float | None
    max_s: float | None
    rate_bytes_per_s: float | None
    discarded_s: list[float]


class CpuTime(TypedDict):
    """The processor time of the agent."""

    user_s: float
    system_s: float


class DoneLine(TypedDict, total=False):
    """The last line of an agent; a consistency test has only a part of the fields."""

    event: str
    protocol: int
    run_id: str
    client: str
    client_index: int
    phase: str
    requested_start_boottime_ns: int
    start_late_ns: int
    start_boottime_ns: int
    end_boottime_ns: int
    elapsed_ns: int
    bytes: int
    operations: int
    unserved: int
    rate_bytes_per_s: float
    complete: bool
    stopped_by: str | None
    engine: str
    stonewall: StonewallReport
    steady: SteadyReport
    tasks: list[TaskReport]
    latency: dict[str, LatencySummary]
    seconds_omitted: int
    copy: list[CopyReport]
    outages: list[OutageReport]
    outages_omitted: int
    client_outages: list[OutageReport]
    verification: Verification
    errors: list[ErrorReport]
    log_error: str | None
    cpu: CpuTime
    null_operations_per_s: float | None
