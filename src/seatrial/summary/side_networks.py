"""The networks next to the data network: storage paths, private networks, and power control."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seatrial.study.study import Study
from seatrial.summary.notation import node_set


@dataclass(frozen=True)
class PowerUnit:
    """A switched power distribution unit."""

    name: str
    nodes: str
    """the nodes with a supply on it, as a folded node set"""


@dataclass(frozen=True)
class SideNetwork:
    """A network that does not carry the data of clients."""

    name: str
    nodes: str
    """the attached nodes, as a folded node set"""
    links_bytes_per_s: tuple[float, ...]
    """the different rates of their links, as modelled; empty if the study states none"""
    mtu: int | None
    """in bytes; None if the study does not set it"""
    bmcs: str = ""
    """nodes with a management controller on this network, as a folded node set"""
    power_units: tuple[PowerUnit, ...] = ()


def side_networks(
    study: Study, data_network: str | None, present: Iterable[str]
) -> tuple[SideNetwork, ...]:
    """Every network of a study but the data network, in its order.

    `present`: the nodes of the run, because a profile can have more nodes than another one.
    """
    names = [name for name in study.node_names() if name in set(present)]
    networks = (
        _side_network(study, network, names)
        for network in study.networks
        if network != data_network
    )
    return tuple(network for network in networks if network.nodes or network.power_units)


def _side_network(study: Study, network: str, names: Sequence[str]) -> SideNetwork:
    attached = [name for name in names if network in study.networks_of(name)]
    nodes = [study.node(name) for name in attached]
    rates = [node.links.get(network, node.link) for node in nodes]
    controlled = [
        name for name in names if (bmc := study.node(name).bmc) and bmc.network == network
    ]
    _, with_mtu = study.mtus()
    return SideNetwork(
        name=network,
        nodes=node_set(attached) if attached else "",
        links_bytes_per_s=tuple(sorted({float(rate) for rate in rates if rate is not None})),
        mtu=study.networks[network].mtu if network in with_mtu else None,
        bmcs=node_set(controlled) if controlled else "",
        power_units=tuple(
            PowerUnit(pdu, node_set(_supplied(study, pdu, names)))
            for pdu, unit in study.pdus.items()
            if unit.network == network and _supplied(study, pdu, names)
        ),
    )


def _supplied(study: Study, pdu: str, names: Iterable[str]) -> list[str]:
    """The nodes with a supply on a PDU."""
    return [name for name in names if pdu in (study.node(name).power or ())]
