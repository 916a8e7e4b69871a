"""The record of one run: a folder that is only ever appended to, and readable after any crash.

`record.jsonl` holds one JSON object a line, each written by one write(2): a crash can cut the last line off and
nothing else, and the reader says so. Beside it lie `study.yaml` and `published.yaml` as they were, `scripts/`,
`console/` and `agent/` (every line that every agent said). `verdicts.json` and `report.html` are derived and can
be made again from the rest at any time. docs/record-format.md describes the lines.
"""

import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import InputError

SCHEMA = "record/1"
LINES = "record.jsonl"


@dataclass(frozen=True)
class ClientResult:
    """What one client's agent reported of one phase; times on the common clock."""

    client: str
    size_bytes: int
    operations: int
    elapsed_s: float
    tasks: tuple[tuple[int, float, int], ...]
    """(bytes, seconds from the common start to its end, operations) of every task"""
    start_late_s: float
    latency_ms: dict[str, dict[str, float]]
    """by operation: count, min, mean, p50, p90, p99, p999, max"""
    seconds: tuple[tuple[float, int, int], ...]
    """(unix time, bytes, operations) of every second's line"""
    blocks_checked: int
    damage: tuple[dict[str, Any], ...]
    errors: tuple[dict[str, Any], ...]
    cpu_s: float
    lost: str | None = None
    """why the agent is missing or incomplete, if it is"""
    engine: str | None = None
    """how operations reached the kernel"""
    null_operations_per_s: float | None = None
    """the engine's own cost: what one task of this job does there when the storage takes no time"""
    telemetry: tuple[dict[str, Any], ...] = ()
    """processors, memory and network of the client, second by second"""
    outages: tuple[dict[str, Any], ...] = ()
    """client, task (None: the whole client), start_unix_s, end_unix_s, open"""
    flushes: tuple[dict[str, Any], ...] = ()
    """the same of the fsync or the close behind the last operation, where that took longer than the threshold"""
    copies: tuple[dict[str, Any], ...] = ()
    """for phases that copy: the figures of each file size"""
    log_error: str | None = None

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
        """The inverse of the record's entry; what an older record does not say is left out or 0."""
        known = {key: value for key, value in data.items() if key in cls.__dataclass_fields__}
        tuples = {
            key: tuple(known.get(key, ())) for key in ("damage", "errors", "telemetry", "outages", "flushes", "copies")
        }
        triples = {key: tuple((*item, 0)[:3] for item in known[key]) for key in ("tasks", "seconds")}
        return cls(**{**known, **tuples, **triples})


@dataclass(frozen=True)
class Second:
    """One second after the common start: what all clients completed in it."""

    second: int
    size_bytes: int
    operations: int
    latency_ms: dict[str, float]
    """of the operations that ended in it, all clients' histograms merged"""
    latency_by_operation_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    """the same for each kind of operation, and for what is timed besides; empty in older records"""


@dataclass(frozen=True)
class PhaseResult:
    """One phase of one repeat of one point."""

    experiment: str
    point: dict[str, Any]
    """what varies here: {"clients": 4}"""
    repeat: int
    phase: str
    started_unix_s: float
    clients: tuple[ClientResult, ...]
    natural_bytes_per_s: float
    harmonic_mean_bytes_per_s: float
    harmonic_aggregate_bytes_per_s: float
    fairness: float
    operations_per_s: float
    processors_busy_share: float | None
    """how busy the lab machine's processors were; None on real hosts"""
    lab_limited: bool
    """no published claim may use it: the lab machine, not the modelled hardware, was the bottleneck"""
    bottleneck: str | None
    predicted_bytes_per_s: float | None
    bound: str | None
    bound_bytes_per_s: float | None
    clock_error_s: float
    partial: bool
    """some client's part is missing"""
    first_done_s: float | None = None
    last_done_s: float | None = None
    stonewalled_bytes_per_s: float | None = None
    """all tasks' bytes until the first of them had finished, over that time; None where it is not known well"""
    stonewalled_operations_per_s: float | None = None
    latency_ms: dict[str, dict[str, float]] = field(default_factory=dict)
    """of all clients together, by operation, from merged histograms"""
    histograms: dict[str, str] = field(default_factory=dict)
    """those histograms: base64 of HdrHistogram V2, nanoseconds"""
    seconds: tuple[Second, ...] = ()
    steady: dict[str, Any] | None = None
    """the steady state, where the workload asks for one"""
    servers: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    """processors, memory, network and disks of every server, second by second"""

    @property
    def efficiency(self) -> float:
        """The rate as a share of what the slowest link or port in its way carries; 0 where none is known."""
        return self.natural_bytes_per_s / self.bound_bytes_per_s if self.bound_bytes_per_s else 0.0

    @property
    def outages(self) -> list[dict[str, Any]]:
        """All clients' outages, by their start."""
        return sorted((item for client in self.clients for item in client.outages), key=lambda it: it["start_unix_s"])

    @property
    def copy_rates_bytes_per_s(self) -> dict[int, float]:
        """Of phases that copy: by file size, the size over the mean time of a file, of all tasks together."""
        files: dict[int, tuple[int, float]] = {}
        for copy in (copy for client in self.clients for copy in client.copies if copy["files"] and copy["mean_s"]):
            count, time_s = files.get(copy["file_bytes"], (0, 0.0))
            files[copy["file_bytes"]] = count + copy["files"], time_s + copy["files"] * copy["mean_s"]
        return {size: size * count / time_s for size, (count, time_s) in sorted(files.items())}

    @property
    def copy_rate_bytes_per_s(self) -> float:
        """The mean over the file sizes of those rates, of one transfer; 0 where nothing was copied."""
        rates = self.copy_rates_bytes_per_s.values()
        return sum(rates) / len(rates) if rates else 0.0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of the record's line."""
        clients = tuple(ClientResult.from_json(client) for client in data["clients"])
        seconds = tuple(Second(**item) for item in data.get("seconds", ()))
        servers = {name: tuple(lines) for name, lines in data.get("servers", {}).items()}
        known = {key: value for key, value in data.items() if key in cls.__dataclass_fields__}
        return cls(**{**known, "clients": clients, "seconds": seconds, "servers": servers})


class Writer:
    """Appends to a record."""

    def __init__(self, folder: Path, *, append: bool = False) -> None:
        """A new folder; `append`: the folder of a run that was interrupted, a line that was cut off is ended first."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=append)
        for name in ("scripts", "console", "agent"):
            (folder / name).mkdir(exist_ok=append)
        cut_off = append and not (folder / LINES).read_bytes().endswith(b"\n")
        self._file = os.open(folder / LINES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        if cut_off:
            os.write(self._file, b"\n")

    def line(self, kind: str, /, **fields: Any) -> None:
        """Append one line; `kind` says what it is."""
        data = {"type": kind, "unix_s": round(unix_s(), 6), **fields}
        os.write(self._file, json.dumps(data, separators=(",", ":"), default=str).encode() + b"\n")

    def phase(self, result: PhaseResult) -> None:
        """Append a phase."""
        self.line("phase", **asdict(result))

    def keep(self, name: str, text: str) -> None:
        """Write a file beside the lines, in a folder of its own where the name has one."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def close(self) -> None:
        """Flush to the disk; nothing can be appended afterwards."""
        os.fsync(self._file)
        os.close(self._file)


@dataclass(frozen=True)
class Record:
    """A record as it was read."""

    folder: Path
    lines: tuple[dict[str, Any], ...]
    damage: tuple[str, ...] = field(default=())
    """what could not be read: `line 812: cut off`"""

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        """All lines of one kind, in order."""
        return (line for line in self.lines if line["type"] == kind)

    def first(self, kind: str) -> dict[str, Any]:
        """The first line of a kind, or {}."""
        return next(self.of(kind), {})

    def last(self, kind: str) -> dict[str, Any]:
        """The last line of a kind, or {}: a run that was gone on with has more than one end."""
        found: dict[str, Any] = {}
        for line in self.of(kind):
            found = line
        return found

    def phases(self) -> list[PhaseResult]:
        """Every phase, in order."""
        return [PhaseResult.from_json(line) for line in self.phase_lines()]

    def phase_lines(self) -> list[dict[str, Any]]:
        """Every phase as written; of a repeat that one run began and a resumed one measured again, the latter's."""
        found: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        part = 0
        for line in self.lines:
            part += line["type"] == "resumed"
            if line["type"] == "phase":
                repeat = json.dumps([line.get("experiment"), line.get("point"), line.get("repeat")])
                found.setdefault(repeat, []).append((part, line))
        last = {repeat: lines[-1][0] for repeat, lines in found.items()}
        return [line for repeat, lines in found.items() for number, line in lines if number == last[repeat]]

    @property
    def complete(self) -> bool:
        """The run came to its end."""
        return bool(self.last("end").get("complete"))

    def text(self, name: str) -> str | None:
        """A file of the record, or None."""
        path = self.folder / name
        return path.read_text() if path.exists() else None


def read_record(folder: Path) -> Record:
    """Read a record, also one that was cut off; InputError when it is none."""
    path = folder / LINES
    if not path.is_file():
        raise InputError(
            f"{folder}: no record here (there is no {LINES})", "give the folder that `seatrial run` printed"
        )
    lines, damage = [], []
    content = path.read_bytes()
    for number, raw in enumerate(content.split(b"\n"), start=1):
        if not raw:
            continue
        try:
            line = json.loads(raw)
            if not isinstance(line, dict) or "type" not in line:
                raise ValueError("no object with a type")
            lines.append(line)
        except ValueError:
            last = content.rstrip(b"\n").endswith(raw) and not content.endswith(b"\n")
            damage.append(f"line {number}: {'cut off' if last else 'not readable'}")
    if not lines or lines[0].get("schema") != SCHEMA:
        raise InputError(f"{folder}: not a {SCHEMA} record", "it may be of another version, or its start is damaged")
    return Record(folder, tuple(lines), tuple(damage))


def new_folder(base: Path, study_id: str) -> Path:
    """A folder for a new run: `md1200-nfs-20260701T101500Z`, with a number when that exists."""
    name = f"{study_id}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    for suffix in ("", *(f"-{number}" for number in range(2, 1000))):
        if not (base / f"{name}{suffix}").exists():
            return base / f"{name}{suffix}"
    raise InputError(f"{base} is full of runs of this second")


def safe_name(text: str) -> str:
    """A file name made of `text`."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", text)
