"""The load agents: install the binary, start one per client, synchronize the start, follow,
collect.

An agent listens on no port: its job and its lines pass through ssh. It sends `preparing` each
second and `ready` when its files are open. When every agent is ready, each gets one start time,
corrected by its clock's offset. The offsets are measured before and after, and the larger error is
recorded with the phase. An agent that dies or falls silent is lost, and the remaining ones
continue.
"""

import contextlib
import json
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import fold
from seatrial.load.agent_events import StalledTasks
from seatrial.load.agent_lines import AgentLines
from seatrial.load.clock_offsets import ClockOffset, OnClockSet
from seatrial.load.job import AgentJob
from seatrial.load.merged_seconds import MergedSeconds
from seatrial.load.stalls import EVENTS, StallReporter
from seatrial.streams import CommandEnd, Stream
from seatrial.transport import Transport, following, gathered

READY_TIMEOUT_S = 60.0
"""an agent that has opened, created or emptied no file for this time in s is lost"""
START_SILENCE_S = 45.0
"""maximum silence in s of an agent that has not sent anything; ssh to a busy machine needs time"""
READY_SILENCE_S = 9.0
"""maximum silence in s of an agent that is not ready"""
SILENCE_S = 8.0
"""maximum silence in s of an agent at work; it should report every second"""
SILENT_ROUND_TRIPS = 100
"""this number of round trips to the node, as measured before, is added to each of the three: slow
machines need more
"""
START_REPORTED_S = 10.0
"""after this time in s the nodes are named on which no agent has sent anything"""
LINES_MAX = 1000
"""lines that are processed between two checks of all agents"""
GLANCE_S = 0.5
"""interval in s of the check of all agents"""
GATHER_S = 0.01
"""lines that arrive within this time in s are processed together: a wake-up for each line would
cost more than the line"""
NEWS_S = 5.0
"""a stall line that is processed later than this, in s, is not reported"""
REFUSED = 2
"""the agent's exit code for a wrong job, which is wrong for every agent"""
FINISH_TIMEOUT_S = 5.0
"""maximum time in s from the end of an agent's output to its exit"""
START_DELAY_S = 0.3
"""between the last `ready` and the common start: the start line must reach every client in this
time
"""
START_DELAY_PER_AGENT_S = 0.001
"""added for each agent (docs/many-clients.md)"""


@dataclass(frozen=True)
class Assignment:
    """A job and its client; one client may have several, each as a separate stream."""

    client: str
    job: AgentJob
    stream: str = ""
    command: str = "run"
    """of the agent, which reads the job"""


OnProgress = Callable[[int, int], None]
"""called about once a second with the bytes and operations so far of all clients"""


@dataclass(frozen=True)
class Watch:
    """The callbacks of a caller while agents run."""

    started: Callable[[], None] = lambda: None
    """at the common start"""
    ended: Callable[[], None] = lambda: None
    """when the last agent has sent its result"""
    progress: OnProgress = lambda _bytes, _operations: None
    clock_set: OnClockSet = lambda _node, _line, _clock: None
    stalled: Callable[[str], None] = lambda _: None
    """a sentence while storage does not answer, or agents are not ready; one for many clients"""
    keep: Callable[[str, str], None] = lambda _name, _text: None
    """at the end, all lines of an agent, with the name of its client and stream"""
    keeps_lines: bool = True
    """whether the lines stay in memory for `keep`"""
    line: Callable[[str, str], None] = lambda _name, _line: None
    """at once, each line of an agent, in the thread that received it; it must not raise"""
    lost: Callable[[str, str], None] = lambda _name, _reason: None
    """when an agent is lost, with the reason"""


@dataclass
class _Follower:
    """One agent as observed while it runs."""

    stream: Stream
    agent: AgentLines
    raw: list[str] = field(default_factory=list)
    received_s: float = field(default_factory=time.monotonic)
    received_lines: int = 0
    """received lines, its end included"""
    processed_lines: int = 0
    """of these, the processed ones"""
    prepared_s: float = field(default_factory=time.monotonic)
    """when it last had one more file or directory ready"""
    ending: CommandEnd | None = None
    """once its output has ended"""
    watch: Watch = field(default_factory=Watch)

    @property
    def is_over(self) -> bool:
        """Nothing more is to come."""
        return self.agent.done is not None or self.agent.lost is not None

    @property
    def awaited(self) -> bool:
        """It is not ready, and may become so."""
        return not self.is_over and not self.agent.is_ready

    def lose(self, reason: str) -> None:
        """Expect nothing more."""
        self.note_lost(reason)
        self.stream.stop()

    def note_lost(self, reason: str) -> None:
        """Record that its result is missing."""
        self.agent.lost = reason
        self.watch.lost(self.agent.name, reason)


class _ReceivedLine(NamedTuple):
    """A line of an agent that was not processed yet."""

    received_s: float
    follower: _Follower
    text: str | None
    """None: the output has ended"""


class AgentGroup:
    """A group of agents, one per assignment, that begin at one instant and are followed until they
    end.

    Lines are read continuously; they are processed while `follow` runs, in the caller's own thread.
    """

    def __init__(
        self,
        transport: Transport,
        agent: str,
        assignments: Sequence[Assignment],
        clocks: Mapping[str, ClockOffset],
        watch: Watch | None = None,
        *,
        silence_s: float | None = None,
        grace_s: float = 0.0,
        merged: MergedSeconds | None = None,
    ) -> None:
        """`grace_s`: maximum wait of a first request in s because the storage's server was
        restarted. `merged` takes the latencies of each second, which are then not kept.
        """
        self._merged = merged
        self._transport = transport
        self._agent = agent
        self._assignments = assignments
        self._clocks = clocks
        self._watch = watch or Watch()
        self._ready_s = READY_TIMEOUT_S + grace_s
        self._silence_s = SILENCE_S if silence_s is None else silence_s
        self._followers: list[_Follower] = []
        self._inbox: queue.SimpleQueue[_ReceivedLine] = queue.SimpleQueue()
        self._glance_s = 0.0
        """when all agents are checked next"""
        self._stalls = StallReporter(self._watch.stalled)
        self._open = contextlib.ExitStack()

    def __enter__(self) -> "AgentGroup":
        """Start every agent and send it its job; agents that still run when the block is left are
        ended.
        """
        with gathered(self._transport):
            self._begin()
        return self

    def _begin(self) -> None:
        for item in self._assignments:
            stream = self._transport.stream(item.client, f"{self._agent} {item.command}")
            ahead_s = self._clocks[item.client].ahead_s
            agent = AgentLines(item.client, ahead_s, stream=item.stream, merged=self._merged)
            self._followers.append(_Follower(stream, agent, watch=self._watch))
        streams = [follower.stream for follower in self._followers]
        self._open.enter_context(following(streams, self._transport))
        for follower, item in zip(self._followers, self._assignments, strict=True):
            _listen(follower, self._inbox)
            follower.stream.send(item.job.line())

    def __exit__(self, *_: object) -> None:
        self._stalls.flush()
        self._open.close()

    @property
    def agents(self) -> list[AgentLines]:
        """The lines of each agent so far, in the order of the assignments."""
        return [follower.agent for follower in self._followers]

    @property
    def is_over(self) -> bool:
        """Every agent has sent its result, or is lost."""
        return all(follower.is_over for follower in self._followers)

    def start(self) -> float:
        """Wait until every agent is ready, and start them together; returns the unix time of the
        common start.

        An agent that dies, falls silent or is not ready in time is lost, and the remaining ones
        begin without it. Raises RunError when an agent refuses its job, or no agent is left.
        """
        report_s = time.monotonic() + START_REPORTED_S
        while any(follower.awaited for follower in self._followers):
            self._receive(GLANCE_S)
            if not self._is_glance_due():
                continue
            if time.monotonic() > report_s:
                report_s = float("inf")
                self._report_missing()
            awaited = [item for item in self._followers if item.awaited]
            preparing = [item for item in awaited if item.processed_lines]
            self._notice_silence(
                [item for item in awaited if not item.processed_lines], START_SILENCE_S
            )
            self._notice_silence(preparing, READY_SILENCE_S)
            for follower in self._followers:
                if follower.awaited and time.monotonic() > follower.prepared_s + self._ready_s:
                    follower.lose(
                        f"the agent was not ready, and prepared nothing for {self._ready_s:.0f} s"
                    )
        lost = [follower for follower in self._followers if follower.agent.lost]
        for follower in lost:
            is_refused = follower.ending is not None and follower.ending.exit_code == REFUSED
            if is_refused or len(lost) == len(self._followers):
                raise RunError(f"{follower.agent.name}: {follower.agent.lost}")
        return self._release([follower for follower in self._followers if not follower.is_over])

    def _report_missing(self) -> None:
        """Name the nodes on which no agent has sent anything."""
        missing = [
            follower.agent.client
            for follower in self._followers
            if follower.awaited and not follower.processed_lines
        ]
        if missing:
            self._watch.stalled(
                f"{fold(missing)}: no agent has started within {START_REPORTED_S:.0f} s"
            )

    def _release(self, ready: Sequence[_Follower]) -> float:
        start_s = unix_s() + START_DELAY_S + START_DELAY_PER_AGENT_S * len(ready)
        with gathered(self._transport):
            for follower in ready:
                start_ns = int((start_s + follower.agent.ahead_s) * 1e9)
                follower.stream.send(json.dumps({"start_boottime_ns": start_ns}))
        time.sleep(max(0.0, start_s - unix_s()))
        self._watch.started()
        for follower in ready:  # an agent that was ready early has sent nothing since
            follower.received_s = time.monotonic()
        return start_s

    def follow(
        self, until: Callable[[], bool] | None = None, limit_s: float = float("inf")
    ) -> bool:
        """Follow the agents until a condition holds (by default: every agent has ended) or the
        limit is reached.

        Returns whether the condition holds.
        """
        holds = self._follow(until or (lambda: self.is_over), limit_s)
        self._stalls.flush()  # nothing is processed until the next call
        return holds

    def _follow(self, until: Callable[[], bool], limit_s: float) -> bool:
        limit = time.monotonic() + limit_s
        while not until():
            left_s = limit - time.monotonic()
            if left_s <= 0:
                return False
            self._receive(min(GLANCE_S, left_s))
            if not self._is_glance_due():
                continue
            self._notice_silence(self._followers, self._silence_s)
            self._watch.progress(
                sum(agent.so_far.size_bytes for agent in self.agents),
                sum(agent.so_far.operations for agent in self.agents),
            )
        return True

    def _receive(self, timeout_s: float) -> None:
        """Wait for a line at most `timeout_s`, and process all lines that have arrived."""
        with contextlib.suppress(queue.Empty):
            self._process(self._inbox.get(timeout=timeout_s))
            if len(self._followers) > 1:
                time.sleep(GATHER_S)
            for _ in range(LINES_MAX):
                self._process(self._inbox.get_nowait())
        self._stalls.flush_due()

    def _is_glance_due(self) -> bool:
        """Whether all agents must be checked now.

        A check for each line would be quadratic in the number of agents.
        """
        now_s = time.monotonic()
        if now_s < self._glance_s:
            return False
        self._glance_s = now_s + GLANCE_S
        return True

    def _process(self, item: _ReceivedLine) -> None:
        """Process one line; past stalls are not reported."""
        follower = item.follower
        event = _take(follower, item.text) or {}
        is_news = time.monotonic() - item.received_s < NEWS_S
        if event.get("event") in EVENTS and is_news:
            self._stalls.hear(follower.agent, cast(StalledTasks, event))
        elif event.get("event") == "wall-clock-set":
            client = follower.agent.client
            self._watch.clock_set(client, event, self._clocks[client])

    def _notice_silence(self, followers: Sequence[_Follower], silence_s: float) -> None:
        """Declare silent agents lost, except those with unprocessed lines, which may be their
        result.
        """
        now_s = time.monotonic()
        for follower in followers:
            unread = follower.received_lines > follower.processed_lines
            allowed_s = (
                silence_s + SILENT_ROUND_TRIPS * self._clocks[follower.agent.client].round_trip_s
            )
            if not follower.is_over and not unread and now_s - follower.received_s > allowed_s:
                follower.lose(f"the agent has been silent for {allowed_s:.0f} s")

    def give_up(self, client: str, reason: str) -> None:
        """Expect nothing more of a client."""
        for follower in self._followers:
            if follower.agent.client == client and not follower.is_over:
                follower.lose(reason)

    def cancel(self) -> None:
        """Ask every agent to stop after the current operation; `follow` collects their results."""
        for follower in self._followers:
            if not follower.is_over:
                follower.stream.send(json.dumps({"cancel": True}))

    def keep(self) -> None:
        """Pass every received line to the callback that keeps them, if they were kept."""
        if not self._watch.keeps_lines:
            return
        for follower in self._followers:
            self._watch.keep(follower.agent.name, "\n".join(follower.raw) + "\n")


class PhaseRun(NamedTuple):
    """A phase that ran on all clients."""

    started_unix_s: float
    """the common start"""
    agents: list[AgentLines]


def run_phase(
    transport: Transport,
    agent: str,
    jobs: Mapping[str, AgentJob],
    clocks: Mapping[str, ClockOffset],
    watch: Watch | None = None,
    *,
    grace_s: float = 0.0,
) -> PhaseRun:
    """Run one phase on all clients.

    Raises RunError when an agent refuses its job, or none is ready in time. An agent that dies or
    falls silent does not end the others: its lines show it, and the phase is partial.
    """
    watch = watch or Watch()
    assignments = [Assignment(client, job) for client, job in jobs.items()]
    merged = MergedSeconds()
    with AgentGroup(
        transport, agent, assignments, clocks, watch, grace_s=grace_s, merged=merged
    ) as group:
        start_s = group.start()
        group.follow()
        watch.ended()
        group.keep()
    return PhaseRun(start_s, group.agents)


def _listen(follower: _Follower, inbox: "queue.SimpleQueue[_ReceivedLine]") -> None:
    name = follower.agent.name

    def receive(line: str) -> None:
        follower.received_s = time.monotonic()
        follower.received_lines += 1
        inbox.put(_ReceivedLine(follower.received_s, follower, line))
        follower.watch.line(name, line)

    def end(exit_code: int, stderr: str) -> None:
        follower.ending = CommandEnd(exit_code, stderr)
        follower.received_lines += 1
        inbox.put(_ReceivedLine(time.monotonic(), follower, None))

    follower.stream.listen(receive, end, FINISH_TIMEOUT_S)


def _take(follower: _Follower, line: str | None) -> dict[str, Any] | None:
    """Record a line, or the end of the agent's output; returns the line's event, if it is one."""
    agent = follower.agent
    follower.processed_lines += 1
    if line is None:
        if not follower.is_over:
            ending = follower.ending or CommandEnd(0, "")
            follower.note_lost(agent.why_no_result(ending.exit_code, ending.stderr))
        return None
    if follower.watch.keeps_lines:
        follower.raw.append(line)
    try:
        event = json.loads(line)
    except ValueError:
        follower.note_lost(f"the agent sent a line that is not JSON: {line[:80]!r}")
        return None
    if not isinstance(event, dict):
        follower.note_lost(f"the agent sent a line that is no object: {line[:80]!r}")
        return None
    before = agent.preparing[-1:]
    agent.add(event)
    if event.get("event") == "preparing":
        pending = _pending(cast(StalledTasks, event))
        if not before or pending != _pending(before[0]):
            follower.prepared_s = follower.received_s
    return dict(event)


def _pending(preparing: StalledTasks) -> list[tuple[int, int]]:
    """(task, since) of each waiting task; the start time distinguishes its files."""
    return [(task["task"], task["since_boottime_ns"]) for task in preparing["tasks"]]
