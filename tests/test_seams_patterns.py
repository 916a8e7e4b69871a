"""The patterns of a workload: one file of the controller and one of the agent have all of each."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from seatrial.load.job import NumberedPattern
from seatrial.load.jobs import JobContext, _pattern, jobs
from seatrial.study.pattern_keys import PatternKeys
from seatrial.study.pattern_kinds import numbers_of, owners_of_keys, pattern_names, traits_of
from seatrial.study.workload import Workload
from tests.builders.agents import AGENT, NODES, phase, workload
from tests.builders.packages import SOURCE
from tests.builders.places import ROOT

PATTERNS = pattern_names()
DISTINCT = tuple(name for name in PATTERNS if name not in {"sequential", "random"})
"""patterns with a name that has no other meaning in the program"""
RULES = (
    "study/workload.py",
    "study/workload_rules.py",
    "study/unused_keys.py",
    "study/agent_limits.py",
    "load/jobs.py",
    "predict/study.py",
)
KINDS = ROOT / "crates/job/src/order/kinds"
CONTEXT = JobContext("00000000000000ab", "/mnt/x", 1, None)
ACCEPTED = "field `writer_client_indexes` has"
"""the agent's last check: a job that it refuses for this alone is correct otherwise"""


def numbers(name: str) -> dict[str, int]:
    """Numbers of a pattern that it accepts."""
    return dict.fromkeys(numbers_of(name).model_fields, 3)


def load(name: str) -> Workload:
    """A workload with a pattern, without verification."""
    sizes = {"transfer_size": "4KiB", "file_size": "64KiB"}
    return Workload.model_validate({"pattern": name, "verify": False, **sizes, **numbers(name)})


def agents_answer(name: str, **changes: Any) -> str:
    """The agent's message about a write with the pattern, which it never begins."""
    job = jobs(load(name), "write", ["c1"], CONTEXT)["c1"]
    members = json.loads(job.line())
    line = json.dumps({**members, "writer_client_indexes": [0, 0], **changes})
    done = subprocess.run(
        [AGENT, "run"],
        input=f"{line}\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    return done.stderr


def test_each_pattern_has_its_file_in_the_agent() -> None:
    """One in Rust and one in Python, both of its name."""
    files = [path.stem.replace("_", "-") for path in KINDS.glob("*.rs")]
    assert sorted(files) == PATTERNS


@pytest.mark.parametrize("name", PATTERNS)
def test_the_built_agent_knows_the_pattern(name: str) -> None:
    """With the same numbers and properties. After a change of the agent, `make setup` builds it."""
    traits = traits_of(name)
    assert ACCEPTED in agents_answer(name)
    endless = agents_answer(name, time_based=True, time_limit_s=1.0)
    assert (ACCEPTED in endless) is not traits.is_at_end
    if traits.is_at_end:
        return
    mixed = {"mixed": {"read_percent": 50}}
    checked = agents_answer(name, phase=mixed, verify=True, queue_depth=2, fsync="none")
    assert (ACCEPTED in checked) is not traits.repeats


@pytest.mark.parametrize("name", PATTERNS)
def test_the_agent_executes_the_pattern(tmp_path: Path, name: str) -> None:
    """Written by all, read by the neighbours: every byte, and every block is valid."""
    repeats = traits_of(name).repeats
    load = workload(pattern=name, verify=not repeats, **numbers(name))
    if repeats:  # Its write may leave out the end of a file.
        phase(tmp_path, "write", workload())
    sizes = [256 * 1024] * len(NODES)
    assert [item.size_bytes for item in phase(tmp_path, "write", load)] == sizes
    read = phase(tmp_path, "read", load)
    assert [item.size_bytes for item in read] == sizes
    assert [(item.damage, item.lost) for item in read] == [((), None)] * len(NODES)
    blocks = 64 if load.verify else 0
    assert [item.blocks_checked for item in read] == [blocks] * len(NODES)


def test_the_agent_has_no_other_pattern() -> None:
    """It lists all of them in the message about an unknown one."""
    known = re.findall(r"`([a-z-]+)`", agents_answer("random", pattern="-").partition("one of")[2])
    assert sorted(known) == PATTERNS


@pytest.mark.parametrize("name", PATTERNS)
def test_the_pattern_is_described(name: str) -> None:
    """In the agent's table, with its numbers."""
    page = (ROOT / "docs" / "agent.md").read_text()
    table = page.partition("\n### Patterns\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| (.+) \| .+ \|$", table, re.MULTILINE)
    assert [row for row in rows if re.search(rf'[`"]{name}[`"]', row)] != []


def test_each_number_belongs_to_one_pattern() -> None:
    """And is an optional key of a workload, with the limits of the pattern's file."""
    keys = [key for name in PATTERNS for key in numbers_of(name).model_fields]
    assert sorted(keys) == sorted(owners_of_keys())
    assert set(PatternKeys.model_fields) == {"pattern", *keys}
    for key, name in owners_of_keys().items():
        mine = numbers_of(name).model_fields[key]
        field = Workload.model_fields[key]
        assert (field.annotation, field.default) == (int | None, None)
        assert (field.metadata, field.description) == (mine.metadata, mine.description)
        assert key not in Workload.__annotations__


@pytest.mark.parametrize("name", PATTERNS)
def test_the_job_has_the_numbers_of_the_pattern(name: str) -> None:
    """A pattern of writes is read from first to last."""
    of_job = {f"{key}_transfers": number for key, number in numbers(name).items()}
    wanted = NumberedPattern(name, of_job) if of_job else name
    assert _pattern(load(name), "write") == wanted
    assert _pattern(load(name), "read") == (
        "sequential" if traits_of(name).describes_writes else wanted
    )


@pytest.mark.parametrize("path", RULES)
def test_no_rule_names_a_pattern(path: str) -> None:
    """It asks for a property."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    assert [name for name in DISTINCT if re.search(rf'"{name}"', text)] == []
