"""The evidence of a criterion by subject: one typed row for each, which an objection weakens."""

import json
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.schema import Model
from seatrial.judge.answer import (
    Answer,
    EvidenceRow,
    Reason,
    Verdict,
    combine,
    failed,
    invert_for_control,
    passed,
    unknown,
)
from seatrial.judge.base import Judgement
from seatrial.judge.checks import integrity, outage
from seatrial.judge.judge import judge, save
from seatrial.judge.limits import combine_all
from seatrial.judge.outages import judge_outage
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.report.criteria import details, overview
from seatrial.report.tables import ROWS_MAX
from seatrial.result.faults import FaultResult
from seatrial.result.outages import Outage
from seatrial.result.result import read_result
from seatrial.summary.briefs import WORDS_MAX, brief, is_complete, shortened, value_words
from seatrial.summary.summarise import from_json, summarise, to_json
from tests.builders.fault_results import DAMAGE, fault, result, stream
from tests.builders.stored import KEPT


def subjects(answer: Answer) -> list[tuple[str, str]]:
    """Subject and verdict of every row."""
    return [(row.subject, row.verdict) for row in answer.rows]


# ---- answers


def test_a_subject_makes_a_row_of_an_answer_in_words() -> None:
    """The evidence is the note; a second subject is in front of the first."""
    answer = passed("158 holds").about("locks").about("panic", " ")
    assert answer.evidence == "panic locks: 158 holds"
    assert answer.rows == (EvidenceRow("panic locks", "pass", note="158 holds"),)


def test_a_row_of_figures_keeps_them() -> None:
    """Value, limit and unit; the words are in the evidence only."""
    answer = failed("61.0 s (> 60 s)").with_row(61.0, 60.0, "s", note="c1 small").about("panic")
    assert answer.rows == (EvidenceRow("panic", "fail", 61.0, 60.0, "s", "c1 small"),)


@pytest.mark.parametrize("together", [combine, combine_all])
def test_together_they_have_the_rows_of_all_in_their_order(together: Any) -> None:
    """Also of those that do not decide."""
    answers = [passed("a").about("one"), failed("b").about("two"), passed("c").about("three")]
    answer = together(answers, "nothing")
    assert answer.verdict == "fail"
    assert subjects(answer) == [("one", "pass"), ("two", "fail"), ("three", "pass")]


def test_an_objection_leaves_no_row_that_passes() -> None:
    """A skipped fault stays skipped, and the figures stay."""
    rows = (
        EvidenceRow("a", "pass", 1.0, 2.0, "s"),
        EvidenceRow("b", PASS_WITH_WAIVERS),
        EvidenceRow("c", "skipped"),
    )
    answer = Answer("pass", "fine", rows=rows)
    edited = answer.withheld("unknown", "the result was edited", Reason.EDITED)
    assert edited.objection == "the result was edited"
    assert subjects(edited) == [("a", "unknown"), ("b", "unknown"), ("c", "skipped")]
    assert (edited.rows[0].value, edited.rows[0].note) == (1.0, "the result was edited")


def test_a_negative_control_has_the_row_of_its_own_verdict() -> None:
    """Damage that was found is a pass, with and without rows of the findings."""
    found = failed("1 zero").with_row(1.0, 0.0, "blocks")
    answer = invert_for_control(fault(), found).about("lies")
    assert subjects(answer) == [("lies", "pass")]
    open_answer = unknown("nothing read", Reason.NOTHING_CHECKED).with_row(None, None, "blocks")
    assert subjects(invert_for_control(fault(), open_answer).about("lies")) == [("lies", "unknown")]


# ---- checks


def test_outages_are_rows_with_their_limits(tmp_path: Path) -> None:
    """A fault without an outage has no length, and one that was skipped no figures."""
    faults = (
        fault(40.0, name="a"),
        fault(61.0, name="b"),
        fault(0.0, name="c"),
        fault(name="d", skipped="no BMC"),
    )
    answer = outage.check(result(tmp_path, *faults), outage.Options())
    assert [(row.subject, row.verdict, row.value, row.limit, row.unit) for row in answer.rows] == [
        ("a", "pass", 40.0, 60.0, "s"),
        ("b", "fail", 61.0, 60.0, "s"),
        ("c", "pass", None, 60.0, "s"),
        ("d", "skipped", None, None, ""),
    ]
    assert answer.rows[0].note == "c1 small"


def test_an_outage_without_an_end_has_no_length() -> None:
    """The note of its row has the evidence."""
    span = Outage(None, 100.0, 165.0, open=True)
    answer = judge_outage(fault(streams=(stream(outages=(span,)),)), 60.0)
    (row,) = answer.rows
    assert (row.verdict, row.value, row.limit) == ("fail", None, 60.0)
    assert row.note == answer.evidence


def test_a_fault_that_nothing_shows_has_an_unknown_row() -> None:
    """Although its outage was short; the reason is in the note."""
    answer = judge_outage(fault(40.0, actions=()), 60.0)
    assert answer.reason is Reason.NOT_SHOWN
    (row,) = answer.rows
    assert (row.verdict, row.value, row.note) == ("unknown", 40.0, answer.evidence)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "pass"),
        ({"streams": (stream(40.0, damage=DAMAGE),)}, "fail"),
        ({"actions": ()}, "unknown"),
    ],
)
def test_integrity_has_a_row_for_each_fault(
    changes: dict[str, Any], verdict: Verdict, tmp_path: Path
) -> None:
    """One fault does not change the row of another; blocks are counted."""
    kept = result(tmp_path, fault(name="good"), fault(name="other", **changes))
    answer = integrity.check(kept, Model())
    assert subjects(answer) == [("good", "pass"), ("other", verdict)]
    assert (answer.rows[0].value, answer.rows[0].unit) == (9.0, "blocks")
    assert answer.verdict == verdict


def test_the_kept_result_has_rows_for_every_fault() -> None:
    """Those of outages and of consistency tests are as many as the faults and the tests."""
    found = {item.claim: item for item in judge(read_result(KEPT))}
    faults: list[FaultResult] = read_result(KEPT).faults
    names = [fault.name for fault in faults]
    assert [row.subject for row in found["outages"].rows] == names
    assert [row.subject for row in found["as-expected"].rows] == names
    assert [row.subject for row in found["intact"].rows] == names
    tests = [f"{fault.name} {name}" for fault in faults for name in fault.consistency]
    assert [row.subject for row in found["consistent"].rows] == tests


def test_rows_are_stored(tmp_path: Path) -> None:
    """In verdicts.json, and in results.json, which is read back."""
    kept = result(tmp_path, fault(40.0))
    judged = judge(kept)
    stored = json.loads(save(kept, judged).read_text())
    by_claim = {item["claim"]: item for item in stored}
    (row,) = by_claim["in-time"]["rows"]
    assert row == {
        "subject": "it",
        "verdict": "pass",
        "value": 40.0,
        "limit": 60.0,
        "unit": "s",
        "note": "c1 small",
    }
    summary = summarise(kept, judged)
    criterion = next(item for item in summary.criteria if item.id == "in-time")
    assert (criterion.rows[0].value, criterion.rows[0].limit) == (40.0, 60.0)
    assert from_json(to_json(summary)) == summary


def test_a_figure_that_is_not_finite_is_stored_as_null(tmp_path: Path) -> None:
    """Any program can read verdicts.json."""
    row = EvidenceRow("it", "unknown", float("nan"), float("inf"), "s")
    path = save(result(tmp_path, fault()), [judged(row)])
    (stored,) = json.loads(path.read_text())[0]["rows"]
    assert (stored["value"], stored["limit"]) == (None, None)


# ---- on the page


def judged(*rows: EvidenceRow, **changes: Any) -> Judgement:
    """A criterion with these rows."""
    fields: dict[str, Any] = {
        "claim": "outages",
        "kind": "acceptance",
        "statement": "no client waits",
        "verdict": "pass",
        "evidence": "; ".join(row.note for row in rows),
    }
    return Judgement(**{**fields, **changes}, rows=rows)


ROWS = (
    EvidenceRow("panic", "pass", 42.1, 52.4, "s", "c1 small"),
    EvidenceRow("cut", "fail", 61.0, 60.0, "s", "c2 small"),
    EvidenceRow("bmc", "skipped", note="no BMC"),
    EvidenceRow("path", "unknown", None, 9.8, "s", "lost"),
)


def test_a_brief_text_counts_and_names_what_did_not_pass() -> None:
    """And the row closest to its limit."""
    assert (
        brief(judged(*ROWS))
        == "1 of 3 passed; failed: cut; unknown: path; skipped: bmc; closest to its limit: cut,"
        " 61.0 s of 60.0 s"
    )
    waived = EvidenceRow("append", PASS_WITH_WAIVERS)
    assert brief(judged(waived, waived)) == "2 of 2 passed, 2 of them with waivers"
    blocks = [EvidenceRow(name, "pass", 4000.0, unit="blocks") for name in ("a", "b")]
    assert brief(judged(*blocks)) == "2 of 2 passed; 8\N{NARROW NO-BREAK SPACE}000 blocks checked"


def test_a_brief_text_has_30_words_at_most() -> None:
    """Of many subjects, of long evidence, and of an objection, which comes first."""
    many = [EvidenceRow(f"fault number {number}", "fail", note="x") for number in range(40)]
    long = "word " * 200
    for item in (judged(*many), judged(evidence=long), judged(*ROWS, objection=long)):
        assert len(brief(item).split(" ")) <= WORDS_MAX
    assert brief(judged(*ROWS, objection="it was edited")) == "it was edited"
    assert shortened("short text") == "short text"
    assert shortened(long.strip()).endswith(" …")


def test_every_brief_text_of_a_real_result_is_short() -> None:
    """The kept result has cells of hundreds of words in its evidence."""
    items = [item for item in judge(read_result(KEPT)) if item.kind == "acceptance"]
    assert max(len(item.evidence.split()) for item in items) > 3 * WORDS_MAX
    assert max(len(row[3].split(" ")) for row in overview(items).rows) <= WORDS_MAX


def test_nothing_of_the_evidence_is_lost() -> None:
    """Each row, or the whole text, is in a table below the criteria."""
    (table,) = details([judged(*ROWS)])
    assert [column.title for column in table.columns] == [
        *("subject", "verdict", "measured", "limit", "note"),
    ]
    assert table.rows[0] == ("panic", "✓ pass", "42.1 s", "52.4 s", "c1 small")
    assert table.rows[2] == ("bmc", "– skipped", "–", "–", "no BMC")
    long = ("word " * 100).strip()
    (whole,) = details([judged(evidence=long)])
    assert whole.rows == (("✓ pass", long),)
    short = judged(evidence="48 blocks read back")
    assert is_complete(short)
    assert not list(details([short]))


def test_the_remark_of_all_criteria_is_printed_once() -> None:
    """It is no part of any row."""
    items = [
        judged(claim=name, evidence=f"{name} is fine; an old result", remark="an old result")
        for name in ("a", "b")
    ]
    table = overview(items)
    assert [row[3] for row in table.rows] == ["a is fine", "b is fine"]
    assert table.note == "An old result."
    assert not list(details(items))


def test_open_rows_of_a_long_table_stay_visible() -> None:
    """The page folds the table of all rows; failed and waived rows have their own."""
    passing = [EvidenceRow(f"f{number}", "pass", note="ok") for number in range(ROWS_MAX)]
    waived = EvidenceRow("append", PASS_WITH_WAIVERS, note="stale reads")
    first, whole = details([judged(*passing, waived, ROWS[1])])
    assert [row[0] for row in first.rows] == ["append", "cut"]
    assert not first.is_long
    assert whole.is_long
    assert len(whole.rows) == ROWS_MAX + 2


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (None, "s", ""),
        (9.1, "s", "9.10 s"),
        (8360.0, "blocks", "8\N{NARROW NO-BREAK SPACE}360 blocks"),
    ],
)
def test_a_value_has_its_unit(value: float | None, unit: str, words: str) -> None:
    """Three digits of a time, and whole blocks."""
    assert value_words(value, unit) == words
