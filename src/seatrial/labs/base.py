"""The interface of labs (environments), their optional abilities, and the list of kinds."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from seatrial.basics.errors import not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import AnyModel, Model, validate
from seatrial.basics.yamlfile import Location
from seatrial.plan.site import Site, SiteBond, SiteEdges, SiteNode
from seatrial.plan.traits import REAL, Traits
from seatrial.study.nodes import Paths
from seatrial.study.study import Study
from seatrial.transport import Transport

Say = Callable[[str], None]


@runtime_checkable
class Lab(Protocol):
    """Nodes that can be reached."""

    kind: str

    @property
    def ssh_config(self) -> Path | None:
        """The configuration for `ssh -F`; None means the user's own."""

    @property
    def transport(self) -> Transport:
        """The transport to its nodes, with the privileges of a deployment; only labs create one."""

    def down(self) -> None:
        """Remove every process, mount, namespace and file of the lab; nothing for hosts."""

    def facts(self) -> dict[str, Any]:
        """The lab's facts for the result."""


@runtime_checkable
class Named(Protocol):
    """Optional: a lab with another subject in sentences than `the lab KIND`."""

    subject: str


@runtime_checkable
class PowerControl(Protocol):
    """Optional: a lab that can cut and restore a node's power."""

    def power(self, node: str, state: str) -> None:
        """Set the state: `on`, `off` (cut), `frozen` or `thawed`."""


@dataclass(frozen=True)
class RemoteCommand:
    """A command and the machine that runs it, which need not be a node."""

    machine: str
    transport: Transport
    command: str


@runtime_checkable
class PowerByControllers(Protocol):
    """Optional: a lab of real machines, with power that management controllers switch."""

    def power_problem(self, node: str, state: str) -> str | None:
        """Why the power of a node cannot have a state, in words; None where it can."""

    def power_timer(self, node: str) -> RemoteCommand:
        """The timer that restores the power if the machine that runs Seatrial fails."""


@runtime_checkable
class Leavable(Protocol):
    """Optional: a lab that stays up, with a connection that a session closes at its end."""

    def leave(self) -> None:
        """Close the connection; every command on a node has ended."""


@runtime_checkable
class SharesMachines(Protocol):
    """Optional: a lab in which several nodes may be one machine."""

    def different_machines(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """The first of these nodes on each machine."""


@runtime_checkable
class LinkControl(Protocol):
    """Optional: a lab that can cut and repair a node's link to a network."""

    def link(self, node: str, network: str, *, up: bool) -> None:
        """Plug or unplug the link's cable."""


@runtime_checkable
class LinkState(Protocol):
    """Optional: a lab that can read the state of links and networks, to verify `LinkControl`."""

    def link_is_up(self, node: str, network: str) -> bool:
        """Whether the switch's port of the node's cable is up."""

    def network_is_up(self, name: str) -> bool:
        """Whether the network's switch is up."""


@runtime_checkable
class MtuControl(Protocol):
    """Optional: a lab with switch ports of another MTU than their network."""

    def mtu(self, node: str, network: str, mtu: int | None) -> None:
        """Drop larger packets at the port of a node's cable; None: the study's MTU."""


@runtime_checkable
class CablingControl(Protocol):
    """Optional: a lab that can move a running node's disks to other storage paths."""

    def cable(self, node: str, paths: Paths) -> None:
        """Move the cables; pending commands wait and then continue."""


@runtime_checkable
class LinkRateControl(Protocol):
    """Optional: a lab that can change the rate of a running node's link."""

    def link_rate(self, node: str, network: str, rate_bytes_per_s: float | None) -> None:
        """Set the modelled rate per direction in bytes/s, which the lab scales.

        None: no change of a link without a limit.
        """


@runtime_checkable
class BondControl(Protocol):
    """Optional: a lab that can change the number of links of a running node's bond."""

    def bond(self, node: str, network: str, members: int) -> None:
        """Connect the first `members` links of the bond to the network, and no others."""


@runtime_checkable
class ProcessorControl(Protocol):
    """Optional: a lab that can slow a node's processor down."""

    def processor(self, node: str, share: float | None) -> None:
        """Set the node's share of one processor; None: no limit."""


@runtime_checkable
class EmulatorControl(Protocol):
    """Optional: a lab that can break its nodes' management controllers and its PDUs."""

    def emulator(self, name: str, mode: str, delay_s: float = 0.0) -> None:
        """Set the mode of an emulator.

        `ok`; `slow` (`delay_s` seconds per request); `dead`; `lies` (reports success only).
        """


@runtime_checkable
class BusControl(Protocol):
    """Optional: a lab that can cut and restore a whole power bus."""

    def bus(self, pdu: str, *, live: bool) -> None:
        """Cut or restore the current before the PDU, which feeds it and all of its outlets."""


@runtime_checkable
class NetworkControl(Protocol):
    """Optional: a lab that can cut and restore a whole network."""

    def network(self, name: str, *, up: bool) -> None:
        """Cut or restore the power of the network's switch."""


@runtime_checkable
class DiskControl(Protocol):
    """Optional: a lab that can slow its nodes' disks down."""

    def disk(
        self, node: str, number: int, rate_bytes_per_s: float | None, requests_per_s: float | None
    ) -> None:
        """Limit disk `number` (from 1) in bytes/s and requests/s; None, None: the study's rate.

        A reboot may remove the limit.
        """


@runtime_checkable
class PowerLog(Protocol):
    """Optional: a lab that logs changes of each node's power and their causes."""

    def power_log(self) -> list[dict[str, Any]]:
        """Every change, in order: `unix_s`, `node` (for a bus its PDU), `what`, `by`."""

    def power_requests(self) -> list[dict[str, Any]]:
        """Requests to emulators, in order; the answer is empty when there was none.

        Keys: `unix_s`, `emulator`, `from`, `request`, `answer`, `answer_after_s`.
        """


@runtime_checkable
class SiteHosts(Protocol):
    """Optional: a lab at a site, where commands of the site can run on any machine of it."""

    def site_transport(self, host: str) -> Transport:
        """The transport to a host, which need not be a node, as the user's own login.

        `localhost` is this machine, without ssh.
        """

    def site_command_line(self, host: str, command: str) -> str:
        """The shell command on this machine that runs `command` on the host."""


def options_of(kind: type[AnyModel], study: Study) -> AnyModel:
    """The study's options of its lab; InputError for a mistake."""
    return validate(
        kind,
        {"kind": study.environment.kind, **study.environment.options()},
        study.source,
        ("environment",),
    )


def location(study: Study, name: str, *rest: str) -> Location:
    """The place in the study that defines a node."""
    return (
        "nodes",
        next(key for key, node in study.nodes.items() if node is study.node(name)),
        *rest,
    )


def site_node(study: Study, name: str, scale: float, *, made: bool = False, **own: Any) -> SiteNode:
    """A node as the plan sees it, with scaled rates; `own`: names and devices of this lab.

    `made`: the lab makes the node and the switches, which then have the same settings.
    """
    node = study.node(name)
    disks = study.node(name).disks
    rates = {network: node.links.get(network, node.link) for network in study.networks_of(name)}
    return SiteNode(
        name=name,
        device_rate_bytes_per_s=disks.rate * scale if disks and disks.rate else None,
        link_rate_bytes_per_s=node.link * scale if node.link else None,
        memory_bytes=node.memory,
        path_rate_bytes_per_s=disks.paths.total_rate * scale if disks and disks.paths else None,
        link_rates_bytes_per_s={network: rate * scale for network, rate in rates.items() if rate},
        bonds={
            network: SiteBond(bond.members, bond.mode, bond.hash, bond.hash if made else None)
            for network, bond in node.bonds.items()
        },
        **own,
    )


def site_edges(study: Study, scale: float, *, made: bool = False) -> dict[str, SiteEdges]:
    """Network -> its edge switches, with scaled rates. `made`: a lab makes the switches."""
    by_network = {}
    for name, network in study.networks.items():
        edges = network.edges
        if edges is not None:
            places = edges.places(study.attached(name))
            rate = edges.uplink * scale
            by_network[name] = SiteEdges(edges.uplinks, rate, edges.hash, made, places)
    return by_network


class LabKind(Protocol):
    """The interface of the module of a kind of lab."""

    Options: type[Model]
    TRAITS: Traits
    """the same as those of its sites"""

    def site(self, study: Study) -> Site:
        """The site for plans, without a running lab; InputError when the study does not fit."""

    def up(
        self,
        study: Study,
        *,
        systemd_nodes: Iterable[str],
        name: str,
        console: Path,
        detached: bool,
        say: Say,
        packages: Iterable[str] = (),
    ) -> Lab:
        """Start the nodes; RunError when one does not start.

        The Debian packages in `packages` are installed on emulated nodes, which reach no archive.
        """

    def find(self, study: Study, name: str) -> Lab | None:
        """The lab called `name` when it is up, or None."""


_KINDS = Plugins(
    "seatrial.labs.kinds", "seatrial.labs", ("Options", "TRAITS", "site", "up", "find")
)


def lab_kinds() -> list[str]:
    """The names of all kinds."""
    return _KINDS.names()


def lab_kind(study: Study) -> LabKind:
    """The module of the study's kind of lab."""
    kind = study.environment.kind
    if kind not in lab_kinds():
        raise study.mistake(("environment", "kind"), not_known(kind, lab_kinds()))
    return lab_kind_named(kind)


def lab_kind_named(name: str) -> LabKind:
    """The module of the kind `name`."""
    return cast(LabKind, _KINDS.load(name))


def traits_named(name: str) -> Traits:
    """The traits of the kind `name`; those of real hosts where no such kind is installed."""
    return lab_kind_named(name).TRAITS if name in lab_kinds() else REAL
