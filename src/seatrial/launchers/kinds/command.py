"""Launcher `command`: the study has the command line of any launcher, such as that of Flux.

The launcher must copy its standard input to all tasks, and set the rank of each task in a variable
that the agent knows, or start each task on a host with the name of a node.
"""

import shlex

from seatrial.basics.errors import InputError
from seatrial.basics.node_sets import fold
from seatrial.launchers.base import LaunchRequest
from seatrial.launchers.group import GroupTransport
from seatrial.transport import Transport

FIELDS = ("{nodes}", "{nodelist}", "{command}")
EXAMPLE = "command: flux run -N {nodes} -n {nodes} {command}"


def transport(request: LaunchRequest) -> Transport:
    """Start the step."""
    return GroupTransport("command", command_line(request), request.nodes, request.start_timeout_s)


def command_line(request: LaunchRequest) -> list[str]:
    """The words of the template, with its fields replaced.

    `{nodes}` is the number of nodes, `{nodelist}` their names, `{command}` the command of a task.
    InputError when the template has no `{command}` as a word.
    """
    words = _words(request.command)
    if "{command}" not in words:
        raise InputError(
            "the command of the launcher has no word {command}", f"for example {EXAMPLE}"
        )
    values = {"{nodes}": str(len(request.nodes)), "{nodelist}": fold(request.nodes)}
    argv: list[str] = []
    for word in words:
        if word == "{command}":
            argv += [*request.arguments, *request.agent_command]
        else:
            argv.append(_filled(word, values))
    return argv


def _words(template: str | None) -> list[str]:
    if template is None:
        raise InputError("the launcher command needs a command", f"for example {EXAMPLE}")
    try:
        return shlex.split(template)
    except ValueError as error:
        raise InputError(f"the command of the launcher: {error}", "close the quotation") from None


def _filled(word: str, values: dict[str, str]) -> str:
    for field, value in values.items():
        word = word.replace(field, value)
    return word
