"""The jobs of both commands: the controller and the agent name the same fields."""

import json
import re
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from seatrial.faults.consistency_tests import ConsistencyTestJob
from seatrial.load.job import (
    CopyPhase,
    CopySize,
    Directories,
    Interleaved,
    LoadJob,
    NumberedPattern,
)

CRATES = Path(__file__).parents[1] / "crates"
LOAD_JOB = CRATES / "job" / "src" / "job.rs"
TEST_JOB = CRATES / "consistency-test" / "src" / "job.rs"
FIELD = re.compile(r"(?P<attributes>(?:    #\[.*\]\n)*)    pub (?P<name>\w+): (?P<type>.+),\n")


def agents_fields(path: Path) -> dict[str, bool]:
    """The fields of `struct Job`, and whether each has a default."""
    body = path.read_text().partition("pub struct Job {\n")[2].partition("\n}\n")[0] + "\n"
    return {found["name"]: "serde(default" in found["attributes"] for found in FIELD.finditer(body)}


@pytest.mark.parametrize(("job", "path"), [(LoadJob, LOAD_JOB), (ConsistencyTestJob, TEST_JOB)])
def test_the_controller_sends_what_the_agent_reads(job: type, path: Path) -> None:
    """The controller may omit a field that has a default, and no other one."""
    theirs = agents_fields(path)
    ours = {item.name for item in fields(job)}
    assert ours <= theirs.keys()
    required = {name for name, has_default in theirs.items() if not has_default}
    assert required
    assert required <= ours


@pytest.mark.parametrize(
    ("changes", "name", "expected"),
    [
        ({"pattern": "random"}, "pattern", "random"),
        (
            {"pattern": NumberedPattern("strided", {"skip_transfers": 3})},
            "pattern",
            {"strided": {"skip_transfers": 3}},
        ),
        (
            {"layout": Interleaved(first_rank=2, ranks=4, chunk_bytes=512)},
            "layout",
            {"n-1-interleaved": {"first_rank": 2, "ranks": 4, "chunk_bytes": 512}},
        ),
        (
            {"phase": CopyPhase("to-storage", (CopySize(10, 2),), "/tmp/x", 1)},
            "phase",
            {
                "copy": {
                    "direction": "to-storage",
                    "sizes": [{"file_bytes": 10, "files": 2}],
                    "local_directory": "/tmp/x",
                    "discard": 1,
                }
            },
        ),
        (
            {"tree": Directories(5, depth=1, branching=2)},
            "tree",
            {
                "items_per_directory": 5,
                "depth": 1,
                "branching": 2,
                "renamed": False,
                "directories": False,
            },
        ),
        ({"hints": ("random",)}, "hints", ["random"]),
    ],
)
def test_a_variant_is_an_object_with_its_word(
    changes: dict[str, object], name: str, expected: object
) -> None:
    """As serde writes enumerations."""
    required: dict[str, object] = {
        item.name: None for item in fields(LoadJob) if item.default is MISSING
    }
    job = LoadJob(**{**required, **changes})  # type: ignore[arg-type]
    assert json.loads(job.line())[name] == expected
