"""The specification of a lab that `labs.kinds.emulated` gives to its supervisor as a JSON file."""

from dataclasses import dataclass

from pydantic import TypeAdapter

# Only nodes of the same lab can reach its devices: these are no secrets.
USER, PASSWORD = "admin", "seatrial-lab"
"""login of every management controller of a lab"""
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
class PathsSpec:
    """Storage paths between a node and its disks; see image_files/lab-cable."""

    cabling: str
    rate_bytes_per_s: float


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


@dataclass(frozen=True)
class NetworkSpec:
    """A bridge."""

    name: str
    bridge: str
    mtu: int
    address: str | None
    """the supervisor's address, on the control network only"""
    mtu_max: int = 0
    """largest MTU of any experiment, which the switch passes; 0: `mtu`"""
    switch: bool = True
    """False: a cable between two cards"""

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
