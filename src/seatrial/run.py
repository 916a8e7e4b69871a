"""The only orchestrator: lab, deploy, load, record. What it saw is judged and drawn elsewhere, from the record.

Every way out (an error, Ctrl-C, a signal) passes through the same clean-up: agents stopped, files removed where
the storage outlives the run, the lab taken down. An experiment that fails is marked and the next one begins.
"""

import contextlib
import secrets
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import seatrial
from seatrial.basics.errors import Defect, RunError, SeatrialError
from seatrial.basics.units import format_rate
from seatrial.check import chosen, prepare
from seatrial.faults.trial import Grounds, expected_fault_s, run_fault, settle_disks
from seatrial.load.agent import Watch, push, run_phase
from seatrial.load.baseline_run import measure
from seatrial.load.cached import with_servers
from seatrial.load.clock_offsets import ClockOffset, WallClocks, error_s, measure_clocks
from seatrial.load.folder import FOLDER
from seatrial.load.gather import client_result
from seatrial.load.heard import Heard
from seatrial.load.jobs import JobContext, block_bytes, jobs, preparation
from seatrial.load.load_line import search
from seatrial.load.operation_logs import OperationLogs
from seatrial.load.phases import Phase, RateMeter, expected_experiment_s, expected_s, nodes_of, result_of, summary
from seatrial.load.processors import BusyMeter, environment
from seatrial.load.resume import Before, said_of
from seatrial.load.server_load import loaded, slowed
from seatrial.load.telemetry import Watched, watching
from seatrial.plan.plan import Plan
from seatrial.record.baselines import outliers, unmeasured
from seatrial.record.phases import PhaseResult
from seatrial.record.record import LINES, SCHEMA, Writer, safe_name
from seatrial.service.fingerprint import looked_at
from seatrial.service.in_service import InService, check_remaking
from seatrial.service.session import Observer, Session, files_of, session, system_facts
from seatrial.service.variants import vary
from seatrial.service.workplace import make_directory, remove_directory
from seatrial.solutions.base import Clustered, KeepsCaches, RawVolumes, Wipe, grace_s, services_of
from seatrial.solutions.look import deployment
from seatrial.study.experiment import ROW, Experiment, Row
from seatrial.study.faults import Fault, Stream
from seatrial.study.forms import Form
from seatrial.study.points import Point, points
from seatrial.study.study import Study
from seatrial.study.workload import reads_data, writes_data

AGENT_LOG = f"{FOLDER}/operations.log"


def run_study(
    study: Study,
    form: Form,
    *,
    only: Sequence[str],
    folder: Path,
    wipe: Wipe,
    observer: Observer,
    published: str | None,
    before: Before | None = None,
) -> None:
    """Deploy, load and record; what goes wrong in an experiment is recorded, all else is raised as RunError.

    With `before`, the record of a run that was interrupted is gone on with, in the same folder.
    """
    site, solution = prepare(study)
    experiments, faults = chosen(study, form, only)
    clients = len(solution.clients)
    wanted = [(name, point) for name, item in experiments.items() for point in points(item, clients)]
    check_remaking(study, site, wanted, wipe)
    writer = Writer(folder, append=before is not None)
    try:
        if before is None:
            _open_record(writer, study, form, published, only)
            for path, text in files_of(study, site).items():
                writer.keep(path, text)
        else:
            writer.line("resumed", seatrial=seatrial.__version__, **environment())
        name, console = f"{study.id}-{secrets.token_hex(3)}", folder / "console"
        with session(study, site, solution, name=name, console=console, detached=False, observer=observer) as current:
            runner = _Runner(current, writer, observer, (experiments, faults, study.fault_load_in(form)), wipe)
            runner.before = before or Before()
            runner.run(wipe, baselines=None if only or runner.before.baselines else form)
    except SeatrialError as error:
        _end(writer, error)
        raise
    except Exception as error:
        _end(writer, error, traceback=traceback.format_exc())
        raise Defect(
            f"{type(error).__name__}: {error}",
            f"this is a defect of Seatrial; its traceback is in the last line of {folder / LINES}, please report it",
        ) from error
    finally:
        with contextlib.suppress(RunError):
            writer.close()


def _end(writer: Writer, error: Exception, **more: Any) -> None:
    """The last line of a run that did not come to its end; a disk that is full has no room for it."""
    with contextlib.suppress(RunError):
        writer.line("end", complete=False, reason=f"{type(error).__name__}: {error}", **more)


def _open_record(writer: Writer, study: Study, form: Form, published: str | None, only: Sequence[str]) -> None:
    chosen = {"only": only} if only else {}
    writer.line(
        "run", schema=SCHEMA, study=study.id, title=study.title, form=form, seatrial=seatrial.__version__, **chosen
    )
    writer.keep("study.yaml", study.source.text)
    if published is not None:
        writer.keep("published.yaml", published)
    writer.line("environment", **environment())


class _Runner:
    """One run on one session."""

    def __init__(
        self,
        current: Session,
        writer: Writer,
        observer: Observer,
        chosen: tuple[Mapping[str, Experiment], Mapping[str, Fault], Mapping[str, Stream]],
        wipe: Wipe,
    ) -> None:
        self.current = current
        self.writer = writer
        self.observer = observer
        self.experiments, self.faults, self.load = chosen
        self.agent = ""
        self.clocks: dict[str, ClockOffset] = {}
        self.run_id = secrets.token_hex(8)
        self.generation = 0
        self.before = Before()
        self.wall_clocks = WallClocks(observer.say, writer.line)
        self.watched = Watched()
        self.state = InService(current, observer, wipe)
        self.remaining_s = sum(expected_experiment_s(current.solution, it) for it in self.experiments.values())
        self.remaining_s += sum(self._fault_s(name, item) for name, item in self.faults.items())

    def run(self, wipe: Wipe, *, baselines: Form | None) -> None:
        """Everything, in order."""
        current = self.current
        self._describe()
        self._deploy(deployment(current.solution, current.site, wipe), "first deploy")
        with looked_at(current) as look:
            self._deploy(deployment(current.solution, current.site, {}), "second deploy")
        self.writer.line("fingerprint", **asdict(look))
        servers = self._servers()
        self.agent = push(current.transport, tuple(dict.fromkeys((*current.solution.clients, *servers))))
        self.writer.line("nodes", facts=system_facts(current))
        if baselines is not None and current.study.baselines:
            self._baselines(baselines)
        clocks = measure_clocks(current.transport, servers, self.agent)
        try:
            with watching(current.transport, servers, self.agent, clocks, self.wall_clocks.hear) as self.watched:
                failed = [
                    name for name, experiment in self.experiments.items() if not self._experiment(name, experiment)
                ]
            failed += self._break()
        finally:
            if current.outlives_run:
                self.state.change({}, "back to the study's own values")
        self.writer.line("end", complete=not failed, reason=f"failed: {', '.join(failed)}" if failed else None)

    def _servers(self) -> tuple[str, ...]:
        """Those of the study, and those of what experiments change."""
        current = self.current
        found = list(current.solution.servers)
        for point in [point for experiment in self.experiments.values() for point in self._points(experiment)]:
            if point.solution:
                found += vary(current.study, {**point.solution, **point.site}).solution.servers
        return tuple(dict.fromkeys(found))

    def _describe(self) -> None:
        site, solution = self.current.site, self.current.solution
        plan = deployment(solution, site, {})
        self.writer.line(
            "system",
            site=site.told(),
            servers=solution.servers,
            clients=solution.clients,
            storage=solution.storage_nodes,
            serving=len(services_of(solution)) if isinstance(solution, Clustered) else len(solution.servers),
            parts=solution.parts(),
            keeps_caches=isinstance(solution, KeepsCaches),
            warnings=self._warnings(plan),
            lab=self.current.lab.facts(),
            reasons=plan.reasons(),
        )
        for number, stage, node, script in plan.scripts():
            self.writer.keep(f"scripts/{number:02d}-{safe_name(stage.title)}-{node}.sh", plan.masked(script))

    def _warnings(self, plan: Plan) -> list[str]:
        """Those of the study's own values, and those of what experiments change."""
        warnings = list(plan.warnings)
        for name, experiment in self.experiments.items():
            for point in self._points(experiment):
                if point.solution:
                    varied = vary(self.current.study, {**point.solution, **point.site}).solution.plan({}).warnings
                    warnings += [f"{name}: {text}" for text in varied if text not in plan.warnings]
        return list(dict.fromkeys(warnings))

    def _deploy(self, plan: Plan, title: str) -> None:
        outcome = self.current.deploy(plan, self.observer)
        self.observer.say(f"{title}: {outcome.summary()}")
        results = [asdict(item) for item in outcome.results]
        self.writer.line("deploy", title=title, summary=outcome.summary(), results=results)

    def _baselines(self, form: Form) -> None:
        self.observer.say("baselines, each alone")
        found = measure(self.current, form)
        self.writer.line("baselines", found=[asdict(item) for item in found])
        for item, reason in [*outliers(found), *unmeasured(found)]:
            self.observer.say(f"baselines: {item.name}: {reason}")

    # ---- faults

    def _break(self) -> list[str]:
        """Inject every fault into the study's own solution: those that could not be carried through."""
        if not self.faults:
            return []
        current = self.state.change({}, "the study's own values, for the faults")
        settle_disks(current)
        grounds = Grounds(
            current, self.agent, self.run_id, self._next_generation, self.writer, self.observer, self.wall_clocks
        )
        failed = []
        for name, fault in self.faults.items():
            if self.before.has_fault(name):
                self.observer.say(f"{name}: injected before")
                continue
            if not run_fault(grounds, self.load, name, fault):
                failed.append(name)
            self.state.doubt()
            self.remaining_s -= self._fault_s(name, fault)
            self.observer.expect(max(self.remaining_s, 0.0))
        return failed

    # ---- experiments

    def _points(self, experiment: Experiment) -> list[Point]:
        return points(experiment, len(self.current.solution.clients))

    def _fault_s(self, name: str, fault: Fault) -> float:
        return expected_fault_s(self.current.study, self.current.site, self.current.solution, name, fault)

    def _experiment(self, name: str, experiment: Experiment) -> bool:
        """Run one; False when it could not be completed (which is recorded)."""
        self.writer.line(
            "experiment", name=name, title=experiment.title, repeats=experiment.repeats, vary=experiment.vary
        )
        for row, item in experiment.rows.items():
            if item.skip is not None:
                self._skipped(name, row, item.skip)
        try:
            for point in self._points(experiment):
                self._point(name, experiment, point)
        except RunError as error:
            self.state.doubt()
            self.writer.line("experiment-failed", name=name, reason=str(error))
            self.observer.say(f"{name} could not be completed: {error}")
            return False
        return True

    def _point(self, name: str, experiment: Experiment, point: Point) -> None:
        repeats = [number for number in range(1, experiment.repeats + 1) if not self.before.has(name, point, number)]
        if not repeats:
            self.observer.say(f"{name} {point.name}: measured before")
            return
        row = experiment.rows.get(point.values.get(ROW, ""), Row())
        try:
            varied = self.state.reach(point, f"{name} {point.name}")
        except RunError as error:
            if row.unsupported is None or row.unsupported not in str(error):
                raise
            self.state.doubt()
            self._skipped(name, point.values[ROW], said_of(str(error), row.unsupported))
            return
        if experiment.load_line is not None:
            found = search(
                experiment.load_line, point, lambda it, number: self._repeat(varied, name, experiment, it, number)[-1]
            )
            self.writer.line("load-line", experiment=name, point=point.values, **asdict(found))
            self.observer.say(f"{name} {point.name}: {found.words}")
            return
        for repeat in repeats:
            self._repeat(varied, name, experiment, point, repeat)

    def _skipped(self, name: str, row: str, reason: str) -> None:
        self.writer.line("row-skipped", experiment=name, row=row, reason=reason)
        self.observer.say(f"{name} {row}: skipped: {reason}")

    def _repeat(
        self, varied: Session, name: str, experiment: Experiment, point: Point, repeat: int
    ) -> list[PhaseResult]:
        nodes = nodes_of(varied, point)
        base = varied.solution.local_directory if point.workload.local else varied.solution.directory
        generation = self._next_generation()
        raw = varied.solution.raw_directory() if isinstance(varied.solution, RawVolumes) else None
        directory = raw or f"{base}/seatrial/{name}-{self.run_id[:8]}-{generation}"
        if raw is None:
            make_directory(self.current.transport, nodes[0], base, directory)
        logs = OperationLogs(self.run_id, nodes)
        context = JobContext(self.run_id, directory, generation, AGENT_LOG)
        try:
            return self._phases(Phase(varied, name, point, repeat, "prepare", context), logs, experiment)
        finally:
            self._clean(varied, nodes[0], None if raw else directory, logs)

    def _phases(self, work: Phase, logs: OperationLogs, experiment: Experiment) -> list[PhaseResult]:
        """Everything that a repeat consists of; each time that files are written begins a generation."""
        workload, nodes = work.point.workload, work.nodes
        written, before = workload.prepare, dict[str, ClockOffset]()
        results = []
        if workload.prepare:
            self._prepare(self._logged(work, logs))
        for phase in workload.phases:
            if writes_data(phase) and written:
                work = replace(work, context=replace(work.context, generation=self._next_generation()))
            written = written or writes_data(phase)
            if reads_data(phase) and experiment.empty_caches:
                work.session.deploy(work.session.solution.empty_caches(nodes))
            if set(self.clocks) != set(nodes):
                self.clocks = measure_clocks(work.session.transport, nodes, self.agent)
            before = before or self.clocks
            work = replace(work, phase=phase)
            result, whole = self._phase(self._logged(work, logs))
            results.append(result)
            if writes_data(phase) and not whole and workload.verify:
                self.observer.say(f"{work.title}: not all was written, so what is read afterwards is not verified")
                work = replace(work, context=replace(work.context, verify=False))
        if workload.verify_tree:
            self._compare(replace(work, phase="verify"), logs, experiment, before)
        return results

    def _clean(self, varied: Session, node: str, directory: str | None, logs: OperationLogs) -> None:
        """Remove what a repeat has made; what cannot be removed is told and recorded, and ends nothing."""
        try:
            if directory is not None:
                remove_directory(varied.transport, node, directory)
            logs.forget(varied.transport)
        except RunError as error:
            self.writer.line("left-behind", node=node, path=directory, reason=str(error))
            self.observer.say(f"left behind: {directory} on {node}: {error}")

    def _logged(self, work: Phase, logs: OperationLogs) -> Phase:
        """The phase with an operation log of its own, where the tree is to be compared with it."""
        if not work.point.workload.verify_tree:
            return work
        path = logs.begin(work.session.transport, work.context.generation, work.phase)
        return replace(work, context=replace(work.context, log=path))

    def _compare(
        self, work: Phase, logs: OperationLogs, experiment: Experiment, before: Mapping[str, ClockOffset]
    ) -> None:
        """Compare the tree with what all clients have logged; what is there must come from the storage itself."""
        if experiment.empty_caches:
            work.session.deploy(work.session.solution.empty_caches(work.nodes))
        after = measure_clocks(work.session.transport, work.nodes, self.agent)
        found = logs.compare(work.session.transport, self.agent, work.context.directory, before, after)
        where = {"experiment": work.experiment, "point": work.point.values, "repeat": work.repeat}
        self.writer.line("comparison", **where, **found)
        self.observer.say(
            f"{work.title}: {found['blocks']} blocks and {found['names_checked']} names compared with the logs, "
            f"{found['lost']} lost, {found['wrong']} wrong, {len(found['names'])} names wrong"
        )

    def _next_generation(self) -> int:
        self.generation += 1
        return self.generation

    def _prepare(self, work: Phase) -> None:
        """Write the files that the phases need, unmeasured; RunError when a client could not."""
        load = preparation(work.point.workload)
        context = replace(work.context, block_bytes=block_bytes(work.point.workload.record))
        clocks = measure_clocks(work.session.transport, work.nodes, self.agent)
        _, everyone = run_phase(
            work.session.transport,
            self.agent,
            jobs(load, "write", work.nodes, context),
            clocks,
            grace_s=grace_s(work.session.solution),
        )
        lost = [f"{item.client}: {item.lost}" for item in map(client_result, everyone) if item.lost]
        if lost:
            raise RunError(f"{work.title}: {'; '.join(lost)}")
        work.session.deploy(work.session.solution.empty_caches(work.nodes))

    def _phase(self, work: Phase) -> tuple[PhaseResult, bool]:
        """Run and record one phase; its result, and whether every client did all of it."""
        meter, clock, shares = [BusyMeter()], RateMeter(), []
        load = work.point.workload

        def restart() -> None:
            meter[0] = BusyMeter()
            clock.restart()

        def progress(moved_bytes: int, operations: int) -> None:
            wanted = work.total_operations or work.total_bytes
            done = operations if work.total_operations else moved_bytes
            rate = f"{clock.of(done):.0f} operations/s" if work.total_operations else format_rate(clock.of(done))
            share = clock.elapsed_s / (load.time_limit or 1.0) if load.time_based else done / max(wanted, 1)
            self.observer.progress(work.title, share, rate)

        other_work = load.server_load
        watch = Watch(
            started=restart,
            ended=lambda: shares.append(meter[0].share(other_work or 0.0)),
            progress=progress,
            stalled=lambda text: self.observer.say(f"{work.title}: {text}"),
            clock_set=self.wall_clocks.hear,
            keep=lambda client, text: self.writer.keep(f"agent/{safe_name(work.title)}-{client}.jsonl", text),
        )
        transport, solution = work.session.transport, work.session.solution
        with (
            loaded(transport, solution.servers, self.agent, other_work),
            slowed(work.session.lab, work.session.study),
        ):
            everyones = jobs(load, work.phase, work.nodes, work.context)
            started_s, everyone = run_phase(
                transport, self.agent, everyones, self.clocks, watch, grace_s=grace_s(solution)
            )
        share = shares[0] if work.session.lab.kind == "uml" else None
        result = result_of(work, started_s, everyone, share, self._clock_error_s(work, everyone))
        emptied = self.experiments[work.experiment].empty_caches and not load.local
        result = with_servers(result, self.watched, emptied=emptied and not isinstance(solution, KeepsCaches))
        self.writer.phase(result)
        self.observer.say(summary(work.title, result))
        self.remaining_s -= expected_s(work.session.solution, work.point, work.phase)
        self.observer.expect(max(self.remaining_s, 0.0))
        return result, all((heard.done or {}).get("complete") for heard in everyone)

    def _clock_error_s(self, work: Phase, everyone: list[Heard]) -> float:
        """How wrong a time may be: the worst round trip, and how far the clocks drifted meanwhile.

        What is measured after one phase serves as the measurement before the next.
        """
        before = self.clocks
        alive = [item.client for item in everyone if not item.lost]
        self.clocks = measure_clocks(work.session.transport, alive, self.agent)
        self.wall_clocks.look()
        return error_s(before, self.clocks)
