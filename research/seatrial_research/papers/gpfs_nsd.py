"""GPFS clients, four NSD servers, two FAStT900 controllers, over four kinds of network."""

import math
from collections.abc import Mapping
from typing import Any

from seatrial.plan.data_path import payload_share
from seatrial.predict.devices import FC_10K, GIGABIT, MB, ROUND_TRIP, SEQUENTIAL_SHARE
from seatrial.predict.layers import Demand, Layer
from seatrial_research.rows import Row, common_traits, cross, table

PAPER = "gpfs-nsd"
SERVERS = 4
BLOCK_BYTES = 256 * 1024
RECORD_BYTES = 16 * 1024
WINDOW = 8
"""blocks of a stream that GPFS reads ahead or writes back late; assumed, the page pool of 128 MB
holds 512
"""
DISKS = 160
LUNS = 32
ETHERNET = payload_share(1500)
NETWORKS = {
    "100 MbE": (
        GIGABIT / 10 * ETHERNET,
        GIGABIT * ETHERNET,
        "100 Mbit/s clients, 1 Gbit/s servers, MTU 1500 assumed",
    ),
    "GbE": (GIGABIT * ETHERNET, GIGABIT * ETHERNET, "1 Gbit/s, MTU 1500 assumed"),
    "bonded GbE": (
        GIGABIT * ETHERNET,
        2 * GIGABIT * ETHERNET,
        "clients 1 Gbit/s, servers two bonded",
    ),
    "Myrinet": (250 * MB, 250 * MB, "Myrinet 2000: 2 Gbit/s each way (paper: first generation)"),
}
TABLES = (
    ("T1", "100 MbE", "sequential"),
    ("T2", "GbE", "sequential"),
    ("T3", "bonded GbE", "sequential"),
    ("T4", "GbE", "random"),
    ("T5", "GbE", "strided"),
    ("T6", "Myrinet", "sequential"),
)
ANOMALY = "erratum E8: the authors suspect an anomaly of their configuration; not modelled"
TOKENS = (
    "gap: the paper does not state the cost of token transfers for a shared file; the model assumes"
    " one at a time"
)
BUSY = (
    "gap: servers were 86 % busy with one GbE (L202); the paper does not state their cost per byte"
)
SLOWEST = (
    "aggregate throughput is of the slowest task; the harmonic is nearer (320.76, 420.34 to write)"
)
STRIDES = "gap: the paper does not describe the read-ahead of GPFS for strided reads"
THRASH = (
    "gap: the paper gives no cause for the drop at this number of streams; "
    "probably disk accesses are no longer sequential"
)


def layers(network: str, pattern: str, operation: str, servers: int = SERVERS) -> tuple[Layer, ...]:
    """The layers of a request, from the client to the disks."""
    client, server, source = NETWORKS[network]
    path = [
        Layer("client links", source, client, of_client=True),
        Layer("server links", source, server, units=servers),
        Layer("round trips", ROUND_TRIP.source, per_request_s=ROUND_TRIP.value, delay=True),
        Layer(
            "host adapters",
            "two of 2 Gbit/s FC each, after 8b/10b code",
            200 * MB,
            units=2 * servers,
        ),
        Layer("controllers", "740 MB/s for two, measured elsewhere (L333)", 370 * MB, units=2),
    ]
    track = FC_10K.rate_bytes_per_s * SEQUENTIAL_SHARE.value
    if pattern == "sequential":
        # A block is two full stripes of 4 x 32 KB; with the array's caches off each waits for half
        # a turn.
        note = f"{FC_10K.source}; no read-ahead and no cache in the array (L64-66)"
        path.append(
            Layer("disks", note, 4 * track, per_request_s=30 / FC_10K.rpm, units=LUNS, hard=False)
        )
    elif operation == "read":
        path.append(
            Layer(
                "disks",
                FC_10K.source,
                track,
                per_request_s=FC_10K.access_s,
                units=DISKS,
                hard=False,
            )
        )
    else:
        # Data and parity are read, and written one turn later, on two disks in parallel.
        update_s = FC_10K.access_s + 60 / FC_10K.rpm
        note = f"{FC_10K.source}; RAID 5 small write"
        path.append(
            Layer("disks", note, track, per_request_s=update_s, units=DISKS // 2, hard=False)
        )
    return tuple(path)


def _tokens() -> Layer:
    update_s = FC_10K.access_s + 60 / FC_10K.rpm + ROUND_TRIP.value
    note = (
        "assumed: a block's token is taken from its holder, who writes the block back first, one at"
        " a time"
    )
    return Layer("tokens of the shared file", note, per_request_s=update_s, hard=False)


def _row(number: str, network: str, pattern: str, operation: str, cells: Mapping[str, Any]) -> Row:
    clients = int(cells["clients"])
    small = pattern != "sequential"
    window = 1 if pattern == "random" else WINDOW
    demand = Demand(clients, RECORD_BYTES if small else BLOCK_BYTES, window=window)
    shared = pattern == "random" and operation == "write" and clients > 1
    path = layers(network, pattern, operation) + ((_tokens(),) if shared else ())
    return Row(
        PAPER,
        f"{pattern} {operation}, {network}",
        clients,
        float(cells[f"natural_{operation}"]),
        "MB/s",
        MB,
        path,
        demand,
        common_traits(demand, operation, pattern),
        cross(["all", number], operation)
        | {f"{number} {operation} log clients": math.log2(clients) / 4},
        f"{pattern} {operation}",
        cells.get(f"harmonic_agg_{operation}"),
        _cause(number, pattern, operation, clients),
    )


def _cause(number: str, pattern: str, operation: str, clients: int) -> str:
    """Why an estimate of the row may be far off."""
    if number == "T1":
        return ANOMALY if operation == "write" else ""
    if clients == 28 and number == "T3":
        return f"erratum E10; {THRASH}"
    if pattern != "sequential":
        if operation == "write":
            return TOKENS
        return THRASH if clients > 8 else STRIDES
    if number == "T6":
        return SLOWEST
    return BUSY if clients >= 8 else ""


def rows(published: Mapping[str, Any]) -> list[Row]:
    """Every row of the tables 1 to 6 and 9, aggregate throughput; others repeat these or lack the
    number of tasks.
    """
    points = [
        _row(number, network, pattern, operation, cells)
        for number, network, pattern in TABLES
        for operation in ("write", "read")
        for cells in table(published, number)
    ]
    for cells in table(published, "T9"):
        demand = Demand(int(cells["clients"]), BLOCK_BYTES, window=WINDOW)
        servers = int(cells["servers"])
        points.append(
            Row(
                PAPER,
                f"sequential write, Myrinet, {servers} servers",
                demand.clients,
                float(cells["natural_write"]),
                "MB/s",
                MB,
                layers("Myrinet", "sequential", "write", servers),
                demand,
                common_traits(demand, "write", "sequential"),
                cross(["all", "T9"], "write"),
                "sequential write",
                cells["harmonic_agg_write"],
                "erratum E9: an independent run with other parameters of the arrays",
            )
        )
    return points
