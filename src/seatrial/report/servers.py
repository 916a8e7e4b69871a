"""The table of servers: how busy they were while the clients loaded them, which tells where a bottleneck lies."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from seatrial.report.series import Measured, heading
from seatrial.report.tables import NONE, Column, Table, figures, grouped, mega, percent

NOTE = (
    "Means over the seconds of the usable repeats, as the servers themselves count them; retransmitted segments (TCP) "
    "are those of a whole phase. A server's share of what all of them received and sent tells how evenly they were "
    "loaded. Disks are all whole disks of a server together, parity and metadata included; their busy share is that of "
    "the mean disk. A second in which nothing happens counts too: writes may go to the disks after a phase has ended."
)

COLUMNS = (
    Column("server", head=True),
    Column("CPUs busy", number=True),
    Column("received", "MB/s", number=True),
    Column("sent", "MB/s", number=True),
    Column("of all servers' bytes", number=True, optional=True),
    Column("disks read", "MB/s", number=True),
    Column("disks wrote", "MB/s", number=True),
    Column("disks busy", number=True, optional=True),
    Column("memory free", "MB", number=True),
    Column("waits for disks", "MB", number=True),
    Column("retransmitted", "segments", number=True, optional=True),
)


def table(caption: str, points: Sequence[Measured]) -> Table:
    """One row for each point, phase and server, grouped by the first two; none when no server was watched."""
    groups = []
    for item in points:
        watched = [repeat.servers for repeat in item.basis if repeat.servers]
        names = dict.fromkeys(name for servers in watched for name in servers)
        seconds = {name: [servers.get(name, ()) for servers in watched] for name in names}
        total = sum(map(_carried_bytes, seconds.values())) if len(seconds) > 1 else 0
        rows = [(name, *_row(repeats, total)) for name, repeats in seconds.items()]
        groups.append((heading(item.point, item.phase), rows))
    return grouped(caption, COLUMNS, groups, NOTE)


def _carried_bytes(repeats: Sequence[Sequence[dict[str, Any]]]) -> int:
    """Received and sent, in all repeats."""
    keys = ("network_received_bytes", "network_sent_bytes")
    return sum(line.get(key) or 0 for seconds in repeats for line in seconds for key in keys)


def _row(repeats: Sequence[Sequence[dict[str, Any]]], total_bytes: int) -> tuple[str, ...]:
    lines = [line for seconds in repeats for line in seconds]

    def mean(key: str) -> float | None:
        values = [line[key] for line in lines if line.get(key) is not None]
        return fmean(values) if values else None

    segments = [line["retransmitted_segments"] for line in lines if line.get("retransmitted_segments") is not None]
    return (
        percent(mean("cpus_busy_share")),
        mega(mean("network_received_bytes")),
        mega(mean("network_sent_bytes")),
        percent(_carried_bytes(repeats) / total_bytes) if total_bytes else NONE,
        mega(mean("disk_read_bytes")),
        mega(mean("disk_written_bytes")),
        percent(mean("disk_busy_share")),
        mega(mean("memory_available_bytes")),
        mega(mean("memory_dirty_bytes")),
        figures(sum(segments) / len(repeats)) if segments else NONE,
    )
