"""A result as every view reads it: its lines, its study, the system as built, and its experiments
with their points.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from seatrial.basics.errors import SeatrialError
from seatrial.judge.against_study import against_study
from seatrial.judge.judge import study_of
from seatrial.result.result import Result
from seatrial.study.experiment import Experiment
from seatrial.study.profiles import ALL_PROFILES
from seatrial.study.study import Study
from seatrial.summary.points import Measured, measured
from seatrial.summary.system import Built, built


@dataclass(frozen=True)
class Sources:
    """A result, its study, and the system as built."""

    result: Result
    study: Study | None
    published: Mapping[str, Any]
    system: Built | None
    problems: tuple[str, ...] = ()
    """parts of the result that cannot be read, or that cannot all be true"""
    warnings: tuple[str, ...] = field(default=())

    @cached_property
    def experiments(self) -> tuple["MeasuredExperiment", ...]:
        """Every experiment of the result, in the order of the run."""
        return tuple(_experiments(self))

    @property
    def title(self) -> str:
        """The title of the run, else that of its study, else the study's name."""
        run = self.result.first("run")
        titles = (run.get("title"), self.study and self.study.title, run.get("study"))
        return str(next(filter(None, titles), "Untitled study"))

    @property
    def titled_points(self) -> list[tuple[str, tuple[Measured, ...]]]:
        """(title, points) of every experiment."""
        return [(item.title, item.points) for item in self.experiments]


@dataclass(frozen=True)
class MeasuredExperiment:
    """One experiment of a result."""

    name: str
    title: str
    points: tuple[Measured, ...]


def sources_of(result: Result) -> Sources:
    """The result with its study and published facts; files that cannot be read are problems."""
    folder_name = result.folder.resolve().name
    seal_words = [f"{folder_name}: {result.seal.words}"] if result.seal.words else []
    problems = [*(seal_words if result.seal.is_broken else []), *result.problems]
    problems += [item.words for item in result.contradictions]
    study: Study | None = None
    if result.text("study.yaml") is None:
        problems.append("study.yaml is missing")
    else:
        try:
            study = study_of(result)
            problems += [item.words for item in against_study(study, result)]
        except SeatrialError as error:
            problems.append(f"study.yaml cannot be read: {error}")
    published: Mapping[str, Any] = {}
    try:
        published = result.published
    except SeatrialError as error:
        problems.append(f"published.yaml cannot be read: {error}")
    system_line = result.first("system")
    warnings = [] if result.seal.is_broken else list(seal_words)
    warnings += [str(item) for item in system_line.get("warnings", ())]
    system = built(system_line, study)
    return Sources(result, study, published, system, tuple(problems), tuple(warnings))


def _experiments(sources: Sources) -> Iterator[MeasuredExperiment]:
    result = sources.result
    lines = {str(line.get("name")): line for line in result.of("experiment")}
    measured_names = (phase.experiment for phase in result.phases)
    for name in dict.fromkeys([*lines, *measured_names, *result.failed_experiments]):
        experiment = experiment_of(sources, name)
        title = lines.get(name, {}).get("title") or (experiment and experiment.title) or name
        yield MeasuredExperiment(name, str(title), tuple(points_of(sources, name)))


def experiment_of(sources: Sources, name: str) -> Experiment | None:
    """The study's experiment in the profile of the run."""
    profile = sources.result.first("run").get("profile", "full")
    if sources.study is None or profile not in ALL_PROFILES:
        return None
    return sources.study.experiments_in(profile).get(name) or sources.study.experiments.get(name)


def points_of(sources: Sources, name: str) -> list[Measured]:
    """An experiment's points, in the quantity of its figure."""
    experiment = experiment_of(sources, name)
    quantity = experiment.figure.y if experiment and experiment.figure else None
    phases = (phase for phase in sources.result.phases if phase.experiment == name)
    return measured(phases, quantity)
