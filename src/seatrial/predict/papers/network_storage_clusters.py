"""One client that copies files to and from a NAS or a file server, over 1 Gbit/s or 100 Mbit/s."""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.plan.data_path import payload_share
from seatrial.predict.devices import GIGABIT, MB, ROUND_TRIP, SATA_320, SATA_750, SEQUENTIAL_SHARE
from seatrial.predict.layers import Demand, Layer
from seatrial.predict.rows import Row, common_traits, cross, table

PAPER = "network-storage-clusters"
MIB = 2.0**20
"""the paper's MB are binary (erratum E12)"""
SIZES = tuple(size * MIB for size in (1024, 256, 64, 16, 4))
SLOTS = 16
"""requests under way that the Linux client of that time allows (sunrpc.tcp_slot_table_entries)"""
JUMBO_MTU = 7200
FILE_SERVER_DISKS = 6
"""assumed: a RAID 5 of 5 TB; the paper does not say how many"""
UDP_BYTES_MAX = 32 * 1024
SMB_REQUEST_BYTES = 60 * 1024.0
"""the largest request of SMB 1, of which a Linux client of that time had one under way"""
APPLIANCE = "gap: the appliance's processor and memory are not stated, and no layer stands for them"
SYNC = "gap: what the server flushes for a sync export, and how often, is not stated"
CASES = {"nas": 4, "fileserver": FILE_SERVER_DISKS}


def _copy(server: str, protocol: str, operation: str, options: Sequence[str], frame: str | None, link: float) -> Any:
    """(layers, window, request bytes)."""
    share = payload_share(JUMBO_MTU if frame == "jumbo" else 1500)
    negotiated = 131072.0 if server == "nas" else 524288.0
    request = SMB_REQUEST_BYTES if protocol == "cifs" else negotiated
    if "rwsize" in options:
        request = 8192.0
    if "udp" in options:
        request = UDP_BYTES_MAX
    waits = protocol == "cifs" or (operation == "write" and bool({"noac", "sync"} & set(options)))
    disks = CASES[server] - 1
    found = [
        Layer("client's disk", SATA_320.source, SATA_320.rate_bytes_per_s * SEQUENTIAL_SHARE.value, hard=False),
        Layer("client links", f"{link / MB * 8:.0f} Mbit/s", link * share, of_client=True),
        Layer("server links", f"{link / MB * 8:.0f} Mbit/s", link * share),
        Layer("round trips", ROUND_TRIP.source, per_request_s=ROUND_TRIP.value, delay=True),
        Layer("disks", SATA_750.source, disks * SATA_750.rate_bytes_per_s * SEQUENTIAL_SHARE.value, hard=False),
    ]
    if operation == "write" and "sync" in options:
        flush_s = SATA_750.access_s + 60 / SATA_750.rpm
        note = f"{SATA_750.source}; RAID 5: data and parity are read, and written one turn later"
        found.append(Layer("commits", note, per_request_s=flush_s, hard=False))
    return tuple(found), 1 if waits else SLOTS, request


def _per_file_s() -> float:
    """Create, close and commit: three round trips and one access to a disk."""
    return 3 * ROUND_TRIP.value + SATA_750.access_s


def _row(
    server: str,
    protocol: str,
    operation: str,
    value: float,
    label: str,
    options: Sequence[str] = (),
    frame: str | None = None,
    connection: str = "1G",
    sizes: Sequence[float] = SIZES,
    own: Sequence[str] = (),
) -> Row:
    tasks = next((int(item[0]) for item in options if item[:2] in {"2x", "3x"}), 1)
    link = GIGABIT if connection == "1G" else GIGABIT / 10
    path, window, request = _copy(server, protocol, operation, options, frame, link)
    demand = Demand(1, request, tasks, window, tuple(sizes), _per_file_s())
    marks = [name for name in ("sync", "noac", "udp", "rwsize") if name in options]
    case = f"{server} {protocol}"
    names = ["all", case, *(f"{case} {mark}" for mark in marks), *marks, *own]
    if frame == "jumbo":
        names += ["jumbo", f"{case} jumbo"]
    if connection != "1G":
        names += ["100M", f"100M {case}"]
    sync = "sync" in marks and operation == "write"
    return Row(
        PAPER,
        f"copy {operation}, {label}",
        1,
        value * tasks,
        "MB/s",
        MIB,
        path,
        demand,
        common_traits(demand, operation, "copy", *(["sync"] if sync else [])),
        cross(names, operation),
        explanation=APPLIANCE if server == "nas" and connection == "1G" else SYNC if sync else "",
    )


def rows(published: Mapping[str, Any]) -> list[Row]:
    """Every row of the four tables, both directions."""
    found = []
    for number, server, protocol in (("T1", "nas", "cifs"), ("T2", "nas", "nfs"), ("T3", "fileserver", "nfs")):
        for operation in ("write", "read"):
            for cells in table(published, number):
                options = [*(cells.get("options") or "").split(","), *(["jumbo"] if cells["frame"] == "jumbo" else [])]
                options = [f"{item[:2]}" if item[:2] in {"2x", "3x"} else item for item in options]
                label = f"{server} {protocol} {number} line {cells['line_no']}"
                connection = cells.get("connection") or "1G"
                found.append(_row(server, protocol, operation, cells[operation], label, options, cells["frame"], connection))
    for column, server, protocol, frame in (
        ("fileserver_nfs", "fileserver", "nfs", None),
        ("fileserver_jumbo_nfs", "fileserver", "nfs", "jumbo"),
        ("nas_nfs", "nas", "nfs", None),
        ("nas_cifs", "nas", "cifs", None),
    ):
        for cells in table(published, "T4"):
            size = cells["file_size_MB"]
            own = [f"{column} {'large' if size >= 256 else 'small'}"]
            label = f"{column.replace('_', ' ')}, files of {size} MB"
            found.append(_row(server, protocol, "write", cells[column], label, (), frame, "1G", [size * MIB], own))
    return found
