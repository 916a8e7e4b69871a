"""One client that copies files to and from a NAS or a file server, over 1 Gbit/s or 100 Mbit/s."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seatrial.plan.data_path import payload_share
from seatrial.predict.devices import GIGABIT, MB, ROUND_TRIP, SATA_320, SATA_750, SEQUENTIAL_SHARE
from seatrial.predict.layers import Demand, Layer
from seatrial_research.rows import Row, common_traits, cross, table

PAPER = "network-storage-clusters"
MIB = 2.0**20
"""the paper's MB are binary (erratum E12)"""
SIZES = tuple(size * MIB for size in (1024, 256, 64, 16, 4))
SLOTS = 16
"""requests in flight that the Linux client of that time allows (sunrpc.tcp_slot_table_entries)"""
JUMBO_MTU = 7200
FILE_SERVER_DISKS = 6
"""assumed: a RAID 5 of 5 TB; the paper does not state the number of disks"""
UDP_BYTES_MAX = 32 * 1024
SMB_REQUEST_BYTES = 60 * 1024.0
"""the largest request of SMB 1; a Linux client of that time had one in flight"""
APPLIANCE = (
    "gap: the paper does not state the appliance's processor and memory, so no layer models them"
)
SYNC = "gap: the paper does not state the flushes of a sync export, nor their rate"
COLUMNS = (
    ("fileserver_nfs", "fileserver", "nfs", None),
    ("fileserver_jumbo_nfs", "fileserver", "nfs", "jumbo"),
    ("nas_nfs", "nas", "nfs", None),
    ("nas_cifs", "nas", "cifs", None),
)
"""of table 4: server, protocol, frames"""
CAUSES = {
    "rwsize": "gap: the paper does not state the cost of a small request for client and server",
    "udp": "gap: the paper does not state lost, fragmented and resent datagrams",
    "noac": (
        "gap: the paper does not state the size of a synchronous write of the copy program (erratum"
        " E5 on line 8)"
    ),
    "jumbo": "gap: the paper gives no cause for the cost of jumbo frames, about 0.6 s per file",
    "": "gap: the paper does not state the file server's cache, file system and number of disks",
}
"""why an estimate may be inaccurate, by the property of a copy"""
CASES = {"nas": 4, "fileserver": FILE_SERVER_DISKS}


@dataclass(frozen=True)
class _Case:
    """The conditions of a copy."""

    server: str
    protocol: str
    operation: str
    label: str
    options: tuple[str, ...] = ()
    frame: str | None = None
    connection: str = "1G"
    sizes: tuple[float, ...] = SIZES
    own: tuple[str, ...] = ()

    @property
    def link_bytes_per_s(self) -> float:
        return GIGABIT if self.connection == "1G" else GIGABIT / 10

    @property
    def sync(self) -> bool:
        return "sync" in self.options and self.operation == "write"

    @property
    def waits(self) -> bool:
        """Whether one request is in flight at a time."""
        return (
            self.protocol == "cifs"
            or self.sync
            or ("noac" in self.options and self.operation == "write")
        )

    @property
    def request_bytes(self) -> float:
        if self.protocol == "cifs":
            return SMB_REQUEST_BYTES
        if "rwsize" in self.options:
            return 8192.0
        if "udp" in self.options:
            return UDP_BYTES_MAX
        return 131072.0 if self.server == "nas" else 524288.0

    def layers(self) -> tuple[Layer, ...]:
        """From the client's disk to the server's."""
        share = payload_share(JUMBO_MTU if self.frame == "jumbo" else 1500)
        link = self.link_bytes_per_s * share
        text = f"{self.link_bytes_per_s / MB * 8:.0f} Mbit/s"
        track = SATA_750.rate_bytes_per_s * SEQUENTIAL_SHARE.value
        behind = CASES[self.server] - 1
        path = [
            Layer(
                "client's disk",
                SATA_320.source,
                SATA_320.rate_bytes_per_s * SEQUENTIAL_SHARE.value,
                hard=False,
            ),
            Layer("client links", text, link, of_client=True),
            Layer("server links", text, link),
            Layer("round trips", ROUND_TRIP.source, per_request_s=ROUND_TRIP.value, delay=True),
            Layer("disks", SATA_750.source, behind * track, hard=False),
        ]
        if self.sync:
            flush_s = SATA_750.access_s + 60 / SATA_750.rpm
            note = (
                f"{SATA_750.source}; RAID 5: data and parity are read, and written one turn later"
            )
            path.append(Layer("commits", note, per_request_s=flush_s, hard=False))
        return tuple(path)

    def traits(self) -> list[str]:
        """The traits that only rows of this paper share."""
        case = f"{self.server} {self.protocol}"
        marks = [name for name in ("sync", "noac", "udp", "rwsize") if name in self.options]
        names = ["all", case, *(f"{case} {mark}" for mark in marks), *marks, *self.own]
        names += ["jumbo", f"{case} jumbo"] if self.frame == "jumbo" else []
        return names + (["100M", f"100M {case}"] if self.connection != "1G" else [])

    def row(self, value: float) -> Row:
        """The figure as a row; for several transfers, their total."""
        tasks = next((int(item[0]) for item in self.options if item[:2] in {"2x", "3x"}), 1)
        # Create, close and commit: three round trips and one access to a disk.
        per_file_s = 3 * ROUND_TRIP.value + SATA_750.access_s
        demand = Demand(
            1, self.request_bytes, tasks, 1 if self.waits else SLOTS, self.sizes, per_file_s
        )
        return Row(
            PAPER,
            f"copy {self.operation}, {self.label}",
            1,
            value * tasks,
            "MB/s",
            MIB,
            self.layers(),
            demand,
            common_traits(demand, self.operation, "copy", *(["sync"] if self.sync else [])),
            cross(self.traits(), self.operation),
            f"{self.server} {self.protocol} {self.operation}{' sync' if self.sync else ''}",
            explanation=self.cause(),
        )

    def cause(self) -> str:
        """Why an estimate of it may be far off."""
        if self.server == "nas":
            return APPLIANCE
        special = next(
            (name for name in ("rwsize", "udp", "noac") if name in self.options), self.frame or ""
        )
        return SYNC if self.sync else CAUSES[special]


def rows(published: Mapping[str, Any]) -> list[Row]:
    """Every row of the four tables, both directions."""
    points = []
    for number, server, protocol in (
        ("T1", "nas", "cifs"),
        ("T2", "nas", "nfs"),
        ("T3", "fileserver", "nfs"),
    ):
        for operation in ("write", "read"):
            for cells in table(published, number):
                options = tuple((cells.get("options") or "").split(","))
                label = f"{server} {protocol} {number} line {cells['line_no']}"
                connection = cells.get("connection") or "1G"
                case = _Case(
                    server, protocol, operation, label, options, cells["frame"], connection
                )
                points.append(case.row(cells[operation]))
    for column, server, protocol, frame in COLUMNS:
        for cells in table(published, "T4"):
            size = cells["file_size_MB"]
            own = (f"{column} {'large' if size >= 256 else 'small'}",)
            label = f"{column.replace('_', ' ')}, files of {size} MB"
            case = _Case(server, protocol, "write", label, (), frame, sizes=(size * MIB,), own=own)
            points.append(case.row(cells[column]))
    return points
