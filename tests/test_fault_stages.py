"""Faults: each stage alone, with agents and servers that only report."""

import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from seatrial.basics.errors import Interrupted, RunError
from seatrial.faults import cluster_status, kernel_messages
from seatrial.faults.base import Actions, NotHere, Power, Rebuild, Roles, Shell
from seatrial.faults.done import Done
from seatrial.faults.left_behind import LeftBehind
from seatrial.faults.rebuilds import rebuild_of
from seatrial.faults.stages import background, baseline, clean, inject, prepare, recover, watch
from seatrial.faults.stages.background import Answers, Started
from seatrial.faults.stages.baseline import Boots
from seatrial.faults.stages.inject import Injected, InjectionStart
from seatrial.faults.stages.prepare import Decided
from seatrial.faults.stages.recover import Health, Recovery, Restored, Returned
from seatrial.faults.streams import Streams
from seatrial.load import processes
from seatrial.load.agent_lines import AgentLines
from seatrial.load.shortage import ShortageWatch
from seatrial.load.telemetry import Watched
from seatrial.result import fault_parts
from seatrial.result.fault_parts import ActionPart
from seatrial.result.faults import HERE, WorkCosts
from seatrial.solutions.base import ClusterStatus
from tests.builders.fake_lab import Lab
from tests.builders.fault_contexts import (
    FREEZE,
    INJECTED,
    Group,
    context_of,
    group_of,
    said,
)

THAW = (Power("nas", "thawed"),)
FROZEN = Decided(Actions((Power("nas", "frozen"),), THAW), {"storage": "nas"})
CRASHED = Decided(Actions((Power("c2", "off"),)), {"storage": "nas"})
NEVER = float("inf")


def done(client: str, **more: object) -> AgentLines:
    """An agent that has ended: it waits for nothing."""
    line = {"event": "done", "bytes": 0, "operations": 9, **more}
    return AgentLines(client, 0.0, lines=[line], stream="small")


def given_up(client: str) -> AgentLines:
    """An agent that an error ended."""
    return done(client, stopped_by="error")


# ---- the decision


@pytest.fixture
def roles(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The current roles of the pair."""
    active = {"storage": "nas"}
    now = Roles(("nas", "c4"), active)
    monkeypatch.setattr(cluster_status, "roles", lambda _: now)
    return active


def test_the_actions_follow_from_the_roles(tmp_path: Path, roles: dict[str, str]) -> None:
    """A server freezes that runs the service now."""
    context = context_of(tmp_path)
    assert prepare.decide(context) == FROZEN
    roles["storage"] = "c4"
    assert prepare.decide(context).actions.inject == (Power("c4", "frozen"),)


def test_a_service_on_another_server_ends_the_fault(tmp_path: Path, roles: dict[str, str]) -> None:
    """It was moved before the load, and moved back since."""
    context = context_of(tmp_path, fault={**FREEZE, "active": "c4"})
    words = "^the fault asks for storage on c4, and now runs storage on nas$"
    with pytest.raises(RunError, match=words):
        prepare.decide(context)
    roles.clear()
    with pytest.raises(RunError, match="storage on no server$"):
        prepare.decide(context)


def test_a_lab_without_an_ability_skips_the_fault(tmp_path: Path) -> None:
    """Before any load."""
    context = context_of(tmp_path, cast(Any, SimpleNamespace(kind="hosts")))
    with pytest.raises(NotHere, match="cannot cut the power of a node"):
        prepare.require_means(context, FROZEN)
    prepare.require_means(context_of(tmp_path / "able"), FROZEN)


# ---- the load and the baseline


def test_streams_without_an_answer_are_named(tmp_path: Path) -> None:
    """Nothing is injected then."""
    context = context_of(tmp_path)
    agents = done("c1"), AgentLines("c2", 0.0, stream="small")
    started = Started(100.0)
    with pytest.raises(RunError, match="these streams got no answer: c2 small$"):
        background.await_first_answers(context, group_of(*agents, holds=False), started)
    group = group_of(*agents)
    assert background.await_first_answers(context, group, started) == Answers(is_complete=True)


def test_the_end_is_requested_before_the_copies_end(tmp_path: Path) -> None:
    """The time of the request is between both."""
    calls: list[str] = []
    group = Group(calls=calls)
    copies = SimpleNamespace(stop=lambda: calls.append("copies"))
    streams = cast(Streams, SimpleNamespace(copies=copies))
    from_s = time.time() - 1.0
    stopped = background.stop(cast(Any, group), streams)
    assert calls == ["cancel", "copies"]
    assert from_s < stopped.unix_s < time.time() + 1.0


def test_the_cost_of_work_gives_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the slowest server; the cost on this machine is recorded only."""
    monkeypatch.setattr(processes, "costs_ms", lambda *_: {"nas": 2.0, "c4": 5.0})
    monkeypatch.setattr(processes, "here_ms", lambda: 1.0)
    monkeypatch.setattr(processes, "handshakes_ms", lambda *_: {"nas": 70.0})
    outage = {"extra": "3s", "process_starts": 400}
    work = baseline.time_work(context_of(tmp_path, fault={**FREEZE, "expect": {"outage": outage}}))
    assert work.costs == WorkCosts({"nas": 2.0, "c4": 5.0, HERE: 1.0}, {"nas": 70.0})
    assert work.limit["outage"] == pytest.approx(3.0 + 400 * 0.005)
    assert work.costs.work_s(1000) == pytest.approx(5.0)


# ---- the injection


def test_a_failed_injection_is_returned(tmp_path: Path) -> None:
    """The caller repairs, and waits for the recovery."""
    context = context_of(tmp_path, Lab(fails={INJECTED}))
    injected = inject.inject(context, FROZEN, group_of())
    assert str(injected.failure) == "power of nas: frozen: nas frozen"
    assert inject.inject(context_of(tmp_path / "able"), FROZEN, group_of()) == Injected()


def test_an_interrupt_is_not_a_failure(tmp_path: Path) -> None:
    """It ends the run; nothing waits for a recovery."""
    context = context_of(tmp_path, Lab(fails={INJECTED}, raises=Interrupted))
    with pytest.raises(Interrupted):
        inject.inject(context, FROZEN, group_of())


def test_a_client_without_power_is_given_up(tmp_path: Path) -> None:
    """No result of its streams is expected."""
    group = Group()
    inject.inject(context_of(tmp_path), CRASHED, cast(Any, group))
    assert group.given_up == ["c2"]


REBUILD = Rebuild("nas", "md0", Shell("nas", "add"), "true", 9.0)


@pytest.mark.parametrize(
    ("failure", "error", "is_awaited"),
    [
        (None, None, True),
        (RunError("no"), None, True),
        (RunError("no"), "refused", False),
    ],
)
def test_a_rebuild_is_awaited_if_it_has_begun(
    tmp_path: Path, failure: RunError | None, error: str | None, *, is_awaited: bool
) -> None:
    """Also after a fault that failed half-way: the next one must not overlap with it."""
    context = context_of(tmp_path)
    context.injector.done.append(
        Done("fails a disk", ActionPart.INJECT, 1.0, 2.0, error=error, action=REBUILD.begun_by)
    )
    decided = Decided(Actions((), after=(REBUILD,)))
    inject.await_ends(context, decided, Injected(failure))
    assert [item.part for item in context.injector.done] == ["inject"] + ["after"] * is_awaited


def test_a_rebuild_begins_after_its_own_command() -> None:
    """Not after an earlier one with the same text; the result's entry has no action."""
    same = Shell("nas", "add")
    done = [
        Done(same.text(), ActionPart.INJECT, 1.0, 2.0, action=same),
        Done(same.text(), ActionPart.REPAIR, 3.0, 4.0, action=REBUILD.begun_by),
        Done(REBUILD.text(), ActionPart.AFTER, 4.0, 9.0, action=REBUILD),
    ]
    actions = Actions((same,), (REBUILD.begun_by,), (REBUILD,))
    found = rebuild_of(actions, done, 0.0, 1.0, [])
    assert (found["begun_unix_s"], found["until_unix_s"]) == (4.0, 9.0)
    assert set(done[0].stored()) == set(fault_parts.Done.__annotations__)


# ---- the recovery


def test_a_node_that_does_not_return_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node with another boot id was restarted; a missing one is unknown."""
    monkeypatch.setattr(cluster_status, "wait_for", lambda *_: {"c4"})
    monkeypatch.setattr(cluster_status, "boots", lambda _, nodes: dict.fromkeys(nodes, "2"))
    context = context_of(tmp_path)
    before = Boots(frozenset({"nas", "c1", "c4"}), {"nas": "1", "c1": "2", "c4": "1"})
    returned = recover.await_nodes(context, before, 0.0)
    assert returned == Returned(frozenset({"c4"}), frozenset({"nas"}))
    assert context.notes == ["c4 did not come back"]
    assert said(context) == ["it: c4 did not come back"]


def test_restarted_and_changed_nodes_are_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers first; not a server that does not answer."""
    pushed = []
    restored = []

    def restore(_session: object, nodes: Sequence[str]) -> dict[str, str]:
        restored.append(list(nodes))
        return {"c1": "mount: refused"}

    monkeypatch.setattr(cluster_status, "restore", restore)
    monkeypatch.setattr(recover, "push", lambda _, nodes, _folder: pushed.append(nodes))
    context = context_of(tmp_path)
    returned = Returned(restarted=frozenset({"c1", "nas"}))
    found = recover.restore_service(context, FROZEN, returned)
    assert found == Restored(frozenset({"c1", "nas"}), frozenset({"c1"}))
    recover.restore_service(context, FROZEN, Returned(missing=frozenset({"nas"})))
    assert (pushed, restored) == ([["c1", "nas"], []], [["nas", "c1"], []])
    assert context.notes == ["mount: refused", "mount: refused"]


@pytest.fixture
def status(monkeypatch: pytest.MonkeyPatch) -> list[ClusterStatus | None]:
    """The answers of the servers, from first to last; the last one remains."""
    answers: list[ClusterStatus | None] = []
    monkeypatch.setattr(
        cluster_status, "status", lambda _: answers.pop(0) if len(answers) > 1 else answers[0]
    )
    return answers


WHOLE = ClusterStatus({"storage": "c4"}, healthy=True, text="fine")
ILL = ClusterStatus({}, healthy=False, text="it is out")
NOTHING = Restored(frozenset(), frozenset())


def test_a_solution_becomes_healthy(tmp_path: Path, status: list[ClusterStatus | None]) -> None:
    """Until then it is asked again, also where no server answers."""
    status += [None, ILL, WHOLE]
    health = recover.await_health(context_of(tmp_path), group_of(), FROZEN, NOTHING, NEVER)
    assert health == Health(True, {"storage": "c4"}, moved=True, status="fine")


@pytest.mark.parametrize(
    ("last", "health"),
    [
        (ILL, Health(is_healthy=False, moved=True, status="it is out")),
        (None, Health(is_healthy=False)),
    ],
)
def test_a_solution_that_stays_ill(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: list[ClusterStatus | None],
    last: ClusterStatus | None,
    health: Health,
) -> None:
    """After half of the time, the servers are restored that the fault did not change."""
    restored = []

    def restore(_session: object, nodes: Sequence[str]) -> dict[str, str]:
        restored.append(list(nodes))
        return {}

    monkeypatch.setattr(cluster_status, "restore", restore)
    status.append(last)
    restored_before = Restored(frozenset({"nas"}), frozenset())
    monkeypatch.setattr(background, "hold", lambda *_: time.sleep(0.01))
    deadline_s = time.monotonic() + 0.2
    given = context_of(tmp_path), group_of(), FROZEN, restored_before
    assert recover.await_health(*given, deadline_s) == health
    assert restored == [["c4"]]


class Plain:
    """A solution without high availability."""

    servers = ("nas",)


def test_a_plain_solution_has_no_health(tmp_path: Path) -> None:
    """Its roles never change."""
    context = context_of(tmp_path)
    context.session.solution = cast(Any, Plain())
    health = recover.await_health(context, group_of(), FROZEN, NOTHING, 0.0)
    assert health == Health(None, {"storage": "nas"}, moved=False)


SOUND: dict[str, Any] = {
    "returned": Returned(),
    "restored": NOTHING,
    "answers": Answers(is_complete=True),
    "health": Health(is_healthy=True),
}
MESSAGE = "nas: Out of memory"


@pytest.mark.parametrize(
    ("changes", "agents", "notes"),
    [
        ({}, (done("c1"),), None),
        ({"health": Health()}, (), None),
        ({"restored": Restored(frozenset(), frozenset({"nas"}))}, (), None),
        ({"restored": Restored(frozenset(), frozenset({"c1"}))}, (), [MESSAGE]),
        ({"returned": Returned(frozenset({"nas"}))}, (), [MESSAGE]),
        ({"answers": Answers(is_complete=False)}, (), [MESSAGE]),
        ({"health": Health(is_healthy=False)}, (), [MESSAGE]),
        ({}, (given_up("c2"),), None),
        (
            {},
            (given_up("c1"),),
            ["ended by an error, without an answer after it: c1 small", MESSAGE],
        ),
    ],
)
def test_the_recovery_needs_everything(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    agents: tuple[AgentLines, ...],
    notes: list[str] | None,
) -> None:
    """The reasons against it are noted. The cluster decides for its servers, and a client that lost
    its power does not count.
    """
    monkeypatch.setattr(kernel_messages, "reasons", lambda *_: [MESSAGE])
    context = context_of(tmp_path)
    results = {**SOUND, **changes}
    found = recover.conclude(context, group_of(*agents), CRASHED, InjectionStart(1.0), **results)
    assert (found.unix_s is not None) == (notes is None)
    assert context.notes == (notes or [])


def test_a_failed_repair_is_no_recovery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed injection is one, if all else is healthy."""
    monkeypatch.setattr(kernel_messages, "reasons", lambda *_: [])
    context = context_of(tmp_path)
    group = group_of()
    context.injector.done.append(
        Done("power of nas: frozen", ActionPart.INJECT, 1.0, 2.0, error="no")
    )
    found = recover.conclude(context, group, FROZEN, InjectionStart(1.0), **SOUND)
    assert found.unix_s is not None
    context.injector.done.append(
        Done("power of nas: thawed", ActionPart.REPAIR, 1.0, 2.0, error="no")
    )
    assert recover.conclude(context, group, FROZEN, InjectionStart(1.0), **SOUND) == Recovery()
    assert context.notes == ["not repaired: power of nas: thawed: no"]


@pytest.mark.parametrize(
    ("returned", "health", "is_taken_over"),
    [
        (Returned(), Health(moved=False), False),
        (Returned(), Health(moved=True), True),
        (Returned(restarted=frozenset({"nas"})), Health(), True),
    ],
)
def test_the_streams_continue_after_the_recovery(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    returned: Returned,
    health: Health,
    *,
    is_taken_over: bool,
) -> None:
    """Longer where another server took over, and at least as long as the study observes."""
    held: list[float] = []
    monkeypatch.setattr(background, "hold", lambda _, duration_s: held.append(duration_s))
    times_s = {False: 4.0, True: 40.0}
    monkeypatch.setattr(recover, "aftermath_s", lambda _, *, taken_over: times_s[taken_over])
    for observe, least_s in (("0s", 0.0), ("9s", 9.0)):
        context = context_of(tmp_path / observe, fault={**FREEZE, "observe": observe})
        recover.observe(context, group_of(), returned, health)
        assert held.pop() == max(least_s, times_s[is_taken_over])


# ---- the monitors and the end


def test_processes_count_from_the_injection_to_the_end(
    tmp_path: Path,
) -> None:
    """Not where one of both did not happen."""
    servers = Watched()
    for at_s in (99.0, 101.0, 102.0, 109.0):
        servers.add("nas", {"unix_s": at_s, "processes_started": 7})
    writers = cast(Any, SimpleNamespace(result_fields=lambda: {"writers_error_s": 0.5}))
    solution = context_of(tmp_path).session.solution
    monitors = watch.Monitors(solution, servers, writers, ShortageWatch())
    observed = monitors.observed(100.0, 102.0)
    assert observed.processes_started == {"nas": [(101.0, 7), (102.0, 7)]}
    assert (observed.fields, observed.storage_fenced) == ({"writers_error_s": 0.5}, False)
    assert monitors.observed(None, 102.0).processes_started == {}
    assert monitors.observed(100.0, None).processes_started == {}


def test_files_remain_where_the_storage_is_silent(tmp_path: Path) -> None:
    """Else they are removed on a client that has power; a remaining file has a line."""
    usable = []

    def remove(alive: list[str]) -> list[LeftBehind]:
        usable.append(alive)
        return [LeftBehind("c1", "/storage/it", "busy")]

    streams = cast(Streams, SimpleNamespace(clients=("c1", "c2"), clean=remove))
    context = context_of(tmp_path)
    clean.remove_files(context, streams, CRASHED, is_answered=False)
    assert usable == []
    assert context.notes == ["the streams’ files were left in place: the storage does not answer"]
    clean.remove_files(context, streams, CRASHED, is_answered=True)
    assert usable == [["c1"]]
    assert said(context)[-1] == "not removed: /storage/it on c1: busy"
    assert len(context.notes) == 1
