"""Faults: a lab carries their actions out, and undoes them at every end."""

import os
import shlex
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import Interrupted, RunError
from seatrial.check import prepare
from seatrial.faults.base import (
    Action,
    Actions,
    Bus,
    Disk,
    Emulator,
    Link,
    Mtu,
    Network,
    Power,
    Rebuild,
    Revive,
    Shell,
    Wait,
)
from seatrial.faults.done import Done
from seatrial.faults.injection import Injector, Undo
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.result.fault_parts import ActionPart
from seatrial.service.session import Session
from seatrial.transport import Completed, Local
from tests.builders.fake_lab import Lab, injector
from tests.builders.fault_studies import planned


def armed(repair: Shell, after_s: float, *, outlives: bool = True) -> Injector:
    """An injector for this machine as the nodes, which have a timer for the repair."""
    whole = planned()
    site, solution = prepare(whole)
    injector = Injector(Session(whole, site, solution, Lab(), Local(), outlives_run=outlives))
    injector.arm([repair, Wait(1.0)], after_s)
    return injector


def test_a_node_that_outlives_the_run_repairs_itself(tmp_path: Path) -> None:
    """If the controller is gone: with any quotes and expansions in the command. A lab ends
    with its run.
    """
    place = tmp_path / "it's repaired"
    repair = Shell("nas", f'here={shlex.quote(str(place))}; echo ${{here##*/}} >"$here"  # done')
    assert armed(repair, 0.0, outlives=False)._armed == {}
    armed(repair, 0.0)
    limit = time.monotonic() + 60
    while not (place.exists() and place.read_text()) and time.monotonic() < limit:
        time.sleep(0.05)
    assert place.read_text() == "it's repaired\n"


def test_a_repaired_node_has_no_timer(tmp_path: Path) -> None:
    """Its process and its waiting are gone; where the repair failed, the timer remains."""
    works = Shell("nas", f"[ ! -e {tmp_path}/broken ]")
    failed = Shell("nas", "false")
    for repair, left in ((works, 0), (failed, 1)):
        injector = armed(repair, 300.0)
        (timer,) = injector._armed.values()
        process = timer.process
        injector.repair(repair)
        assert len(injector._armed) == left
        limit = time.monotonic() + 60
        while not left and Path(f"/proc/{process}").exists() and time.monotonic() < limit:
            time.sleep(0.05)
        assert Path(f"/proc/{process}").exists() == bool(left)
        if left:
            while os.getpgid(process) != process and time.monotonic() < limit:
                time.sleep(0.05)  # until it leads its process group
            os.killpg(process, signal.SIGKILL)


def test_a_node_that_cannot_repair_itself_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that cannot get a timer before the fault is left alone."""
    monkeypatch.setattr(
        Local, "run", lambda _self, node, *_, **__: Completed(node, 127, "", "sh: no setsid")
    )
    with pytest.raises(RunError, match="^nas cannot arm its repair: sh: no setsid$"):
        armed(Shell("nas", "true"), 1.0)


def test_everything_a_lab_can_do_is_done() -> None:
    """Each through its own capability, with the time before and after it."""
    lab = Lab()
    it = injector(lab)
    actions: tuple[Action, ...] = (
        Power("nas", "off"),
        Link("a", "n", up=True),
        Network("n", up=False),
    )
    actions = (*actions, Emulator("b", "slow", 2.0), Bus("p", live=True), Disk("nas", 1, 2.0))
    it.inject(
        (
            *actions,
            Mtu("nas", "data", None),
            Wait(1.0),
            Shell("nas", "exit 0"),
            Shell("nas", "exit 143", expect_answer=False),
        )
    )
    assert lab.reported == [
        "nas off",
        "a n True",
        "n False",
        "b slow 2",
        "p True",
        "nas 1 2.0 None",
        "nas data None",
    ]
    assert all(item.ended_unix_s >= item.started_unix_s and item.error is None for item in it.done)
    with pytest.raises(RunError, match="on nas: exit 7: exit 7"):
        it.inject([Shell("nas", "exit 7")])


def test_limits_of_a_lab_are_known_before_the_run() -> None:
    """With the reason that the result keeps."""

    @dataclass
    class Hosts:
        kind: str = "hosts"
        subject: str = HostsLab.subject

    it = injector(Hosts())
    assert it.missing(Actions((Shell("nas", "x"),))) is None
    assert (
        it.missing(Actions((Shell("nas", "x"),), (Revive("nas"),)))
        == "on real hosts Seatrial cannot restart a node that hangs"
    )
    assert (
        it.missing(Actions((Bus("p", live=False),)))
        == "on real hosts Seatrial cannot cut a power bus"
    )
    with pytest.raises(RunError, match="cannot do this"):
        it.inject([Link("nas", "data", up=False)])


@pytest.mark.parametrize(("what", "cut"), [("on", False), ("off", True)])
def test_a_node_that_was_fenced_and_boots_is_not_cut_again(
    what: str, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any time; a node that stays off is restarted at the end of the wait."""
    lab = Lab()
    it = injector(lab)
    it.done.append(Done("panic", ActionPart.INJECT, 100.0, 100.5))
    monkeypatch.setattr(lab, "power_log", lambda: [{"node": "nas", "what": what, "unix_s": 101.0}])
    answers = iter([False, False, True])
    monkeypatch.setattr(it, "answers", lambda _node: next(answers))
    it.repair(Revive("nas", 0.0))
    assert ("nas off" in lab.reported) == cut


def test_the_end_of_a_rebuild_is_waited_for_and_has_a_bound() -> None:
    """The node is asked while streams continue; a rebuild that does not end in time is recorded."""
    it = injector(Lab())
    begun = Shell("nas", "true")
    it.await_end(Rebuild("nas", "/dev/md/x", begun, "exit 1", -1.0))
    it.await_end(Rebuild("nas", "/dev/md/x", begun, "exit 0", 9.0))
    assert [(item.what, item.part, item.error) for item in it.done] == [
        ("rebuild of /dev/md/x on nas", "after", "it has not ended within -1 s"),
        ("rebuild of /dev/md/x on nas", "after", None),
    ]


NAMES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True)


@given(
    NAMES,
    st.sets(st.sampled_from("abcdef")),
    st.sets(st.sampled_from("abcdef")),
    st.sampled_from([RunError, Interrupted]),
)
def test_every_part_is_undone_in_order_at_every_end(
    nodes: list[str], sick: set[str], stuck: set[str], way: type[BaseException]
) -> None:
    """With any failure during the injection or during the undo, every part is undone, in order."""
    lab = Lab(fails={f"{node} off" for node in sick}, raises=way)
    it = injector(lab)
    repair = tuple(Power(node, "on") for node in reversed(nodes))
    try:
        with Undo(it, repair) as undo:
            it.inject(Power(node, "off") for node in nodes)
            lab.fails = {f"{node} on" for node in stuck}
            lab.raises = RunError
            undo.repair()
    except (RunError, Interrupted):
        assert sick & set(nodes)
        lab.fails = set()
    undone = [text.removesuffix(" on") for text in lab.reported if text.endswith(" on")]
    assert undone == list(reversed(nodes))


def test_an_interrupted_undo_is_repeated() -> None:
    """A signal in the middle of repair: the action at hand counts as not done."""
    lab = Lab(fails={"b on"}, raises=Interrupted)

    def interrupted() -> None:
        with Undo(injector(lab), (Power("a", "on"), Power("b", "on"), Power("c", "on"))) as undo:
            try:
                undo.repair()
            finally:
                lab.fails = set()

    with pytest.raises(Interrupted):
        interrupted()
    assert lab.reported == ["a on", "b on", "b on", "c on"]
