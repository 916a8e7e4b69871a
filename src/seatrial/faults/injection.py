"""Carries out what a fault does, through what the lab can do; whatever was begun is undone on every way out."""

import contextlib
import secrets
import shlex
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults.base import (
    Action,
    Actions,
    Bus,
    Disk,
    Emulator,
    Extend,
    Link,
    Mtu,
    Network,
    Power,
    Rebuild,
    Revive,
    Shell,
    Switchover,
    Wait,
    words,
)
from seatrial.faults.done import Done
from seatrial.labs.base import (
    BusControl,
    DiskControl,
    EmulatorControl,
    Lab,
    LinkControl,
    LinkState,
    MtuControl,
    NetworkControl,
    PowerControl,
    PowerLog,
)
from seatrial.record.evidence import Sign
from seatrial.service.deploy import apply_plan
from seatrial.service.session import Session
from seatrial.solutions.base import Extensible, MovesServices
from seatrial.solutions.look import extension
from seatrial.transport import SharedConnections

SHELL_TIMEOUT_S = 60.0
UNANSWERED_TIMEOUT_S = 3.0
BY_SIGNAL = 128
"""from this exit code on a shell says that a signal ended the command"""
PROBE_TIMEOUT_S = 10.0
"""for a new connection, on a slow machine too, and a command"""
REBUILD_POLL_S = 0.5
BOOT_PATIENCE_S = 180.0
"""so long a node that was fenced and restarted may take to boot, under load, on a slow machine"""
SWITCHOVER_TIMEOUT_S = 300.0
EXTENSION_TIMEOUT_S = 600.0


def _who(lab: Lab) -> str:
    """Of whom it is said that it cannot do something."""
    return "on real hosts Seatrial" if lab.kind == "hosts" else f"the lab {lab.kind}"


NEEDS: dict[type, tuple[type, str]] = {
    Power: (PowerControl, "cut the power of a node"),
    Revive: (PowerControl, "restart a node that hangs"),
    Link: (LinkControl, "unplug a link"),
    Network: (NetworkControl, "switch a network off"),
    Emulator: (EmulatorControl, "change how a management controller answers"),
    Bus: (BusControl, "cut a power bus"),
    Mtu: (MtuControl, "change the MTU of a switch's port"),
    Disk: (DiskControl, "slow a disk down"),
}
Pause = Callable[[float], None]


class Injector:
    """Carries out one action after the other and notes when; `pause` is called for waits, so that others go on."""

    def __init__(self, session: Session, pause: Pause = time.sleep) -> None:
        self.session = session
        self.pause = pause
        self.done: list[Done] = []
        self._exit_code: int | None = None
        """of the command that was carried out last, where it answered"""
        self._armed: dict[Shell, tuple[str, int]] = {}
        """by name and number, the process on the node that would repair it"""

    def arm(self, repair: Iterable[Action], after_s: float) -> None:
        """Have each node repair itself after so long, should we be gone by then, or not reach it.

        By a process in a session of its own, which our connection does not end. Of nodes that outlive the run, which a
        lab's do not; RunError where one does not take it.
        """
        for action in repair if self.session.outlives_run else ():
            if isinstance(action, Shell):
                name = f"seatrial-repair-{secrets.token_hex(4)}"
                later = shlex.quote(f"sleep {after_s:.0f} && {{ {action.command}\n}}")
                started = f"setsid sh -c {later} {name} >/dev/null 2>&1 </dev/null & echo $!"
                done = self.session.transport.run(action.node, started, timeout_s=SHELL_TIMEOUT_S)
                if done.exit_code or not done.stdout.strip().isdigit():
                    raise RunError(f"{action.node} cannot be told to repair itself: {done.stderr.strip()}")
                self._armed[action] = name, int(done.stdout)

    def _disarm(self, action: Shell) -> None:
        """What is repaired needs no more; where the node cannot be told so, it repairs once more."""
        if action in self._armed:
            name, process = self._armed.pop(action)
            ended = f"! grep -qs {name} /proc/{process}/cmdline || kill -- -{process}"
            with contextlib.suppress(RunError):
                self._shell(Shell(action.node, ended))

    def missing(self, actions: Actions) -> str | None:
        """What this lab would have to be able to do, and is not; None when it can do all."""
        lab = self.session.lab
        for action in (*actions.inject, *actions.repair, *actions.after):
            need = NEEDS.get(type(action))
            if need and not isinstance(lab, need[0]):
                return f"{_who(lab)} cannot {need[1]}"
        return None

    def inject(self, actions: Iterable[Action]) -> None:
        """All of them, in order; RunError at the first that cannot be done."""
        for action in actions:
            error = self._one(action, "inject")
            if error:
                raise RunError(f"{words(action)}: {error}")

    def repair(self, action: Action) -> None:
        """One of those that make good again; what goes wrong is noted, so that the others are done all the same."""
        if self._one(action, "repair") is None and isinstance(action, Shell):
            self._disarm(action)

    def await_end(self, action: Action) -> None:
        """What lasts longer than the repair; that it did not end in time is noted."""
        self._one(action, "after")

    def _one(self, action: Action, part: str) -> str | None:
        started_s, error = unix_s(), None
        self._exit_code = None
        try:
            self._do(action)
        except RunError as reason:
            error = str(reason)
        finally:
            self.done.append(Done(words(action), part, started_s, unix_s(), error, self._exit_code))
        if error is None and part == "inject":
            self.done[-1] = replace(self.done[-1], seen=tuple(self._seen(action)))
        return error

    def _seen(self, action: Action) -> list[Sign]:
        """What shows at once that an action did what it should; nothing where no one can look."""
        lab = self.session.lab
        silent = isinstance(action, Shell) and not action.expect_answer
        seen = [] if silent else [Sign.COMMAND_SUCCEEDED]
        with contextlib.suppress(RunError):
            match action:
                case Link(node, network, False) if isinstance(lab, LinkState) and not lab.link_is_up(node, network):
                    seen.append(Sign.LINK_DOWN)
                case Network(name, False) if isinstance(lab, LinkState) and not lab.network_is_up(name):
                    seen.append(Sign.LINK_DOWN)
                case Shell(node, probe=probe) if probe is not None:
                    looked = self.session.transport.run(node, probe.command, timeout_s=PROBE_TIMEOUT_S)
                    seen += [probe.shows] if looked.exit_code == 0 else []
        return seen

    def _do(self, action: Action) -> None:
        match action:
            case Shell():
                self._shell(action)
            case Switchover():
                self._switch_over(action)
            case Extend(what):
                self._extend(what)
            case Wait(duration_s):
                self.pause(duration_s)
            case Rebuild():
                self._rebuilt(action)
            case _:
                self._by_lab(action)

    def _by_lab(self, action: Action) -> None:
        lab = self.session.lab
        match action:
            case Power(node, state) if isinstance(lab, PowerControl):
                lab.power(node, state)
                if state == "off":
                    self._forget(node)
            case Revive(node, patience_s) if isinstance(lab, PowerControl):
                self._revive(lab, node, patience_s)
            case Link(node, network, up) if isinstance(lab, LinkControl):
                lab.link(node, network, up=up)
            case Network(name, up) if isinstance(lab, NetworkControl):
                lab.network(name, up=up)
            case Emulator(name, mode, delay_s) if isinstance(lab, EmulatorControl):
                lab.emulator(name, mode, delay_s)
            case Mtu(node, network, mtu) if isinstance(lab, MtuControl):
                lab.mtu(node, network, mtu)
            case Disk(node, number, rate, requests) if isinstance(lab, DiskControl):
                lab.disk(node, number, rate, requests)
            case Bus(pdu, live) if isinstance(lab, BusControl):
                lab.bus(pdu, live=live)
            case _:
                raise RunError(f"{_who(lab)} cannot do this")

    def _shell(self, action: Shell) -> None:
        transport = self.session.transport
        timeout_s = SHELL_TIMEOUT_S if action.expect_answer else UNANSWERED_TIMEOUT_S
        try:
            done = transport.run(action.node, action.command, timeout_s=timeout_s)
        except RunError:
            if action.expect_answer:
                raise
            return  # it is the point of the command that nobody answers
        finally:
            if not action.expect_answer:
                self._forget(action.node)
        self._exit_code = done.exit_code
        # A node that goes down may still answer with 0, or end the command by a signal; what refuses it says so.
        refused = done.exit_code if action.expect_answer else 0 < done.exit_code < BY_SIGNAL
        if refused:
            raise RunError(done.stderr.strip() or f"exit {done.exit_code}")

    def _rebuilt(self, action: Rebuild) -> None:
        limit = time.monotonic() + action.limit_s
        while self.session.transport.run(action.node, action.is_over, timeout_s=SHELL_TIMEOUT_S).exit_code:
            if time.monotonic() >= limit:
                raise RunError(f"it has not ended within {action.limit_s:g} s")
            self.pause(REBUILD_POLL_S)

    def _switch_over(self, action: Switchover) -> None:
        solution, transport = self.session.solution, self.session.transport
        if not isinstance(solution, MovesServices):
            raise RunError("the solution has no service that can be moved")
        apply_plan(solution.switchover(action.service, action.to), transport, timeout_s=SWITCHOVER_TIMEOUT_S)

    def _extend(self, what: str) -> None:
        solution, transport = self.session.solution, self.session.transport
        if not isinstance(solution, Extensible):
            raise RunError("the solution cannot be made larger while it is in use")
        apply_plan(extension(solution, self.session.site, what), transport, timeout_s=EXTENSION_TIMEOUT_S)

    def _revive(self, lab: PowerControl, node: str, patience_s: float) -> None:
        begun_s = time.monotonic()
        while not self.answers(node):
            waited_s = time.monotonic() - begun_s
            if waited_s >= patience_s + BOOT_PATIENCE_S or (waited_s >= patience_s and not self._boots(node)):
                lab.power(node, "off")
                lab.power(node, "on")
                return
            self.pause(1.0)

    def _boots(self, node: str) -> bool:
        """Whether somebody has switched it on since the fault began: cutting it now would only begin its boot anew."""
        lab = self.session.lab
        if not isinstance(lab, PowerLog):
            return False
        since_s = min((item.started_unix_s for item in self.done), default=float("inf"))
        return any(
            item["node"] == node and item["what"] == "on" and item["unix_s"] >= since_s for item in lab.power_log()
        )

    def answers(self, node: str) -> bool:
        """Whether a node takes commands now."""
        try:
            return self.session.transport.run(node, "true", timeout_s=PROBE_TIMEOUT_S).exit_code == 0
        except RunError:
            self._forget(node)
            return False

    def _forget(self, node: str) -> None:
        """Nothing that is still open leads to the node as it is after this."""
        if isinstance(self.session.transport, SharedConnections):
            self.session.transport.forget(node)


class Undo:
    """What is still to be made good again. Made before anything is broken; leaving the block does what is left."""

    def __init__(self, injector: Injector, actions: Iterable[Action]) -> None:
        self._injector = injector
        self._left = list(actions)

    def __enter__(self) -> "Undo":
        return self

    def __exit__(self, *_: object) -> None:
        self.repair()

    def repair(self) -> None:
        """Do what is left, each once; one that was interrupted is done again."""
        while self._left:
            self._injector.repair(self._left[0])
            self._left.pop(0)
