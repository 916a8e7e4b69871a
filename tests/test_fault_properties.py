"""A claim that faults answer names the property that decides; a claim and the table's row
about the same fact agree.
"""

from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.judge.judge import check_claims, check_published
from seatrial.judge.published_faults import judge_by_faults, judge_row
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.study.published import PublishedClaim
from seatrial.study.study import Study, load_study
from tests.builders.fault_results import fault, stream
from tests.builders.fault_studies import broken
from tests.builders.places import ROOT
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

SHIPPED = sorted((ROOT / "studies").glob("*/study.yaml"))
PAPER = loaded((ROOT / "published/nss-ha.yaml").read_text())
SAME_SENTENCE = (
    ("C6", "switch"),
    ("C1", "panic"),
    ("C1", "heartbeat"),
    ("C1", "public-link"),
    ("C2", "storage-paths"),
)
"""(claim, fault of the table's row about the same fact) of nss-ha"""


def result_with(*faults: FaultResult) -> Result:
    """A record of these faults alone."""
    return Result(Path("nowhere"), tuple({"type": "fault", **asdict(item)} for item in faults))


def answered(mapping: PublishedClaim, profile: dict[str, Any], *faults: FaultResult) -> str:
    """The verdict on a claim."""
    return judge_by_faults(profile, mapping, result_with(*faults)).verdict


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_every_shipped_claim_that_faults_answer_names_its_property(path: Path) -> None:
    """As a run demands it; `checks`, of older studies, is nowhere."""
    it = load_study(path)
    check_claims(it)
    for claim in it.published_claims.values():
        for mapping in claim.answers():
            assert bool(mapping.faults) == bool(mapping.decides)


@lru_cache(maxsize=1)
def nss_ha() -> Study:
    """The shipped study."""
    return load_study(ROOT / "studies/nss-ha/study.yaml")


COURSES = st.builds(
    lambda moved, expected, outage_s, lost, failed: fault(
        moved=moved,
        expect={"fails_over": expected, "outage": 60.0},
        streams=(stream(outage_s, **({"lost": "no word from its agent"} if lost else {})),),
        failed="the agent ended" if failed else None,
    ),
    st.sampled_from([True, False, None]),
    st.sampled_from([True, False, "may"]),
    st.sampled_from([0.0, 1.0, 5.0, 31.0, 59.0, 61.0, 200.0, 481.0]),
    st.booleans(),
    st.booleans(),
)


@given(COURSES, st.sampled_from(SAME_SENTENCE))
def test_no_claim_differs_from_the_row_with_the_same_sentence(
    course: FaultResult, pair: tuple[str, str]
) -> None:
    """For any result and any expectation of the study."""
    claim, name = pair
    it = nss_ha()
    row = next(row for row in PAPER["faults"] if row["id"] == it.faults[name].published)
    form = next(item["form"] for item in PAPER["claims"] if item["id"] == claim)
    mapping = it.published_claims[claim].replaced(faults=(name,))
    happened = replace(course, name=name)
    assert answered(mapping, form, happened) == judge_row(row, [happened]).verdict


PROPERTY = {"type": "property", "expect": True}
RANGE = {"type": "range", "min": 30, "max": 60, "unit": "s"}
ERROR = {"name": "EIO", "operation": "write", "count": 1}


@pytest.mark.parametrize(
    ("decides", "changes", "verdict"),
    [
        ("service-stayed", {"moved": False}, "agrees"),
        (
            "service-stayed",
            {"moved": True, "expect": {"fails_over": "may", "outage": 60.0}},
            "different",
        ),
        ("service-stayed", {"moved": None}, "inconclusive"),
        ("service-moved", {"moved": True}, "agrees"),
        ("service-moved", {"moved": False}, "different"),
        ("io-completes", {}, "agrees"),
        ("io-completes", {"streams": (stream(5.0, errors=(ERROR,)),)}, "worse"),
        ("integrity", {"skipped": "not in this profile"}, "inconclusive"),
    ],
)
def test_each_property_is_tested_separately(
    decides: Any, changes: dict[str, Any], verdict: str
) -> None:
    """The expectation of the study decides nothing."""
    mapping = PublishedClaim(faults=("it",), decides=(decides,))
    assert answered(mapping, PROPERTY, fault(**changes)) == verdict


def test_a_time_of_failover_needs_a_failover() -> None:
    """A pause of 45 s without one is no failover of 45 s."""
    mapping = PublishedClaim(faults=("it",), decides=("service-moved", "outage"))
    assert answered(mapping, RANGE, fault(45.0, moved=True)) == "agrees"
    assert answered(mapping, RANGE, fault(45.0, moved=False)) == "different"


def test_a_claim_of_an_older_result_that_either_answer_would_fit_is_open() -> None:
    """`checks: [faults]` with `fails_over: may` agreed with any place of the service."""
    older = PublishedClaim(faults=("it",))
    either = fault(moved=True, expect={"fails_over": "may", "outage": 60.0})
    assert answered(older, PROPERTY, either) == "inconclusive"


PUBLISHED = {
    "claims": [
        {
            "id": "C1",
            "statement": "it stays",
            "form": {"type": "property", "property": "stays", "expect": True},
        },
        {"id": "C2", "statement": "it takes 30 to 60 s", "form": RANGE},
    ]
}


@pytest.mark.parametrize(
    ("claim", "answer", "message"),
    [
        (
            "C1",
            {"faults": ["it"]},
            r"published_claims\.C1\.faults: .*name the property that decides.*known:",
        ),
        (
            "C1",
            {"faults": ["it"], "decides": ["outage"]},
            r"C1\.decides: .*property, which prints no time",
        ),
        (
            "C2",
            {"faults": ["it"], "decides": ["service-moved"]},
            r"C2\.decides: .*range, which needs outage",
        ),
        (
            "C1",
            {"faults": ["it"], "decides": ["service-moved", "service-stayed"]},
            "no fault has both",
        ),
        ("C1", {"faults": ["it"], "decides": "stayed"}, "'stayed' is not known"),
        ("C1", {"decides": ["integrity"]}, "name the faults"),
    ],
)
def test_a_claim_without_its_property_is_refused(
    claim: str, answer: dict[str, Any], message: str
) -> None:
    """Before a run, with its place."""
    data = broken({"it": {"kind": "panic"}}, published="paper", published_claims={claim: answer})
    with pytest.raises(InputError, match=message):
        check_published(study(data), PUBLISHED)
