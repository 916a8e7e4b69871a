"""The counters of a client's mount that any user can read: NFS and Lustre.

NFS: `/proc/self/mountstats`, one line for each operation of the protocol. The fields are those of
`_print_rpc_iostats` in `net/sunrpc/stats.c` of Linux: requests, transmissions, major timeouts,
bytes sent, bytes received, and ms in the queue, from the transmission to the reply, and in total.
Version 1.1 adds the number of errors. Lustre: `llite/NAME/stats` below `/proc/fs/lustre`, with the
samples of each operation, their unit, and their minimum, maximum and sum.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

COMMAND = """\
readlink -f {directory}
cat /proc/self/mountstats
grep '' /proc/fs/lustre/llite/*/stats /dev/null 2>/dev/null
true"""
"""sh, read-only, for every user: the path, the mounts, and the counters of Lustre"""
NFS_TYPES = frozenset({"nfs", "nfs4"})
LUSTRE_TYPE = "lustre"
_DEVICE = re.compile(r"^device (?P<device>.+) mounted on (?P<point>.+) with fstype (?P<type>\S+)")
_OPERATION = re.compile(r"^\s+(?P<name>[A-Z0-9_]+): (?P<counters>\d+(?: \d+){7,8})$")
_LUSTRE = re.compile(
    r"^/proc/fs/lustre/llite/(?P<name>[^/]+)/stats:(?P<operation>\S+)\s+(?P<count>\d+) samples "
    r"\[(?P<unit>\w+)\](?: \d+ \d+ (?P<sum>\d+))?"
)
_ESCAPE = re.compile(r"\\([0-7]{3})")
ERRORS_FIELD = 8
US_PER_MS = 1000.0


@dataclass(frozen=True)
class Counters:
    """The counters of one operation; None where the file system does not count it."""

    requests: int
    transmissions: int | None = None
    timeouts: int | None = None
    sent_bytes: int | None = None
    received_bytes: int | None = None
    rtt_ms: float | None = None
    """sum over all requests, from the transmission to the reply"""
    total_ms: float | None = None
    """sum over all requests, with the time in the client's queue"""
    errors: int | None = None


@dataclass(frozen=True)
class MountCounters:
    """The counters of the mount that holds a directory."""

    filesystem: str
    mount: str
    operations: Mapping[str, Counters]


@dataclass(frozen=True)
class OperationFigures:
    """The figures of one operation between two readings."""

    requests: int
    retransmissions: int | None
    timeouts: int | None
    errors: int | None
    sent_bytes: int | None
    received_bytes: int | None
    mean_rtt_ms: float | None
    mean_ms: float | None


def read_counters(answer: str) -> MountCounters | None:
    """The counters in the output of `COMMAND`; None for a mount without counters."""
    path, _, text = answer.partition("\n")
    mount = _mount_of(path, text.splitlines())
    if mount is None:
        return None
    if mount.filesystem in NFS_TYPES:
        operations = dict(_nfs_operations(mount.lines))
        return MountCounters(mount.filesystem, mount.point, operations)
    if mount.filesystem == LUSTRE_TYPE:
        operations = dict(_lustre_operations(mount.device, text.splitlines()))
        return MountCounters(mount.filesystem, mount.point, operations) if operations else None
    return None


def grown(before: MountCounters, after: MountCounters) -> dict[str, OperationFigures]:
    """The figures of each operation with requests between two readings of the same mount."""
    figures = {}
    for name, later in after.operations.items():
        earlier = before.operations.get(name, Counters(0))
        requests = later.requests - earlier.requests
        if before.mount == after.mount and requests > 0:
            figures[name] = _figures(earlier, later, requests)
    return figures


def _figures(earlier: Counters, later: Counters, requests: int) -> OperationFigures:
    transmissions = _more(earlier.transmissions, later.transmissions)
    rtt_ms = _more(earlier.rtt_ms, later.rtt_ms)
    total_ms = _more(earlier.total_ms, later.total_ms)
    return OperationFigures(
        requests=requests,
        retransmissions=None if transmissions is None else max(int(transmissions) - requests, 0),
        timeouts=_whole(_more(earlier.timeouts, later.timeouts)),
        errors=_whole(_more(earlier.errors, later.errors)),
        sent_bytes=_whole(_more(earlier.sent_bytes, later.sent_bytes)),
        received_bytes=_whole(_more(earlier.received_bytes, later.received_bytes)),
        mean_rtt_ms=None if rtt_ms is None else rtt_ms / requests,
        mean_ms=None if total_ms is None else total_ms / requests,
    )


def _more(earlier: float | None, later: float | None) -> float | None:
    """The growth of a counter; an operation that is new had 0 before."""
    return None if later is None else max(later - (earlier or 0), 0)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


@dataclass(frozen=True)
class _Mount:
    """An entry of `mountstats`."""

    device: str
    point: str
    filesystem: str
    lines: list[str]
    """those of its counters"""

    def holds(self, path: str) -> bool:
        """Whether the path is the mount point, or below it."""
        return path == self.point or path.startswith(self.point.rstrip("/") + "/")


def _mount_of(path: str, lines: Iterable[str]) -> _Mount | None:
    """The mount that holds a path: the longest mount point above it, and the last one there."""
    best: _Mount | None = None
    for mount in _mounts(lines):
        if mount.holds(path) and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def _mounts(lines: Iterable[str]) -> Iterator[_Mount]:
    current: _Mount | None = None
    for line in lines:
        match = _DEVICE.match(line)
        if match is not None:
            if current is not None:
                yield current
            current = _Mount(match["device"], _unescaped(match["point"]), match["type"], [])
        elif current is not None:
            current.lines.append(line)
    if current is not None:
        yield current


def _unescaped(text: str) -> str:
    r"""The kernel writes a blank in a path as `\040`."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)


def _nfs_operations(lines: Iterable[str]) -> Iterator[tuple[str, Counters]]:
    for line in lines:
        match = _OPERATION.match(line)
        if match is None:
            continue
        fields = [int(field) for field in match["counters"].split()]
        yield (
            match["name"],
            Counters(
                requests=fields[0],
                transmissions=fields[1],
                timeouts=fields[2],
                sent_bytes=fields[3],
                received_bytes=fields[4],
                rtt_ms=float(fields[6]),
                total_ms=float(fields[7]),
                errors=fields[ERRORS_FIELD] if len(fields) > ERRORS_FIELD else None,
            ),
        )


def _lustre_operations(device: str, lines: Iterable[str]) -> Iterator[tuple[str, Counters]]:
    """The operations of the file system that a device such as `10.0.0.1@tcp:/scratch` names."""
    filesystem = device.rpartition(":/")[2].partition("/")[0]
    for line in lines:
        match = _LUSTRE.match(line)
        if match is None or not match["name"].startswith(f"{filesystem}-"):
            continue
        name = match["operation"]
        sum_of = int(match["sum"]) if match["sum"] else None
        is_bytes = match["unit"] == "bytes"
        is_time = match["unit"] in {"usec", "usecs"}
        total_ms = sum_of / US_PER_MS if is_time and sum_of is not None else None
        yield (
            name,
            Counters(
                requests=int(match["count"]),
                sent_bytes=sum_of if is_bytes and name.startswith("write") else None,
                received_bytes=sum_of if is_bytes and name.startswith("read") else None,
                total_ms=total_ms,
            ),
        )
