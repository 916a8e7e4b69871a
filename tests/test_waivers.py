"""Waived findings are visible: a separate verdict, with author, finding and reason, wherever
verdicts are counted.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.judge.base import refuse_without_reason, run_checkers
from seatrial.judge.judge import check_published, exit_code, exit_words, judge, save
from seatrial.judge.waivers import NO_REASON, PASS_WITH_WAIVERS
from seatrial.report.html import render
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import seal
from seatrial.study.study import Study, load_study, parse_study
from tests.builders.fault_results import fault, planned_as
from tests.builders.fault_results import result as result_of_faults
from tests.builders.fault_studies import broken
from tests.builders.histories import without_request
from tests.builders.manifests import fit
from tests.builders.places import ROOT
from tests.builders.side_by_side import judge as judge_histories
from tests.builders.strategies import study, text_of

REASON = "clients of this kernel do so, and the users know it"
SHIPPED = sorted((ROOT / "studies").glob("*/study.yaml"))


def claim(**more: Any) -> dict[str, Any]:
    """One about consistency."""
    return {"id": "consistent", "check": "consistency", **more}


def study_with(**more: Any) -> Study:
    """A study with this claim."""
    return study(broken({"it": {"kind": "panic"}}, criteria=[claim(**more)]))


def violated() -> dict[str, Any]:
    """A consistency test with one open that asked the server for nothing."""
    storage = without_request("close-to-open")
    found = judge_histories("close-to-open", storage.histories([0.001] * 3), storage.about())
    return {"consistency_test": "close-to-open", **found.to_json()}


def kept(folder: Path, **more: Any) -> Result:
    """The result of one fault with that test, and a study with this criterion and another
    that passes.
    """
    item = fault(consistency={"close-to-open": violated()})
    kept = result_of_faults(folder, item)
    planned = {**planned_as(item), "published": None}
    text = text_of(
        broken({"it": planned}, criteria=[claim(**more), claim(id="again") | {"check": "faults"}])
    )
    (kept.folder / "study.yaml").write_text(text)
    (kept.folder / "published.yaml").unlink()
    fit(kept.folder)
    seal(kept.folder)
    return read_result(kept.folder)


WAIVED: dict[str, Any] = {"stale_reads": "waive", "reasons": {"stale_reads": REASON}}


def test_a_waived_violation_is_no_pass(tmp_path: Path) -> None:
    """It has the finding, the number, the line and key of the study, and the reason; the exit
    code is that of a pass.
    """
    result = kept(tmp_path, **WAIVED)
    judged = judge(result)
    assert [item.verdict for item in judged if item.kind == "acceptance"] == [
        PASS_WITH_WAIVERS,
        "pass",
    ]
    (waiver,) = judged[0].waivers
    assert (waiver.key, waiver.kind, waiver.number, waiver.reason) == (
        "stale_reads",
        "violation",
        1,
        REASON,
    )
    assert waiver.subject == "it close-to-open"
    line = int(waiver.where.split(":")[1].split(",")[0])
    assert (result.folder / "study.yaml").read_text().splitlines()[
        line - 1
    ].strip() == "stale_reads: waive"
    assert waiver.where.endswith("criteria[0].stale_reads")
    assert exit_code(result, judged) == 0
    words = exit_words(result, judged)
    assert words.startswith(
        "1 of 2 acceptance criteria passed, 1 passed with waivers (consistent: 1 violation"
        " waived by "
    )
    assert REASON in words
    stored = json.loads(save(result, judged).read_text())
    assert stored[0]["waivers"] == [asdict(waiver)]


def test_the_report_counts_it_apart_on_its_first_screen(tmp_path: Path) -> None:
    """And the row of the consistency test has the same word as the claim."""
    result = kept(tmp_path, **WAIVED)
    page = render(result, judge(result))
    first = page[page.index('id="summary"') : page.index("<nav")]
    assert "<b>1</b> passed</span>" in first
    assert "<b>1</b> passed with waivers (1 violation waived)</span>" in first
    assert "with waivers: </span>1 violation waived (consistent)." in first
    assert "<b>Waived.</b>" in first
    assert REASON in first
    assert "had been closed" in first or "had been acknowledged" in first
    row = page[page.index("during each fault") :]
    assert "(✓) pass with waivers; " in row
    assert "✗ fail; " not in row


def test_without_a_waiver_it_fails_without_a_mention_of_waivers(tmp_path: Path) -> None:
    """The same evidence."""
    result = kept(tmp_path)
    assert judge(result)[0].verdict == "fail"
    assert exit_code(result, judge(result)) == 1
    assert "with waivers" not in render(result, judge(result)).split("<nav")[0].split("</style>")[1]


def test_a_waiver_that_nothing_needed_is_a_pass() -> None:
    """For a result without a finding."""
    path = ROOT / "tests/data/nss-ha-quick"
    result = read_result(path)
    assert "stale_reads: waive" in (path / "study.yaml").read_text()
    assert {item.claim: item.verdict for item in judge(result)}["consistent"] == "pass"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"stale_reads": "waive"},
            (
                r"criteria\[0\]\.stale_reads \(id \w+\): stale_reads: waive waives .* needs a"
                r" reason; add reasons:"
            ),
        ),
        (
            {
                "ambiguous_errors": "waive",
                "stale_reads": "waive",
                "reasons": {"stale_reads": REASON},
            },
            r"criteria\[0\]\.ambiguous_errors \(id \w+\): ",
        ),
        ({"lost_locks": "waive"}, r"criteria\[0\]\.lost_locks \(id \w+\): "),
        (
            {"stale_reads": "waive", "reasons": {"stale_reads": "  "}},
            r"criteria\[0\]\.reasons\.stale_reads \(id \w+\): .*at least 10",
        ),
        ({"reasons": {"stale_reads": REASON}}, "stale_reads waives nothing here"),
        ({"stale_reads": "waive", "reasons": {"unaksed": REASON}}, "unaksed waives nothing here"),
    ],
)
def test_a_waiver_without_a_reason_is_refused(more: dict[str, Any], message: str) -> None:
    """Before a run, with its place; so is a reason without a waiver."""
    with pytest.raises(InputError, match=message):
        check_published(study_with(**more), {})


def test_an_older_result_has_no_reason_and_is_judged(tmp_path: Path) -> None:
    """It states that there is none."""
    (waiver,) = judge(kept(tmp_path, stale_reads="waive"))[0].waivers
    assert waiver.reason == NO_REASON


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_every_shipped_waiver_has_a_reason(path: Path) -> None:
    """As a run demands it."""
    refuse_without_reason(load_study(path))


def test_the_place_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    """A result is passed to other people."""
    result = kept(tmp_path, **WAIVED)
    it = parse_study((result.folder / "study.yaml").read_text(), result.folder / "study.yaml")
    (waiver,) = run_checkers(it, result)[0].waivers
    assert waiver.where.startswith("study.yaml:")
