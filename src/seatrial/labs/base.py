"""What every lab offers, what only some can, and the list of kinds (one file beside this one each)."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from seatrial.basics.errors import not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import AnyModel, Model, validate
from seatrial.basics.yamlfile import Location
from seatrial.plan.site import Site, SiteNode
from seatrial.study.nodes import Paths
from seatrial.study.study import Study
from seatrial.transport import OpenSsh

Say = Callable[[str], None]


@runtime_checkable
class Lab(Protocol):
    """Nodes that can be reached over ssh."""

    kind: str

    @property
    def ssh_config(self) -> Path | None:
        """The configuration that `ssh -F` needs; None means the user's own."""

    @property
    def transport(self) -> OpenSsh:
        """The way to its nodes, with the rights that a deploy needs; nobody else makes one."""

    def down(self) -> None:
        """Leave no process, mount, namespace or file; nothing where the lab made none."""

    def facts(self) -> dict[str, Any]:
        """What the record says of this lab."""


@runtime_checkable
class PowerControl(Protocol):
    """A lab that can cut and restore a node's power."""

    def power(self, node: str, state: str) -> None:
        """`on`, `off` (cut), `frozen` or `thawed`."""


@runtime_checkable
class LinkControl(Protocol):
    """A lab that can cut and repair a node's link to a network."""

    def link(self, node: str, network: str, *, up: bool) -> None:
        """Plug or unplug."""


@runtime_checkable
class LinkState(Protocol):
    """A lab that can look whether a link, or a whole network, is up: the witness of its `LinkControl`."""

    def link_is_up(self, node: str, network: str) -> bool:
        """The switch's port of the node's cable."""

    def network_is_up(self, name: str) -> bool:
        """The network's switch."""


@runtime_checkable
class MtuControl(Protocol):
    """A lab whose switches can have ports with another MTU than their network."""

    def mtu(self, node: str, network: str, mtu: int | None) -> None:
        """The port of a node's cable drops what is larger; None: as the study says."""


@runtime_checkable
class CablingControl(Protocol):
    """A lab that can hang a node's disks on other storage paths while the node runs."""

    def cable(self, node: str, paths: Paths) -> None:
        """Move the cables; what is under way waits and goes on."""


@runtime_checkable
class LinkRateControl(Protocol):
    """A lab that can give a node's link another rate while the node runs."""

    def link_rate(self, node: str, network: str, rate_bytes_per_s: float | None) -> None:
        """The modelled rate each way, which the lab scales; None: a link without a limit stays so."""


@runtime_checkable
class ProcessorControl(Protocol):
    """A lab that can slow a node's processor down."""

    def processor(self, node: str, share: float | None) -> None:
        """Its share of one processor; None: what it can use."""


@runtime_checkable
class EmulatorControl(Protocol):
    """A lab that can spoil its nodes' management controllers and its power distribution units."""

    def emulator(self, name: str, mode: str, delay_s: float = 0.0) -> None:
        """`ok`, `slow` (by delay_s a request), `dead`, or `lies` (says that it did, and does nothing)."""


@runtime_checkable
class BusControl(Protocol):
    """A lab that can cut and restore a whole power bus."""

    def bus(self, pdu: str, *, live: bool) -> None:
        """The current before the PDU: it and all supplies on its outlets."""


@runtime_checkable
class NetworkControl(Protocol):
    """A lab that can cut and restore a whole network."""

    def network(self, name: str, *, up: bool) -> None:
        """The power of the network's switch."""


@runtime_checkable
class DiskControl(Protocol):
    """A lab that can slow its nodes' disks down."""

    def disk(self, node: str, number: int, rate_bytes_per_s: float | None, requests_per_s: float | None) -> None:
        """Limit disk `number` (from 1), which may boot away; without limits it is as its study says."""


@runtime_checkable
class PowerLog(Protocol):
    """A lab that knows when each node's power changed, and by whom."""

    def power_log(self) -> list[dict[str, Any]]:
        """Every change, in order: `unix_s`, `node` (or a PDU, for its bus), `what`, `by`."""

    def power_requests(self) -> list[dict[str, Any]]:
        """What emulators were asked: `unix_s`, `emulator`, `from`, `request`, `answer`, `answer_after_s`.

        The answer is empty when there was none.
        """


def options_of(kind: type[AnyModel], study: Study) -> AnyModel:
    """What the study says of its lab; InputError for a mistake."""
    return validate(kind, {"kind": study.lab.kind, **study.lab.options()}, study.source, ("lab",))


def location(study: Study, name: str, *rest: str) -> Location:
    """Where the study says something of a node."""
    return ("nodes", next(key for key, node in study.nodes.items() if node is study.node(name)), *rest)


def site_node(study: Study, name: str, scale: float, **own: Any) -> SiteNode:
    """What the plan may know of a node, its rates scaled; `own`: what is this lab's affair, names and devices."""
    node, disks = study.node(name), study.node(name).disks
    rates = {network: node.links.get(network, node.link) for network in study.networks_of(name)}
    return SiteNode(
        name=name,
        device_rate_bytes_per_s=disks.rate * scale if disks and disks.rate else None,
        link_rate_bytes_per_s=node.link * scale if node.link else None,
        memory_bytes=node.memory,
        path_rate_bytes_per_s=disks.paths.total_rate * scale if disks and disks.paths else None,
        link_rates_bytes_per_s={network: rate * scale for network, rate in rates.items() if rate},
        **own,
    )


class LabKind(Protocol):
    """The module of a kind of lab."""

    Options: type[Model]

    def site(self, study: Study) -> Site:
        """What the plan may know, without a lab being up; InputError when the study does not fit."""

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
        """Bring the nodes up; RunError when one does not come.

        `packages` of Debian are on nodes that a lab makes, which have no way to any archive.
        """

    def find(self, study: Study, name: str) -> Lab | None:
        """The lab called `name` that is up already, or None."""


_KINDS = Plugins("seatrial.labs.kinds", "seatrial.labs", ("Options", "site", "up", "find"))


def lab_kinds() -> list[str]:
    """The kinds that exist."""
    return _KINDS.names()


def lab_kind(study: Study) -> LabKind:
    """The module of the study's lab."""
    kind = study.lab.kind
    if kind not in lab_kinds():
        raise study.mistake(("lab", "kind"), not_known(kind, lab_kinds()))
    return lab_kind_named(kind)


def lab_kind_named(name: str) -> LabKind:
    """The module of the kind `name`."""
    return cast(LabKind, _KINDS.load(name))
