"""Faults of disks, of a file system, of a card and of a cable on real kernels, under load from two
clients.
"""

from itertools import pairwise
from typing import Any

import pytest

from seatrial.judge.effects import judge_course
from seatrial.judge.judge import judge
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result, read_result
from tests.builders.labs import command, lab_study
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

DISKS = {"count": 4, "size": "48MiB", "rate": "100MB/s"}
SMALL = {
    "phases": ["write"],
    "pattern": "random",
    "transfer_size": "4KiB",
    "file_size": "16MiB",
    "fsync": "transfer",
}
FAULTS: dict[str, Any] = {
    "flaps": {"kind": "link-flaps", "down": "1s", "up": "1s", "times": 3, "duration": "1s"},
    "slow": {"kind": "slow-disk", "requests_per_s": 1, "duration": "6s"},
    "mtu": {"kind": "mtu", "node": "c1", "mtu": 1500, "duration": "6s"},
    "full": {"kind": "disk-full", "duration": "4s", "expect": {"errors": ["ENOSPC"]}},
    "two": {
        "kind": "several",
        "parts": [
            {"kind": "disk-failure", "count": 2, "replaced_after": "1s", "rebuild": "90s"},
            {"kind": "freeze"},
        ],
        "duration": "1s",
    },
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The result of a server with a RAID 6 of four disks and several faults in sequence."""
    folder = tmp_path_factory.mktemp("storage-faults")
    data = lab_study("storage-faults", clients=2)
    data["nodes"]["nas"]["disks"] = DISKS
    data["solution"] = {"kind": "nfs", "raid": {"level": 6}}
    del data["experiments"]
    names = {
        "phases": ["create"],
        "tree": {"items": 4000},
        "file_size": "4KiB",
        "transfer_size": "4KiB",
        "fsync": "transfer",
    }
    data["background_load"] = {
        "small": {"workload": {**SMALL, "arrivals_per_s": 10}},
        "names": {"workload": {**names, "arrivals_per_s": 5}},
    }
    data["faults"] = {name: {"recovery_timeout": "60s", **fault} for name, fault in FAULTS.items()}
    data["criteria"] = [{"id": "intact", "check": "integrity"}]
    (folder / "study.yaml").write_text(text_of(data))
    done = command("run", str(folder), "--out", str(folder / "results"))
    assert done.returncode == 0, done.stderr
    return read_result(next((folder / "results").iterdir()))


def fault(result: Result, name: str) -> FaultResult:
    """A completed and settled fault without lost data."""
    found = next(item for item in result.faults if item.name == name)
    assert (found.skipped, found.failed, found.not_compared, found.notes) == (None, None, None, ())
    assert found.recovered_unix_s is not None
    compared = found.compared["small"]
    assert (compared["lost"], compared["wrong"], compared["unfinished"]) == (0, 0, [])
    assert compared["must"] > 50
    assert [item["error"] for item in found.actions if item["error"]] == []
    return found


def test_a_flapping_link_is_silent_each_time_it_is_out(result: Result) -> None:
    """Out three times, in at the end; each client waits for at least the time of one outage."""
    found = fault(result, "flaps")
    out = [item["started_unix_s"] for item in found.actions if item["what"].endswith("cut")]
    assert len(out) == 3
    assert all(later - earlier >= 2.0 for earlier, later in pairwise(out))
    assert all(item.longest_s >= 0.8 for item in found.streams)


def test_a_slow_disk_makes_its_array_slow_and_is_fast_again(result: Result) -> None:
    """One request a second at one member of four: writing takes seconds meanwhile, and afterwards
    it does not.
    """
    found = fault(result, "slow")
    assert [item["what"] for item in found.actions] == [
        "disk 1 of nas: 1 requests/s",
        "disk 1 of nas: as fast as before",
    ]
    assert found.injected_unix_s is not None
    assert found.repaired_unix_s is not None
    meanwhile = rate(found, found.injected_unix_s + 1, found.repaired_unix_s)
    before = rate(found, found.injected_unix_s - 4, found.injected_unix_s)
    after = rate(found, found.ended_unix_s - 3, found.ended_unix_s) if found.ended_unix_s else 0.0
    assert meanwhile < before / 2
    assert after > before / 2


def rate(found: FaultResult, from_s: float, to_s: float) -> float:
    """Operations a second of all clients in this time."""
    lines = [
        line
        for item in found.streams
        for line in item.seconds
        if from_s <= line.started_unix_s and line.ended_unix_s <= to_s
    ]
    return sum(line.operations for line in lines) / (to_s - from_s)


def test_a_black_hole_stops_large_packets_of_its_link_alone(result: Result) -> None:
    """Packets larger than the switch's port of one client are lost without a message; the
    other client continues.
    """
    found = fault(result, "mtu")
    assert [item["what"] for item in found.actions] == [
        "MTU of the port of c1 on data: 1500",
        "MTU of the port of c1 on data: as before",
    ]
    longest_s = {item.client: item.longest_s for item in found.streams if item.stream == "small"}
    assert longest_s["c1"] > 5.0
    assert longest_s["c2"] < 5.0


def test_a_full_file_system_refuses_and_takes_again(result: Result) -> None:
    """Clients get ENOSPC only, acknowledged data are present, and writing resumes when space
    is free.
    """
    found = fault(result, "full")
    errors = {(item.stream, error["name"]) for item in found.streams for error in item.errors}
    assert errors == {("small", "ENOSPC"), ("names", "ENOSPC")}
    assert [item.over_unix_s for item in found.streams] == [None] * 4
    assert judge_course(found).verdict == "pass"
    assert rate(found, (found.ended_unix_s or 0.0) - 3, found.ended_unix_s or 0.0) > 10


def test_an_array_is_whole_again_when_the_fault_is_over(result: Result) -> None:
    """Two disks fail and are replaced, and the server hangs while they are rebuilt; the rebuild is
    timed.
    """
    found = fault(result, "two")
    assert found.rebuild["ended"] is True
    assert found.rebuild_s is not None
    assert found.rebuild_s > 0.5  # 48 MiB at 2.5 MB/s take longer
    load = found.rebuild["loads"]["small"]
    assert load["before"]["seconds"] >= 4
    assert load["before"]["operations_per_s"] > 5
    assert load["rebuild"]["operations_per_s"] > 1
    assert load["rebuild"]["max_ms"] > 0
    assert found.rebuild["until_unix_s"] <= (found.recovered_unix_s or 0.0)


def test_nothing_was_damaged(result: Result) -> None:
    """The verified blocks show it."""
    assert {item.claim: item.verdict for item in judge(result)} == {"intact": "pass"}
