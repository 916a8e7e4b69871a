"""Three generations of an NFS pair over IP on InfiniBand, in front of a shared array of RAID 6."""

from collections.abc import Mapping
from typing import Any

from seatrial.predict.devices import (
    IPOIB_BYTES,
    MB,
    NEARLINE_3TB,
    QDR,
    ROUND_TRIP,
    SAS_LANE_6G,
    SEQUENTIAL_SHARE,
)
from seatrial.predict.layers import Demand, Layer
from seatrial_research.rows import Row, common_traits, cross, table

PAPER = "nss-ha"
CLIENTS = 64
REQUEST_BYTES = 1024 * 1024
"""the transfer size; rsize and wsize are not stated"""
WINDOW = 4
"""assumed: read-ahead and write-back of this many transfers"""
DISKS = {"NSS2-HA": 48, "NSS3-HA": 96, "NSS4-HA": 96}
CABLES = {"NSS2-HA": 1, "NSS3-HA": 1, "NSS4-HA": 2}
ADAPTERS = "erratum E7: the paper contradicts itself on one or two SAS adapters"
SWITCH = (
    "erratum E18: either the QDR switch had faster ports, or client rates were added that did not"
    " overlap"
)
ARRAY = "gap: the paper does not describe the mirrored write caches of the array's controllers"


def _layers(release: str, operation: str) -> tuple[Layer, ...]:
    cable = 4 * SAS_LANE_6G.value / (1.2 if operation == "write" else 1.0)
    note = f"{SAS_LANE_6G.source}; 4 lanes assumed"
    track = NEARLINE_3TB.rate_bytes_per_s * SEQUENTIAL_SHARE.value
    path = [
        Layer("client links", QDR.source, QDR.value, of_client=True),
        Layer(
            "clients' IP stacks", IPOIB_BYTES.source, IPOIB_BYTES.value, of_client=True, hard=False
        ),
        Layer("server links", QDR.source, QDR.value),
        Layer("round trips", ROUND_TRIP.source, per_request_s=ROUND_TRIP.value, delay=True),
        Layer("storage paths", f"{note}; two adapters at most", 2 * 4 * SAS_LANE_6G.value),
        Layer(
            "storage paths in use",
            f"{note}; adapters as Table 5 has them",
            cable,
            units=CABLES[release],
            hard=False,
        ),
        Layer("disks", NEARLINE_3TB.source, track, units=DISKS[release] * 10 // 12, hard=False),
    ]
    return tuple(path)


def rows(published: Mapping[str, Any]) -> list[Row]:
    """Peak write and read of each release; other figures' data are lost."""
    points = []
    for operation in ("write", "read"):
        for cells in table(published, "T2"):
            release = cells["release"]
            demand = Demand(CLIENTS, REQUEST_BYTES, window=WINDOW)
            limit_of_reads = SWITCH if release == "NSS4-HA" else ADAPTERS
            why = ARRAY if operation == "write" else limit_of_reads
            traits = common_traits(demand, operation, "sequential")
            own_traits = cross(["all"], operation)
            label = f"sequential {operation}, {release}"
            value = float(cells[f"peak_{operation}_MBps"])
            path = _layers(release, operation)
            points.append(
                Row(
                    PAPER,
                    label,
                    CLIENTS,
                    value,
                    "MB/s",
                    MB,
                    path,
                    demand,
                    traits,
                    own_traits,
                    operation,
                    None,
                    why,
                )
            )
    return points
