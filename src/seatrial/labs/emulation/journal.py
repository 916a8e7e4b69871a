"""What happened to the lab's power, and what its emulators were asked, on this machine's clock."""

import json
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seatrial.basics.clock import boottime_s, unix_s

REQUESTS_MAX = 20000
"""Requests that are kept to be asked for; the file has all."""


class Journal:
    """In memory for those who ask, and one JSON object a line in a file, which outlives the lab."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.power: list[dict[str, Any]] = []
        self.requests: deque[dict[str, Any]] = deque(maxlen=REQUESTS_MAX)

    def changed(self, node: str, what: str, by: str) -> None:
        """A node's power changed, or that of a bus (`node` is the PDU's name)."""
        event = {**_now(), "node": node, "what": what, "by": by}
        self.power.append(event)
        self._write(event)

    def asked(self, came_s: float, emulator: str, source: str, request: str, answer: str) -> None:
        """An emulator has dealt with a request that came so long after this machine's boot; empty: no answer."""
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
    """The same on this process's clock: the supervisor's may have begun before somebody set the time, ours after."""
    return [{**event, "unix_s": unix_s(event["boottime_s"])} for event in events]


def _now(since_boot_s: float | None = None) -> dict[str, float]:
    """`boottime_s` is what others go by, since somebody may set the clock; `unix_s` is for people who read the file."""
    at_s = boottime_s() if since_boot_s is None else since_boot_s
    return {"boottime_s": at_s, "unix_s": unix_s(at_s)}
