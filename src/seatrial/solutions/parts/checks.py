"""What several kinds of solutions refuse in the same words: InputError with its place in the study."""

from collections.abc import Iterable, Mapping

from seatrial.basics.text import is_ipv6
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


def _place_of_address(study: Study, name: str, address: str) -> Location:
    """Where the study says this address of a node."""
    node = study.node(name)
    pattern = next(pattern for pattern, item in study.nodes.items() if item is node)
    network = next((network for network, text in node.addresses.items() if text == address), None)
    return ("nodes", pattern, "address") if network is None else ("nodes", pattern, "addresses", network)
