"""A thousand clients on this machine: what the controller costs, and whether a line is lost.

    .venv/bin/python scripts/bench_clients.py --clients 10 30 100 300 1000 --seconds 20

Each agent is a local process. The launcher `command` starts them all as one step, as Slurm does on
N nodes. Every agent writes one block a second to a directory in memory, and prints the lines of a
usual run. The table goes to the terminal, and all figures go to `build/bench-clients.json`.
"""

import argparse
import json
import os
import platform
import resource
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

from fits import fit

from seatrial.analysis.histogram import Histogram
from seatrial.basics.descriptors import raise_descriptor_limit
from seatrial.basics.errors import RunError
from seatrial.basics.shipped import find_agent
from seatrial.launchers.base import LaunchRequest
from seatrial.launchers.group import GroupTransport
from seatrial.launchers.kinds import command
from seatrial.load.agent import AgentGroup, Assignment, Watch
from seatrial.load.agent_lines import AgentLines
from seatrial.load.clock_offsets import ClockOffset, measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.gather import seconds as seconds_of
from seatrial.load.job import AgentJob, LoadJob
from seatrial.load.jobs import JobContext, jobs
from seatrial.load.kept_lines import lines_kept
from seatrial.load.live import LiveMeter, written_each_second
from seatrial.load.merged_seconds import MergedSeconds
from seatrial.result.live import LIVE, LiveAgent, LiveLoad
from seatrial.result.series import write_series
from seatrial.result.writer import Writer
from seatrial.study.workload import Workload

ROOT = Path(__file__).resolve().parents[1]
LAUNCHER = ROOT / "scripts" / "local_launcher.py"
OUTPUT = ROOT / "build" / "bench-clients.json"
RUN_ID = "5ea7121a1be4c401"
START_TIMEOUT_S = 120.0
MISSING_TIMEOUT_S = 10.0
"""the default of `start_timeout` of a study"""
NS_PER_MS = 1e6
HOUR_S = 3600
SECOND = {
    "event": "second",
    "second": 1,
    "boottime_ns": 4_123_456_789_012,
    "interval_ns": 1_000_012_345,
    "bytes": 4096,
    "operations": 1,
    "errors": 0,
    "latency_ns_max": 123_456,
    "telemetry": {
        "cpus_busy_share": 0.123456789,
        "memory_available_bytes": 21_000_000_000,
        "memory_dirty_bytes": 123_456,
        "network_received_bytes": 654_321,
        "network_sent_bytes": 123_456,
        "retransmitted_segments": 0,
        "processes_started": 3,
    },
}
"""a line of an agent, and the one with the latencies of its second"""
LATENCIES = {
    "event": "latencies",
    "second": 1,
    "bytes": 4096,
    "operations": 1,
    "histograms": {
        kind: Histogram(Counter({value: 1})).encode()
        for kind, value in (("write", 23_456), ("service", 12_345))
    },
}
LINES = ("one", "all")
"""`one`: each agent prints one line a second; `all`: also the histograms of each second"""


# ---- pure parts


@dataclass(frozen=True)
class Heard:
    """What the controller received from one agent."""

    client: str
    seconds: tuple[int, ...]
    """the numbers of its lines `second`, in the order of arrival"""
    operations: int
    """the sum of these lines"""
    done_operations: int | None
    """the total of its result; None without a result"""
    started_ns: int | None
    """start of its first task, by the clock since boot"""


def skew_ms(starts_ns: Sequence[int]) -> float:
    """The time between the first and the last start in ms; 0 for fewer than two."""
    return (max(starts_ns) - min(starts_ns)) / NS_PER_MS if starts_ns else 0.0


def share_within_ms(starts_ns: Sequence[int], limit_ms: float) -> float:
    """The share of the starts that are at most `limit_ms` after the first one."""
    if not starts_ns:
        return 0.0
    first_ns = min(starts_ns)
    return sum(item - first_ns <= limit_ms * NS_PER_MS for item in starts_ns) / len(starts_ns)


def lost_lines(heard: Heard) -> list[str]:
    """The lines of one agent that did not arrive; empty when every line did.

    An agent numbers its lines `second` from 1, and their sum is the total of its result.
    """
    if heard.done_operations is None:
        return [f"{heard.client}: no result"]
    present = set(heard.seconds)
    last = max(present, default=0)
    missing = [number for number in range(1, last + 1) if number not in present]
    problems = [f"{heard.client}: second {number}" for number in missing]
    if not missing and heard.operations != heard.done_operations:
        short = heard.done_operations - heard.operations
        problems.append(f"{heard.client}: {short} operations are in no line")
    return problems


# ---- the measurement


@dataclass(frozen=True)
class Row:
    """The figures of one number of clients."""

    clients: int
    lines: str
    seconds: int
    load_before: float
    """mean number of runnable processes of the machine in the minute before"""
    step_start_s: float
    """from the start of the launcher to the first line of the last agent"""
    clocks_s: float
    """measurement of all clock offsets"""
    clock_error_ms: float
    """largest error bound of an offset"""
    ready_s: float
    """from the first job sent to the common start"""
    start_cpu_s: float
    """of the controller, from the start of the launcher to the common start"""
    skew_ms: float
    """between the first and the last start of a task"""
    within_4_ms_share: float
    late_ms_median: float
    late_ms_max: float
    """after the start that the controller requested"""
    received_lines: int
    lost: tuple[str, ...]
    """lines that did not arrive"""
    controller_cpu_share: float
    """of one core, from the common start to the last result"""
    controller_cpu_ms_per_line: float
    record_s: float
    """time to write the result of the phase, after its end"""
    record_bytes_per_client_second: float
    """of the seconds in the result, and of the lines of all agents"""
    controller_rss_mib: float
    controller_rss_growth_kib_per_client_second: float
    controller_threads: int
    controller_descriptors: int
    all_processes_cpu_s: float
    """of the launcher and of all agents, from their start to their end"""


def rss_bytes() -> int:
    """The resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def launched(nodes: Sequence[str], tasks: int, timeout_s: float) -> GroupTransport:
    """A step of `tasks` local agents for these nodes."""
    template = f"{sys.executable} {LAUNCHER} {tasks} {{command}}"
    request = LaunchRequest(
        tuple(nodes), str(find_agent()), command=template, start_timeout_s=timeout_s
    )
    transport = command.transport(request)
    assert isinstance(transport, GroupTransport)
    return transport


def jobs_for(nodes: Sequence[str], folder: Path, seconds: int, lines: str) -> dict[str, LoadJob]:
    """The job of each node: one write of 4 KiB a second for `seconds`."""
    workload = Workload.model_validate(
        {
            "pattern": "sequential",
            "transfer_size": "4KiB",
            "file_size": "16KiB",
            "tasks": 1,
            "phases": ["write"],
            "time_based": True,
            "time_limit": f"{seconds}s",
            "arrivals_per_s": 1,
            "verify": False,
        }
    )
    context = JobContext(run_id=RUN_ID, directory=str(folder), generation=1, log=None)
    made = jobs(workload, "write", nodes, context)
    return {client: replace(job, seconds=lines == "all") for client, job in made.items()}


def measure(clients: int, seconds: int, lines: str, base: Path) -> Row:
    """Start the agents, run one phase of `seconds`, and end them."""
    nodes = [f"n{number:04d}" for number in range(1, clients + 1)]
    folder = base / f"{clients}-{lines}"
    folder.mkdir()
    children_s = _cpu_s(resource.RUSAGE_CHILDREN)
    own_s = time.process_time()
    load_before = os.getloadavg()[0]
    began_s = time.monotonic()
    transport = launched(nodes, clients, START_TIMEOUT_S)
    try:
        started_s = time.monotonic()
        clocks = measure_clocks(transport, nodes, str(find_agent()))
        measured_s = time.monotonic()
        phase = _phase(transport, clocks, jobs_for(nodes, folder, seconds, lines), base)
    finally:
        transport.close()
        shutil.rmtree(folder, ignore_errors=True)
    starts_ns = [item.started_ns for item in phase.heard if item.started_ns is not None]
    return Row(
        clients=clients,
        lines=lines,
        seconds=seconds,
        load_before=load_before,
        step_start_s=started_s - began_s,
        clocks_s=measured_s - started_s,
        clock_error_ms=1e3 * max(clock.error_s for clock in clocks.values()),
        ready_s=phase.ready_s,
        start_cpu_s=phase.started_cpu_s - own_s,
        skew_ms=skew_ms(starts_ns),
        within_4_ms_share=share_within_ms(starts_ns, 4.0),
        late_ms_median=median(phase.late_ms) if phase.late_ms else 0.0,
        late_ms_max=max(phase.late_ms, default=0.0),
        received_lines=phase.received_lines,
        lost=tuple(problem for item in phase.heard for problem in lost_lines(item)),
        controller_cpu_share=phase.cpu_s / phase.elapsed_s,
        controller_cpu_ms_per_line=1e3 * phase.cpu_s / max(phase.received_lines, 1),
        record_s=phase.record_s,
        record_bytes_per_client_second=phase.transfer_bytes / (clients * seconds),
        controller_rss_mib=phase.rss_bytes / 2**20,
        controller_rss_growth_kib_per_client_second=phase.rss_growth_bytes
        / 2**10
        / (clients * seconds),
        controller_threads=phase.threads,
        controller_descriptors=phase.descriptors,
        all_processes_cpu_s=_cpu_s(resource.RUSAGE_CHILDREN) - children_s,
    )


@dataclass(frozen=True)
class Phase:
    """What one phase has shown."""

    heard: tuple[Heard, ...]
    late_ms: tuple[float, ...]
    received_lines: int
    ready_s: float
    elapsed_s: float
    started_cpu_s: float
    cpu_s: float
    record_s: float
    transfer_bytes: int
    rss_bytes: int
    rss_growth_bytes: int
    threads: int
    descriptors: int


def _phase(
    transport: GroupTransport,
    clocks: Mapping[str, ClockOffset],
    work: Mapping[str, AgentJob],
    base: Path,
) -> Phase:
    load = LiveLoad(title="bench", agents=tuple(LiveAgent(client) for client in work))
    meter = LiveMeter(load)
    assignments = [Assignment(client, job) for client, job in work.items()]
    writer = Writer(base / "result")
    merged = MergedSeconds()
    began_s = time.monotonic()
    with (
        lines_kept(writer, "bench", len(work), Watch(line=meter.hear, lost=meter.lose)) as watch,
        AgentGroup(
            transport, str(find_agent()), assignments, clocks, watch, merged=merged
        ) as group,
        written_each_second(writer.live, load, meter),
    ):
        group.start()
        started_s = time.monotonic()
        cpu_s = time.process_time()
        rss = rss_bytes()
        group.follow()
        ended_s = time.monotonic()
        ended_cpu_s = time.process_time()
        ended_rss = rss_bytes()
        threads = threading.active_count()
        descriptors = _descriptors()
        group.keep()
        agents = group.agents
    written_s = time.monotonic()
    write_series(writer.folder, [client_result(agent, compact=True) for agent in agents])
    seconds_of(agents)
    record_s = time.monotonic() - written_s
    transfer_bytes = _size_bytes(writer.folder)
    writer.close()
    shutil.rmtree(writer.folder)
    for agent in agents:
        if agent.lost:
            sys.stderr.write(f"{agent.name}: {agent.lost}\n")
    done = [agent.done for agent in agents if agent.done is not None]
    return Phase(
        heard=tuple(
            Heard(
                agent.client,
                tuple(line["second"] for line in agent.seconds),
                sum(line["operations"] for line in agent.seconds),
                None if agent.done is None else agent.done["operations"],
                None if agent.done is None else agent.done["start_boottime_ns"],
            )
            for agent in agents
        ),
        late_ms=tuple(item["start_late_ns"] / NS_PER_MS for item in done),
        received_lines=sum(agent.count for agent in agents),
        ready_s=started_s - began_s,
        elapsed_s=ended_s - started_s,
        started_cpu_s=cpu_s,
        cpu_s=ended_cpu_s - cpu_s,
        record_s=record_s,
        transfer_bytes=transfer_bytes,
        rss_bytes=ended_rss,
        rss_growth_bytes=ended_rss - rss,
        threads=threads,
        descriptors=descriptors,
    )


def _size_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.name != LIVE)


def _descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _cpu_s(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Missing:
    """How a node that never starts was reported."""

    clients: int
    named_s: float
    message: str


def measure_missing(clients: int) -> Missing:
    """Start one agent less than there are nodes, and wait for the error that names the node."""
    nodes = [f"n{number:04d}" for number in range(1, clients + 1)]
    began_s = time.monotonic()
    try:
        launched(nodes, clients - 1, MISSING_TIMEOUT_S).close()
    except RunError as error:
        return Missing(clients, time.monotonic() - began_s, str(error).splitlines()[0])
    return Missing(clients, time.monotonic() - began_s, "no node was missing")


@dataclass(frozen=True)
class Hour:
    """The lines of an hour, without processes: memory, and the floor of the cost of a line."""

    clients: int
    growth_bytes_per_client_second: float
    """of the resident memory of the controller"""
    json_us_per_line: float
    """the parser of Python alone"""
    kept_us_per_line: float
    """the parser, and the columns that keep the line"""


def measure_hour(clients: int) -> Hour:
    """Take the lines of `clients` agents for an hour: a second and its latencies each."""
    text = json.dumps(SECOND)
    latencies = json.dumps(LATENCIES)
    merged = MergedSeconds()
    agents = [AgentLines(f"n{number}", 0.0, merged=merged) for number in range(clients)]
    lines = 2 * HOUR_S * clients
    began_s = time.process_time()
    for _ in range(HOUR_S * clients):
        json.loads(text)
        json.loads(latencies)
    parsed_s = time.process_time() - began_s
    before_bytes = rss_bytes()
    began_s = time.process_time()
    for number in range(1, HOUR_S + 1):
        for agent in agents:
            agent.add({**json.loads(text), "second": number})
            agent.add({**json.loads(latencies), "second": number})
    kept_s = time.process_time() - began_s
    growth_bytes = rss_bytes() - before_bytes
    return Hour(
        clients, growth_bytes / (HOUR_S * clients), 1e6 * parsed_s / lines, 1e6 * kept_s / lines
    )


# ---- the output

FITTED = (
    "controller_cpu_share",
    "start_cpu_s",
    "all_processes_cpu_s",
    "controller_rss_mib",
    "skew_ms",
)

COLUMNS = (
    ("clients", "clients", "d"),
    ("load", "load_before", ".0f"),
    ("lines", "lines", "s"),
    ("step s", "step_start_s", ".2f"),
    ("clocks s", "clocks_s", ".2f"),
    ("error ms", "clock_error_ms", ".2f"),
    ("ready s", "ready_s", ".2f"),
    ("start CPU s", "start_cpu_s", ".2f"),
    ("skew ms", "skew_ms", ".2f"),
    ("in 4 ms", "within_4_ms_share", ".3f"),
    ("late med", "late_ms_median", ".2f"),
    ("late max", "late_ms_max", ".2f"),
    ("received", "received_lines", "d"),
    ("CPU share", "controller_cpu_share", ".3f"),
    ("ms/line", "controller_cpu_ms_per_line", ".3f"),
    ("record s", "record_s", ".2f"),
    ("B/c/s", "record_bytes_per_client_second", ".0f"),
    ("RSS MiB", "controller_rss_mib", ".0f"),
    ("KiB/c/s", "controller_rss_growth_kib_per_client_second", ".1f"),
    ("threads", "controller_threads", "d"),
    ("files", "controller_descriptors", "d"),
    ("all CPU s", "all_processes_cpu_s", ".1f"),
)


def table(rows: Sequence[Row]) -> str:
    """The rows as text, one line each."""
    cells = [[title for title, _, _ in COLUMNS] + ["lost"]]
    for row in rows:
        shown = [format(getattr(row, name), form) for _, name, form in COLUMNS]
        cells.append([*shown, str(len(row.lost))])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in cells
    ]
    return "\n".join(lines)


def document(rows: Sequence[Row], missing: Missing | None, hour: Hour | None) -> dict[str, Any]:
    """All figures, and the fits of the costs."""
    fits = {}
    for lines in LINES:
        chosen = [row for row in rows if row.lines == lines]
        counts = [row.clients for row in chosen]
        for name in FITTED:
            costs = fit(counts, [getattr(row, name) for row in chosen])
            if costs is not None:
                fits[f"{name}, {lines}"] = asdict(costs)
    return {
        "date": date.today().isoformat(),
        "machine": f"{os.cpu_count()} processors, Linux {platform.release()}",
        "descriptor_limit": raise_descriptor_limit(),
        "rows": [asdict(row) for row in rows],
        "fits": fits,
        "missing": None if missing is None else asdict(missing),
        "hour": None if hour is None else asdict(hour),
    }


def main() -> int:
    """Measure, print the table and write the figures; 1 after a lost line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, nargs="+", default=[10, 30, 100, 300, 1000])
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--lines", choices=LINES, nargs="+", default=list(LINES))
    parser.add_argument("--missing", type=int, default=0, help="nodes, of which one never starts")
    parser.add_argument("--hour", type=int, default=0, help="clients of an hour without processes")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    raise_descriptor_limit()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="seatrial-bench.", dir="/dev/shm") as folder:
        for lines in options.lines:
            for clients in options.clients:
                rows.append(measure(clients, options.seconds, lines, Path(folder)))
                print(table(rows[-1:]), flush=True)  # noqa: T201 - a command
    missing = measure_missing(options.missing) if options.missing else None
    hour = measure_hour(options.hour) if options.hour else None
    options.output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document(rows, missing, hour), indent=1)
    options.output.write_text(f"{text}\n")
    print(f"\n{table(rows)}\n{missing or ''}\n{hour or ''}\n{options.output}")  # noqa: T201 - a command
    return int(any(row.lost for row in rows))


if __name__ == "__main__":
    sys.exit(main())
