"""Names that agents make, look for and remove."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from seatrial.load.agent import run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.jobs import JobContext, jobs
from seatrial.study.workload import Workload
from seatrial.transport import Local
from tests.builders.agents import AGENT, NODES, phase

NAMES = ("create", "stat", "utime", "open-close", "rename", "readdir", "remove")


@pytest.mark.parametrize(
    "changes", [{}, {"directory": "shared", "tasks": 2}, {"file_size": "8KiB"}], ids=str
)
def test_names_are_dealt_with_by_the_neighbour(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Every item once in every phase, found where the neighbour left it, with the size that it
    should have.
    """
    load = Workload.model_validate(
        {"phases": NAMES, "tree": {"items": 5, "depth": 1, "branching": 2}, **changes}
    )
    for name in NAMES:
        found = phase(tmp_path, name, load)
        wanted = load.tasks * (2 if name == "readdir" else load.items)
        assert [(item.operations, item.damage, item.lost) for item in found] == [
            (wanted, (), None)
        ] * 3, name
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_directories_are_looked_at_like_files(tmp_path: Path) -> None:
    """The entries of the last mkdir are those of stat, utime and readdir; a file in their
    place is damage.
    """
    names = ("create", "remove", "mkdir", "stat", "utime", "readdir", "rmdir")
    load = Workload.model_validate({"phases": names, "tree": {"items": 5}})
    for name in names:
        wanted = 1 if name == "readdir" else 5
        assert [(item.operations, item.damage) for item in phase(tmp_path, name, load)] == [
            (wanted, ())
        ] * 3, name
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
        load = Workload.model_validate(
            {"phases": ["create"], "tree": {"items": 60}, "pattern": pattern}
        )
        folder = tmp_path / pattern
        (folder / "names").mkdir(parents=True)
        context = JobContext("00000000000000ab", str(folder / "names"), 1, str(folder / "log"))
        job = jobs(load, "create", NODES[:1], context)
        run_phase(Local(), AGENT, job, measure_clocks(Local(), NODES[:1], AGENT))
        lines = subprocess.run(
            [AGENT, "log", folder / "log"], capture_output=True, text=True, check=True
        ).stdout
        records = [
            line
            for line in map(json.loads, lines.splitlines())
            if line.get("operation") == "create"
        ]
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
    assert [(item.client, item.operations, item.damage[0]["class"]) for item in damaged] == [
        ("c3", 4, "missing")
    ]
