"""One NFS server on RAID 50 of 48 disks, 10GbE, 32 clients of 1GbE."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seatrial.plan.data_path import payload_share
from seatrial.predict.devices import (
    CACHED_WRITE,
    GIGABIT,
    MB,
    ROUND_TRIP,
    SAS_15K,
    SAS_LANE_6G,
    SEQUENTIAL_SHARE,
)
from seatrial.predict.layers import Demand, Layer
from seatrial_research.rows import Row, common_traits, cross, point

PAPER = "md1200-nfs"
REQUEST_BYTES = 32 * 1024
SLOTS = 16
DISKS = 48
DATA_DISKS = 44
NAME_BYTES = 256
"""of a request that deals with a name, with its headers; assumed"""
UNITS_OF_OPERATIONS = {"random": "IOPS", "names": "operations/s"}
"""units of figures that count operations; the others are rates of data"""
CACHE = "erratum E11: the data fit the server's memory and the export is async, so a cache answers"
SHARED = "gap: the paper does not state the cost of locks of one file on the server"
SOFTWARE = "gap: the paper does not state the cost of the server's file system"
NAMES = "gap: the paper prints only the best case, and no cost of an operation"


def _links() -> list[Layer]:
    share = payload_share(9000)
    return [
        Layer("client links", "1 Gbit/s, MTU 9000", GIGABIT * share, of_client=True),
        Layer("server links", "10 Gbit/s, MTU 9000", 10 * GIGABIT * share),
        Layer("round trips", ROUND_TRIP.source, per_request_s=ROUND_TRIP.value, delay=True),
    ]


def _stream(operation: str) -> tuple[Layer, ...]:
    track = SAS_15K.rate_bytes_per_s * SEQUENTIAL_SHARE.value
    bytes_written = DISKS / DATA_DISKS if operation == "write" else 1.0
    return (
        *_links(),
        Layer(
            "storage paths",
            f"{SAS_LANE_6G.source}; 2 x 4 lanes assumed",
            8 * SAS_LANE_6G.value / bytes_written,
        ),
        Layer("disks", SAS_15K.source, track, units=DATA_DISKS, hard=False),
    )


def _random() -> tuple[Layer, ...]:
    note = f"{SAS_15K.source}; RAID 5: four accesses a small write"
    return (
        *_links(),
        Layer("disks", note, per_request_s=4 * SAS_15K.access_s, units=DISKS, hard=False),
    )


def _names(operation: str) -> tuple[Layer, ...]:
    if operation == "create":
        note = f"{CACHED_WRITE.source}; one journal, two writes a commit, as the export is sync"
        return (
            *_links(),
            Layer("metadata commits", note, per_request_s=2 * CACHED_WRITE.value, hard=False),
        )
    more = Layer(
        "attributes again", "noac: a second round trip", per_request_s=ROUND_TRIP.value, delay=True
    )
    return (*_links(), more)


@dataclass(frozen=True)
class _Case:
    """The conditions of a figure."""

    label: str
    operation: str
    demand: Demand
    path: tuple[Layer, ...]
    mark: str
    why: str

    def row(self, value: float) -> Row:
        """The figure as a row."""
        operations = self.mark in UNITS_OF_OPERATIONS
        unit = UNITS_OF_OPERATIONS.get(self.mark, "MB/s")
        scale = self.demand.request_bytes if operations else MB
        traits = common_traits(self.demand, self.operation, self.mark)
        own = cross(["all", self.mark], self.operation)
        software = f"{self.mark} {self.operation}"
        clients = self.demand.clients
        return Row(
            PAPER,
            self.label,
            clients,
            value,
            unit,
            scale,
            self.path,
            self.demand,
            traits,
            own,
            software,
            None,
            self.why,
        )


def rows(published: Mapping[str, Any]) -> list[Row]:
    """The plateaus and best cases of the text; the figures' data are lost."""
    points = []
    for operation in ("write", "read"):
        stream = _stream(operation)
        all_clients = Demand(32, REQUEST_BYTES, window=SLOTS)
        for number, metric, label in (
            ("F7", operation, "ext3"),
            ("F15", f"ext4 {operation}", "ext4"),
        ):
            case = _Case(
                f"sequential {operation}, {label}",
                operation,
                all_clients,
                stream,
                "sequential",
                SOFTWARE,
            )
            points.append(case.row(point(published, number, metric)))
        for clients in (4, 6) if operation == "write" else (4,):
            demand = Demand(clients, REQUEST_BYTES, window=SLOTS)
            case = _Case(
                f"one shared file, {operation}", operation, demand, stream, "sequential", SHARED
            )
            points.append(case.row(point(published, "F9", operation)))
    random = _Case("random write", "write", Demand(32, 1024), _random(), "random", CACHE)
    points.append(random.row(point(published, "F14", "random write")))
    for number, operation in (("F10", "create"), ("F11", "stat")):
        direction = "write" if operation == "create" else "read"
        demand = Demand(32, NAME_BYTES)
        case = _Case(operation, direction, demand, _names(operation), "names", NAMES)
        points.append(case.row(point(published, number, operation)))
    return points
