"""What lies between the clients of a Ceph file system and its disks, also where a client is a storage server itself."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from seatrial.plan.data_path import Resource, links
from seatrial.plan.site import Site
from seatrial.solutions.parts.ceph_options import Data


def resources(site: Site, network: str, data: Data, disks: Mapping[str, int], clients: Sequence[str]) -> list[Resource]:
    """Clients' links; servers' links, which copies and parts cross once more; disks. `disks`: how many a server has."""
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
    found += [_servers(it, data, len(disks), len(clients), beside) for it in _server_links(site, network, disks)]
    rates = [(site.nodes[name].device_rate_bytes_per_s or 0.0) * count for name, count in disks.items()]
    if all(rates):
        found.append(Resource("server disks", sum(rates), sum(rates) * (data.k or 1) / data.width, hard=False))
    return found


def _server_links(site: Site, network: str, disks: Mapping[str, int]) -> list[Resource]:
    return links(site, network, {"server links": tuple(disks)})


def _servers(it: Resource, data: Data, places: int, clients: int, beside: float) -> Resource:
    """The first server of an object gets all of it, and sends every other copy or part on; and the other way."""
    k = data.k or 1
    passes = data.replicas if data.k is None else 1 + (data.width - 1) / k
    write = it.write_bytes_per_s / (passes - beside)
    read = it.read_bytes_per_s / ((1 if data.k is None else 1 + (k - 1) / k) - beside)
    # A server has an object as a whole before it sends it on, and a hash says which server.
    held = data.object * clients * (passes - 1) / passes
    hashed = Resource(it.name, read, write, held_bytes=held, piece_bytes=data.object, places=places)
    return replace(
        hashed,
        burst_bytes=it.burst_bytes / (passes - beside),
        beside_share=beside,
        beside_bytes=data.object if beside else 0.0,
    )
