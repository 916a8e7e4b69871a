"""The live file: one line per second while a run is in progress, and nothing of it afterwards."""

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.shipped import find_agent
from seatrial.load.agent import Watch, run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.jobs import JobContext, jobs
from seatrial.load.live import LATENCY_AGENTS_MAX, SILENT_AFTER_S, LiveMeter, written_each_second
from seatrial.result import live
from seatrial.result.live import (
    AgentState,
    LiveAgent,
    LiveFault,
    LiveFile,
    LiveLoad,
    LiveSecond,
    is_running,
)
from seatrial.result.writer import Writer
from seatrial.service.followed import Followed
from seatrial.study.workload import Workload
from seatrial.transport import Local
from seatrial.watch.snapshot import ClientState, Snapshot
from seatrial.watch.state import RunState
from seatrial.watch.tail import Tail
from tests.builders.watching import agent, histogram

LOAD = LiveLoad("one phase", (LiveAgent("c1"), LiveAgent("c2", "small")))


def lines_of(folder: Path) -> list[dict[str, Any]]:
    """The lines of a live file."""
    return [json.loads(text) for text in (folder / live.LIVE).read_text().splitlines()]


def types_of(folder: Path) -> list[str]:
    """The types of its lines."""
    return [str(line["type"]) for line in lines_of(folder)]


def test_a_result_has_a_live_file_while_it_is_written(tmp_path: Path) -> None:
    """A killed run leaves one that is not locked; the end removes it, and the seal has no sum."""
    folder = tmp_path / "run"
    writer = Writer(folder)
    assert is_running(folder)
    writer.line("run", schema="result/1")
    writer.close()
    assert not is_running(folder)
    assert [path.name for path in folder.glob("live*")] == []
    assert live.LIVE not in (folder / "result.sha256").read_text()
    (folder / live.LIVE).write_text("{}\n")
    assert not is_running(folder)
    again = Writer(folder, append=True)
    assert is_running(folder)
    again.close()


def test_a_line_is_restored(tmp_path: Path) -> None:
    """The types with fields that are objects."""
    file = LiveFile(tmp_path)
    second = LiveSecond(3, 4, (agent(), agent(silent_s=2.5)), {1: "gone"}, {0: ("text",)})
    fault = LiveFault("panic", "The kernel panics", injected_unix_s=1.5)
    file.load(LOAD)
    file.second(second)
    file.fault(fault)
    loaded, seconds, course = lines_of(tmp_path)
    assert LiveLoad.from_json(loaded) == LOAD
    assert LiveSecond.from_json(seconds) == second
    assert LiveFault.from_json(course) == fault
    file.close()


def test_the_file_is_bounded(tmp_path: Path) -> None:
    """A new one begins with the current state, and is locked as well."""
    file = LiveFile(tmp_path, bytes_max=2000)
    file.message("old")
    file.load(LOAD)
    file.message("new")
    for _ in range(100):
        file.second(LiveSecond(0, 0, (agent(), agent())))
        assert (tmp_path / live.LIVE).stat().st_size <= 2000
        assert is_running(tmp_path)
    assert types_of(tmp_path)[:2] == [live.MESSAGE, live.LOAD]
    assert lines_of(tmp_path)[0]["text"] == "new"
    file.load_ended()
    for _ in range(100):
        file.message("newest")
    assert live.LOAD not in types_of(tmp_path)
    file.close()


def test_a_reader_misses_no_line_of_a_replaced_file(tmp_path: Path) -> None:
    """It reads the old file to its end."""
    file = LiveFile(tmp_path, bytes_max=2000)
    tail = Tail(tmp_path / live.LIVE)
    found = []
    for number in range(100):
        file.message(f"number {number}")
        found += [json.loads(text)["text"] for text in tail.lines()]
    assert sorted(set(found), key=found.index) == [f"number {number}" for number in range(100)]
    file.close()
    tail.close()


def test_a_full_disk_ends_the_live_file_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No error reaches the run."""

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    file = LiveFile(tmp_path)
    monkeypatch.setattr("seatrial.result.live.os.write", full)
    file.message("lost")
    monkeypatch.undo()
    file.message("lost too")
    assert types_of(tmp_path) == []
    file.close()
    LiveFile(tmp_path / "missing").message("no folder")


def test_a_file_system_without_locks_has_a_live_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The existence of the file then decides."""

    def refuse(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    file = LiveFile(tmp_path)
    file.message("kept")
    assert types_of(tmp_path) == [live.MESSAGE]
    assert is_running(tmp_path)
    file.close()
    assert not is_running(tmp_path)


class Clock:
    """A clock that a test sets."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def second_of(**changes: Any) -> str:
    """A line of an agent at work."""
    fields: dict[str, Any] = {"bytes": 4096, "operations": 1, "errors": 0, "latency_ns_max": 2e6}
    return json.dumps({"event": "second", "interval_ns": 1_000_000_000, **fields, **changes})


def test_a_meter_adds_the_lines_of_agents() -> None:
    """Since the last call, and in total; the result's totals count at the end."""
    clock = Clock()
    meter = LiveMeter(LOAD, clock)
    meter.hear("c1", json.dumps({"event": "ready"}))
    assert meter.second().agents[0].state is AgentState.WAITING
    meter.hear("c1", second_of())
    meter.hear("c1", second_of(errors=2, latency_ns_max=7e6))
    coded = histogram({1000: 1})
    kinds = {"write": coded, "fsync": coded}
    meter.hear("c1", json.dumps({"event": "latencies", "histograms": kinds}))
    found = meter.second()
    first = found.agents[0]
    assert (first.size_bytes, first.operations, first.interval_ms) == (8192, 2, 2000.0)
    assert (first.errors_total, first.latency_max_ms) == (2, 7.0)
    assert found.histograms == {0: (coded,)}
    assert (found.size_bytes_total, found.agents[1].state) == (8192, AgentState.WAITING)
    assert meter.second().agents[0].operations == 0
    meter.hear("c1", json.dumps({"event": "done", "bytes": 9000, "operations": 5}))
    last = meter.second()
    assert (last.agents[0].state, last.size_bytes_total) == (AgentState.DONE, 9000)


def test_a_silent_client_is_one_that_waits_or_sends_nothing() -> None:
    """One of an open loop that has nothing to do is not silent."""
    clock = Clock()
    meter = LiveMeter(LOAD, clock)
    meter.hear("c1", second_of())
    clock.now_s += 1
    meter.hear("c1", second_of(operations=0, bytes=0))
    assert meter.second().agents[0].silent_s == 0.0
    meter.hear("c1", json.dumps({"event": "stall", "tasks": []}))
    assert meter.second().agents[0].silent_s == 1.0
    clock.now_s += SILENT_AFTER_S + 0.5
    meter.hear("c1", second_of())
    assert meter.second().agents[0].silent_s == 0.0
    clock.now_s += SILENT_AFTER_S + 0.5
    assert meter.second().agents[0].silent_s == SILENT_AFTER_S + 0.5


def test_a_lost_client_stays_lost() -> None:
    """With its reason; later lines of it change nothing."""
    meter = LiveMeter(LOAD)
    meter.lose("c2 small", "its power was cut")
    meter.hear("c2 small", json.dumps({"event": "done", "bytes": 1, "operations": 1}))
    found = meter.second()
    assert (found.agents[1].state, found.lost) == (AgentState.LOST, {1: "its power was cut"})


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"event": "second"}', '"second"'])
def test_a_line_that_is_none_is_ignored(text: str) -> None:
    """The callback runs in the thread that receives the lines, and never raises."""
    meter = LiveMeter(LOAD)
    meter.hear("c1", text)
    meter.hear("nobody", second_of())
    assert meter.second().operations_total == 0


def test_many_agents_have_no_histograms() -> None:
    """They would be most of the file."""
    agents = tuple(LiveAgent(f"c{number}") for number in range(LATENCY_AGENTS_MAX + 1))
    meter = LiveMeter(LiveLoad("many", agents))
    kinds = {"read": histogram({1000: 1})}
    meter.hear("c1", json.dumps({"event": "latencies", "histograms": kinds}))
    assert meter.second().histograms == {}


def test_messages_and_the_time_left_are_in_the_live_file(tmp_path: Path) -> None:
    """And reach the terminal as before."""

    class Progress:
        reported: list[object] = []  # noqa: RUF012 - of one test

        def say(self, text: str) -> None:
            self.reported.append(text)

        def detail(self, text: str) -> None:
            self.reported.append(text)

        def expect(self, remaining_s: float) -> None:
            self.reported.append(remaining_s)

        def progress(self, title: str, share: float, rate: str) -> None:
            self.reported.append(title)

    file = LiveFile(tmp_path)
    observer = Followed(Progress(), file)
    observer.say("boots")
    observer.detail("step")
    observer.expect(60.0)
    observer.progress("one", 0.5, "fast")
    assert Progress.reported == ["boots", "step", 60.0, "one"]
    assert types_of(tmp_path) == [live.MESSAGE, live.EXPECTED]
    file.close()


def test_agents_are_seen_while_they_work(tmp_path: Path) -> None:
    """Real agents: every second of all of them is in the live file, before the phase has ended."""
    nodes = ("c1", "c2")
    binary = str(find_agent())
    values = {"transfer_size": "4KiB", "file_size": "1MiB", "arrivals_per_s": 100}
    workload = Workload.model_validate(values)
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    load = LiveLoad("write", tuple(LiveAgent(node) for node in nodes), total_bytes=2 * 2**20)
    meter = LiveMeter(load)
    file = LiveFile(tmp_path)
    seen: list[Snapshot] = []
    state = RunState()
    tail = Tail(tmp_path / live.LIVE)

    def look(_bytes: int, _operations: int) -> None:
        for text in tail.lines():
            state.feed(text)
        seen.append(state.snapshot(0.0, result="run", is_written=True))

    watch = Watch(progress=look, line=meter.hear, lost=meter.lose)
    with written_each_second(file, load, meter):
        clocks = measure_clocks(Local(), nodes, binary)
        run_phase(Local(), binary, jobs(workload, "write", nodes, context), clocks, watch)
    look(0, 0)
    states = {client.state for snapshot in seen for client in snapshot.clients}
    assert {ClientState.RUNNING, ClientState.DONE} <= states
    assert all(snapshot.unreadable_lines == 0 for snapshot in seen)
    assert [client.operations for client in seen[-1].clients] == [256, 256]
    assert max(client.latency_p99_ms or 0.0 for item in seen for client in item.clients) > 0
    file.close()
    tail.close()
    assert not (tmp_path / live.LIVE).exists()
