"""The tables of clients and of servers: their work and their load, which show where a bottleneck
is.

Of many clients only the slowest, the median and the fastest are shown; the result contains them
all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from seatrial.report import overlap
from seatrial.report.lab_marks import marked
from seatrial.report.overlap import Share
from seatrial.report.points import LATENCY_UNIT, engines, latency_text, of_engine, share_text
from seatrial.report.tables import Column, Table, grouped, number_columns
from seatrial.result.outages import longest_of
from seatrial.result.phases import ClientResult
from seatrial.result.quantities import OPERATIONS, Quantity
from seatrial.study.workload import moves_data
from seatrial.summary.names import heading
from seatrial.summary.notation import NONE, figures, mega, percent, written
from seatrial.summary.points import Measured, worst


def reported_values(lines: Sequence[dict[str, Any]], key: str) -> list[float]:
    """The values of a node's figure, from the seconds that contain it."""
    return [line[key] for line in lines if line.get(key) is not None]


# ---- clients

CLIENTS_MAX = 16
"""of more clients, only three are shown"""

CLIENTS_NOTE = (
    "Means of the usable repeats. A client’s rate is its data divided by its own time; the share "
    "is its rate divided by the "
    "mean of all clients’ rates. Latency: the client’s own, the worst of the repeats, as is the "
    "longest outage. "
    "Retransmitted segments (TCP) cover a whole phase. CPUs: utilization of the client’s own "
    "CPUs. Of its "
    "engine: operations per second of the mean task as a share of the rate of a reading task when "
    "the storage "
    "takes no time."
)


@dataclass(frozen=True)
class One:
    """One client in all counted repeats."""

    name: str
    phase: str
    repeats: tuple[ClientResult, ...]

    def mean_of(self, of: Callable[[ClientResult], float | None]) -> float | None:
        """The mean of a figure; None where no repeat has it."""
        values = [value for item in self.repeats if (value := of(item)) is not None]
        return fmean(values) if values else None

    def rate(self, quantity: Quantity) -> float:
        """Its own rate, in SI units."""
        key = "operations_per_s" if quantity is OPERATIONS else "rate_bytes_per_s"
        return fmean(getattr(item, key) for item in self.repeats)


def clients_of(item: Measured) -> list[One]:
    """Every client of a point and phase, in the order of the run."""
    results: dict[str, list[ClientResult]] = {}
    for repeat in item.basis:
        for client in repeat.clients:
            results.setdefault(client.client, []).append(client)
    return [One(name, item.phase, tuple(repeats)) for name, repeats in results.items()]


def chosen(clients: Sequence[One], quantity: Quantity) -> list[tuple[str, One]]:
    """(label, client) of the clients that are shown."""
    if len(clients) <= CLIENTS_MAX:
        return [(client.name, client) for client in clients]
    order = sorted(clients, key=lambda client: client.rate(quantity))
    three = {"slowest": order[0], "median": order[(len(order) - 1) // 2], "fastest": order[-1]}
    return [(f"{client.name} ({word})", client) for word, client in three.items()]


def clients_table(caption: str, points: Sequence[Measured]) -> Table:
    """One row per point, phase and client, grouped by the first two; empty when no repeat was
    whole.
    """
    groups = []
    for item in points:
        clients = clients_of(item)
        if clients:
            many = (
                f": {len(clients)} clients, three of them shown"
                if len(clients) > CLIENTS_MAX
                else ""
            )
            mean = fmean(client.rate(item.quantity) for client in clients)
            rows = [
                (name, *_row(client, item.quantity, mean))
                for name, client in chosen(clients, item.quantity)
            ]
            groups.append((heading(item.point, item.phase) + many, rows))
    table = grouped(caption, _columns(points[0].quantity), groups, CLIENTS_NOTE)
    return marked(table, ("latency", "CPUs busy"), in_lab=any(item.in_lab for item in points))


def _columns(quantity: Quantity) -> tuple[Column, ...]:
    operations = quantity is OPERATIONS
    return (
        Column("client", head=True),
        Column(
            "operations" if operations else "rate",
            "1/s" if operations else quantity.unit,
            number=True,
        ),
        Column("of mean client", number=True),
        Column("done", "s", number=True),
        Column("latency", LATENCY_UNIT, number=True, optional=True),
        Column("longest outage", "s", number=True, optional=True),
        Column("retransmitted", "segments", number=True, optional=True),
        Column("CPUs busy", number=True, optional=True),
        Column("engine", optional=True),
        Column("of its engine", number=True, optional=True),
    )


def _row(client: One, quantity: Quantity, mean: float) -> tuple[str, ...]:
    rate = client.rate(quantity)
    segments = client.mean_of(_retransmitted)
    return (
        written(quantity, rate),
        percent(rate / mean) if mean else NONE,
        figures(client.mean_of(lambda item: item.elapsed_s)),
        latency_text(worst(client.phase, (item.latency_ms for item in client.repeats))),
        longest_outage(client.repeats),
        NONE if segments is None else f"{segments:.4g}",
        percent(client.mean_of(_busy)),
        engines(client.repeats),
        share_text(client.mean_of(of_engine) if moves_data(client.phase) else None),
    )


def longest_outage(repeats: Sequence[ClientResult]) -> str:
    """The longest outage in seconds, `none`, or that the client did nothing.

    A dash where the result does not contain outages; such a result has no engine either.
    """
    if not any(item.engine for item in repeats):
        return NONE
    if not any(item.operations for item in repeats):
        return "did nothing"
    longest = longest_of(outage for item in repeats for outage in item.outages)
    if longest is None:
        return "none"
    return "did not end" if longest.open else figures(longest.length_s)


def _retransmitted(client: ClientResult) -> float | None:
    values = reported_values(client.telemetry, "retransmitted_segments")
    return sum(values) if values else None


def _busy(client: ClientResult) -> float | None:
    values = reported_values(client.telemetry, "cpus_busy_share")
    return fmean(values) if values else None


# ---- servers

SERVERS_NOTE = (
    "Means over the seconds of the usable repeats, as counted by the servers. Each second is "
    "weighted by its "
    "overlap with the phase; retransmitted segments (TCP) cover a whole phase. A server's share "
    "of all bytes "
    "received and sent shows the load balance. Disks: all whole disks of a server, parity and "
    "metadata included; their busy share is that of the mean disk. Writes after the end of a "
    "phase are not counted. "
    "The first and the last second extend beyond the phase, so figures of a short phase are below "
    "the clients’ own."
)

SERVERS = (
    Column("server", head=True),
    Column("CPUs busy", number=True),
    *number_columns("MB/s", "received", "sent"),
    Column("of all servers' bytes", number=True, optional=True),
    *number_columns("MB/s", "disks read", "disks wrote"),
    Column("disks busy", number=True, optional=True),
    *number_columns("MB", "memory free", "waits for disks"),
    Column("retransmitted", "segments", number=True, optional=True),
)


def servers_table(caption: str, points: Sequence[Measured]) -> Table:
    """One row per point, phase and server, grouped by the first two; empty when no server was
    monitored.
    """
    groups = []
    for item in points:
        watched = [repeat for repeat in item.basis if repeat.servers]
        names = dict.fromkeys(name for repeat in watched for name in repeat.servers)
        seconds = {
            name: [overlap.shares(repeat, repeat.servers.get(name, ())) for repeat in watched]
            for name in names
        }
        total = sum(map(_carried_bytes, seconds.values())) if len(seconds) > 1 else 0
        rows = [(name, *_server_row(repeats, total)) for name, repeats in seconds.items()]
        groups.append((heading(item.point, item.phase), rows))
    table = grouped(caption, SERVERS, groups, SERVERS_NOTE)
    return marked(table, ("CPUs busy",), in_lab=any(item.in_lab for item in points))


def _carried_bytes(repeats: Sequence[Sequence[Share]]) -> float:
    """Bytes received and sent, in all repeats."""
    return sum(
        overlap.total(parts, "network_received_bytes", "network_sent_bytes") for parts in repeats
    )


def _server_row(repeats: Sequence[Sequence[Share]], total_bytes: float) -> tuple[str, ...]:
    all_shares = [part for parts in repeats for part in parts]

    def mean(key: str) -> float | None:
        return overlap.mean(all_shares, key)

    segments = reported_values([part.line for part in all_shares], "retransmitted_segments")
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
        figures(overlap.total(all_shares, "retransmitted_segments") / len(repeats))
        if segments
        else NONE,
    )
