"""Evidence of a fault: the signs of each action, the stored part of them, and no pass without
them.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.faults.base import (
    Action,
    Bus,
    Disk,
    Emulator,
    Extend,
    Link,
    Mtu,
    Network,
    Power,
    Revive,
    Shell,
    Switchover,
    Wait,
)
from seatrial.faults.done import Done
from seatrial.faults.evidence import Witnesses, evidence_of, needs
from seatrial.faults.probe import Probe
from seatrial.judge.answer import Reason, failed, passed, unknown
from seatrial.judge.base import checker, run_checkers
from seatrial.judge.checks import fencing, recovery
from seatrial.judge.happened import only_if_shown, why_not_shown, why_untried
from seatrial.judge.judge import exit_code, study_of
from seatrial.labs.emulation.network import is_up
from seatrial.result.evidence import Evidence, Sign
from seatrial.result.fault_parts import ActionPart
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from tests.builders.fake_lab import Lab, injector
from tests.builders.fault_kinds import KINDS
from tests.builders.fault_results import ACTIONS, CRITERIA, SHOWN, action, fault, result, stream
from tests.builders.stored import KEPT, Line, lines_of

# ---- the judge

UNSHOWN = (replace(SHOWN[0], seen=()),)
SAID_OFF = (replace(SHOWN[0], needs=(Sign.POWER_OFF,), seen=(Sign.POWER_OFF,)),)
DEAD = {"over_unix_s": 101.0, "operations": 9}
SKIPPED = fault(name="other", skipped="the lab cannot")
NOT_SHOWN: list[tuple[FaultResult, str]] = [
    (fault(injected_unix_s=None), "the time of the injection is unknown"),
    (fault(repaired_unix_s=None), "the time of the repair is unknown"),
    (fault(actions=()), "the result has no injection"),
    (
        fault(actions=(action("inject", 100.0, 100.1, error="permission denied"), ACTIONS[1])),
        "permission denied",
    ),
    (fault(actions=(action("inject", 99.0, 99.1), ACTIONS[1])), "is not between"),
    (
        fault(actions=(ACTIONS[0], action("repair", 101.0, 101.0))),
        "the repair came 0.9 s after the injection",
    ),
    (fault(actions=(action("inject", 130.0, 130.1), ACTIONS[1])), "is not between"),
    (fault(evidence=UNSHOWN), "no evidence of its effect (process-gone was not seen)"),
    (fault(evidence=(replace(SHOWN[0], needs=()),)), "no action states the evidence that it needs"),
    (fault(evidence=()), "does not have the evidence of each action"),
    (fault(evidence=SAID_OFF), "its evidence is the power log, which has no such event"),
    (fault(evidence=None, restarted=()), "no node lost its power, and no node restarted"),
    (
        fault(evidence=None, restarted=(), kind="freeze", streams=(stream(),)),
        "no node stopped, and no client stalled",
    ),
    (fault(streams=()), "no client that kept its power"),
    (
        fault(streams=(stream(operations=0, seconds=()),)),
        "completed no operation before the injection",
    ),
    (
        fault(streams=(stream(seconds=((150.0, 1.0, 4096, 9),)),)),
        "completed no operation before the injection",
    ),
    (fault(streams=(stream(**DEAD),)), "ended before the repair"),
    (
        fault(streams=(stream(), stream(client="c2", lost_power=True))),
        "no evidence shows that c2 lost its power",
    ),
]


@pytest.mark.parametrize(("found", "words"), NOT_SHOWN, ids=[words for _, words in NOT_SHOWN])
def test_a_fault_without_evidence_is_unknown(
    tmp_path: Path, found: FaultResult, words: str
) -> None:
    """By every check that answers from faults; the reason is the same one."""
    assert words in (why_not_shown(found) or "")
    why = why_not_shown(found) or ""
    open_answer = replace(unknown(why, Reason.NOT_SHOWN), objection=why)
    assert only_if_shown(found, passed("well")) == open_answer
    assert only_if_shown(found, failed("broken")) == failed("broken")
    kept = result(tmp_path, found)
    judged = run_checkers(study_of(kept), kept)
    assert len(judged) == len(CRITERIA)
    assert "pass" not in {item.verdict for item in judged}
    for check in (recovery, fencing):
        assert check.check(kept, check.Options()).verdict != "pass"


def test_a_fault_with_evidence_passes(tmp_path: Path) -> None:
    """The fault of these tests, and one with a sign for each action."""
    assert why_not_shown(fault()) is None
    kept = result(tmp_path, fault())
    assert {item.verdict for item in run_checkers(study_of(kept), kept)} == {"pass"}


def test_most_faults_have_to_be_injected(tmp_path: Path) -> None:
    """One of three decides nothing; two of three do, and the third is named."""
    one = result(tmp_path / "one", fault(), SKIPPED, replace(SKIPPED, name="third"))
    assert "only 1 of 3 faults injected" in (why_untried(one, checker("faults")) or "")
    assert {item.verdict for item in run_checkers(study_of(one), one)} == {"unknown"}
    two = result(tmp_path / "two", fault(), fault(name="third", injected_unix_s=100.001), SKIPPED)
    assert why_untried(two, checker("faults")) is None
    assert {item.verdict for item in run_checkers(study_of(two), two)} == {"pass"}
    assert why_untried(one, checker("bound")) is None


def panic(lines: list[Line]) -> Line:
    """The line of the panic in the kept result, which is older than the field `evidence`."""
    return next(line for line in lines if line["type"] == "fault" and line["name"] == "panic")


def refuse(line: Line) -> None:
    """Its command was refused."""
    line["actions"][0]["error"] = "permission denied"


def no_length(line: Line) -> None:
    """It was repaired at once."""
    line["actions"][1]["started_unix_s"] = line["actions"][0]["ended_unix_s"]


def no_crash(line: Line) -> None:
    """No node crashed."""
    line.update(power=[], restarted=[])


def no_load(line: Line) -> None:
    """The streams ended long before it."""
    for item in line["streams"]:
        item["over_unix_s"] = line["injected_unix_s"] - 5.0


def idle(line: Line) -> None:
    """The streams did nothing."""
    for item in line["streams"]:
        item.update(operations=0, seconds=[[*second[:2], 0, 0] for second in item["seconds"]])


def all_without_power(line: Line) -> None:
    """Every client is reported as without power."""
    for item in line["streams"]:
        item["lost_power"] = True


def skip_others(line: Line) -> None:
    """Nothing; see `test_an_older_result_needs_its_witnesses`."""


@pytest.mark.parametrize(
    "alter", [refuse, no_length, no_crash, no_load, idle, all_without_power, skip_others]
)
def test_an_older_result_needs_its_witnesses(alter: Callable[[Line], None]) -> None:
    """Actions, the power log, restarted nodes and the clients' own work."""
    lines = lines_of(KEPT)
    alter(panic(lines))
    if alter is skip_others:
        for line in lines:
            if line["type"] == "fault" and line["name"] != "fence-device":
                line.update(skipped="the lab cannot", injected_unix_s=None)
    found = Result(KEPT, tuple(lines))
    judged = {item.claim: item.verdict for item in run_checkers(study_of(found), found)}
    assert exit_code(found, run_checkers(study_of(found), found)) in (1, 3)
    for claim in ("as-expected", "outages", "fenced", "intact"):
        assert judged[claim] != "pass"


# ---- the observations

STRONG = Lab()
WEAK = type("Weak", (), {"kind": "hosts"})()
PROBED = Shell("nas", "x", probe=Probe("y", Sign.MEDIUM_GONE))
WITHOUT_LOG = (Sign.POWER_OFF, Sign.PROCESS_GONE, Sign.CLIENTS_STALLED)
NEEDED: list[tuple[Action, tuple[Sign, ...], tuple[Sign, ...]]] = [
    (Power("nas", "off"), (Sign.POWER_OFF,), WITHOUT_LOG),
    (Power("nas", "frozen"), (Sign.NODE_STOPPED,), WITHOUT_LOG),
    (Power("nas", "on"), (), ()),
    (Link("nas", "data", up=False), (Sign.LINK_DOWN,), (Sign.COMMAND_SUCCEEDED,)),
    (Link("nas", "data", up=True), (), ()),
    (Network("data", up=False), (Sign.LINK_DOWN,), (Sign.COMMAND_SUCCEEDED,)),
    (Bus("pdu", live=False), (Sign.POWER_OFF,), (Sign.COMMAND_SUCCEEDED,)),
    (Shell("nas", "x", expect_answer=False), *2 * ((Sign.POWER_OFF, Sign.PROCESS_GONE),)),
    (Shell("nas", "x"), *2 * ((Sign.COMMAND_SUCCEEDED,),)),
    (PROBED, *2 * ((Sign.MEDIUM_GONE,),)),
    (Shell("nas", "x", probe=Probe("y")), *2 * ((Sign.EFFECT_SEEN,),)),
    (Switchover("s", "b"), *2 * ((Sign.SERVICE_MOVED, Sign.COMMAND_SUCCEEDED),)),
    (Extend("member"), *2 * ((Sign.COMMAND_SUCCEEDED,),)),
    (Emulator("bmc", "dead"), *2 * ((Sign.COMMAND_SUCCEEDED,),)),
    (Emulator("bmc", "ok"), (), ()),
    (Mtu("nas", "data", 1400), *2 * ((Sign.COMMAND_SUCCEEDED,),)),
    (Mtu("nas", "data", None), (), ()),
    (Disk("nas", 1, 2.0), *2 * ((Sign.COMMAND_SUCCEEDED,),)),
    (Disk("nas", 1), (), ()),
    (Wait(1.0), (), ()),
    (Revive("nas"), (), ()),
]


@pytest.mark.parametrize(
    ("it", "strong", "weak"), NEEDED, ids=[str(item[0])[:40] for item in NEEDED]
)
def test_each_action_that_breaks_something_needs_a_sign(
    it: Action, strong: tuple[Sign, ...], weak: tuple[Sign, ...]
) -> None:
    """As strong as the lab can show it: one with a power log and the state of links, and real
    hosts.
    """
    assert needs(it, STRONG) == strong
    assert needs(it, WEAK) == weak


@pytest.mark.parametrize(
    ("kind", "inject"), [(item[0], item[2]) for item in KINDS], ids=[item[0] for item in KINDS]
)
def test_each_kind_of_fault_has_something_that_shows_it(
    kind: str, inject: tuple[Action, ...]
) -> None:
    """A request alone is no evidence for any of them."""
    assert any(needs(it, STRONG) for it in inject), kind
    assert any(needs(it, WEAK) for it in inject), kind


def test_a_device_is_looked_at() -> None:
    """By the kernel's own flags; one that is not there is an error, and no link that is down."""
    assert is_up("lo") in (True, False)
    with pytest.raises(OSError, match="No such device"):
        is_up("nosuchdevice0")


def seen(it: Action, done: Done | None = None, **witnesses: Any) -> set[Sign]:
    """The observations of an action at 100 s."""
    fields: dict[str, Any] = {"power": (), "restarted": (), "roles_after": {}, "streams": ()}
    executed = done or Done("it", ActionPart.INJECT, 100.0, 101.0)
    (found,) = evidence_of((it,), (executed,), STRONG, Witnesses(**{**fields, **witnesses}))
    return set(found.seen)


def event(what: str, node: str = "nas", at_s: float = 100.5) -> dict[str, Any]:
    """A line of the power log."""
    return {"unix_s": at_s, "node": node, "what": what, "by": "operator"}


def test_signs_come_from_their_observers() -> None:
    """The power log after the action and of its node, the node's other kernel, the service's
    server, the clients.
    """
    crash = Shell("nas", "x", expect_answer=False)
    assert seen(crash) == set()
    assert seen(crash, power=(event("ended by itself"),)) == {Sign.POWER_OFF}
    assert seen(crash, power=(event("on"), event("off", "other"), event("off", at_s=90.0))) == set()
    assert seen(crash, restarted=("nas",)) == {Sign.PROCESS_GONE}
    assert seen(Power("nas", "frozen"), power=(event("frozen"),)) == {Sign.NODE_STOPPED}
    assert seen(Bus("pdu", live=False), power=(event("off", "pdu"),)) == {Sign.POWER_OFF}
    assert seen(Switchover("s", "b"), roles_after={"s": "b"}) == {Sign.SERVICE_MOVED}
    assert seen(Wait(1.0), streams=(stream(5.0),)) == {Sign.CLIENTS_STALLED}
    by_hand = Done("it", ActionPart.INJECT, 100.0, 101.0, seen=(Sign.LINK_DOWN,))
    assert seen(Link("nas", "data", up=False), by_hand) == {Sign.LINK_DOWN}


def test_the_result_keeps_the_observations() -> None:
    """And reads it again; an older result has none."""
    kept = asdict(fault(evidence=SHOWN))
    assert FaultResult.from_json(kept).evidence == SHOWN
    kept.pop("evidence")
    assert FaultResult.from_json(kept).evidence is None
    assert Evidence.from_json(asdict(SHOWN[0])).is_shown
    assert not UNSHOWN[0].is_shown
    assert replace(UNSHOWN[0], needs=()).is_shown


# ---- the injection


def test_a_crash_that_is_refused_is_an_error() -> None:
    """A node that answers with an error is alive; one that ends the command by a signal, or with 0,
    may go down.
    """
    it = injector(Lab())
    with pytest.raises(RunError, match="permission denied"):
        it.inject([Shell("nas", "echo permission denied >&2; exit 1", expect_answer=False)])
    assert (it.done[-1].error, it.done[-1].exit_code, it.done[-1].seen) == (
        "permission denied",
        1,
        (),
    )
    for code in (0, 143):
        it.inject([Shell("nas", f"exit {code}", expect_answer=False)])
        assert (it.done[-1].error, it.done[-1].exit_code, it.done[-1].seen) == (None, code, ())


def test_a_probe_inspects_the_effect_of_a_command() -> None:
    """Right after it; without an observation there is no sign."""
    it = injector(Lab())
    for command, shown in (("true", True), ("false", False)):
        it.inject([Shell("nas", "true", probe=Probe(command, Sign.MEDIUM_GONE))])
        assert (Sign.MEDIUM_GONE in it.done[-1].seen) == shown


@pytest.mark.parametrize("is_up", [True, False])
def test_a_link_that_is_cut_is_looked_at(is_up: bool) -> None:
    """It counts as down when the lab observes it, and not when the lab gets the command."""
    lab = Lab()
    lab.up = is_up
    it = injector(lab)
    for it_is in (Link("nas", "data", up=False), Network("data", up=False)):
        it.inject([it_is])
        assert (Sign.LINK_DOWN in it.done[-1].seen) == (not is_up)
