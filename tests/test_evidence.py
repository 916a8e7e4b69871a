"""No evidence is never a pass: each check without what it needs answers `unknown`, and an empty run is not 0."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.checks import idempotence, recovery
from seatrial.judge.judge import exit_code, judge
from seatrial.record.record import Writer, read_record
from tests.records import record_of
from tests.strategies import MINIMAL
from tests.test_fault_checkers import fault, stream

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
def test_a_second_deploy_of_nothing_proves_nothing(tmp_path: Path, deploys: list[Any], verdict: str) -> None:
    """And of a run that was gone on with, each part's counts."""
    record_of(tmp_path / "r", MINIMAL, complete=False)
    writer = Writer(tmp_path / "r", append=True)
    for results in deploys:
        writer.line("deploy", title="second deploy", summary="", results=results)
    writer.close()
    assert idempotence.check(read_record(tmp_path / "r"), idempotence.Options()).verdict == verdict


def off(node: str) -> dict[str, Any]:
    """A line of the power log."""
    return {"unix_s": 101.0, "node": node, "running": False, "what": "off"}


def test_a_client_without_power_whose_journal_nobody_took_is_not_known() -> None:
    """Nor is a fault that could not be carried through; where nothing was lost, nothing had to be taken over."""
    assert recovery.judge(fault(streams=(stream(1.0),)))[0] == "pass"
    assert recovery.judge(fault(streams=(stream(1.0),), failed="ssh was refused"))[0] == "unknown"
    client = stream(1.0).client
    assert recovery.judge(fault(streams=(stream(1.0),), power=(off(client),)))[0] == "unknown"
    assert recovery.judge(fault(streams=(stream(1.0),), power=(off("array"),)))[0] == "pass"
    asked = {"unix_s": 101.0, "node": "c2", "what": "fencing", "text": "", "subject": "c1"}
    assert recovery.judge(fault(streams=(stream(1.0),), moments=(asked,)))[0] == "unknown"


def test_a_run_that_measured_and_claims_nothing_is_not_complete(tmp_path: Path) -> None:
    """Exit code 0 would say that something passed."""
    data = {key: value for key, value in MINIMAL.items() if key not in ("claims", "experiments")}
    record = record_of(tmp_path / "r", data)
    assert (record.complete, exit_code(record, judge(record))) == (True, 3)
