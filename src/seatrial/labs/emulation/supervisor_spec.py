"""What a lab consists of, as `labs.uml` tells its supervisor: plain data that goes through one JSON file."""

from dataclasses import dataclass

from pydantic import TypeAdapter

# A lab's devices are reached from inside the lab only: these are no secrets.
USER, PASSWORD = "admin", "seatrial-lab"
"""of every management controller of a lab"""
COMMUNITY = "private"
"""of every power distribution unit of a lab"""


@dataclass(frozen=True)
class DiskSpec:
    """A disk: a sparse file; the node limits itself to `rate_bytes_per_s` where that is given."""

    size_bytes: int
    rate_bytes_per_s: float | None
    cache: str | None = None
    """a volatile write cache in front of it: `volatile` or `ignores-flushes`"""


@dataclass(frozen=True)
class PathsSpec:
    """Storage paths between a node and its disks; see image_files/lab-cable."""

    cabling: str
    rate_bytes_per_s: float


@dataclass(frozen=True)
class InterfaceSpec:
    """One network card of a node and the names of its two ends in the lab's network namespace."""

    network: str
    address: str
    mac: str
    tap: str
    """the end that the node's kernel opens"""
    port: str
    """the end on the network's bridge: cut here, shaped here"""
    rate_bytes_per_s: float | None


@dataclass(frozen=True)
class SupplySpec:
    """One power supply of a node: the outlet that it hangs on."""

    pdu: str
    outlet: int


@dataclass(frozen=True)
class EmulatorSpec:
    """A device beside the nodes: a management controller (`node` is whose) or a power distribution unit."""

    name: str
    node: str | None
    interface: InterfaceSpec
    """`tap` is the end that the device's own network namespace gets"""


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
    """none: its power never fails by a bus"""


@dataclass(frozen=True)
class NetworkSpec:
    """A bridge."""

    name: str
    bridge: str
    mtu: int
    address: str | None
    """the supervisor's own address on it, on the control network only"""
    mtu_max: int = 0
    """what its switch passes: the largest MTU that an experiment asks for; 0: `mtu`"""
    switch: bool = True
    """False: a cable between two cards"""

    @property
    def passes(self) -> int:
        """The largest packet that the switch passes, bytes."""
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
"""how it is written and read"""
