"""The log of writes to a shared array, by server and time, from tgt's counters of each initiator.

tgt counts written bytes and errors per LUN and session of an initiator. A reading costs one
process. A session that ends between two readings loses the count since the last one. tgt also
counts refused writes (a reservation conflict) as written: when no more was written than refused,
nothing counts as written.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from seatrial.solutions.base import WriteLog, Written

LOOK_S = 0.4
OWNERS_EVERY = 4
"""readings between two queries of the sessions' initiators; session numbers are never reused"""
BLOCK_BYTES = 512
"""smaller amounts are no data: a reservation has 24 bytes"""

FUNCTIONS = (Path(__file__).parent / "write_log.sh").read_text(encoding="ascii")


def command(target: str) -> str:
    """The command that prints the counters until its input ends; bash forks no process for it."""
    call = shlex.join(("follow_writes", target, str(OWNERS_EVERY), str(LOOK_S)))
    script = f"{FUNCTIONS}{call}"
    return f"exec bash -c {shlex.quote(script)}"


# target, LUN, session, four pairs of bytes and requests (read and written, begun and done), errors
_COUNTERS = re.compile(
    r"^\s*\d+\s+(?P<lun>\d+)\s+(?P<session>\d+)(?:\s+\d+){6}"
    r"\s+(?P<written_bytes>\d+)\s+(?P<requests>\d+)\s+(?P<errors>\d+)\s*$"
)
_TIME = re.compile(r"^(before|after) (\d+\.\d+)$")
TICK_S = 0.01
"""resolution of the kernel's time since boot, in seconds"""
_SESSION = re.compile(r"^Session: (\d+)$")
_INITIATOR = re.compile(r"^\s+Initiator: (\S+)")


class _SessionLun(NamedTuple):
    session: str
    lun: str


class _ServerVolume(NamedTuple):
    server: str
    volume: str


class _Counters(NamedTuple):
    """The counters of a session of an initiator and a LUN."""

    written_bytes: int = 0
    requests: int = 0
    errors: int = 0
    """of any request"""

    def since(self, earlier: "_Counters") -> "_Growth":
        """The growth since an earlier reading."""
        is_restarted = any(then > now for then, now in zip(earlier, self, strict=True))
        base = _Counters() if is_restarted else earlier
        written_bytes = self.written_bytes - base.written_bytes
        requests = self.requests - base.requests
        if written_bytes < BLOCK_BYTES:
            return _Growth()
        if self.errors - base.errors >= requests:
            return _Growth(refused=requests)
        return _Growth(written_bytes=written_bytes)


class _Growth(NamedTuple):
    """The writes between two readings."""

    written_bytes: int = 0
    refused: int = 0
    """requests"""

    def plus(self, other: "_Growth") -> "_Growth":
        """The sum of two sessions."""
        return _Growth(self.written_bytes + other.written_bytes, self.refused + other.refused)


@dataclass
class _Reading:
    before_s: float
    after_s: float = 0.0
    counters: dict[_SessionLun, _Counters] = field(default_factory=dict)


def read(lines: Sequence[str], servers: Mapping[str, str], volumes: Mapping[str, str]) -> WriteLog:
    """The log in the lines of the command.

    `servers`: initiator -> server; `volumes`: LUN -> volume. The writes of a session with an
    unknown initiator count for the session's own name.
    """
    readings = list(_readings(lines))
    owners = _owners(lines)
    written = []
    for earlier, later in pairwise(readings):
        sums: dict[_ServerVolume, _Growth] = {}
        for place, counters in later.counters.items():
            if place.lun not in volumes:
                continue
            initiator = owners.get(place.session, f"session {place.session}")
            key = _ServerVolume(servers.get(initiator, initiator), volumes[place.lun])
            growth = counters.since(earlier.counters.get(place, _Counters()))
            sums[key] = sums.get(key, _Growth()).plus(growth)
        written += [
            Written(earlier.before_s, later.after_s, *key, *growth)
            for key, growth in sums.items()
            if any(growth)
        ]
    return WriteLog(
        tuple((reading.before_s, reading.after_s) for reading in readings), tuple(written)
    )


def _readings(lines: Sequence[str]) -> Iterator[_Reading]:
    """The complete readings: those with an end and a counter."""
    current: _Reading | None = None
    for line in lines:
        if time := _TIME.match(line):
            now_s = float(time[2])
            if time[1] == "before":
                current = _Reading(now_s)
            elif current is not None and current.counters:
                current.after_s = now_s + TICK_S
                yield current
                current = None
        elif current is not None and (row := _COUNTERS.match(line)):
            place = _SessionLun(session=row["session"], lun=row["lun"])
            current.counters[place] = _Counters(
                int(row["written_bytes"]), int(row["requests"]), int(row["errors"])
            )


def _owners(lines: Sequence[str]) -> dict[str, str]:
    """Session -> initiator, from all queries."""
    owners = {}
    session = None
    for line in lines:
        if match := _SESSION.match(line):
            session = match[1]
        elif session is not None and (match := _INITIATOR.match(line)):
            owners[session] = match[1]
            session = None
    return owners
