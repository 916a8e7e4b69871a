"""What several kinds of solutions refuse in the same words: InputError with its place in the study."""

from collections.abc import Collection, Iterable, Mapping

from seatrial.basics.text import is_ipv6
from seatrial.basics.units import format_size
from seatrial.basics.yamlfile import Location
from seatrial.plan.site import Site
from seatrial.study.study import Study


def check_nodes(study: Study, site: Site, where: Location, names: Iterable[str], network: str | None) -> None:
    """Each is a node of the study, and on the network of the solution where one is named."""
    for name in names:
        if name not in site.nodes:
            raise study.mistake(where, f"{name!r} is no node of this study")
        if network is not None and network not in site.nodes[name].networks:
            raise study.mistake(("solution", "network"), f"{name!r} is not on a network called {network!r}")


LAB_NODE_BYTES = 128 * 2**20
"""what a lab node has by default: its system, sshd, the agent and the kernel's part of a storage"""


def check_lab_memory(study: Study, site: Site, names: Iterable[str], least_bytes: int, reason: str) -> None:
    """InputError where a lab's node has less memory than its daemons need to run.

    Hosts are not asked: preflight looks at what they have.
    """
    if site.kind != "uml":
        return
    for name in names:
        memory_bytes = site.nodes[name].memory_bytes
        if memory_bytes < least_bytes:
            least = f"{-(-least_bytes // 2**20)}MiB"
            raise study.mistake(
                ("nodes", _pattern_of(study, name), "memory"),
                f"{name} has {format_size(memory_bytes)} and needs at least {least}: {reason}",
            )


def check_cluster_memory(
    study: Study, site: Site, *, members: Collection[str], locked_bytes: int, arrays: Iterable[str]
) -> None:
    """A member needs what corosync locks beside what every node needs, which is enough for what serves disks."""
    reason = (
        f"corosync locks {format_size(locked_bytes)} in a cluster of {len(members)} nodes, and a node's "
        f"system, its kernel and the agent take {format_size(LAB_NODE_BYTES)}; with less the kernel kills corosync"
    )
    check_lab_memory(study, site, members, LAB_NODE_BYTES + locked_bytes, reason)
    reason = "its kernel holds the stripes and requests of the disks that it serves, beside a node's system"
    check_lab_memory(study, site, arrays, LAB_NODE_BYTES, reason)


def check_mount_options(study: Study, where: Location, options: Iterable[str], reserved: Mapping[str, str]) -> None:
    """InputError where an option says what another key says.

    `reserved` has that key by the name of the option; names are compared without their case.
    """
    keys = {name.lower(): key for name, key in reserved.items()}
    for option in options:
        name = option.partition("=")[0].lower()
        if name in keys:
            raise study.mistake(where, f"{option!r} is said by {keys[name]}; leave it out")


def check_no_ipv6(study: Study, site: Site, kind: str) -> None:
    """InputError where a node has an IPv6 address: this kind of solution puts addresses where they would not work."""
    reason = f"{kind} is not built over IPv6 addresses; write a name or an IPv4 address"
    for name, node in site.nodes.items():
        for address in (node.address, *node.networks.values()):
            if is_ipv6(address):
                raise study.mistake(_place_of_address(study, name, address), f"{address!r}: {reason}")


def _pattern_of(study: Study, name: str) -> str:
    """The node set of the study to which a node belongs."""
    node = study.node(name)
    return next(pattern for pattern, item in study.nodes.items() if item is node)


def _place_of_address(study: Study, name: str, address: str) -> Location:
    """Where the study says this address of a node."""
    node = study.node(name)
    pattern = _pattern_of(study, name)
    network = next((network for network, text in node.addresses.items() if text == address), None)
    return ("nodes", pattern, "address") if network is None else ("nodes", pattern, "addresses", network)
