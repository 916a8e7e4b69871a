"""The prediction: what the hardware of a data path can carry, and which part of it is the bottleneck.

A first model, the plain minimum over the resources that every byte crosses; nothing is fitted. It is an upper
bound: a result above it is impossible, and means that something was cached or mis-measured.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seatrial.plan.site import Site

IP_AND_TCP_HEADER_BYTES = 52
"""IPv4 20, TCP 20, timestamps option 12."""
ETHERNET_HEADER_BYTES = 14
"""What a shaped link counts beside the IP packet; preamble, checksum and gap are the wire's alone."""
ETHERNET_WIRE_BYTES = 38
"""What a real wire carries beside the IP packet: preamble 8, header 14, checksum 4, gap 12."""


def payload_share(mtu_bytes: int, *, wire: bool = True) -> float:
    """The share of a link's rate that is left for TCP payload at an MTU: 0.990 at 9000, 0.949 at 1500."""
    overhead = ETHERNET_WIRE_BYTES if wire else ETHERNET_HEADER_BYTES
    return (mtu_bytes - IP_AND_TCP_HEADER_BYTES) / (mtu_bytes + overhead)


@dataclass(frozen=True)
class Resource:
    """Something that every byte of a direction crosses."""

    name: str
    read_bytes_per_s: float
    write_bytes_per_s: float
    hard: bool = True
    """False where a cache in front can outrun it for a while (disks behind an async export)"""
    held_bytes: float = 0.0
    """of what is written, a memory or an unfinished object holds so much in front of it until the commit"""
    piece_bytes: float = 0.0
    """what is stored is dealt out to `places` by a hash of its pieces of so many bytes; 0: evenly"""
    places: int = 1
    burst_bytes: float = 0.0
    """what passes at once after a pause: the buckets of a lab's links, which shape the mean rate and delay no packet"""
    beside_share: float = 0.0
    """of what is moved, so much goes beside it in the mean (it lies on the client's own node); the rates have it in"""
    beside_bytes: float = 0.0
    """a hash of pieces of so many bytes says which"""

    def rate_bytes_per_s(self, operation: str) -> float:
        """The rate for `read` or `write`."""
        return self.read_bytes_per_s if operation == "read" else self.write_bytes_per_s

    def most_bytes_per_s(self, operation: str, moved_bytes: float = float("inf")) -> float:
        """The highest mean rate at which so many bytes can pass; infinite where they fit the buckets."""
        if moved_bytes <= self.burst_bytes:
            return float("inf")
        return self._luck(moved_bytes) * self.rate_bytes_per_s(operation) / (1 - self.burst_bytes / moved_bytes)

    def _luck(self, moved_bytes: float) -> float:
        """How much faster than the mean, where the hash has put as much beside it as ever happens.

        Four standard deviations of the binomial share: a bound must hold also in the thousandth phase.
        """
        if not self.beside_share or moved_bytes == float("inf"):
            return 1.0
        spread = math.sqrt(self.beside_share * (1 - self.beside_share) * self.beside_bytes / moved_bytes)
        crosses = 1 - self.beside_share - 4 * spread
        return (1 - self.beside_share) / crosses if crosses > 0 else float("inf")


def bucket_bytes(rate_bytes_per_s: float) -> int:
    """The bucket of a lab's link (tc-tbf(8)).

    A packet of 64 KiB (segmentation is left to the last device) must fit; 4 ms of the rate beyond that keep the bucket
    busy between two timer ticks.
    """
    return 65536 + round(rate_bytes_per_s * 0.004)


def links(site: Site, network: str, crossed: Mapping[str, Sequence[str]]) -> list[Resource]:
    """The links that every byte crosses on a network: by title, the nodes whose links there carry it together.

    Titles of which a link's rate is not known are left out.
    """
    share = payload_share(site.mtus[network], wire=site.kind != "uml")
    found = []
    for title, nodes in crossed.items():
        rates = [site.nodes[name].link_rates_bytes_per_s.get(network) for name in nodes]
        if nodes and all(rates):
            total = sum(rate for rate in rates if rate) * share
            burst = sum(bucket_bytes(rate) for rate in rates if rate) if site.kind == "uml" else 0.0
            found.append(Resource(title, total, total, burst_bytes=burst))
    return found


DIRTY_BACKGROUND_SHARE = 0.1
"""of a node's memory: what is unwritten below that, nobody begins to write (vm.dirty_background_ratio)"""


def unwritten_bytes(site: Site, nodes: Sequence[str]) -> float:
    """What nodes hold of what is written to files on their disks, until somebody asks for its commit."""
    return DIRTY_BACKGROUND_SHARE * sum(site.nodes[name].memory_bytes for name in nodes)


def disks(site: Site, nodes: Sequence[str], reading: int, data: int, *, held: bool = True) -> list[Resource]:
    """The disks of equal nodes, of which so many serve a large read and so many hold the data; none of unknown rate.

    Behind them a cache may outrun them for a while; `held`: the nodes' memory is in front of them.
    """
    rate = site.nodes[nodes[0]].device_rate_bytes_per_s
    waiting = unwritten_bytes(site, nodes) if held else 0.0
    return [Resource("disks", rate * reading, rate * data, hard=False, held_bytes=waiting)] if rate else []


@dataclass(frozen=True)
class ReadAhead:
    """What clients fetch beside what is read, unless they are told that it is read at random."""

    ahead_bytes: int
    """behind what is read in order"""
    piece_bytes: int
    """of what is not read in order, whole pieces of the file"""


@dataclass(frozen=True)
class DataPath:
    """The resources between so many clients and the storage."""

    clients: int
    resources: tuple[Resource, ...]
    read_ahead: ReadAhead | None = None
    """None: too little to count"""
    fullest: float = 1.0
    """where the clients' data lie on several of what serves them, the fullest has so many times the mean"""

    def bottleneck(self, operation: str) -> Resource | None:
        """The slowest resource; None when no rate is known."""
        return min(self.resources, key=lambda resource: resource.rate_bytes_per_s(operation), default=None)

    def finite_rates(self, operation: str) -> tuple[tuple[str, float], ...]:
        """(name, bytes/s) of every resource that such a byte crosses."""
        rates = ((resource.name, resource.rate_bytes_per_s(operation)) for resource in self.resources)
        return tuple((name, rate) for name, rate in rates if math.isfinite(rate))

    def bound(self, operation: str, moved_bytes: float = float("inf")) -> Resource | None:
        """Of those that no cache can outrun, what lets so many bytes pass slowest; None where no rate is known."""
        hard = (resource for resource in self.resources if resource.hard)
        return min(hard, key=lambda resource: resource.most_bytes_per_s(operation, moved_bytes), default=None)
