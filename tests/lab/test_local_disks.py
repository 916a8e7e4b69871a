"""A local disk of a server fails under load, with a hot spare, before and after a boot."""

from typing import Any

import pytest

from seatrial.judge.effects import judge_course
from seatrial.judge.judge import judge
from seatrial.result.evidence import Sign
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result, read_result
from tests.builders.labs import command, lab_study
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

LOCAL = {"size": "48MiB", "rate": "200MB/s"}
FAULTS: dict[str, Any] = {
    "local": {"kind": "local-disk", "rebuild": "40s", "duration": "1s"},
    "boot": {"kind": "panic", "duration": "1s"},
    "again": {"kind": "local-disk", "rebuild": "40s", "duration": "1s"},
    "client": {"kind": "local-disk", "node": "c1", "duration": "1s"},
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The result of a server with data disks on storage paths, and local disks."""
    folder = tmp_path_factory.mktemp("local-disks")
    data = lab_study("local-disks", clients=1)
    data["nodes"]["nas"]["disks"]["paths"] = {"cabling": "separate", "rate": "2.4GB/s"}
    data["nodes"]["nas"]["local_disks"] = LOCAL
    del data["experiments"]
    small = {
        "phases": ["write"],
        "pattern": "random",
        "transfer_size": "4KiB",
        "file_size": "32MiB",
        "fsync": "transfer",
        "arrivals_per_s": 10,
    }
    data["background_load"] = {"small": {"workload": small}}
    data["faults"] = {name: {"recovery_timeout": "60s", **fault} for name, fault in FAULTS.items()}
    data["criteria"] = [{"id": "intact", "check": "integrity"}]
    (folder / "study.yaml").write_text(text_of(data))
    done = command("run", str(folder), "--out", str(folder / "results"))
    assert done.returncode == 0, done.stderr
    return read_result(next((folder / "results").iterdir()))


def fault(result: Result, name: str) -> FaultResult:
    """A completed fault without a failed action."""
    found = next(item for item in result.faults if item.name == name)
    assert (found.skipped, found.failed, found.notes) == (None, None, ())
    assert [item["error"] for item in found.actions if item["error"]] == []
    return found


@pytest.mark.parametrize("name", ["local", "again"])
def test_the_spare_takes_the_place_of_a_failed_disk(result: Result, name: str) -> None:
    """After the boot too: the failed disk is the spare then. The server serves all the time."""
    found = fault(result, name)
    assert found.evidence is not None
    assert Sign.MEDIUM_GONE in found.evidence[0].seen
    assert found.rebuild["ended"] is True
    assert found.rebuild["array"] == "/dev/md/system"
    assert found.rebuild_s is not None
    assert found.rebuild_s > 3.0  # 48 MiB at 5 MB/s
    assert judge_course(found).verdict == "pass"


def test_a_node_without_local_disks_skips_the_fault(result: Result) -> None:
    """A client has its system on one disk."""
    found = next(item for item in result.faults if item.name == "client")
    assert "no second disk here; give it local_disks" in (found.skipped or "")


def test_nothing_was_damaged(result: Result) -> None:
    """The verified blocks show it."""
    assert {item.claim: item.verdict for item in judge(result)} == {"intact": "pass"}
