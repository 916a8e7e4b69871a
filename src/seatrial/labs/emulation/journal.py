"""The log of the lab's power changes and of requests to its emulators, on this machine's clock."""

import json
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seatrial.basics.clock import boottime_s, unix_s

REQUESTS_MAX = 20000
"""requests kept in memory; the file has all of them"""


class Journal:
    """In memory for requests, and as one JSON object per line in a file that outlives the lab."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.power: list[dict[str, Any]] = []
        self.requests: deque[dict[str, Any]] = deque(maxlen=REQUESTS_MAX)

    def changed(self, node: str, what: str, by: str) -> None:
        """Log a change of a node's power, or of a bus (`node` is the PDU's name)."""
        event = {**_now(), "node": node, "what": what, "by": by}
        self.power.append(event)
        self._write(event)

    def log_request(
        self, came_s: float, emulator: str, source: str, request: str, answer: str
    ) -> None:
        """Log a request that arrived `came_s` after this machine's boot; `answer` may be empty."""
        event = {
            **_now(came_s),
            "emulator": emulator,
            "from": source,
            "request": request,
            "answer": answer,
            "answer_after_s": boottime_s() - came_s if answer else None,
        }
        self.requests.append(event)
        self._write(event)

    def _write(self, event: dict[str, Any]) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(event) + "\n")


def timed(events: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The events with `unix_s` on this process's clock, which may have been set meanwhile."""
    return [{**event, "unix_s": unix_s(event["boottime_s"])} for event in events]


def _now(since_boot_s: float | None = None) -> dict[str, float]:
    """The time since boot, for programs, and the Unix time, for people."""
    at_s = boottime_s() if since_boot_s is None else since_boot_s
    return {"boottime_s": at_s, "unix_s": unix_s(at_s)}
