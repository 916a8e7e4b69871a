"""The agent's side: one job of `seatrial-agent run`, straight through its standard streams."""

import json
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.contest import Failed
from bench.processes import TIMEOUT_S, children_cpu_s, finished
from bench.ratios import Figures
from seatrial.basics.shipped import find_agent

JOB: Mapping[str, Any] = {
    "protocol": 3,
    "run_id": "5ea",
    "client": "bench",
    "client_index": 0,
    "tasks": 1,
    "files": ["data"],
}
"""what all jobs of the benchmark have in common"""
START = '{"start_boottime_ns":0}\n'
"""begin at once"""


@dataclass(frozen=True)
class Freeze:
    """SIGSTOP to the agent `after_s` after its start, and SIGCONT `length_s` later."""

    after_s: float
    length_s: float


def job(directory: Path, **keys: Any) -> dict[str, Any]:
    """A job on `directory`; `keys` as in docs/agent.md."""
    return {**JOB, "directory": str(directory), **keys}


def figures_of(done: Mapping[str, Any], process_cpu_s: float) -> Figures:
    """Quantities of the line `done`. Failed when the job met an error or damage.

    `process_cpu_s` is that of the whole process, its preparation included.
    """
    damaged = done["verification"]["blocks_damaged"] if done.get("verification") else 0
    if done["errors"] or damaged:
        raise Failed(f"{damaged} damaged blocks, errors: {done['errors'][:1]}")
    elapsed_s = done["elapsed_ns"] / 1e9
    cpu_s = done["cpu"]["user_s"] + done["cpu"]["system_s"]
    operations = done["operations"]
    return {
        "operations_per_s": operations / elapsed_s,
        "bytes_per_s": done["bytes"] / elapsed_s,
        "operations_per_cpu_s": operations / max(cpu_s, 1e-9),
        "operations_per_process_cpu_s": operations / max(process_cpu_s, 1e-9),
    }


def run(job: Mapping[str, Any], freeze: Freeze | None = None) -> tuple[dict[str, Any], float]:
    """The agent's line `done` of the job, and the processor time of the whole process in s.

    Failed when there is no such line.
    """
    before_s = children_cpu_s()
    with subprocess.Popen(
        [str(find_agent()), "run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        if freeze:
            process.stdin.write(f"{json.dumps(job)}\n")
            process.stdin.flush()
            assert process.stdout is not None
            ready = process.stdout.readline()
            if '"ready"' not in ready:
                raise Failed(f"not ready: {ready.strip()}")
            freezer = threading.Thread(target=freeze_process, args=(process, freeze))
            freezer.start()
            output, errors = process.communicate(START, timeout=TIMEOUT_S)
            freezer.join()
        else:
            output, errors = process.communicate(f"{json.dumps(job)}\n{START}", timeout=TIMEOUT_S)
    lines = [json.loads(line) for line in output.splitlines()]
    done = next((line for line in lines if line["event"] == "done"), None)
    if done is None:
        raise Failed(errors.strip() or f"exit code {process.returncode}")
    return done, children_cpu_s() - before_s


def freeze_process(process: subprocess.Popen[str], freeze: Freeze) -> None:
    """Stop the process once, and let it continue."""
    time.sleep(freeze.after_s)
    process.send_signal(signal.SIGSTOP)
    time.sleep(freeze.length_s)
    process.send_signal(signal.SIGCONT)


def measured(directory: Path, **keys: Any) -> Figures:
    """The figures of one job."""
    done, process_cpu_s = run(job(directory, **keys))
    return figures_of(done, process_cpu_s)


def write_file(directory: Path, file_bytes: int, **keys: Any) -> None:
    """Write `data` with verifiable content, in transfers of 1 MiB unless `keys` say otherwise."""
    settings = {"phase": "write", "transfer_bytes": 2**20, "fsync": "file", **keys}
    measured(directory, file_bytes=file_bytes, **settings)


def trivial(directory: Path) -> Figures:
    """One write of 4 KiB, from before the start of the process to its end."""
    small = job(directory, phase="write", transfer_bytes=4096, file_bytes=4096, files=["trivial"])
    done = finished([str(find_agent()), "run"], f"{json.dumps(small)}\n{START}")
    return {"elapsed_ms": done.elapsed_s * 1e3, "cpu_ms": done.cpu_s * 1e3}


def metadata(directory: Path, items: int) -> Figures:
    """Operations per second of `create`, `stat` and `remove` of empty files of one directory."""
    tree = {"items_per_directory": items}
    common = {"files": ["tree"], "transfer_bytes": 4096, "file_bytes": 0, "tree": tree}
    rates = {
        f"{phase}_per_s": measured(directory, phase=phase, **common)["operations_per_s"]
        for phase in ("create", "stat", "remove")
    }
    shutil.rmtree(directory / "tree", ignore_errors=True)
    return rates
