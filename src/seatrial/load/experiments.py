"""Runs experiments in a session: every repeat of every point, its phases, and the lines of the
result.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import monotonic as monotonic_s

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.basics.units import counted
from seatrial.cases import Case, ExperimentCases, groups_of
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
from seatrial.load.phases import (
    Phase,
    PhaseMeter,
    expected_s,
    nodes_of,
    result_of,
    summary,
)
from seatrial.load.resume import Before, matching_line
from seatrial.load.rounds import enough, shuffled, with_the_same_settings
from seatrial.load.run_context import RunContext
from seatrial.load.saturation_search import search
from seatrial.load.server_load import loaded, slowed
from seatrial.load.stalls import lost_text
from seatrial.load.telemetry import Watched
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Writer
from seatrial.service.deployed import Deployed
from seatrial.service.session import Observer, Session
from seatrial.service.workplace import make_directory, remove_directory, require_room
from seatrial.solutions.base import RawVolumes, arrays_of, grace_s
from seatrial.solutions.shared_storage import KeepsCaches, work_folder
from seatrial.study.experiment import VARIANT, Experiment, VariantChanges
from seatrial.study.points import Point, phase_text
from seatrial.study.workload import writes_data

AGENT_LOG = "operations.log"
"""in the folder of the load"""


@dataclass(frozen=True)
class _PhaseRun:
    """A phase that ran."""

    result: PhaseResult
    is_whole: bool
    """every client completed it"""


@dataclass
class Experiments:
    """Runs experiments one after the other; a failure is recorded, and the next one begins."""

    run_context: RunContext
    state: Deployed
    before: Before
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

    def run(self, planned: ExperimentCases) -> bool:
        """Run one experiment; False when it could not be completed (which is recorded)."""
        name = planned.name
        experiment = planned.experiment
        seed = f"{self.run_context.run_id} {name}"
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
                    self._group(name, experiment, group, seed)
        except RunError as error:
            self.state.invalidate()
            self.writer.line("experiment-failed", name=name, reason=str(error))
            self.observer.say(f"{name} could not be completed: {error}")
            return False
        return True

    def _group(self, name: str, experiment: Experiment, cases: Sequence[Case], seed: str) -> None:
        """All repeats of cases that need the same settings."""
        group = [case.point for case in cases]
        numbers = range(1, experiment.repeats + 1)
        todo = {
            number: [point for point in group if not self.before.has(name, point, number)]
            for number in numbers
        }
        for point in group:
            if not any(point in remaining for remaining in todo.values()):
                self.observer.say(f"{phase_text(name, point.values)}: measured before")
        if not any(todo.values()):
            return
        varied = self._reached(cases[0])
        if varied is None:
            return
        if experiment.saturation_search is not None:
            for point in group:
                self._search(varied, name, experiment, point)
            return
        results: dict[str, list[PhaseResult]] = {point.name: [] for point in group}
        for number, remaining in todo.items():
            for point in shuffled(remaining, seed, number):
                results[point.name] += self._repeat(varied, name, experiment, point, number)
        if experiment.repeats_until is not None:
            self._more(varied, name, experiment, [(point, results[point.name]) for point in group])

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

    def _search(self, varied: Session, name: str, experiment: Experiment, point: Point) -> None:
        assert experiment.saturation_search is not None
        outcome = search(
            experiment.saturation_search,
            point,
            lambda tried, number: self._repeat(varied, name, experiment, tried, number)[-1],
        )
        self.writer.line(
            "saturation-search", experiment=name, point=point.values, **asdict(outcome)
        )
        self.observer.say(f"{phase_text(name, point.values)}: {outcome.text}")

    def _more(
        self,
        varied: Session,
        name: str,
        experiment: Experiment,
        group: Sequence[tuple[Point, list[PhaseResult]]],
    ) -> None:
        """More repeats, in rounds over all points without sufficient precision."""
        assert experiment.repeats_until is not None
        began_s = monotonic_s()
        waiting = [item for item in group if item[1]]
        while waiting:
            unfinished = []
            for point, results in waiting:
                next_s = sum(
                    expected_s(varied.solution, point, phase) for phase in point.workload.phases
                )
                spent_s = monotonic_s() - began_s
                why = enough(experiment.repeats_until, experiment.repeats, results, spent_s, next_s)
                if why is None:
                    results.extend(
                        self._repeat(
                            varied,
                            name,
                            experiment,
                            point,
                            max(result.repeat for result in results) + 1,
                        )
                    )
                    unfinished.append((point, results))
                else:
                    self.writer.line("repeats", experiment=name, point=point.values, **asdict(why))
            waiting = unfinished

    def _skipped(self, name: str, row: str, reason: str) -> None:
        self.writer.line("variant-skipped", experiment=name, variant=row, reason=reason)
        self.observer.say(f"{name} {row}: skipped: {reason}")

    def _repeat(
        self, varied: Session, name: str, experiment: Experiment, point: Point, repeat: int
    ) -> list[PhaseResult]:
        nodes = nodes_of(varied, point)
        if experiment.continues is not None:
            return self._continue(varied, name, experiment, point, repeat)
        base = (
            varied.solution.local_directory if point.workload.local else varied.solution.directory
        )
        generation = self.run_context.next_generation(passes_of(point.workload))
        run_id = self.run_context.run_id
        raw = varied.solution.raw_directory() if isinstance(varied.solution, RawVolumes) else None
        directory = raw or f"{work_folder(varied.solution, base)}/{name}-{run_id[:8]}-{generation}"
        groups = groups_of(varied.solution, point, nodes)
        firsts = [group[0] for _, group in groups]
        for load, group in groups if raw is None else ():
            require_room(
                self.run_context.session.transport,
                group[0],
                base,
                load.stored_bytes(len(group)),
                phase_text(name, point.values),
            )
        for first in firsts if raw is None else ():
            make_directory(self.run_context.session.transport, first, base, directory)
        load_folder = folder_of(self.run_context.agent)
        logs = OperationLogs(run_id, nodes, load_folder)
        agent_log = f"{load_folder}/{AGENT_LOG}"
        context = JobContext(run_id, directory, generation, agent_log, local_directory=load_folder)
        keeps = name in self.continued
        if keeps:
            self.kept_files[name] = ContinuedFiles(
                varied, tuple(firsts), directory, generation, is_whole=False
            )
        try:
            prepare = Phase(
                varied, name, point, repeat, "prepare", context, bool(experiment.empty_caches)
            )
            runs = self._phases(prepare, logs, experiment)
        finally:
            self._clean(varied, firsts, None if raw or keeps else directory, logs)
        if keeps:
            is_whole = all(run.is_whole for run in runs)
            self.kept_files[name] = replace(self.kept_files[name], is_whole=is_whole)
        return [run.result for run in runs]

    def _continue(
        self, varied: Session, name: str, experiment: Experiment, point: Point, repeat: int
    ) -> list[PhaseResult]:
        """The phases of an experiment that uses the files of an earlier one."""
        files = self.kept_files.get(experiment.continues or "")
        if files is None:
            raise RunError(
                f"{name} uses the files of {experiment.continues}, which this run did not write",
                f"run {experiment.continues} in the same run; a resumed run cannot continue its"
                " files",
            )
        load_folder = folder_of(self.run_context.agent)
        context = JobContext(
            self.run_context.run_id,
            files.directory,
            files.generation,
            f"{load_folder}/{AGENT_LOG}",
            verify=files.is_whole,
            local_directory=load_folder,
        )
        if not files.is_whole and point.workload.verify:
            self.observer.say(
                f"{name}: the files of {experiment.continues} are incomplete, and are not verified"
            )
        logs = OperationLogs(self.run_context.run_id, nodes_of(varied, point), load_folder)
        work = Phase(varied, name, point, repeat, "prepare", context, bool(experiment.empty_caches))
        try:
            runs = self._phases(work, logs, experiment)
        finally:
            self._clean(varied, files.nodes, None, logs)
        return [run.result for run in runs]

    def remove_kept(self) -> None:
        """Remove the files that experiments kept for others, after the last experiment."""
        for files in self.kept_files.values():
            if not isinstance(files.session.solution, RawVolumes):
                self._remove(files.session, files.nodes, files.directory)
        self.kept_files.clear()

    def _phases(self, work: Phase, logs: OperationLogs, experiment: Experiment) -> list[_PhaseRun]:
        """All phases of a repeat; each write of the files begins a generation."""
        workload = work.point.workload
        nodes = work.nodes
        written = workload.prepare
        before = dict[str, ClockOffset]()
        runs = []
        if workload.prepare:
            self._prepare(self._logged(work, logs))
        for phase in workload.phases:
            if writes_data(phase) and written:
                generation = self.run_context.next_generation(passes_of(workload))
                context = replace(
                    work.context, generation=generation, before=work.context.generation
                )
                work = replace(work, context=context)
            written = written or writes_data(phase)
            if experiment.empties_caches_before(phase):
                work.session.deploy(work.session.solution.empty_caches(nodes))
            if set(self.clocks) != set(nodes):
                self.clocks = measure_clocks(work.session.transport, nodes, self.run_context.agent)
            before = before or self.clocks
            work = replace(work, phase=phase)
            run = self._phase(self._logged(work, logs))
            runs.append(run)
            if writes_data(phase) and not run.is_whole and workload.verify:
                unverified = "the files are incomplete, so later reads are not verified"
                self.observer.say(f"{work.title}: {unverified}")
                work = replace(work, context=replace(work.context, verify=False))
        if workload.verify_tree:
            self._compare(replace(work, phase="verify"), logs, experiment, before)
        return runs

    def _clean(
        self, varied: Session, nodes: Sequence[str], directory: str | None, logs: OperationLogs
    ) -> None:
        """Remove the files of a repeat and its logs; a failure is reported and recorded, and ends
        nothing.
        """
        if directory is not None:
            self._remove(varied, nodes, directory)
        try:
            logs.forget(varied.transport)
        except RunError as error:
            self._left_behind(nodes[0], directory, error)

    def _remove(self, varied: Session, nodes: Sequence[str], directory: str) -> None:
        """Remove a directory, by a node of each tree."""
        for node in nodes:
            try:
                remove_directory(varied.transport, node, directory)
            except RunError as error:
                self._left_behind(node, directory, error)

    def _left_behind(self, node: str, directory: str | None, error: RunError) -> None:
        self.writer.line("left-behind", node=node, path=directory, reason=str(error))
        self.observer.say(f"not removed: {directory} on {node}: {error}")

    def _logged(self, work: Phase, logs: OperationLogs) -> Phase:
        """The phase with an operation log, where the tree is compared with it."""
        if not work.point.workload.verify_tree:
            return work
        path = logs.begin(work.session.transport, work.context.generation, work.phase)
        return replace(work, context=replace(work.context, log=path))

    def _compare(
        self,
        work: Phase,
        logs: OperationLogs,
        experiment: Experiment,
        before: Mapping[str, ClockOffset],
    ) -> None:
        """Compare the tree with the logs of all clients; the content must come from the storage
        itself.
        """
        if experiment.empty_caches:
            work.session.deploy(work.session.solution.empty_caches(work.nodes))
        after = measure_clocks(work.session.transport, work.nodes, self.run_context.agent)
        comparison = logs.compare(
            work.session.transport,
            self.run_context.agent,
            work.context.directory,
            before,
            after,
            clients=work.nodes,
        )
        where = {"experiment": work.experiment, "point": work.point.values, "repeat": work.repeat}
        self.writer.line("comparison", **where, **comparison)
        self.observer.say(
            f"{work.title}: {counted(comparison['blocks'], 'block')} and"
            f" {counted(comparison['names_checked'], 'directory entry', 'directory entries')}"
            f" compared with the logs, {comparison['lost']} lost, {comparison['wrong']} wrong,"
            f" {len(comparison['names'])} directory entries wrong"
        )

    def _prepare(self, work: Phase) -> None:
        """Write the files that the phases need, unmeasured; raises RunError when a client could
        not.
        """
        clocks = measure_clocks(work.session.transport, work.nodes, self.run_context.agent)
        writing = prepared_by(work.groups, work.context)
        live_load = work.live_load(tuple(writing))
        meter = LiveMeter(live_load)
        with written_each_second(self.writer.live, live_load, meter):
            _, agents = run_phase(
                work.session.transport,
                self.run_context.agent,
                writing,
                clocks,
                Watch(line=meter.hear, lost=meter.lose),
                grace_s=grace_s(work.session.solution),
            )
        clients = map(client_result, agents)
        lost = lost_text((item.client, item.lost) for item in clients if item.lost)
        if lost:
            raise RunError(f"{work.title}: {lost}")
        work.session.deploy(work.session.solution.empty_caches(work.nodes))

    def _phase(self, work: Phase) -> _PhaseRun:
        """Run and record one phase."""
        meter = PhaseMeter(work, self.observer)
        load = work.point.workload
        everyones = jobs_of(work.groups, work.phase, work.context)
        live_load = work.live_load(
            tuple(everyones), total_bytes=work.total_bytes, total_operations=work.total_operations
        )
        live_meter = LiveMeter(live_load)
        watch = Watch(
            started=meter.start,
            ended=meter.end,
            progress=meter.progress,
            stalled=lambda text: self.observer.say(f"{work.title}: {text}"),
            clock_set=self.run_context.wall_clocks.add_step,
            line=live_meter.hear,
            lost=live_meter.lose,
        )
        transport = work.session.transport
        solution = work.session.solution
        counters_before = client_counters.readings(transport, solution, work.nodes)
        with (
            loaded(transport, solution.servers, self.run_context.agent, load.server_load),
            slowed(work.session.lab, work.session.study),
            written_each_second(self.writer.live, live_load, live_meter),
            doing(phase_text(work.phase, work.point.values)),
            lines_kept(self.writer, work.file_title, len(everyones), watch) as keeping,
        ):
            started_s, agents = run_phase(
                transport,
                self.run_context.agent,
                everyones,
                self.clocks,
                keeping,
                grace_s=grace_s(solution),
            )
        processors = meter.processors if work.session.site.traits.shares_processors else None
        result = result_of(work, started_s, agents, processors, self._clock_error_s(work, agents))
        emptied = work.empty_caches and not load.local
        emptied = emptied and not isinstance(solution, KeepsCaches)
        result = with_servers(result, self.watched, arrays_of(solution), emptied=emptied)
        self.writer.phase(result)
        self._keep_counters(work, counters_before)
        self.observer.say(summary(work.title, result))
        self.spent(expected_s(work.session.solution, work.point, work.phase))
        is_whole = all((agent.done or {}).get("complete") for agent in agents)
        return _PhaseRun(result, is_whole)

    def _keep_counters(self, work: Phase, before: client_counters.Readings) -> None:
        """Record the counters of the clients' mounts during a phase, where they have any."""
        session = work.session
        after = client_counters.readings(session.transport, session.solution, work.nodes)
        clients = client_counters.between(before, after)
        if clients:
            where = {"experiment": work.experiment, "point": work.point.values}
            about = {**where, "repeat": work.repeat, "phase": work.phase}
            self.writer.line(client_counters.LINE, **about, clients=clients)

    def _clock_error_s(self, work: Phase, agents: list[AgentLines]) -> float:
        """The error bound of times in s: the worst round trip, and the drift of the clocks
        meanwhile.

        The measurement after one phase is the one before the next.
        """
        before = self.clocks
        alive = [item.client for item in agents if not item.lost]
        self.clocks = measure_clocks(work.session.transport, alive, self.run_context.agent)
        self.run_context.wall_clocks.check_own()
        return error_s(before, self.clocks)
