"""The evidence of a fault: from the streams, the servers, their logs and the lab."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from seatrial.faults import cluster_status, daemon_logs, kernel_messages
from seatrial.faults.context import FaultContext
from seatrial.faults.daemon_logs import LogEnd, SavedLogs
from seatrial.faults.evidence import Witnesses, evidence_of
from seatrial.faults.figures import stream_result
from seatrial.faults.rebuilds import rebuild_of
from seatrial.faults.stages.background import Started, Stopped
from seatrial.faults.stages.inject import InjectionStart
from seatrial.faults.stages.prepare import Decided
from seatrial.faults.streams import Streams
from seatrial.labs.base import PowerLog
from seatrial.load.agent import AgentGroup
from seatrial.result.evidence import Evidence
from seatrial.result.fault_parts import Done, Moment, PowerEvent, RebuildResult
from seatrial.result.faults import StreamResult

EARLIER_S = 1.0
"""events are collected from this time in s before the injection"""


@dataclass(frozen=True)
class Collected:
    """The results of the streams, and the executed actions."""

    ended_unix_s: float | None = None
    """when the streams were requested to stop"""
    streams: tuple[StreamResult, ...] = ()
    actions: tuple[Done, ...] = ()
    power: tuple[PowerEvent, ...] = ()
    """the lab's power log of this time"""
    rebuild: RebuildResult = field(default_factory=RebuildResult)


@dataclass(frozen=True)
class Shown:
    """The evidence that the fault happened, and the events that it caused."""

    evidence: tuple[Evidence, ...] | None = None
    moments: tuple[Moment, ...] = ()
    kernel_messages: str | None = None
    """the result's file of the kernel messages"""


def collect_streams(
    context: FaultContext,
    group: AgentGroup,
    streams: Streams,
    decided: Decided,
    *,
    started: Started | None,
    injection: InjectionStart | None,
    stopped: Stopped,
) -> Collected:
    """The results of the streams; also where nothing was injected."""
    injected_s = injection.unix_s if injection else stopped.unix_s
    lost = decided.actions.nodes_losing_memory()
    results = tuple(
        stream_result(
            item,
            streams.phases[item.stream],
            injected_s,
            stopped.unix_s,
            lost_power=item.client in lost,
        )
        for item in group.agents
    )
    lab = context.session.lab
    since_s = injected_s - EARLIER_S
    power = lab.power_log() if isinstance(lab, PowerLog) else []
    done = context.injector.done
    rebuild: RebuildResult = {}
    if started is not None and injection is not None:
        times = started.unix_s, injection.unix_s
        rebuild = rebuild_of(decided.actions, done, *times, group.agents)
    return Collected(
        ended_unix_s=stopped.unix_s,
        streams=results,
        actions=tuple(cast(Done, item.stored()) for item in done),
        power=tuple(
            cast(PowerEvent, item) for item in power if since_s <= item["unix_s"] <= stopped.unix_s
        ),
        rebuild=rebuild,
    )


def collect_evidence(
    context: FaultContext,
    decided: Decided,
    started: Started,
    injection: InjectionStart,
    witnesses: Witnesses,
) -> Shown:
    """The evidence of every action, the events of the servers and the kernel messages."""
    session = context.session
    run = context.run
    actions = decided.actions.inject
    shown = evidence_of(actions, context.injector.done, session.lab, witnesses)
    moments = cluster_status.moments(
        session, injection.unix_s - EARLIER_S, run.agent, run.wall_clocks
    )
    # An outage of a client may have begun before the injection.
    messages = kernel_messages.keep(
        session, context.writer, context.name, started.unix_s, injection.unix_s
    )
    return Shown(shown, tuple(moments), messages)


def collect_logs(context: FaultContext, ends: Mapping[str, LogEnd]) -> SavedLogs:
    """Keep the daemon logs since these ends, from before the fault."""
    return daemon_logs.keep(context.session, context.writer, context.name, ends)
