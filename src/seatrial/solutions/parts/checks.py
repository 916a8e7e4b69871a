"""Checks that several kinds of solutions share: InputError with its place in the study."""

from collections.abc import Collection, Iterable, Mapping

from seatrial.basics.text import is_ipv6
from seatrial.basics.units import format_size
from seatrial.basics.yamlfile import Location
from seatrial.plan.site import Site
from seatrial.study.study import Study


def check_nodes(
    study: Study, site: Site, where: Location, names: Iterable[str], network: str | None
) -> None:
    """InputError for a name that is no node, or not on the solution's network."""
    for name in names:
        if name not in site.nodes:
            raise study.mistake(where, f"{name!r} is not a node of this study")
        if network is not None and network not in site.nodes[name].networks:
            raise study.mistake(
                ("solution", "network"), f"{name!r} is not on a network called {network!r}"
            )


LAB_NODE_BYTES = 128 * 2**20
"""default memory of a lab node: its system, sshd, the agent and the kernel's part of a storage"""


def check_lab_memory(
    study: Study, site: Site, names: Iterable[str], least_bytes: int, reason: str
) -> None:
    """InputError when a lab's node has less memory than its daemons need.

    Hosts are not checked here: preflight reads their memory.
    """
    if not site.traits.sets_memory:
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
    """InputError when a member lacks memory for corosync in addition to a node's own needs."""
    reason = (
        f"corosync locks {format_size(locked_bytes)} in a cluster of {len(members)} nodes, and a "
        f"node's system, its kernel and the agent need {format_size(LAB_NODE_BYTES)}; "
        "with less memory the kernel kills corosync"
    )
    check_lab_memory(study, site, members, LAB_NODE_BYTES + locked_bytes, reason)
    reason = "its kernel holds the stripes and requests of its disks, in addition to the system"
    check_lab_memory(study, site, arrays, LAB_NODE_BYTES, reason)


def check_mount_options(
    study: Study, where: Location, options: Iterable[str], reserved: Mapping[str, str]
) -> None:
    """InputError when a mount option is set by another key.

    `reserved` maps names of options to keys; names are compared case-insensitively.
    """
    keys = {name.lower(): key for name, key in reserved.items()}
    for option in options:
        name = option.partition("=")[0].lower()
        if name in keys:
            raise study.mistake(where, f"{option!r} is set by {keys[name]}; leave it out")


def check_no_ipv6(study: Study, site: Site, kind: str) -> None:
    """InputError when a node has an IPv6 address, which this kind of solution cannot use."""
    reason = f"{kind} does not support IPv6 addresses; write a name or an IPv4 address"
    for name, node in site.nodes.items():
        for address in (node.address, *node.networks.values()):
            if is_ipv6(address):
                raise study.mistake(
                    _place_of_address(study, name, address), f"{address!r}: {reason}"
                )


def _pattern_of(study: Study, name: str) -> str:
    """The study's node set with the node."""
    node = study.node(name)
    return next(pattern for pattern, item in study.nodes.items() if item is node)


def _place_of_address(study: Study, name: str, address: str) -> Location:
    """The place of this address of a node in the study."""
    node = study.node(name)
    pattern = _pattern_of(study, name)
    network = next((network for network, text in node.addresses.items() if text == address), None)
    return (
        ("nodes", pattern, "address")
        if network is None
        else ("nodes", pattern, "addresses", network)
    )
