"""The resources between the clients of a Ceph file system and its disks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from seatrial.plan.data_path import ReadAhead, Resource, links
from seatrial.plan.site import Site
from seatrial.solutions.parts.ceph_options import Data


def resources(
    site: Site, networks: tuple[str, str | None], data: Data, disks: Mapping[str, int], clients: Sequence[str]
) -> list[Resource]:
    """Clients' links, servers' links, disks.

    `disks`: number of disks per server. `networks`: the clients' network, and the servers' own for
    copies and parity parts. Without the latter these cross the servers' links a second time.
    """
    network, apart = networks
    # The first server of an object receives it and sends all other copies or parts on.
    sent: Sent = (data.width - 1) / (data.k or 1), (data.k - 1) / data.k if data.k else 0.0
    every = sum(disks.values())
    # A client on a server stores this share on the server's own disks, without any link.
    local_shares = [disks.get(name, 0) / every for name in clients]
    local_share = sum(local_shares) / len(local_shares)
    faster = sum(1 / (1 - share) for share in local_shares) / len(local_shares)
    crossed = []
    for it in links(site, network, {"client links": clients}):
        read, write = it.read_bytes_per_s * faster, it.write_bytes_per_s * faster
        crossed.append(
            replace(
                it,
                read_bytes_per_s=read,
                write_bytes_per_s=write,
                burst_bytes=it.burst_bytes * faster,
                beside_share=1 - 1 / faster,
                beside_bytes=data.object_size if local_share else 0.0,
            )
        )
    crossing = (0.0, 0.0) if apart else sent
    servers = [
        _server_link(it, data, len(clients), local_share, crossing)
        for it in links(site, network, {"server links": tuple(disks)})
    ]
    if apart and any(sent):
        servers += [
            _cluster_link(it, data, len(clients), sent) for it in links(site, apart, {"cluster links": tuple(disks)})
        ]
    # A hash distributes objects over the servers.
    crossed += [replace(it, piece_bytes=data.object_size, places=len(disks)) for it in servers]
    rates = [(site.nodes[name].device_rate_bytes_per_s or 0.0) * count for name, count in disks.items()]
    if all(rates):
        crossed.append(
            Resource(
                "server disks",
                sum(rates),
                sum(rates) * (data.k or 1) / data.width,
                hard=False,
            ),
        )
    return crossed


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


Sent = tuple[float, float]
"""how often written and read bytes cross from one server to another"""


def _server_link(it: Resource, data: Data, clients: int, beside: float, sent: Sent) -> Resource:
    """The servers' links, with the clients' traffic and the servers' own traffic."""
    passes = 1 + sent[0]
    return replace(
        it,
        read_bytes_per_s=it.read_bytes_per_s / (1 + sent[1] - beside),
        write_bytes_per_s=it.write_bytes_per_s / (passes - beside),
        # A server receives an object completely before it sends it on.
        held_bytes=data.object_size * clients * sent[0] / passes,
        burst_bytes=it.burst_bytes / (passes - beside),
        beside_share=beside,
        beside_bytes=data.object_size if beside else 0.0,
    )


def _cluster_link(it: Resource, data: Data, clients: int, sent: Sent) -> Resource:
    """The servers' links on their own network."""
    return replace(
        it,
        read_bytes_per_s=it.read_bytes_per_s / sent[1] if sent[1] else math.inf,
        write_bytes_per_s=it.write_bytes_per_s / sent[0],
        held_bytes=data.object_size * clients,
        burst_bytes=it.burst_bytes / max(sent),
    )
