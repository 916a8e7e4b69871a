"""The upper bound: the capacity of the hardware of a data path, and its bottleneck.

The model is the minimum over all resources that every byte crosses; nothing is fitted. A result
above this bound is impossible, and means that data were cached or measured incorrectly.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

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


class ResourceRole(StrEnum):
    """The part of the system that a resource or a layer is.

    Estimates and recommendations decide on it. Names are only text for people.
    """

    CLIENT_LINKS = "client-links"
    """links of the clients; more clients bring more of them"""
    UPLINKS = "uplinks"
    """links between the edge switches of the clients and the core switch"""
    SERVER_LINKS = "server-links"
    """links of servers towards the clients"""
    BACKEND_LINKS = "backend-links"
    """links of servers to arrays, or to each other for copies"""
    ARRAY_PORTS = "array-ports"
    """ports of arrays towards servers or clients"""
    STORAGE_PATHS = "storage-paths"
    """paths between a server and its disks"""
    DISKS = "disks"
    """disks of arrays: small accesses seek, RAID writes parity, metadata come from memory"""
    DISK_POOL = "disk-pool"
    """disks below software that distributes and caches the data: their rate alone is counted"""
    RATED_STORAGE = "rated-storage"
    """storage with a rated throughput, and without known parts"""
    SERVER_PROCESSOR = "server-processor"
    """processors of the servers; only in estimates"""
    ROUND_TRIPS = "round-trips"
    """waits for answers over the network; only in estimates"""
    METADATA_COMMITS = "metadata-commits"
    """commits of created and removed files; only in estimates"""
    OTHER = "other"
    """any other part: its rate is counted, and nothing else depends on it"""


@dataclass(frozen=True)
class Resource:
    """A component that every byte of a read or write crosses."""

    role: ResourceRole
    name: str
    """for people; no estimate depends on it"""
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
        return (
            self._luck(moved_bytes)
            * self.rate_bytes_per_s(operation)
            / (1 - self.burst_bytes / moved_bytes)
        )

    def _luck(self, moved_bytes: float) -> float:
        """Factor above the mean rate in the best case of the hash.

        It assumes four standard deviations of the binomial share of local data, because a bound
        must also hold in the thousandth phase.
        """
        if not self.beside_share or moved_bytes == float("inf"):
            return 1.0
        spread = math.sqrt(
            self.beside_share * (1 - self.beside_share) * self.beside_bytes / moved_bytes
        )
        crosses = 1 - self.beside_share - 4 * spread
        return (1 - self.beside_share) / crosses if crosses > 0 else float("inf")


def bucket_bytes(rate_bytes_per_s: float) -> int:
    """Bytes of the token bucket of a lab's link (tc-tbf(8)).

    A packet of 64 KiB must fit, as the last device does the segmentation. Another 4 ms of the rate
    keep the bucket busy between two timer ticks.
    """
    return 65536 + round(rate_bytes_per_s * 0.004)


def link_bytes_per_s(site: Site, node: str, network: str) -> float | None:
    """TCP payload rate of a node's link to a network in bytes/s, after scaling; None if unknown.

    Of a bond it is the rate of one link, as one connection uses one link.
    """
    rate = site.nodes[node].link_rates_bytes_per_s.get(network)
    return rate * _payload_share(site, network) if rate else None


def _payload_share(site: Site, network: str) -> float:
    return payload_share(site.mtus[network], wire=not site.traits.is_emulated)


@dataclass(frozen=True)
class LinkGroup:
    """Links of several nodes that share one traffic."""

    role: ResourceRole
    name: str
    nodes: Sequence[str]
    peers: Sequence[str] | None = None
    """nodes that each of them exchanges data with; None: unknown.

    They limit a bond, and decide whether the data cross uplinks of edge switches.
    """

    @property
    def peers_number(self) -> int | None:
        """The number of these nodes; None: unknown."""
        return None if self.peers is None else len(self.peers)


def links(site: Site, network: str, groups: Iterable[LinkGroup]) -> list[Resource]:
    """The links that every byte crosses on a network; groups with an unknown rate are left out."""
    share = _payload_share(site, network)
    resources = []
    for group in groups:
        rates = [
            site.nodes[name].bandwidth_bytes_per_s(network, group.peers_number)
            for name in group.nodes
        ]
        if group.nodes and all(rates):
            total = sum(rate for rate in rates if rate) * share
            burst = (
                sum(_buckets_bytes(site, name, network, group.peers_number) for name in group.nodes)
                if site.traits.is_emulated
                else 0.0
            )
            resources.append(Resource(group.role, group.name, total, total, burst_bytes=burst))
        if group.role is ResourceRole.CLIENT_LINKS:
            resources += _uplinks(site, network, group)
    return resources


def _uplinks(site: Site, network: str, group: LinkGroup) -> list[Resource]:
    """The uplinks of the edge switches of clients; empty where some data cross none.

    Data of a client cross no uplink where the client is at the core switch, or at the edge switch
    of a node that it exchanges data with. Unknown nodes are at the core switch.
    """
    edges = site.edges.get(network)
    if edges is None or not group.nodes:
        return []
    used = {edges.switch_of(name) for name in group.nodes}
    if None in used or used & {edges.switch_of(name) for name in group.peers or ()}:
        return []
    places = [edges.switch_of(name) for name in group.nodes]
    number = sum(edges.at_once(places.count(place), group.peers_number) for place in used)
    rate = number * edges.uplink_bytes_per_s * _payload_share(site, network)
    burst = number * bucket_bytes(edges.uplink_bytes_per_s) if site.traits.is_emulated else 0.0
    return [Resource(ResourceRole.UPLINKS, "uplinks", rate, rate, burst_bytes=burst)]


def _buckets_bytes(site: Site, name: str, network: str, peers: int | None) -> float:
    """Bytes of the token buckets of a node's link, or of all links of its bond."""
    node = site.nodes[name]
    bond = node.bonds.get(network)
    buckets = bond.links_at_once(peers) if bond else 1
    return buckets * bucket_bytes(node.link_rates_bytes_per_s.get(network, 0.0))


DIRTY_BACKGROUND_SHARE = 0.1
"""share of memory below which the kernel starts no writeback (vm.dirty_background_ratio)"""


def unwritten_bytes(site: Site, nodes: Sequence[str]) -> float:
    """Bytes of file data that the nodes hold in memory until a commit is requested."""
    return DIRTY_BACKGROUND_SHARE * sum(site.nodes[name].memory_bytes for name in nodes)


def disks(
    site: Site, nodes: Sequence[str], reading: int, data: int, *, held: bool = True
) -> list[Resource]:
    """The disks of equal nodes; empty when their rate is unknown.

    `reading` disks serve a large read, and `data` disks hold the data. A cache may exceed their
    rate for a while; with `held` the nodes' memory buffers writes.
    """
    rate = site.nodes[nodes[0]].device_rate_bytes_per_s
    if not rate:
        return []
    waiting = unwritten_bytes(site, nodes) if held else 0.0
    disk_resource = Resource(
        ResourceRole.DISKS, "disks", rate * reading, rate * data, hard=False, held_bytes=waiting
    )
    return [disk_resource]


def storage_paths(
    site: Site, server: str, read_bytes_per_s: float, write_bytes_per_s: float
) -> Resource:
    """The paths between a server and its disks; the server's memory buffers writes before them."""
    return Resource(
        ResourceRole.STORAGE_PATHS,
        "storage paths",
        read_bytes_per_s,
        write_bytes_per_s,
        hard=False,
        held_bytes=unwritten_bytes(site, [server]),
    )


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
        return min(
            self.resources, key=lambda resource: resource.rate_bytes_per_s(operation), default=None
        )

    def finite_rates(self, operation: str) -> tuple[tuple[str, float], ...]:
        """(name, bytes/s) of every resource with a known rate that the operation crosses."""
        rates = (
            (resource.name, resource.rate_bytes_per_s(operation)) for resource in self.resources
        )
        return tuple((name, rate) for name, rate in rates if math.isfinite(rate))

    def bound(self, operation: str, moved_bytes: float = float("inf")) -> Resource | None:
        """The slowest resource that no cache can exceed, for `moved_bytes`; None when unknown."""
        hard = (resource for resource in self.resources if resource.hard)
        return min(
            hard,
            key=lambda resource: resource.most_bytes_per_s(operation, moved_bytes),
            default=None,
        )
