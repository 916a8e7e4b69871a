"""The table of the counters of the clients' mounts: requests, retransmissions, and round trips."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.report.tables import Column, Table, grouped, number_columns
from seatrial.summary.names import heading
from seatrial.summary.notation import NONE, figures

CLIENTS_MAX = 16
"""of more clients, the table shows the first ones"""
OPERATIONS_MAX = 4
"""operations of a client, those with the most requests"""
NOTE = (
    "From the client's own file system: for NFS /proc/self/mountstats, for Lustre its llite stats. "
    "Sums over all repeats, with the requests of other programs on the same mount. RTT: mean time "
    "from the transmission of a request to its reply. Total: the same with the time in the queue "
    "of the client. Each client is shown with its most frequent operations."
)
COLUMNS = (
    Column("client", head=True),
    Column("operation"),
    Column("requests", number=True),
    Column("retransmitted", number=True, optional=True),
    Column("timeouts", number=True, optional=True),
    Column("errors", number=True, optional=True),
    *number_columns("ms", "RTT"),
    *number_columns("ms", "total"),
)
SUMMED = ("retransmissions", "timeouts", "errors")
MEANS = ("mean_rtt_ms", "mean_ms")
Line = Mapping[str, Any]


@dataclass(frozen=True)
class _Row:
    """One operation of one client, over all repeats."""

    client: str
    operation: str
    repeats: Sequence[Mapping[str, Any]]

    @property
    def requests(self) -> int:
        """All requests."""
        return sum(int(item["requests"]) for item in self.repeats)

    def total(self, key: str) -> str:
        """The sum of a counter; a dash where no repeat has it."""
        values = [int(item[key]) for item in self.repeats if item.get(key) is not None]
        return str(sum(values)) if values else NONE

    def mean(self, key: str) -> str:
        """The mean of a time over all requests; a dash where no repeat has it."""
        with_key = [item for item in self.repeats if item.get(key) is not None]
        requests = sum(int(item["requests"]) for item in with_key)
        if not requests:
            return NONE
        weighted = sum(float(item[key]) * int(item["requests"]) for item in with_key)
        return figures(weighted / requests)

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        counts = (self.total(key) for key in SUMMED)
        times = (self.mean(key) for key in MEANS)
        return (self.client, self.operation, str(self.requests), *counts, *times)


def table(caption: str, lines: Iterable[Line]) -> Table:
    """One row per point, phase, client and operation; empty without lines.

    `lines`: the lines `mount-counters` of an experiment.
    """
    of_points: dict[tuple[str, str], list[Line]] = {}
    for line in _newest(lines):
        key = json.dumps(line["point"], sort_keys=True), str(line["phase"])
        of_points.setdefault(key, []).append(line)
    groups = []
    for (_, phase), lines_of_point in of_points.items():
        rows = [row.cells() for row in _rows(lines_of_point)]
        groups.append((heading(lines_of_point[0]["point"], phase), rows))
    return grouped(caption, COLUMNS, groups, NOTE)


def _newest(lines: Iterable[Line]) -> list[Line]:
    """The last line of each repeat: a resumed run may have measured it twice."""
    newest: dict[tuple[str, int, str], Line] = {}
    for line in lines:
        point = json.dumps(line["point"], sort_keys=True)
        newest[point, int(line["repeat"]), str(line["phase"])] = line
    return list(newest.values())


def _rows(lines: Sequence[Line]) -> list[_Row]:
    repeats: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for line in lines:
        for client, counters in line["clients"].items():
            operations = repeats.setdefault(client, {})
            for name, item in counters["operations"].items():
                operations.setdefault(name, []).append(item)
    rows = []
    for client, operations in list(repeats.items())[:CLIENTS_MAX]:
        of_client = [_Row(client, name, items) for name, items in operations.items()]
        of_client.sort(key=lambda row: -row.requests)
        rows += of_client[:OPERATIONS_MAX]
    return rows
