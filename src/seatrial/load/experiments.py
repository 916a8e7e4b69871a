"""Runs experiments in a session: which case is repeated next, and when it has enough repeats."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from time import monotonic as monotonic_s

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.cases import Case, ExperimentCases
from seatrial.load.phases import expected_s
from seatrial.load.repeats import PlannedRepeat, Repeats
from seatrial.load.resume import EarlierMeasurements, matching_line
from seatrial.load.rounds import shuffled, stop_reason, with_the_same_settings
from seatrial.load.saturation_search import search
from seatrial.result.phases import PhaseResult
from seatrial.result.writer import Writer
from seatrial.service.deployed import Deployed
from seatrial.service.session import Observer, Session
from seatrial.study.experiment import VARIANT, Precision, SaturationSearch, VariantChanges
from seatrial.study.points import Point, phase_text


@dataclass(frozen=True)
class _MeasuredCase:
    """A case, and the results of its repeats so far."""

    case: Case
    results: list[PhaseResult]


@dataclass
class Experiments:
    """Runs experiments one after the other; a failure is recorded, and the next one begins."""

    state: Deployed
    before: EarlierMeasurements
    repeats: Repeats

    @property
    def writer(self) -> Writer:
        """The result."""
        return self.repeats.writer

    @property
    def observer(self) -> Observer:
        """The terminal."""
        return self.repeats.observer

    def run(self, planned: ExperimentCases) -> bool:
        """Run one experiment; False when it could not be completed (which is recorded)."""
        name = planned.name
        experiment = planned.experiment
        seed = f"{self.repeats.run_context.run_id} {name}"
        settings = {
            "title": experiment.title,
            "repeats": experiment.repeats,
            "sweep": experiment.sweep,
            "order_seed": seed,
        }
        self.writer.line("experiment", name=name, **settings)
        for row, item in experiment.variants.items():
            if item.skip is not None:
                self._skipped(name, row, item.skip)
        try:
            with doing(name):
                for group in with_the_same_settings(planned.cases):
                    self._group(group, seed)
        except RunError as error:
            self.state.invalidate()
            self.writer.line("experiment-failed", name=name, reason=str(error))
            self.observer.say(f"{name} could not be completed: {error}")
            return False
        return True

    def _group(self, cases: Sequence[Case], seed: str) -> None:
        """All repeats of cases of one experiment that need the same settings."""
        experiment = cases[0].experiment
        remaining = self._remaining(cases, experiment.repeats)
        session = self._reached(cases[0]) if any(remaining.values()) else None
        if session is None:
            return
        if experiment.saturation_search is not None:
            for case in cases:
                self._search(session, case, experiment.saturation_search)
            return
        measured = {case.point.name: _MeasuredCase(case, []) for case in cases}
        for number, of_round in remaining.items():
            for case in shuffled(of_round, seed, number):
                results = self.repeats.run(PlannedRepeat(session, case, number))
                measured[case.point.name].results.extend(results)
        if experiment.repeats_until is not None:
            self._repeat_until(experiment.repeats_until, session, list(measured.values()))

    def _remaining(self, cases: Sequence[Case], repeats: int) -> dict[int, list[Case]]:
        """The cases that each round measures: an interrupted run has measured others before."""
        remaining: dict[int, list[Case]] = {number: [] for number in range(1, repeats + 1)}
        for case in cases:
            missing = [
                number for number in remaining if not self.before.has(case.name, case.point, number)
            ]
            for number in missing:
                remaining[number].append(case)
            if not missing:
                self.observer.say(f"{phase_text(case.name, case.point.values)}: measured before")
        return remaining

    def _reached(self, case: Case) -> Session | None:
        """The solution with the settings of a case; None where its variant may be
        unsupported, and is.
        """
        name = case.name
        experiment = case.experiment
        point = case.point
        row = experiment.variants.get(point.values.get(VARIANT, ""), VariantChanges())
        try:
            return self.state.change(case.variant, phase_text(name, point.values))
        except RunError as error:
            if row.unsupported is None or row.unsupported not in str(error):
                raise
            self.state.invalidate()
            self._skipped(name, point.values[VARIANT], matching_line(str(error), row.unsupported))
            return None

    def _search(self, session: Session, case: Case, line: SaturationSearch) -> None:
        """Search the saturation rate of a case."""

        def measure(tried: Point, number: int) -> PhaseResult:
            return self.repeats.run(PlannedRepeat(session, replace(case, point=tried), number))[-1]

        values = case.point.values
        outcome = search(line, case.point, measure)
        self.writer.line("saturation-search", experiment=case.name, point=values, **asdict(outcome))
        self.observer.say(f"{phase_text(case.name, values)}: {outcome.text}")

    def _repeat_until(
        self, precision: Precision, session: Session, measured: Sequence[_MeasuredCase]
    ) -> None:
        """More repeats, in rounds over all cases without sufficient precision."""
        began_s = monotonic_s()
        waiting = [item for item in measured if item.results]
        while waiting:
            waiting = [
                item
                for item in waiting
                if self._repeat_once_more(precision, session, item, began_s)
            ]

    def _repeat_once_more(
        self, precision: Precision, session: Session, measured: _MeasuredCase, began_s: float
    ) -> bool:
        """One more repeat of a case; False, and the reason in the result, where it has enough.

        `began_s`: the monotonic time at which the further repeats of all cases began.
        """
        case = measured.case
        point = case.point
        next_s = sum(expected_s(session.solution, point, phase) for phase in point.workload.phases)
        spent_s = monotonic_s() - began_s
        first = case.experiment.repeats
        reason = stop_reason(precision, first, measured.results, spent_s, next_s)
        if reason is not None:
            self.writer.line("repeats", experiment=case.name, point=point.values, **asdict(reason))
            return False
        number = max(result.repeat for result in measured.results) + 1
        measured.results.extend(self.repeats.run(PlannedRepeat(session, case, number)))
        return True

    def _skipped(self, name: str, row: str, reason: str) -> None:
        self.writer.line("variant-skipped", experiment=name, variant=row, reason=reason)
        self.observer.say(f"{name} {row}: skipped: {reason}")
