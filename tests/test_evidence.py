"""No evidence is never a pass: each check without its evidence answers `unknown`, and an
empty run does not exit with 0.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from seatrial.analysis.histories import Findings
from seatrial.judge.checks import bound, idempotence, integrity, recovery
from seatrial.judge.checks.consistency import judge_consistency_test
from seatrial.judge.judge import exit_code, judge
from seatrial.judge.published_faults import judge_by_faults
from seatrial.result.result import read_result
from seatrial.result.writer import Writer
from seatrial.study.consistency_kinds import kind_names, load_kind
from seatrial.study.published import PublishedClaim
from tests.builders.fault_results import fault, stream
from tests.builders.fault_results import result as fault_result_line
from tests.builders.moments import FENCED, moment
from tests.builders.places import ROOT
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import MINIMAL

OK, CHANGED = ({"node": "nas", "step": "export", "result": result} for result in ("ok", "changed"))


@pytest.mark.parametrize(
    ("deploys", "verdict"),
    [
        ([], "unknown"),
        ([[]], "unknown"),
        ([[OK]], "pass"),
        ([[CHANGED]], "fail"),
        ([[CHANGED], [OK]], "fail"),
        ([[OK], [CHANGED]], "fail"),
    ],
)
def test_a_second_deploy_of_nothing_proves_nothing(
    tmp_path: Path, deploys: list[Any], verdict: str
) -> None:
    """In a resumed run the second deploy of each part counts."""
    result_of(tmp_path / "r", MINIMAL, complete=False)
    writer = Writer(tmp_path / "r", append=True)
    for results in deploys:
        writer.line("deploy", title="second deploy", summary="", results=results)
    writer.close()
    assert idempotence.check(read_result(tmp_path / "r"), idempotence.Options()).verdict == verdict


def off(node: str) -> dict[str, Any]:
    """A line of the power log."""
    return {"unix_s": 101.0, "node": node, "running": False, "what": "off"}


def test_a_client_without_power_and_without_a_replay_is_unknown() -> None:
    """A fault that was not completed is unknown, too; without a lost node no replay was
    necessary.
    """
    assert recovery.judge(fault(streams=(stream(1.0),))).verdict == "pass"
    assert (
        recovery.judge(fault(streams=(stream(1.0),), failed="ssh was refused")).verdict == "unknown"
    )
    client = stream(1.0).client
    assert recovery.judge(fault(streams=(stream(1.0),), power=(off(client),))).verdict == "unknown"
    assert recovery.judge(fault(streams=(stream(1.0),), power=(off("array"),))).verdict == "pass"
    asked = {"unix_s": 101.0, "node": "c2", "what": "fencing", "text": "", "subject": "c1"}
    assert recovery.judge(fault(streams=(stream(1.0),), moments=(asked,))).verdict == "unknown"


def test_a_run_that_measured_and_claims_nothing_is_not_complete(tmp_path: Path) -> None:
    """Exit code 0 would say that something passed."""
    data = {key: value for key, value in MINIMAL.items() if key not in ("criteria", "experiments")}
    result = result_of(tmp_path / "r", data)
    assert (result.complete, exit_code(result, judge(result))) == (True, 3)


PROPERTY = {"type": "property", "property": "as the paper says", "expect": True}
STARTED_BEFORE_FENCING = {
    **FENCED,
    "moments": (moment(96.0, "b", "starting"), moment(104.0, "b", "fenced", "a")),
}
EXTENTS = {"zeros": {"number": 1, "size_bytes": 4096}}
ZEROED = {
    "client": "c1",
    "parts": 3,
    "blocks": 3,
    "extents": EXTENTS,
    "damage": [{"file": "dd"}],
    "unknown": None,
    "error": None,
    "longest_s": 1.0,
    "size_bytes": 4096,
}


@pytest.mark.parametrize(
    ("changes", "checks", "verdict"),
    [
        # "detect, fence, then start"
        (FENCED, ("fencing",), "agrees"),
        (STARTED_BEFORE_FENCING, ("fencing",), "worse"),
        ({"writers_watched": None}, ("fencing",), "inconclusive"),
        # "data are correct": also where a service moved that should have stayed
        ({"expect": {"fails_over": False}}, ("integrity",), "agrees"),
        ({"expect": {"fails_over": False}}, ("faults", "integrity"), "worse"),
        ({"copies": {"dd": ZEROED}}, ("faults", "integrity"), "worse"),
        ({"compared": {}}, ("faults", "integrity"), "inconclusive"),
    ],
)
def test_a_published_claim_about_safety_is_answered_by_the_checks_of_safety(
    tmp_path: Path, changes: dict[str, Any], checks: Any, verdict: str
) -> None:
    """A failover alone shows neither its order nor the content of the disks."""
    kept = fault_result_line(tmp_path, fault(**changes))
    assert (
        judge_by_faults(PROPERTY, PublishedClaim(faults=("it",), checks=checks), kept).verdict
        == verdict
    )


def test_a_read_out_of_a_cache_is_above_its_bound_also_where_the_lab_was_busy(
    tmp_path: Path,
) -> None:
    """A busy machine makes no rate too high: those that it limits are just the ones that a cache
    makes.
    """
    within, above = (
        phase(rate, bound="link", bound_bytes_per_s=1e6, lab_limited=busy)
        for rate, busy in ((9e5, False), (3e6, True))
    )
    kept = result_of(tmp_path / "r", MINIMAL, within, above)
    assert bound.check(kept, bound.Options()).verdict == "fail"
    assert (
        bound.check(result_of(tmp_path / "s", MINIMAL, within), bound.Options()).verdict == "pass"
    )


@pytest.mark.parametrize(
    ("checked", "verdict"),
    [
        ({"appended": 9, "reads": 7}, "pass"),
        ({"appended": 9, "reads": 0}, "unknown"),
        ({"appended": 9}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_a_consistency_test_with_failed_reads_only_shows_nothing(
    checked: dict[str, int], verdict: str
) -> None:
    """Appends alone do not show who sees them."""
    found: Any = {**Findings(checked=checked).to_json(), "consistency_test": "append"}
    assert judge_consistency_test(found).verdict == verdict


def test_every_consistency_test_has_something_that_it_needs() -> None:
    """A new kind declares its evidence."""
    assert [name for name in kind_names() if not load_kind(name).NEEDED] == []


def test_an_experiment_that_failed_leaves_integrity_open(tmp_path: Path) -> None:
    """The other blocks that were read back show nothing about the missing experiment."""
    for complete, verdict in ((True, "pass"), (False, "unknown")):
        result_of(
            tmp_path / f"{complete}",
            MINIMAL,
            phase(clients=(client(blocks_checked=8),)),
            complete=complete,
        )
        assert (
            integrity.check(read_result(tmp_path / f"{complete}"), integrity.Options()).verdict
            == verdict
        )
    (tmp_path / "False").rename(tmp_path / "r")
    writer = Writer(tmp_path / "r", append=True)
    writer.line("experiment-failed", name="one", reason="c1 was lost")
    writer.close()
    answer = integrity.check(read_result(tmp_path / "r"), integrity.Options())
    assert (answer.verdict, "c1 was lost" in answer.evidence) == ("unknown", True)


def test_every_check_is_documented_with_its_evidence_and_its_control() -> None:
    """docs/checks.md has a row for each check without an empty cell, and every named file and
    study exists.
    """
    lines = [
        line
        for line in (ROOT / "docs/checks.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    rows = {cells[0].strip("` "): cells for cells in (line.strip("|").split("|") for line in lines)}
    modules = (ROOT / "src/seatrial/judge/checks").glob("[a-z]*.py")
    assert set(rows) == {path.stem.replace("_", "-") for path in modules}
    assert all(cell.strip() for cells in rows.values() for cell in cells)
    named = re.findall(r"`((?:tests|studies)/[^`]*)`", "".join(lines))
    assert [name for name in named if not (ROOT / name).exists()] == []
