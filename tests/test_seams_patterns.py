"""The patterns of a workload: one file of the study has the properties of each."""

import re
from typing import get_args

import pytest

from seatrial.load.jobs import _pattern
from seatrial.study.patterns import ONLY_FOR, TRAITS, Pattern
from seatrial.study.workload import Workload
from tests.builders.packages import SOURCE

PATTERNS = get_args(Pattern)
DISTINCT = tuple(name for name in PATTERNS if name not in {"sequential", "random"})
"""patterns with a name that has no other meaning in the program"""
RULES = (
    "study/workload_rules.py",
    "study/unused_keys.py",
    "study/agent_limits.py",
    "load/jobs.py",
    "predict/study.py",
)


def test_every_pattern_has_its_properties() -> None:
    """And every key of a pattern is one of a workload."""
    assert tuple(TRAITS) == PATTERNS
    assert set(ONLY_FOR) <= set(Workload.model_fields)


@pytest.mark.parametrize("name", PATTERNS)
def test_the_job_has_the_numbers_of_the_pattern(name: Pattern) -> None:
    """A pattern of writes is read from first to last."""
    numbers = dict.fromkeys(TRAITS[name].keys, 3)
    sizes = {"transfer_size": "4KiB", "file_size": "64KiB"}
    workload = Workload.model_validate({"pattern": name, "verify": False, **sizes, **numbers})
    wanted = {name: {f"{key}_transfers": 3 for key in numbers}} if numbers else name
    assert _pattern(workload, "write") == wanted
    assert _pattern(workload, "read") == ("sequential" if TRAITS[name].describes_writes else wanted)


@pytest.mark.parametrize("path", RULES)
def test_no_rule_names_a_pattern(path: str) -> None:
    """It asks for a property."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    assert [name for name in DISTINCT if re.search(rf'"{name}"', text)] == []
