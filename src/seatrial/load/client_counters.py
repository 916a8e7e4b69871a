"""The counters of each client's mount around a phase, for existing storage.

A client that cannot be asked has no counters, and ends nothing.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from seatrial.load.mount_counters import COMMAND, MountCounters, grown, read_counters
from seatrial.solutions.base import Solution
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.transport import Transport, answer_of, on_every

LINE = "mount-counters"
"""type of the line of the result"""
TIMEOUT_S = 15.0
Readings = Mapping[str, MountCounters]
"""by client"""


def readings(transport: Transport, solution: Solution, clients: Sequence[str]) -> Readings:
    """The counters of every client that has them; none where Seatrial deployed the storage."""
    if not isinstance(solution, KeepsCaches):
        return {}
    command = COMMAND.format(directory=shlex.quote(solution.directory))

    def of_client(client: str) -> MountCounters | None:
        answer = answer_of(transport, client, command, TIMEOUT_S)
        return None if answer is None else read_counters(answer)

    answers = on_every(clients, of_client)
    return {client: counters for client, counters in answers.items() if counters is not None}


def between(before: Readings, after: Readings) -> dict[str, dict[str, Any]]:
    """By client, for the result: the mount, and the figures of each operation."""
    clients = {}
    for client, counters in after.items():
        if client in before:
            operations = grown(before[client], counters)
            clients[client] = {
                "filesystem": counters.filesystem,
                "mount": counters.mount,
                "operations": {name: asdict(item) for name, item in operations.items()},
            }
    return clients
