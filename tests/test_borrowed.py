"""A published claim that another study's faults answer: copied when a run begins, and
reported with its source.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.redact import redact
from seatrial.basics.errors import InputError
from seatrial.judge.borrowed import lines_to_borrow
from seatrial.judge.judge import judge
from seatrial.judge.published_faults import judge_by_faults
from seatrial.result.result import SCHEMA, Result, read_result
from seatrial.result.writer import Writer
from seatrial.study.published import PublishedClaim
from seatrial.study.study import parse_study
from tests.builders.fault_results import fault, stream
from tests.builders.fault_studies import broken
from tests.builders.manifests import fit
from tests.builders.strategies import text_of

PUBLISHED = """\
schema: published/1
id: paper
title: A paper
claims:
  - {id: C5, statement: async loses data, src: L1,
     form: {type: property, property: data are lost, expect: true}}
"""
ANSWER = {"from_study": "other", "faults": ["panic"], "decides": ["data-lost"]}
CAUGHT = {"fails_over": True, "outage": 60.0, "detected_by": ["integrity"]}
LOST = {
    "blocks": 9,
    "must": 9,
    "may": 0,
    "lost": 3,
    "wrong": 0,
    "names_checked": 0,
    "names_wrong": 0,
    "unfinished": [],
}


def other(
    folder: Path, *, lost: bool, when: str, complete: bool = True, manifest: bool = False
) -> None:
    """A result of the negative control, in which data were lost or not; with a manifest or not."""
    writer = Writer(folder / f"other-{when}")
    began_s = 90.0 + int(when)  # before the times of the fault in these tests
    writer.line("run", unix_s=began_s, schema=SCHEMA, study="other", profile="full", seatrial="0")
    writer.keep("study.yaml", text_of(broken({"panic": {"kind": "panic"}}, id="other")))
    compared = LOST if lost else {**LOST, "lost": 0}
    gone = stream(45.0, lost="an error, ESTALE")  # a client that lost its directory
    writer.line(
        "fault",
        **asdict(fault(name="panic", expect=CAUGHT, streams=(gone,), compared={"small": compared})),
    )
    where = {"fault": "panic", "experiment": "panic", "point": {"stream": "small"}, "repeat": 1}
    writer.line("comparison", **where, **compared, extents=[], names=[])
    writer.line("end", complete=complete)
    if manifest:
        fit(folder / f"other-{when}")
    writer.close()


def own(folder: Path, answer: dict[str, Any] = ANSWER) -> Result:
    """The result of a run of this study, next to the others."""
    data = broken({"it": {"kind": "panic"}}, published="paper", published_claims={"C5": answer})
    study = parse_study(text_of(data), Path("study.yaml"))
    writer = Writer(folder / "own")
    writer.line("run", schema=SCHEMA, study="small", profile="full", seatrial="0")
    writer.keep("study.yaml", study.source.text)
    writer.keep("published.yaml", PUBLISHED)
    for line in lines_to_borrow(study, writer.folder.parent):
        writer.line("borrowed", **line)
    writer.line("end", complete=True)
    writer.close()
    return read_result(folder / "own")


def answered(result: Result) -> tuple[str, str]:
    """How the claim is."""
    (claim,) = [item for item in judge(result) if item.kind == "published" and item.claim == "C5"]
    return claim.verdict, claim.evidence


@pytest.mark.parametrize(("lost", "verdict"), [(True, "agrees"), (False, "better")])
def test_the_newest_whole_result_of_the_other_study_answers(
    tmp_path: Path, lost: bool, verdict: str
) -> None:
    """Also after the removal of that study, and in the published copy."""
    other(tmp_path, lost=not lost, when="1")
    other(tmp_path, lost=lost, when="2")
    other(tmp_path, lost=not lost, when="3", complete=False)
    result = own(tmp_path)
    found, evidence = answered(result)
    assert found == verdict, evidence
    assert evidence.startswith("other of 1970")
    redact(result, tmp_path / "copy")
    assert answered(read_result(tmp_path / "copy"))[0] == verdict


def test_borrowed_lines_are_judged_by_their_own_manifest(tmp_path: Path) -> None:
    """Also in the published copy; without its manifest, its stream or its comparison it
    answers nothing.
    """
    other(tmp_path, lost=True, when="1", manifest=True)
    result = own(tmp_path)
    assert answered(result)[0] == "agrees"
    redact(result, tmp_path / "copy")
    assert answered(read_result(tmp_path / "copy"))[0] == "agrees"
    (line,) = result.of("borrowed")
    run, manifest, hit, comparison = line["lines"]
    assert (manifest["type"], comparison["type"]) == ("manifest", "comparison")
    for left, words in (
        ([run, hit, comparison], "the manifest is missing"),
        ([run, manifest, {**hit, "streams": []}, comparison], "stream small is missing"),
        ([run, manifest, hit], "comparison of stream small is missing"),
        ([run, manifest, hit, hit, comparison], "fault panic is present twice"),
    ):
        changed = tuple(
            {**it, "lines": left} if it["type"] == "borrowed" else it for it in result.lines
        )
        verdict, evidence = answered(Result(result.folder, changed))
        assert (verdict, words in evidence) == ("inconclusive", True), evidence


def test_without_one_there_is_no_message(tmp_path: Path) -> None:
    """But the run that is needed."""
    verdict, evidence = answered(own(tmp_path))
    assert verdict == "inconclusive"
    assert (
        "no complete result of other was next to this one when the run began; run that study first"
        in evidence
    )


@pytest.mark.parametrize("changes", [{"faults": [], "decides": []}, {"from_study": "small"}])
def test_a_borrowed_claim_without_a_study_is_refused(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    """With its place."""
    with pytest.raises(
        InputError,
        match=r"published_claims.C5.from_study: the faults of another study decide this claim",
    ):
        own(tmp_path, {**ANSWER, **changes})


def test_a_control_with_a_lost_stream_gives_no_time() -> None:
    """Its data may be lost; the longest wait is then unknown."""
    item = fault(
        name="panic",
        expect=CAUGHT,
        streams=(stream(45.0, lost="an error, ESTALE"),),
        compared={"small": LOST},
    )
    result = Result(Path("nowhere"), ({"type": "fault", **asdict(item)},))
    profile = {"type": "range", "min": 30, "max": 60, "unit": "s"}
    timed, lost = (
        PublishedClaim(faults=("panic",), decides=(it,)) for it in ("outage", "data-lost")
    )
    assert judge_by_faults(profile, timed, result).verdict == "inconclusive"
    assert judge_by_faults({"type": "property", "expect": True}, lost, result).verdict == "agrees"
    older = PublishedClaim(faults=("panic",), checks=("faults",))
    assert judge_by_faults({"type": "property", "expect": True}, older, result).verdict == "agrees"
