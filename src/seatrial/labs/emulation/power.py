"""The power model: buses, outlets, supplies and the relay of a management controller, as state.

    bus -- PDU outlet -- supply of a node --+-- standby power: the node's management controller
                                            +-- relay of the controller -- the node

A node is powered if its relay is closed and one of its supplies has current. The controller is
before the relay: it is unpowered only when no supply has current, and boots when current returns.
The model starts and stops nothing: the supervisor compares `powered` with the running kernels. The
caller passes the time, so that tests need no clock.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from seatrial.labs.emulation.supervisor_spec import SupplySpec

BOOT_S = 2.0
"""seconds until a controller or PDU answers after its current has returned"""


@dataclass
class _Standby:
    """A device on standby power: it answers after current was present for its boot time."""

    since_s: float | None = float("-inf")
    boots: int = 0

    def notice(self, current: bool, now_s: float) -> bool:
        """Follow the current; True when it has just returned."""
        if not current:
            self.since_s = None
        elif self.since_s is None:
            self.since_s = now_s
            self.boots += 1
            return True
        return False


class PowerModel:
    """The power of a whole lab; at first everything is on and booted."""

    def __init__(
        self,
        supplies: Mapping[str, Sequence[SupplySpec]],
        pdus: Iterable[str] = (),
        boot_s: float = BOOT_S,
    ) -> None:
        """`supplies` names every node; one without supplies has current unless it is unplugged."""
        self.supplies = {node: tuple(items) for node, items in supplies.items()}
        self.boot_s = boot_s
        self._bus_live = dict.fromkeys(pdus, True)
        self._outlet_on = {
            (item.pdu, item.outlet): True for items in self.supplies.values() for item in items
        }
        self._plugged = dict.fromkeys(self.supplies, True)
        self._relay_on = dict.fromkeys(self.supplies, True)
        self._controllers = {node: _Standby() for node in self.supplies}
        self._pdus = {pdu: _Standby() for pdu in self._bus_live}

    # ---- state

    def has_current(self, node: str) -> bool:
        """Whether one of the node's supplies has current."""
        supplies = self.supplies[node]
        fed = not supplies or any(
            self._bus_live[item.pdu] and self._outlet_on[item.pdu, item.outlet] for item in supplies
        )
        return self._plugged[node] and fed

    def relay(self, node: str) -> bool:
        """The chassis power that the node's controller reports."""
        return self._relay_on[node]

    def powered(self, node: str) -> bool:
        """Whether the node itself has power; the end of its kernel does not change this."""
        return self.has_current(node) and self._relay_on[node]

    def outlets(self, pdu: str) -> dict[int, bool]:
        """Every connected outlet of the PDU, and whether it is on."""
        return {
            outlet: state
            for (name, outlet), state in sorted(self._outlet_on.items())
            if name == pdu
        }

    def bus(self, pdu: str) -> bool:
        """Whether the PDU's bus is live."""
        return self._bus_live[pdu]

    def controller_answers(self, node: str, now_s: float) -> bool:
        """Whether the node's controller has current and has booted."""
        return self._answers(self._controllers[node], now_s)

    def pdu_answers(self, pdu: str, now_s: float) -> bool:
        """Whether the PDU has current and has booted."""
        return self._answers(self._pdus[pdu], now_s)

    def boots(self, name: str) -> int:
        """How often the node's controller, or the PDU, has rebooted; it loses its sessions."""
        return (self._pdus.get(name) or self._controllers[name]).boots

    def _answers(self, standby: _Standby, now_s: float) -> bool:
        return standby.since_s is not None and now_s - standby.since_s >= self.boot_s

    # ---- changes

    def set_relay(self, node: str, on: bool) -> None:
        """Switch by the controller; one without current ignores the command."""
        if self.has_current(node):
            self._relay_on[node] = on

    def set_outlet(self, pdu: str, outlet: int, on: bool, now_s: float) -> None:
        """Switch by the PDU; one without current ignores it. KeyError for an unknown outlet."""
        if (pdu, outlet) not in self._outlet_on:
            raise KeyError(f"{pdu} has no outlet {outlet}")
        if self._bus_live[pdu]:
            self._outlet_on[pdu, outlet] = on
            self._notice(now_s)

    def set_bus(self, pdu: str, live: bool, now_s: float) -> None:
        """Cut or restore the current before the PDU; outlets keep their state."""
        if pdu not in self._bus_live:
            raise KeyError(f"no PDU is called {pdu}")
        self._bus_live[pdu] = live
        self._notice(now_s)

    def unplug(self, node: str, now_s: float) -> None:
        """The operator pulls all cables of the node."""
        self._plugged[node] = False
        self._notice(now_s)

    def plug(self, node: str, now_s: float) -> None:
        """The operator plugs the cables in, switches outlets on and presses the power button."""
        self._plugged[node] = True
        for item in self.supplies[node]:
            self._outlet_on[item.pdu, item.outlet] = True
        self._notice(now_s)
        self._relay_on[node] = True

    def switched_off_itself(self, node: str) -> None:
        """The node's own system has powered off, as `poweroff` does."""
        self._relay_on[node] = False

    def _notice(self, now_s: float) -> None:
        for node, controller in self._controllers.items():
            if controller.notice(self.has_current(node), now_s):
                self._relay_on[node] = True  # restore policy: always on
        for pdu, standby in self._pdus.items():
            standby.notice(self._bus_live[pdu], now_s)
