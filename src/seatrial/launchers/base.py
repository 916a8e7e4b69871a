"""The interface of launchers, and the list of them.

A launcher is a module with the function `transport`. The launcher `ssh` connects to each node. The
other launchers start one step of agents over all nodes (`seatrial.launchers.group`).
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from seatrial.basics.errors import InputError
from seatrial.basics.plugins import Plugins
from seatrial.transport import Transport

GROUP = "group"
"""the subcommand of the agent that serves one node of a step"""


@dataclass(frozen=True)
class LaunchRequest:
    """What a launcher needs to reach the nodes of a study."""

    nodes: tuple[str, ...]
    """the names in the study, in the order of the ranks"""
    agent: str
    """path of the agent on every node"""
    arguments: tuple[str, ...] = ()
    """added to the command line of the launcher"""
    command: str | None = None
    """template of the command line, for the launcher `command`"""
    ssh_config: Path | None = None
    sudo: bool = False
    start_timeout_s: float = 10.0

    @property
    def agent_command(self) -> tuple[str, ...]:
        """The command of each task of a step."""
        return (self.agent, GROUP)


class Launcher(Protocol):
    """The interface of the module of a launcher."""

    def transport(self, request: LaunchRequest) -> Transport:
        """Access to all nodes; RunError when the launcher cannot start, and names the nodes."""


@dataclass(frozen=True)
class StartedTask:
    """Where one node of the study is."""

    host: str
    """host name, or in Slurm the name of the node"""
    rank: int | None
    machine: str
    """identifies the kernel and the container; two nodes with the same value share a machine"""


@runtime_checkable
class GroupOfTasks(Protocol):
    """Optional: a transport over one step of a launcher."""

    @property
    def tasks(self) -> dict[str, StartedTask]:
        """The task of each node."""

    @property
    def command_line(self) -> str:
        """The command that started the step."""

    def close(self) -> None:
        """End the step."""


_KINDS = Plugins("seatrial.launchers.kinds", "seatrial.launchers", ("transport",))


def launcher_names() -> list[str]:
    """The names of all launchers."""
    return _KINDS.names()


def launcher_named(name: str) -> Launcher:
    """The module of a launcher; KeyError when there is none."""
    return cast(Launcher, _KINDS.load(name))


def refuse_template(request: LaunchRequest, launcher: str) -> None:
    """InputError when the study has a template that this launcher ignores."""
    if request.command is not None:
        raise InputError(
            f"the launcher {launcher} makes its own command",
            "use launcher: command, or remove command",
        )


def shown(argv: Sequence[str]) -> str:
    """A command line for users."""
    return shlex.join(argv)
