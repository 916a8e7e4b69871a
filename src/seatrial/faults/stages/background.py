"""The background load: its files, its agents, and the wait for its answers and its results."""

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults.context import FaultContext
from seatrial.faults.durations import OVERHEAD_S
from seatrial.faults.figures import is_answered
from seatrial.faults.live import streams_watched
from seatrial.faults.stages.prepare import Decided
from seatrial.faults.streams import Streams
from seatrial.load.agent import AgentGroup
from seatrial.load.clock_offsets import ClockOffset, measure_clocks
from seatrial.result.faults import WorkCosts
from seatrial.solutions.base import grace_s

FIRST_ANSWER_S = 60.0
"""maximum time in s until streams get answers, before the fault"""
RESULT_S = 15.0
RESULT_PROCESSES = 1000
"""maximum time for the agents' results, as the cost of this many process starts on a
slow machine
"""


@dataclass(frozen=True)
class Started:
    """The common start of the streams."""

    unix_s: float


@dataclass(frozen=True)
class Answers:
    """Whether every stream that keeps its power gets answers."""

    is_complete: bool


@dataclass(frozen=True)
class Stopped:
    """The request to the streams to stop."""

    unix_s: float


def streams_of(context: FaultContext, decided: Decided) -> Streams:
    """The streams of the fault, without files yet."""
    run = context.run
    return Streams(
        context.session,
        run.agent,
        run.run_id,
        run.next_generation,
        decided.actions.nodes_losing_memory(),
        errors=context.planned.fault.expect.errors,
    )


def make_files(context: FaultContext, streams: Streams) -> Mapping[str, ClockOffset]:
    """Write the files of the streams; returns the clocks of their clients."""
    streams.make_directories(context.name, context.load, context.planned.longest_s)
    clocks = measure_clocks(context.session.transport, streams.clients, context.agent)
    streams.prepare(clocks)
    return clocks


@contextlib.contextmanager
def agents_of(
    context: FaultContext, streams: Streams, clocks: Mapping[str, ClockOffset]
) -> Iterator[AgentGroup]:
    """For the body: the agents of the streams. They are followed while the injector waits."""
    session = context.session
    planned = context.planned
    assignments = streams.assignments()
    with (
        streams_watched(context.run, context.name, assignments) as watch,
        AgentGroup(
            session.transport,
            context.agent,
            assignments,
            clocks,
            watch,
            silence_s=planned.duration_s + planned.waits_s + OVERHEAD_S,
            grace_s=grace_s(session.solution),
        ) as group,
    ):
        context.injector.pause = lambda duration_s: hold(group, duration_s)
        yield group


def start(group: AgentGroup) -> Started:
    """Start all streams at one instant."""
    return Started(group.start())


def await_first_answers(context: FaultContext, group: AgentGroup, started: Started) -> Answers:
    """Wait until every stream gets answers; RunError with those that do not in time."""
    limit_s = FIRST_ANSWER_S + grace_s(context.session.solution)
    if not group.follow(
        lambda: all(is_answered(item, started.unix_s) for item in group.agents), limit_s
    ):
        waiting = [item.name for item in group.agents if not is_answered(item, started.unix_s)]
        raise RunError(
            f"before anything was done, these streams got no answer: {', '.join(waiting)}"
        )
    return Answers(is_complete=True)


def hold(group: AgentGroup, duration_s: float) -> None:
    """Let time in s pass while the agents are followed."""
    limit = time.monotonic() + duration_s
    group.follow(lambda: time.monotonic() >= limit, duration_s)


def stop(group: AgentGroup, streams: Streams) -> Stopped:
    """Request the end of all streams and copies."""
    group.cancel()
    stopped = Stopped(unix_s())
    streams.copies.stop()
    return stopped


def await_results(group: AgentGroup, costs: WorkCosts) -> None:
    """Wait for the results of the agents, with a limit, and keep their lines."""
    group.follow(limit_s=RESULT_S + costs.work_s(RESULT_PROCESSES))
    group.keep()
