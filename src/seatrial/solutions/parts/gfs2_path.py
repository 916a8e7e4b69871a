"""The links between the nodes of a GFS2 file system and its arrays."""

from collections.abc import Sequence

from seatrial.plan.data_path import LinkGroup, Resource, ResourceRole, links
from seatrial.plan.site import Site
from seatrial.solutions.parts.gfs2_options import Options


def resources(
    site: Site,
    options: Options,
    nodes: Sequence[str],
    servers: Sequence[str],
    members: Sequence[str],
) -> list[Resource]:
    """The nodes' links, those of block servers on both sides, and the members' front-end ports.

    Without `servers`, nodes access the members directly.
    """
    peers = servers or members
    at_nodes = LinkGroup(ResourceRole.CLIENT_LINKS, "node links", nodes, peers)
    initiators = servers or nodes
    ports = LinkGroup(ResourceRole.ARRAY_PORTS, "front-end ports", members, initiators)
    if not servers:
        return links(site, options.storage, [at_nodes, ports])
    # Each byte crosses a block server twice.
    to_nodes = LinkGroup(ResourceRole.SERVER_LINKS, "block servers' links to nodes", servers, nodes)
    to_arrays = LinkGroup(
        ResourceRole.BACKEND_LINKS, "block servers' links to arrays", servers, members
    )
    return [
        *links(site, options.storage, [at_nodes, to_nodes]),
        *links(site, options.array_network, [to_arrays, ports]),
    ]
