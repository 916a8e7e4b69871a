"""Actions on the power of nodes, and on the devices that switch it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeGuard

from seatrial.basics.event_kinds import PowerState
from seatrial.faults.actions.base import Ability, Action, Means, Outcome, unable
from seatrial.labs.base import (
    BusControl,
    EmulatorControl,
    Lab,
    PowerByControllers,
    PowerControl,
    PowerLog,
    RemoteCommand,
)
from seatrial.result.evidence import Sign
from seatrial.service.session import Session

BOOT_PATIENCE_S = 180.0
"""maximum boot time in s of a fenced node, under load, on a slow machine"""
OK = "ok"
"""the mode of a healthy emulator"""


@dataclass(frozen=True)
class Power(Action):
    """A node's power: cut, restored, or its kernel frozen for a while."""

    node: str
    state: Literal["off", "on", "frozen", "thawed"]
    ability: ClassVar[Ability | None] = Ability(PowerControl, "cut the power of a node")

    def text(self) -> str:
        """A readable description."""
        return f"power of {self.node}: {self.state}"

    def carry_out(self, means: Means) -> Outcome:
        """Set the state."""
        lab = means.session.lab
        if not isinstance(lab, PowerControl):
            raise unable(means.session)
        lab.power(self.node, self.state)
        if self.state == "off":
            means.forget(self.node)
        return Outcome()

    @property
    def lost_nodes(self) -> frozenset[str]:
        """The node, where its power is cut."""
        return frozenset({self.node} if self.state == "off" else ())

    @property
    def stopped_nodes(self) -> frozenset[str]:
        """The node, while it is frozen."""
        return frozenset({self.node} if self.state == "frozen" else ())

    @property
    def breaks(self) -> bool:
        """Whether the node stops."""
        return self.state in ("off", "frozen")

    @property
    def subject(self) -> str:
        """The node."""
        return self.node

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """An event of the power log, where the lab has one."""
        if not isinstance(lab, PowerLog):
            return (Sign.POWER_OFF, Sign.PROCESS_GONE, Sign.CLIENTS_STALLED)
        return (Sign.POWER_OFF,) if self.state == "off" else (Sign.NODE_STOPPED,)

    def signs(self, session: Session, outcome: Outcome) -> Iterator[Sign]:
        """The state that a management controller has reported."""
        yield from super().signs(session, outcome)
        if self.state == "off" and by_controllers(session.lab):
            yield Sign.POWER_OFF

    def problem(self, lab: Lab) -> str | None:
        """Why the controllers of real hosts cannot set the state."""
        return lab.power_problem(self.node, self.state) if by_controllers(lab) else None

    def repair_command(self, session: Session) -> RemoteCommand | None:
        """For a repair: the command of a second machine that restores the power."""
        return _power_timer(session, self.node) if self.state == "on" else None

    @property
    def power_cut_text(self) -> str:
        """The line for consent."""
        if self.state != "off":
            return ""
        return f"cut the power of {self.node} by its management controller"


def by_controllers(lab: Lab) -> TypeGuard[PowerByControllers]:
    """Whether management controllers switch the power of a lab's nodes."""
    return isinstance(lab, PowerByControllers)


def _power_timer(session: Session, node: str) -> RemoteCommand | None:
    return session.lab.power_timer(node) if by_controllers(session.lab) else None


@dataclass(frozen=True)
class Revive(Action):
    """A node that may hang: power off and on, unless it answers within `patience_s`."""

    node: str
    patience_s: float = 5.0
    ability: ClassVar[Ability | None] = Ability(PowerControl, "restart a node that hangs")

    def text(self) -> str:
        """A readable description."""
        return f"restart of {self.node}, unless it answers"

    def carry_out(self, means: Means) -> Outcome:
        """Wait for the node, longer for one that boots, then restart it."""
        lab = means.session.lab
        if not isinstance(lab, PowerControl):
            raise unable(means.session)
        begun_s = time.monotonic()
        while not means.answers(self.node):
            waited_s = time.monotonic() - begun_s
            if waited_s >= self.patience_s + BOOT_PATIENCE_S or (
                waited_s >= self.patience_s and not self._boots(means)
            ):
                lab.power(self.node, "off")
                lab.power(self.node, "on")
                break
            means.pause(1.0)
        return Outcome()

    @property
    def breaks(self) -> bool:
        """It repairs."""
        return False

    def problem(self, lab: Lab) -> str | None:
        """Why the controllers of real hosts cannot restart the node."""
        return lab.power_problem(self.node, "on") if by_controllers(lab) else None

    def repair_command(self, session: Session) -> RemoteCommand | None:
        """The command of a second machine that restarts the node, unless it answers."""
        return _power_timer(session, self.node)

    @property
    def power_cut_text(self) -> str:
        """The line for consent."""
        return f"cut and restore the power of {self.node}, unless it answers"

    def _boots(self, means: Means) -> bool:
        """Whether the node was powered on since the fault began: a power cut would only restart its
        boot.
        """
        lab = means.session.lab
        if not isinstance(lab, PowerLog):
            return False
        since_s = min((item.started_unix_s for item in means.done), default=float("inf"))
        powered_on_s = [
            item["unix_s"]
            for item in lab.power_log()
            if item["node"] == self.node and item["what"] == PowerState.ON
        ]
        return any(unix_s >= since_s for unix_s in powered_on_s)


@dataclass(frozen=True)
class Bus(Action):
    """A power bus: the supplies connected to its PDU have current, or have not."""

    pdu: str
    live: bool
    ability: ClassVar[Ability | None] = Ability(BusControl, "cut a power bus")

    def text(self) -> str:
        """A readable description."""
        return f"power bus of {self.pdu}: {'live' if self.live else 'dead'}"

    def carry_out(self, means: Means) -> Outcome:
        """Cut or restore the current."""
        lab = means.session.lab
        if not isinstance(lab, BusControl):
            raise unable(means.session)
        lab.bus(self.pdu, live=self.live)
        return Outcome()

    @property
    def breaks(self) -> bool:
        """Whether the current is cut."""
        return not self.live

    @property
    def subject(self) -> str:
        """The PDU."""
        return self.pdu

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """An event of the power log, where the lab has one."""
        return (Sign.POWER_OFF if isinstance(lab, PowerLog) else Sign.COMMAND_SUCCEEDED,)


@dataclass(frozen=True)
class Emulator(Action):
    """An emulated device next to the nodes: the mode of its answers from now on."""

    name: str
    mode: str
    delay_s: float = 0.0
    ability: ClassVar[Ability | None] = Ability(
        EmulatorControl, "change how a management controller answers"
    )

    def text(self) -> str:
        """A readable description."""
        return f"{self.name}: {self.mode}" + (f", {self.delay_s:g} s" if self.delay_s else "")

    def carry_out(self, means: Means) -> Outcome:
        """Set the mode."""
        lab = means.session.lab
        if not isinstance(lab, EmulatorControl):
            raise unable(means.session)
        lab.emulator(self.name, self.mode, self.delay_s)
        return Outcome()

    @property
    def breaks(self) -> bool:
        """Whether the device is no longer healthy."""
        return self.mode != OK
