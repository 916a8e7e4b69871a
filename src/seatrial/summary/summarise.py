"""From a result and its verdicts to the result summary, and to its JSON."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from seatrial.basics.errors import SeatrialError
from seatrial.basics.finite import is_finite, json_text, only_finite
from seatrial.judge.answer import EvidenceRow
from seatrial.judge.base import Judgement
from seatrial.judge.judge import exit_code, judge
from seatrial.judge.waivers import Waiver
from seatrial.result.result import Result
from seatrial.result.sealed import LINES
from seatrial.summary.conclusions import conclusions, outcome
from seatrial.summary.fault_results import fault_outcome
from seatrial.summary.headline import Summary
from seatrial.summary.io500_score import score_of
from seatrial.summary.point_results import point_results
from seatrial.summary.rate_results import law_results, peak_results
from seatrial.summary.recommendations import Steps
from seatrial.summary.results import (
    FILE,
    SCHEMA,
    Criterion,
    Environment,
    Headline,
    KeyFigure,
    PublishedClaim,
    ResultSummary,
    RunIdentity,
    Site,
    StudyIdentity,
    SubjectEvidence,
    WaivedFinding,
)
from seatrial.summary.sources import Sources, sources_of


def summarise(
    result: Result, judgements: Sequence[Judgement], steps: Steps | None = None
) -> ResultSummary:
    """The summary of a result.

    `judgements`: of `judge`; none for a result that was imported. `steps`: the upgrades that would
    raise the bound of each point, for the recommendations.
    """
    sources = sources_of(result)
    findings = conclusions(sources, judgements, steps)
    criteria = tuple(_criterion(item) for item in judgements if item.kind == "acceptance")
    published = tuple(_published(item) for item in judgements if item.kind == "published")
    points = (point_results(result, item.points) for item in sources.experiments)
    return ResultSummary(
        schema=SCHEMA,
        study=_study(sources),
        run=_run(result),
        site=_site(sources),
        headline=_headline(findings.headline, exit_code(result, list(judgements)), judgements),
        score=score_of(sources),
        coverage=findings.coverage,
        criteria=criteria,
        published_claims=published,
        points=tuple(point for of_experiment in points for point in of_experiment),
        peaks=peak_results(findings.throughput),
        scaling_laws=law_results(sources.experiments),
        faults=tuple(map(fault_outcome, result.faults)),
        recommendations=findings.recommendations,
        waivers=tuple(waiver for item in criteria for waiver in item.waivers),
        problems=sources.problems,
    )


def summary_of(result: Result, steps: Steps | None = None) -> ResultSummary:
    """The summary of a result that is judged first. A result without a readable study, such as an
    imported one, has no verdicts.
    """
    try:
        judgements = judge(result)
    except SeatrialError:
        if result.text("study.yaml") is not None:
            raise
        judgements = []
    return summarise(result, judgements, steps)


def _study(sources: Sources) -> StudyIdentity:
    run = sources.result.first("run")
    study = sources.study
    text = sources.result.text("study.yaml")
    return StudyIdentity(
        id=str(run.get("study", "")),
        title=sources.title,
        question=study.question if study else None,
        published=study.published if study else None,
        sha256=hashlib.sha256(text.encode()).hexdigest() if text is not None else None,
    )


def _run(result: Result) -> RunIdentity:
    run = result.first("run")
    lines = result.folder / LINES
    times_s = [float(line["unix_s"]) for line in result.lines if is_finite(line.get("unix_s"))]
    started_s: Any = run.get("unix_s")
    machine = result.first("machine")
    return RunIdentity(
        result=result.folder.resolve().name,
        run_id=_text_or_none(run.get("run_id")),
        host=_text_or_none(machine.get("host")),
        user=_text_or_none(machine.get("user")),
        profile=str(run.get("profile", "")),
        started_unix_s=float(started_s) if is_finite(started_s) else None,
        duration_s=max(times_s) - min(times_s) if times_s else None,
        is_complete=result.complete,
        outcome=outcome(result),
        seal=result.seal.state.value,
        sha256=hashlib.sha256(lines.read_bytes()).hexdigest() if lines.is_file() else None,
        versions=_versions(run, machine),
    )


def _text_or_none(value: Any) -> str | None:
    """A text of the result; None where it is missing or empty."""
    return str(value) if value else None


def _versions(run: Mapping[str, Any], environment: Mapping[str, Any]) -> dict[str, str]:
    versions = {
        "seatrial": run.get("seatrial"),
        "imported": run.get("program"),
        "python": environment.get("python"),
        "kernel": environment.get("kernel"),
    }
    return {name: str(version) for name, version in versions.items() if version}


def _site(sources: Sources) -> Site:
    system = sources.system
    environment: Environment | None = None
    if system is not None:
        environment = "emulated" if system.in_lab else "hosts"
    return Site(
        environment=environment,
        scale=system.scale if system else 1.0,
        clients=sum(group.count for group in system.clients) if system else 0,
        servers=sum(group.count for group in system.servers) if system else 0,
        mtu_bytes=system.mtu if system else None,
    )


def _headline(summary: Summary, code: int, judgements: Sequence[Judgement]) -> Headline:
    def counts(kind: str) -> dict[str, int]:
        return dict(Counter(item.verdict for item in judgements if item.kind == kind))

    return Headline(
        verdict=summary.state or None,
        exit_code=code,
        lead=summary.lead,
        answer=summary.answer,
        more=summary.more,
        key_figures=tuple(KeyFigure(item.value, item.meaning) for item in summary.figures),
        criteria=counts("acceptance"),
        published_claims=counts("published"),
    )


def _criterion(item: Judgement) -> Criterion:
    return Criterion(
        id=item.claim,
        statement=item.statement,
        verdict=item.verdict,
        reason=item.reason,
        evidence=item.evidence,
        rows=tuple(_subject_evidence(row) for row in item.rows),
        waivers=tuple(_waived(item.claim, waiver) for waiver in item.waivers),
    )


def _subject_evidence(row: EvidenceRow) -> SubjectEvidence:
    return SubjectEvidence(row.subject, row.verdict, row.value, row.limit, row.unit, row.note)


def _waived(criterion: str, waiver: Waiver) -> WaivedFinding:
    return WaivedFinding(
        criterion=criterion,
        key=waiver.key,
        kind=waiver.kind,
        number=waiver.number,
        subject=waiver.subject,
        example=waiver.example,
        where=waiver.where,
        reason=waiver.reason,
    )


def _published(item: Judgement) -> PublishedClaim:
    return PublishedClaim(
        id=item.claim,
        statement=item.statement,
        verdict=item.verdict,
        reason=item.reason,
        evidence=item.evidence,
        measured=item.measured,
    )


# ---- JSON


@cache
def _adapter() -> TypeAdapter[ResultSummary]:
    return TypeAdapter(ResultSummary)


def to_json(summary: ResultSummary) -> dict[str, Any]:
    """The summary as JSON has it; a figure that is not finite is null."""
    data: dict[str, Any] = only_finite(_adapter().dump_python(summary, mode="json"))
    return data


def from_json(data: Mapping[str, Any]) -> ResultSummary:
    """The inverse of `to_json`; ValueError where a value has another type than the schema has."""
    return _adapter().validate_python(dict(data))


def json_document(summary: ResultSummary) -> str:
    """The text of `results.json`."""
    return json_text(to_json(summary)) + "\n"


def results_schema() -> dict[str, Any]:
    """The JSON Schema of the object."""
    schema = _adapter().json_schema(mode="serialization")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Seatrial result summary",
    }
    return {**schema, **head}


def save_results(summary: ResultSummary, folder: Path) -> Path:
    """Write `results.json` into a result folder."""
    path = folder / FILE
    path.write_text(json_document(summary))
    return path
