"""The result's line of one fault: the actions and their times, the interrupted clients, the
placement of the services, and the content of the tree.
"""

from dataclasses import MISSING, dataclass, field
from typing import Any, NamedTuple, Self

from seatrial.result.evidence import Evidence
from seatrial.result.extents import Extent
from seatrial.result.fault_parts import (
    ActionPart,
    Comparison,
    ConsistencyResult,
    CopyResult,
    Done,
    Expectations,
    Moment,
    PowerEvent,
    RebuildResult,
    RefusedWriting,
    Wait,
    Writing,
)
from seatrial.result.outages import Outage, longest_of
from seatrial.result.shortage import Interval, limited, limited_silence, read_intervals
from seatrial.study.timers import HANDSHAKES, PROCESSES

DID_NOTHING = "did nothing"
"""in place of an outage: a stream without an operation shows no outage, and nothing else either"""
HERE = ""
"""in `process_start_ms`: the machine that runs the lab, which is no node"""


class StreamInterval(NamedTuple):
    """The work that one stream of a client completed in an interval of about a second."""

    ended_unix_s: float
    length_s: float
    size_bytes: int
    operations: int

    @property
    def started_unix_s(self) -> float:
        """Its start on the same clock."""
        return self.ended_unix_s - self.length_s


@dataclass(frozen=True)
class StreamResult:
    """One stream of one client; times on the common clock."""

    client: str
    stream: str
    phase: str
    lost_power: bool
    """the fault cut this client's own power: its streams need no answer"""
    outages: tuple[Outage, ...]
    """those that ended after the injection"""
    first_completion_unix_s: float | None
    """when it got its first answer after the outage that the fault began, or after the injection if
    there was none"""
    seconds: tuple[StreamInterval, ...]
    """every interval that the agent reported"""
    operations: int
    errors: tuple[dict[str, Any], ...] = ()
    blocks_checked: int = 0
    damage: tuple[Extent, ...] = ()
    over_unix_s: float | None = None
    """when it had completed all of its work, if that was before the stop request"""
    lost: str | None = None
    waits: tuple[Wait, ...] = ()
    """where its threads waited while an outage was long"""
    recovered: bool | None = None
    """whether it got an answer after every outage; None for a client that lost its own power, or
    that reported no end. Results without it are judged by the outages that they keep."""

    @property
    def did_nothing(self) -> bool:
        """Whether it has no completed operation and no outage, and therefore shows nothing about
        the fault.
        """
        return not self.operations and not self.outages

    @property
    def longest(self) -> Outage | None:
        """Its longest outage; one without an end is longer than all others."""
        return longest_of(self.outages)

    @property
    def is_unrecovered(self) -> bool:
        """Whether an outage of it has no end: it never got an answer again."""
        return not self.lost_power and any(outage.open for outage in self.outages)

    @property
    def longest_s(self) -> float:
        """Its length in seconds; 0 where no outage was longer than the threshold."""
        return self.longest.length_s if self.longest else 0.0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of the result's entry."""
        known_fields = {
            key: value for key, value in data.items() if key in cls.__dataclass_fields__
        }
        tuples = {key: tuple(known_fields.get(key, ())) for key in ("errors", "damage", "waits")}
        outages = tuple(Outage.from_json(item) for item in known_fields.get("outages", ()))
        seconds = tuple(StreamInterval(*item[:4]) for item in known_fields.get("seconds", ()))
        return cls(**{**known_fields, **tuples, "outages": outages, "seconds": seconds})


def outage_words(fault: "FaultResult") -> str:
    """The longest outage of a fault in words; one without an end has no length."""
    lost = fault.unrecovered
    if lost is not None:
        return f"not recovered within {fault.watched_s(lost):.1f} s"
    idle = [item for item in fault.judged if item.did_nothing]
    if idle and len(idle) == len(fault.judged):
        return f"none, as every stream {DID_NOTHING}"
    words = f"{fault.longest_s:.1f} s" if fault.longest_s else "none above the threshold"
    names = ", ".join(f"{stream.client} {stream.stream}" for stream in idle)
    return f"{words}, but {names} {DID_NOTHING}" if idle else words


def copy_words(copied: CopyResult) -> str:
    """The findings on a copy by dd, in words: the number of bytes in each class."""
    if copied["unknown"] is not None:
        return str(copied["unknown"])
    extents = sorted(copied["extents"].items(), key=lambda item: item[0] != "valid")
    classes = ", ".join(
        f"{item['size_bytes'] / 1024:.0f} KiB {name} in {item['number']} extents"
        for name, item in extents
    )
    error = f"; dd failed: {copied['error']}" if copied["error"] else ""
    return f"{copied['parts']} copies by dd, {copied['blocks']} blocks: {classes}{error}"


@dataclass(frozen=True)
class DaemonLog:
    """The part of a daemon's log that the result keeps for a fault."""

    node: str
    source: str
    """the unit of systemd, or the path of the file on the node"""
    file: str
    """the file of the result"""
    is_cut: bool
    """the log is longer than a result keeps; the end of it was kept"""


@dataclass(frozen=True)
class PreparedRole:
    """A service that the run placed on another server before a fault that requires it; times of the
    common clock.
    """

    service: str
    before: str
    """the server that ran it; empty where none did"""
    after: str
    started_unix_s: float
    healthy_unix_s: float
    """when it ran there, and the solution was healthy"""


@dataclass(frozen=True)
class WorkCosts:
    """The cost of work on the servers under the load, before a fault."""

    process_start_ms: dict[str, float] = field(default_factory=dict)
    """by server: as in `FaultResult`"""
    handshake_ms: dict[str, float] = field(default_factory=dict)

    @property
    def work_ms(self) -> dict[str, float]:
        """The time in ms by kind of work that a limit allows (`seatrial.study.timers`), on the
        slowest server.
        """
        starts_ms = [cost_ms for node, cost_ms in self.process_start_ms.items() if node != HERE]
        costs_ms = {PROCESSES: starts_ms, HANDSHAKES: list(self.handshake_ms.values())}
        return {kind: max(costs) for kind, costs in costs_ms.items() if costs}

    def work_s(self, process_starts: int) -> float:
        """The time in seconds of `process_starts` consecutive process starts on that node; 0 where
        no start was measured.
        """
        return process_starts * self.work_ms.get(PROCESSES, 0.0) / 1000.0


@dataclass(frozen=True)
class FaultResult:
    """One fault. Where it was skipped, only its name and the reason mean anything."""

    name: str
    kind: str
    word: str
    title: str
    published: str | None
    expect: Expectations
    skipped: str | None = None
    failed: str | None = None
    """why it could not be completed"""
    duration_s: float = 0.0
    started_unix_s: float | None = None
    """the common start of the streams"""
    injected_unix_s: float | None = None
    """before the first action"""
    repaired_unix_s: float | None = None
    """after the last action that repaired it"""
    recovered_unix_s: float | None = None
    """when every stream got answers again and the solution was healthy; None when that did not
    happen in time"""
    ended_unix_s: float | None = None
    """when the streams were requested to stop"""
    roles_before: dict[str, str] = field(default_factory=dict)
    roles_after: dict[str, str] = field(default_factory=dict)
    moved: bool | None = None
    healthy: bool | None = None
    """None where the solution has no notion of it"""
    status: str | None = None
    """the final state, in the solution's words"""
    restarted: tuple[str, ...] = ()
    """nodes with another kernel than before"""
    actions: tuple[Done, ...] = ()
    moments: tuple[Moment, ...] = ()
    power: tuple[PowerEvent, ...] = ()
    writers: dict[str, list[Writing]] = field(default_factory=dict)
    """by server, the report of the array; the times are those of the counter readings"""
    refused: dict[str, list[RefusedWriting]] = field(default_factory=dict)
    """the same of writes that the array refused"""
    writers_watched: tuple[float, float] | None = None
    """from when to when the array was polled; None where polling was not possible"""
    writers_error_s: float = 0.0
    """the longest time between two looks, and the error of the array's clock"""
    storage_fenced: bool = False
    """fencing takes a server's right to write from it, at the array"""
    rebuild: RebuildResult = field(default_factory=RebuildResult)
    """of an array; empty without a rebuild"""
    streams: tuple[StreamResult, ...] = ()
    compared: dict[str, Comparison] = field(default_factory=dict)
    """by stream: the figures of its comparison with the operation logs"""
    consistency: dict[str, ConsistencyResult] = field(default_factory=dict)
    """by stream: the findings of a consistency test"""
    copies: dict[str, CopyResult] = field(default_factory=dict)
    """by stream that is a copy by dd: the findings of another client"""
    not_compared: str | None = None
    notes: tuple[str, ...] = ()
    cpus_busy_share: float | None = None
    shortage: tuple[Interval, ...] = ()
    """every second of the lab machine's processors; none on real hosts and in older results"""
    process_start_ms: dict[str, float] = field(default_factory=dict)
    """by server: the time of a process under the load, before the fault, from its start to its end;
    the empty name is this machine"""
    handshake_ms: dict[str, float] = field(default_factory=dict)
    """by server: the time of a new ssh connection under the load, before the fault"""
    processes_started: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """by server: (unix time of its end, processes and threads) of every second"""
    clock_error_s: float = 0.0
    kernel_messages: str | None = None
    """the result's file of the kernel messages during the fault"""
    daemon_logs: tuple[DaemonLog, ...] = ()
    """the daemons' lines from shortly before the injection on; a log without a new line is
    left out"""
    logs_not_read: tuple[str, ...] = ()
    """the nodes without a readable log"""
    prepared: tuple[PreparedRole, ...] = ()
    """the services that were placed elsewhere before the streams began"""
    evidence: tuple[Evidence, ...] | None = None
    """for each injected action, the evidence of its intended effect; None in older results"""

    @property
    def injections(self) -> list[Done]:
        """The actions that injected it."""
        return [action for action in self.actions if action["part"] == ActionPart.INJECT]

    @property
    def repairs(self) -> list[Done]:
        """The actions that repaired it."""
        return [action for action in self.actions if action["part"] == ActionPart.REPAIR]

    @property
    def work_ms(self) -> dict[str, float]:
        """The time in ms by kind of work, as in `WorkCosts`."""
        return WorkCosts(self.process_start_ms, self.handshake_ms).work_ms

    def work_s(self, process_starts: int) -> float:
        """The time in seconds of this many process starts, as in `WorkCosts`."""
        return WorkCosts(self.process_start_ms, self.handshake_ms).work_s(process_starts)

    @property
    def controls(self) -> tuple[str, ...]:
        """The checks that must detect it: it is a negative control, and fails no other
        criterion.
        """
        return tuple(self.expect.get("detected_by") or ())

    @property
    def in_lab(self) -> bool:
        """Whether one machine's processors ran all nodes: they were monitored, which is not done on
        real hosts.
        """
        return self.cpus_busy_share is not None

    @property
    def rebuild_s(self) -> float | None:
        """The duration of an array's rebuild in seconds; None without a rebuild, or where it did
        not end in time.
        """
        if not self.rebuild.get("ended"):
            return None
        return float(self.rebuild["until_unix_s"] - self.rebuild["begun_unix_s"])

    @property
    def judged(self) -> list[StreamResult]:
        """The streams of clients that kept their own power."""
        return [item for item in self.streams if not item.lost_power]

    @property
    def unrecovered(self) -> StreamResult | None:
        """The stream with the longest outage among those that never got an answer again; None where
        all did.

        Where the fault could not be completed, the run did not wait for a recovery.
        """
        if self.failed is not None:
            return None
        lost = [item for item in self.judged if item.is_unrecovered]
        return max(lost, key=self.watched_s, default=None)

    def watched_s(self, item: StreamResult) -> float:
        """The time in seconds for which a stream was monitored from the start of its longest
        outage, at least as long as that lasted.
        """
        if item.longest is None:
            return 0.0
        until_s = max(self.ended_unix_s or 0.0, item.longest.end_unix_s)
        return until_s - item.longest.start_unix_s

    def limited(
        self, excess_s: float | None = None, until_unix_s: float | None = None
    ) -> str | None:
        """Why a late or wrongly ordered event may come from the lab machine's processors; None
        where not.

        From the injection to `until_unix_s`, by default the end; `excess_s` as of
        `seatrial.result.shortage.limited`.
        """
        from_s = self.injected_unix_s or self.started_unix_s
        until_s = until_unix_s or self.ended_unix_s
        if from_s is None or until_s is None:
            return None
        return limited(self.shortage, from_s, until_s, excess_s)

    def limited_silence(self) -> str | None:
        """Why the outages that did not end may come from the lab machine's processors.

        None where one of them does not, or where all streams recovered. The words are those of the
        stream that was monitored longest.
        """
        lost = [item for item in self.judged if item.is_unrecovered]
        reasons = []
        for item in sorted(lost, key=self.watched_s, reverse=True):
            from_s = item.longest.start_unix_s if item.longest else 0.0
            until_s = from_s + self.watched_s(item)
            reasons.append(limited_silence(self.shortage, from_s, until_s))
        return reasons[0] if reasons and None not in reasons else None

    @property
    def longest(self) -> StreamResult | None:
        """The stream with the longest outage; one that never got an answer again has precedence."""
        return self.unrecovered or max(self.judged, key=lambda item: item.longest_s, default=None)

    @property
    def longest_s(self) -> float:
        """The longest outage of any client, in seconds; for one without an end, the time of its
        monitoring.
        """
        if self.unrecovered is not None:
            return self.watched_s(self.unrecovered)
        return self.longest.longest_s if self.longest else 0.0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """From the result's line. Fields that an older result lacks are left out; so are those with
        null.
        """
        known_fields = {
            name: data[name]
            for name, definition in cls.__dataclass_fields__.items()
            if name in data and (data[name] is not None or definition.default_factory is MISSING)
        }
        plain = ("restarted", "actions", "moments", "power", "notes", "logs_not_read")
        tuples = {key: tuple(known_fields.get(key, ())) for key in plain}
        tuples["daemon_logs"] = tuple(
            DaemonLog(**item) for item in known_fields.get("daemon_logs", ())
        )
        tuples["prepared"] = tuple(
            PreparedRole(**item) for item in known_fields.get("prepared", ())
        )
        evidence = known_fields.get("evidence")
        streams = tuple(StreamResult.from_json(item) for item in known_fields.get("streams", ()))
        watched = known_fields.get("writers_watched")
        more: dict[str, Any] = {
            "streams": streams,
            "writers_watched": tuple(watched) if watched else None,
            "shortage": read_intervals(known_fields.get("shortage") or ()),
        }
        if evidence is not None:
            more["evidence"] = tuple(Evidence.from_json(item) for item in evidence)
        return cls(**{**known_fields, **tuples, **more})
