"""From the current deployment to that of a point: only differences are applied, and a failure
invalidates everything.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.cases import Case, vary
from seatrial.labs.base import lab_kind
from seatrial.plan.plan import Plan
from seatrial.service.deploy import Outcome
from seatrial.service.deployed import Deployed, check_remaking
from seatrial.service.session import Observer, Session
from seatrial.solutions.base import load_solution
from seatrial.study.nodes import Paths
from seatrial.study.points import Point
from seatrial.transport import OpenSsh
from tests.builders.observers import Silent
from tests.builders.strategies import changed, study

CABLING = "nodes.nas.disks.paths.cabling"
KIND = "solution.filesystem.kind"
MODE = "solution.export.mode"


@dataclass
class Lab:
    """A lab that notes how its cables were moved."""

    kind: str = "emulated"
    moved: list[tuple[str, str]] = field(default_factory=list)
    rates: list[tuple[str, str, float | None]] = field(default_factory=list)

    def link_rate(self, node: str, network: str, rate_bytes_per_s: float | None) -> None:
        """Note it."""
        self.rates.append((node, network, rate_bytes_per_s))

    def cable(self, node: str, paths: Paths) -> None:
        """Note it."""
        self.moved.append((node, paths.cabling))

    def down(self) -> None:
        """Nothing to end."""

    def facts(self) -> dict[str, Any]:
        """None."""
        return {}

    ssh_config = None
    transport = OpenSsh(None)


@dataclass
class Recording(Session):
    """A session that notes the plans and carries none out; fails while `fails` holds something."""

    plans: list[Plan] = field(default_factory=list)
    fails: list[str] = field(default_factory=list)

    def deploy(self, plan: Plan, observer: Observer | None = None, mode: str = "apply") -> Outcome:
        """Note it, or fail."""
        self.plans.append(plan)
        if self.fails:
            raise RunError(self.fails.pop())
        return Outcome(())


def started() -> tuple[Deployed, Recording]:
    """The small study with paths to its disks, in service."""
    disks = {"count": 6, "size": "256MiB", "paths": {"cabling": "separate", "rate": "1GB/s"}}
    whole = study(changed("nodes.nas.disks", disks))
    site = lab_kind(whole).site(whole)
    session = Recording(whole, site, load_solution(whole, site), Lab(), None)  # type: ignore[arg-type]
    return Deployed(session, Silent(), {}), session


def titles(session: Recording) -> list[str]:
    """The titles of the plans since the last call."""
    found = ["removal" if "out of service" in plan.title else "plan" for plan in session.plans]
    session.plans.clear()
    return found


def test_nothing_is_done_where_nothing_differs() -> None:
    """The study's own values are in service already."""
    state, session = started()
    assert state.change(vary(session.study), "same").study is session.study
    assert titles(session) == []


def test_a_setting_is_applied_and_undone() -> None:
    """One plan each way, and no removal; the session has the values of the point."""
    state, session = started()
    varied = state.change(vary(session.study, {MODE: "async"}), "async")
    assert varied.study.solution.options()["export"]["mode"] == "async"
    state.change(vary(session.study, {MODE: "async"}), "again")
    state.change(vary(session.study, {}), "back")
    assert titles(session) == ["plan", "plan"]
    assert session.lab.moved == []  # type: ignore[attr-defined]


def test_another_file_system_rebuilds_the_storage() -> None:
    """Taken out of service first; the lab's own disks may be erased."""
    state, session = started()
    state.change(vary(session.study, {KIND: "ext3"}), "ext3")
    removal = next(plan for plan in session.plans if "out of service" in plan.title)
    steps = [
        step.title for stage in removal.stages for steps in stage.steps.values() for step in steps
    ]
    assert any(step.startswith("erase /dev/mapper/disk1, /dev/mapper/disk2, ") for step in steps)
    assert titles(session) == ["removal", "plan"]
    state.change(vary(session.study, {KIND: "ext3", MODE: "async"}), "both")
    assert titles(session) == ["plan"]


def test_a_partial_deployment_is_removed() -> None:
    """Of another kind; its daemons would keep running next to those of the next point."""
    state, session = started()
    session.fails.append("no such package")
    smb = {"solution": {"kind": "smb", "server": "nas", "raid": {"level": 5}}}
    with pytest.raises(RunError):
        state.change(vary(session.study, smb), "smb")
    session.plans.clear()
    state.invalidate()
    state.change(vary(session.study, {}), "back")
    assert session.plans[0].title == "take SMB server nas out of service"
    assert titles(session)[0] == "removal"
    state.change(vary(session.study, {MODE: "async"}), "async")
    assert titles(session) == ["plan"]


def test_cables_are_moved_once() -> None:
    """To the new place and back, and not when something else changes."""
    state, session = started()
    state.change(vary(session.study, {CABLING: "single"}), "single")
    state.change(vary(session.study, {CABLING: "single", MODE: "async"}), "async too")
    state.change(vary(session.study, {}), "back")
    assert session.lab.moved == [("nas", "single"), ("nas", "separate")]  # type: ignore[attr-defined]


def test_after_a_failure_everything_is_applied_again() -> None:
    """The study's values are applied again although nothing seems to differ; the storage is
    rebuilt if necessary.
    """
    state, session = started()
    session.fails.append("the plan failed")
    with pytest.raises(RunError):
        state.change(vary(session.study, {MODE: "async"}), "async")
    titles(session)
    state.change(vary(session.study, {}), "back")
    assert titles(session) == ["plan"]
    session.fails.append("the removal failed")
    with pytest.raises(RunError):
        state.change(vary(session.study, {KIND: "ext3"}), "ext3")
    titles(session)
    state.change(vary(session.study, {}), "back")
    assert titles(session) == ["removal", "plan"]
    state.invalidate()
    state.change(vary(session.study, {}), "once more")
    assert titles(session) == ["plan"]


def test_a_device_that_is_not_named_is_not_erased() -> None:
    """On hosts, reported before the run with the devices."""
    data = changed("environment", {"kind": "hosts"})
    data["nodes"]["nas"]["disks"] = {"count": 1, "devices": ["/dev/sdb"]}
    del data["solution"]["raid"]
    whole = study(data)
    site = lab_kind(whole).site(whole)
    base = vary(whole)
    one = whole.experiments["one"]
    point = Point({}, 1, one.workload, {KIND: "ext3"})
    wanted = [Case("kinds", one, point, vary(whole, point.changes))]
    with pytest.raises(InputError, match="kinds recreates the storage, which erases /dev/sdb"):
        check_remaking(base, wanted, {})
    check_remaking(base, wanted, {"nas": frozenset({"/dev/sdb"})})
    removal = load_solution(whole, site).removal({"nas": frozenset({"/dev/sdb"})})
    assert removal.stages[-1].title == "erase the disk"


def test_a_link_gets_another_rate_and_its_own_again() -> None:
    """The lab changes one link, and the plan only the parts that depend on it."""
    state, session = started()
    state.change(vary(session.study, {"nodes.nas.link": "100Mbit/s"}), "slow")
    state.change(vary(session.study, {}), "back")
    assert session.lab.rates == [("nas", "data", 12.5e6), ("nas", "data", 1250e6)]  # type: ignore[attr-defined]
    assert titles(session) == []  # no other plan reaches the nodes
    state.invalidate()
    state.change(vary(session.study, {"nodes.nas.link": "100Mbit/s"}), "slow, and nothing is known")
    assert titles(session) == ["plan"]
