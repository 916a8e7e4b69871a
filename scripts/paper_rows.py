"""The rows of the papers, and where the places that they name are: in a study, a plan, a report.

`scripts/paper_pages.py` makes the pages of them.
"""

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.yamlfile import load_yaml
from seatrial.check import prepare
from seatrial.cli import app
from seatrial.plan.plan import Step
from seatrial.solutions.look import deployment
from seatrial.study.paper import SECTIONS, Paper, Place, Row, identity_of, items_of, load_paper
from seatrial.study.published import PublishedClaim, SeriesRef
from seatrial.study.study import Study, load_study

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
_NUMBER = re.compile(r"(?<!to )\b[A-Z]\d+[a-z]?\b(?! to )")
"""a figure or table in `F3 and F5`, and none of a range such as `T1 to T6`: its variants name
theirs
"""


@dataclass(frozen=True)
class Verdict:
    """A line of the table of published claims in a report."""

    word: str
    reason: str


@dataclass(frozen=True)
class Covered:
    """A paper: its facts, its rows, its study, and the verdicts of the newest report."""

    name: str
    facts: Mapping[str, Any]
    paper: Paper
    study: Study
    verdicts: Mapping[str, Verdict]

    def items(self, section: str) -> list[Mapping[str, Any]]:
        """The items of a list of the published result."""
        return list(items_of(section, self.facts))

    def row(self, section: str, name: str) -> Row:
        """The row of an item, with the experiments and faults of the study that name the item."""
        row = self.paper.rows(section)[name]
        named = [place for place in _named(self.study, section, name) if place not in row.where]
        return row.model_copy(update={"where": (*named, *row.where)})


def _named(study: Study, section: str, name: str) -> Iterator[Place]:
    """The experiments and variants of this figure or table, or the faults that repeat this row."""
    if section == "experiments":
        for key, experiment in study.experiments.items():
            number = experiment.figure.number if experiment.figure else None
            numbers = number.values() if isinstance(number, dict) else [number or ""]
            if experiment.table == name or any(name in _NUMBER.findall(text) for text in numbers):
                yield Place(experiment=key)
            for variant, changes in experiment.variants.items():
                if changes.table == name:
                    yield Place(experiment=key, variant=variant)
    if section == "faults":
        for key, fault in study.faults.items():
            if fault.published == name:
                yield Place(fault=key)


def papers() -> list[str]:
    """The identifiers of the published results."""
    return sorted(path.stem for path in (ROOT / "published").glob("*.yaml"))


def covered(name: str) -> Covered:
    """One paper; InputError where its rows do not fit its items."""
    facts = load_yaml(ROOT / "published" / f"{name}.yaml").data
    paper = load_paper(ROOT / "studies" / name / "paper.yaml", facts)
    of_report = verdicts(name)
    too_old = [claim for claim in paper.answered_after_report if claim in of_report]
    decided = [claim for claim in too_old if of_report[claim].word != "inconclusive"]
    if decided:
        problem = f"the report judges {decided[0]}; remove it from answered_after_report"
        raise InputError(f"studies/{name}/paper.yaml: {problem}")
    current = {claim: verdict for claim, verdict in of_report.items() if claim not in too_old}
    return Covered(name, facts, paper, study_of(name), current)


@cache
def study_of(name: str) -> Study:
    """A study of the repository."""
    return load_study(ROOT / "studies" / name)


@cache
def data_of(name: str) -> Any:
    """The YAML of a study as written."""
    return load_yaml(ROOT / "studies" / name / "study.yaml").data


@dataclass(frozen=True)
class PlanStep:
    """A step of the plan of a study."""

    stage: int
    title: str
    script: str


@cache
def steps_of(name: str) -> tuple[PlanStep, ...]:
    """The steps of a study's plan, each once, in their order."""
    site, solution = prepare(study_of(name))
    stages = deployment(solution, site, {}).stages
    plan_steps = {
        PlanStep(number, step.title, _text_of(step))
        for number, stage in enumerate(stages, start=1)
        for steps in stage.steps.values()
        for step in steps
    }
    return tuple(sorted(plan_steps, key=lambda step: (step.stage, step.title)))


def _text_of(step: Step) -> str:
    """The texts of a step, with the content of the file that it writes."""
    texts = (step.shell.content, step.check, step.apply)
    return "\n".join(text for text in texts if text)


UNDECIDED = "inconclusive"


def verdicts(name: str) -> dict[str, Verdict]:
    """The verdicts on published claims in the reports of the gallery; empty without a report.

    A verdict of the profile `paper` counts before the one of the profile `trial`, unless only the
    latter is decided.
    """
    of_trial = verdicts_of(DOCS / "gallery" / f"{name}.html")
    of_paper = verdicts_of(DOCS / "gallery" / f"{name}-paper.html")
    decided_by_trial = {key: given for key, given in of_trial.items() if given.word != UNDECIDED}
    decided_by_paper = {key: given for key, given in of_paper.items() if given.word != UNDECIDED}
    return of_trial | of_paper | decided_by_trial | decided_by_paper


def verdicts_of(report: Path) -> dict[str, Verdict]:
    """The verdicts on published claims in one report; empty if the file does not exist."""
    text = report.read_text() if report.is_file() else ""
    cells = re.findall(
        r'class="id"[^>]*>([A-Z]\d+)</th>\s*<td class="verdict v-([\w-]+)">.*?'
        r'<td class="why"[^>]*>(.*?)</td>',
        text,
        re.DOTALL,
    )
    return {key: Verdict(word, _untagged(reason)) for key, word, reason in cells}


def _untagged(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", " ", text)).strip()


def option_value(data: Any, path: str) -> Any:
    """The value at a path of a study; its keys may contain dots. KeyError without one."""
    if path == "":
        return data
    if isinstance(data, Mapping):
        for key in data:
            if path == key or path.startswith(f"{key}."):
                try:
                    return option_value(data[key], path[len(key) + 1 :])
                except KeyError:
                    continue
    raise KeyError(path)


def chapters() -> set[str]:
    """The titles of the report's chapters."""
    texts = [path.read_text() for path in (ROOT / "src/seatrial/report/page").glob("*.py")]
    titles = {title for text in texts for title in re.findall(r'"\{number\} ([A-Z][\w ]+)"', text)}
    return titles | {"Comparison", "Appendix"}


def problem(place: Place, name: str) -> str | None:
    """Why a place does not exist; None where it does."""
    study_name = place.study or name
    if not (ROOT / "studies" / study_name / "study.yaml").is_file():
        return f"there is no study {study_name}"
    study = study_of(study_name)
    if place.experiment is not None:
        return _experiment_problem(place, study)
    if place.fault is not None and place.fault not in study.faults:
        return f"{study_name} has no fault {place.fault}"
    if place.option is not None and not _has_option(study_name, place.option):
        return f"{study_name} does not set {place.option}"
    if place.step is not None and not matching(study_name, place.step):
        return f"no step of the plan of {study_name} has {place.step!r}"
    if place.verb is not None and place.verb not in _verbs():
        return f"there is no command {place.verb}"
    if place.chapter is not None and place.chapter not in chapters():
        return f"the report has no chapter {place.chapter}"
    return None


def _experiment_problem(place: Place, study: Study) -> str | None:
    experiment = study.experiments.get(place.experiment or "")
    if experiment is None:
        return f"{study.id} has no experiment {place.experiment}"
    if place.variant is not None and place.variant not in experiment.variants:
        return f"{place.experiment} of {study.id} has no variant {place.variant}"
    return None


def _has_option(name: str, path: str) -> bool:
    try:
        option_value(data_of(name), path)
    except KeyError:
        return False
    return True


def matching(name: str, text: str) -> PlanStep | None:
    """The step of a study's plan with this text: in its shortest title, else in its script."""
    steps = steps_of(name)
    by_title = sorted(
        (step for step in steps if text in step.title), key=lambda candidate: len(candidate.title)
    )
    return next(iter(by_title or [step for step in steps if text in step.script]), None)


@cache
def _verbs() -> set[str]:
    group: Any = typer.main.get_command(app)
    return set(group.commands)


def problems(coverage: Covered) -> list[str]:
    """What the rows of a paper say and is not so."""
    lines = []
    for section in SECTIONS:
        for item in coverage.items(section):
            name = identity_of(section, item)
            row = coverage.row(section, name)
            missing = [problem(place, coverage.name) for place in row.where]
            lines += [f"{section} {name}: {line}" for line in missing if line]
            if row.status in ("done", "differs") and not row.where:
                lines.append(f"{section} {name}: it is {row.status}, and no place is named")
    lines += list(_claim_problems(coverage))
    return [f"studies/{coverage.name}/paper.yaml: {line}" for line in lines]


def _claim_problems(coverage: Covered) -> Iterator[str]:
    answers = coverage.study.published_claims
    for name in coverage.paper.claims:
        if name not in answers:
            yield f"claims: the paper has no {name}"
        elif answer_places(answers[name]):
            yield f"claims {name}: the study answers it; remove the row"
    for name, answer in answers.items():
        if not answer_places(answer) and name not in coverage.paper.claims:
            yield f"claims {name}: the study has no answer; a row is missing"


def _of_series(series: SeriesRef) -> Place:
    variant = series.where.get("variant")
    return Place(study=series.from_, experiment=series.experiment, variant=variant)


def answer_places(claim: PublishedClaim) -> list[Place]:
    """The experiments and faults that answer a published claim, each once."""
    places = []
    for answer in claim.answers():
        series = [answer.series, answer.other]
        series += [
            part
            for expectation in answer.expect
            for part in (expectation.series, expectation.other)
        ]
        places += [_of_series(one) for one in series if one is not None]
        places += [Place(study=answer.from_, fault=fault) for fault in answer.faults]
    return list(dict.fromkeys(places))
