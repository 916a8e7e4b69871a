"""The controller against the real agent, run on this machine: layouts, copies and points."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.load.agent import run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.installing import push
from seatrial.load.jobs import JobContext, block_bytes, jobs, preparation
from seatrial.study.points import points
from seatrial.study.workload import Workload
from seatrial.transport import Completed, Local
from tests.builders.agents import AGENT, NODES, phase, workload
from tests.builders.strategies import study


@pytest.mark.parametrize("pattern", ["sequential", "random"])
def test_each_client_reads_its_neighbours_data(tmp_path: Path, pattern: str) -> None:
    """Every block is valid, every client moved its whole file, and all started together."""
    load = workload(pattern=pattern, tasks=2)
    written = phase(tmp_path, "write", load)
    read = phase(tmp_path, "read", load)
    assert [item.size_bytes for item in written + read] == [2 * 256 * 1024] * 6
    assert all(item.blocks_checked == 128 and not item.damage and not item.errors for item in read)
    assert all(
        item.lost is None and len(item.tasks) == 2 and item.elapsed_s > 0 for item in written + read
    )
    assert len(list(tmp_path.iterdir())) == 6


LAYOUTS: list[dict[str, Any]] = [
    {"layout": "n-1-segmented"},
    {"layout": "n-1-interleaved", "chunk": "16KiB", "tasks": 2},
    {"layout": "n-1-segmented", "transfer_size": "1KiB", "tasks": 2, "pattern": "random"},
    {"o_sync": True, "hints": ["sequential"], "hint_ahead": 2},
    {"queue_depth": 4, "pattern": "random"},
]


@pytest.mark.parametrize("changes", LAYOUTS, ids=str)
def test_every_layout_comes_back_whole(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Written by all, read by the neighbours: every block valid, every byte once."""
    load = workload(**changes)
    size = 256 * 1024 * load.tasks
    assert [item.size_bytes for item in phase(tmp_path, "write", load)] == [size] * 3
    read = phase(tmp_path, "read", load)
    assert [(item.size_bytes, item.damage, item.lost) for item in read] == [(size, (), None)] * 3
    assert len(list(tmp_path.iterdir())) == (1 if load.layout != "n-n" else 3 * load.tasks)


def test_length_by_time_comes_back_whole(tmp_path: Path) -> None:
    """Several passes until the time is over; the preparation is one, of any length; the neighbour
    finds all valid.
    """
    load = workload(pattern="random", time_limit="300ms", time_based=True)
    written = phase(tmp_path, "write", load)
    read = phase(tmp_path, "read", load)
    assert all(
        item.elapsed_s >= 0.3 and item.size_bytes > 2 * 256 * 1024 for item in written + read
    )
    assert [(item.lost, item.damage) for item in written + read] == [(None, ())] * 6
    assert not preparation(load).time_based


def test_preparation_writes_the_files_of_random_writes(tmp_path: Path) -> None:
    """Large sequential writes first, then small random ones: reads get the second generation."""
    load = workload(pattern="random", transfer_size="1KiB", prepare=True, direct=False)
    assert preparation(load).transfer_size == 65536
    phase(tmp_path, "write", preparation(load), generation=1)
    phase(tmp_path, "write", load, generation=2)
    assert [item.damage for item in phase(tmp_path, "read", load, generation=2)] == [()] * 3


def test_the_agent_is_pushed_once(tmp_path: Path) -> None:
    """By its content's hash: a node that has it is left alone."""

    class Counting(Local):
        def __init__(self) -> None:
            self.puts = 0

        def run(
            self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
        ) -> Completed:
            command = command.replace("/var/lib/seatrial", str(tmp_path / "lib"))
            self.puts += bool(stdin)
            return super().run(node, command, stdin=stdin, timeout_s=timeout_s)

    transport = Counting()
    path = push(transport, ["here"])
    assert push(transport, ["here"]) == path
    assert transport.puts == 1
    agent = tmp_path / "lib" / "load" / Path(path).name
    assert agent.read_bytes() == Path(AGENT).read_bytes()
    assert [path.stat().st_mode & 0o777 for path in (agent.parent, agent.parent.parent)] == [
        0o700,
        0o700,
    ]
    agent.write_bytes(b"#!/bin/sh\n: planted\n")
    for name, days in (("agent-old", 40), ("agent-recent", 20), ("logs", 40)):
        (agent.parent / name).touch()
        os.utime(agent.parent / name, (0, time.time() - days * 86400))
    push(transport, ["here"])
    assert sorted(path.name for path in agent.parent.iterdir()) == sorted(
        [agent.name, "agent-recent", "logs"]
    )
    assert agent.read_bytes() == Path(AGENT).read_bytes()
    assert transport.puts == 2


@pytest.mark.parametrize("planted", ["lib", "lib/load"])
def test_nothing_is_put_through_a_link(tmp_path: Path, planted: str) -> None:
    """Nor into a foreign folder; its content stays, and the error names it."""

    class Moved(Local):
        def run(
            self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
        ) -> Completed:
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
        .replaced(
            sweep={
                "solution.export.threads": (8, 16),
                "transfer_size": ("4KiB", "8KiB"),
                "clients": (1, 2),
            }
        )
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
    files = [job.files for job in reads.values()]
    assert files == [("f0001.000",), ("f0002.000",), ("f0000.000",)]
    assert [job.writer_client_indexes for job in reads.values()] == [(1,), (2,), (0,)]
    assert jobs(workload(read="own"), "read", NODES, context)["c1"].files == ("f0000.000",)
    assert jobs(workload(), "read", ["c1"], context)["c1"].files == ("f0000.000",)
    assert json.loads(reads["c1"].line())["files"] == ["f0001.000"]


def test_copies_go_both_ways(tmp_path: Path) -> None:
    """A mix of sizes: copies of the neighbour on the storage are copied back and checked; one
    time per size.
    """
    sizes = [{"file_size": "10kB", "files": 4}, {"file_size": "1MiB", "files": 2}]
    both = ["copy-to-storage", "copy-from-storage"]
    load = Workload.model_validate(
        {"phases": both, "sizes": sizes, "discard": 1, "transfer_size": "64KiB"}
    )
    storage = tmp_path / "storage"
    for folder in (storage, tmp_path / "local"):
        folder.mkdir()
    for name in both:
        for item in phase(storage, name, load, local=tmp_path / "local"):
            assert (item.damage, item.errors, item.lost) == ((), (), None)
            assert [
                (size["file_bytes"], size["files"], len(size["discarded_s"]))
                for size in item.copies
            ] == [
                (10000, 4, 1),
                (2**20, 2, 1),
            ]
            assert item.size_bytes == load.phase_bytes(name) == 5 * 10000 + 3 * 2**20


def test_preparation_leaves_turns_and_blocks_as_the_phases_need_them(tmp_path: Path) -> None:
    """A shared file that is prepared in large records is read in small ones, in the same turns,
    without damage.
    """
    load = workload(
        layout="n-1-interleaved",
        transfer_size="1KiB",
        file_size="64KiB",
        phases=["read"],
        prepare=True,
        tasks=2,
    )
    prepared = preparation(load)
    assert (prepared.chunk, prepared.transfer_size) == (1024, 1024)
    context = JobContext(
        "00000000000000ab", str(tmp_path), 1, None, block_bytes=block_bytes(load.transfer_size)
    )
    clocks = measure_clocks(Local(), NODES, AGENT)
    run_phase(Local(), AGENT, jobs(prepared, "write", NODES, context), clocks)
    assert [(item.damage, item.size_bytes) for item in phase(tmp_path, "read", load)] == [
        ((), 2 * 64 * 1024)
    ] * 3
