"""One phase of one repeat of one point: its jobs, and its line in the result."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import inf

from seatrial.analysis.aggregates import NOTHING, TaskTime, aggregate
from seatrial.basics.units import counted
from seatrial.load import gather
from seatrial.load.agent_lines import AgentLines
from seatrial.load.cached import may_be_cached
from seatrial.load.jobs import JobContext
from seatrial.load.shortage import Processors
from seatrial.result.live import LiveAgent, LiveLoad
from seatrial.result.phases import LAB_BUSY_SHARE_MAX, PhaseResult
from seatrial.result.quantities import quantity_of
from seatrial.service.session import Session
from seatrial.solutions.base import Solution, client_groups_of, client_kinds_of
from seatrial.study.experiment import Experiment
from seatrial.study.points import Point, points
from seatrial.study.workload import Workload, moves_data, reads_data

OVERHEAD_S = 5.0
"""initial estimate in s, for the time left, of a phase's overhead"""


@dataclass(frozen=True)
class Phase:
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
        """For users and file names."""
        return f"{self.experiment} {self.point.name} repeat {self.repeat} {self.phase}"

    @property
    def total_bytes(self) -> int:
        """The bytes of all clients together."""
        return sum(load.phase_bytes(self.phase) * load.tasks * len(nodes) for load, nodes in self.groups)

    @property
    def total_operations(self) -> int:
        """The metadata operations of all clients together; 0 where bytes count."""
        if moves_data(self.phase):
            return 0
        return sum(load.items * load.tasks * len(nodes) for load, nodes in self.groups)

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
    def groups(self) -> list[tuple[Workload, tuple[str, ...]]]:
        """For each tree, its workload and its clients."""
        return groups_of(self.session.solution, self.point, self.nodes)


def groups_of(solution: Solution, point: Point, nodes: Sequence[str]) -> list[tuple[Workload, tuple[str, ...]]]:
    """For each tree that these nodes see, its workload and its clients; clients of one kind share a
    tree.
    """
    if point.workload.local:
        return [(point.workload, tuple(nodes))]
    kinds = client_kinds_of(solution)
    groups = client_groups_of(solution, nodes)
    return [(point.kinds.get(kinds.get(group[0], ""), point.workload), group) for group in groups]


def nodes_of(session: Session, point: Point) -> tuple[str, ...]:
    """The nodes of a point's tasks: its clients, or the server itself."""
    solution = session.solution
    return solution.servers[:1] if point.workload.local else solution.clients[: point.clients]


def expected_s(solution: Solution, point: Point, phase: str) -> float:
    """The estimated duration of a phase in s, from the slowest resource of the data path."""
    if point.workload.time_based and point.workload.time_limit:
        return OVERHEAD_S + point.workload.time_limit
    groups = groups_of(solution, point, solution.clients[: point.clients])
    volume = sum(load.phase_bytes(phase) * load.tasks * len(nodes) for load, nodes in groups)
    operation = operation_of(phase)
    slowest = solution.data_path(point.clients, local=point.workload.local).bottleneck(operation)
    return OVERHEAD_S + (volume / slowest.rate_bytes_per_s(operation) if slowest else 0.0)


def has_rates(solution: Solution, experiment: Experiment) -> bool:
    """Whether a rate is known on the path of every phase of an experiment."""
    return all(
        solution.data_path(point.clients, local=point.workload.local).bottleneck(operation_of(phase)) is not None
        for point in points(experiment, len(solution.clients))
        for phase in point.workload.data_phases
    )


def expected_experiment_s(solution: Solution, experiment: Experiment) -> float:
    """The estimated duration of all phases of all repeats of an experiment, with the study's own
    solution.
    """
    each = [(point, phase) for point in points(experiment, len(solution.clients)) for phase in point.workload.phases]
    # Doubling, halving the ratio and confirming seldom need all tries.
    runs = experiment.repeats if experiment.saturation_search is None else 0.75 * experiment.saturation_search.tries
    return runs * sum(expected_s(solution, point, phase) for point, phase in each)


def operation_of(phase: str) -> str:
    """The direction of a phase's data, for the prediction."""
    return "read" if reads_data(phase) else "write"


def result_of(
    work: Phase,
    started_s: float,
    agents: Sequence[AgentLines],
    processors: Processors | None,
    clock_error_s: float,
) -> PhaseResult:
    """The line of the result; `processors`: those of the lab machine meanwhile, None
    on real hosts.
    """
    kinds = client_kinds_of(work.session.solution)
    results = map(gather.client_result, agents)
    clients = tuple(replace(item, kind=kinds.get(item.client, "")) for item in results)
    tasks = [TaskTime(*task) for client in clients for task in client.tasks]
    total = aggregate(tasks) or NOTHING
    latency_ms, histograms = gather.latency(agents)
    wall = gather.stonewalled(agents, started_s)
    operation = operation_of(work.phase)
    path = work.session.solution.data_path(work.point.clients, local=work.point.workload.local)
    data = moves_data(work.phase) and work.phase != "mixed"
    moved_bytes = sum(task.size_bytes for task in tasks)
    slowest, bound = (path.bottleneck(operation), path.bound(operation, moved_bytes)) if data else (None, None)
    most = bound.most_bytes_per_s(operation, moved_bytes) if bound else inf
    return PhaseResult(
        experiment=work.experiment,
        point=work.point.values,
        repeat=work.repeat,
        phase=work.phase,
        started_unix_s=started_s,
        clients=clients,
        **asdict(total),
        cpus_busy_share=processors.busy_share if processors else None,
        cpus_short_share=processors.short_share if processors else None,
        lab_limited=processors is not None and processors.busy_share > LAB_BUSY_SHARE_MAX,
        bottleneck=slowest.name if slowest else None,
        predicted_bytes_per_s=slowest.rate_bytes_per_s(operation) if slowest else None,
        bound=bound.name if bound and most < inf else None,
        bound_bytes_per_s=most if most < inf else None,
        layers=path.finite_rates(operation) if data else (),
        clock_error_s=clock_error_s,
        partial=any(item.lost or item.errors for item in clients),
        cached=may_be_cached(work.session.solution, work.point, work.phase, clients),
        stonewalled_bytes_per_s=wall[0] if wall else None,
        stonewalled_operations_per_s=wall[1] if wall else None,
        latency_ms=latency_ms,
        histograms=histograms,
        seconds=gather.seconds(agents),
        steady=gather.steady(agents),
    )


def summary(title: str, result: PhaseResult) -> str:
    """A phase's line in the terminal."""
    notes = []
    if result.cpus_busy_share is not None:
        notes.append(f"CPUs {result.cpus_busy_share:.0%} busy")
    if result.lab_limited:
        notes.append("limited by the lab's CPUs")
    if result.busy_client:
        client, share = result.busy_client
        notes.append(f"CPUs of {client} {share:.0%} busy")
    if result.cached:
        notes.append(f"may come from {result.cached} caches")
    if result.out_of_caches:
        notes.append(f"out of {result.out_of_caches}")
    if result.partial:
        notes.append("partial: " + "; ".join(f"{item.client}: {item.lost}" for item in result.clients if item.lost))
    damaged = sum(len(item.damage) for item in result.clients)
    if damaged:
        notes.append(f"{damaged} damaged extents")
    if result.unserved:
        notes.append(f"{counted(result.unserved, 'operation')} never began")
    notes += _outage_notes(result)
    return f"{title}: {quantity_of(result.phase).text(result)}" + (f" ({', '.join(notes)})" if notes else "")


def _outage_notes(result: PhaseResult) -> list[str]:
    """The longest outage; for one that did not end before the phase did, the observed time."""
    if not result.outages:
        return []
    silent_s = max(item["end_unix_s"] - item["start_unix_s"] for item in result.outages)
    if any(outage["open"] for outage in result.outages):
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
