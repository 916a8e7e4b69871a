"""Rows of a published fault table, answered by faults."""

from pathlib import Path

import pytest

from seatrial.basics.errors import InputError
from seatrial.judge.fault_properties import Limits
from seatrial.judge.judge import check_published, study_of
from seatrial.judge.published_claims import judge_published
from seatrial.judge.published_faults import judge_fault_rows, judge_row, recovery_s
from seatrial.result.faults import FaultResult
from tests.builders.fault_results import COMPARED, PUBLISHED, STAYED, fault, result, stream
from tests.builders.fault_studies import broken
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

ROWS: list[tuple[str, list[FaultResult], str, str]] = [
    (
        "X1",
        [fault(40.0)],
        "agrees",
        "the service failed over, longest outage 40.0 s (published: 30 to 60 s)",
    ),
    ("X1", [fault(12.0)], "better", "shorter"),
    ("X1", [fault(70.0)], "worse", "longer"),
    ("X1", [fault(0.0, **STAYED)], "different", "published: the service fails over"),
    ("X1", [fault(40.0), fault(70.0)], "worse", "it: the service failed over"),
    ("X1", [], "inconclusive", "no fault of this run repeats it"),
    ("X1", [fault(skipped="no BMC")], "inconclusive", "skipped: no BMC"),
    (
        "X1",
        [fault(streams=(stream(40.0, lost="the agent died"),))],
        "inconclusive",
        "the agent died",
    ),
    ("X4", [fault(5.0, **STAYED)], "agrees", "the service stayed"),
    ("X4", [fault(5.0)], "different", "published: the service stays"),
    ("X5", [fault(0.0, **STAYED)], "agrees", "the service stayed"),
    ("X5", [fault(45.0)], "agrees", "the service failed over"),
    ("X6", [fault(1.5, **STAYED)], "agrees", "1.5 s"),
    ("X6", [fault(4.0, **STAYED)], "worse", "4.0 s"),
    ("X7", [fault(200.0)], "agrees", "180 to 480 s"),
]


@pytest.mark.parametrize(("identity", "faults", "verdict", "evidence"), ROWS)
def test_rows_of_the_published_table(
    identity: str, faults: list[FaultResult], verdict: str, evidence: str
) -> None:
    """The failover of the service and the longest outage, compared with the printed values."""
    row = next(item for item in loaded(PUBLISHED)["faults"] if item["id"] == identity)
    answer = judge_row(row, faults)
    assert (answer.verdict, evidence in answer.evidence) == (verdict, True), answer


def test_every_row_is_answered_and_an_unknown_one_is_a_mistake(tmp_path: Path) -> None:
    """In the order of the table; a study that repeats a row that is not printed is an error."""
    kept = result(tmp_path, fault())
    verdicts = {item.claim: item.verdict for item in judge_fault_rows(study_of(kept), kept)}
    assert verdicts == {
        "X1": "agrees",
        "X4": "inconclusive",
        "X5": "inconclusive",
        "X6": "inconclusive",
        "X7": "inconclusive",
    }
    with pytest.raises(InputError, match=r"faults\.it\.published: paper has no fault X9"):
        check_published(
            study(broken({"it": {"kind": "panic", "published": "X9"}}, published="paper")),
            loaded(PUBLISHED),
        )
    assert recovery_s({"min": 3, "max": 8, "unit": "min"}) == Limits(180.0, 480.0)
    assert recovery_s({"min": 3, "max": 8, "unit": "days"}) is None


@pytest.mark.parametrize(
    ("item", "verdicts"),
    [
        (fault(), {"C1": "agrees", "C2": "agrees", "C3": "inconclusive"}),
        (fault(70.0), {"C1": "worse", "C2": "agrees", "C3": "inconclusive"}),
        (
            fault(compared={"small": {**COMPARED, "lost": 2}}),
            {"C1": "agrees", "C2": "worse", "C3": "inconclusive"},
        ),
        (fault(skipped="x"), {"C1": "inconclusive", "C2": "inconclusive", "C3": "inconclusive"}),
    ],
)
def test_claims_about_failing_over(
    tmp_path: Path, item: FaultResult, verdicts: dict[str, str]
) -> None:
    """A range of times, a property of the whole course; no other profile is judged from faults."""
    answers = {name: {"faults": ["it"]} for name in verdicts}
    kept = result(tmp_path, item, published_claims=answers)
    assert {
        found.claim: found.verdict for found in judge_published(study_of(kept), kept)
    } == verdicts
