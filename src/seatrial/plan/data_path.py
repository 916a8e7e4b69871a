"""The upper bound: the capacity of the hardware of a data path, and its bottleneck.

The model is the minimum over all resources that every byte crosses; nothing is fitted. A result
above this bound is impossible, and means that data were cached or measured incorrectly.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seatrial.plan.site import Site

IP_AND_TCP_HEADER_BYTES = 52
"""IPv4 20, TCP 20, timestamps option 12."""
ETHERNET_HEADER_BYTES = 14
"""What a shaped link counts besides the IP packet, without preamble, checksum and gap."""
ETHERNET_WIRE_BYTES = 38
"""What a real wire carries besides the IP packet: preamble 8, header 14, checksum 4, gap 12."""


def payload_share(mtu_bytes: int, *, wire: bool = True) -> float:
    """The share of a link's rate that remains for TCP payload: 0.990 at MTU 9000, 0.949 at 1500."""
    overhead = ETHERNET_WIRE_BYTES if wire else ETHERNET_HEADER_BYTES
    return (mtu_bytes - IP_AND_TCP_HEADER_BYTES) / (mtu_bytes + overhead)


@dataclass(frozen=True)
class Resource:
    """A component that every byte of a read or write crosses."""

    name: str
    read_bytes_per_s: float
    write_bytes_per_s: float
    hard: bool = True
    """False when a cache before it can exceed the rate for a while (disks with an async export)"""
    held_bytes: float = 0.0
    """written bytes that memory, or an unfinished object, can hold before it until the commit"""
    piece_bytes: float = 0.0
    """size of the pieces that a hash distributes over `places`; 0: distributed evenly"""
    places: int = 1
    burst_bytes: float = 0.0
    """bytes that pass at once after a pause: the token buckets of a lab's links"""
    beside_share: float = 0.0
    """mean share of the data that does not cross it (local data); the rates include this share"""
    beside_bytes: float = 0.0
    """size of the pieces that a hash assigns; 0 without such a share"""

    def rate_bytes_per_s(self, operation: str) -> float:
        """The rate in bytes/s for the operation `read` or `write`."""
        return self.read_bytes_per_s if operation == "read" else self.write_bytes_per_s

    def most_bytes_per_s(self, operation: str, moved_bytes: float = float("inf")) -> float:
        """The highest mean rate for `moved_bytes`; infinite when they fit the token buckets."""
        if moved_bytes <= self.burst_bytes:
            return float("inf")
        return self._luck(moved_bytes) * self.rate_bytes_per_s(operation) / (1 - self.burst_bytes / moved_bytes)

    def _luck(self, moved_bytes: float) -> float:
        """Factor above the mean rate in the best case of the hash.

        It assumes four standard deviations of the binomial share of local data, because a bound
        must also hold in the thousandth phase.
        """
        if not self.beside_share or moved_bytes == float("inf"):
            return 1.0
        spread = math.sqrt(self.beside_share * (1 - self.beside_share) * self.beside_bytes / moved_bytes)
        crosses = 1 - self.beside_share - 4 * spread
        return (1 - self.beside_share) / crosses if crosses > 0 else float("inf")


def bucket_bytes(rate_bytes_per_s: float) -> int:
    """Bytes of the token bucket of a lab's link (tc-tbf(8)).

    A packet of 64 KiB must fit, as the last device does the segmentation. Another 4 ms of the rate
    keep the bucket busy between two timer ticks.
    """
    return 65536 + round(rate_bytes_per_s * 0.004)


def links(site: Site, network: str, crossed: Mapping[str, Sequence[str]]) -> list[Resource]:
    """The links that every byte crosses on a network.

    `crossed` maps a title to the nodes that share this traffic. Titles with a link of unknown rate
    are left out.
    """
    share = payload_share(site.mtus[network], wire=site.kind != "emulated")
    resources = []
    for title, nodes in crossed.items():
        rates = [site.nodes[name].link_rates_bytes_per_s.get(network) for name in nodes]
        if nodes and all(rates):
            total = sum(rate for rate in rates if rate) * share
            burst = sum(bucket_bytes(rate) for rate in rates if rate) if site.kind == "emulated" else 0.0
            resources.append(Resource(title, total, total, burst_bytes=burst))
    return resources


DIRTY_BACKGROUND_SHARE = 0.1
"""share of memory below which the kernel starts no writeback (vm.dirty_background_ratio)"""


def unwritten_bytes(site: Site, nodes: Sequence[str]) -> float:
    """Bytes of file data that the nodes hold in memory until a commit is requested."""
    return DIRTY_BACKGROUND_SHARE * sum(site.nodes[name].memory_bytes for name in nodes)


def disks(site: Site, nodes: Sequence[str], reading: int, data: int, *, held: bool = True) -> list[Resource]:
    """The disks of equal nodes; empty when their rate is unknown.

    `reading` disks serve a large read, and `data` disks hold the data. A cache may exceed their
    rate for a while; with `held` the nodes' memory buffers writes.
    """
    rate = site.nodes[nodes[0]].device_rate_bytes_per_s
    waiting = unwritten_bytes(site, nodes) if held else 0.0
    return [Resource("disks", rate * reading, rate * data, hard=False, held_bytes=waiting)] if rate else []


@dataclass(frozen=True)
class ReadAhead:
    """Bytes that clients read in addition, unless the application announces random access."""

    ahead_bytes: int
    """after the last byte of a sequential read"""
    piece_bytes: int
    """a random read fetches whole pieces of this size"""


@dataclass(frozen=True)
class DataPath:
    """The resources between the clients and the storage."""

    clients: int
    resources: tuple[Resource, ...]
    read_ahead: ReadAhead | None = None
    """None when negligible"""
    fullest: float = 1.0
    """when several components serve the clients' data: load of the busiest one over the mean"""

    def bottleneck(self, operation: str) -> Resource | None:
        """The slowest resource for the operation; None when no rate is known."""
        return min(self.resources, key=lambda resource: resource.rate_bytes_per_s(operation), default=None)

    def finite_rates(self, operation: str) -> tuple[tuple[str, float], ...]:
        """(name, bytes/s) of every resource with a known rate that the operation crosses."""
        rates = ((resource.name, resource.rate_bytes_per_s(operation)) for resource in self.resources)
        return tuple((name, rate) for name, rate in rates if math.isfinite(rate))

    def bound(self, operation: str, moved_bytes: float = float("inf")) -> Resource | None:
        """The slowest resource that no cache can exceed, for `moved_bytes`; None when unknown."""
        hard = (resource for resource in self.resources if resource.hard)
        return min(hard, key=lambda resource: resource.most_bytes_per_s(operation, moved_bytes), default=None)
