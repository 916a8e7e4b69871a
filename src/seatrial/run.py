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

import contextlib
import secrets
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import seatrial
from seatrial.advice.preflight import tell_named
from seatrial.basics.errors import Defect, Interrupted, RunError, SeatrialError
from seatrial.basics.withheld import WITHHELD, has_secret, without_secrets
from seatrial.check import check_overwritten, chosen, prepare
from seatrial.faults import consent
from seatrial.faults.cluster_status import settle_disks
from seatrial.faults.durations import expected_fault_s
from seatrial.faults.inputs import FaultInputs
from seatrial.faults.trial import run_fault
from seatrial.judge.damage import faults_with_damage
from seatrial.judge.references import LINE as REFERENCE
from seatrial.judge.references import references_of
from seatrial.load import site_servers
from seatrial.load.agent import find_binary, push
from seatrial.load.baseline_run import measure
from seatrial.load.clock_offsets import ClockOffset, WallClocks, measure_clocks
from seatrial.load.cpus import machine
from seatrial.load.experiments import Experiments, Place
from seatrial.load.folder import load_folder
from seatrial.load.manifest import manifest_of
from seatrial.load.phases import expected_experiment_s
from seatrial.load.resume import Before, measured
from seatrial.load.shortage import ProcessorMeter, wait_until_calm
from seatrial.load.telemetry import Watched, watching
from seatrial.plan.plan import Plan
from seatrial.plan.site import Site
from seatrial.result.baselines import outliers, unmeasured
from seatrial.result.manifest import LINE as MANIFEST
from seatrial.result.manifest import RUN_KEY, Manifest, sum_of
from seatrial.result.result import LINES, SCHEMA, SECOND_DEPLOY, Writer, read_result, safe_name, whole_results
from seatrial.service.deployed import Deployed, check_remaking
from seatrial.service.fingerprint import inspecting
from seatrial.service.followed import Followed
from seatrial.service.session import Observer, Session, files_of, session, system_facts
from seatrial.service.variants import vary
from seatrial.solutions.base import Clustered, Solution, Wipe, arrays_of, services_of
from seatrial.solutions.look import deployment
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.study.experiment import Experiment
from seatrial.study.faults import Fault, Stream
from seatrial.study.points import points
from seatrial.study.profiles import Profile
from seatrial.study.study import Study

OWN_VALUES = "the study's own values"


def check_run(
    study: Study, site: Site, solution: Solution, profile: Profile, *, only: Sequence[str], wipe: Wipe
) -> None:
    """Raise InputError where a run cannot begin: without an agent, or where it would erase devices
    that `wipe` does not name.
    """
    find_binary()
    experiments, faults = chosen(study, profile, only)
    clients = len(solution.clients)
    wanted = [(name, point) for name, item in experiments.items() for point in points(item, clients)]
    check_remaking(study, site, wanted, wipe)
    check_overwritten(study, site, faults, wipe)


def run_study(
    study: Study,
    profile: Profile,
    *,
    only: Sequence[str],
    folder: Path,
    wipe: Wipe,
    observer: Observer,
    published: str | None,
    before: Before | None = None,
    values: Mapping[str, Any] | None = None,
    consented: Sequence[str] = (),
) -> None:
    """Run a study and write the result to `folder`.

    `study`: after `--set`, with the `values` in the first line of the result.
    A failure in an experiment or fault is recorded; any other failure is recorded and raised.
    With `before`, an interrupted run is resumed in the same folder. `consented`: the faults that
    may run commands of the site; InputError before any node is changed where one is missing.
    """
    site, solution = prepare(study)
    check_run(study, site, solution, profile, only=only, wipe=wipe)
    experiments, faults = chosen(study, profile, only)
    consent.check_consent(study, faults, consented)
    without_access_data = without_secrets(study.source.text)
    manifest = None
    if before is None:
        manifest = manifest_of(study, profile, only, wipe, study_text=without_access_data, published_text=published)
    writer = Writer(folder, append=before is not None)
    observer = Followed(observer, writer.live)
    try:
        if manifest is not None:
            _open_result(writer, study, profile, published, manifest, values=values)
            for path, text in files_of(study, site).items():
                writer.keep(path, text)
        else:
            writer.line("resumed", seatrial=seatrial.__version__, **machine())
        if consented:
            writer.line("consent", faults=list(consented))
        name, console = f"{study.id}-{secrets.token_hex(3)}", folder / "console"
        with session(study, site, solution, name=name, console=console, detached=False, observer=observer) as current:
            runner = _Runner(current, writer, observer, (experiments, faults, study.background_load_in(profile)), wipe)
            runner.before = before or Before()
            runner.consented = consent.expanded(study, consented)
            tell_named(current, wipe, observer.say)
            runner.run(wipe, baselines=None if only or runner.before.baselines else profile)
    except (SeatrialError, Interrupted) as error:
        _end(writer, error)
        raise
    except Exception as error:
        _end(writer, error, traceback=traceback.format_exc())
        raise Defect(
            f"{type(error).__name__}: {error}",
            "this is a defect of Seatrial; please report it, "
            f"with the traceback that the last line of {folder / LINES} contains",
        ) from error
    finally:
        with contextlib.suppress(RunError):
            writer.close()


def _end(writer: Writer, error: BaseException, **more: Any) -> None:
    """Write the last line of a run that did not complete, unless the disk is full."""
    with contextlib.suppress(RunError):
        reason = str(error) if isinstance(error, SeatrialError | Interrupted) else f"{type(error).__name__}: {error}"
        if isinstance(error, Interrupted):
            more = {**more, "interrupted": True}
        writer.line("end", complete=False, reason=reason, **more)


def _open_result(
    writer: Writer,
    study: Study,
    profile: Profile,
    published: str | None,
    manifest: Manifest,
    *,
    values: Mapping[str, Any] | None = None,
) -> None:
    """Write the lines and files that precede all actions; the manifest is among the first."""
    fields = manifest.to_json()
    more: dict[str, Any] = {"only": manifest.only} if manifest.only else {}
    if values:
        shown = {key: WITHHELD if has_secret(key, value) else value for key, value in values.items()}
        more["set"] = shown
    about: dict[str, Any] = {"run_id": writer.folder.name, "study": study.id, "title": study.title}
    about |= {"profile": profile, "seatrial": seatrial.__version__, **more}
    writer.line("run", schema=SCHEMA, **about, **{RUN_KEY: sum_of(fields)})
    writer.line(MANIFEST, **fields)
    writer.keep("study.yaml", without_secrets(study.source.text))
    if published is not None:
        writer.keep("published.yaml", published)
    writer.line("machine", **machine())
    _borrow(writer, study)
    for reference in references_of(study, profile, writer.folder.parent):
        writer.line(REFERENCE, **reference.to_json())


def _borrow(writer: Writer, study: Study) -> None:
    """Copy lines of other studies' results that this study's published claims refer to.

    So this result can be judged anywhere.
    """
    wanted: dict[str, set[str]] = {}
    for answer in (item for claim in study.published_claims.values() for item in claim.answers()):
        if answer.from_ is not None:
            wanted.setdefault(answer.from_, set()).update(answer.faults)
    for name, faults in wanted.items():
        for result in whole_results(writer.folder.parent, name):
            lines = [line for line in result.of("fault") if line.get("name") in faults]
            if faults <= {line["name"] for line in lines} and not result.contradictions:
                fault_lines = [line for line in result.lines if _is_of_faults(line, faults)]
                origin = {"result": result.folder.name, "study_text": result.text("study.yaml")}
                lines_to_keep = [result.first("run"), *result.of(MANIFEST), *fault_lines]
                writer.line("borrowed", study=name, **origin, lines=lines_to_keep)
                break


def _is_of_faults(line: Mapping[str, Any], faults: set[str]) -> bool:
    """Whether a line belongs to these faults, or marks a resumed or repeated run."""
    name = {"fault": line.get("name"), "comparison": line.get("fault")}.get(str(line["type"]))
    return line["type"] == "resumed" or name in faults


class _Runner:
    """One run of one study in one session."""

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
        self.consented: frozenset[str] = frozenset()
        self.observed: tuple[str, ...] = ()
        """the servers of the site that answer"""
        self.wall_clocks = WallClocks(observer.say, writer.line)
        self.watched = Watched()
        self.state = Deployed(current, observer, wipe)
        self.fault_inputs: FaultInputs | None = None
        self.in_service: Mapping[str, Any] = {}
        experiments = self.experiments.values()
        solution = current.solution
        self.remaining_s = sum(expected_experiment_s(solution, item) for item in experiments)
        self.remaining_s += sum(self._fault_s(name, item) for name, item in self.faults.items())

    def run(self, wipe: Wipe, *, baselines: Profile | None) -> None:
        """Run all steps in order."""
        current = self.current
        self._describe()
        self._deploy(deployment(current.solution, current.site, wipe), "first deploy")
        with inspecting(current) as inspection:
            is_limited = self._deploy(deployment(current.solution, current.site, {}), SECOND_DEPLOY)
        self.writer.line("fingerprint", **asdict(inspection))
        if is_limited:
            self.observer.say("second deploy: steps changed something while this machine was short of processors")
            wait_until_calm()
            self._deploy(deployment(current.solution, current.site, {}), SECOND_DEPLOY)
        # Servers and their arrays, of the study and of the changes by experiments and faults.
        varied = [vary(current.study, changes).solution for _, changes in self._changes()]
        solutions = (current.solution, *varied)
        servers = (name for item in solutions for name in (*item.servers, *arrays_of(item)))
        watched_nodes = tuple(dict.fromkeys(servers))
        loaded_nodes = tuple(dict.fromkeys((*current.solution.clients, *watched_nodes)))
        self.agent = push(current.transport, loaded_nodes, load_folder(current))
        self.writer.line("nodes", facts=system_facts(current))
        if baselines is not None and current.study.baselines:
            self._baselines(baselines)
        self.observer.expect(self.remaining_s)
        clocks = measure_clocks(current.transport, watched_nodes, self.agent)
        try:
            add_step = self.wall_clocks.add_step
            with (
                watching(current.transport, watched_nodes, self.agent, clocks, add_step) as watched,
                site_servers.observing(current.lab, self.observed, watched),
            ):
                place = Place(self.agent, self.run_id, self._next_generation)
                runs = Experiments(
                    current,
                    self.state,
                    self.writer,
                    self.observer,
                    place,
                    self.before,
                    self.wall_clocks,
                    watched,
                    self._spent,
                    frozenset(item.continues for item in self.experiments.values() if item.continues),
                )
                try:
                    failed = self._tried(tuple(self.experiments), lambda name: self._experiment(runs, name))
                finally:
                    runs.remove_kept()
            failed += self._tried(tuple(self.faults), self._break)
        finally:
            if current.outlives_run:
                self.state.change({}, f"back to {OWN_VALUES}")
        self.writer.line("end", complete=not failed, reason=f"failed: {', '.join(failed)}" if failed else None)

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
        return self.current.lab.kind == "emulated" and meter.reading().limited

    def _experiment(self, runs: Experiments, name: str) -> bool:
        runs.before = self.before
        return runs.run(name, self.experiments[name])

    def _changes(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The changes of the solution by experiments and faults, with their names."""
        for name, experiment in self.experiments.items():
            for point in points(experiment, len(self.current.solution.clients)):
                if point.solution:
                    yield name, {**point.solution, **point.site}
        for name, fault in self.faults.items():
            if fault.overrides:
                yield name, fault.overrides

    def _describe(self) -> None:
        site, solution = self.current.site, self.current.solution
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
            serving=len(services_of(solution)) if isinstance(solution, Clustered) else len(solution.servers),
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
            self.writer.keep(f"scripts/{number:02d}-{safe_name(stage.title)}-{node}.sh", plan.masked(script))

    def _warnings(self, plan: Plan) -> list[str]:
        """The warnings about the study's own values and about those of experiments and faults."""
        warnings = list(plan.warnings)
        for name, changes in self._changes():
            varied = vary(self.current.study, changes).solution.plan({}).warnings
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
        results = [asdict(item) for item in outcome.results]
        self.writer.line("deploy", title=title, summary=outcome.summary(), lab_limited=is_limited, results=results)
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

    def _break(self, name: str) -> bool:
        """Inject a fault, with the solution's values that it sets; False when it failed."""
        fault = self.faults[name]
        if self.before.has_fault(name):
            self.observer.say(f"{name}: injected before")
            return True
        if self.fault_inputs is None or fault.overrides != self.in_service:
            self.in_service = fault.overrides
            self.fault_inputs = self._fault_inputs(fault.overrides)
        is_done = run_fault(self.fault_inputs, self.load, name, fault)
        self.state.doubt()
        self._spent(self._fault_s(name, fault))
        return is_done

    def _fault_inputs(self, changes: Mapping[str, Any]) -> FaultInputs:
        """Deploy the solution with these values and wait until its disks are idle."""
        values = ", ".join(f"{key}={value}" for key, value in changes.items())
        current = self.state.change(changes, f"{values or OWN_VALUES}, for the faults")
        settle_disks(current)
        return FaultInputs(
            current,
            self.agent,
            self.run_id,
            self._next_generation,
            self.writer,
            self.observer,
            self.wall_clocks,
            self.consented,
        )

    def _fault_s(self, name: str, fault: Fault) -> float:
        return expected_fault_s(self.current.study, name, fault)

    def _next_generation(self, passes: int) -> int:
        """The first of `passes` generation numbers that no other write pass uses."""
        first = self.generation + 1
        self.generation += passes
        return first

    def _spent(self, planned_s: float) -> None:
        """Subtract a completed part of the planned duration, in seconds."""
        self.remaining_s -= planned_s
        self.observer.expect(max(self.remaining_s, 0.0))
