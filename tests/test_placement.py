"""On which processor each node of a lab runs."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.labs.emulation import placement
from seatrial.labs.emulation.placement import Placement, better

LOADS = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.0, 1.0), max_size=8)


@given(loads=LOADS, count=st.integers(1, 4), data=st.data())
def test_a_move_spares_the_busiest_and_moves_come_to_an_end(
    loads: dict[str, float], count: int, data: st.DataObject
) -> None:
    """Each move gains at least the minimum, so that their number is bounded."""
    processors = list(range(count))
    where = {name: data.draw(st.sampled_from(processors)) for name in loads}

    def busiest() -> float:
        return max(sum(loads[name] for name in loads if where[name] == item) for item in processors)

    for _ in range(int(8 / placement.WORTH) + 1):
        before = busiest()
        move = better(loads, where, processors)
        if move is None:
            return
        name, processor = move
        assert where[name] != processor
        where[name] = processor
        assert (
            sum(loads[item] for item in loads if where[item] == processor)
            <= before - placement.WORTH + 1e-9
        )
    pytest.fail("nodes move for ever")


@pytest.mark.parametrize(
    ("loads", "where", "move"),
    [
        ({"srv": 0.6, "c": 0.4, "array": 0.1}, {"srv": 1, "c": 1, "array": 0}, ("c", 0)),
        ({"srv": 0.9, "c": 0.1, "array": 0.1}, {"srv": 1, "c": 0, "array": 0}, None),
        ({"srv": 0.6, "c": 0.55}, {"srv": 1, "c": 1}, ("c", 0)),
        ({}, {}, None),
    ],
)
def test_services_that_move(
    loads: dict[str, float], where: dict[str, int], move: tuple[str, int] | None
) -> None:
    """One node that is alone on a processor stays; of several the one that evens them out."""
    assert better(loads, where, [0, 1]) == move


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="one processor has nothing to choose from"
)
def test_a_node_moves_with_all_its_processes() -> None:
    """Real processes of two groups, both begun on the first processor; their children and threads
    come along.
    """
    first, second = sorted(os.sched_getaffinity(0))[:2]
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {first, second})
    groups = {}
    try:
        placed = Placement(["a", "b"])
        assert placed.where == {"a": first, "b": second}
        placed.where["b"] = first
        for name in ("a", "b"):
            with placed.of(name):
                busy = "while :; do :; done & while :; do :; done"
                groups[name] = subprocess.Popen(["sh", "-c", busy], start_new_session=True)
        assert os.sched_getaffinity(0) == {first, second}
        pids = {name: process.pid for name, process in groups.items()}
        placed.sample(pids, 1.0)
        began = time.monotonic()
        while placed.where["a"] == placed.where["b"]:
            time.sleep(0.3)
            placed.sample(pids, 0.3)
            assert time.monotonic() - began < 60
        for name, pid in pids.items():
            found = [
                item
                for item in Path("/proc").iterdir()
                if item.name.isdigit() and _group(item) == pid
            ]
            assert len(found) == 2
            assert all(
                os.sched_getaffinity(int(item.name)) == {placed.where[name]} for item in found
            )
    finally:
        for process in groups.values():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        os.sched_setaffinity(0, before)


def _group(process: Path) -> int | None:
    try:
        return os.getpgid(int(process.name))
    except OSError:
        return None
