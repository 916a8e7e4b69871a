"""One repeat of a case: its files, its phases in their order, and their lines in the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.basics.units import counted
from seatrial.cases import Case, ClientGroup, groups_of
from seatrial.load import client_counters
from seatrial.load.agent import Watch, run_phase
from seatrial.load.agent_lines import AgentLines
from seatrial.load.cached import with_servers
from seatrial.load.clock_offsets import ClockOffset, error_s, measure_clocks
from seatrial.load.folder import folder_of
from seatrial.load.gather import client_result
from seatrial.load.jobs import JobContext, jobs_of, passes_of, prepared_by
from seatrial.load.kept_files import ContinuedFiles
from seatrial.load.kept_lines import lines_kept
from seatrial.load.live import LiveMeter, written_each_second
from seatrial.load.operation_logs import OperationLogs
from seatrial.load.phases import PhaseMeter, PlannedPhase, expected_s, nodes_of, result_of, summary
from seatrial.load.run_context import RunContext
from seatrial.load.server_load import loaded, slowed
from seatrial.load.stalls import lost_text
from seatrial.load.telemetry import Watched
from seatrial.result.phases import PhaseResult
from seatrial.result.writer import Writer
from seatrial.service.session import Observer, Session
from seatrial.service.workplace import make_directory, remove_directory, require_room
from seatrial.solutions.base import RawVolumes, arrays_of, grace_s
from seatrial.solutions.shared_storage import KeepsCaches, work_folder
from seatrial.study.experiment import Experiment
from seatrial.study.points import Point, phase_text
from seatrial.study.workload import writes_data

AGENT_LOG = "operations.log"
"""in the folder of the load"""


@dataclass(frozen=True)
class PlannedRepeat:
    """A repeat of a case, in the session that has the settings of the case."""

    session: Session
    case: Case
    number: int
    """from 1"""

    @property
    def name(self) -> str:
        """The experiment."""
        return self.case.name

    @property
    def experiment(self) -> Experiment:
        """The experiment with its settings."""
        return self.case.experiment

    @property
    def point(self) -> Point:
        """The point of the case."""
        return self.case.point

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of the tasks."""
        return nodes_of(self.session, self.point)

    @property
    def groups(self) -> list[ClientGroup]:
        """The clients of each tree."""
        return groups_of(self.session.solution, self.point, self.nodes)

    @property
    def title(self) -> str:
        """For users."""
        return phase_text(self.name, self.point.values)

    def preparation(self, context: JobContext) -> PlannedPhase:
        """The phase in which the files are written before the measured phases."""
        empties_caches = bool(self.experiment.empty_caches)
        return PlannedPhase(
            self.session, self.name, self.point, self.number, "prepare", context, empties_caches
        )


@dataclass(frozen=True)
class _CompletedPhase:
    """A phase that ran."""

    result: PhaseResult
    is_whole: bool
    """every client completed it"""


@dataclass
class Repeats:
    """Runs repeats one after the other."""

    run_context: RunContext
    watched: Watched
    spent: Callable[[float], None]
    """called with the number of planned seconds that are over"""
    continued: frozenset[str] = frozenset()
    """experiments that leave their files for other experiments"""
    clocks: dict[str, ClockOffset] = field(default_factory=dict)
    kept_files: dict[str, ContinuedFiles] = field(default_factory=dict)

    @property
    def writer(self) -> Writer:
        """The result."""
        return self.run_context.writer

    @property
    def observer(self) -> Observer:
        """The terminal."""
        return self.run_context.observer

    @property
    def load_folder(self) -> str:
        """The folder of the load on every node."""
        return folder_of(self.run_context.agent)

    def run(self, planned: PlannedRepeat) -> list[PhaseResult]:
        """The results of all phases of a repeat, which are recorded.

        The repeat uses its own files, or those of the experiment that it continues. RunError where
        the storage has no room, where files could not be prepared, or where no client is left.
        """
        if planned.experiment.continues is not None:
            return self._continue(planned, planned.experiment.continues)
        workload = planned.point.workload
        generation = self.run_context.next_generation(passes_of(workload))
        nodes_of_trees = tuple(group.clients[0] for group in planned.groups)
        directory = self._make_directories(planned, nodes_of_trees, generation)
        is_kept = planned.name in self.continued
        if is_kept:
            self.kept_files[planned.name] = ContinuedFiles(
                planned.session, nodes_of_trees, directory, generation, is_whole=False
            )
        is_removed = not is_kept and _raw_directory(planned.session) is None
        context = self._job_context(directory, generation)
        logs = OperationLogs(self.run_context.run_id, planned.nodes, self.load_folder)
        try:
            runs = self._phases(planned.preparation(context), logs, planned.experiment)
        finally:
            to_remove = directory if is_removed else None
            self._clean(planned.session, nodes_of_trees, to_remove, logs)
        if is_kept:
            is_whole = all(run.is_whole for run in runs)
            kept = self.kept_files[planned.name]
            self.kept_files[planned.name] = replace(kept, is_whole=is_whole)
        return [run.result for run in runs]

    def _make_directories(
        self, planned: PlannedRepeat, nodes_of_trees: Sequence[str], generation: int
    ) -> str:
        """Create the directory of a repeat in each tree, and return its path.

        Raw volumes have a separate directory. Raises RunError where the storage has no room.
        """
        raw_directory = _raw_directory(planned.session)
        if raw_directory is not None:
            return raw_directory
        solution = planned.session.solution
        transport = self.run_context.session.transport
        is_local = planned.point.workload.local
        base = solution.local_directory if is_local else solution.directory
        folder = f"{planned.name}-{self.run_context.run_id[:8]}-{generation}"
        directory = f"{work_folder(solution, base)}/{folder}"
        for group in planned.groups:
            needed_bytes = group.workload.stored_bytes(len(group.clients))
            require_room(transport, group.clients[0], base, needed_bytes, planned.title)
        for node in nodes_of_trees:
            make_directory(transport, node, base, directory)
        return directory

    def _job_context(self, directory: str, generation: int, *, verify: bool = True) -> JobContext:
        return JobContext(
            self.run_context.run_id,
            directory,
            generation,
            f"{self.load_folder}/{AGENT_LOG}",
            verify=verify,
            local_directory=self.load_folder,
        )

    def _continue(self, planned: PlannedRepeat, continued: str) -> list[PhaseResult]:
        """The phases of an experiment that uses the files of an earlier one."""
        files = self.kept_files.get(continued)
        if files is None:
            raise RunError(
                f"{planned.name} uses the files of {continued}, which this run did not write",
                f"run {continued} in the same run; a resumed run cannot continue its files",
            )
        context = self._job_context(files.directory, files.generation, verify=files.is_whole)
        if not files.is_whole and planned.point.workload.verify:
            self.observer.say(
                f"{planned.name}: the files of {continued} are incomplete, and are not verified"
            )
        logs = OperationLogs(self.run_context.run_id, planned.nodes, self.load_folder)
        try:
            runs = self._phases(planned.preparation(context), logs, planned.experiment)
        finally:
            self._clean(planned.session, files.nodes, None, logs)
        return [run.result for run in runs]

    def remove_kept(self) -> None:
        """Remove the files that experiments kept for others, after the last experiment."""
        for files in self.kept_files.values():
            if _raw_directory(files.session) is None:
                self._remove(files.session, files.nodes, files.directory)
        self.kept_files.clear()

    def _phases(
        self, planned_phase: PlannedPhase, logs: OperationLogs, experiment: Experiment
    ) -> list[_CompletedPhase]:
        """All phases of a repeat; each write of the files begins a generation."""
        workload = planned_phase.point.workload
        nodes = planned_phase.nodes
        written = workload.prepare
        before = dict[str, ClockOffset]()
        runs = []
        if workload.prepare:
            self._prepare(self._logged(planned_phase, logs))
        for phase in workload.phases:
            if writes_data(phase) and written:
                generation = self.run_context.next_generation(passes_of(workload))
                context = replace(
                    planned_phase.context,
                    generation=generation,
                    before=planned_phase.context.generation,
                )
                planned_phase = replace(planned_phase, context=context)
            written = written or writes_data(phase)
            if experiment.empties_caches_before(phase):
                planned_phase.session.deploy(planned_phase.session.solution.empty_caches(nodes))
            if set(self.clocks) != set(nodes):
                self.clocks = measure_clocks(
                    planned_phase.session.transport, nodes, self.run_context.agent
                )
            before = before or self.clocks
            planned_phase = replace(planned_phase, phase=phase)
            run = self._phase(self._logged(planned_phase, logs))
            runs.append(run)
            if writes_data(phase) and not run.is_whole and workload.verify:
                unverified = "the files are incomplete, so later reads are not verified"
                self.observer.say(f"{planned_phase.title}: {unverified}")
                planned_phase = replace(
                    planned_phase, context=replace(planned_phase.context, verify=False)
                )
        if workload.verify_tree:
            self._compare(replace(planned_phase, phase="verify"), logs, experiment, before)
        return runs

    def _clean(
        self, session: Session, nodes: Sequence[str], directory: str | None, logs: OperationLogs
    ) -> None:
        """Remove the files of a repeat and its logs; a failure is reported and recorded, and ends
        nothing.
        """
        if directory is not None:
            self._remove(session, nodes, directory)
        try:
            logs.forget(session.transport)
        except RunError as error:
            self._left_behind(nodes[0], directory, error)

    def _remove(self, session: Session, nodes: Sequence[str], directory: str) -> None:
        """Remove a directory, by a node of each tree."""
        for node in nodes:
            try:
                remove_directory(session.transport, node, directory)
            except RunError as error:
                self._left_behind(node, directory, error)

    def _left_behind(self, node: str, directory: str | None, error: RunError) -> None:
        self.writer.line("left-behind", node=node, path=directory, reason=str(error))
        self.observer.say(f"not removed: {directory} on {node}: {error}")

    def _logged(self, planned_phase: PlannedPhase, logs: OperationLogs) -> PlannedPhase:
        """The phase with an operation log, where the tree is compared with it."""
        if not planned_phase.point.workload.verify_tree:
            return planned_phase
        path = logs.begin(
            planned_phase.session.transport, planned_phase.context.generation, planned_phase.phase
        )
        return replace(planned_phase, context=replace(planned_phase.context, log=path))

    def _compare(
        self,
        planned_phase: PlannedPhase,
        logs: OperationLogs,
        experiment: Experiment,
        before: Mapping[str, ClockOffset],
    ) -> None:
        """Compare the tree with the logs of all clients; the content must come from the storage
        itself.
        """
        if experiment.empty_caches:
            planned_phase.session.deploy(
                planned_phase.session.solution.empty_caches(planned_phase.nodes)
            )
        after = measure_clocks(
            planned_phase.session.transport, planned_phase.nodes, self.run_context.agent
        )
        comparison = logs.compare(
            planned_phase.session.transport,
            self.run_context.agent,
            planned_phase.context.directory,
            before,
            after,
            clients=planned_phase.nodes,
        )
        where = {
            "experiment": planned_phase.experiment,
            "point": planned_phase.point.values,
            "repeat": planned_phase.repeat,
        }
        self.writer.line("comparison", **where, **comparison)
        self.observer.say(
            f"{planned_phase.title}: {counted(comparison['blocks'], 'block')} and"
            f" {counted(comparison['names_checked'], 'directory entry', 'directory entries')}"
            f" compared with the logs, {comparison['lost']} lost, {comparison['wrong']} wrong,"
            f" {len(comparison['names'])} directory entries wrong"
        )

    def _prepare(self, planned_phase: PlannedPhase) -> None:
        """Write the files that the phases need, unmeasured; raises RunError when a client could
        not.
        """
        clocks = measure_clocks(
            planned_phase.session.transport, planned_phase.nodes, self.run_context.agent
        )
        writing = prepared_by(planned_phase.groups, planned_phase.context)
        live_load = planned_phase.live_load(tuple(writing))
        meter = LiveMeter(live_load)
        with written_each_second(self.writer.live, live_load, meter):
            prepared = run_phase(
                planned_phase.session.transport,
                self.run_context.agent,
                writing,
                clocks,
                Watch(line=meter.hear, lost=meter.lose),
                grace_s=grace_s(planned_phase.session.solution),
            )
        clients = map(client_result, prepared.agents)
        lost = lost_text((item.client, item.lost) for item in clients if item.lost)
        if lost:
            raise RunError(f"{planned_phase.title}: {lost}")
        planned_phase.session.deploy(
            planned_phase.session.solution.empty_caches(planned_phase.nodes)
        )

    def _phase(self, planned_phase: PlannedPhase) -> _CompletedPhase:
        """Run and record one phase."""
        meter = PhaseMeter(planned_phase, self.observer)
        load = planned_phase.point.workload
        everyones = jobs_of(planned_phase.groups, planned_phase.phase, planned_phase.context)
        live_load = planned_phase.live_load(
            tuple(everyones),
            total_bytes=planned_phase.total_bytes,
            total_operations=planned_phase.total_operations,
        )
        live_meter = LiveMeter(live_load)
        watch = Watch(
            started=meter.start,
            ended=meter.end,
            progress=meter.progress,
            stalled=lambda text: self.observer.say(f"{planned_phase.title}: {text}"),
            clock_set=self.run_context.wall_clocks.add_step,
            line=live_meter.hear,
            lost=live_meter.lose,
        )
        transport = planned_phase.session.transport
        solution = planned_phase.session.solution
        counters_before = client_counters.readings(transport, solution, planned_phase.nodes)
        with (
            loaded(transport, solution.servers, self.run_context.agent, load.server_load),
            slowed(planned_phase.session.lab, planned_phase.session.study),
            written_each_second(self.writer.live, live_load, live_meter),
            doing(phase_text(planned_phase.phase, planned_phase.point.values)),
            lines_kept(self.writer, planned_phase.file_title, len(everyones), watch) as keeping,
        ):
            phase_run = run_phase(
                transport,
                self.run_context.agent,
                everyones,
                self.clocks,
                keeping,
                grace_s=grace_s(solution),
            )
        processors = (
            meter.processors if planned_phase.session.site.traits.shares_processors else None
        )
        agents = phase_run.agents
        clock_error_s = self._clock_error_s(planned_phase, agents)
        result = result_of(
            planned_phase, phase_run.started_unix_s, agents, processors, clock_error_s
        )
        emptied = planned_phase.empty_caches and not load.local
        emptied = emptied and not isinstance(solution, KeepsCaches)
        result = with_servers(result, self.watched, arrays_of(solution), emptied=emptied)
        self.writer.phase(result)
        self._keep_counters(planned_phase, counters_before)
        self.observer.say(summary(planned_phase.title, result))
        self.spent(
            expected_s(planned_phase.session.solution, planned_phase.point, planned_phase.phase)
        )
        is_whole = all((agent.done or {}).get("complete") for agent in agents)
        return _CompletedPhase(result, is_whole)

    def _keep_counters(self, planned_phase: PlannedPhase, before: client_counters.Readings) -> None:
        """Record the counters of the clients' mounts during a phase, where they have any."""
        session = planned_phase.session
        after = client_counters.readings(session.transport, session.solution, planned_phase.nodes)
        clients = client_counters.between(before, after)
        if clients:
            where = {"experiment": planned_phase.experiment, "point": planned_phase.point.values}
            about = {**where, "repeat": planned_phase.repeat, "phase": planned_phase.phase}
            self.writer.line(client_counters.LINE, **about, clients=clients)

    def _clock_error_s(self, planned_phase: PlannedPhase, agents: list[AgentLines]) -> float:
        """The error bound of times in s: the worst round trip, and the drift of the clocks
        meanwhile.

        The measurement after one phase is the one before the next.
        """
        before = self.clocks
        alive = [item.client for item in agents if not item.lost]
        self.clocks = measure_clocks(planned_phase.session.transport, alive, self.run_context.agent)
        self.run_context.wall_clocks.check_own()
        return error_s(before, self.clocks)


def _raw_directory(session: Session) -> str | None:
    """The directory of the volumes, where tasks access them directly; otherwise None."""
    solution = session.solution
    return solution.raw_directory() if isinstance(solution, RawVolumes) else None
