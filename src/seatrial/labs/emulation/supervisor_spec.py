"""The specification of a lab that `labs.kinds.emulated` gives to its supervisor as a JSON file."""

from dataclasses import dataclass

from pydantic import TypeAdapter

# Only nodes of the same lab can reach its devices: these are no secrets.
USER = "admin"
"""login of every management controller of a lab"""
PASSWORD = "seatrial-lab"
COMMUNITY = "private"
"""SNMP community of every power distribution unit of a lab"""


@dataclass(frozen=True)
class DiskSpec:
    """A disk: a sparse file; the node limits itself to `rate_bytes_per_s`, unless it is None."""

    size_bytes: int
    rate_bytes_per_s: float | None
    cache: str | None = None
    """volatile write cache before the disk: `volatile` or `ignores-flushes`"""


@dataclass(frozen=True)
class LocalSpec:
    """The local disks of a node: a RAID 1 with hot spares, below /var; see
    image_files/lab-local-disks.
    """

    mirrored: int
    disks: tuple[DiskSpec, ...]
    """the mirrored disks and the spares"""


@dataclass(frozen=True)
class PathsSpec:
    """Storage paths between a node and its disks; see image_files/lab-cable."""

    cabling: str
    rate_bytes_per_s: float


@dataclass(frozen=True)
class CableSpec:
    """A cable between a node and a switch, with the names of its devices outside the node."""

    mac: str
    tap: str
    """the end that the node's kernel opens"""
    port: str
    """the end at the switch, where the link is cut and shaped"""

    @property
    def card(self) -> str:
        """The small bridge in the middle of a shaped cable."""
        return self.port.replace("port", "card")

    @property
    def plug(self) -> str:
        """The end of the node's pair at the small bridge."""
        return self.port.replace("port", "plug")

    @property
    def jack(self) -> str:
        """The end of the switch's pair at the small bridge."""
        return self.port.replace("port", "jack")


@dataclass(frozen=True)
class BondSpec:
    """A bond of several cables; the switch has a static link aggregation group for them."""

    mode: str
    hash: str
    """the policy by which a packet selects a cable, of the node and of the switch"""
    cables: int
    """cables of the bond: the largest number that any experiment connects"""
    connected: int
    """the first of them are connected"""


@dataclass(frozen=True)
class InterfaceSpec:
    """One network card of a node, with the names of both ends in the lab's network namespace."""

    network: str
    address: str
    mac: str
    tap: str
    """the end that the node's kernel opens"""
    port: str
    """the end on the network's bridge, where the link is cut and shaped"""
    rate_bytes_per_s: float | None
    """rate of the link; of each cable of a bond"""
    bond: BondSpec | None = None
    edge: int | None = None
    """number of its edge switch, from 0; None: the core switch"""

    @property
    def cables(self) -> tuple[CableSpec, ...]:
        """Its cable, or the cables of its bond."""
        if self.bond is None:
            return (CableSpec(self.mac, self.tap, self.port),)
        return tuple(
            CableSpec(_mac(self.mac, number), f"{self.tap}m{number}", f"{self.port}m{number}")
            for number in range(1, self.bond.cables + 1)
        )

    @property
    def connected(self) -> tuple[CableSpec, ...]:
        """The cables that are connected."""
        return self.cables[: self.bond.connected] if self.bond else self.cables

    @property
    def trunk(self) -> str:
        """The switch's side of a bond: the device that distributes packets over its ports."""
        return self.port.replace("port", "trunk")

    @property
    def hub(self) -> str:
        """The end of the trunk on the network's bridge."""
        return self.port.replace("port", "hub")


def _mac(first: str, number: int) -> str:
    """The address of card `number` of a bond, from 1; the first one has the bond's address."""
    parts = first.split(":")
    return ":".join([*parts[:3], f"{number - 1:02x}", *parts[4:]])


@dataclass(frozen=True)
class SupplySpec:
    """One power supply of a node, and its outlet."""

    pdu: str
    outlet: int


@dataclass(frozen=True)
class EmulatorSpec:
    """An emulated device: a management controller (of `node`) or a power distribution unit."""

    name: str
    node: str | None
    interface: InterfaceSpec
    """`tap` is the end for the device's own network namespace"""


@dataclass(frozen=True)
class NodeSpec:
    """One node; `systemd` is false for nodes that only mount and load."""

    name: str
    memory_bytes: int
    systemd: bool
    disks: tuple[DiskSpec, ...]
    interfaces: tuple[InterfaceSpec, ...]
    paths: PathsSpec | None = None
    supplies: tuple[SupplySpec, ...] = ()
    """empty: its power never fails by a bus"""
    local: LocalSpec | None = None

    @property
    def all_disks(self) -> tuple[DiskSpec, ...]:
        """The data disks, then the local disks; the first has number 1."""
        return (*self.disks, *(self.local.disks if self.local else ()))


@dataclass(frozen=True)
class UplinkSpec:
    """A link between an edge switch and the core switch."""

    edge_port: str
    core_port: str


@dataclass(frozen=True)
class EdgeSpec:
    """An edge switch: a bridge, with an aggregation group of uplinks to the network's bridge."""

    bridge: str
    uplinks: int
    rate_bytes_per_s: float
    """of one uplink"""
    hash: str
    """the policy by which both switches select the uplink of a packet"""

    @property
    def links(self) -> tuple[UplinkSpec, ...]:
        """The uplinks."""
        return tuple(
            UplinkSpec(f"{self.bridge}u{number}", f"{self.bridge}d{number}")
            for number in range(1, self.uplinks + 1)
        )


@dataclass(frozen=True)
class NetworkSpec:
    """A bridge, the core switch of its edge switches, if any."""

    name: str
    bridge: str
    mtu: int
    address: str | None
    """the supervisor's address, on the control network only"""
    mtu_max: int = 0
    """largest MTU of any experiment, which the switch passes; 0: `mtu`"""
    switch: bool = True
    """False: a cable between two cards"""
    edges: tuple[EdgeSpec, ...] = ()

    def bridge_of(self, interface: InterfaceSpec) -> str:
        """The bridge of the switch that a node is attached to."""
        return self.bridge if interface.edge is None else self.edges[interface.edge].bridge

    @property
    def bridges(self) -> tuple[str, ...]:
        """The bridges of all of its switches."""
        return (self.bridge, *(edge.bridge for edge in self.edges))

    @property
    def passes(self) -> int:
        """Bytes of the largest packet that the switch passes."""
        return max(self.mtu, self.mtu_max)


@dataclass(frozen=True)
class SupervisorSpec:
    """The whole lab."""

    name: str
    folder: str
    console_folder: str
    kernel: str
    image: str
    preload: str
    memory_limit_bytes: int
    networks: tuple[NetworkSpec, ...]
    nodes: tuple[NodeSpec, ...]
    sysctl: dict[str, str]
    scale: float
    emulators: tuple[EmulatorSpec, ...] = ()

    def network(self, name: str) -> NetworkSpec:
        """The network called `name`."""
        return next(network for network in self.networks if network.name == name)


FILE = TypeAdapter(SupervisorSpec)
"""reads and writes the JSON file"""
