"""The nodes of a CephFS solution by their roles."""

from dataclasses import dataclass

from seatrial.basics.node_sets import expand
from seatrial.plan.site import Site
from seatrial.solutions.parts.ceph_options import HOSTS_LEAST, Options

Nodes = tuple[str, ...]


@dataclass(frozen=True)
class CephRoles:
    """The nodes of each role; a node may have several."""

    servers: Nodes
    """with the disks"""
    monitors: Nodes
    managers: Nodes
    metadata: Nodes
    clients: Nodes
    """with the kernel's client, on no server"""
    server_clients: Nodes
    nfs_servers: Nodes
    nfs_clients: Nodes
    taken: frozenset[str]
    """the nodes with a daemon or a disk"""

    @property
    def of_keys(self) -> dict[str, Nodes]:
        """The nodes of each key of the study."""
        return {
            "servers": self.servers,
            "monitors": self.monitors,
            "managers": self.managers,
            "metadata": self.metadata,
            "clients": self.clients,
            "server_clients": self.server_clients,
            "nfs": (*self.nfs_servers, *self.nfs_clients),
        }

    @property
    def every_client(self) -> Nodes:
        """All clients. An experiment with n clients uses the first n.

        NFS clients and clients on servers come first, so that an experiment with as many clients
        runs on them alone.
        """
        return (*self.nfs_clients, *self.server_clients, *self.clients)


def roles_of(options: Options, site: Site) -> CephRoles:
    """The named nodes; by default servers have the disks, and the other nodes are clients."""
    disks = tuple(name for name, node in site.nodes.items() if node.devices)
    servers = _expanded(options.servers) or disks
    monitors = _expanded(options.monitors) or servers[:HOSTS_LEAST]
    managers = _expanded(options.managers) or monitors[:2]
    metadata = _expanded(options.metadata) or monitors[-2:]
    nfs_clients = _expanded(options.nfs.clients) if options.nfs else ()
    taken = frozenset((*servers, *monitors, *managers, *metadata, *disks))
    rest = tuple(name for name in site.nodes if name not in taken.union(nfs_clients))
    return CephRoles(
        servers=servers,
        monitors=monitors,
        managers=managers,
        metadata=metadata,
        clients=_expanded(options.clients) or rest,
        server_clients=_expanded(options.server_clients),
        nfs_servers=_expanded(options.nfs.servers) if options.nfs else (),
        nfs_clients=nfs_clients,
        taken=taken,
    )


def _expanded(nodes: str | None) -> Nodes:
    return tuple(expand(nodes)) if nodes else ()
