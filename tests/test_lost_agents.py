"""Agents that die, stop or hang, before the common start and after it: they are named, and
the others continue.
"""

import itertools
import json
import os
import re
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from seatrial.basics.errors import RunError
from seatrial.basics.shipped import find_agent
from seatrial.load import agent
from seatrial.load.agent import AgentGroup, Assignment, Watch, run_phase
from seatrial.load.agent_events import DoneLine
from seatrial.load.agent_lines import AgentLines
from seatrial.load.clock_offsets import ClockOffset, measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.job import PROTOCOL
from seatrial.load.jobs import JobContext, jobs
from seatrial.load.phases import PlannedPhase, result_of
from seatrial.plan.data_path import DataPath
from seatrial.streams import Stream
from seatrial.study.points import Point
from seatrial.study.workload import Workload
from seatrial.transport import Local

NODES = ("c1", "c2", "c3")
AGENT = str(find_agent())
LOAD = Workload.model_validate(
    {"transfer_size": "4KiB", "file_size": "1MiB", "arrivals_per_s": 200}
)
"""an open loop: 1.3 s, however fast the disk"""


class Hurting(Local):
    """Does something to the agent of c2 a moment after it was started."""

    def __init__(self, number: signal.Signals, after_s: float) -> None:
        self.number = number
        self.after_s = after_s

    def stream(self, node: str, command: str) -> Stream:
        stream = super().stream(node, f"exec {command}")
        if node == "c2" and command.endswith(" run"):
            timer = threading.Timer(self.after_s, lambda: os.kill(stream._process.pid, self.number))
            timer.start()
        return stream


def run(
    folder: Path, transport: Local, watch: Watch | None = None, phase: str = "write"
) -> list[AgentLines]:
    """One phase on three agents of this machine."""
    clocks = measure_clocks(Local(), NODES, AGENT)
    context = JobContext("00000000000000ab", str(folder), 1, None)
    return run_phase(transport, AGENT, jobs(LOAD, phase, NODES, context), clocks, watch)[1]


def hang(folder: Path, name: str = "f0002.000") -> None:
    """Reading this file hangs before `ready`: no process writes to the pipe. The others'
    files exist.
    """
    for other in ("f0000.000", "f0001.000", "f0002.000"):
        if other == name:
            os.mkfifo(folder / other)
        else:
            (folder / other).write_bytes(bytes(2**20))


def result(everyone: Sequence[AgentLines]) -> Any:
    """The result's line of a phase."""
    solution = SimpleNamespace(data_path=lambda *_, **__: DataPath(3, ()))
    context = JobContext("00000000000000ab", "/x", 1, None)
    work = PlannedPhase(
        cast("Any", SimpleNamespace(solution=solution)),
        "one",
        Point({}, 3, LOAD, {}),
        1,
        "write",
        context,
    )
    return result_of(work, time.time(), everyone, None, 0.0)


def test_the_bounds() -> None:
    """A stopped agent is lost within 10 s of its last line, the time until that is noticed
    included.
    """
    assert max(agent.SILENCE_S, agent.READY_SILENCE_S) + agent.GLANCE_S < 10.0


@pytest.mark.parametrize(
    ("lines", "stderr", "reason"),
    [
        ([], "", "(exit 3: no message)"),
        ([], "note\ncannot open f0\n", "(exit 3: cannot open f0)"),
        (
            [{"event": "abandoned", "tasks": [{"task": 0}]}],
            "",
            ": 1 task did not end after the stop",
        ),
    ],
)
def test_an_agent_without_a_result_states_why(
    lines: list[dict[str, Any]], stderr: str, reason: str
) -> None:
    """Abandoned tasks are the reason, although the agent writes no error."""
    ended = AgentLines("c1", 0.0, lines)
    assert ended.why_no_result(3, stderr).endswith(reason)


def test_an_agent_that_dies_before_it_is_ready_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others begin without it; the result is partial, and names it."""
    monkeypatch.setattr(agent, "READY_TIMEOUT_S", 30.0)
    hang(tmp_path)  # c2 reads what c3 should have written
    everyone = run(tmp_path, Hurting(signal.SIGKILL, 1.5), phase="read")
    found = result(everyone)
    assert found.partial
    lost = {item.client: item.lost for item in found.clients}
    assert (lost["c1"], lost["c3"]) == (None, None)
    assert "ended without a result" in str(lost["c2"])
    assert [item.size_bytes for item in found.clients] == [2**20, 0, 2**20]


def test_an_agent_that_stops_before_it_is_ready_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is silent; a ready agent waits for the others and does not count as silent."""
    monkeypatch.setattr(agent, "READY_SILENCE_S", 2.5)
    monkeypatch.setattr(agent, "START_SILENCE_S", 2.5)
    monkeypatch.setattr(agent, "SILENT_ROUND_TRIPS", 0)
    hang(tmp_path)
    everyone = run(tmp_path, Hurting(signal.SIGSTOP, 1.5), phase="read")
    assert [item.lost for item in everyone] == [None, "the agent has been silent for 2 s", None]
    assert result(everyone).partial


def test_files_that_do_not_open_are_named_within_a_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each second the agent names them; it is not silent, and lost when the time is over."""
    monkeypatch.setattr(agent, "READY_SILENCE_S", 2.5)
    monkeypatch.setattr(agent, "START_SILENCE_S", 2.5)
    monkeypatch.setattr(agent, "SILENT_ROUND_TRIPS", 0)
    monkeypatch.setattr(agent, "READY_TIMEOUT_S", 4.0)
    hang(tmp_path)
    reported: list[str] = []
    everyone = run(tmp_path, Local(), Watch(stalled=reported.append), phase="read")
    assert [item.lost for item in everyone] == [
        None,
        "the agent was not ready, and prepared nothing for 4 s",
        None,
    ]
    assert len(everyone[1].preparing) >= 2
    assert re.fullmatch(r"c2: not ready after \d+\.\d s: 1 task: f0002\.000", reported[0])


@pytest.mark.parametrize(
    ("error_s", "lost"), [(0.0, "the agent has been silent for 8 s"), (0.02, None)]
)
def test_a_slow_machines_agent_may_be_silent_for_longer(error_s: float, lost: str | None) -> None:
    """By a hundred of its round trips, each of twice the clock's error: 4 s more where one takes 40
    ms.
    """
    crew = agent.AgentGroup(Local(), AGENT, [], {"c1": ClockOffset(0.0, error_s)})
    stream = cast("Any", SimpleNamespace(stop=lambda: None))
    follower = agent._Follower(stream, AgentLines("c1", 0.0), received_s=time.monotonic() - 10.0)
    crew._notice_silence([follower], agent.SILENCE_S)
    assert follower.agent.lost == lost


@pytest.mark.parametrize(
    ("line", "form"), [("Segmentation fault", "not JSON"), ("42", "no object"), ("[]", "no object")]
)
def test_an_agent_that_prints_nonsense_first_is_lost_alone(line: str, form: str) -> None:
    """It has printed no event yet; the login of a node may print a number."""
    crew = agent.AgentGroup(Local(), AGENT, [], {})
    follower = agent._Follower(Stream.__new__(Stream), AgentLines("c1", 0.0))
    crew._inbox.put(agent._ReceivedLine(0.0, follower, line))
    crew._receive(1.0)
    assert follower.agent.lost == f"the agent sent a line that is {form}: {line!r}"


def test_a_wall_clock_that_was_set_is_passed_on() -> None:
    """With the client's clock."""
    reported: list[Any] = []
    clock = ClockOffset(5.0, 0.1)
    watch = Watch(clock_set=lambda *found: reported.append(found))
    crew = agent.AgentGroup(Local(), AGENT, [], {"c1": clock}, watch)
    line = {"event": "wall-clock-set", "boottime_ns": 7, "set_by_ns": 9}
    crew._inbox.put(
        agent._ReceivedLine(
            0.0,
            agent._Follower(Stream.__new__(Stream), AgentLines("c1", 5.0)),
            json.dumps(line),
        )
    )
    crew._receive(1.0)
    assert reported == [("c1", line, clock)]


def test_an_agent_that_prepares_files_in_sequence_has_more_time() -> None:
    """The time restarts with each file; the same line again is no progress."""
    follower = agent._Follower(Stream.__new__(Stream), AgentLines("c1", 0.0))
    times = []
    for at_s, since_ns in [(1.0, 5), (2.0, 5), (3.0, 7), (4.0, 7)]:
        follower.received_s = at_s
        agent._take(follower, json.dumps({**stall(since_ns), "event": "preparing"}))
        times.append(follower.prepared_s)
    assert times == [1.0, 1.0, 3.0, 3.0]


def test_no_agent_left_is_an_error(tmp_path: Path) -> None:
    """Nothing was measured; and a refused job is wrong for all clients."""
    with pytest.raises(
        RunError, match=r"c1: the agent ended without a result \(exit 3: .*cannot open"
    ):
        run(tmp_path / "nowhere", Local())
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    written = jobs(LOAD, "write", NODES, context)
    later = {client: replace(job, protocol=PROTOCOL + 1) for client, job in written.items()}
    clocks = measure_clocks(Local(), NODES, AGENT)
    with pytest.raises(RunError, match=r"exit 2: .*field `protocol`"):
        run_phase(Local(), AGENT, later, clocks)


def test_an_agent_that_does_not_end_delays_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its output has ended and its process has not: the others' lines are read meanwhile."""
    monkeypatch.setattr(agent, "FINISH_TIMEOUT_S", 3.0)
    monkeypatch.setattr("seatrial.streams.STDERR_TIMEOUT_S", 0.2)

    class Lingering(Local):
        def stream(self, node: str, command: str) -> Stream:
            lingers = node == "c2" and command.endswith(" run")
            return super().stream(
                node, f"timeout -s KILL 1 {command}; exec sleep 8 >&-" if lingers else command
            )

    times_s: list[float] = []
    watch = Watch(
        started=lambda: times_s.append(time.monotonic()),
        progress=lambda *_: times_s.append(time.monotonic()),
    )
    everyone = run(tmp_path, Lingering(), watch)
    assert [item.lost is None for item in everyone] == [True, False, True]
    assert max(later - before for before, later in itertools.pairwise(times_s)) < 7


def stall(since_s: float, task: int = 0) -> dict[str, Any]:
    """A line of an agent."""
    since_ns = int(since_s * 1e9)
    tasks = [
        {
            "task": task,
            "file": f"f{task}",
            "since_boottime_ns": since_ns,
            "stalled_ns": 1_200_000_000,
        }
    ]
    return {"event": "stall", "boottime_ns": since_ns, "tasks": tasks}


@pytest.mark.parametrize(("age_s", "reported"), [(0.0, 1), (60.0, 0)])
def test_a_stall_that_was_read_late_is_not_reported(age_s: float, reported: int) -> None:
    """Its line is read when the fault is injected, long after it."""
    lines: list[str] = []
    crew = agent.AgentGroup(Local(), AGENT, [], {}, Watch(stalled=lines.append))
    follower = agent._Follower(cast("Any", None), AgentLines("c1", 0.0))
    crew._inbox.put(agent._ReceivedLine(time.monotonic() - age_s, follower, json.dumps(stall(1))))
    crew._receive(1.0)
    crew._stalls.flush()
    assert (len(lines), len(follower.agent.stalls)) == (reported, 1)


def test_a_lost_client_makes_a_result_partial() -> None:
    """So do errors, and nothing else."""
    tasks = [{"bytes": 10, "elapsed_ns": 1e9, "operations": 1}]
    whole = {"event": "done", "complete": True, "tasks": tasks, "elapsed_ns": 1e9}
    well = [AgentLines(name, 0.0, done=cast(DoneLine, whole)) for name in NODES]
    assert not result(well).partial
    assert result([*well[:2], AgentLines("c3", 0.0, lost="gone")]).partial
    assert client_result(AgentLines("c3", 0.0, lost="gone")).lost == "gone"
    error = {"operation": "write", "file": "f", "text": "no", "count": 1}
    failed = AgentLines("c3", 0.0, done=cast(DoneLine, {**whole, "errors": [error]}))
    assert result([*well[:2], failed]).partial


def test_an_agent_with_a_result_is_not_silent_however_late_it_is_read(tmp_path: Path) -> None:
    """During an injection, which may take minutes, the controller reads no lines of agents;
    some agents end meanwhile.
    """
    clocks = measure_clocks(Local(), NODES, AGENT)
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    assignments = [
        Assignment(client, job) for client, job in jobs(LOAD, "write", NODES, context).items()
    ]
    with AgentGroup(Local(), AGENT, assignments, clocks, silence_s=0.2) as crew:
        crew.start()
        while any(follower.stream._process.poll() is None for follower in crew._followers):
            time.sleep(0.1)
        time.sleep(0.5)
        crew.follow()
    assert [item.lost for item in crew.agents] == [None] * 3
    assert all(item.done for item in crew.agents)
