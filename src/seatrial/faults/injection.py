"""Executes the actions of a fault with the means of the lab; every started action is undone on
every exit path.
"""

import contextlib
import secrets
import shlex
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults import site_commands
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
    action_text,
)
from seatrial.faults.done import Done
from seatrial.faults.site_actions import SiteAction, SiteCheck, SiteCommand
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
    SiteHosts,
)
from seatrial.result.evidence import Sign
from seatrial.service.deploy import apply_plan
from seatrial.service.session import Session
from seatrial.solutions.base import Extensible, MovesServices
from seatrial.solutions.look import extension
from seatrial.transport import HERE, SharedConnections, Transport

SHELL_TIMEOUT_S = 60.0
UNANSWERED_TIMEOUT_S = 3.0
BY_SIGNAL = 128
"""a shell reports from this exit code on that a signal ended the command"""
PROBE_TIMEOUT_S = 10.0
"""for a new connection, on a slow machine too, and a command"""
REBUILD_POLL_S = 0.5
BOOT_PATIENCE_S = 180.0
"""maximum boot time in s of a fenced node, under load, on a slow machine"""
SWITCHOVER_TIMEOUT_S = 300.0
EXTENSION_TIMEOUT_S = 600.0


def _who(lab: Lab) -> str:
    """The subject of a sentence about a missing ability."""
    return "on real hosts Seatrial" if lab.kind == "hosts" else f"the lab {lab.kind}"


RUNS_SITE_COMMANDS = "run commands of the site"
NEEDS: dict[type, tuple[type, str]] = {
    Power: (PowerControl, "cut the power of a node"),
    Revive: (PowerControl, "restart a node that hangs"),
    Link: (LinkControl, "unplug a link"),
    Network: (NetworkControl, "switch a network off"),
    Emulator: (EmulatorControl, "change how a management controller answers"),
    Bus: (BusControl, "cut a power bus"),
    Mtu: (MtuControl, "change the MTU of a switch's port"),
    Disk: (DiskControl, "slow a disk down"),
    SiteCommand: (SiteHosts, RUNS_SITE_COMMANDS),
    SiteCheck: (SiteHosts, RUNS_SITE_COMMANDS),
}
Pause = Callable[[float], None]


class Injector:
    """Executes actions in order and records their times; `pause` is called for waits, so that other
    work continues.
    """

    def __init__(self, session: Session, pause: Pause = time.sleep) -> None:
        self.session = session
        self.pause = pause
        self.done: list[Done] = []
        self.keep_output: site_commands.Keep | None = None
        """writes the output of a command of the site to the result"""
        self._exit_code: int | None = None
        """exit code of the last command, where it answered"""
        self._output: str | None = None
        self._site_signs: tuple[Sign, ...] = ()
        self._armed: dict[Shell | SiteCommand, tuple[str, int]] = {}
        """by name and number, the process on the node that would repair it"""

    def arm(self, repair: Iterable[Action], after_s: float) -> None:
        """Arm a dead-man timer on each node that repairs it after `after_s`, if this machine is
        gone or unreachable by then.

        The timer is a process in a separate session, which the end of the connection does not stop.
        Only for nodes that outlive the run, unlike those of a lab. Raises RunError where a node
        does not accept it.
        """
        for action in repair if self.session.outlives_run else ():
            if isinstance(action, Shell | SiteCommand):
                transport, node, command = self._timer_of(action)
                name = f"seatrial-repair-{secrets.token_hex(4)}"
                later = shlex.quote(f"sleep {after_s:.0f} && {{ {command}\n}}")
                started = f"setsid sh -c {later} {name} >/dev/null 2>&1 </dev/null & echo $!"
                done = transport.run(node, started, timeout_s=SHELL_TIMEOUT_S)
                if done.exit_code or not done.stdout.strip().isdigit():
                    raise RunError(f"{node} cannot arm its repair: {done.stderr.strip()}")
                self._armed[action] = name, int(done.stdout)

    def _timer_of(self, action: Shell | SiteCommand) -> tuple[Transport, str, str]:
        """The place of a dead-man timer (transport and node), and its command.

        A command of the site has its timer on this machine: its host may accept no other commands.
        """
        if isinstance(action, Shell):
            return self.session.transport, action.node, action.command
        site = site_commands.site_hosts(self.session.lab)
        command = site.site_command_line(action.host, action.command)
        return site.site_transport(HERE), HERE, command

    def _disarm(self, action: Shell | SiteCommand) -> None:
        """Disarm the timer after the repair; a node that cannot be reached repairs once more."""
        if action in self._armed:
            name, process = self._armed.pop(action)
            ended = f"! grep -qs {name} /proc/{process}/cmdline || kill -- -{process}"
            transport, node, _ = self._timer_of(action)
            with contextlib.suppress(RunError):
                transport.run(node, ended, timeout_s=SHELL_TIMEOUT_S)

    def missing(self, actions: Actions) -> str | None:
        """The missing ability of this lab as text; None when it can execute every action."""
        lab = self.session.lab
        for action in (*actions.inject, *actions.repair, *actions.after):
            need = NEEDS.get(type(action))
            if need and not isinstance(lab, need[0]):
                return f"{_who(lab)} cannot {need[1]}"
        return None

    def reach(self, actions: Actions) -> None:
        """Connect to every machine of the site; raises RunError where one cannot be reached."""
        for action in actions.inject:
            if isinstance(action, SiteCommand):
                try:
                    site_commands.reach(self.session.lab, action.host)
                except RunError as error:
                    raise RunError(f"before anything was done: {error}", error.hint) from None

    def inject(self, actions: Iterable[Action]) -> None:
        """Execute all actions in order; raises RunError at the first that fails."""
        for action in actions:
            error = self._one(action, "inject")
            if error:
                raise RunError(f"{action_text(action)}: {error}")

    def repair(self, action: Action) -> None:
        """Execute one repair action; an error is recorded, so that the remaining ones
        run anyway.
        """
        error = self._one(action, "repair")
        if error is None and isinstance(action, Shell | SiteCommand):
            self._disarm(action)

    def await_end(self, action: Action) -> None:
        """Wait for an action that lasts longer than the repair; a timeout is recorded."""
        self._one(action, "after")

    def _one(self, action: Action, part: str) -> str | None:
        started_s, error = unix_s(), None
        self._exit_code = self._output = None
        self._site_signs = ()
        try:
            self._do(action)
        except RunError as reason:
            error = str(reason)
        finally:
            text, ended_s = action_text(action), unix_s()
            done = Done(text, part, started_s, ended_s, error, self._exit_code, self._output)
            self.done.append(done)
        if error is None and part == "inject":
            self.done[-1] = replace(self.done[-1], seen=tuple(self._seen(action)))
        return error

    def _seen(self, action: Action) -> list[Sign]:
        """Immediate evidence of an action's effect; empty where no check is possible."""
        if isinstance(action, SiteAction):
            return list(self._site_signs)
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
            case SiteCommand() | SiteCheck():
                self._site(action)
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
            return  # it is the purpose of the command that the node does not answer
        finally:
            if not action.expect_answer:
                self._forget(action.node)
        self._exit_code = done.exit_code
        # A node that goes down may still answer with 0, or end the command by a signal.
        # A refusal has another code.
        refused = done.exit_code if action.expect_answer else 0 < done.exit_code < BY_SIGNAL
        if refused:
            raise RunError(done.stderr.strip() or f"exit {done.exit_code}")

    def _site(self, action: SiteAction) -> None:
        answer = site_commands.answer_of(self.session.lab, action, self.pause)
        self._exit_code = answer.exit_code
        if self.keep_output is not None:
            self._output = self.keep_output(answer.text(action))
        self._site_signs = site_commands.signs_of(action, answer)
        error = site_commands.error_of(action, answer)
        if error is not None:
            raise RunError(error)

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
        """Whether the node was powered on since the fault began: a power cut would only restart its
        boot.
        """
        lab = self.session.lab
        if not isinstance(lab, PowerLog):
            return False
        since_s = min((item.started_unix_s for item in self.done), default=float("inf"))
        return any(
            item["node"] == node and item["what"] == "on" and item["unix_s"] >= since_s for item in lab.power_log()
        )

    def answers(self, node: str) -> bool:
        """Whether a node accepts commands now."""
        try:
            return self.session.transport.run(node, "true", timeout_s=PROBE_TIMEOUT_S).exit_code == 0
        except RunError:
            self._forget(node)
            return False

    def _forget(self, node: str) -> None:
        """Close open connections that lead to the node's earlier state."""
        if isinstance(self.session.transport, SharedConnections):
            self.session.transport.forget(node)


class Undo:
    """The pending repairs. Created before anything is broken; leaving the block executes the
    remaining ones.
    """

    def __init__(self, injector: Injector, actions: Iterable[Action]) -> None:
        self._injector = injector
        self._left = list(actions)

    def __enter__(self) -> "Undo":
        return self

    def __exit__(self, *_: object) -> None:
        self.repair()

    def repair(self) -> None:
        """Execute each remaining repair once; an interrupted one is executed again."""
        while self._left:
            self._injector.repair(self._left[0])
            self._left.pop(0)
