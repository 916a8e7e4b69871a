"""The part of a study that is about power: management controllers and power distribution units."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Protocol

from pydantic import AfterValidator, Field

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model
from seatrial.basics.text import Address, FilePath, Name, User, is_ipv6
from seatrial.basics.yamlfile import Location, Mistake


def _not_ipv6(text: str) -> str:
    """Fence agents join an address and a port with a colon."""
    if is_ipv6(text):
        raise ValueError(
            f"{text!r}: controllers are not reached by IPv6 addresses; write a name or an IPv4"
            " address"
        )
    return text


ControllerAddress = Annotated[Address, AfterValidator(_not_ipv6)]


class Bmc(Model):
    """`bmc: {network: private}`: a management controller."""

    network: Name = Field(description="The network that the controller is attached to.")
    address: ControllerAddress | None = Field(
        None,
        description=(
            "On hosts, required: name or address. `{node}` is replaced by the name of the node."
        ),
    )
    user: User | None = Field(None, description="On hosts, required: the user that logs in.")
    password_file: FilePath | None = Field(
        None,
        description=(
            "On hosts, required: a file on the servers with the password, and on the machine"
            " `power_control`."
        ),
    )
    protocol: Literal["ipmi", "redfish"] = Field(
        "ipmi",
        description=(
            "For power faults on hosts: IPMI 2.0 (lanplus) or Redfish. Fencing always uses IPMI."
        ),
    )


class Pdu(Model):
    """`pdus: {pdu-a: {network: private}}`: a switched power distribution unit, one power bus."""

    network: Name = Field(description="The network that the PDU is attached to.")
    address: ControllerAddress | None = Field(
        None,
        description="On hosts, required: name or address.",
    )
    community_file: FilePath | None = Field(
        None,
        description=(
            "On hosts, required: a file on the servers with the SNMP community that may switch"
            " outlets."
        ),
    )
    outlets: dict[str, Annotated[int, Field(ge=1, le=1000)]] | None = Field(
        None,
        description=(
            "Outlet number by node, for all nodes or none. A lab counts the outlets. On hosts"
            " required."
        ),
    )


class _Node(Protocol):
    @property
    def bmc(self) -> Bmc | None: ...

    @property
    def power(self) -> tuple[str, ...] | None: ...


def power_mistakes(
    pdus: Mapping[str, Pdu], nodes: Mapping[str, _Node], networks: set[str]
) -> Iterator[Mistake]:
    """Mistakes that only the whole study shows: (where, the mistake and its correction)."""
    known = ", ".join(sorted(networks))
    for name, pdu in pdus.items():
        if pdu.network not in networks:
            yield Mistake(
                ("pdus", name, "network"), f"no network is called {pdu.network!r}; one of {known}"
            )
    for names, node in nodes.items():
        if node.bmc is not None and node.bmc.network not in networks:
            yield Mistake(
                ("nodes", names, "bmc", "network"),
                f"no network is called {node.bmc.network!r}; one of {known}",
            )
        if (
            node.bmc is not None
            and "{node}" not in (node.bmc.address or "{node}")
            and len(expand(names)) > 1
        ):
            yield Mistake(
                ("nodes", names, "bmc", "address"),
                f"{names!r} are several nodes; write their names as {{node}} in it",
            )
        yield from _supply_mistakes(names, node, pdus)
    for name, pdu in pdus.items():
        yield from _outlet_mistakes(name, pdu, nodes)
    yield from _name_mistakes(pdus, nodes, networks)


def _supply_mistakes(names: str, node: _Node, pdus: Mapping[str, Pdu]) -> Iterator[Mistake]:
    for index, pdu in enumerate(node.power or ()):
        location: Location = ("nodes", names, "power", index)
        if pdu not in pdus:
            yield Mistake(
                location,
                (
                    f"no PDU is called {pdu!r};"
                    f" {'one of ' + ', '.join(pdus) if pdus else 'name it in pdus'}"
                ),
            )
        if pdu in (node.power or ())[:index]:
            yield Mistake(location, f"{pdu!r} is named twice; a node has one supply on each PDU")


def _outlet_mistakes(name: str, pdu: Pdu, nodes: Mapping[str, _Node]) -> Iterator[Mistake]:
    if pdu.outlets is None:
        return
    fed = [
        node
        for names, item in nodes.items()
        if name in (item.power or ())
        for node in expand(names)
    ]
    for node in pdu.outlets:
        if node not in fed:
            yield Mistake(
                ("pdus", name, "outlets", node),
                f"{node!r} has no supply on {name}; see its power",
            )
    for node in fed:
        if node not in pdu.outlets:
            yield Mistake(
                ("pdus", name, "outlets"), f"the outlet of {node} is missing; give all or none"
            )
    numbers = list(pdu.outlets.values())
    for node, number in pdu.outlets.items():
        if numbers.count(number) > 1:
            yield Mistake(("pdus", name, "outlets", node), f"outlet {number} is given twice")


def _name_mistakes(
    pdus: Mapping[str, Pdu], nodes: Mapping[str, _Node], networks: set[str]
) -> Iterator[Mistake]:
    """Mistakes where one name has two addresses: names of nodes, nodes on a network (`srv1-data`),
    controllers (`srv1-bmc`) and PDUs.
    """
    taken = {name: name for names in nodes for name in expand(names)}
    for name in list(taken):
        taken |= {
            f"{name}-{network}": f"{name} on the network {network}"
            for network in (*networks, "control")
        }
    for names, node in nodes.items():
        for name in expand(names) if node.bmc else ():
            if f"{name}-bmc" in taken:
                owner = taken[f"{name}-bmc"]
                mistake = f"the name {name}-bmc means {owner} already; call that otherwise"
                yield Mistake(("nodes", names, "bmc"), mistake)
            taken[f"{name}-bmc"] = f"the controller of {name}"
    for pdu in pdus:
        if pdu in taken:
            yield Mistake(
                ("pdus", pdu),
                f"the name {pdu} means {taken[pdu]} already; call the PDU otherwise",
            )
