"""Agents that do not start, fall silent, are killed or cancelled."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from seatrial.basics.errors import RunError
from seatrial.load.agent import AgentGroup, Assignment, Watch, run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.jobs import JobContext, jobs
from seatrial.streams import Stream
from seatrial.study.workload import Workload
from seatrial.transport import Local
from tests.builders.agents import AGENT, NODES, phase, workload


def test_an_agent_that_cannot_start_is_named(tmp_path: Path) -> None:
    """Before the common start it is an error: nothing was measured yet."""
    with pytest.raises(RunError, match=r"c\d: .*nowhere"):
        phase(tmp_path / "nowhere", "read", workload())


class Killing(Local):
    """Kills one agent a moment after it was started."""

    def __init__(self, victim: str, number: signal.Signals) -> None:
        self.victim = victim
        self.number = number

    def stream(self, node: str, command: str) -> Stream:
        stream = super().stream(node, f"exec {command}")
        if node == self.victim and command.endswith(" run"):
            threading.Timer(1.2, self._kill, [stream]).start()
        return stream

    def _kill(self, stream: Stream) -> None:
        os.kill(stream._process.pid, self.number)


def test_a_killed_agent_is_named_and_the_others_finish(tmp_path: Path) -> None:
    """The lost client makes the phase partial; the rest is complete."""
    # An open loop: 4 s, however fast the disk.
    load = workload(file_size="8MiB", arrivals_per_s=500)
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    transport = Killing("c2", signal.SIGKILL)
    clocks = measure_clocks(transport, NODES, AGENT)
    results = list(
        map(
            client_result,
            run_phase(transport, AGENT, jobs(load, "write", NODES, context), clocks)[1],
        )
    )
    by_name = {item.client: item for item in results}
    assert by_name["c2"].lost is not None
    assert "ended without a result" in by_name["c2"].lost
    assert by_name["c1"].lost is None
    assert by_name["c3"].size_bytes == 8 * 2**20


def test_an_agent_that_falls_silent_is_declared_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stopped process is silent and does not end; the results of the others are kept."""
    monkeypatch.setattr("seatrial.load.agent.SILENCE_S", 1.5)
    monkeypatch.setattr("seatrial.load.agent.SILENT_ROUND_TRIPS", 0)
    # An open loop: 4 s, however fast the disk.
    load = workload(file_size="8MiB", arrivals_per_s=500)
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    transport = Killing("c2", signal.SIGSTOP)
    clocks = measure_clocks(transport, NODES, AGENT)
    started = time.monotonic()
    results = list(
        map(
            client_result,
            run_phase(transport, AGENT, jobs(load, "write", NODES, context), clocks)[1],
        )
    )
    assert [item.lost for item in results if item.client == "c2"] == [
        "the agent has been silent for 2 s"
    ]
    assert {item.client for item in results if item.lost is None} == {"c1", "c3"}
    assert time.monotonic() - started < 120


def test_a_client_has_several_agents_that_can_be_cancelled(tmp_path: Path) -> None:
    """The lines of each stream are separate; the work until the cancellation is present."""
    load = workload(file_size="64MiB", pattern="random", arrivals_per_s=50)
    clocks = measure_clocks(Local(), NODES[:1], AGENT)
    assignments = []
    for number, name in enumerate(("small", "names"), start=1):
        (tmp_path / name).mkdir()
        context = JobContext("00000000000000ab", str(tmp_path / name), number, None)
        job = jobs(
            load if name == "small" else names_load(),
            "write" if name == "small" else "create",
            ["c1"],
            context,
        )
        assignments.append(Assignment("c1", job["c1"], name))
    kept: dict[str, str] = {}
    with AgentGroup(Local(), AGENT, assignments, clocks, Watch(keep=kept.__setitem__)) as crew:
        crew.start()
        assert not crew.follow(limit_s=1.2)
        crew.cancel()
        assert crew.follow(limit_s=10)
        crew.keep()
    assert [(item.client, item.stream, item.lost) for item in crew.agents] == [
        ("c1", "small", None),
        ("c1", "names", None),
    ]
    assert [(item.done or {})["stopped_by"] for item in crew.agents] == ["cancelled"] * 2
    assert all((item.done or {})["operations"] > 10 for item in crew.agents)
    assert list(kept) == ["c1 small", "c1 names"]


def names_load() -> Workload:
    """Names at a steady pace, for longer than any test."""
    return Workload.model_validate(
        {"phases": ["create"], "tree": {"items": 9000}, "arrivals_per_s": 50}
    )


def test_the_end_of_a_stream_is_not_waited_for_without_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A command that hangs in the kernel of a node may keep the pipe open."""
    monkeypatch.setattr("seatrial.streams.STDERR_TIMEOUT_S", 0.2)
    stream = Local().stream("here", "echo said >&2; sleep 20 </dev/null >/dev/null & exit 3")
    started_s = time.monotonic()
    assert stream.finish(timeout_s=15) == (3, "")
    assert time.monotonic() - started_s < 15


def test_an_agent_that_was_ready_early_is_not_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time until the last agent is ready is not held against the others."""
    monkeypatch.setattr("seatrial.load.agent.SILENCE_S", 1.5)
    monkeypatch.setattr("seatrial.load.agent.SILENT_ROUND_TRIPS", 0)

    class Slow(Local):
        def stream(self, node: str, command: str) -> Stream:
            late = "sleep 3; " if node == "c3" and command.endswith(" run") else ""
            return super().stream(node, late + command)

    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    clocks = measure_clocks(Local(), NODES, AGENT)
    load = workload(file_size="1MiB", arrivals_per_s=100)
    _, everyone = run_phase(Slow(), AGENT, jobs(load, "write", NODES, context), clocks)
    assert [item.lost for item in everyone] == [None] * 3
