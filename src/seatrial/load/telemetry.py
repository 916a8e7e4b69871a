"""The load of the servers, second by second, while clients load them: `seatrial-agent watch` on
each.
"""

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seatrial.load.clock_offsets import ClockOffset, OnClockSet
from seatrial.streams import Stream
from seatrial.transport import Transport, following


class Watched:
    """The servers' lines so far; times on the common clock."""

    def __init__(self) -> None:
        self._lines: dict[str, list[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._more = threading.Condition(self._lock)

    def add(self, node: str, line: dict[str, Any]) -> None:
        """Record one second of a node."""
        with self._lock:
            self._lines.setdefault(node, []).append(line)
            self._more.notify_all()

    def wait_until(self, end_s: float, timeout_s: float) -> None:
        """Wait until every monitored node has reported the second of `end_s`, at most for the
        timeout.
        """
        with self._lock:
            self._more.wait_for(
                lambda: all(lines[-1]["unix_s"] >= end_s for lines in self._lines.values()),
                timeout_s,
            )

    def between(self, start_s: float, end_s: float) -> dict[str, tuple[dict[str, Any], ...]]:
        """By node, the seconds that ended inside this time, and one more: the last may not be over
        yet.
        """
        with self._lock:
            return {
                node: tuple(line for line in lines if start_s < line["unix_s"] <= end_s + 1.0)
                for node, lines in self._lines.items()
            }


@contextlib.contextmanager
def watching(
    transport: Transport,
    nodes: Sequence[str],
    agent: str,
    clocks: Mapping[str, ClockOffset],
    clock_set: OnClockSet = lambda _node, _line, _clock: None,
) -> Iterator[Watched]:
    """Monitor these nodes until the block ends. A node that cannot be monitored has no lines, and
    ends nothing.
    """
    watched = Watched()
    with following([transport.stream(node, f"{agent} watch") for node in nodes]) as streams:
        for stream in streams:
            threading.Thread(
                target=_follow, args=(stream, watched, clocks[stream.node], clock_set), daemon=True
            ).start()
        yield watched


def _follow(stream: Stream, watched: Watched, clock: ClockOffset, clock_set: OnClockSet) -> None:
    for text in stream.lines():
        with contextlib.suppress(ValueError, KeyError):
            line = json.loads(text)
            if line["event"] == "wall-clock-set":
                clock_set(stream.node, line, clock)
                continue
            disks = {f"disk_{key}": value for key, value in line["disks"].items()}
            unix_s = clock.unix_s(line["boottime_ns"] / 1e9)
            watched.add(stream.node, {"unix_s": unix_s, **line["telemetry"], **disks})
