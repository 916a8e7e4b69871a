"""What lies between the clients of a Ceph file system and its disks, also where a client is a storage server itself."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from seatrial.plan.data_path import ReadAhead, Resource, links
from seatrial.plan.site import Site
from seatrial.solutions.parts.ceph_options import Data


def resources(
    site: Site, networks: tuple[str, str | None], data: Data, disks: Mapping[str, int], clients: Sequence[str]
) -> list[Resource]:
    """Clients' links, servers' links, disks. `disks`: how many a server has.

    `networks`: the clients', and the servers' own, which copies and parts cross; where there is none they cross the
    servers' links to the clients once more.
    """
    network, apart = networks
    # The first server of an object gets all of it, and sends every other copy or part on; and the other way.
    sent: Sent = (data.width - 1) / (data.k or 1), (data.k - 1) / data.k if data.k else 0.0
    every = sum(disks.values())
    # Of what a client on a server moves, so much has its first place on that server's own disks: it crosses no link.
    own = [disks.get(name, 0) / every for name in clients]
    beside = sum(own) / len(own)
    faster = sum(1 / (1 - share) for share in own) / len(own)
    found = []
    for it in links(site, network, {"client links": clients}):
        read, write = it.read_bytes_per_s * faster, it.write_bytes_per_s * faster
        found.append(
            replace(
                it,
                read_bytes_per_s=read,
                write_bytes_per_s=write,
                burst_bytes=it.burst_bytes * faster,
                beside_share=1 - 1 / faster,
                beside_bytes=data.object if beside else 0.0,
            )
        )
    crossing = (0.0, 0.0) if apart else sent
    servers = [
        _server_link(it, data, len(clients), beside, crossing)
        for it in links(site, network, {"server links": tuple(disks)})
    ]
    if apart and any(sent):
        servers += [
            _cluster_link(it, data, len(clients), sent) for it in links(site, apart, {"cluster links": tuple(disks)})
        ]
    # Objects are dealt out to the servers by a hash.
    found += [replace(it, piece_bytes=data.object, places=len(disks)) for it in servers]
    rates = [(site.nodes[name].device_rate_bytes_per_s or 0.0) * count for name, count in disks.items()]
    if all(rates):
        found.append(Resource("server disks", sum(rates), sum(rates) * (data.k or 1) / data.width, hard=False))
    return found


READ_AHEAD_BYTES = 8 * 2**20
"""rasize, where the mount does not say it (mount.ceph(8))"""


def read_ahead(mount: Sequence[str], data: Data) -> ReadAhead:
    """Of the kernel's client: a miss is widened to the object that it is in, if no more than `rasize` is fetched for it
    (ceph_netfs_expand_readahead() of Linux's fs/ceph/addr.c; a file's objects are its stripe units here).
    """
    said = [option.removeprefix("rasize=") for option in mount if option.startswith("rasize=")]
    ahead = int(said[-1]) if said and said[-1].isdecimal() else READ_AHEAD_BYTES  # the mount refuses anything else
    return ReadAhead(ahead, data.object if data.object <= ahead else 0)


Sent = tuple[float, float]
"""how often what is written, and what is read, crosses from one server to another"""


def _server_link(it: Resource, data: Data, clients: int, beside: float, sent: Sent) -> Resource:
    """What clients send and get, and what crosses the same links once more."""
    passes = 1 + sent[0]
    return replace(
        it,
        read_bytes_per_s=it.read_bytes_per_s / (1 + sent[1] - beside),
        write_bytes_per_s=it.write_bytes_per_s / (passes - beside),
        # A server has an object as a whole before it sends it on.
        held_bytes=data.object * clients * sent[0] / passes,
        burst_bytes=it.burst_bytes / (passes - beside),
        beside_share=beside,
        beside_bytes=data.object if beside else 0.0,
    )


def _cluster_link(it: Resource, data: Data, clients: int, sent: Sent) -> Resource:
    """What servers send each other, on links of their own."""
    return replace(
        it,
        read_bytes_per_s=it.read_bytes_per_s / sent[1] if sent[1] else math.inf,
        write_bytes_per_s=it.write_bytes_per_s / sent[0],
        held_bytes=data.object * clients,
        burst_bytes=it.burst_bytes / max(sent),
    )
