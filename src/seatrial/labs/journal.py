"""What happened to the lab's power, and what its emulators were asked, on this machine's clock."""

import json
import time
from collections import deque
from pathlib import Path
from typing import Any

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
        event = {"unix_s": time.time(), "node": node, "what": what, "by": by}
        self.power.append(event)
        self._write(event)

    def asked(self, came_unix_s: float, companion: str, source: str, request: str, answer: str) -> None:
        """An emulator has dealt with a request; `answer` is empty when it gave none."""
        event = {
            "unix_s": came_unix_s,
            "companion": companion,
            "from": source,
            "request": request,
            "answer": answer,
            "answer_after_s": time.time() - came_unix_s if answer else None,
        }
        self.requests.append(event)
        self._write(event)

    def _write(self, event: dict[str, Any]) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(event) + "\n")
