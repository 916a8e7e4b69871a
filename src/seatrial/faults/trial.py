"""Runs the faults one after the other, each under load: inject, hold, repair, record.

For each fault: the streams begin and must get answers; the roles are determined; the fault is
injected, and undone on every exit path; restarted nodes are returned to service, every stream must
get answers again and the solution must be healthy; finally the trees are compared with the
operation logs. Every wait has a timeout.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, replace

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults import (
    cluster_status,
    consent,
    daemon_logs,
    expectations,
    kernel_messages,
    roles,
)
from seatrial.faults.aftermath import aftermath_s
from seatrial.faults.base import (
    Action,
    Actions,
    NotHere,
    Planned,
    Rebuild,
    Scene,
    action_text,
    load_fault,
)
from seatrial.faults.durations import BASELINE_S, OVERHEAD_S
from seatrial.faults.evidence import Witnesses, evidence_of
from seatrial.faults.figures import (
    compared,
    is_answered,
    is_ended_by_error,
    stream_result,
)
from seatrial.faults.injection import Injector, Undo
from seatrial.faults.inputs import FaultInputs
from seatrial.faults.live import show_course, streams_watched
from seatrial.faults.rebuilds import rebuild_of
from seatrial.faults.site_actions import SiteCheck
from seatrial.faults.streams import Streams
from seatrial.faults.summary import outcome_text
from seatrial.faults.writers import watching_writers
from seatrial.labs.base import PowerLog
from seatrial.load import processes
from seatrial.load.agent import AgentGroup, push
from seatrial.load.clock_offsets import ClockOffset, error_s, measure_clocks
from seatrial.load.folder import folder_of
from seatrial.load.shortage import watching_processors
from seatrial.load.telemetry import Watched, watching
from seatrial.result.faults import HERE, FaultResult
from seatrial.result.result import safe_name
from seatrial.solutions.base import Clustered, WritesLogged, cluster_nodes_of, grace_s
from seatrial.study.faults import Fault, Stream

FAULTS_OF_USERS = frozenset({"shell", "site-command"})
"""kinds that an ordinary user can inject: commands of the study and of the site"""
FIRST_ANSWER_S = 60.0
"""maximum time in s until streams get answers, before the fault"""
RESULT_S = 15.0
RESULT_PROCESSES = 1000
"""maximum time for the agents' results, as the cost of this many process starts on a
slow machine
"""
SETTLE_PROCESSES = 3000
"""process starts of two booting servers: a slow machine takes longer than `recovery_timeout`"""


def run_fault(inputs: FaultInputs, load: Mapping[str, Stream], name: str, fault: Fault) -> bool:
    """Inject one fault and record it; False when it could not be completed (which is recorded)."""
    session = inputs.session
    planned = load_fault(session.study, session.site, session.solution, name, fault)
    words = planned.kind.WORD, planned.title, fault.published
    result = FaultResult(name, fault.kind, *words, expectations.expected(session, fault))
    trial = _Trial(inputs, load, planned, replace(result, duration_s=planned.duration_s))
    try:
        trial.run()
    except NotHere as reason:
        trial.result = replace(trial.result, skipped=str(reason))
    except RunError as error:
        trial.result = replace(trial.result, failed=str(error))
    inputs.wall_clocks.check_own()
    inputs.writer.line("fault", **asdict(trial.result))
    inputs.observer.say(f"{name}: {outcome_text(trial.result)}")
    return trial.result.failed is None


class _Trial:
    """One fault, from its first stream to the comparison; `result` is filled step by step."""

    def __init__(self, inputs: FaultInputs, load: Mapping[str, Stream], planned: Planned, result: FaultResult) -> None:
        self.inputs, self.load, self.planned, self.result = inputs, load, planned, result
        self.session = inputs.session
        self.injector = Injector(self.session)
        self.injector.keep_output = self._keep_output
        self.actions = Actions(())
        self.answered = False
        self.log_ends: dict[str, daemon_logs.LogEnd] = {}

    def run(self) -> None:
        """See the module."""
        show_course(self.inputs.writer, self.result)
        if self.session.node_state is not None and self.planned.fault.kind not in FAULTS_OF_USERS:
            raise NotHere("this fault needs root on the nodes, and the run has none")
        self._prepare_roles()
        self._decide()
        reason = self.injector.missing(self.actions)
        if reason is not None:
            raise NotHere(reason)
        self.injector.reach(self.actions)
        lost = self.actions.lose()
        inputs, allowed = self.inputs, self.planned.fault.expect.errors
        streams = Streams(self.session, inputs.agent, inputs.run_id, inputs.next_generation, lost, errors=allowed)
        try:
            streams.lay_out(self.planned.name, self.load, self.planned.longest_s)
            clocks = measure_clocks(self.session.transport, streams.clients, self.inputs.agent)
            streams.prepare(clocks)
            self._watched(streams, clocks)
            self._compare(streams, clocks)
        finally:
            if streams.clients and not self.answered:
                self._note("the streams’ files were left in place: the storage does not answer")
            else:
                self._clean(streams)

    def _prepare_roles(self) -> None:
        """Move the services where the fault requires an active server."""
        say = self.inputs.observer.say
        moved = roles.prepare(self.session, self.planned.roles, lambda text: say(f"{self.planned.name}: {text}"))
        self.result = replace(self.result, prepared=tuple(moved))

    def _decide(self) -> None:
        """Determine the current roles and the actions that follow."""
        session = self.session
        now = cluster_status.roles(session)
        elsewhere = {name: node for name, node in self.planned.roles.items() if now.active.get(name) != node}
        if elsewhere:
            actual = ", ".join(f"{name} on {now.active.get(name, 'no server')}" for name in elsewhere)
            wanted = ", ".join(f"{name} on {node}" for name, node in elsewhere.items())
            raise RunError(f"the fault asks for {wanted}, and now runs {actual}")
        self.actions = self.planned.actions(Scene(session.study, session.site, session.solution, now))
        if unforeseen := self.actions.overwritten() - self.planned.overwritten:
            lost = ", ".join(sorted(f"{node}:{device}" for node, device in unforeseen))
            raise RunError(f"it would overwrite {lost} now, which was not known before the run")
        consent.require(self.planned.name, self.actions, self.inputs.consented)
        self.result = replace(self.result, roles_before=dict(now.active))

    # ---- under load

    def _watched(self, streams: Streams, clocks: Mapping[str, ClockOffset]) -> None:
        """The fault, while the array reports its writers, and the servers report their process
        starts.
        """
        transport, solution = self.session.transport, self.session.solution
        servers = solution.servers
        server_clocks = measure_clocks(transport, servers, self.inputs.agent)
        with (
            watching(transport, servers, self.inputs.agent, server_clocks, self.inputs.wall_clocks.add_step) as watched,
            watching_writers(transport, solution) as writers,
            watching_processors(self.session.lab.kind) as processors,
        ):
            try:
                self._under_load(streams, clocks)
            finally:
                self._count_processes(watched)
                fenced = isinstance(solution, WritesLogged) and solution.storage_fenced
                observed = {**writers.result_fields(), **processors.result_fields()}
                self.result = replace(self.result, **observed, storage_fenced=fenced)

    def _count_processes(self, watched: Watched) -> None:
        start_s, end_s = self.result.injected_unix_s, self.result.ended_unix_s
        if start_s is not None and end_s is not None:
            self.result = replace(self.result, processes_started=processes.started(watched, start_s, end_s))

    def _under_load(self, streams: Streams, clocks: Mapping[str, ClockOffset]) -> None:
        inputs, assignments = self.inputs, streams.assignments()
        watched = streams_watched(inputs, self.planned.name, assignments)
        patience_s = self.planned.duration_s + self.planned.waits_s + OVERHEAD_S
        with (
            watched as watch,
            AgentGroup(
                self.session.transport,
                inputs.agent,
                assignments,
                clocks,
                watch,
                silence_s=patience_s,
                grace_s=grace_s(self.session.solution),
            ) as group,
        ):
            self.injector.pause = lambda duration_s: _pass(group, duration_s)
            failure: RunError | NotHere | None = None
            try:
                streams.copies.start()
                self._break(group)
            except (RunError, NotHere) as error:  # the evidence until then is recorded
                failure = error
            finally:
                group.cancel()
                ended_s = unix_s()
                streams.copies.stop()
            group.follow(limit_s=RESULT_S + self.result.work_s(RESULT_PROCESSES))
            group.keep()
            self._gather(group, streams, ended_s)
        if failure is not None:
            raise failure

    def _break(self, group: AgentGroup) -> None:
        planned, session = self.planned, self.session
        started_s = group.start()
        self.result = replace(self.result, started_unix_s=started_s)
        first_answer_s = FIRST_ANSWER_S + grace_s(session.solution)
        if not group.follow(lambda: all(is_answered(item, started_s) for item in group.agents), first_answer_s):
            waiting = [item.name for item in group.agents if not is_answered(item, started_s)]
            raise RunError(f"before anything was done, these streams got no answer: {', '.join(waiting)}")
        self.answered = True
        self.log_ends = daemon_logs.ends(self.session)
        self._time_work()
        _pass(group, max(BASELINE_S, self.planned.fault.observe))
        self._decide()
        lose = self.actions.lose()
        nodes = {*session.solution.servers, *self.actions.stop()}
        before = cluster_status.boots(session, nodes)
        self.inputs.observer.say(f"{planned.name}: injected: {planned.title}")
        failure: RunError | None = None
        with Undo(self.injector, self.actions.repair) as undo:
            self.result = replace(self.result, injected_unix_s=unix_s())
            show_course(self.inputs.writer, self.result)
            self.answered = False
            try:
                self.injector.arm(self.actions.repair, planned.longest_s)
                self.injector.inject(self.actions.inject)
                for client in lose & set(session.solution.clients):
                    group.give_up(client, "its power was cut")
                _pass(group, planned.duration_s)
            except RunError as error:
                failure = error
            undo.repair()
        repaired_s = unix_s()
        self.result = replace(self.result, repaired_unix_s=repaired_s)
        show_course(self.inputs.writer, self.result)
        for action in self.actions.after:
            # Also after a fault that failed half-way: the next one must not overlap with it.
            if failure is None or self._has_begun(action):
                self.injector.await_end(action)
        self.inputs.observer.say(
            f"{planned.name}: repaired after {repaired_s - (self.result.injected_unix_s or 0):.0f} s"
        )
        self._settle(group, nodes, before, repaired_s)
        taken_over = bool(self.result.moved or self.result.restarted)
        _pass(group, max(aftermath_s(session.solution, taken_over=taken_over), planned.fault.observe))
        if failure is not None:
            raise failure

    def _time_work(self) -> None:
        """Measure the cost of a process and a handshake under the load, which quantify the
        machine's part of an outage.
        """
        solution, transport = self.session.solution, self.session.transport
        nodes = tuple(dict.fromkeys((*solution.servers, *cluster_nodes_of(solution))))
        starts_ms, here_ms = processes.costs_ms(transport, nodes), processes.here_ms()
        starts_ms |= {HERE: here_ms} if here_ms else {}
        handshakes_ms = processes.handshakes_ms(transport, nodes)
        self.result = replace(self.result, process_start_ms=starts_ms, handshake_ms=handshakes_ms)
        limit = expectations.limit(self.session, self.planned.fault, self.result.work_ms)
        self.result = replace(self.result, expect={**self.result.expect, **limit})

    def _keep_output(self, text: str) -> str:
        """Write the output of a command of the site; returns the name of the file."""
        number = len(self.injector.done) + 1
        name = f"commands/{safe_name(f'{self.planned.name}-{number:02d}')}.txt"
        self.inputs.writer.keep(name, text)
        return name

    def _has_begun(self, action: Action) -> bool:
        if isinstance(action, SiteCheck):
            return True
        if not isinstance(action, Rebuild):
            return False
        return any(item.what == action_text(action.begun_by) and not item.error for item in self.injector.done)

    def _settle(self, group: AgentGroup, nodes: set[str], before: Mapping[str, str], repaired_s: float) -> None:
        """Wait until the system is healthy, at most as long as the study allows."""
        session, planned = self.session, self.planned
        allowed_s = planned.fault.recovery_timeout + planned.grace_s + self.result.work_s(SETTLE_PROCESSES)
        limit = time.monotonic() + allowed_s
        missing = cluster_status.wait_for(nodes, self.injector.answers, self.injector.pause, limit)
        if missing:
            self._note(f"{', '.join(sorted(missing))} did not come back")
        after = cluster_status.boots(session, nodes - missing)
        restarted = {node for node, boot in after.items() if before.get(node) != boot}
        self.result = replace(self.result, restarted=tuple(sorted(restarted)))
        push(session.transport, sorted(restarted), folder_of(self.inputs.agent))
        touched = {getattr(action, "node", "") for action in self.actions.inject} & set(session.solution.servers)
        out = self._restore(restarted | (touched - missing))
        self.answered = group.follow(
            lambda: all(is_answered(it, repaired_s) for it in group.agents if it.client not in self.actions.lose()),
            max(limit - time.monotonic(), 1.0),
        )
        healthy = self._wait_healthy(group, limit, touched | restarted)
        unrepaired = [item for item in self.injector.done if item.part != "inject" and item.error]
        for item in unrepaired:
            self._note(f"not repaired: {item.what}: {item.error}")
        if healthy:
            # The cluster's status decides for its servers: it may have restored one automatically.
            out -= set(session.solution.servers)
        lose = self.actions.lose()
        given_up = [it.name for it in group.agents if is_ended_by_error(it) and it.client not in lose]
        if given_up:
            self._note(f"ended by an error, without an answer after it: {', '.join(given_up)}")
        wrong = missing or unrepaired or out or given_up
        settled = self.answered and healthy is not False and not wrong
        if not settled:
            # The kernel messages may explain why the system did not become healthy.
            for reason in kernel_messages.reasons(self.session, self.result.injected_unix_s):
                self._note(reason)
        self.result = replace(self.result, healthy=healthy, recovered_unix_s=unix_s() if settled else None)

    def _restore(self, nodes: set[str]) -> set[str]:
        """Return nodes to service, servers first; returns the nodes where that failed."""
        servers = self.session.solution.servers
        problems = cluster_status.restore(self.session, sorted(nodes, key=lambda node: (node not in servers, node)))
        for problem in problems.values():
            self._note(problem)
        return set(problems)

    def _wait_healthy(self, group: AgentGroup, limit: float, restored: set[str]) -> bool | None:
        """Whether a highly available solution is healthy again, and where its services are; None
        for others.
        """
        solution = self.session.solution
        if not isinstance(solution, Clustered):
            self.result = replace(self.result, roles_after=self.result.roles_before, moved=False)
            return None
        half = time.monotonic() + (limit - time.monotonic()) / 2
        rest = set(solution.servers) - restored
        while True:
            now = cluster_status.status(self.session)
            if now is not None:
                after = cluster_status.roles_of(solution, now).active
                moved = any(after.get(name) != node for name, node in self.result.roles_before.items())
                self.result = replace(self.result, roles_after=dict(after), moved=moved, status=now.text)
                if now.healthy:
                    return True
            if time.monotonic() >= limit:
                return False
            if rest and time.monotonic() >= half:
                self._restore(rest)
                rest = set()
            _pass(group, cluster_status.POLL_S)

    def _gather(self, group: AgentGroup, streams: Streams, ended_s: float) -> None:
        """Collect the evidence of the streams, the servers and the lab's power log."""
        injected_s = self.result.injected_unix_s or ended_s
        lose = self.actions.lose()
        results = [
            stream_result(item, streams.phases[item.stream], injected_s, ended_s, lost_power=item.client in lose)
            for item in group.agents
        ]
        since_s = injected_s - 1.0
        lab = self.session.lab
        power = lab.power_log() if isinstance(lab, PowerLog) else []
        self.result = replace(
            self.result,
            ended_unix_s=ended_s,
            streams=tuple(results),
            actions=tuple(asdict(item) for item in self.injector.done),
            power=tuple(item for item in power if since_s <= item["unix_s"] <= ended_s),
            rebuild=rebuild_of(self.actions, self.injector.done, self.result, group.agents),
        )
        if self.result.injected_unix_s is not None:
            witnesses = Witnesses(self.result.power, self.result.restarted, self.result.roles_after, tuple(results))
            shown = evidence_of(self.actions.inject, self.injector.done, lab, witnesses)
            noted = cluster_status.moments(self.session, since_s, self.inputs.agent, self.inputs.wall_clocks)
            # An outage of a client may have begun before the injection.
            since_s = self.result.started_unix_s or injected_s
            kept = kernel_messages.keep(self.session, self.inputs.writer, self.planned.name, since_s, injected_s)
            self.result = replace(self.result, evidence=shown, moments=tuple(noted), kernel_messages=kept)
            logs = daemon_logs.keep(self.session, self.inputs.writer, self.planned.name, self.log_ends)
            self.result = replace(self.result, daemon_logs=logs.logs, logs_not_read=logs.not_read)

    # ---- afterwards

    def _compare(self, streams: Streams, before: Mapping[str, ClockOffset]) -> None:
        if not self.answered:
            reason = "the storage did not answer"
            self._not_compared(streams, reason)
            return
        try:
            clocks = measure_clocks(self.session.transport, streams.clients, self.inputs.agent)
            comparisons = streams.compare(before, clocks)
            injected_s, ended_s = self.result.injected_unix_s, self.result.recovered_unix_s or self.result.ended_unix_s
            disturbed = (injected_s, ended_s) if injected_s and ended_s else None
            consistency = streams.consistency_tests.judge(
                before, clocks, disturbed, self.result.recovered_unix_s, self._keep_history
            )
            copies = streams.copies.check()
        except RunError as error:
            self._not_compared(streams, str(error))
            return
        figures = {name: compared(item) for name, item in comparisons.items()}
        self.result = replace(
            self.result, compared=figures, consistency=consistency, clock_error_s=error_s(before, clocks)
        )
        self.result = replace(self.result, copies=copies)
        for name, item in comparisons.items():
            where = {"experiment": self.planned.name, "point": {"stream": name}, "repeat": 1}
            self.inputs.writer.line("comparison", fault=self.planned.name, **where, **item)

    def _not_compared(self, streams: Streams, reason: str) -> None:
        consistency, copies = streams.consistency_tests.not_judged(reason), streams.copies.not_checked(reason)
        self.result = replace(self.result, not_compared=reason, consistency=consistency, copies=copies)

    def _keep_history(self, name: str, text: str) -> None:
        self.inputs.writer.keep(f"histories/{safe_name(f'{self.planned.name}-{name}')}.jsonl", text)

    def _clean(self, streams: Streams) -> None:
        alive = [client for client in streams.clients if client not in self.actions.lose()]
        for node, path, reason in streams.clean(alive):
            self.inputs.writer.line("left-behind", node=node, path=path, reason=reason)
            self.inputs.observer.say(f"not removed: {path} on {node}: {reason}")

    def _note(self, text: str) -> None:
        self.result = replace(self.result, notes=(*self.result.notes, text))
        self.inputs.observer.say(f"{self.planned.name}: {text}")


def _pass(group: AgentGroup, duration_s: float) -> None:
    """Let time pass while the agents are followed."""
    limit = time.monotonic() + duration_s
    group.follow(lambda: time.monotonic() >= limit, duration_s)
