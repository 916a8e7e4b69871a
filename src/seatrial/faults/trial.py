"""Runs the faults one after the other, each under load: inject, hold, repair, record.

For each fault: the streams begin and must get answers; the roles are determined; the fault is
injected, and undone on every exit path; restarted nodes are returned to service, every stream must
get answers again and the solution must be healthy; finally the trees are compared with the
operation logs. Every wait has a timeout.

This module has the order of the stages. `stages/` has each of them, and `course.py` their results.
"""

from collections.abc import Mapping
from dataclasses import asdict

from seatrial.basics.command_log import doing
from seatrial.basics.errors import RunError
from seatrial.faults import daemon_logs
from seatrial.faults.base import NotHere, load_fault
from seatrial.faults.context import FaultContext, fault_context
from seatrial.faults.course import Course, assembled
from seatrial.faults.durations import BASELINE_S
from seatrial.faults.evidence import Witnesses
from seatrial.faults.injection import Undo
from seatrial.faults.live import show_course
from seatrial.faults.stages import (
    background,
    baseline,
    clean,
    collect,
    inject,
    prepare,
    recover,
    verify,
    watch,
)
from seatrial.faults.stages.background import Stopped
from seatrial.faults.stages.baseline import Boots
from seatrial.faults.stages.inject import InjectionStart, Repaired
from seatrial.faults.streams import Streams
from seatrial.faults.summary import outcome_text
from seatrial.load.agent import AgentGroup
from seatrial.load.clock_offsets import ClockOffset
from seatrial.load.run_context import RunContext
from seatrial.study.faults import Fault, Stream


def run_fault(run: RunContext, load: Mapping[str, Stream], name: str, fault: Fault) -> bool:
    """Inject one fault and record it; False when it could not be completed (which is recorded)."""
    session = run.session
    planned = load_fault(session.study, session.site, session.solution, name, fault)
    context = fault_context(run, load, planned)
    course = Course()
    try:
        with doing(name):
            run_stages(context, course)
    except NotHere as reason:
        course.skipped = str(reason)
    except RunError as error:
        course.failed = str(error)
    run.wall_clocks.check_own()
    result = assembled(context, course)
    run.writer.line("fault", **asdict(result))
    run.observer.say(f"{name}: {outcome_text(result)}")
    return result.failed is None


def run_stages(context: FaultContext, course: Course) -> None:
    """Run all stages of a fault; `course` gets the result of each that has ended.

    Raises NotHere where the fault is not possible, and RunError where it could not be completed.
    The fault is repaired on every exit.
    """
    show_course(context.writer, context.planned)
    prepare.require_root(context)
    course.prepared = prepare.prepare_roles(context)
    course.decided = prepare.decide(context)
    prepare.require_means(context, course.decided)
    streams = background.streams_of(context, course.decided)
    try:
        clocks = background.make_files(context, streams)
        with watch.monitoring(context) as monitors:
            try:
                _under_load(context, course, streams, clocks)
            finally:
                times = course.times
                course.observed = monitors.observed(times.injected_unix_s, times.ended_unix_s)
        course.verified = verify.verify_fault(
            context, streams, clocks, course.times, is_answered=course.is_answered
        )
        verify.write_comparisons(context, course.verified)
    finally:
        clean.remove_files(context, streams, course.decided, is_answered=course.is_answered)


def _under_load(
    context: FaultContext,
    course: Course,
    streams: Streams,
    clocks: Mapping[str, ClockOffset],
) -> None:
    """The fault while the streams run, and the evidence of it; also of a fault that failed."""
    failure: RunError | NotHere | None = None
    with background.agents_of(context, streams, clocks) as group:
        try:
            streams.copies.start()
            _fault(context, course, group)
        except (RunError, NotHere) as error:  # the evidence until then is recorded
            failure = error
        finally:
            stopped = background.stop(group, streams)
        background.await_results(group, course.work.costs)
        _collect(context, course, group, streams, stopped)
    if failure is not None:
        raise failure


def _fault(context: FaultContext, course: Course, group: AgentGroup) -> None:
    """From the start of the streams to the last late effect of the fault."""
    course.started = background.start(group)
    course.answers_before = background.await_first_answers(context, group, course.started)
    course.log_ends = daemon_logs.ends(context.session)
    course.work = baseline.time_work(context)
    background.hold(group, max(BASELINE_S, context.planned.fault.observe))
    decided = course.decided = prepare.decide(context)
    boots = baseline.boots(context, decided)
    context.say(f"injected: {context.planned.title}")
    with Undo(context.injector, decided.actions.repair) as undo:
        injection = course.injection = inject.begin(context)
        injected = inject.inject(context, decided, group)
        undo.repair()
    repaired = course.repaired = inject.record_repair(context, injection)
    inject.await_ends(context, decided, injected)
    context.say(f"repaired after {repaired.unix_s - injection.unix_s:.0f} s")
    _recover(context, course, group, boots=boots, injection=injection, repaired=repaired)
    recover.observe(context, group, course.returned, course.health)
    if injected.failure is not None:
        raise injected.failure


def _recover(
    context: FaultContext,
    course: Course,
    group: AgentGroup,
    *,
    boots: Boots,
    injection: InjectionStart,
    repaired: Repaired,
) -> None:
    """Wait until the system is healthy, at most as long as the study allows."""
    decided = course.decided
    deadline_s = recover.deadline(context, course.work.costs)
    returned = course.returned = recover.await_nodes(context, boots, deadline_s)
    restored = recover.restore_service(context, decided, returned)
    answers = recover.await_answers(group, decided, repaired, deadline_s)
    course.answers_after = answers
    health = recover.await_health(context, group, decided, restored, deadline_s)
    course.health = health
    course.recovery = recover.conclude(
        context,
        group,
        decided,
        injection,
        returned=returned,
        restored=restored,
        answers=answers,
        health=health,
    )


def _collect(
    context: FaultContext, course: Course, group: AgentGroup, streams: Streams, stopped: Stopped
) -> None:
    """Collect the results of the streams, and the evidence of an injected fault."""
    started = course.started
    injection = course.injection
    collected = course.collected = collect.collect_streams(
        context,
        group,
        streams,
        course.decided,
        started=started,
        injection=injection,
        stopped=stopped,
    )
    if started is None or injection is None:
        return
    witnesses = Witnesses(
        collected.power, course.returned.restarted, course.health.roles, collected.streams
    )
    course.shown = collect.collect_evidence(context, course.decided, started, injection, witnesses)
    course.logs = collect.collect_logs(context, course.log_ends)
