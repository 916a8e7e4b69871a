"""The only orchestrator: lab, deploy, load, record. What it saw is judged and drawn elsewhere, from the record.

Every way out (an error, Ctrl-C, a signal) passes through the same clean-up: agents stopped, files removed where
the storage outlives the run, the lab taken down. An experiment that fails is marked and the next one begins.
"""

import contextlib
import platform
import secrets
import shlex
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import seatrial
from seatrial.agent import ClockOffset, measure_clocks, push, run_phase
from seatrial.analysis.aggregates import TaskTime, aggregate
from seatrial.errors import InputError, RunError
from seatrial.plan import Plan
from seatrial.processors import BUSY_SHARE_MAX, BusyMeter
from seatrial.record import SCHEMA, ClientResult, PhaseResult, Writer, safe_name
from seatrial.session import Observer, Session, prepare, session
from seatrial.solutions.base import Wipe, load_solution
from seatrial.study import Experiment, Form, Study
from seatrial.transport import on_every
from seatrial.units import format_rate
from seatrial.workloads import JobContext, Point, jobs, points, preparation

OVERHEAD_S = 6.0
"""a first guess, for the time left, of what a phase costs beside its transfer"""
AGENT_LOG = "/var/tmp/seatrial/operations.log"


def run_study(
    study: Study, form: Form, *, only: str | None, folder: Path, wipe: Wipe, observer: Observer, published: str | None
) -> None:
    """Deploy, load and record; what goes wrong in an experiment is recorded, all else is raised as RunError."""
    prepare(study)
    experiments = _chosen(study, form, only)
    writer = Writer(folder)
    try:
        _open_record(writer, study, form, published)
        name = f"{study.id}-{secrets.token_hex(3)}"
        with session(study, name=name, console=folder / "console", detached=False, observer=observer) as current:
            _Runner(current, writer, observer, experiments).run(wipe)
    except BaseException as error:
        writer.line("end", complete=False, reason=f"{type(error).__name__}: {error}")
        raise
    finally:
        writer.close()


def _chosen(study: Study, form: Form, only: str | None) -> dict[str, Experiment]:
    if only is not None and only not in study.experiments:
        raise InputError(f"no experiment is called {only!r}", f"one of {', '.join(study.experiments)}")
    chosen = study.experiments_in(form)
    if only is not None:
        chosen = {only: study.experiments_in(form).get(only, study.experiments[only])}
    return chosen


def _open_record(writer: Writer, study: Study, form: Form, published: str | None) -> None:
    writer.line("run", schema=SCHEMA, study=study.id, title=study.title, form=form, seatrial=seatrial.__version__)
    writer.keep("study.yaml", study.source.text)
    if published is not None:
        writer.keep("published.yaml", published)
    writer.line("environment", **environment())


def environment() -> dict[str, Any]:
    """The machine that runs Seatrial."""
    processor = ""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        processor = f"{len(names)} x {names[0]}" if names else ""
    memory = next(
        (line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal")), "0"
    )
    return {
        "kernel": platform.release(),
        "processors": processor,
        "memory_bytes": int(memory) * 1024,
        "python": platform.python_version(),
    }


@dataclass(frozen=True)
class _Phase:
    """What is about to be done: one phase of one repeat of one point."""

    session: Session
    experiment: str
    point: Point
    repeat: int
    phase: str
    context: JobContext

    @property
    def clients(self) -> tuple[str, ...]:
        """Who takes part."""
        return self.session.solution.clients[: self.point.clients]

    @property
    def title(self) -> str:
        """For people and file names."""
        return f"{self.experiment} {self.point.name} repeat {self.repeat} {self.phase}"

    @property
    def total_bytes(self) -> int:
        """What all clients together will move."""
        return self.point.workload.file * self.point.workload.tasks * len(self.clients)


class _Runner:
    """One run on one session."""

    def __init__(
        self, current: Session, writer: Writer, observer: Observer, experiments: Mapping[str, Experiment]
    ) -> None:
        self.current = current
        self.writer = writer
        self.observer = observer
        self.experiments = experiments
        self.agent = ""
        self.clocks: dict[str, ClockOffset] = {}
        self.run_id = secrets.token_hex(8)
        self.generation = 0
        self.in_service: dict[str, Any] = {}
        self.remaining_s = sum(self._expected_s(item) for item in experiments.values())

    def run(self, wipe: Wipe) -> None:
        """Everything, in order."""
        current = self.current
        self._describe()
        self._deploy(current.solution.plan(wipe), "first deploy")
        self._deploy(current.solution.plan({}), "second deploy")
        clients = current.solution.clients
        self.agent = push(current.transport, clients)
        self.writer.line("nodes", facts=on_every(current.study.node_names(), self._facts))
        failed = [name for name, experiment in self.experiments.items() if not self._experiment(name, experiment)]
        self.writer.line("end", complete=not failed, reason=f"failed: {', '.join(failed)}" if failed else None)

    def _describe(self) -> None:
        site, solution = self.current.site, self.current.solution
        plan = solution.plan({})
        self.writer.line(
            "system",
            site=asdict(site),
            servers=solution.servers,
            clients=solution.clients,
            parts=solution.parts(),
            warnings=plan.warnings,
            lab=self.current.lab.facts(),
            reasons=_reasons(plan),
        )
        for number, stage, node, script in plan.scripts():
            self.writer.keep(f"scripts/{number:02d}-{safe_name(stage.title)}-{node}.sh", plan.masked(script))

    def _deploy(self, plan: Plan, title: str) -> None:
        outcome = self.current.deploy(plan, self.observer)
        self.observer.say(f"{title}: {outcome.summary()}")
        results = [asdict(item) for item in outcome.results]
        self.writer.line("deploy", title=title, summary=outcome.summary(), results=results)

    def _facts(self, node: str) -> dict[str, str]:
        done = self.current.transport.run(node, "uname -r; . /etc/os-release; echo $PRETTY_NAME; free -b | head -2")
        lines = done.stdout.splitlines()
        return {"kernel": lines[0], "system": lines[1]} if len(lines) > 1 else {}

    # ---- experiments

    def _points(self, experiment: Experiment) -> list[Point]:
        return points(experiment, len(self.current.solution.clients))

    def _expected_s(self, experiment: Experiment) -> float:
        return sum(
            self._point_s(point, phase) for point in self._points(experiment) for phase in point.workload.phases
        ) * (experiment.repeats)

    def _point_s(self, point: Point, phase: str) -> float:
        volume = point.workload.file * point.workload.tasks * point.clients
        slowest = self.current.solution.data_path(point.clients).bottleneck(_operation(phase))
        return OVERHEAD_S + (volume / slowest.rate_bytes_per_s(_operation(phase)) if slowest else 0.0)

    def _experiment(self, name: str, experiment: Experiment) -> bool:
        """Run one; False when it could not be completed (which is recorded)."""
        self.writer.line(
            "experiment", name=name, title=experiment.title, repeats=experiment.repeats, vary=experiment.vary
        )
        try:
            for point in self._points(experiment):
                self._point(name, experiment, point)
        except RunError as error:
            self.writer.line("experiment-failed", name=name, reason=str(error))
            self.observer.say(f"{name} could not be completed: {error}")
            return False
        return True

    def _point(self, name: str, experiment: Experiment, point: Point) -> None:
        varied = self.current
        if point.solution:
            study = self.current.study.with_values(point.solution)
            varied = replace(self.current, study=study, solution=load_solution(study, self.current.site))
        if point.solution != self.in_service:  # also back to the study's own values, after an experiment varied them
            outcome = varied.deploy(varied.solution.plan({}))
            self.in_service = point.solution
            self.observer.say(f"{name} {point.name}: {outcome.summary()}")
        for repeat in range(1, experiment.repeats + 1):
            self._repeat(varied, name, experiment, point, repeat)

    def _repeat(self, varied: Session, name: str, experiment: Experiment, point: Point, repeat: int) -> None:
        clients = varied.solution.clients[: point.clients]
        generation = self._next_generation()
        directory = f"{varied.solution.directory}/seatrial/{name}-{generation}"
        context = JobContext(self.run_id, directory, generation, AGENT_LOG)
        self._shell(clients[0], f"mkdir -p {shlex.quote(directory)} && sync -f {shlex.quote(directory)}")
        try:
            if point.workload.prepare:
                self._prepare(_Phase(varied, name, point, repeat, "prepare", context))
                context = replace(context, generation=self._next_generation())
            for phase in point.workload.phases:
                if phase == "read" and experiment.empty_caches:
                    varied.deploy(varied.solution.empty_caches(clients))
                if set(self.clocks) != set(clients):
                    self.clocks = measure_clocks(varied.transport, clients, self.agent)
                self._phase(_Phase(varied, name, point, repeat, phase, context))
        finally:
            self._shell(clients[0], f"rm -rf {shlex.quote(directory)}")

    def _next_generation(self) -> int:
        self.generation += 1
        return self.generation

    def _prepare(self, work: _Phase) -> None:
        """Write the files that the phases need, unmeasured; RunError when a client could not."""
        load = preparation(work.point.workload)
        clocks = measure_clocks(work.session.transport, work.clients, self.agent)
        transport = work.session.transport
        _, results = run_phase(transport, self.agent, jobs(load, "write", work.clients, work.context), clocks)
        lost = [f"{item.client}: {item.lost}" for item in results if item.lost]
        if lost:
            raise RunError(f"{work.title}: {'; '.join(lost)}")
        work.session.deploy(work.session.solution.empty_caches(work.clients))

    def _shell(self, node: str, command: str) -> None:
        done = self.current.transport.run(node, command, timeout_s=120)
        if done.exit_code:
            raise RunError(f"{node}: {command}: {done.stderr.strip() or done.exit_code}")

    def _phase(self, work: _Phase) -> None:
        meter = [BusyMeter()]
        clock = _Rate()

        def restart() -> None:
            meter[0] = BusyMeter()
            clock.restart()

        started_s, results = run_phase(
            work.session.transport,
            self.agent,
            jobs(work.point.workload, work.phase, work.clients, work.context),
            self.clocks,
            started=restart,
            progress=lambda moved: self.observer.transfer(work.title, moved, work.total_bytes, clock.of(moved)),
            keep=lambda client, text: self.writer.keep(f"agent/{safe_name(work.title)}-{client}.jsonl", text),
        )
        share = meter[0].share() if work.session.lab.kind == "uml" else None
        result = self._result(work, started_s, results, share)
        self.writer.phase(result)
        self.observer.say(_summary(work.title, result))
        self.remaining_s -= self._point_s(work.point, work.phase)
        self.observer.expect(max(self.remaining_s, 0.0))

    def _clock_error_s(self, work: _Phase, results: list[ClientResult]) -> float:
        """How wrong a time may be: the worst round trip, and how far the clocks drifted meanwhile.

        What is measured after one phase serves as the measurement before the next.
        """
        before = self.clocks
        alive = [item.client for item in results if not item.lost]
        self.clocks = measure_clocks(work.session.transport, alive, self.agent)
        drift_s = max((abs(self.clocks[node].ahead_s - before[node].ahead_s) for node in self.clocks), default=0.0)
        return max(clock.error_s for clock in before.values()) + drift_s

    def _result(self, work: _Phase, started_s: float, results: list[ClientResult], share: float | None) -> PhaseResult:
        operation = _operation(work.phase)
        path = work.session.solution.data_path(work.point.clients)
        slowest, bound = path.bottleneck(operation), path.bound(operation)
        total = aggregate([TaskTime(size, elapsed) for result in results for size, elapsed in result.tasks])
        last_done_s = total.last_done_s if total else 0.0
        return PhaseResult(
            experiment=work.experiment,
            point=work.point.values,
            repeat=work.repeat,
            phase=work.phase,
            started_unix_s=started_s,
            clients=tuple(results),
            natural_bytes_per_s=total.natural_bytes_per_s if total else 0.0,
            harmonic_mean_bytes_per_s=total.harmonic_mean_bytes_per_s if total else 0.0,
            harmonic_aggregate_bytes_per_s=total.harmonic_aggregate_bytes_per_s if total else 0.0,
            fairness=total.fairness if total else 0.0,
            operations_per_s=sum(item.operations for item in results) / last_done_s if last_done_s else 0.0,
            processors_busy_share=share,
            lab_limited=share is not None and share > BUSY_SHARE_MAX,
            bottleneck=slowest.name if slowest else None,
            predicted_bytes_per_s=slowest.rate_bytes_per_s(operation) if slowest else None,
            bound=bound.name if bound else None,
            bound_bytes_per_s=bound.rate_bytes_per_s(operation) if bound else None,
            clock_error_s=self._clock_error_s(work, results),
            partial=any(item.lost or item.errors for item in results),
        )


class _Rate:
    """The mean rate since the start, for the progress line."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Begin again."""
        self._started_s = time.monotonic()

    def of(self, moved_bytes: int) -> float:
        """Bytes per second so far."""
        return moved_bytes / max(time.monotonic() - self._started_s, 1e-3)


def _operation(phase: str) -> str:
    return "read" if phase == "read" else "write"


def _reasons(plan: Plan) -> list[dict[str, str]]:
    found = {
        (stage.title, step.title): step.reason
        for stage in plan.stages
        for steps in stage.steps.values()
        for step in steps
        if step.reason
    }
    return [{"stage": stage, "step": step, "reason": reason} for (stage, step), reason in found.items()]


def _summary(title: str, result: PhaseResult) -> str:
    notes = []
    if result.processors_busy_share is not None:
        notes.append(f"processors {result.processors_busy_share:.0%} busy")
    if result.lab_limited:
        notes.append("lab-limited")
    if result.partial:
        notes.append("partial: " + "; ".join(f"{item.client}: {item.lost}" for item in result.clients if item.lost))
    damaged = sum(len(item.damage) for item in result.clients)
    if damaged:
        notes.append(f"{damaged} damaged extents")
    return f"{title}: {format_rate(result.natural_bytes_per_s)}" + (f" ({', '.join(notes)})" if notes else "")
