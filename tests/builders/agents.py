"""The real agent on this machine, in the place of several clients."""

from pathlib import Path
from typing import Any

from seatrial.basics.shipped import find_agent
from seatrial.load.agent import run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.jobs import JobContext, jobs
from seatrial.result.phases import ClientResult
from seatrial.study.workload import Workload
from seatrial.transport import Local

NODES = ("c1", "c2", "c3")
AGENT = str(find_agent())


def workload(**changes: Any) -> Workload:
    """A small one."""
    return Workload.model_validate({"transfer_size": "4KiB", "file_size": "256KiB", **changes})


def phase(
    folder: Path, name: str, load: Workload, generation: int = 1, local: Path | None = None
) -> list[ClientResult]:
    """Run one phase on three agents of this machine."""
    context = JobContext(
        "00000000000000ab", str(folder), generation, None, local_directory=str(local or folder)
    )
    transport = Local()
    clocks = measure_clocks(transport, NODES, AGENT)
    assert all(abs(clock.wall_ahead_s) <= clock.error_s + 0.01 for clock in clocks.values())
    return [
        client_result(received)
        for received in run_phase(transport, AGENT, jobs(load, name, NODES, context), clocks)[1]
    ]
