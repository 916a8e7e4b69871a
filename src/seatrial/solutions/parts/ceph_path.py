"""The resources between the clients of a Ceph file system and its disks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from seatrial.plan.data_path import LinkGroup, ReadAhead, Resource, ResourceRole, links
from seatrial.plan.site import Site
from seatrial.solutions.parts.ceph_options import Data


@dataclass(frozen=True)
class _ServerTraffic:
    """How often a byte of a client crosses from one server to another."""

    per_read_byte: float
    per_written_byte: float

    @classmethod
    def of(cls, data: Data) -> "_ServerTraffic":
        """The first server of an object receives it, and sends all other copies or parts."""
        if not data.k:
            return cls(per_read_byte=0.0, per_written_byte=float(data.width - 1))
        return cls(per_read_byte=(data.k - 1) / data.k, per_written_byte=(data.width - 1) / data.k)

    @property
    def most(self) -> float:
        """The larger of both."""
        return max(self.per_read_byte, self.per_written_byte)


NO_TRAFFIC = _ServerTraffic(per_read_byte=0.0, per_written_byte=0.0)


def resources(
    site: Site,
    networks: tuple[str, str | None],
    data: Data,
    disks: Mapping[str, int],
    clients: Sequence[str],
) -> list[Resource]:
    """Clients' links, servers' links, disks; nothing without clients.

    `disks`: number of disks per server. `networks`: the clients' network, and the servers' own for
    copies and parity parts. Without the latter these cross the servers' links a second time.
    """
    if not clients:
        return []
    path = _Path(site, *networks, data, disks, clients)
    return [
        *path.client_links(),
        *path.server_links(),
        *path.cluster_links(),
        *path.server_disks(),
    ]


@dataclass(frozen=True)
class _Path:
    """The parts of the data path; see `resources`."""

    site: Site
    network: str
    cluster_network: str | None
    data: Data
    disks: Mapping[str, int]
    clients: Sequence[str]

    @property
    def _servers(self) -> tuple[str, ...]:
        return tuple(self.disks)

    @property
    def _local_shares(self) -> list[float]:
        """For each client, the share of its data that its own disks store, without any link."""
        disks_total = sum(self.disks.values())
        return [self.disks.get(name, 0) / disks_total for name in self.clients]

    def client_links(self) -> list[Resource]:
        """The clients' links, which data on a client's own disks do not cross."""
        shares = self._local_shares
        faster = sum(1 / (1 - share) for share in shares) / len(shares)
        group = LinkGroup(ResourceRole.CLIENT_LINKS, "client links", self.clients, self._servers)
        beside_bytes = self.data.object_size if any(shares) else 0.0

        def with_own_objects(link: Resource) -> Resource:
            """The share of the objects in the client's own server does not use its link."""
            return replace(
                link,
                read_bytes_per_s=link.read_bytes_per_s * faster,
                write_bytes_per_s=link.write_bytes_per_s * faster,
                burst_bytes=link.burst_bytes * faster,
                beside_share=1 - 1 / faster,
                beside_bytes=beside_bytes,
            )

        return [
            link if link.role is ResourceRole.UPLINKS else with_own_objects(link)
            for link in links(self.site, self.network, [group])
        ]

    def server_links(self) -> list[Resource]:
        """The servers' links to the clients; with the servers' own traffic, if no other network
        has it.
        """
        shares = self._local_shares
        local_share = sum(shares) / len(shares)
        peers = self.clients if self.cluster_network else (*self.clients, *self._servers[1:])
        traffic = NO_TRAFFIC if self.cluster_network else _ServerTraffic.of(self.data)
        group = LinkGroup(ResourceRole.SERVER_LINKS, "server links", self._servers, peers)
        return [
            self._hashed(_server_link(link, self.data, len(self.clients), local_share, traffic))
            for link in links(self.site, self.network, [group])
        ]

    def cluster_links(self) -> list[Resource]:
        """The servers' links on their own network; empty without one, or without copies."""
        traffic = _ServerTraffic.of(self.data)
        if not self.cluster_network or not traffic.most:
            return []
        peers = self._servers[1:]
        group = LinkGroup(ResourceRole.BACKEND_LINKS, "cluster links", self._servers, peers)
        return [
            self._hashed(_cluster_link(link, self.data, len(self.clients), traffic))
            for link in links(self.site, self.cluster_network, [group])
        ]

    def _hashed(self, link: Resource) -> Resource:
        """A hash distributes objects over the servers."""
        return replace(link, piece_bytes=self.data.object_size, places=len(self.disks))

    def server_disks(self) -> list[Resource]:
        """All disks together; empty where the rate of one is unknown."""
        rates = [
            (self.site.nodes[name].device_rate_bytes_per_s or 0.0) * count
            for name, count in self.disks.items()
        ]
        if not all(rates):
            return []
        total_bytes_per_s = sum(rates)
        return [
            Resource(
                ResourceRole.DISK_POOL,
                "server disks",
                total_bytes_per_s,
                total_bytes_per_s * (self.data.k or 1) / self.data.width,
                hard=False,
            )
        ]


READ_AHEAD_BYTES = 8 * 2**20
"""rasize when the mount does not set it (mount.ceph(8))"""


def read_ahead(mount: Sequence[str], data: Data) -> ReadAhead:
    """The read-ahead of the kernel's client.

    A miss is widened to its whole object, if this fetches at most `rasize`
    (ceph_netfs_expand_readahead() of Linux's fs/ceph/addr.c; here a stripe unit is one object).
    """
    sizes = [option.removeprefix("rasize=") for option in mount if option.startswith("rasize=")]
    # The mount refuses any other text.
    is_set = bool(sizes) and sizes[-1].isdecimal()
    ahead = int(sizes[-1]) if is_set else READ_AHEAD_BYTES
    return ReadAhead(ahead, data.object_size if data.object_size <= ahead else 0)


def _server_link(
    link: Resource, data: Data, clients: int, local_share: float, traffic: _ServerTraffic
) -> Resource:
    """The servers' links, with the clients' traffic and the servers' own traffic."""
    passes = 1 + traffic.per_written_byte
    return replace(
        link,
        read_bytes_per_s=link.read_bytes_per_s / (1 + traffic.per_read_byte - local_share),
        write_bytes_per_s=link.write_bytes_per_s / (passes - local_share),
        # A server receives an object completely before it sends it on.
        held_bytes=data.object_size * clients * traffic.per_written_byte / passes,
        burst_bytes=link.burst_bytes / (passes - local_share),
        beside_share=local_share,
        beside_bytes=data.object_size if local_share else 0.0,
    )


def _cluster_link(link: Resource, data: Data, clients: int, traffic: _ServerTraffic) -> Resource:
    """The servers' links on their own network."""
    read_bytes_per_s = math.inf
    if traffic.per_read_byte:
        read_bytes_per_s = link.read_bytes_per_s / traffic.per_read_byte
    return replace(
        link,
        read_bytes_per_s=read_bytes_per_s,
        write_bytes_per_s=link.write_bytes_per_s / traffic.per_written_byte,
        held_bytes=data.object_size * clients,
        burst_bytes=link.burst_bytes / traffic.most,
    )
