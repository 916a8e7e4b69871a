"""Consistency tests of faults: their verdicts, and their rows in the report."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from seatrial.analysis.histories import Circumstances, Findings, History
from seatrial.basics.errors import InputError
from seatrial.judge.answer import Answer, Reason, passed, unknown
from seatrial.judge.checks.consistency import Options, judge_consistency_test, judge_fault
from seatrial.report.fault_tables import consistency as table
from seatrial.result.faults import FaultResult
from tests.builders.fault_studies import STREAM, broken
from tests.builders.histories import exclusive, locks
from tests.builders.planted_defects import last, winner_twice
from tests.builders.side_by_side import judge
from tests.builders.strategies import study


def test_a_lost_lock_is_reported_and_fails_unless_it_is_waived() -> None:
    """Its holder got an error; it could not know earlier, so that a second holder is no
    violation.
    """
    storage = locks([0, 1, 2, 0])
    last(storage, "held", token="k1").update(outcome="error", errno="EIO")
    found = judge("locks", storage.histories([0.001] * 3), storage.about())
    assert found.violations == []
    assert found.kept_locks == {"c0": "held", "c1": "lost", "c2": "held"}
    assert "EIO of held" in found.lost_locks[0]
    assert judge_consistency_test(found.to_json()).verdict == "fail"
    assert (
        judge_consistency_test(found.to_json(), Options(lost_locks="waive")).verdict
        == "pass with waivers"
    )


def test_a_token_that_a_full_file_system_refused_shows_nothing_about_its_lock() -> None:
    """It is not lost, and a token of another client in the file is no other holder's work."""
    storage = locks([0, 1, 2, 0, 1])
    last(storage, "held", token="1-4").update(outcome="error", errno="ENOSPC")
    storage.add(1, "held", "foreign", range=0, token="1-4", seen="0-3")
    whole = judge("locks", locks([0, 1, 2, 0, 1]).histories([0.001] * 3), storage.about())
    found = judge("locks", storage.histories([0.001] * 3), storage.about())
    assert (found.violations, found.lost_locks) == ([], [])
    assert found.checked["looks"] == whole.checked["looks"] - 1
    assert found.checked["holds"] == whole.checked["holds"]


def test_a_lock_counts_as_kept_only_after_the_fault() -> None:
    """An observation before the fault proves nothing."""
    storage = locks([0, 1, 2])
    late = storage.about((storage.now_s, storage.now_s + 60))
    found = judge("locks", storage.histories([0.001] * 3), late)
    assert set(found.kept_locks.values()) == {"unknown"}
    assert judge_consistency_test(found.to_json()).verdict == "unknown"


def test_nothing_checked_is_never_a_pass() -> None:
    """A history without an end, or a storage that could not be inspected, is no pass either."""
    assert judge_consistency_test(Findings().to_json()) == unknown(
        "nothing was checked", Reason.NOTHING_CHECKED
    )
    storage = exclusive([0, 1])
    whole = storage.histories([0.001] * 3)
    cut = [replace(whole[0], events=whole[0].events[:-1]), *whole[1:]]
    assert (
        judge_consistency_test(judge("exclusive", cut, storage.about()).to_json()).verdict
        == "unknown"
    )
    assert (
        judge_consistency_test(
            judge("exclusive", whole, replace(storage.about(), final=None)).to_json()
        ).verdict
        == "unknown"
    )
    gone = replace(storage.about(), lost_power=frozenset({"c0"}))
    assert judge_consistency_test(judge("exclusive", cut, gone).to_json()).verdict == "pass"


STREAMS: list[tuple[dict[str, Any], str]] = [
    ({}, "one of workload, consistency_test and copy"),
    ({"consistency_test": "locks"}, "needs arrivals_per_s"),
    ({"consistency_test": "dance", "arrivals_per_s": 4}, "dance"),
    (
        {"consistency_test": "locks", "arrivals_per_s": 4, "workload": STREAM},
        "one of workload, consistency_test and copy",
    ),
    (
        {"workload": STREAM, "arrivals_per_s": 4},
        "write arrivals_per_s of a workload in the workload",
    ),
    ({"consistency_test": "locks", "arrivals_per_s": 0}, "greater than 0"),
]


@pytest.mark.parametrize(("stream", "printed"), STREAMS)
def test_a_stream_is_a_load_or_a_consistency_test(stream: dict[str, Any], printed: str) -> None:
    """And a mistake is reported with its place."""
    with pytest.raises(InputError) as caught:
        study(broken({"a": {"kind": "panic"}}, {"s": stream}))
    assert printed in str(caught.value)
    assert "background_load.s" in str(caught.value)


def test_the_report_has_a_row_for_each_consistency_test() -> None:
    """With its counts, and with violations in words; without consistency tests there is no
    table.
    """
    storage = exclusive([0, 1, 2])
    winner_twice(storage)
    found = judge("exclusive", storage.histories([0.001] * 3), storage.about()).to_json()
    kept = judge("locks", locks([0]).histories([0.001] * 3), locks([0]).about()).to_json()
    results: Any = {
        "names": {"consistency_test": "exclusive", **found},
        "locks": {"consistency_test": "locks", **kept},
    }
    fault = FaultResult("it", "panic", "panic", "a panic", None, {}, consistency=results)
    drawn = table([fault], [])
    assert drawn.rows[0][:5] == ("it", "names: exclusive", "3 names, 3 contended", "1", "0")
    assert "was won by" in drawn.rows[0][-1]
    assert "c0: held, c1: held, c2: held" in drawn.rows[1]
    assert table([replace(fault, consistency={})], []).rows == ()
    assert FaultResult.from_json(json.loads(json.dumps(asdict(fault)))).consistency == results


def test_the_claim_is_judged_over_all_faults() -> None:
    """One that fails decides; one that was skipped does not."""
    good: Any = {"consistency_test": "exclusive", **judge("exclusive", *_good()).to_json()}
    bad: Any = {**good, "violations_count": 1, "violations": ["x1 was won by c1 and c2"]}
    fine = FaultResult("fine", "panic", "panic", "a panic", None, {}, consistency={"names": good})
    (answer,) = judge_fault(fine)
    assert replace(answer, rows=()) == passed("names: 1 names, 1 contended")
    wrong = replace(fine, name="wrong", consistency={"names": bad})
    assert judge_fault(wrong)[0].verdict == "fail"
    assert judge_fault(replace(fine, skipped="no peer")) == [
        Answer("skipped", "skipped, no peer", Reason.SKIPPED)
    ]
    broken = replace(fine, failed="it broke", consistency={})
    assert judge_fault(broken) == [unknown("it broke", Reason.NOT_CARRIED_THROUGH)]


def _good() -> tuple[list[History], Circumstances]:
    storage = exclusive([0])
    return storage.histories([0.001] * 3), storage.about()
