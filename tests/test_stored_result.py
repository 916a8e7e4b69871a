"""The result of one small run, kept from 2026-11-23 on: every later version reads it, and gives the
same verdicts.
"""

import json

from seatrial.judge.judge import exit_code, judge
from seatrial.report.html import render
from seatrial.result.result import read_result
from tests.builders.stored import KEPT


def test_a_stored_result_keeps_its_verdicts() -> None:
    """For every criterion and published claim; users must learn about a change of one."""
    result = read_result(KEPT)
    assert result.problems == []
    judged = judge(result)
    kept = json.loads((KEPT / "verdicts.json").read_text())
    assert [(item.kind, item.claim, item.verdict) for item in judged] == [
        (item["kind"], item["claim"], item["verdict"]) for item in kept
    ]
    assert exit_code(result, judged) == 0


def test_a_stored_result_has_a_report() -> None:
    """With every fault, experiment and criterion in it, and no unreadable line."""
    result = read_result(KEPT)
    page = render(result, judge(result))
    for text in (
        *(fault.name for fault in result.faults),
        *(phase.experiment for phase in result.phases),
    ):
        assert text in page
    assert "cannot be read" not in page
