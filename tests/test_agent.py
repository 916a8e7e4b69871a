"""The controller against the real agent, run on this machine."""

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.histogram import Histogram, merge
from seatrial.basics.errors import RunError
from seatrial.load import gather
from seatrial.load.agent import AgentGroup, Assignment, Watch, find_binary, push, run_phase
from seatrial.load.agent_lines import AgentLines
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.jobs import JobContext, block_bytes, jobs, preparation
from seatrial.load.operation_logs import OperationLogs
from seatrial.load.phases import summary
from seatrial.result.phases import ClientResult, PhaseResult
from seatrial.streams import Stream
from seatrial.study.points import points
from seatrial.study.workload import Workload
from seatrial.transport import Completed, Local
from tests import results
from tests.strategies import study

NODES = ("c1", "c2", "c3")
AGENT = str(find_binary())


def workload(**changes: Any) -> Workload:
    """A small one."""
    return Workload.model_validate({"transfer_size": "4KiB", "file_size": "256KiB", **changes})


def phase(
    folder: Path, name: str, load: Workload, generation: int = 1, local: Path | None = None
) -> list[ClientResult]:
    """Run one phase on three agents of this machine."""
    context = JobContext("00000000000000ab", str(folder), generation, None, local_directory=str(local or folder))
    transport = Local()
    clocks = measure_clocks(transport, NODES, AGENT)
    assert all(abs(clock.wall_ahead_s) <= clock.error_s + 0.01 for clock in clocks.values())
    return [
        client_result(received) for received in run_phase(transport, AGENT, jobs(load, name, NODES, context), clocks)[1]
    ]


@pytest.mark.parametrize("pattern", ["sequential", "random"])
def test_each_client_reads_its_neighbours_data(tmp_path: Path, pattern: str) -> None:
    """Every block is valid, every client moved its whole file, and all started together."""
    load = workload(pattern=pattern, tasks=2)
    written = phase(tmp_path, "write", load)
    read = phase(tmp_path, "read", load)
    assert [item.size_bytes for item in written + read] == [2 * 256 * 1024] * 6
    assert all(item.blocks_checked == 128 and not item.damage and not item.errors for item in read)
    assert all(item.lost is None and len(item.tasks) == 2 and item.elapsed_s > 0 for item in written + read)
    assert len(list(tmp_path.iterdir())) == 6


PATTERNS: list[dict[str, Any]] = [
    {"pattern": "backward"},
    {"pattern": "strided", "skip": 7},
    {"pattern": "semi-random", "next": 4, "working_set": 16},
    {"layout": "n-1-segmented"},
    {"layout": "n-1-interleaved", "chunk": "16KiB", "tasks": 2},
    {"layout": "n-1-segmented", "transfer_size": "1KiB", "tasks": 2, "pattern": "random"},
    {"o_sync": True, "hints": ["sequential"], "hint_ahead": 2},
    {"queue_depth": 4, "pattern": "random"},
]


@pytest.mark.parametrize("changes", PATTERNS, ids=str)
def test_every_pattern_and_layout_comes_back_whole(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Written by all, read by the neighbours: every block valid, every byte once."""
    load = workload(**changes)
    size = 256 * 1024 * load.tasks
    assert [item.size_bytes for item in phase(tmp_path, "write", load)] == [size] * 3
    read = phase(tmp_path, "read", load)
    assert [(item.size_bytes, item.damage, item.lost) for item in read] == [(size, (), None)] * 3
    assert len(list(tmp_path.iterdir())) == (1 if load.layout != "n-n" else 3 * load.tasks)


def test_length_by_time_comes_back_whole(tmp_path: Path) -> None:
    """Several passes until the time is over; the preparation is one, of any length; the neighbour finds all valid."""
    load = workload(pattern="random", time_limit="300ms", time_based=True)
    written, read = phase(tmp_path, "write", load), phase(tmp_path, "read", load)
    assert all(item.elapsed_s >= 0.3 and item.size_bytes > 2 * 256 * 1024 for item in written + read)
    assert [(item.lost, item.damage) for item in written + read] == [(None, ())] * 6
    assert not preparation(load).time_based


def test_preparation_writes_the_files_of_random_writes(tmp_path: Path) -> None:
    """Large sequential writes first, then small random ones: reads get the second generation."""
    load = workload(pattern="random", transfer_size="1KiB", prepare=True, direct=False)
    assert preparation(load).transfer_size == 65536
    phase(tmp_path, "write", preparation(load), generation=1)
    phase(tmp_path, "write", load, generation=2)
    assert [item.damage for item in phase(tmp_path, "read", load, generation=2)] == [()] * 3


def test_damage_is_found_and_named(tmp_path: Path) -> None:
    """One flipped byte, one zeroed block, two swapped blocks: each is named with its place."""
    phase(tmp_path, "write", workload())
    path = tmp_path / "f0001.000"
    content = bytearray(path.read_bytes())
    content[5 * 4096 + 1000] ^= 1
    content[9 * 4096 : 10 * 4096] = bytes(4096)
    content[20 * 4096 : 21 * 4096], content[30 * 4096 : 31 * 4096] = (
        content[30 * 4096 : 31 * 4096],
        content[20 * 4096 : 21 * 4096],
    )
    path.write_bytes(content)
    results = {item.client: item for item in phase(tmp_path, "read", workload())}
    assert [bool(results[name].damage) for name in NODES] == [True, False, False]  # c1 reads what c2 wrote
    found = {(item["class"], item["offset"] // 4096) for item in results["c1"].damage}
    assert found == {("corrupt", 5), ("zero", 9), ("misplaced", 20), ("misplaced", 30)}


def test_stale_data_differ_from_corrupt_data(tmp_path: Path) -> None:
    """The file of the earlier generation."""
    phase(tmp_path, "write", workload(), generation=1)
    results = phase(tmp_path, "read", workload(), generation=2)
    assert {item["class"] for result in results for item in result.damage} == {"stale"}


def test_an_agent_that_cannot_start_is_named(tmp_path: Path) -> None:
    """Before the common start it is an error: nothing was measured yet."""
    with pytest.raises(RunError, match=r"c\d: .*nowhere"):
        phase(tmp_path / "nowhere", "read", workload())


class Killing(Local):
    """Kills one agent a moment after it was started."""

    def __init__(self, victim: str, number: signal.Signals) -> None:
        self.victim, self.number = victim, number

    def stream(self, node: str, command: str) -> Stream:
        stream = super().stream(node, f"exec {command}")
        if node == self.victim and command.endswith(" run"):
            threading.Timer(1.2, self._kill, [stream]).start()
        return stream

    def _kill(self, stream: Stream) -> None:
        os.kill(stream._process.pid, self.number)


def test_a_killed_agent_is_named_and_the_others_finish(tmp_path: Path) -> None:
    """The lost client makes the phase partial; the rest is complete."""
    load = workload(file_size="8MiB", arrivals_per_s=500)  # an open loop: 4 s, however fast the disk
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    transport = Killing("c2", signal.SIGKILL)
    clocks = measure_clocks(transport, NODES, AGENT)
    results = list(map(client_result, run_phase(transport, AGENT, jobs(load, "write", NODES, context), clocks)[1]))
    by_name = {item.client: item for item in results}
    assert by_name["c2"].lost is not None
    assert "ended without a result" in by_name["c2"].lost
    assert by_name["c1"].lost is None
    assert by_name["c3"].size_bytes == 8 * 2**20


def test_an_agent_that_falls_silent_is_declared_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped process is silent and does not end; the results of the others are kept."""
    monkeypatch.setattr("seatrial.load.agent.SILENCE_S", 1.5)
    monkeypatch.setattr("seatrial.load.agent.SILENT_ROUND_TRIPS", 0)
    load = workload(file_size="8MiB", arrivals_per_s=500)  # an open loop: 4 s, however fast the disk
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    transport = Killing("c2", signal.SIGSTOP)
    clocks = measure_clocks(transport, NODES, AGENT)
    started = time.monotonic()
    results = list(map(client_result, run_phase(transport, AGENT, jobs(load, "write", NODES, context), clocks)[1]))
    assert [item.lost for item in results if item.client == "c2"] == ["the agent has been silent for 2 s"]
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
        job = jobs(load if name == "small" else names_load(), "write" if name == "small" else "create", ["c1"], context)
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
    return Workload.model_validate({"phases": ["create"], "tree": {"items": 9000}, "arrivals_per_s": 50})


def test_the_end_of_a_stream_is_not_waited_for_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that hangs in the kernel of a node may keep the pipe open."""
    monkeypatch.setattr("seatrial.streams.STDERR_TIMEOUT_S", 0.2)
    stream = Local().stream("here", "echo said >&2; sleep 4 </dev/null >/dev/null & exit 3")
    started_s = time.monotonic()
    assert stream.finish(timeout_s=5) == (3, "")
    assert time.monotonic() - started_s < 3


def test_the_agent_is_pushed_once(tmp_path: Path) -> None:
    """By its content's hash: a node that has it is left alone."""

    class Counting(Local):
        def __init__(self) -> None:
            self.puts = 0

        def run(self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60) -> Completed:
            command = command.replace("/var/lib/seatrial", str(tmp_path / "lib"))
            self.puts += bool(stdin)
            return super().run(node, command, stdin=stdin, timeout_s=timeout_s)

    transport = Counting()
    path = push(transport, ["here"])
    assert push(transport, ["here"]) == path
    assert transport.puts == 1
    agent = tmp_path / "lib" / "load" / Path(path).name
    assert agent.read_bytes() == Path(AGENT).read_bytes()
    assert [path.stat().st_mode & 0o777 for path in (agent.parent, agent.parent.parent)] == [0o700, 0o700]
    agent.write_bytes(b"#!/bin/sh\n: planted\n")
    for name, days in (("agent-old", 40), ("agent-recent", 20), ("logs", 40)):
        (agent.parent / name).touch()
        os.utime(agent.parent / name, (0, time.time() - days * 86400))
    push(transport, ["here"])
    assert sorted(path.name for path in agent.parent.iterdir()) == sorted([agent.name, "agent-recent", "logs"])
    assert agent.read_bytes() == Path(AGENT).read_bytes()
    assert transport.puts == 2


@pytest.mark.parametrize("planted", ["lib", "lib/load"])
def test_nothing_is_put_through_a_link(tmp_path: Path, planted: str) -> None:
    """Nor into a foreign folder; its content stays, and the error names it."""

    class Moved(Local):
        def run(self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60) -> Completed:
            command = command.replace("/var/lib/seatrial", str(tmp_path / "lib"))
            return super().run(node, command, stdin=stdin, timeout_s=timeout_s)

    theirs = tmp_path / "theirs"
    theirs.mkdir()
    link = tmp_path / planted
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(theirs)
    with pytest.raises(RunError, match="is a link"):
        push(Moved(), ["here"])
    assert list(theirs.iterdir()) == []


def test_points_are_all_combinations() -> None:
    """The last key varies fastest. Keys of the workload change it; keys of the solution are
    passed to it.
    """
    experiment = (
        study()
        .experiments["one"]
        .replaced(sweep={"solution.export.threads": (8, 16), "transfer_size": ("4KiB", "8KiB"), "clients": (1, 2)})
    )
    found = points(experiment, clients_max=4)
    assert len(found) == 8
    assert [point.clients for point in found[:2]] == [1, 2]
    assert found[0].solution == {"solution.export.threads": 8}
    assert [point.workload.transfer_size for point in found[:4]] == [4096, 4096, 8192, 8192]
    assert found[0].name == "threads=8,transfer_size=4KiB,clients=1"


def test_jobs_are_json_and_neighbours_differ() -> None:
    """No client reads its own file unless it is alone or asked to."""
    context = JobContext("00000000000000ab", "/x", 3, None)
    reads = jobs(workload(), "read", NODES, context)
    assert [job["files"] for job in reads.values()] == [["f0001.000"], ["f0002.000"], ["f0000.000"]]
    assert [job["writer_client_indexes"] for job in reads.values()] == [[1], [2], [0]]
    assert jobs(workload(read="own"), "read", NODES, context)["c1"]["files"] == ["f0000.000"]
    assert jobs(workload(), "read", ["c1"], context)["c1"]["files"] == ["f0000.000"]
    json.dumps(reads)


def test_of_files_written_in_passes_any_pass_is_right() -> None:
    """Each pass has a generation; reads return one of them, and before a mixed phase an
    earlier one.
    """
    timed = {"time_based": True, "time_limit": "1s", "phases": ["write", "mixed", "read"], "read_percent": 50}
    in_passes, once = workload(**timed, verify=False), workload()
    context = JobContext("00000000000000ab", "/x", 65539, None, before=3)

    def generations(load: Workload, name: str) -> tuple[int, int | None]:
        job = jobs(load, name, NODES, context)["c1"]
        return job["generation"], job.get("generation_from")

    assert [generations(once, name) for name in ("write", "read")] == [(65539, None)] * 2
    assert generations(in_passes, "write") == (65539, None)
    assert generations(in_passes, "mixed") == (65539, 3)
    assert generations(in_passes, "read") == (65539 + 65535, 65539)
    assert jobs(preparation(in_passes), "write", NODES, context)["c1"]["generation"] == 65539


NAMES = ("create", "stat", "utime", "open-close", "rename", "readdir", "remove")


@pytest.mark.parametrize("changes", [{}, {"directory": "shared", "tasks": 2}, {"file_size": "8KiB"}], ids=str)
def test_names_are_dealt_with_by_the_neighbour(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Every item once in every phase, found where the neighbour left it, with the size that it should have."""
    load = Workload.model_validate({"phases": NAMES, "tree": {"items": 5, "depth": 1, "branching": 2}, **changes})
    for name in NAMES:
        found = phase(tmp_path, name, load)
        wanted = load.tasks * (2 if name == "readdir" else load.items)
        assert [(item.operations, item.damage, item.lost) for item in found] == [(wanted, (), None)] * 3, name
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_directories_are_looked_at_like_files(tmp_path: Path) -> None:
    """The entries of the last mkdir are those of stat, utime and readdir; a file in their
    place is damage.
    """
    names = ("create", "remove", "mkdir", "stat", "utime", "readdir", "rmdir")
    load = Workload.model_validate({"phases": names, "tree": {"items": 5}})
    for name in names:
        wanted = 1 if name == "readdir" else 5
        assert [(item.operations, item.damage) for item in phase(tmp_path, name, load)] == [(wanted, ())] * 3, name
    for name in names[:3]:
        phase(tmp_path, name, load)
    changed = next(path for path in sorted(tmp_path.rglob("m*")) if path.is_dir())
    changed.rmdir()
    changed.touch()
    damaged = [item for item in phase(tmp_path, "stat", load) if item.damage]
    assert [(item.client, item.damage[0]["detail"]) for item in damaged] == [("c3", "no directory")]


def test_names_are_used_in_the_order_of_the_pattern(tmp_path: Path) -> None:
    """Backward and random: the log has the first and the last created name."""
    found = {}
    for pattern in ("sequential", "backward", "random"):
        load = Workload.model_validate({"phases": ["create"], "tree": {"items": 60}, "pattern": pattern})
        folder = tmp_path / pattern
        (folder / "names").mkdir(parents=True)
        context = JobContext("00000000000000ab", str(folder / "names"), 1, str(folder / "log"))
        job = jobs(load, "create", NODES[:1], context)
        run_phase(Local(), AGENT, job, measure_clocks(Local(), NODES[:1], AGENT))
        lines = subprocess.run([AGENT, "log", folder / "log"], capture_output=True, text=True, check=True).stdout
        records = [line for line in map(json.loads, lines.splitlines()) if line.get("operation") == "create"]
        found[pattern] = [record["offset"] for record in records]
    assert found["sequential"] == list(range(60))
    assert found["backward"] == list(range(60))[::-1]
    assert sorted(found["random"]) == found["sequential"] != found["random"]


def test_a_name_that_the_neighbour_does_not_have_is_damage(tmp_path: Path) -> None:
    """The result names an entry that stat does not find, and the phase continues."""
    load = Workload.model_validate({"phases": ["create", "stat"], "tree": {"items": 5}})
    phase(tmp_path, "create", load)
    next(path for path in sorted(tmp_path.rglob("*")) if path.is_file()).unlink()
    damaged = [item for item in phase(tmp_path, "stat", load) if item.damage]
    assert [(item.client, item.operations, item.damage[0]["class"]) for item in damaged] == [("c3", 4, "missing")]


def test_copies_go_both_ways(tmp_path: Path) -> None:
    """A mix of sizes: copies of the neighbour on the storage are copied back and checked; one
    time per size.
    """
    sizes = [{"file_size": "10kB", "files": 4}, {"file_size": "1MiB", "files": 2}]
    both = ["copy-to-storage", "copy-from-storage"]
    load = Workload.model_validate({"phases": both, "sizes": sizes, "discard": 1, "transfer_size": "64KiB"})
    storage = tmp_path / "storage"
    for folder in (storage, tmp_path / "local"):
        folder.mkdir()
    for name in both:
        for item in phase(storage, name, load, local=tmp_path / "local"):
            assert (item.damage, item.errors, item.lost) == ((), (), None)
            assert [(size["file_bytes"], size["files"], len(size["discarded_s"])) for size in item.copies] == [
                (10000, 4, 1),
                (2**20, 2, 1),
            ]
            assert item.size_bytes == load.phase_bytes(name) == 5 * 10000 + 3 * 2**20


def test_a_steady_window_and_an_open_loop(tmp_path: Path) -> None:
    """Figures of the window alone; all clients' histograms together hold every operation."""
    load = workload(file_size="1MiB", arrivals_per_s=200, warm_up="300ms", window="500ms")
    context = JobContext("00000000000000ab", str(tmp_path), 1, None)
    transport = Local()
    clocks = measure_clocks(transport, NODES, AGENT)
    _, everyone = run_phase(transport, AGENT, jobs(load, "write", NODES, context), clocks)
    steady = gather.steady(everyone)
    assert steady is not None
    assert steady["operations_per_s"] == pytest.approx(600, rel=0.1)
    figures, histograms = gather.latency(everyone)
    assert figures["write"]["count"] == Histogram.decode(histograms["write"]).count == 3 * 256
    seconds = gather.seconds(everyone)
    assert sum(second.operations for second in seconds) == 3 * 256
    assert sum(second.latency_by_operation_ms.get("write", {}).get("count", 0) for second in seconds) == 3 * 256
    assert sum(second.latency_by_operation_ms.get("fsync", {}).get("count", 0) for second in seconds) == 3
    assert all(second.latency_ms.get("count", 0) == second.operations for second in seconds)


def reported(second: int, **latencies_ns: list[int]) -> dict[str, Any]:
    """A line of an agent about a second: an operation of 10 bytes is a write."""
    counts = {name: Counter(values) for name, values in latencies_ns.items()}
    operations = len(latencies_ns.get("write", []))
    coded = {name: Histogram(count).encode() for name, count in counts.items()}
    return {
        "event": "latencies",
        "second": second,
        "bytes": operations * 10,
        "operations": operations,
        "histograms": coded,
    }


def test_a_second_may_be_reported_in_parts() -> None:
    """A late report counts for its second; an fsync is part of a write, and no operation."""
    whole = [reported(0, write=[10, 20, 500], fsync=[5, 400]), reported(1, write=[30]), reported(2, fsync=[7])]
    parts = [
        reported(0, write=[20]),
        reported(1, write=[30]),
        reported(2, fsync=[7]),
        reported(0, write=[10, 500], fsync=[5, 400]),
    ]
    once, twice = (gather.seconds([AgentLines("c1", 0.0, lines)]) for lines in (whole, parts))
    assert once == twice
    assert [(item.second, item.size_bytes, item.operations) for item in once] == [(0, 30, 3), (1, 10, 1), (2, 0, 0)]
    assert [item.latency_ms.get("count") for item in once] == [3, 1, None]
    assert once == gather.seconds([AgentLines("c1", 0.0, parts[:2]), AgentLines("c2", 0.0, parts[2:])])


@given(st.lists(st.tuples(st.integers(0, 40_000), st.integers(1, 10**6)), max_size=60))
def test_histograms_come_back_and_merge(pairs: list[tuple[int, int]]) -> None:
    """Encoded and decoded they are the same; merged they hold all counts; quantiles never fall."""
    histogram = Histogram(Counter(dict(pairs)))
    again = Histogram.decode(histogram.encode())
    assert +again.counts == +histogram.counts
    both = merge([histogram, again])
    assert both is not None
    assert both.count == 2 * histogram.count
    quantiles = [both.quantile(share / 10) for share in range(1, 11)]
    assert quantiles == sorted(quantiles)


def received(name: str, *, late_s: float, seconds: list[tuple[float, int]], **done: Any) -> AgentLines:
    """An agent that moved these bytes in seconds with these ends (an operation is 100 bytes)."""
    lines = [
        {"event": "second", "boottime_ns": end_s * 1e9, "bytes": size, "operations": size // 100}
        for end_s, size in seconds
    ]
    return AgentLines(name, 0.0, lines, {"start_late_ns": late_s * 1e9, **done})


def wall(elapsed_s: float, size_bytes: int) -> dict[str, Any]:
    """The agent's report on the time until its first task had finished."""
    done = {"complete": True, "elapsed_ns": elapsed_s * 1e9, "bytes": size_bytes, "operations": size_bytes // 100}
    return {"stonewall": done}


def test_the_stonewalled_aggregate_counts_the_work_until_then() -> None:
    """The fast client's first task ends after 2 s; the slow client counts its seconds until
    then.
    """
    fast = received("a", late_s=0.0, seconds=[(1.0, 5000), (2.0, 5000)], **wall(2.0, 10_000))
    slow = received("b", late_s=0.0, seconds=[(1.0, 2000), (2.0, 2000), (3.0, 2000)], **wall(3.0, 6000))
    assert gather.stonewalled([fast, slow], started_s=0.0) == (7000.0, 70.0)
    assert gather.stonewalled([fast], started_s=0.0) == (5000.0, 50.0)
    lost = received("c", late_s=0.0, seconds=[], **wall(2.0, 1))
    lost.lost = "gone"
    assert gather.stonewalled([fast, lost], started_s=0.0) is None


def test_a_late_client_has_no_earlier_work() -> None:
    """Where a large share depends on the second with the end, there is no figure."""
    fast = received("a", late_s=0.0, seconds=[(1.0, 100_000), (2.0, 100_000)], **wall(2.0, 200_000))
    late = received("b", late_s=1.5, seconds=[(2.5, 4000)], **wall(1.0, 4000))
    assert gather.stonewalled([fast, late], started_s=0.0) == (101_000.0, 1010.0)
    later = received("b", late_s=2.2, seconds=[(2.5, 4000)], **wall(0.3, 4000))
    assert gather.stonewalled([fast, later], started_s=0.0) == (100_000.0, 1000.0)
    cut = received("b", late_s=0.0, seconds=[(4.0, 100_000)], **wall(4.0, 100_000))
    assert gather.stonewalled([fast, cut], started_s=0.0) is None


def test_rates_count_from_the_common_start() -> None:
    """A client that began late did not do its work in less time for that."""
    task = {"bytes": 1000, "elapsed_ns": 1e9, "operations": 10}
    done = received("a", late_s=0.5, seconds=[], tasks=[task], elapsed_ns=1e9, bytes=1000, operations=10)
    assert client_result(done).tasks == ((1000, 1.5, 10),)
    assert client_result(done).unserved == 0


def test_an_operation_that_was_never_served_is_counted() -> None:
    """The agent's figure is in the result, in the sum of all clients, and in the report."""
    clients = tuple(
        client_result(received(name, late_s=0, seconds=[], unserved=count)) for name, count in (("a", 3), ("b", 4))
    )
    result = results.phase(clients=clients)
    assert PhaseResult.from_json(json.loads(json.dumps(asdict(result)))).unserved == 7
    assert "7 operations never began" in summary("one", result)


def test_windows_that_end_apart_are_not_added_up() -> None:
    """The later client had the storage to itself: the sum would be more than the storage ever gave."""

    def window(end_s: float, rate: float) -> dict[str, Any]:
        rates = {"rate_bytes_per_s": rate, "operations_per_s": rate / 100, "latency": {}}
        return {"steady": {"from_boottime_ns": 0.0, "to_boottime_ns": end_s * 1e9, **rates}}

    first, second = (
        received("a", late_s=0, seconds=[], **window(10, 70)),
        received("b", late_s=0, seconds=[], **window(14, 50)),
    )
    assert gather.steady([first, second]) is None
    together = gather.steady([first, received("b", late_s=0, seconds=[], **window(10.2, 30))])
    assert together is not None
    assert together["rate_bytes_per_s"] == 100


def test_preparation_leaves_turns_and_blocks_as_the_phases_need_them(tmp_path: Path) -> None:
    """A shared file that is prepared in large records is read in small ones, in the same turns, without damage."""
    load = workload(
        layout="n-1-interleaved", transfer_size="1KiB", file_size="64KiB", phases=["read"], prepare=True, tasks=2
    )
    prepared = preparation(load)
    assert (prepared.chunk, prepared.transfer_size) == (1024, 1024)
    context = JobContext("00000000000000ab", str(tmp_path), 1, None, block_bytes=block_bytes(load.transfer_size))
    clocks = measure_clocks(Local(), NODES, AGENT)
    run_phase(Local(), AGENT, jobs(prepared, "write", NODES, context), clocks)
    assert [(item.damage, item.size_bytes) for item in phase(tmp_path, "read", load)] == [((), 2 * 64 * 1024)] * 3


def test_an_agent_that_was_ready_early_is_not_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_tree_is_compared_with_the_logs_of_all_clients(tmp_path: Path) -> None:
    """Synced and intact data pass; a block that was zeroed below the clients is lost, and named."""
    transport = EachItsOwn(tmp_path)
    clocks = measure_clocks(transport, NODES, AGENT)
    logs = OperationLogs("00000000000000ab", NODES, str(tmp_path))
    storage = tmp_path / "storage"
    storage.mkdir()
    context = JobContext("00000000000000ab", str(storage), 1, logs.begin(transport, 1, "write"))
    run_phase(transport, AGENT, jobs(workload(log_sync=True), "write", NODES, context), clocks)
    found = logs.compare(transport, AGENT, str(storage), clocks, measure_clocks(transport, NODES, AGENT), clients=NODES)
    assert (found["must"], found["lost"], found["wrong"], found["extents"]) == (192, 0, 0, [])
    with (storage / "f0001.000").open("r+b") as file:
        file.seek(8192)
        file.write(bytes(4096))
    found = logs.compare(transport, AGENT, str(storage), clocks, measure_clocks(transport, NODES, AGENT), clients=NODES)
    assert (found["lost"], [(item["class"], item["offset"]) for item in found["extents"]]) == (1, [("zero", 8192)])
    logs.forget(transport)
    assert not list(tmp_path.rglob("*.log"))


@pytest.mark.parametrize("refused", [NODES[:1], NODES])
def test_data_that_no_client_can_read_are_lost(tmp_path: Path, refused: Sequence[str]) -> None:
    """An I/O error of one client proves no loss, because an evicted client gets one too: the
    next client reads.
    """
    transport = EachItsOwn(tmp_path)
    clocks = measure_clocks(transport, NODES, AGENT)
    load_folder = str(tmp_path)
    logs = OperationLogs("00000000000000ab", NODES, load_folder)
    alone = OperationLogs("00000000000000ac", NODES[:1], load_folder)
    storage = tmp_path / "storage"
    storage.mkdir()
    context = JobContext("00000000000000ab", str(storage), 1, logs.begin(transport, 1, "write"))
    run_phase(transport, AGENT, jobs(workload(log_sync=True), "write", NODES, context), clocks)
    transport.refused = refused

    def compare(logs: OperationLogs, clients: Sequence[str]) -> dict[str, Any]:
        return logs.compare(
            transport, AGENT, str(storage), clocks, measure_clocks(transport, NODES, AGENT), clients=clients
        )

    found = compare(logs, NODES)
    assert (found["must"], found["lost"], found["unreadable_by"]) == (
        192,
        192 if len(refused) > 1 else 0,
        list(refused),
    )
    alone.begin(transport, 1, "write")
    with pytest.raises(RunError, match="could not be compared"):
        compare(alone, NODES[:1])


class EachItsOwn(Local):
    """Every node keeps its logs in a separate folder, as on separate machines."""

    refused: Sequence[str] = ()
    """who gets errors of I/O for the storage"""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60) -> Completed:
        if node not in self.refused or " verify " not in command:
            return super().run(node, command, stdin=stdin, timeout_s=timeout_s)
        if "--unreadable-is-lost" not in command:
            return Completed(node, 4, "", "Input/output error")
        gone = command.replace(str(self.folder / "storage"), str(self.folder / "none"))
        return super().run(node, gone.replace("$gone", "--may-be-gone"), stdin=stdin, timeout_s=timeout_s)

    def _argv(self, node: str, command: str) -> list[str]:
        there = str(self.folder / node / "logs")
        return ["sh", "-c", f"mkdir -p {there}; " + command.replace(str(self.folder / "logs"), there)]

    def stream(self, node: str, command: str) -> Stream:
        stream = super().stream(node, command)
        send = stream.send
        here, there = str(self.folder / "logs"), str(self.folder / node / "logs")
        stream.send = lambda line: send(line.replace(here, there))  # type: ignore[method-assign]
        return stream
