"""The input of a step of agents: every task reads all requests (docs/launchers.md)."""

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

PROTOCOL = 1


@dataclass(frozen=True)
class Open:
    """Start a command on a node."""

    node: str
    stream: int
    command: str
    data: bytes = b""
    """the begin of its standard input"""


@dataclass(frozen=True)
class Send:
    """Write a line to the standard input of a command."""

    stream: int
    line: str


@dataclass(frozen=True)
class Close:
    """Close the standard input of a command."""

    stream: int


@dataclass(frozen=True)
class End:
    """End a command, with SIGTERM and then with SIGKILL."""

    stream: int


Request = Open | Send | Close | End


def hello(nodes: Sequence[str]) -> str:
    """The first line: all nodes, in the order of the ranks."""
    return json.dumps({"group": PROTOCOL, "clients": list(nodes)})


def document(requests: Iterable[Request]) -> str:
    """One line with all these requests; an input that several commands share is in it once."""
    inputs: dict[bytes, int] = {}
    opened: list[dict[str, Any]] = []
    sent: list[tuple[int, str]] = []
    closed: list[int] = []
    ended: list[int] = []
    for request in requests:
        if isinstance(request, Open):
            opened.append(_opening(request, inputs))
        elif isinstance(request, Send):
            sent.append((request.stream, request.line))
        elif isinstance(request, Close):
            closed.append(request.stream)
        else:
            ended.append(request.stream)
    encoded = [base64.b64encode(data).decode() for data in inputs]
    fields = {"inputs": encoded, "open": opened, "send": sent, "close": closed, "end": ended}
    return json.dumps({name: value for name, value in fields.items() if value})


def _opening(request: Open, inputs: dict[bytes, int]) -> dict[str, Any]:
    fields = {"client": request.node, "stream": request.stream, "command": request.command}
    if not request.data:
        return fields
    return {**fields, "input": inputs.setdefault(request.data, len(inputs))}
