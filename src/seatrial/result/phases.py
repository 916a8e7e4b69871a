"""The result's lines of a phase: the work of each client, and of all clients together."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple, Self

from typing_extensions import TypedDict

from seatrial.analysis.aggregates import TaskTime
from seatrial.result.extents import Extent
from seatrial.result.outages import ClientOutage
from seatrial.study.points import phase_text

DISTURBED_SHARE = 0.2
"""of a phase, in which some process on the lab machine waited for a processor"""
LAB_BUSY_SHARE_MAX = 0.8
"""share of the lab machine's processors; above it they limit a phase, and no published claim may
use it"""
CLIENT_BUSY_SHARE = 0.9
"""above this share of a client's own processors, they may be the limit, which the report states"""


class ClientSecond(NamedTuple):
    """The work that one client completed in a second."""

    ended_unix_s: float
    size_bytes: int
    operations: int


class SteadyState(TypedDict):
    """The common window of all clients after the warm-up."""

    rate_bytes_per_s: float
    operations_per_s: float
    from_unix_s: float
    to_unix_s: float
    latency_ms: dict[str, dict[str, float]]


@dataclass(frozen=True)
class ClientResult:
    """The report of one client's agent on one phase; times on the common clock."""

    client: str
    size_bytes: int
    operations: int
    elapsed_s: float
    tasks: tuple[TaskTime, ...]
    """the time of each is from the common start to its end"""
    start_late_s: float
    latency_ms: dict[str, dict[str, float]]
    """by operation: count, min, mean, p50, p90, p99, p999, max"""
    seconds: tuple[ClientSecond, ...]
    blocks_checked: int
    damage: tuple[Extent, ...]
    errors: tuple[dict[str, Any], ...]
    cpu_s: float
    lost: str | None = None
    """why the agent is missing or incomplete, if it is"""
    engine: str | None = None
    """how operations reached the kernel"""
    null_operations_per_s: float | None = None
    """the engine's own cost: the rate of one task of this job there when the storage takes
    no time"""
    telemetry: tuple[dict[str, Any], ...] = ()
    """processors, memory and network of the client, second by second"""
    outages: tuple[ClientOutage, ...] = ()
    flushes: tuple[ClientOutage, ...] = ()
    """the same for the fsync or the close after the last operation, where that took longer than the
    threshold"""
    copies: tuple[dict[str, Any], ...] = ()
    """for phases that copy: the figures of each file size"""
    log_error: str | None = None
    unserved: int = 0
    """operations of an open loop that were due before the end and never began: no latency includes
    them"""
    kind: str = ""
    """of client, where a solution may have more than one kind"""

    @property
    def rate_bytes_per_s(self) -> float:
        """Its own rate over its own time."""
        return self.size_bytes / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def operations_per_s(self) -> float:
        """Its own operations over its own time."""
        return self.operations / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of the result's entry; fields that an older result lacks are left out
        or 0.
        """
        known_fields = {
            key: value for key, value in data.items() if key in cls.__dataclass_fields__
        }
        tuples = {
            key: tuple(known_fields.get(key, ()))
            for key in ("damage", "errors", "telemetry", "copies")
        }
        waits = {
            key: tuple(ClientOutage.from_json(item) for item in known_fields.get(key, ()))
            for key in ("outages", "flushes")
        }
        tasks = tuple(TaskTime(*item[:3]) for item in known_fields["tasks"])
        seconds = tuple(ClientSecond(*(*item, 0)[:3]) for item in known_fields["seconds"])
        return cls(**{**known_fields, **tuples, **waits, "tasks": tasks, "seconds": seconds})


@dataclass(frozen=True)
class Second:
    """One second after the common start: the operations that all clients completed in it."""

    second: int
    size_bytes: int
    operations: int
    latency_ms: dict[str, float]
    """of the operations that ended in it, all clients' histograms merged"""
    latency_by_operation_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    """the same for each kind of operation, and for other timed intervals; empty in older results"""


@dataclass(frozen=True)
class BusyClient:
    """A client with busy processors."""

    client: str
    share: float
    """of the time in which its processors were busy"""


@dataclass(frozen=True)
class PhaseResult:
    """One phase of one repeat of one point."""

    experiment: str
    point: dict[str, Any]
    """the variable and its value: {"clients": 4}"""
    repeat: int
    phase: str
    started_unix_s: float
    clients: tuple[ClientResult, ...]
    natural_bytes_per_s: float
    harmonic_mean_bytes_per_s: float
    harmonic_aggregate_bytes_per_s: float
    fairness: float
    operations_per_s: float
    cpus_busy_share: float | None
    """how busy the lab machine's processors were; None on real hosts"""
    lab_limited: bool
    """no published claim may use it: the lab machine, not the modelled hardware, was the
    bottleneck"""
    bottleneck: str | None
    predicted_bytes_per_s: float | None
    bound: str | None
    bound_bytes_per_s: float | None
    clock_error_s: float
    partial: bool
    """some client's part is missing"""
    cached: str | None = None
    """the caches that may have answered the reads, because they could not be emptied; None where no
    cache can"""
    out_of_caches: str | None = None
    """the caches that answered the reads, although all had been emptied: by the byte counters of
    every node"""
    first_done_s: float | None = None
    last_done_s: float | None = None
    stonewalled_bytes_per_s: float | None = None
    """all tasks' bytes until the first of them had finished, over that time; None where it is not
    known well"""
    stonewalled_operations_per_s: float | None = None
    latency_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    """of all clients together, by operation, from merged histograms"""
    histograms: dict[str, str] = field(default_factory=dict)
    """those histograms: base64 of HdrHistogram V2, nanoseconds"""
    seconds: tuple[Second, ...] = ()
    layers: tuple[tuple[str, float], ...] = ()
    """every resource of the data path, and its throughput, in bytes/s; none in older results"""
    steady: SteadyState | None = None
    """the steady state, where the workload requires one"""
    servers: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    """processors, memory, network and disks of every server, second by second"""
    arrays: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    """the same for the arrays that the servers use: their disks hold the data that the servers pass
    on"""
    cpus_short_share: float | None = None
    """the share of the time in which some process on the lab machine waited for a processor; None
    on real hosts and in older results"""

    @property
    def title(self) -> str:
        """The experiment, the point, the repeat and the phase: `fig7 clients=4 repeat 2 read`."""
        return phase_text(self.experiment, self.point, f"repeat {self.repeat}", self.phase)

    @property
    def disturbed(self) -> bool:
        """The lab machine was short of processors for a part of it: different repeats then show
        nothing about the storage.
        """
        return self.lab_limited or (self.cpus_short_share or 0.0) > DISTURBED_SHARE

    @property
    def is_comparable(self) -> bool:
        """It is valid for a comparison: the part of every client is present, the storage answered,
        and the lab machine did not limit it.
        """
        return not (self.partial or self.lab_limited or self.out_of_caches)

    @property
    def busy_client(self) -> BusyClient | None:
        """The client with the busiest processors; None in a lab, or where no client was that busy.

        Such a client may be the limit, instead of the storage.
        """
        if self.in_lab:
            return None
        busy = []
        for client in self.clients:
            busy_shares = [
                line["cpus_busy_share"]
                for line in client.telemetry
                if line.get("cpus_busy_share") is not None
            ]
            if busy_shares:
                busy.append(BusyClient(client.client, fmean(busy_shares)))
        busiest = max(busy, key=lambda client: client.share, default=None)
        if busiest is None or busiest.share < CLIENT_BUSY_SHARE:
            return None
        return busiest

    @property
    def in_lab(self) -> bool:
        """Whether one machine's processors ran all nodes: they were monitored, which is not done on
        real hosts.
        """
        return self.lab_limited or self.cpus_busy_share is not None

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why it may not be compared, in words; none where it may."""
        doubts_by_flag = (
            (self.lab_limited, "limited by the lab's CPUs"),
            (self.partial, "partial"),
            (self.out_of_caches, "out of caches"),
        )
        return tuple(text for applies, text in doubts_by_flag if applies)

    @property
    def efficiency(self) -> float:
        """The rate as a share of the rate of the slowest link or port on its path; 0 where none is
        known.
        """
        return self.natural_bytes_per_s / self.bound_bytes_per_s if self.bound_bytes_per_s else 0.0

    @property
    def kinds_bytes_per_s(self) -> dict[str, float]:
        """By kind of client, the bytes of that kind over the time of their longest task, in
        bytes/s; none of an unknown kind.
        """
        by_kind: dict[str, list[TaskTime]] = {}
        for client in self.clients:
            if client.kind and client.tasks:
                by_kind.setdefault(client.kind, []).extend(client.tasks)
        rates = {}
        for kind, tasks in by_kind.items():
            longest_s = max(task.elapsed_s for task in tasks)
            if longest_s > 0:
                rates[kind] = sum(task.size_bytes for task in tasks) / longest_s
        return rates

    @property
    def outages(self) -> list[ClientOutage]:
        """All clients' outages, by their start."""
        return sorted(
            (item for client in self.clients for item in client.outages),
            key=lambda outage: outage.start_unix_s,
        )

    @property
    def unserved(self) -> int:
        """Operations of an open loop that never began before the end, of all clients."""
        return sum(client.unserved for client in self.clients)

    @property
    def copy_rates_bytes_per_s(self) -> dict[int, float]:
        """The copy rates of a phase, by file size: the size over the mean time of a file, in
        bytes/s, for all tasks together.
        """
        files: Counter[int] = Counter()
        times_s: defaultdict[int, float] = defaultdict(float)
        copies = [copy for client in self.clients for copy in client.copies]
        for copy in copies:
            if copy["files"] and copy["mean_s"]:
                files[copy["file_bytes"]] += copy["files"]
                times_s[copy["file_bytes"]] += copy["files"] * copy["mean_s"]
        return {size: size * files[size] / times_s[size] for size in sorted(files)}

    @property
    def copy_rate_bytes_per_s(self) -> float:
        """The mean over the file sizes of those rates, of one transfer, in bytes/s; 0 without a
        copy.
        """
        rates = self.copy_rates_bytes_per_s.values()
        return sum(rates) / len(rates) if rates else 0.0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of the result's line."""
        clients = tuple(ClientResult.from_json(client) for client in data["clients"])
        seconds = tuple(Second(**item) for item in data.get("seconds", ()))
        servers = {name: tuple(lines) for name, lines in data.get("servers", {}).items()}
        layers = tuple((str(name), float(rate)) for name, rate in data.get("layers", ()))
        known_fields = {
            key: value for key, value in data.items() if key in cls.__dataclass_fields__
        }
        return cls(
            **{
                **known_fields,
                "clients": clients,
                "seconds": seconds,
                "servers": servers,
                "layers": layers,
            }
        )


def doubts_of(phases: Iterable[PhaseResult]) -> str:
    """Why some of them may not be compared: `partial or out of caches`; empty where all may."""
    return " or ".join(dict.fromkeys(text for phase in phases for text in phase.doubts))
