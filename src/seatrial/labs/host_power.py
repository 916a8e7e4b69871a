"""The power of real hosts, by their management controllers, from a second machine.

The study names this machine (`environment.power_control`). It reaches the controllers, and it keeps
the dead-man timers: if the machine that runs Seatrial fails, it restores the power.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.plan.site import SiteBmc
from seatrial.study.study import Study
from seatrial.transport import HERE, Transport

FUNCTIONS = (Path(__file__).parent / "host_power.sh").read_text()
REPORTED_S = 30
"""longest time until a controller reports a state that it accepted"""
TIMEOUT_S = 120.0
"""for one change: the request, and the time until the controller reports it"""
STATES = frozenset({"on", "off"})
"""a controller cannot stop a kernel and continue it later"""


@dataclass(frozen=True)
class HostPower:
    """The controllers of a study's hosts, reached from one machine."""

    machine: str
    transport: Transport
    controllers: Mapping[str, SiteBmc]
    """node -> its controller"""
    addresses: Mapping[str, str]
    """node -> its name or address, for ping"""

    def problem(self, node: str, state: str) -> str | None:
        """Why the power of a node cannot have a state, in words; None where it can."""
        if state not in STATES:
            return f"a management controller cannot set the state {state}"
        if node == self.machine:
            return f"{node} would cut its own power: power_control needs a second machine"
        if node not in self.controllers:
            return f"{node} has no bmc in the study"
        return None

    def set(self, node: str, state: str) -> None:
        """Switch a node on or off; RunError where its controller does not report that state."""
        problem = self.problem(node, state)
        if problem is not None:
            raise RunError(problem)
        command = self._command("set_power", node, state, str(REPORTED_S))
        done = self.transport.run(self.machine, command, timeout_s=TIMEOUT_S)
        if done.exit_code:
            reason = done.stderr.strip() or f"exit code {done.exit_code}"
            raise RunError(f"{self.machine} could not switch {node} {state}: {reason}")

    def restoring(self, node: str) -> str:
        """The shell command for a dead-man timer: the node has power, and answers or restarts."""
        return self._command("restart_unless_up", node, self.addresses[node])

    def _command(self, function: str, node: str, *arguments: str) -> str:
        controller = self.controllers[node]
        words = (
            function,
            controller.protocol,
            controller.address,
            controller.user,
            str(controller.password_file),
            *arguments,
        )
        return f"{FUNCTIONS}\n{shlex.join(words)}"


def check_power(study: Study, machine: str | None) -> None:
    """InputError for a machine that cannot restore the power when this one fails."""
    place = ("environment", "power_control")
    if machine == HERE:
        problem = "a dead-man timer on this machine ends with it: name a second machine"
        raise study.mistake(place, problem)
    if machine is not None and not any(study.node(name).bmc for name in study.node_names()):
        raise study.mistake(place, "no node has a bmc: write address, user and password_file")
