"""Faults: the order of their stages, and the repair and the result after an error in each."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from seatrial.basics.errors import Interrupted, RunError
from seatrial.faults import daemon_logs, trial
from seatrial.faults.base import Actions, NotHere, Power
from seatrial.faults.context import FaultContext
from seatrial.faults.course import Course, assembled
from seatrial.faults.daemon_logs import LogEnd, SavedLogs
from seatrial.faults.stages import (
    background,
    baseline,
    collect,
    inject,
    prepare,
    recover,
    verify,
    watch,
)
from seatrial.faults.stages.background import Answers, Started, Stopped
from seatrial.faults.stages.baseline import Boots, Work
from seatrial.faults.stages.collect import Collected, Shown
from seatrial.faults.stages.inject import Injected, InjectionStart, Repaired
from seatrial.faults.stages.prepare import Decided, Prepared
from seatrial.faults.stages.recover import Health, Recovery, Restored, Returned
from seatrial.faults.stages.verify import Verified
from seatrial.faults.stages.watch import Observed
from seatrial.faults.streams import Streams
from seatrial.result.faults import DaemonLog, FaultResult, PreparedRole, WorkCosts
from seatrial.result.result import read_result
from seatrial.result.shortage import Interval
from tests.builders.fault_contexts import INJECTED, REPAIRED, Group, context_of, reported, said
from tests.builders.fault_results import SHOWN, stream

FREEZE = Actions((Power("nas", "frozen"),), (Power("nas", "thawed"),))
ROLE = PreparedRole("storage", "c4", "nas", 1.0, 2.0)
LOG = DaemonLog("nas", "nfsd", "logs/it/nas-nfsd.log", is_cut=False)


@dataclass(frozen=True)
class Case:
    """A stage, its result in these tests, and the values that it gives the line of the fault."""

    place: ModuleType
    name: str
    returns: object = None
    line: dict[str, Any] = field(default_factory=dict)


DECIDED = Case(prepare, "decide", Decided(FREEZE, {"storage": "nas"}))
BEFORE = (
    Case(prepare, "require_root"),
    Case(prepare, "prepare_roles", Prepared((ROLE,)), {"prepared": (ROLE,)}),
    Case(DECIDED.place, DECIDED.name, DECIDED.returns, {"roles_before": {"storage": "nas"}}),
    Case(prepare, "require_means"),
)
FILES = (Case(background, "make_files", {}),)
BASELINE = (
    Case(background, "start", Started(100.0), {"started_unix_s": 100.0}),
    Case(background, "await_first_answers", Answers(is_complete=True)),
    Case(daemon_logs, "ends", {"nas": LogEnd("cursor")}),
    Case(baseline, "time_work", Work(WorkCosts({"nas": 3.0})), {"process_start_ms": {"nas": 3.0}}),
    Case(baseline, "boots", Boots(frozenset({"nas"}), {"nas": "1"})),
)
FAULT = (
    Case(inject, "begin", InjectionStart(200.0), {"injected_unix_s": 200.0}),
    Case(inject, "inject"),
    Case(inject, "record_repair", Repaired(210.0), {"repaired_unix_s": 210.0}),
    Case(inject, "await_ends"),
)
RETURN = (
    Case(recover, "deadline", 1.0),
    Case(
        recover,
        "await_nodes",
        Returned(restarted=frozenset({"nas"})),
        {"restarted": ("nas",)},
    ),
    Case(recover, "restore_service", Restored(frozenset(), frozenset())),
    Case(recover, "await_answers", Answers(is_complete=True)),
)
RECOVERY = (
    Case(
        recover,
        "await_health",
        Health(True, {"storage": "c4"}, True, "fine"),
        {"healthy": True, "roles_after": {"storage": "c4"}, "moved": True, "status": "fine"},
    ),
    Case(recover, "conclude", Recovery(220.0), {"recovered_unix_s": 220.0}),
    Case(recover, "observe"),
)
STREAMS = (stream(3.0),)
EVIDENCE = (
    Case(background, "stop", Stopped(230.0)),
    Case(background, "await_results"),
    Case(
        collect,
        "collect_streams",
        Collected(230.0, STREAMS),
        {"ended_unix_s": 230.0, "streams": STREAMS},
    ),
    Case(collect, "collect_evidence", Shown(SHOWN), {"evidence": SHOWN}),
    Case(collect, "collect_logs", SavedLogs((LOG,), ()), {"daemon_logs": (LOG,)}),
)
COMPARISON_LINE = {
    "blocks": 7, "must": 7, "may": 0, "lost": 0, "wrong": 0, "names_checked": 1,
    "extents": [], "extents_omitted": 0, "names": [], "names_omitted": 0, "unfinished": [],
}  # fmt: skip
VERIFIED = Verified({"locks": {"violations_count": 0}})
COMPARISON = (
    Case(verify, "verify_fault", VERIFIED, {"consistency": VERIFIED.consistency}),
    Case(verify, "write_comparisons"),
)
UNDER_LOAD = (*BASELINE, *FAULT, *RETURN, *RECOVERY)
STAGES = (*BEFORE, *FILES, *UNDER_LOAD, *EVIDENCE, *COMPARISON)


def names(cases: tuple[Case, ...]) -> list[str]:
    """The names of stages."""
    return [case.name for case in cases]


@dataclass
class Trial:
    """A fault with simulated stages; the injection and the repair are real."""

    context: FaultContext
    course: Course = field(default_factory=Course)
    called: list[str] = field(default_factory=list)
    """the stages, in order"""
    broken: str = ""
    """the stage that raises `error`"""
    error: BaseException = field(default_factory=lambda: RunError("broken"))

    def stage(self, case: Case, real: Callable[..., Any]) -> Callable[..., Any]:
        """A simulation of a stage."""

        def simulated(*given: Any, **named: Any) -> Any:
            self.called.append(case.name)
            if case.name == self.broken:
                raise self.error
            return real(*given, **named) if case.name == "inject" else case.returns

        return simulated

    def run(self) -> FaultResult:
        """The line of the fault, also after an error or an interrupt."""
        with contextlib.suppress(RunError, NotHere, Interrupted):
            trial.run_stages(self.context, self.course)
        return assembled(self.context, self.course)


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trial:
    """All stages are simulated; the streams have one client, and files."""
    it = Trial(context_of(tmp_path))
    for case in STAGES:
        monkeypatch.setattr(case.place, case.name, it.stage(case, getattr(case.place, case.name)))

    @contextlib.contextmanager
    def agents(*_: object) -> Iterator[Group]:
        yield Group()

    @contextlib.contextmanager
    def monitors(*_: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(observed=lambda *_: Observed({"writers_error_s": 0.5}))

    def clean(_alive: object) -> list[tuple[str, str, str]]:
        it.called.append("clean")
        return []

    copies = SimpleNamespace(start=lambda: None)
    streams = cast(Streams, SimpleNamespace(clients=("c1",), clean=clean, copies=copies))
    monkeypatch.setattr(background, "agents_of", agents)
    monkeypatch.setattr(background, "streams_of", lambda *_: streams)
    monkeypatch.setattr(watch, "monitoring", monitors)
    return it


def test_the_stages_have_one_order(simulated: Trial) -> None:
    """The actions are decided a second time, immediately before the injection."""
    result = simulated.run()
    load = names(UNDER_LOAD)
    load.insert(load.index("boots"), "decide")
    before = names((*BEFORE, *FILES))
    after = names((*EVIDENCE, *COMPARISON))
    assert simulated.called == [*before, *load, *after, "clean"]
    for case in STAGES:
        for key, value in case.line.items():
            assert getattr(result, key) == value, key
    assert result.writers_error_s == 0.5
    assert reported(simulated.context) == [INJECTED, REPAIRED]
    title = "it: injected: a server freezes and resumes"
    assert said(simulated.context) == [title, "it: repaired after 10 s"]


def expected_calls(broken: str, *, is_interrupt: bool) -> set[str]:
    """The stages that begin although one of them fails."""
    order = names(STAGES)
    begun = set(order[: order.index(broken) + 1])
    if broken in names(UNDER_LOAD):
        begun.add("stop")
        if not is_interrupt:
            begun |= {"await_results", "collect_streams"}
            was_injected = order.index(broken) > order.index("begin")
            begun |= {"collect_evidence", "collect_logs"} if was_injected else set()
    return begun


LEFT = "the streams’ files were left in place: the storage does not answer"
SILENT = (
    *names(FILES),
    "start",
    "await_first_answers",
    *names(FAULT)[1:],
    *names(RETURN),
)
"""an error in one of these stages: the storage has not answered since the load began, or since the
injection
"""


@pytest.mark.parametrize("error", [RunError("e"), NotHere("e"), Interrupted("e")])
@pytest.mark.parametrize("broken", names(STAGES))
def test_an_error_in_any_stage_leaves_a_repaired_system_and_a_result(
    simulated: Trial, broken: str, error: BaseException
) -> None:
    """The line has the stages that ended; the files are removed where the storage answers."""
    simulated.broken = broken
    simulated.error = error
    result = simulated.run()
    called = set(simulated.called)
    is_interrupt = isinstance(error, Interrupted)
    assert called - {"clean"} == expected_calls(broken, is_interrupt=is_interrupt)
    for case in STAGES:
        has_ended = case.name in called and case.name != broken
        for key, value in case.line.items():
            assert (getattr(result, key) == value) == has_ended, key

    was_armed = "begin" in called
    was_injected = "inject" in called and broken != "inject"
    assert reported(simulated.context) == [INJECTED] * was_injected + [REPAIRED] * was_armed
    has_files = "make_files" in called
    assert ("clean" in called) == (has_files and broken not in SILENT)
    assert result.notes == ((LEFT,) if broken in SILENT else ())


def run_with(monkeypatch: pytest.MonkeyPatch, context: FaultContext) -> bool:
    """A whole fault with this context."""
    monkeypatch.setattr(trial, "fault_context", lambda *_: context)
    try:
        study = context.session.study
        return trial.run_fault(context.run, context.load, "it", study.faults["it"])
    finally:
        context.writer.close()


@pytest.mark.parametrize(
    ("error", "line", "words"),
    [
        (RunError("no"), (None, "no"), "it: could not be completed: no"),
        (NotHere("no"), ("no", None), "it: skipped: no"),
    ],
)
def test_a_fault_that_ends_early_has_a_line(
    simulated: Trial,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    error: Exception,
    line: tuple[str | None, str | None],
    words: str,
) -> None:
    """One line in the result and one in the terminal."""
    simulated.broken = "await_health"
    simulated.error = error
    assert run_with(monkeypatch, simulated.context) == (line[1] is None)
    (found,) = read_result(tmp_path / "result").faults
    assert (found.skipped, found.failed) == line
    assert (found.repaired_unix_s, found.healthy) == (210.0, None)
    assert said(simulated.context)[-1] == words


def test_an_interrupted_fault_has_no_line(
    simulated: Trial, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A resumed run injects it again."""
    simulated.broken = "await_health"
    simulated.error = Interrupted("SIGTERM")
    with pytest.raises(Interrupted):
        run_with(monkeypatch, simulated.context)
    assert read_result(tmp_path / "result").faults == []
    assert reported(simulated.context) == [INJECTED, REPAIRED]


def test_a_failed_injection_waits_for_the_recovery(
    simulated: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next fault must find a healthy system; the error is raised at the end."""
    failed = Injected(RunError("nas does not freeze"))
    monkeypatch.setattr(inject, "inject", lambda *_: failed)
    with pytest.raises(RunError, match="nas does not freeze"):
        trial.run_stages(simulated.context, simulated.course)
    assert {"observe", "collect_logs", "clean"} < set(simulated.called)
    assert "verify_fault" not in simulated.called
    assert assembled(simulated.context, simulated.course).recovered_unix_s == 220.0


@pytest.mark.parametrize(
    ("course", "is_answered"),
    [
        (Course(), False),
        (Course(answers_before=Answers(is_complete=True)), True),
        (Course(answers_before=Answers(is_complete=True), injection=InjectionStart(1.0)), False),
        (Course(injection=InjectionStart(1.0), answers_after=Answers(is_complete=False)), False),
        (Course(injection=InjectionStart(1.0), answers_after=Answers(is_complete=True)), True),
    ],
)
def test_the_storage_counts_as_silent_from_the_injection_on(
    course: Course, is_answered: bool
) -> None:
    """Until every stream got an answer after the repair."""
    assert course.is_answered == is_answered


def test_a_fault_without_stages_has_an_empty_line(tmp_path: Path) -> None:
    """Its name and its expectations; each value as in a line without a fault."""
    context = context_of(tmp_path)
    planned = context.planned
    words = planned.kind.WORD, planned.title, planned.fault.published
    empty = FaultResult("it", "freeze", *words, context.expected, duration_s=1.0)
    assert assembled(context, Course()) == empty


FIELDS = {
    "cpus_busy_share": 0.5,
    "shortage": (Interval(1.0, 1.0, 0.5),),
    "writers": {"nas": [{"bytes": 1}]},
    "refused": {"c4": [{"requests": 1}]},
    "writers_watched": (1.0, 2.0),
    "writers_error_s": 0.1,
}
WHOLE = Course(
    prepared=Prepared((ROLE,)),
    decided=Decided(FREEZE, {"storage": "nas"}),
    started=Started(1.0),
    work=Work(WorkCosts({"nas": 3.0}, {"nas": 70.0}), {"outage": 9.0}),
    injection=InjectionStart(2.0),
    repaired=Repaired(3.0),
    returned=Returned(restarted=frozenset({"nas", "c4"})),
    health=Health(True, {"storage": "c4"}, True, "fine"),
    recovery=Recovery(4.0),
    collected=Collected(5.0, STREAMS, ({"what": "it"},), ({"node": "nas"},), {"array": "md0"}),
    shown=Shown(SHOWN, ({"what": "detected"},), "kernel/it.log"),
    logs=SavedLogs((LOG,), ("c4",)),
    observed=Observed(FIELDS, {"nas": [(1.0, 7)]}, storage_fenced=True),
    verified=Verified({"locks": {}}, {"dd": {}}, {"small": COMPARISON_LINE}, 0.2, "no answer"),
    skipped="not here",
    failed="an error",
)


def test_the_line_has_every_stage(tmp_path: Path) -> None:
    """A field without a stage would have its default in every result."""
    fault = {"kind": "freeze", "duration": "1s", "recovery_timeout": "9s", "published": "X1"}
    context = context_of(tmp_path, fault=fault)
    context.note("first")
    line = assembled(context, WHOLE)
    empty = FaultResult("", "", "", "", None, {})
    names_unset = [
        item.name for item in fields(line) if getattr(line, item.name) == getattr(empty, item.name)
    ]
    assert names_unset == []
    assert (line.restarted, line.notes) == (("c4", "nas"), ("first",))
    assert line.expect == {**context.expected, "outage": 9.0}
