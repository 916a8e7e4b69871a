"""Negative controls of the criteria on rates: one small system on which each of them must fail."""

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.builders.labs import command
from tests.builders.strategies import MINIMAL, text_of

pytestmark = pytest.mark.lab
ALONE = bool(os.environ.get("SEATRIAL_SOAK"))
"""`make controls` and `make soak` run one test at a time"""
EXIT_CODES = (1,) if ALONE else (1, 3)
UNDECIDED = () if ALONE else ("unknown",)
"""the verdict that a shortage of processors gives, as other tests run at the same time"""


def study_with_a_slow_client() -> dict[str, Any]:
    """Three clients and a slow network. c3 has half of the link rate of the other two.

    The links are so slow that the lab needs little of a processor.
    """
    data = copy.deepcopy(MINIMAL)
    data["id"] = "tests-rate-controls"
    data["nodes"] = {
        "nas": data["nodes"]["nas"],
        "c[1-2]": {"memory": "128MiB", "link": "1Gbit/s"},
        "c3": {"memory": "128MiB", "link": "500Mbit/s"},
    }
    streams = {"transfer_size": "64KiB", "file_size": "8MiB", "phases": ["write"]}
    names = {"tree": {"items": 100}, "phases": ["create", "stat"]}
    data["experiments"] = {
        "streams": {"workload": streams, "sweep": {"clients": [3]}, "repeats": 3},
        "names": {"workload": names, "sweep": {"clients": [2]}, "repeats": 3},
    }
    synced = {"phases": ["write"], "transfer_size": "4KiB", "file_size": "96MiB"}
    arrivals = {**synced, "pattern": "random", "fsync": "transfer", "arrivals_per_s": 50}
    data["background_load"] = {"writes": {"clients": "c1", "workload": arrivals}}
    data["faults"] = {
        "distant": {
            "kind": "net-emulation",
            "node": "nas",
            "effect": "delay",
            "delay": "100ms",
            "duration": "12s",
            "observe": "12s",
        }
    }
    of_streams = {"experiment": "streams", "phase": "write"}
    creates = {"experiment": "names", "phase": "create"}
    data["criteria"] = [
        {"id": "rate", "check": "throughput", **of_streams, "at_least": "1GB/s"},
        {"id": "alike", "check": "variation", **of_streams, "between": "clients", "below": 0.1},
        {"id": "slow", "check": "slow-member", "experiment": "streams"},
        {"id": "creates", "check": "metadata-rate", **creates, "at_least": 1_000_000},
        {"id": "during", "check": "degraded", "during_at_least": 0.8},
        {"id": "after", "check": "degraded", "after_at_least": 0.5},
    ]
    return data


def test_criteria_on_rates_fail_where_they_have_to(tmp_path: Path) -> None:
    """The slow client is named. The delay reduces the rate during the fault, but not after it."""
    path = tmp_path / "study.yaml"
    path.write_text(text_of(study_with_a_slow_client()))
    done = command("run", str(path), "--out", str(tmp_path), "--json")
    assert done.returncode in EXIT_CODES, done.stderr
    (verdicts,) = tmp_path.glob("tests-rate-controls-*/verdicts.json")
    judged = {item["claim"]: item for item in json.loads(verdicts.read_text())}
    answers = {name: item["verdict"] for name, item in judged.items()}
    expected = dict.fromkeys(("rate", "alike", "slow", "creates", "during"), "fail")
    expected["after"] = "pass"
    for name, verdict in expected.items():
        assert answers[name] in (verdict, *UNDECIDED), judged[name]
    if answers["slow"] == "fail":
        assert "c3" in judged["slow"]["evidence"]
    if answers["during"] == "fail":
        assert "distant" in judged["during"]["evidence"]
