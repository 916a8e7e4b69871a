"""fio: its jobs, and the quantities of its JSON."""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.agent import Freeze, freeze_process
from bench.contest import Failed
from bench.processes import TIMEOUT_S, finished
from bench.ratios import Figures

TUNED_RING = ("--ioengine=io_uring", "--registerfiles=1", "--fixedbufs=1", "--iodepth=32")
"""at depth 32, as fast as fio can be while it still measures latencies"""
TUNED_AIO = ("--ioengine=libaio", "--iodepth=32", "--iodepth_batch_complete_max=32")
DIRECTIONS = ("read", "write", "trim")


def command(options: Sequence[str]) -> list[str]:
    """One job in a thread of fio, as JSON. It keeps the caches, and preallocates no file."""
    common = ("--name=bench", "--thread", "--invalidate=0", "--fallocate=none")
    return ["fio", *common, "--output-format=json", *options]


def on_file(path: Path, pattern: str, transfer_bytes: int, *options: str) -> list[str]:
    """A job on an existing file. Random offsets are drawn without a map of the used ones."""
    size = f"--size={path.stat().st_size}"
    named = (f"--filename={path}", f"--rw={pattern}", f"--bs={transfer_bytes}", size)
    return command([*named, "--norandommap", *options])


def for_seconds(seconds: float) -> tuple[str, str]:
    """The options of a job that begins again until this time is over."""
    return "--time_based", f"--runtime={round(seconds * 1000)}ms"


def figures_of(text: str) -> Figures:
    """Quantities of fio's one job. Processor time is fio's own, of the job without its start."""
    job = job_of(text)
    moved = next((job[name] for name in DIRECTIONS if job[name]["total_ios"]), None)
    if moved is None:
        raise Failed("fio did nothing")
    runtime_s = moved["runtime"] / 1e3
    cpu_s = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] / 1e3
    return {
        "operations_per_s": moved["total_ios"] / runtime_s,
        "bytes_per_s": moved["io_bytes"] / runtime_s,
        "operations_per_cpu_s": moved["total_ios"] / max(cpu_s, 1e-9),
    }


def job_of(text: str) -> Mapping[str, Any]:
    """The one job of fio's JSON. Failed when it met an error."""
    start = text.find("{")
    if start < 0:
        raise Failed(f"no JSON of fio: {text.strip()[:80]}")
    jobs = json.loads(text[start:])["jobs"]
    if jobs[0]["error"]:
        raise Failed(f"fio's error {jobs[0]['error']}")
    job: Mapping[str, Any] = jobs[0]
    return job


def measured(command: Sequence[str]) -> Figures:
    """The figures of one job."""
    return figures_of(finished(command).stdout)


METADATA = {"create": "filecreate", "stat": "filestat", "remove": "filedelete"}
"""phase -> fio's engine"""


def metadata(directory: Path, phase: str, files: int) -> float:
    """Operations per second of a metadata phase on the files of one directory."""
    many = (f"--directory={directory}", f"--nrfiles={files}", "--openfiles=1", "--filesize=4k")
    order = ("--file_service_type=sequential", "--bs=4k", "--create_on_open=1")
    text = finished(command([f"--ioengine={METADATA[phase]}", *many, *order])).stdout
    return figures_of(text)["operations_per_s"]


def frozen(command: Sequence[str], freeze: Freeze) -> Mapping[str, Any]:
    """The job of a fio that was stopped for a time. `freeze.after_s` begins with the process."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        freezer = threading.Thread(target=freeze_process, args=(process, freeze))
        freezer.start()
        output, errors = process.communicate(timeout=TIMEOUT_S)
        freezer.join()
    if process.returncode:
        raise Failed(errors.strip())
    return job_of(output)
