"""From a result to its verdicts: the acceptance criteria of the study and every published claim."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from seatrial.basics.errors import FAILED, INTERRUPTED, NOT_COMPLETED, PASSED, UNDECIDED, InputError
from seatrial.basics.finite import only_finite
from seatrial.basics.units import counted
from seatrial.judge.base import Judgement, refuse_mistakes, refuse_without_reason, run_checkers
from seatrial.judge.contradicted import in_words
from seatrial.judge.published import published_file
from seatrial.judge.published_claims import judge_published, published_claims
from seatrial.judge.published_faults import check_decides, fault_rows, judge_fault_rows
from seatrial.judge.waivers import PASS_WITH_WAIVERS, number_words, source_words
from seatrial.judge.withheld import withheld
from seatrial.result.published import published_result
from seatrial.result.result import Result
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import Study, parse_study


def study_of(result: Result) -> Study:
    """The study that the result keeps, with the nodes of the profile of the run. InputError where
    it is none.
    """
    text = result.text("study.yaml")
    if text is None:
        raise InputError(
            f"{result.folder}: no study in it",
            "only a run of Seatrial has verdicts and a report; use compare or export for an import",
        )
    profile = result.first("run").get("profile")
    return _read(text, result.folder / "study.yaml", profile if profile in ALL_PROFILES else None)


@lru_cache(maxsize=8)
def _read(text: str, path: Path, profile: Profile | None) -> Study:
    """The study, cached: the judge, the report and the prediction of one result each need it."""
    study = parse_study(text, path)
    return study.in_profile(profile) if profile else study


def check_claims(study: Study) -> str | None:
    """The text of the study's published result; None where it has none.

    InputError when a claim of either cannot be judged as it is written: reported before a run, not
    after it.
    """
    path = published_file(study)
    text = path.read_text() if path is not None else None
    check_published(
        study, published_result(text, path) if text is not None and path is not None else {}
    )
    return text


def check_published(study: Study, published: Mapping[str, Any]) -> None:
    """InputError when a claim cannot be judged, or the study answers one that the published result
    does not have.
    """
    refuse_without_reason(study)
    refuse_mistakes(study, published)
    published_claims(study, published)
    fault_rows(study, published)
    check_decides(study, published)


def judge(result: Result) -> list[Judgement]:
    """Every verdict, acceptance criteria first, the published fault table last."""
    study = study_of(result)
    published = [*judge_published(study, result), *judge_fault_rows(study, result)]
    return [*run_checkers(study, result), *withheld(study, result, published)]


def save(result: Result, judgements: list[Judgement]) -> Path:
    """Write `verdicts.json` into the result."""
    path = result.folder / "verdicts.json"
    data = only_finite([asdict(item) for item in judgements])
    path.write_text(json.dumps(data, indent=2) + "\n")
    return path


def exit_words(result: Result, judgements: list[Judgement]) -> str:
    """The meaning of the exit code, in a sentence for the terminal."""
    claims = [item for item in judgements if item.kind == "acceptance"]
    failed, unknown = (
        [item.claim for item in claims if item.verdict == verdict]
        for verdict in ("fail", "unknown")
    )
    if result.seal.is_broken:
        words = f"nothing is decided: {result.seal.words}"
    elif failed:
        words = f"{len(failed)} of {_criteria(len(claims))} failed: {', '.join(failed)}"
    elif not result.complete:
        undecided = f"; undecided: {', '.join(unknown)}" if unknown else ""
        why = "was interrupted" if result.interrupted else "did not complete"
        words = f"the run {why}{undecided}"
    elif unknown:
        words = (
            f"no criterion failed; {len(unknown)} of {_criteria(len(claims))} undecided, each "
            f"with its reason above: {', '.join(unknown)}. If the machine was busy, another run "
            "may decide"
        )
    elif result.contradictions:
        words = f"nothing is decided: {in_words(result.contradictions)}"
    else:
        words = _passed_words(claims)
    code = exit_code(result, judgements)
    return f"exit {code}: {words}" if code else words


def _criteria(count: int) -> str:
    """The number of criteria in words."""
    return counted(count, "acceptance criterion", "acceptance criteria")


def _passed_words(claims: list[Judgement]) -> str:
    """The words for criteria without a failed or unknown one; a waiver is named with its author,
    its finding and its reason.
    """
    if not claims:
        return "the study has no acceptance criteria"
    waived = [item for item in claims if item.verdict == PASS_WITH_WAIVERS]
    if waived:
        reasons = "; ".join(
            f"{claim.claim}: {number_words(claim.waivers)} by {source_words(claim.waivers)}"
            for claim in waived
        )
        total = _criteria(len(claims))
        return (
            f"{len(claims) - len(waived)} of {total} passed, {len(waived)} passed with waivers "
            f"({reasons})"
        )
    return (
        f"all {len(claims)} acceptance criteria passed"
        if len(claims) > 1
        else "its acceptance criterion passed"
    )


def exit_code(result: Result, judgements: list[Judgement]) -> int:
    """The exit code of a result, as `seatrial.basics.errors` names them.

    A failed criterion has precedence, also in an incomplete run. The reason for the end of an
    incomplete run is next. The last is an unknown criterion, or a run without measurements: no
    evidence is never a pass. An edited result is always undecided: its failures are no evidence
    either. A pass with waivers counts as one, as the study decided.
    """
    if result.seal.is_broken:
        return UNDECIDED
    verdicts = [item.verdict for item in judgements if item.kind == "acceptance"]
    nothing_measured = not verdicts and not result.phases and not result.faults
    if "fail" in verdicts:
        return FAILED
    if not result.complete:
        return INTERRUPTED if result.interrupted else NOT_COMPLETED
    undecided = "unknown" in verdicts or nothing_measured or bool(result.contradictions)
    return UNDECIDED if undecided else PASSED
