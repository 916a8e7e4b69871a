"""The power model against a plain restatement of its rules, over random histories."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from seatrial.labs.emulation.power import BOOT_S, PowerModel
from seatrial.labs.emulation.supervisor_spec import SupplySpec

PDUS = ("pdu-a", "pdu-b")
SUPPLIES = {
    "both": (SupplySpec("pdu-a", 1), SupplySpec("pdu-b", 1)),
    "one": (SupplySpec("pdu-b", 2),),
    "none": (),
}
NODES = st.sampled_from(sorted(SUPPLIES))
OUTLETS = st.sampled_from([item for items in SUPPLIES.values() for item in items])


class Histories(RuleBasedStateMachine):
    """The oracle records every action; the model must agree with the result of the rules."""

    @initialize()
    def begin(self) -> None:
        self.model = PowerModel(SUPPLIES, PDUS)
        self.now_s = 100.0
        self.dead: set[str] = set()
        self.off: set[SupplySpec] = set()
        self.unplugged: set[str] = set()
        self.open: set[str] = set()
        self.lit_since_s = dict.fromkeys((*SUPPLIES, *PDUS), float("-inf"))

    def current(self, node: str) -> bool:
        if node in self.unplugged:
            return False
        return not SUPPLIES[node] or any(
            it.pdu not in self.dead and it not in self.off for it in SUPPLIES[node]
        )

    def lit(self) -> dict[str, bool]:
        return {
            **{node: self.current(node) for node in SUPPLIES},
            **{pdu: pdu not in self.dead for pdu in PDUS},
        }

    def settle(self, before: dict[str, bool]) -> None:
        for name, now in self.lit().items():
            if now and not before[name]:
                self.lit_since_s[name] = self.now_s
                self.open.discard(name)

    @rule(seconds=st.sampled_from([0.1, 1.0, BOOT_S]))
    def wait(self, seconds: float) -> None:
        self.now_s += seconds

    @rule(node=NODES, on=st.booleans())
    def controller(self, node: str, on: bool) -> None:
        self.model.set_relay(node, on)
        if self.current(node):
            (self.open.discard if on else self.open.add)(node)

    @rule(item=OUTLETS, on=st.booleans())
    def outlet(self, item: SupplySpec, on: bool) -> None:
        before = self.lit()
        self.model.set_outlet(item.pdu, item.outlet, on, self.now_s)
        if item.pdu not in self.dead:
            (self.off.discard if on else self.off.add)(item)
        self.settle(before)

    @rule(pdu=st.sampled_from(PDUS), live=st.booleans())
    def bus(self, pdu: str, live: bool) -> None:
        before = self.lit()
        self.model.set_bus(pdu, live, self.now_s)
        (self.dead.discard if live else self.dead.add)(pdu)
        self.settle(before)

    @rule(node=NODES)
    def cut(self, node: str) -> None:
        before = self.lit()
        self.model.unplug(node, self.now_s)
        self.unplugged.add(node)
        self.settle(before)

    @rule(node=NODES)
    def restore(self, node: str) -> None:
        before = self.lit()
        self.model.plug(node, self.now_s)
        self.unplugged.discard(node)
        self.off -= set(SUPPLIES[node])
        self.settle(before)
        self.open.discard(node)

    @rule(node=NODES)
    def poweroff(self, node: str) -> None:
        if self.model.powered(node):
            self.model.switched_off_itself(node)
            self.open.add(node)

    @invariant()
    def nodes_have_power_by_the_rules(self) -> None:
        for node in SUPPLIES:
            assert self.model.has_current(node) == self.current(node)
            assert self.model.powered(node) == (self.current(node) and node not in self.open)

    @invariant()
    def standby_power_is_before_the_relay(self) -> None:
        for node in SUPPLIES:
            awake = self.current(node) and self.now_s - self.lit_since_s[node] >= BOOT_S
            assert self.model.controller_answers(node, self.now_s) == awake
        for pdu in PDUS:
            awake = pdu not in self.dead and self.now_s - self.lit_since_s[pdu] >= BOOT_S
            assert self.model.pdu_answers(pdu, self.now_s) == awake

    @invariant()
    def no_bus_and_no_outlet_reaches_a_node_without_supplies(self) -> None:
        assert self.model.has_current("none") == ("none" not in self.unplugged)


Histories.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestHistories = Histories.TestCase


def test_a_session_does_not_survive_a_loss_of_current() -> None:
    """Boots are counted for the unpowered controller, and for no other."""
    model = PowerModel(SUPPLIES, PDUS)
    model.set_bus("pdu-b", False, 1.0)
    model.set_bus("pdu-b", True, 2.0)
    assert {name: model.boots(name) for name in (*SUPPLIES, *PDUS)} == {
        "both": 0,
        "one": 1,
        "none": 0,
        "pdu-a": 0,
        "pdu-b": 1,
    }


def test_a_dead_bus_receives_no_command() -> None:
    """Its outlets return in their former state."""
    model = PowerModel(SUPPLIES, PDUS)
    model.set_outlet("pdu-b", 1, False, 1.0)
    model.set_bus("pdu-b", False, 2.0)
    model.set_outlet("pdu-b", 1, True, 3.0)
    model.set_bus("pdu-b", True, 4.0)
    assert model.outlets("pdu-b") == {1: False, 2: True}
