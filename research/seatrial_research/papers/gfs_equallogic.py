"""GFS on 32 iSCSI initiators and a group of two array members."""

from collections.abc import Mapping
from typing import Any

from seatrial.plan.data_path import payload_share
from seatrial.predict.devices import GIGABIT, MB, ROUND_TRIP, SAS_15K_73, SEQUENTIAL_SHARE
from seatrial.predict.layers import Demand, Layer
from seatrial_research.rows import Row, common_traits, cross, point

PAPER = "gfs-equallogic"
REQUEST_BYTES = 64 * 1024
MEMBERS = 2
PORTS = 3
DEFAULT_AHEAD_BYTES = 256 * 512
"""the default read-ahead of the kernel: 256 sectors of 512 B"""
TUNED_AHEAD_BYTES = 16384 * 512
"""the tuned read-ahead: 16384 sectors of 512 B"""
BEHIND_BYTES = 2**20
"""the amount of data that the kernel writes back at once; assumed"""
DATA_DISKS = 28
"""of two members with RAID 5"""
POINTS = (
    ("F3", "write", 0, "write", 16, BEHIND_BYTES, "best case"),
    ("F4", "RAID 50 and RAID 5 peak", 0, "read", 15, DEFAULT_AHEAD_BYTES, "peak"),
    ("F4", "RAID 50 and RAID 5 sustained", 0, "read", 32, DEFAULT_AHEAD_BYTES, "sustained"),
    ("F7", "readahead peak", 0, "read", 28, TUNED_AHEAD_BYTES, "read-ahead 16384"),
)
WHY = (
    "gap: the paper describes no array controllers and omits the number of clients of the best"
    " write"
)


def layers() -> tuple[Layer, ...]:
    """From the initiators' links to the disks."""
    link = GIGABIT * payload_share(9000)
    track = SAS_15K_73.rate_bytes_per_s * SEQUENTIAL_SHARE.value
    return (
        Layer("client links", "1 Gbit/s, MTU 9000", link, of_client=True),
        Layer("front-end ports", "three of 1 Gbit/s for each member", link, units=MEMBERS * PORTS),
        Layer("round trips", ROUND_TRIP.source, per_request_s=ROUND_TRIP.value, delay=True),
        Layer("disks", SAS_15K_73.source, track, units=DATA_DISKS, hard=False),
    )


def rows(published: Mapping[str, Any]) -> list[Row]:
    """The four rates of the text; efficiencies have no stated divisor (erratum E19)."""
    points = []
    for number, metric, index, operation, clients, ahead_bytes, label in POINTS:
        demand = Demand(clients, REQUEST_BYTES, window=ahead_bytes // REQUEST_BYTES)
        traits = common_traits(demand, operation, "sequential")
        own_traits = cross(["all"], operation)
        value = point(published, number, metric, index)
        title = f"sequential {operation}, {label}"
        points.append(
            Row(
                PAPER,
                title,
                clients,
                value,
                "MB/s",
                MB,
                layers(),
                demand,
                traits,
                own_traits,
                operation,
                None,
                WHY,
            )
        )
    return points
