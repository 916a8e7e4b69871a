"""Answers: how several make one, and that an objection never makes one better."""

from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.judge.answer import (
    WORST_FIRST,
    Answer,
    Reason,
    Verdict,
    combine,
    failed,
    invert_for_control,
    passed,
    unknown,
    worst_verdict,
)
from seatrial.judge.busy import BusyMachine
from seatrial.judge.checks import integrity
from seatrial.judge.flaws import Evidence, Missing
from seatrial.judge.happened import NotShown
from seatrial.judge.missing import Completeness
from seatrial.judge.objection import apply_objections
from seatrial.judge.objections import Contradicted, EditedResult, MissingEvidence, TooFewFaults
from seatrial.judge.waivers import PASS_WITH_WAIVERS, Waiver
from seatrial.result.invariants.contradiction import Code, Contradiction, Subject
from seatrial.result.sealed import Seal, SealState
from tests.builders.fault_results import fault
from tests.builders.places import ROOT

WAIVED = Answer(
    PASS_WITH_WAIVERS,
    "read less",
    waivers=(Waiver("stale_reads", "violation", 1, "panic names", "read 0"),),
)
SILENT = unknown("nobody looked", Reason.INCOMPLETE)
SKIPPED = Answer("skipped", "no peer", Reason.SKIPPED)


@pytest.mark.parametrize(
    ("answers", "verdict", "reason", "evidence"),
    [
        ([passed("good"), failed("bad")], "fail", None, "bad; good"),
        ([passed("good"), SILENT], "unknown", Reason.INCOMPLETE, "nobody looked; good"),
        ([passed("good"), SKIPPED], "pass", None, "no peer; good"),
        ([SKIPPED], "unknown", Reason.SKIPPED, "no peer"),
        ([passed("good"), WAIVED], PASS_WITH_WAIVERS, None, "good; read less"),
        ([], "unknown", Reason.NOTHING_CHECKED, "no fault"),
    ],
)
def test_the_worst_answer_decides(
    answers: list[Answer], verdict: str, reason: Reason | None, evidence: str
) -> None:
    """With its reason; every waiver is kept, also where something else fails."""
    answer = combine(answers, "no fault")
    assert (answer.verdict, answer.reason, answer.evidence) == (verdict, reason, evidence)
    assert combine([*answers, WAIVED, failed("bad")], "").waivers[-1:] == WAIVED.waivers


def test_verdicts_have_one_order() -> None:
    """From the worst to the best; nothing found is a pass."""
    best_first: list[Verdict] = ["pass", *reversed(WORST_FIRST)]
    assert [
        worst_verdict(best_first[: number + 1]) for number in range(len(best_first))
    ] == best_first
    assert worst_verdict([]) == "pass"


def test_a_control_passes_where_the_check_fails() -> None:
    """And the reverse; an unknown answer stays unknown."""
    assert invert_for_control(fault(), failed("lost")).verdict == "pass"
    assert invert_for_control(fault(), passed("good")).verdict == "fail"
    assert invert_for_control(fault(), SILENT).reason is Reason.INCOMPLETE
    broken = invert_for_control(fault(failed="ssh was refused"), failed("lost"))
    assert (broken.verdict, broken.reason) == ("unknown", Reason.NOT_CARRIED_THROUGH)


CLAIM: Any = SimpleNamespace(claim=SimpleNamespace(check="integrity"), checker=integrity)
NO_PHASE = Completeness(None, (Missing(Evidence.PHASES, "fig7 read"),))
TWISTED = (Contradiction(Code.NEGATIVE, Subject.RUN, "run", "-1 s"),)
RESULT: Any = SimpleNamespace(faults=[fault(skipped="no peer")])
OBJECTIONS: dict[Reason, Any] = {
    Reason.EVIDENCE_MISSING: MissingEvidence(NO_PHASE),
    Reason.CONTRADICTED: Contradicted(TWISTED),
    Reason.TOO_FEW_FAULTS: TooFewFaults(RESULT),
    Reason.EDITED: EditedResult(Seal(SealState.REMOVED)),
}


@pytest.mark.parametrize("reason", OBJECTIONS)
def test_an_objection_leaves_no_pass(reason: Reason) -> None:
    """It gives the reason as a code; an answer other than a pass stays unchanged."""
    objection = OBJECTIONS[reason]
    for answer in (passed("good"), WAIVED):
        weaker = objection.apply(CLAIM, answer)
        assert (weaker.verdict, weaker.reason, weaker.waivers) == (
            "unknown",
            reason,
            answer.waivers,
        )
        assert answer.evidence in weaker.evidence
    for answer in (failed("bad"), SILENT):
        assert objection.apply(CLAIM, answer) == answer


def test_the_first_objection_gives_the_reason() -> None:
    """Those after it find no pass any more."""
    answer = apply_objections(OBJECTIONS.values(), CLAIM, passed("good"))
    assert answer.reason is Reason.EVIDENCE_MISSING
    assert apply_objections([], CLAIM, passed("good")) == passed("good")


def test_objections_to_one_fault() -> None:
    """A busy machine excuses a failure only; a fault that nothing shows takes a pass only."""
    busy = BusyMachine("the machine was busy")
    unseen = NotShown()
    assert busy.apply(None, failed("late")).reason is Reason.BUSY_MACHINE
    assert BusyMachine(None).apply(None, failed("late")) == failed("late")
    assert busy.apply(None, passed("good")) == passed("good")
    not_injected = fault(actions=())
    assert unseen.apply(not_injected, passed("good")).reason is Reason.NOT_SHOWN
    assert unseen.apply(not_injected, failed("late")) == failed("late")
    assert unseen.apply(fault(), passed("good")) == passed("good")


def test_nothing_in_the_judge_returns_a_verdict_with_words() -> None:
    """One type everywhere: no function there gives a tuple of two texts."""
    folder = ROOT / "src/seatrial/judge"
    found = [path.name for path in folder.rglob("*.py") if "-> tuple[str, str]" in path.read_text()]
    assert found == []
