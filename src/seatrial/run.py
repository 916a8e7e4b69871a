"""The orchestrator of a run: it brings the lab up, deploys, loads, injects faults, and records.

A run has these steps:

1. Read what the study needs, write the manifest, start the lab or take the hosts.
2. Deploy twice; the second deployment must change nothing.
3. Measure the component baselines and the clock offsets.
4. Run every experiment point, then inject every fault, while daemons and kernels are watched.
5. Restore the study's own values where the storage outlives the run.

Other modules judge and draw the result. On every exit (an error, Ctrl-C, a signal) the same cleanup
runs: agents stop, files are removed where the storage outlives the run, the lab is removed. An
experiment that fails is marked, and the next one begins.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import seatrial
from seatrial.advice.preflight import tell_named
from seatrial.basics import command_log
from seatrial.basics.errors import RunError
from seatrial.basics.settings import settings
from seatrial.basics.shipped import find_agent
from seatrial.basics.withheld import secret_values, without_secrets
from seatrial.cases import Variant
from seatrial.check import check_overwritten
from seatrial.faults import consent
from seatrial.faults.cluster_status import settle_disks
from seatrial.faults.durations import expected_fault_s
from seatrial.faults.trial import run_fault
from seatrial.judge.damage import faults_with_damage
from seatrial.load import site_servers
from seatrial.load.baseline_run import measure
from seatrial.load.clock_offsets import ClockOffset, WallClocks, measure_clocks
from seatrial.load.cpus import machine
from seatrial.load.experiments import Experiments
from seatrial.load.folder import load_folder
from seatrial.load.installing import push
from seatrial.load.phases import expected_experiment_s
from seatrial.load.repeats import Repeats
from seatrial.load.resume import EarlierMeasurements, measured
from seatrial.load.run_context import RunContext
from seatrial.load.shortage import ProcessorMeter, wait_until_calm
from seatrial.load.telemetry import watching
from seatrial.matrix.manifest import manifest_of
from seatrial.matrix.matrix import RunMatrix
from seatrial.plan.plan import Plan
from seatrial.result.baselines import outliers, unmeasured
from seatrial.result.file_names import safe_name
from seatrial.result.result import FIRST_DEPLOY, SECOND_DEPLOY, read_result
from seatrial.result.writer import Writer
from seatrial.run_record import begin_result, recorded
from seatrial.service.deployed import Deployed, check_remaking
from seatrial.service.fingerprint import inspecting
from seatrial.service.followed import Followed
from seatrial.service.session import Observer, Session, session, system_facts
from seatrial.solutions.base import Clustered, Wipe, arrays_of, services_of
from seatrial.solutions.look import deployment
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.study.profiles import Profile

OWN_VALUES = "the study's own values"


def check_run(matrix: RunMatrix, wipe: Wipe) -> None:
    """Raise InputError where a run cannot begin: without an agent, or where it would erase devices
    that `wipe` does not name.
    """
    find_agent()
    check_remaking(matrix.base, matrix.cases, wipe)
    check_overwritten(matrix.site, matrix.planned_faults, wipe)


def run_study(
    matrix: RunMatrix,
    *,
    folder: Path,
    wipe: Wipe,
    observer: Observer,
    published: str | None,
    before: EarlierMeasurements | None = None,
    values: Mapping[str, Any] | None = None,
    consented: Sequence[str] = (),
) -> None:
    """Run everything in the matrix and write the result to `folder`.

    `values`: those of `--set`, for the first line of the result; the matrix has them.
    A failure in an experiment or fault is recorded; any other failure is recorded and raised.
    With `before`, an interrupted run is resumed in the same folder. `consented`: the faults that
    may run commands of the site; InputError before any node is changed where one is missing.
    """
    check_run(matrix, wipe)
    study = matrix.study
    site = matrix.site
    consent.check_consent(study, matrix.planned_faults, consented)
    command_log.hide(secret_values(study.source.text))
    manifest = None
    if before is None:
        text = without_secrets(study.source.text)
        manifest = manifest_of(matrix, wipe, study_text=text, published_text=published)
    writer = Writer(folder, append=before is not None)
    writer.log_commands(settings().log)
    followed = Followed(observer, writer.live)
    with recorded(writer):
        if manifest is not None:
            begin_result(writer, matrix, manifest, published=published, values=values or {})
        else:
            writer.line("resumed", seatrial=seatrial.__version__, **machine())
        if consented:
            writer.line("consent", faults=list(consented))
        with session(
            study,
            site,
            matrix.solution,
            name=f"{study.id}-{secrets.token_hex(3)}",
            console=folder / "console",
            detached=False,
            observer=followed,
        ) as current:
            runner = _Runner(current, matrix, writer, followed, wipe)
            runner.before = before or EarlierMeasurements()
            runner.consented = consent.expanded(study, consented)
            tell_named(current, wipe, followed.say)
            skips_baselines = matrix.only or runner.before.baselines
            runner.run(wipe, baselines=None if skips_baselines else matrix.profile)


class _Runner:
    """One run of one study in one session."""

    def __init__(
        self,
        current: Session,
        matrix: RunMatrix,
        writer: Writer,
        observer: Observer,
        wipe: Wipe,
    ) -> None:
        self.current = current
        self.matrix = matrix
        self.writer = writer
        self.observer = observer
        self.experiments = {item.name: item for item in matrix.planned_experiments}
        self.faults = {item.name: item for item in matrix.planned_faults}
        self.generation = 0
        self.before = EarlierMeasurements()
        self.consented: frozenset[str] = frozenset()
        self.observed: tuple[str, ...] = ()
        """the servers of the site that answer"""
        self.wall_clocks = WallClocks(observer.say, writer.line)
        self.state = Deployed(current, observer, wipe)
        self.fault_context: RunContext | None = None
        """of the system into which the last fault was injected"""
        self.in_service: Mapping[str, Any] = {}
        self.remaining_s = sum(
            expected_experiment_s(matrix.solution, item) for item in matrix.planned_experiments
        )
        self.remaining_s += sum(expected_fault_s(item.planned) for item in matrix.planned_faults)

    def run(self, wipe: Wipe, *, baselines: Profile | None) -> None:
        """Run all steps in order."""
        current = self.current
        self._describe()
        self._deploy_twice(wipe)
        watched_nodes = self._watched_nodes()
        context = self._run_context(watched_nodes)
        self.writer.line("nodes", facts=system_facts(current))
        if baselines is not None and current.study.baselines:
            self._baselines(baselines)
        self.observer.expect(self.remaining_s)
        clocks = measure_clocks(current.transport, watched_nodes, context.agent)
        try:
            failed = self._run_experiments(context, watched_nodes, clocks)
            failed += self._tried(tuple(self.faults), lambda name: self._break(context, name))
        finally:
            if current.outlives_run:
                self.state.change(self.matrix.base, f"back to {OWN_VALUES}")
        self.writer.line(
            "end", complete=not failed, reason=f"failed: {', '.join(failed)}" if failed else None
        )

    def _deploy_twice(self, wipe: Wipe) -> None:
        """Deploy, and deploy again, which must change nothing; once more where the processors may
        be the reason of a change.
        """
        current = self.current
        self._deploy(deployment(current.solution, current.site, wipe), FIRST_DEPLOY)
        with inspecting(current) as inspection:
            is_limited = self._deploy(deployment(current.solution, current.site, {}), SECOND_DEPLOY)
        self.writer.line("fingerprint", **asdict(inspection))
        if is_limited:
            self.observer.say(
                "second deploy: steps changed something while this machine was short of processors"
            )
            wait_until_calm()
            self._deploy(deployment(current.solution, current.site, {}), SECOND_DEPLOY)

    def _watched_nodes(self) -> tuple[str, ...]:
        """Servers and their arrays, of the study and of the changes by experiments and faults."""
        changed = (variant.solution for _, variant in self._changed())
        nodes: dict[str, None] = {}
        for solution in (self.current.solution, *changed):
            nodes |= dict.fromkeys((*solution.servers, *arrays_of(solution)))
        return tuple(nodes)

    def _run_context(self, watched_nodes: Sequence[str]) -> RunContext:
        """The context of experiments and faults; the agent is then on every node that needs it."""
        current = self.current
        nodes = tuple(dict.fromkeys((*current.solution.clients, *watched_nodes)))
        return RunContext(
            session=current,
            agent=push(current.transport, nodes, load_folder(current)),
            run_id=secrets.token_hex(8),
            next_generation=self._next_generation,
            writer=self.writer,
            observer=self.observer,
            wall_clocks=self.wall_clocks,
            consented=self.consented,
        )

    def _run_experiments(
        self,
        context: RunContext,
        watched_nodes: Sequence[str],
        clocks: Mapping[str, ClockOffset],
    ) -> list[str]:
        """Run all experiments while the nodes are watched; returns the names that failed.

        `clocks`: of the watched nodes.
        """
        transport = self.current.transport
        add_step = context.wall_clocks.add_step
        with (
            watching(transport, watched_nodes, context.agent, clocks, add_step) as watched,
            site_servers.observing(self.current.lab, self.observed, watched),
        ):
            all_experiments = self.matrix.experiments.values()
            continued = frozenset(item.continues for item in all_experiments if item.continues)
            repeats = Repeats(context, watched, self._spent, continued)
            runs = Experiments(self.state, self.before, repeats)
            try:
                return self._tried(
                    tuple(self.experiments), lambda name: self._experiment(runs, name)
                )
            finally:
                repeats.remove_kept()

    def _tried(self, names: Sequence[str], action: Callable[[str], bool]) -> list[str]:
        """Run `action` for every name and return the names that failed.

        An action that failed while the processors were the limit is repeated once, as a resumed run
        does it. A fault that lost data is not repeated, because its line would not count.
        """
        failed: list[str] = []
        again: list[str] = []
        for name in names:
            meter = ProcessorMeter()
            if not action(name):
                (again if self._is_limited(meter) else failed).append(name)
        spoiled = faults_with_damage(read_result(self.writer.folder), again) if again else []
        failed += spoiled
        again = [name for name in again if name not in spoiled]
        if again:
            self._say_short_of_processors(", ".join(again))
            wait_until_calm()
            self.writer.line("resumed", seatrial=seatrial.__version__, again=again, **machine())
            self.before = measured(read_result(self.writer.folder))
            failed += [name for name in again if not action(name)]
        return failed

    def _is_limited(self, meter: ProcessorMeter) -> bool:
        return self.current.site.traits.shares_processors and meter.reading().limited

    def _experiment(self, runs: Experiments, name: str) -> bool:
        runs.before = self.before
        return runs.run(self.experiments[name])

    def _changed(self) -> Iterator[tuple[str, Variant]]:
        """The variants with another solution, with the names of their experiments and faults."""
        for case in self.matrix.cases:
            if case.point.solution:
                yield case.name, case.variant
        for item in self.matrix.planned_faults:
            if item.variant.changes:
                yield item.name, item.variant

    def _describe(self) -> None:
        site = self.current.site
        solution = self.current.solution
        plan = deployment(solution, site, {})
        refusals = site_servers.refusals(self.current.lab, site_servers.named_servers(solution))
        self.observed = tuple(name for name, reason in refusals.items() if reason is None)
        not_available = site_servers.without_figures(self.current.not_available, refusals)
        self.writer.line(
            "system",
            site=site.without_secrets(),
            servers=solution.servers,
            clients=solution.clients,
            storage=solution.storage_nodes,
            serving=len(services_of(solution))
            if isinstance(solution, Clustered)
            else len(solution.servers),
            parts=solution.parts(),
            keeps_caches=isinstance(solution, KeepsCaches),
            warnings=self._warnings(plan),
            environment=self.current.lab.facts(),
            not_available=[asdict(item) for item in not_available],
            reasons=plan.reasons(),
        )
        if not_available:
            missing = ", ".join(item.what for item in not_available)
            self.observer.say(f"not available: {missing}")
        for number, stage, node, script in plan.scripts():
            self.writer.keep(
                f"scripts/{number:02d}-{safe_name(stage.title)}-{node}.sh", plan.masked(script)
            )

    def _warnings(self, plan: Plan) -> list[str]:
        """The warnings about the study's own values and about those of experiments and faults."""
        warnings = list(plan.warnings)
        for name, variant in self._changed():
            varied = variant.solution.plan({}).warnings
            warnings += [f"{name}: {text}" for text in varied if text not in plan.warnings]
        return list(dict.fromkeys(warnings))

    def _deploy(self, plan: Plan, title: str) -> bool:
        """Deploy and record.

        True when steps changed something while the lab machine's processors were the limit. A
        deployment that failed in this state is repeated once.
        """
        meter = ProcessorMeter()
        try:
            outcome = self.current.deploy(plan, self.observer)
        except RunError as error:
            if not self._is_limited(meter):
                raise
            self.observer.say(f"{title}: {error}")
            self._say_short_of_processors(title)
            wait_until_calm()
            outcome = self.current.deploy(plan, self.observer)
        self.observer.say(f"{title}: {outcome.summary()}")
        is_limited = self._is_limited(meter)
        results = [item.to_json() for item in outcome.results]
        self.writer.line(
            "deploy",
            title=title,
            summary=outcome.summary(),
            lab_limited=is_limited,
            results=results,
        )
        return is_limited and any(item.result != "ok" for item in outcome.results)

    def _say_short_of_processors(self, what: str) -> None:
        reason = "this machine was short of processors; once more when it is calm"
        self.observer.say(f"{what}: {reason}")

    def _baselines(self, profile: Profile) -> None:
        self.observer.say("baselines, each alone")
        results = measure(self.current, profile, self.observer.say)
        self.writer.line("baselines", found=[asdict(result) for result in results])
        for result, reason in [*outliers(results), *unmeasured(results)]:
            self.observer.say(f"baselines: {result.name}: {reason}")

    # ---- faults

    def _break(self, context: RunContext, name: str) -> bool:
        """Inject a fault, with the solution's values that it sets; False when it failed."""
        case = self.faults[name]
        if self.before.has_fault(name):
            self.observer.say(f"{name}: injected before")
            return True
        if self.fault_context is None or case.variant.changes != self.in_service:
            self.in_service = case.variant.changes
            self.fault_context = replace(context, session=self._session_for_faults(case.variant))
        is_done = run_fault(self.fault_context, self.matrix.background_load, name, case.fault)
        self.state.invalidate()
        self._spent(expected_fault_s(case.planned))
        return is_done

    def _session_for_faults(self, variant: Variant) -> Session:
        """Deploy a variant and wait until its disks are idle."""
        values = ", ".join(f"{key}={value}" for key, value in variant.changes.items())
        current = self.state.change(variant, f"{values or OWN_VALUES}, for the faults")
        settle_disks(current)
        return current

    def _next_generation(self, passes: int) -> int:
        """The first of `passes` generation numbers that no other write pass uses."""
        first = self.generation + 1
        self.generation += passes
        return first

    def _spent(self, planned_s: float) -> None:
        """Subtract a completed part of the planned duration, in seconds."""
        self.remaining_s -= planned_s
        self.observer.expect(max(self.remaining_s, 0.0))
