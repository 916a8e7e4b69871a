"""The monitors of the servers, the array and the processors while a fault lasts."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from seatrial.faults.context import FaultContext
from seatrial.faults.writers import Watching, watching_writers
from seatrial.load import processes
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.shortage import ShortageWatch, watching_processors
from seatrial.load.telemetry import Watched, watching
from seatrial.solutions.base import Solution, WritesLogged


@dataclass(frozen=True)
class Observed:
    """The observations of the monitors."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """fields of the fault's line: the writers of the array, and the processors of the lab"""
    processes_started: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    """by server: (unix time of its end, processes and threads) of every second"""
    storage_fenced: bool = False
    """fencing takes a server's right to write from it, at the array"""


@dataclass(frozen=True)
class Monitors:
    """The monitors, while they run."""

    solution: Solution
    servers: Watched
    writers: Watching
    processors: ShortageWatch

    def observed(self, injected_unix_s: float | None, ended_unix_s: float | None) -> Observed:
        """The observations so far. Process starts count from the injection to the end of the
        streams, in unix seconds, where both happened.
        """
        started: dict[str, list[tuple[float, int]]] = {}
        if injected_unix_s is not None and ended_unix_s is not None:
            started = processes.started(self.servers, injected_unix_s, ended_unix_s)
        return Observed(
            {**self.writers.result_fields(), **self.processors.result_fields()},
            started,
            isinstance(self.solution, WritesLogged) and self.solution.storage_fenced,
        )


@contextlib.contextmanager
def monitoring(context: FaultContext) -> Iterator[Monitors]:
    """For the body: the servers report their process starts, the array its writers."""
    session = context.session
    run = context.run
    transport = session.transport
    solution = session.solution
    servers = session.solution.servers
    clocks = measure_clocks(transport, servers, run.agent)
    with (
        watching(transport, servers, run.agent, clocks, run.wall_clocks.add_step) as watched,
        watching_writers(transport, solution) as writers,
        watching_processors(session.lab.kind) as processors,
    ):
        yield Monitors(solution, watched, writers, processors)
