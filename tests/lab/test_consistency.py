"""Two clients' consistency tests on real kernels, over a cut of the link to the only server and of
its power.
"""

from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.judge import judge
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result, read_result
from tests.builders.labs import command, lab_study
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

DURATION_S = 3.0
TRIES = 3
"""power cuts at most, until one comes some time after the journal's commit, which is every 5 s"""
SMALL = {
    "phases": ["write"],
    "pattern": "random",
    "transfer_size": "4KiB",
    "file_size": "16MiB",
    "fsync": "transfer",
}
CHECKED = {
    "locks": {"holds", "refused", "looks"},
    "append": {"appended", "reads"},
    "exclusive": {"names", "contended"},
    "rename": {"items"},
    "close-to-open": {"generations", "reads"},
    "truncate": {"rewrites", "reads"},
    "hard-links": {"links", "contended"},
    "retried": {"made", "renamed", "removed"},
    "synced-names": {"published", "renamed"},
    "attributes": {"grown", "reads"},
    "mmap": {"writes", "reads"},
    "read-ahead": {"writes", "reads"},
    "range-locks": {"granted in a split lock", "refused at a split lock", "looks"},
    "torn-writes": {"writes", "reads"},
}
FEW = 3
"""More checks than this show that a test works; a busy machine makes few of some kinds."""


def run(folder: Path, name: str, solution: dict[str, Any], fault: dict[str, Any]) -> Result:
    """The result of a server with one disk and two clients, with a small load and one fault."""
    data: dict[str, Any] = lab_study(f"consistency-{name}", clients=2)
    data["nodes"]["nas"]["disks"] = {"count": 1, "size": "128MiB"}
    data["solution"] = {"kind": "nfs", **solution}
    del data["experiments"]
    consistency_tests = {name: {"consistency_test": name, "arrivals_per_s": 4} for name in CHECKED}
    data["background_load"] = {
        "small": {"workload": {**SMALL, "arrivals_per_s": 4}},
        **consistency_tests,
    }
    data["faults"] = {"it": {"duration": f"{DURATION_S:g}s", **fault}}
    data["criteria"] = [{"id": "consistent", "check": "consistency"}]
    (folder / "study.yaml").write_text(text_of(data))
    done = command("run", str(folder), "--out", str(folder / "results"))
    assert done.returncode in (0, 1, 3, 4), done.stderr
    return read_result(next((folder / "results").iterdir()))


@pytest.fixture(scope="module", params=["4.2", "3"])
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The link to the server is cut for some seconds."""
    solution = {"mount": {"version": request.param}}
    return run(
        tmp_path_factory.mktemp("consistency"),
        f"v{request.param[0]}",
        solution,
        {"kind": "public-link"},
    )


def link(result: Result) -> FaultResult:
    """The fault, completed and settled."""
    fault = result.faults[0]
    assert (fault.skipped, fault.failed, fault.not_compared) == (None, None, None)
    assert fault.recovered_unix_s is not None
    return fault


def test_nothing_is_violated_and_something_is_checked(result: Result) -> None:
    """For each consistency test, every subject of its check has a count; no lock is lost."""
    found = link(result).consistency
    assert set(found) == set(CHECKED)
    for name, counts in CHECKED.items():
        reported = found[name]
        assert (reported["violations"], reported["lost_locks"]) == ([], [])
        checked = {what for what, number in reported["checked"].items() if number > FEW}
        assert counts <= checked, (name, reported)
    assert found["locks"]["kept_locks"] == {"c1": "held", "c2": "held"}


def test_the_consistency_tests_are_judged(result: Result) -> None:
    """Everything is known, unless an answer was lost in the cut."""
    verdict = judge(result)[0]
    unknown = sum(found["unknowns_count"] for found in link(result).consistency.values())
    assert verdict.verdict == ("unknown" if unknown else "pass"), verdict.evidence


def test_a_consistency_test_is_silent_while_the_link_is_cut(result: Result) -> None:
    """Its agent reports stalls and outages as a load does."""
    for item in (item for item in link(result).streams if item.stream != "small"):
        assert (item.lost, item.errors, item.over_unix_s) == (None, (), None)
        if (
            item.stream == "close-to-open"
            and item.longest is None
            and "consistency-v4" in result.folder.name
        ):
            continue  # a holder of a delegation opens and reads without its server (RFC 8881, 10.4)
        assert item.longest is not None, item.stream
        assert DURATION_S - 0.6 < item.longest_s < 30.0


def test_storage_that_loses_data_is_detected(tmp_path: Path) -> None:
    """The negative control: locks that no server knows, and an export that acknowledges data
    in memory.
    """
    solution = {
        "export": {"mode": "async"},
        "mount": {"version": "3", "options": ["hard", "noatime", "nolock"]},
    }
    for attempt in range(TRIES):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        result = run(folder, "forgets", solution, {"kind": "power-cut", "recovery_timeout": "180s"})
        found = link(result).consistency
        # Lost names are newer than the last commit of ext4's journal, which may be very recent.
        won = any("was won by" in words for words in found["exclusive"]["violations"])
        if won and found["rename"]["violations"]:
            break
    # Seen by the times of two holders, or by the token that one of them finds; which is first is
    # chance.
    reported = found["locks"]["violations"][0]
    assert "both held range" in reported or "of another client" in reported
    assert won
    assert any("is lost" in words for words in found["rename"]["violations"])
    assert judge(result)[0].verdict == "fail"


def test_a_changed_wall_clock_is_reported_and_violates_nothing(tmp_path: Path) -> None:
    """The clock of one client, an hour ahead and back: by it, its operations would be in the
    future.
    """
    result = run(tmp_path, "clock", {}, {"kind": "wall-clock", "node": "c1", "duration": "4s"})
    reported = list(result.of("wall-clock-set"))
    assert [line["node"] for line in reported] == ["c1", "c1"]
    # Between two readings, the clock of a busy kernel may lose some seconds.
    assert [line["set_by_s"] for line in reported] == pytest.approx([3600, -3600], abs=30)
    fault = link(result)
    assert all(item["violations"] == [] for item in fault.consistency.values()), fault.consistency
    assert [item.over_unix_s for item in fault.streams] == [None] * len(fault.streams)
    assert fault.clock_error_s < 1.0
    assert judge(result)[0].verdict == "pass", judge(result)[0].evidence
