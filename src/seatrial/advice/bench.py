"""`seatrial bench PATH`: a short standard set on any mounted directory, from this machine alone.

Reads use O_DIRECT where the file system allows it, so that they do not come from this machine's
cache; otherwise the row shows it. The directory must be empty, and is empty again afterwards.
"""

import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from seatrial.analysis.aggregates import aggregate
from seatrial.analysis.histogram import P99_OPERATIONS
from seatrial.basics.errors import InputError
from seatrial.basics.printable import command
from seatrial.basics.shipped import find_agent
from seatrial.basics.units import counted, format_rate, format_size, written_size
from seatrial.load.agent import run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.jobs import JobContext, jobs
from seatrial.result.extents import extent_count
from seatrial.study.workload import Workload
from seatrial.transport import Local

NODE = "here"
LARGEST_TRANSFER_BYTES = 2**20
"""of the set: each file is a whole number of them"""


@dataclass(frozen=True)
class Row:
    """One measurement of the set."""

    title: str
    transfer_bytes: int
    direct: bool
    rate_bytes_per_s: float
    operations_per_s: float
    latency_p50_ms: float
    latency_p99_ms: float | None
    """None of fewer operations than it needs"""
    latency_operations: int
    """operations with a latency"""
    damaged_extents: int
    errors: int


def run_bench(path: Path, file_bytes: int, tasks: int, say: Callable[[str], None]) -> list[Row]:
    """Run the set on `path`, with a file of `file_bytes` for each of the `tasks`.

    The size is rounded up to a whole number of the largest transfers, and `say` reports it.
    InputError when the size is 0, or the directory does not exist, is not empty or has too
    little room.
    """
    if file_bytes < 1:
        raise InputError("--size: a file needs at least one byte", "write it like --size 256MiB")
    transfers = -(-file_bytes // LARGEST_TRANSFER_BYTES)
    asked_bytes, file_bytes = file_bytes, transfers * LARGEST_TRANSFER_BYTES
    if file_bytes != asked_bytes:
        say(f"each file has {format_size(file_bytes)}: the next whole number of 1 MiB transfers")
    _require(path, file_bytes * tasks)
    folder = path / f"seatrial-bench-{secrets.token_hex(4)}"
    folder.mkdir()
    try:
        direct = _takes_direct(folder)
        how = "with O_DIRECT" if direct else "through this machine's cache"
        say(
            f"{counted(tasks, 'file')} of {format_size(file_bytes)} in {folder}, {how}; removed"
            " afterwards"
        )
        if not direct:
            say(f"{path} does not take O_DIRECT: reads may come from this machine's cache")
        rest = {"file_size": format_size(file_bytes), "tasks": tasks, "direct": direct}
        return [
            _measure(
                Workload.model_validate(
                    {"pattern": pattern, "transfer_size": transfer_size, **rest}
                ),
                phase,
                folder,
                say,
            )
            for pattern, transfer_size in (("sequential", "1MiB"), ("random", "4KiB"))
            for phase in ("write", "read")
        ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _require(path: Path, needed_bytes: int) -> None:
    if not path.is_dir():
        raise InputError(f"{path}: no such directory", "give a directory on the storage to measure")
    if any(path.iterdir()):
        raise InputError(
            f"{path} is not empty",
            "existing files are never changed: give an empty directory, such as a new one inside "
            "it; or measure it as "
            f"it is, by {command('new', 'mount', 'NAME', '--directory', path)}",
        )
    usage = shutil.disk_usage(path)
    # Some file systems (FUSE, ramfs) report a size of zero: the room is not known then.
    free_bytes = usage.free
    if usage.total > 0 and free_bytes < needed_bytes * 1.05:
        raise InputError(
            f"{path} has {written_size(free_bytes)} free; the set writes"
            f" {written_size(needed_bytes)}",
            "use smaller files with --size, or fewer with --tasks",
        )


def _takes_direct(folder: Path) -> bool:
    probe = folder / "probe"
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_WRONLY | os.O_DIRECT))
    except OSError:
        return False
    finally:
        probe.unlink(missing_ok=True)
    return True


def _measure(workload: Workload, phase: str, folder: Path, say: Callable[[str], None]) -> Row:
    context = JobContext(run_id="5ea7121a1be4c400", directory=str(folder), generation=1, log=None)
    transport = Local()
    agent = str(find_agent())
    clocks = measure_clocks(transport, [NODE], agent)
    title = f"{workload.pattern} {phase}"
    say(f"{title}, {format_size(workload.transfer_size)} transfers")
    phase_run = run_phase(transport, agent, jobs(workload, phase, [NODE], context), clocks)
    results = [client_result(lines) for lines in phase_run.agents]
    total = aggregate([task for result in results for task in result.tasks])
    latency = results[0].latency_ms.get(phase, {})
    operations = int(latency.get("count", 0))
    return Row(
        title=title,
        transfer_bytes=workload.transfer_size,
        direct=workload.direct,
        rate_bytes_per_s=total.natural_bytes_per_s if total else 0.0,
        operations_per_s=total.operations_per_s if total else 0.0,
        latency_p50_ms=latency.get("p50", 0.0),
        latency_p99_ms=latency.get("p99") if operations >= P99_OPERATIONS else None,
        latency_operations=operations,
        damaged_extents=extent_count(results[0].damage),
        errors=len(results[0].errors) + bool(results[0].lost),
    )


def bench_table(rows: list[Row]) -> str:
    """The rows as text."""
    lines = [
        f"{'':18s}{'transfer':>10s}{'rate':>12s}{'ops/s':>10s}{'p50 ms':>9s}"
        f"{'p99 ms':>9s}{'samples':>9s}  "
    ]
    for row in rows:
        p99 = "–" if row.latency_p99_ms is None else f"{row.latency_p99_ms:.3f}"
        notes = [] if row.direct else ["cached"]
        notes += [counted(row.damaged_extents, "damaged extent")] if row.damaged_extents else []
        notes += [f"{counted(row.errors, 'error')}"] if row.errors else []
        latency = f"{row.latency_p50_ms:>9.3f}{p99:>9s}{row.latency_operations:>9d}"
        lines.append(
            f"{row.title:18s}{format_size(row.transfer_bytes):>10s}{format_rate(row.rate_bytes_per_s):>12s}{row.operations_per_s:>10.0f}{latency}"
            f"  {', '.join(notes)}"
        )
    return "\n".join(line.rstrip() for line in lines)
