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

from seatrial.solutions.base import WriteLog, Written

LOOK_S = 0.4
OWNERS_EVERY = 4
"""readings between two queries of the sessions' initiators; session numbers are never reused"""
BLOCK_BYTES = 512
"""smaller amounts are no data: a reservation has 24 bytes"""

_FOLLOWER = """\
tid=$(tgtadm --lld iscsi --mode target --op show | sed -n 's/^Target \\([0-9]*\\): TARGET$/\\1/p')
look() {
    read -r now _ </proc/uptime; echo "before $now"
    tgtadm --lld iscsi --mode target --op stat --tid $tid
    read -r now _ </proc/uptime; echo "after $now"
}
number=0
while look; do
    [ $((number % OWNERS_EVERY)) -ne 0 ] || tgtadm --lld iscsi --mode conn --op show --tid $tid
    number=$((number + 1))
    read -r -t LOOK_S _ || [ $? -gt 128 ] || exit 0
done
"""


def command(target: str) -> str:
    """The command that prints the counters until its input ends; bash forks no process for it."""
    script = _FOLLOWER.replace("TARGET", target.replace(".", "[.]"))
    script = script.replace("OWNERS_EVERY", str(OWNERS_EVERY)).replace("LOOK_S", str(LOOK_S))
    return f"exec bash -c {shlex.quote(script)}"


# target, LUN, session, four pairs of bytes and requests (read and written, begun and done), errors
_COUNTERS = re.compile(r"^\s*\d+\s+(\d+)\s+(\d+)(?:\s+\d+){6}\s+(\d+)\s+(\d+)\s+(\d+)\s*$")
_TIME = re.compile(r"^(before|after) (\d+\.\d+)$")
TICK_S = 0.01
"""resolution of the kernel's time since boot, in seconds"""
_SESSION = re.compile(r"^Session: (\d+)$")
_INITIATOR = re.compile(r"^\s+Initiator: (\S+)")


@dataclass
class _Reading:
    before_s: float
    after_s: float = 0.0
    counters: dict[tuple[str, str], tuple[int, int, int]] = field(default_factory=dict)
    """(session, LUN) -> bytes written, requests for it, errors of any request"""


def read(lines: Sequence[str], servers: Mapping[str, str], volumes: Mapping[str, str]) -> WriteLog:
    """The log in the lines of the command.

    `servers`: initiator -> server; `volumes`: LUN -> volume. The writes of a session with an
    unknown initiator count for the session's own name.
    """
    readings, owners = list(_readings(lines)), _owners(lines)
    written = []
    for earlier, later in pairwise(readings):
        sums: dict[tuple[str, str], tuple[int, int]] = {}
        for (session, lun), counters in later.counters.items():
            if lun in volumes:
                initiator = owners.get(session, f"session {session}")
                key = (servers.get(initiator, initiator), volumes[lun])
                size_bytes, refused = _grown(earlier.counters.get((session, lun), (0, 0, 0)), counters)
                so_far = sums.get(key, (0, 0))
                sums[key] = (so_far[0] + size_bytes, so_far[1] + refused)
        written += [
            Written(earlier.before_s, later.after_s, *key, size_bytes, refused)
            for key, (size_bytes, refused) in sums.items()
            if size_bytes or refused
        ]
    return WriteLog(tuple((reading.before_s, reading.after_s) for reading in readings), tuple(written))


def _grown(had: tuple[int, int, int], has: tuple[int, int, int]) -> tuple[int, int]:
    """(bytes written, writes refused) of one session between two readings."""
    if any(then > now for then, now in zip(had, has, strict=True)):  # the array was restarted
        had = (0, 0, 0)
    size_bytes, requests, errors = (now - then for then, now in zip(had, has, strict=True))
    if size_bytes < BLOCK_BYTES:
        return 0, 0
    return (0, requests) if errors >= requests else (size_bytes, 0)


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
            current.counters[row[2], row[1]] = int(row[3]), int(row[4]), int(row[5])


def _owners(lines: Sequence[str]) -> dict[str, str]:
    """Session -> initiator, from all queries."""
    owners, session = {}, None
    for line in lines:
        if match := _SESSION.match(line):
            session = match[1]
        elif session is not None and (match := _INITIATOR.match(line)):
            owners[session] = match[1]
            session = None
    return owners
