"""The results that a run is compared with by checks such as `regression`: accepted and named ones.

The file `accepted` in a folder of results has one line for each accepted result, the name of its
folder. The last line of a study and profile counts. When a run begins, it copies the figures of its
references (lines `reference`), so that its result can be judged anywhere.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from seatrial.analysis.statistics import Sample
from seatrial.basics.errors import InputError, SeatrialError
from seatrial.judge.base import load_checkers
from seatrial.result.manifest import point_key
from seatrial.result.opened import BrokenSeal
from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import quantity_of
from seatrial.result.result import Result, read_result
from seatrial.study.experiment import Experiment
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import Study, parse_study

ACCEPTED = "accepted"
"""the file of a folder of results, and the value of `against` that refers to it"""
LINE = "reference"
"""the type of the result's line"""


class NoReference(StrEnum):
    """Why a run has no reference."""

    NOTHING_ACCEPTED = "nothing-accepted"
    """no result of this study and profile was accepted when the run began"""
    UNREADABLE = "unreadable"
    """the stored result cannot be read, is incomplete, or was edited"""


@dataclass(frozen=True)
class PointKey:
    """A phase of a point, in any result of a study."""

    experiment: str
    point: str
    """`point_key` of its values"""
    phase: str


@dataclass(frozen=True)
class ReferencePoint:
    """One phase of one point of the reference."""

    experiment: str
    point: dict[str, Any]
    phase: str
    values: tuple[float, ...]
    """of the quantity of the phase, in SI units, one for each usable repeat without a shortage of
    processors; empty where none was usable"""
    looks: int = 1
    """as of `Sample`"""

    @property
    def sample(self) -> Sample:
        """Its repeats."""
        return Sample(self.values, self.looks)


@dataclass(frozen=True)
class Reference:
    """The figures of the stored result that a run is compared with."""

    against: str
    """as the criterion names it"""
    result: str | None = None
    """the name of the stored result's folder; None where there was none"""
    points: tuple[ReferencePoint, ...] = ()
    changed: tuple[str, ...] = ()
    """the experiments with other work than in the stored result"""
    missing: NoReference | None = None

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """From the result's line."""
        points = tuple(
            ReferencePoint(
                experiment=str(item["experiment"]),
                point=dict(item["point"]),
                phase=str(item["phase"]),
                values=tuple(float(value) for value in item["values"]),
                looks=int(item["looks"]),
            )
            for item in line["points"]
        )
        missing = line["missing"]
        return cls(
            against=str(line["against"]),
            result=line["result"],
            points=points,
            changed=tuple(line["changed"]),
            missing=None if missing is None else NoReference(missing),
        )

    def to_json(self) -> dict[str, Any]:
        """The fields of the result's line."""
        return asdict(self)


# ---- accepted results


def accept(result: Result) -> Path:
    """Mark a result as the reference of its study and profile; the path of the file of marks.

    BrokenSeal where it was edited. InputError where it is not the complete result of a study.
    """
    if result.seal.is_broken:
        raise BrokenSeal([result.folder])
    if result.first("run").get("profile") not in ALL_PROFILES:
        raise InputError(f"{result.folder}: an import, not the result of a run", "accept a run")
    if not result.complete:
        hint = "complete it with seatrial run STUDY --resume, or accept another result"
        raise InputError(f"{result.folder}: the run did not complete", hint)
    folder = result.folder.absolute()
    path = folder.parent / ACCEPTED
    with path.open("a") as file:
        file.write(f"{folder.name}\n")
    return path


def accepted_names(folder: Path) -> list[str]:
    """The names of the accepted results in a folder of results, the last accepted first."""
    path = folder / ACCEPTED
    if not path.is_file():
        return []
    names = [line.strip() for line in path.read_text().splitlines()]
    return [name for name in reversed(names) if name and Path(name).name == name]


def newest_accepted(
    folder: Path, study_id: str, profile: str | None, without: Path | None = None
) -> Result | None:
    """The last accepted result of a study and profile in a folder of results; None without one.

    `without`: a result that is left out, as it would be compared with itself. Accepted results that
    are gone, or were edited, are passed over.
    """
    left_out = None if without is None else without.absolute()
    for name in accepted_names(folder):
        if (folder / name).absolute() == left_out:
            continue
        result = _read(folder / name)
        if result is None:
            continue
        first = result.first("run")
        if (first.get("study"), first.get("profile")) == (study_id, profile):
            return result
    return None


def _read(folder: Path) -> Result | None:
    """A complete, unedited result; None where there is none."""
    try:
        result = read_result(folder)
    except (SeatrialError, OSError):
        return None
    return result if result.complete and not result.seal.is_broken else None


# ---- references of a run


def references_of(study: Study, profile: Profile, folder: Path) -> Iterator[Reference]:
    """The references of a run that begins now, one for each value of `against` in the criteria.

    `folder`: that of all results.
    """
    for against in dict.fromkeys(_references_named(study)):
        if against == ACCEPTED:
            result = newest_accepted(folder, study.id, profile)
            missing = NoReference.NOTHING_ACCEPTED
        else:
            result = _read(path_of(study, against))
            missing = NoReference.UNREADABLE
        if result is None:
            yield Reference(against, missing=missing)
        else:
            yield _reference(against, result, study, profile)


def path_of(study: Study, against: str) -> Path:
    """The folder of a named reference; a relative path begins at the folder of the study."""
    return study.source.path.absolute().parent / against


def _references_named(study: Study) -> Iterator[str]:
    """The references that the criteria name, by the function `reference_of` of their checks."""
    for loaded in load_checkers(study):
        name_of = getattr(loaded.checker, "reference_of", None)
        if name_of is not None:
            yield name_of(loaded.options)


def _reference(against: str, result: Result, study: Study, profile: Profile) -> Reference:
    searches = _searches(study, profile)
    points: dict[PointKey, ReferencePoint] = {}
    for phase in result.phases:
        if phase.experiment in searches:
            continue
        key = key_of(phase.experiment, phase.point, phase.phase)
        looks = result.looks(phase.experiment, phase.point)
        empty = ReferencePoint(phase.experiment, phase.point, phase.phase, (), looks)
        recorded = points.setdefault(key, empty)
        if is_usable(phase) and not phase.disturbed:
            value = quantity_of(phase.phase).of(phase)
            points[key] = replace(recorded, values=(*recorded.values, value))
    return Reference(
        against=against,
        result=result.folder.name,
        points=tuple(points.values()),
        changed=tuple(_changed(result, study, profile)),
    )


def key_of(experiment: str, point: Mapping[str, Any], phase: str) -> PointKey:
    """The identity of a phase of a point in two results of a study."""
    return PointKey(experiment, point_key(point), phase)


def _searches(study: Study, profile: Profile) -> set[str]:
    """The experiments that search for a saturation rate: their points differ from run to run."""
    experiments = study.experiments_in(profile)
    return {name for name, item in experiments.items() if item.saturation_search is not None}


def is_usable(phase: PhaseResult) -> bool:
    """Whether a phase has a figure that may be compared."""
    return phase.is_comparable and quantity_of(phase.phase).of(phase) > 0


def _changed(result: Result, study: Study, profile: Profile) -> Sequence[str]:
    """The experiments of a study that do other work in a stored result; all where that has no study
    that this version can read.
    """
    now = study.experiments_in(profile)
    try:
        stored = parse_study(result.text("study.yaml") or "", result.folder / "study.yaml")
        then = stored.in_profile(profile).experiments_in(profile)
    except SeatrialError:
        return list(now)
    return [
        name
        for name, experiment in now.items()
        if name in then and _work_of(experiment) != _work_of(then[name])
    ]


WORK_KEYS = frozenset({"workload", "kinds", "overrides", "variants", "empty_caches"})
"""the keys of an experiment that determine the work of a point"""


def _work_of(experiment: Experiment) -> dict[str, Any]:
    return experiment.model_dump(include=set(WORK_KEYS))
