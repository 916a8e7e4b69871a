"""One phase of one repeat of one point: its jobs, and its line in the result."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import inf

from seatrial.analysis.aggregates import NOTHING, aggregate
from seatrial.basics.units import counted, format_rate
from seatrial.cases import ClientGroup, ExperimentCases, groups_of, task_nodes
from seatrial.load import gather
from seatrial.load.agent_lines import AgentLines
from seatrial.load.cached import may_be_cached
from seatrial.load.jobs import JobContext
from seatrial.load.shortage import ProcessorMeter, Processors
from seatrial.load.stalls import lost_text
from seatrial.result.extents import extent_count
from seatrial.result.file_names import phase_file_title
from seatrial.result.live import LiveAgent, LiveLoad
from seatrial.result.phases import LAB_BUSY_SHARE_MAX, PhaseResult
from seatrial.result.quantities import quantity_of
from seatrial.result.series import CLIENTS_MAX
from seatrial.service.session import Observer, Session
from seatrial.solutions.base import Solution, client_kinds_of
from seatrial.study.experiment import Experiment
from seatrial.study.points import Point, phase_text
from seatrial.study.workload import moves_data, reads_data

OVERHEAD_S = 5.0
"""initial estimate in s, for the time left, of a phase's overhead"""


@dataclass(frozen=True)
class PlannedPhase:
    """A phase that is about to run."""

    session: Session
    experiment: str
    point: Point
    repeat: int
    phase: str
    context: JobContext
    empty_caches: bool = True
    """every cache was emptied before it, where it reads"""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of the tasks."""
        return nodes_of(self.session, self.point)

    @property
    def title(self) -> str:
        """For users."""
        return phase_text(self.experiment, self.point.values, f"repeat {self.repeat}", self.phase)

    @property
    def file_title(self) -> str:
        """For the names of its files."""
        return phase_file_title(self.experiment, self.point.name, self.repeat, self.phase)

    @property
    def total_bytes(self) -> int:
        """The bytes of all clients together."""
        return sum(group.phase_bytes(self.phase) for group in self.groups)

    @property
    def total_operations(self) -> int:
        """The metadata operations of all clients together; 0 where bytes count."""
        if moves_data(self.phase):
            return 0
        return sum(group.operations for group in self.groups)

    def live_load(
        self,
        clients: Sequence[str],
        *,
        total_bytes: int = 0,
        total_operations: int = 0,
    ) -> LiveLoad:
        """The phase as the live file shows it; without totals its completed share is unknown."""
        load = self.point.workload
        return LiveLoad(
            title=self.title,
            agents=tuple(LiveAgent(client) for client in clients),
            experiment=self.experiment,
            point=self.point.values,
            repeat=self.repeat,
            phase=self.phase,
            total_bytes=total_bytes,
            total_operations=total_operations,
            time_limit_s=load.time_limit if load.time_based else None,
        )

    @property
    def groups(self) -> list[ClientGroup]:
        """The clients of each tree."""
        return groups_of(self.session.solution, self.point, self.nodes)


def nodes_of(session: Session, point: Point) -> tuple[str, ...]:
    """The nodes of a point's tasks: its clients, or the server itself."""
    return task_nodes(session.solution, point)


def expected_s(solution: Solution, point: Point, phase: str) -> float:
    """The estimated duration of a phase in s, from the slowest resource of the data path."""
    if point.workload.time_based and point.workload.time_limit:
        return OVERHEAD_S + point.workload.time_limit
    groups = groups_of(solution, point, solution.clients[: point.clients])
    volume = sum(group.phase_bytes(phase) for group in groups)
    operation = operation_of(phase)
    slowest = solution.data_path(point.clients, local=point.workload.local).bottleneck(operation)
    return OVERHEAD_S + (volume / slowest.rate_bytes_per_s(operation) if slowest else 0.0)


def has_rates(solution: Solution, planned: ExperimentCases) -> bool:
    """Whether a rate is known on the path of every phase of an experiment."""
    return all(
        solution.data_path(point.clients, local=point.workload.local).bottleneck(
            operation_of(phase)
        )
        is not None
        for point in planned.points
        for phase in point.workload.data_phases
    )


def expected_experiment_s(solution: Solution, planned: ExperimentCases) -> float:
    """The estimated duration of all phases of all repeats of an experiment in s, with the study's
    own solution.
    """
    phases = [(point, phase) for point in planned.points for phase in point.workload.phases]
    once_s = sum(expected_s(solution, point, phase) for point, phase in phases)
    return expected_runs(planned.experiment) * once_s


def expected_runs(experiment: Experiment) -> float:
    """The expected number of measurements of each point."""
    if experiment.saturation_search is None:
        return experiment.repeats
    # Doubling, halving the ratio and confirming seldom need all tries.
    return 0.75 * experiment.saturation_search.tries


def operation_of(phase: str) -> str:
    """The direction of a phase's data, for the prediction."""
    return "read" if reads_data(phase) else "write"


def result_of(
    planned_phase: PlannedPhase,
    started_s: float,
    agents: Sequence[AgentLines],
    processors: Processors | None,
    clock_error_s: float,
) -> PhaseResult:
    """The line of the result; `processors`: those of the lab machine meanwhile, None
    on real hosts.
    """
    kinds = client_kinds_of(planned_phase.session.solution)
    is_large = len(agents) > CLIENTS_MAX
    results = (gather.client_result(agent, compact=is_large) for agent in agents)
    clients = tuple(replace(item, kind=kinds.get(item.client, "")) for item in results)
    tasks = [task for client in clients for task in client.tasks]
    total = aggregate(tasks) or NOTHING
    latency = gather.latency(agents)
    stonewalled = gather.stonewalled(agents, started_s)
    path = _path_figures(planned_phase, sum(task.size_bytes for task in tasks))
    return PhaseResult(
        experiment=planned_phase.experiment,
        point=planned_phase.point.values,
        repeat=planned_phase.repeat,
        phase=planned_phase.phase,
        started_unix_s=started_s,
        clients=clients,
        **asdict(total),
        cpus_busy_share=processors.busy_share if processors else None,
        cpus_short_share=processors.short_share if processors else None,
        lab_limited=processors is not None and processors.busy_share > LAB_BUSY_SHARE_MAX,
        bottleneck=path.bottleneck,
        predicted_bytes_per_s=path.predicted_bytes_per_s,
        bound=path.bound,
        bound_bytes_per_s=path.bound_bytes_per_s,
        layers=path.layers,
        clock_error_s=clock_error_s,
        partial=any(item.lost or item.errors for item in clients),
        cached=may_be_cached(
            planned_phase.session.solution, planned_phase.point, planned_phase.phase, clients
        ),
        stonewalled_bytes_per_s=stonewalled.bytes_per_s if stonewalled else None,
        stonewalled_operations_per_s=stonewalled.operations_per_s if stonewalled else None,
        latency_ms=latency.figures_ms,
        histograms=latency.histograms,
        seconds=gather.seconds(agents),
        steady=gather.steady(agents),
    )


@dataclass(frozen=True)
class _PathFigures:
    """The figures of the data path for a phase; see `PhaseResult`."""

    bottleneck: str | None = None
    predicted_bytes_per_s: float | None = None
    bound: str | None = None
    bound_bytes_per_s: float | None = None
    layers: tuple[tuple[str, float], ...] = ()


def _path_figures(planned_phase: PlannedPhase, moved_bytes: int) -> _PathFigures:
    """The figures for `moved_bytes`; none where data move in no direction, or in both."""
    if not moves_data(planned_phase.phase) or planned_phase.phase == "mixed":
        return _PathFigures()
    operation = operation_of(planned_phase.phase)
    path = planned_phase.session.solution.data_path(
        planned_phase.point.clients, local=planned_phase.point.workload.local
    )
    slowest = path.bottleneck(operation)
    bound = path.bound(operation, moved_bytes)
    bound_bytes_per_s = bound.most_bytes_per_s(operation, moved_bytes) if bound else inf
    is_bounded = bound is not None and bound_bytes_per_s < inf
    return _PathFigures(
        bottleneck=slowest.name if slowest else None,
        predicted_bytes_per_s=slowest.rate_bytes_per_s(operation) if slowest else None,
        bound=bound.name if bound and is_bounded else None,
        bound_bytes_per_s=bound_bytes_per_s if is_bounded else None,
        layers=path.finite_rates(operation),
    )


class PhaseMeter:
    """The progress of a phase on the terminal, and the lab machine's processors meanwhile."""

    def __init__(self, planned_phase: PlannedPhase, observer: Observer) -> None:
        self._planned = planned_phase
        self._observer = observer
        self._rate = RateMeter()
        self._meter = ProcessorMeter()
        self.processors: Processors | None = None
        """from the start to the end; None before the end"""

    def start(self) -> None:
        """The tasks begin."""
        self._meter = ProcessorMeter()
        self._rate.restart()

    def end(self) -> None:
        """The tasks have ended."""
        self.processors = self._meter.reading(self._planned.point.workload.server_load or 0.0)

    def progress(self, moved_bytes: int, operations: int) -> None:
        """Show the work that is done so far."""
        planned_phase = self._planned
        load = self._planned.point.workload
        done = operations if planned_phase.total_operations else moved_bytes
        rate = self._rate.of(done)
        if load.time_based:
            share = self._rate.elapsed_s / (load.time_limit or 1.0)
        else:
            share = done / max(planned_phase.total_operations or planned_phase.total_bytes, 1)
        text = f"{rate:.0f} operations/s" if planned_phase.total_operations else format_rate(rate)
        self._observer.progress(planned_phase.title, share, text)


def summary(title: str, result: PhaseResult) -> str:
    """A phase's line in the terminal."""
    notes = []
    if result.cpus_busy_share is not None:
        notes.append(f"CPUs {result.cpus_busy_share:.0%} busy")
    if result.lab_limited:
        notes.append("limited by the lab's CPUs")
    if result.busy_client:
        busy = result.busy_client
        notes.append(f"CPUs of {busy.client} {busy.share:.0%} busy")
    if result.cached:
        notes.append(f"may come from {result.cached} caches")
    if result.out_of_caches:
        notes.append(f"out of {result.out_of_caches}")
    if result.partial:
        lost = lost_text((item.client, item.lost) for item in result.clients if item.lost)
        notes.append(f"partial: {lost}")
    damaged = sum(extent_count(item.damage) for item in result.clients)
    if damaged:
        notes.append(counted(damaged, "damaged extent"))
    if result.unserved:
        notes.append(f"{counted(result.unserved, 'operation')} never began")
    notes += _outage_notes(result)
    return f"{title}: {quantity_of(result.phase).text(result)}" + (
        f" ({', '.join(notes)})" if notes else ""
    )


def _outage_notes(result: PhaseResult) -> list[str]:
    """The longest outage; for one that did not end before the phase did, the observed time."""
    if not result.outages:
        return []
    silent_s = max(outage.length_s for outage in result.outages)
    if any(outage.open for outage in result.outages):
        return [f"an outage did not end; watched for {silent_s:.1f} s"]
    return [f"longest outage {silent_s:.1f} s"] if silent_s else []


class RateMeter:
    """The mean rate since the start, for the progress line."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Begin again."""
        self._started_s = time.monotonic()

    def of(self, done: float) -> float:
        """The mean rate per second so far."""
        return done / max(self.elapsed_s, 1e-3)

    @property
    def elapsed_s(self) -> float:
        """Since the start."""
        return time.monotonic() - self._started_s
