"""The bonds of hosts, as their kernels report them, compared with those of the study."""

from collections.abc import Iterator
from dataclasses import dataclass

from seatrial.basics.units import counted
from seatrial.plan.site import SiteBond


@dataclass(frozen=True)
class BondFound:
    """The bond that a node uses to reach a network."""

    network: str
    device: str
    mode: str
    hash: str
    members: int
    up: int
    """links of it that work"""


def bond_found(line: str) -> BondFound:
    """The line of `fact_bond` in preflight.sh, without its first word."""
    network, device, mode, policy, members, up = line.split(" ")
    return BondFound(network, device, mode, policy, int(members), int(up))


def bond_words(bond: BondFound) -> str:
    """A bond for people."""
    return (
        f"{bond.network}: bond {bond.device}, {bond.mode}, hash {bond.hash},"
        f" {bond.up} of {counted(bond.members, 'link')} up"
    )


def bond_warnings(
    node: str, expected: dict[str, SiteBond], reported: tuple[BondFound, ...]
) -> Iterator[str]:
    """A sentence for each difference between the study and a host.

    Seatrial changes no bond of a host: the switch must change with it.
    """
    by_network = {bond.network: bond for bond in reported}
    for network, bond in expected.items():
        current = by_network.get(network)
        if current is None:
            yield (
                f"{node}: the study has a bond to {network}, and the card that reaches it is in no"
                " bond"
            )
            continue
        pairs = (
            ("mode", bond.mode, current.mode),
            ("hash", bond.hash, current.hash),
            ("links", bond.members, current.members),
        )
        for what, planned, measured in pairs:
            if planned != measured:
                yield (
                    f"{node}: the bond {current.device} to {network} has {what} {measured}; the"
                    f" study has {planned}"
                )
        if current.up < current.members:
            yield (
                f"{node}: of the bond {current.device} to {network} only {current.up} of"
                f" {counted(current.members, 'link')} are up"
            )
