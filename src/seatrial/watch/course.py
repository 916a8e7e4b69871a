"""The progress of a run against its manifest, and the course of its faults."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from seatrial.result.faults import FaultResult
from seatrial.result.live import LiveFault
from seatrial.result.manifest import ExperimentPlan, Manifest, point_key
from seatrial.watch.snapshot import Count, FaultState, FaultView

VARIANT_KEY = "variant"
"""the key of a point that names its variant"""


@dataclass
class Progress:
    """The phases, searches and faults of a run: planned, and done."""

    manifest: Manifest | None = None
    phases_done: set[tuple[str, str, int, str]] = field(default_factory=set)
    """experiment, point, repeat, phase"""
    searches_done: set[tuple[str, str]] = field(default_factory=set)
    """experiment, point"""
    faults_done: set[str] = field(default_factory=set)
    variants_skipped: set[tuple[str, str]] = field(default_factory=set)
    """experiment, variant"""

    @property
    def phases(self) -> Count:
        """Phases of experiments, without those of searches.

        An experiment that repeats until its interval is narrow may have more phases than planned.
        """
        searching = {item.name for item in self._experiments if item.searches}
        by_experiment = Counter(item[0] for item in self.phases_done if item[0] not in searching)
        planned = {
            item.name: self._planned(item) for item in self._experiments if not item.searches
        }
        names = planned.keys() | by_experiment.keys()
        total = sum(max(planned.get(name, 0), by_experiment[name]) for name in names)
        return Count(by_experiment.total(), total)

    @property
    def searches(self) -> Count:
        """Points with a search for the saturation rate."""
        planned = sum(len(item.points) for item in self._experiments if item.searches)
        return Count(len(self.searches_done), max(planned, len(self.searches_done)))

    @property
    def faults(self) -> Count:
        """Faults, the skipped ones included."""
        planned = len(self.manifest.faults) if self.manifest else 0
        return Count(len(self.faults_done), max(planned, len(self.faults_done)))

    @property
    def _experiments(self) -> tuple[ExperimentPlan, ...]:
        return self.manifest.experiments if self.manifest else ()

    def _planned(self, experiment: ExperimentPlan) -> int:
        """The phases of an experiment, without those of skipped variants."""
        measured = [
            point
            for point in experiment.points
            if (experiment.name, point.values.get(VARIANT_KEY)) not in self.variants_skipped
        ]
        return experiment.repeats * sum(len(point.phases) for point in measured)

    def phase_done(
        self, experiment: str, point: Mapping[str, Any], repeat: int, phase: str
    ) -> None:
        """A phase was measured."""
        self.phases_done.add((experiment, point_key(point), repeat, phase))

    def search_done(self, experiment: str, point: Mapping[str, Any]) -> None:
        """A search has ended."""
        self.searches_done.add((experiment, point_key(point)))


@dataclass
class _TimedView:
    """A fault, and the time of the line that it is known from."""

    view: FaultView
    line_unix_s: float


class Faults:
    """The faults that have begun, in the order of their begin."""

    def __init__(self) -> None:
        self._views: dict[str, _TimedView] = {}
        self._current: str | None = None

    @property
    def views(self) -> tuple[FaultView, ...]:
        """Every fault, in the order of their begin."""
        return tuple(item.view for item in self._views.values())

    def begin(self, fault: LiveFault, line_unix_s: float) -> None:
        """The current fault has come further; a line that is older than its result is ignored."""
        earlier = self._views.get(fault.name)
        if earlier is not None and earlier.line_unix_s > line_unix_s:
            return
        state = FaultState.BEGUN
        if fault.injected_unix_s is not None:
            state = FaultState.INJECTED
        if fault.repaired_unix_s is not None:
            state = FaultState.REPAIRED
        continues = earlier is not None and self._current == fault.name
        view = FaultView(
            name=fault.name,
            title=fault.title,
            state=state,
            injected_unix_s=fault.injected_unix_s,
            repaired_unix_s=fault.repaired_unix_s,
            outage_s=earlier.view.outage_s if earlier is not None and continues else None,
        )
        self._current = fault.name
        self._views[fault.name] = _TimedView(view, line_unix_s)

    def silence(self, fault: str | None, silent_s: float) -> None:
        """A client of the current fault has got no answer for this time."""
        current = self._views.get(self._current or "")
        if current is None or fault != self._current or current.view.injected_unix_s is None:
            return
        outage_s = max(silent_s, current.view.outage_s or 0.0)
        current.view = replace(current.view, outage_s=outage_s)

    def end(self, fault: FaultResult, line_unix_s: float) -> None:
        """The result of a fault is known."""
        is_injected = fault.skipped is None and fault.injected_unix_s is not None
        view = FaultView(
            name=fault.name,
            title=fault.title,
            state=_final_state(fault),
            injected_unix_s=fault.injected_unix_s,
            repaired_unix_s=fault.repaired_unix_s,
            outage_s=fault.longest_s if is_injected else None,
            reason=fault.skipped or fault.failed,
        )
        self._current = None
        self._views[fault.name] = _TimedView(view, line_unix_s)


def _final_state(fault: FaultResult) -> FaultState:
    if fault.skipped is not None:
        return FaultState.SKIPPED
    if fault.failed is not None:
        return FaultState.FAILED
    is_recovered = fault.recovered_unix_s is not None
    return FaultState.RECOVERED if is_recovered else FaultState.NOT_RECOVERED
