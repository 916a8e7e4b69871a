"""The missing parts of a result's phases compared with its manifest, and the duplicates."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.judge.flaws import Evidence, Flaw, Missing, Place, Twice, Unplanned
from seatrial.judge.parts import Line, Part, line_key, newest
from seatrial.result.file_names import common_file, kept_name, phase_file_title, safe_name
from seatrial.result.manifest import ExperimentPlan, Manifest, PointPlan, plain, point_key
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.points import phase_text, point_name

RATE = "arrivals_per_s"
"""the variable of a search for a saturation rate"""


@dataclass(frozen=True)
class PhaseKey:
    """A phase of a repeat of a point."""

    experiment: str
    point: str
    """`point_key` of its values"""
    repeat: int
    phase: str


@dataclass(frozen=True)
class PhasePlan:
    """One phase that must exist."""

    key: PhaseKey
    values: Mapping[str, Any]
    name: str
    """of its point, as files have it"""
    clients: tuple[str, ...] | None

    @property
    def where(self) -> str:
        """In words: `fig7 clients=4 repeat 2 read`."""
        return phase_text(
            self.key.experiment, self.values, f"repeat {self.key.repeat}", self.key.phase
        )

    @property
    def place(self) -> Place:
        """Its place in the manifest."""
        return Place(experiment=self.key.experiment, phase=self.key.phase)

    def agent_file(self, client: str) -> str:
        """The file with the lines of the client's agent."""
        return kept_name(f"agent/{safe_name(self._title)}-{client}.jsonl")

    @property
    def common_file(self) -> str:
        """The file with the lines of all agents, where there are many clients."""
        return common_file(self._title)

    @property
    def _title(self) -> str:
        """As file names have it."""
        return phase_file_title(self.key.experiment, self.name, self.key.repeat, self.key.phase)


def phase_flaws(result: Result, parts: Sequence[Part], manifest: Manifest) -> Iterator[Flaw]:
    """The flaws of every experiment."""
    measured: dict[PhaseKey, list[PhaseResult]] = defaultdict(list)
    for phase in result.phases:
        measured[key_of(phase)].append(phase)
    planned: dict[PhaseKey, PhasePlan] = {}
    for experiment in manifest.experiments:
        yield from _experiment_line_flaws(experiment, parts)
        repeats = Repeats(result, parts, experiment, tuple(measured))
        yield from repeats.flaws()
        planned |= {plan.key: plan for plan in repeats.plans()}
        yield from _comparison_flaws(repeats, parts)
    for plan in planned.values():
        yield from _one(plan, measured.get(plan.key, []), result, manifest)
    yield from _unplanned(measured, planned, parts, manifest)
    yield from _copies(result.phases)


def key_of(phase: PhaseResult) -> PhaseKey:
    """The key of a phase."""
    return PhaseKey(phase.experiment, point_key(phase.point), phase.repeat, phase.phase)


def _experiment_line_flaws(plan: ExperimentPlan, parts: Sequence[Part]) -> Iterator[Flaw]:
    """Each part that gets as far as an experiment has one line for it; a second line would hide
    that it has failed.
    """
    for part in parts:
        if sum(_is_of(line, "experiment", plan.name) for line in part.lines) > 1:
            where = f"the line of the experiment {plan.name}"
            yield Twice(Evidence.PHASES, where, place=Place(experiment=plan.name))


def _is_of(line: Line, kind: str, name: str) -> bool:
    return line["type"] == kind and line.get("name") == name


@dataclass(frozen=True)
class Repeats:
    """The repeats that one experiment must have, where the manifest alone does not have the
    number.
    """

    result: Result
    parts: Sequence[Part]
    experiment: ExperimentPlan
    measured_keys: tuple[PhaseKey, ...]

    def measured(self) -> Iterator[PointPlan]:
        """The points, without those of variants that the solution does not support."""
        lines = [
            line
            for line in self.result.of("variant-skipped")
            if line.get("experiment") == self._name
        ]
        skipped = {str(line.get("variant")) for line in lines}
        for point in self.experiment.points:
            if not (point.may_be_skipped and str(point.values.get("variant")) in skipped):
                yield point

    def plans(self) -> Iterator[PhasePlan]:
        """Every phase."""
        for point in self.measured():
            if self.experiment.searches:
                yield from self._tries(point)
            else:
                for repeat in range(1, self.number(point) + 1):
                    yield from self._phases(point, point.values, point.name, repeat)

    def number(self, point: PointPlan) -> int:
        """The number of repeats that a point must have."""
        planned = self.experiment.repeats
        if not self.experiment.has_more_repeats:
            return planned
        stated = [int(line["repeats"]) for line in self._lines("repeats", point)]
        # A resumed part has lines for its own repeats only: the highest number counts.
        highest = max(
            (key.repeat for key in self.measured_keys if self._is_of_point(key, point)), default=0
        )
        return max(planned, *stated, highest if len(self.parts) > 1 else 0)

    def flaws(self) -> Iterator[Flaw]:
        """The missing or duplicate lines with the number of repeats or tries."""
        kind = "saturation-search" if self.experiment.searches else "repeats"
        words = "saturation rate" if self.experiment.searches else "number of repeats"
        if not (self.experiment.searches or self.experiment.has_more_repeats):
            return
        for point in self.measured():
            lines = self._lines(kind, point)
            where = f"the {words} of {phase_text(self._name, point.values)}"
            place = Place(experiment=self._name)
            if len(lines) > 1:
                yield Twice(Evidence.PHASES, where, place=place)
            elif not lines and (self.experiment.searches or len(self.parts) == 1):
                yield Missing(Evidence.PHASES, where, place=place)

    @property
    def _name(self) -> str:
        return self.experiment.name

    def _is_of_point(self, key: PhaseKey, point: PointPlan) -> bool:
        return (key.experiment, key.point) == (self._name, point_key(point.values))

    def _lines(self, kind: str, point: PointPlan) -> list[Line]:
        key = line_key(self._name, plain(point.values))
        return newest(self.parts, kind, "experiment", "point").get(key, [])

    def _tries(self, point: PointPlan) -> Iterator[PhasePlan]:
        """The phases of the tries of a point: a rate that is tried again is a further repeat of its
        point.
        """
        tried = Counter[float]()
        for line in self._lines("saturation-search", point)[:1]:
            for item in line["tries"]:
                rate = round(float(item["rate_per_s"]), 6)
                tried[rate] += 1
                values = {**point.values, RATE: rate}
                yield from self._phases(point, values, point_name(values), tried[rate])

    def _phases(
        self, point: PointPlan, values: Mapping[str, Any], name: str, repeat: int
    ) -> Iterator[PhasePlan]:
        for phase in point.phases:
            yield PhasePlan(
                PhaseKey(self._name, point_key(values), repeat, phase), values, name, point.clients
            )


# ---- one phase


def _one(
    plan: PhasePlan, measured: Sequence[PhaseResult], result: Result, manifest: Manifest
) -> Iterator[Flaw]:
    if not measured:
        yield Missing(Evidence.PHASES, plan.where, place=plan.place)
        return
    if len(measured) > 1:
        yield Twice(Evidence.PHASES, plan.where, place=plan.place)
    for phase in measured[:1]:
        here = Counter(client.client for client in phase.clients)
        yield from (
            Missing(Evidence.PHASES, plan.where, f"client {name}", plan.place)
            for name in plan.clients or ()
            if name not in here
        )
        yield from (
            Twice(Evidence.PHASES, plan.where, f"client {name}", plan.place)
            for name, number in here.items()
            if number > 1
        )
        yield from (
            Unplanned(Evidence.PHASES, plan.where, f"client {name}", plan.place)
            for name in here
            if plan.clients is not None and name not in plan.clients
        )
        if not here:
            yield Missing(Evidence.PHASES, plan.where, "every client", plan.place)
    if manifest.keeps_agent_lines and not is_kept(result, plan.common_file):
        yield from (
            Missing(
                Evidence.AGENT_LINES,
                f"{plan.where}: the agent output of {name}",
                place=plan.place,
            )
            for name in plan.clients or ()
            if not is_kept(result, plan.agent_file(name))
        )


def is_kept(result: Result, name: str) -> bool:
    """Whether a file of the result exists and is not empty."""
    path = result.folder / name
    return path.is_file() and path.stat().st_size > 1


def _unplanned(
    measured: Mapping[PhaseKey, Sequence[PhaseResult]],
    planned: Mapping[PhaseKey, PhasePlan],
    parts: Sequence[Part],
    manifest: Manifest,
) -> Iterator[Flaw]:
    """A repeated search leaves the tries of the part before, with rates that are no longer
    needed.
    """
    searched = {item.name for item in manifest.experiments if item.searches}
    for key, phases in measured.items():
        if key not in planned and not (key.experiment in searched and len(parts) > 1):
            phase = phases[0]
            where = phase_text(phase.experiment, phase.point, f"repeat {phase.repeat}", phase.phase)
            yield Unplanned(
                Evidence.PHASES, where, place=Place(experiment=phase.experiment, phase=phase.phase)
            )


def _copies(phases: Sequence[PhaseResult]) -> Iterator[Flaw]:
    """No two phases begin at once: of two that did, one is a copy of the other under another
    name.
    """
    began: dict[float, PhaseResult] = {}
    for phase in phases:
        first = began.setdefault(phase.started_unix_s, phase) if phase.started_unix_s > 0 else phase
        if first is not phase and key_of(first) != key_of(phase):
            where = phase_text(first.experiment, first.point, f"repeat {first.repeat}", first.phase)
            again = phase_text(phase.experiment, phase.point, f"repeat {phase.repeat}", phase.phase)
            for item in (first, phase):
                place = Place(experiment=item.experiment, phase=item.phase)
                yield Twice(Evidence.PHASES, where, f"as {again}", place)


# ---- comparisons of the tree


def _comparison_flaws(repeats: Repeats, parts: Sequence[Part]) -> Iterator[Flaw]:
    lines = newest(parts, "comparison", "experiment", "point", "repeat")
    name = repeats.experiment.name
    for point in repeats.measured():
        if not point.compares_tree or repeats.experiment.searches:
            continue
        for repeat in range(1, repeats.number(point) + 1):
            of_repeat = lines.get(line_key(name, plain(point.values), repeat), [])
            where = f"the comparison of {phase_text(name, point.values, f'repeat {repeat}')}"
            if not of_repeat:
                yield Missing(Evidence.COMPARISONS, where, place=Place(experiment=name))
            elif len(of_repeat) > 1:
                yield Twice(Evidence.COMPARISONS, where, place=Place(experiment=name))
