"""Results of other studies that a study's published claims refer to.

A run copies the lines of the newest complete result of each such study, so that its own result can
be judged anywhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from seatrial.result.manifest import LINE as MANIFEST
from seatrial.result.result import Result, whole_results
from seatrial.study.profiles import ALL_PROFILES
from seatrial.study.published import PublishedClaim, SeriesRef
from seatrial.study.study import Study, parse_study

EXPERIMENT_LINES = frozenset({"phase", "repeats", "saturation-search", "variant-skipped"})
"""types of the lines that have the name of their experiment in `experiment`"""


@dataclass
class BorrowedParts:
    """The parts of another study's result that the published claims of a study use."""

    faults: set[str] = field(default_factory=set)
    experiments: set[str] = field(default_factory=set)


def series_of(claim: PublishedClaim) -> list[SeriesRef]:
    """Every series that a claim names."""
    references = [claim.series, claim.other]
    for item in claim.expect:
        references += [item.series, item.other]
    return [reference for reference in references if reference is not None]


def borrowed_parts_of(study: Study) -> dict[str, BorrowedParts]:
    """The parts to borrow, by the name of the other study."""
    parts: dict[str, BorrowedParts] = {}
    answers = [item for claim in study.published_claims.values() for item in claim.answers()]
    for answer in answers:
        if answer.from_ is not None:
            parts.setdefault(answer.from_, BorrowedParts()).faults.update(answer.faults)
        for reference in series_of(answer):
            if reference.from_ is not None:
                experiments = parts.setdefault(reference.from_, BorrowedParts()).experiments
                experiments.add(reference.experiment)
    if study.fault_rows_from is not None:
        parts.setdefault(study.fault_rows_from, BorrowedParts())
    return parts


def lines_to_borrow(study: Study, results: Path) -> Iterator[dict[str, Any]]:
    """The fields of one line `borrowed` for each other study that has a usable result in `results`.

    The newest complete result with every such fault and experiment is used.
    """
    for name, parts in borrowed_parts_of(study).items():
        for result in whole_results(results, name):
            rows = {item.name for item in result.faults if item.published}
            repeated = rows if name == study.fault_rows_from else set()
            faults = {item.name for item in result.faults} & (parts.faults | repeated)
            experiments = {item.experiment for item in result.phases} & parts.experiments
            has_all = parts.faults <= faults and parts.experiments <= experiments
            if not has_all or not (faults or experiments) or result.contradictions:
                continue
            yield {
                "study": name,
                "result": result.folder.name,
                "study_text": result.text("study.yaml"),
                "lines": _copied_lines(result, faults, experiments),
            }
            break


def _copied_lines(result: Result, faults: set[str], experiments: set[str]) -> list[dict[str, Any]]:
    """The lines of some faults and experiments, and those that say how they were measured."""
    first = [result.first("run"), *result.of(MANIFEST)]
    # The scale of the lab: rates of two studies can be compared at one scale only.
    system = list(result.of("system")) if experiments else []
    chosen = [
        line
        for line in result.lines
        if _is_of_faults(line, faults) or _is_of_experiments(line, experiments)
    ]
    return [*first, *system, *chosen]


def _is_of_faults(line: Mapping[str, Any], faults: set[str]) -> bool:
    """Whether a line belongs to these faults, or marks a resumed or repeated run."""
    name = {"fault": line.get("name"), "comparison": line.get("fault")}.get(str(line["type"]))
    return line["type"] == "resumed" or name in faults


def _is_of_experiments(line: Mapping[str, Any], experiments: set[str]) -> bool:
    if line["type"] == "experiment":
        return line.get("name") in experiments
    return line["type"] in EXPERIMENT_LINES and line.get("experiment") in experiments


def borrowed_study(result: Result, name: str) -> Study:
    """The study of a borrowed result, as it was when that result was measured."""
    (line,) = [item for item in result.of("borrowed") if item["study"] == name][:1]
    return _parsed(str(line["study_text"]), str(result.borrowed[name].first("run")["profile"]))


@lru_cache(maxsize=8)
def _parsed(text: str, profile: str) -> Study:
    study = parse_study(text, Path("study.yaml"))
    profiles = [item for item in ALL_PROFILES if item == profile]
    return study.in_profile(profiles[0]) if profiles else study


def missing_words(name: str) -> str:
    """The reason for a claim without the result of the other study."""
    return (
        f"no complete result of {name} was next to this one when the run began; "
        "run that study first"
    )
