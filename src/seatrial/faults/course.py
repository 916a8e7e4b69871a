"""The results of the stages of one fault, and the line of the result that they give."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.faults.context import FaultContext
from seatrial.faults.daemon_logs import LogEnd, SavedLogs
from seatrial.faults.stages.background import Answers, Started
from seatrial.faults.stages.baseline import Work
from seatrial.faults.stages.collect import Collected, Shown
from seatrial.faults.stages.inject import InjectionStart, Repaired
from seatrial.faults.stages.prepare import Decided, Prepared
from seatrial.faults.stages.recover import Health, Recovery, Returned
from seatrial.faults.stages.verify import Times, Verified
from seatrial.faults.stages.watch import Observed
from seatrial.result.faults import FaultResult


@dataclass
class Course:
    """The result of every stage that has ended, in order; the others have their initial value.

    After an error or an interrupt it has the stages until then.
    """

    prepared: Prepared = field(default_factory=Prepared)
    decided: Decided = field(default_factory=Decided)
    """the last decision"""
    started: Started | None = None
    answers_before: Answers | None = None
    log_ends: Mapping[str, LogEnd] = field(default_factory=dict)
    work: Work = field(default_factory=Work)
    injection: InjectionStart | None = None
    repaired: Repaired | None = None
    returned: Returned = field(default_factory=Returned)
    answers_after: Answers | None = None
    health: Health = field(default_factory=Health)
    recovery: Recovery = field(default_factory=Recovery)
    collected: Collected = field(default_factory=Collected)
    shown: Shown = field(default_factory=Shown)
    logs: SavedLogs = field(default_factory=lambda: SavedLogs((), ()))
    observed: Observed = field(default_factory=Observed)
    verified: Verified = field(default_factory=Verified)
    skipped: str | None = None
    """why the fault is not possible here"""
    failed: str | None = None
    """why it could not be completed"""

    @property
    def is_answered(self) -> bool:
        """Whether the storage answered when it was last observed. It counts as silent from the
        injection until all streams got answers again.
        """
        answers = self.answers_before if self.injection is None else self.answers_after
        return answers is not None and answers.is_complete

    @property
    def times(self) -> Times:
        """The times so far."""
        injected_s = self.injection.unix_s if self.injection else None
        return Times(injected_s, self.recovery.unix_s, self.collected.ended_unix_s)


def assembled(context: FaultContext, course: Course) -> FaultResult:
    """The line of a fault, from the results of its stages so far."""
    planned = context.planned
    return FaultResult(
        name=planned.name,
        kind=planned.fault.kind,
        word=planned.kind.WORD,
        title=planned.title,
        published=planned.fault.published,
        expect={**context.expected, **course.work.limit},
        skipped=course.skipped,
        failed=course.failed,
        duration_s=planned.duration_s,
        started_unix_s=course.started.unix_s if course.started else None,
        injected_unix_s=course.times.injected_unix_s,
        repaired_unix_s=course.repaired.unix_s if course.repaired else None,
        recovered_unix_s=course.recovery.unix_s,
        ended_unix_s=course.collected.ended_unix_s,
        roles_before=dict(course.decided.roles),
        roles_after=dict(course.health.roles),
        moved=course.health.moved,
        healthy=course.health.is_healthy,
        status=course.health.status,
        restarted=tuple(sorted(course.returned.restarted)),
        actions=course.collected.actions,
        moments=course.shown.moments,
        power=course.collected.power,
        storage_fenced=course.observed.storage_fenced,
        rebuild=course.collected.rebuild,
        streams=course.collected.streams,
        compared=course.verified.compared,
        consistency=course.verified.consistency,
        copies=course.verified.copies,
        not_compared=course.verified.not_compared,
        notes=tuple(context.notes),
        process_start_ms=course.work.costs.process_start_ms,
        handshake_ms=course.work.costs.handshake_ms,
        processes_started=course.observed.processes_started,
        clock_error_s=course.verified.clock_error_s,
        kernel_messages=course.shown.kernel_messages,
        daemon_logs=course.logs.logs,
        logs_not_read=course.logs.not_read,
        prepared=course.prepared.roles,
        evidence=course.shown.evidence,
        **course.observed.fields,
    )
