"""What every solution with one server and disks of its own has in common: array, file system, data path, removal.

A kind derives its options from `ServerOptions` and itself from `SingleServer`, and adds how clients reach the tree.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, Size
from seatrial.basics.text import Name
from seatrial.basics.units import counted, format_rate
from seatrial.plan.data_path import DataPath, Resource, disks, links, unwritten_bytes
from seatrial.plan.plan import Plan, Stage, Step, remove_file
from seatrial.plan.site import Site
from seatrial.solutions.base import Wipe
from seatrial.solutions.parts.at_site import OneNetwork
from seatrial.solutions.parts.checks import check_nodes
from seatrial.solutions.parts.filesystem import FileSystem, MountedFileSystem, mistake_in_volume
from seatrial.solutions.parts.raid import Array, MdSet, Raid, create_steps, erase, mistake_in, remove_steps, wipe_steps
from seatrial.solutions.parts.steps import no_mount
from seatrial.study.study import Study


class ServerOptions(Model):
    """The keys of `solution` that say where the data lie, and between whom."""

    server: Name | None = Field(
        None,
        description="The server. By default the only node with disks.",
    )
    clients: Nodes | None = Field(
        None,
        description="Clients, in the order in which experiments take them. By default all other "
        "nodes without disks, if any.",
    )
    network: Name | None = Field(
        None,
        description="Network between server and clients. By default the data network.",
    )
    raid: Raid | None = Field(
        None,
        description="RAID of the server. Without it the server must have one disk, which is used directly.",
    )
    filesystem: FileSystem = Field(FileSystem(), description="File system of the server.")
    readahead: Size | None = Field(
        None,
        description="Readahead of the server's block device. By default that of the kernel.",
    )


def placed(study: Study, site: Site, options: ServerOptions) -> tuple[str, tuple[str, ...]]:
    """The server and the clients; InputError where the options do not fit the nodes."""
    server = _server(study, site, options)
    # Where some of the others have no disks, those alone: the rest are servers of other experiments.
    others = [name for name in site.nodes if name != server]
    without = tuple([name for name in others if not site.nodes[name].devices] or others)
    clients = expand(options.clients) if options.clients else without
    check_nodes(study, site, ("solution", "server"), [server], options.network)
    check_nodes(study, site, ("solution", "clients"), clients, options.network)
    if not clients:
        raise study.mistake(("nodes",), "there is no client; name at least one node beside the server")
    _check_array(study, site, server, options)
    return server, clients


def _server(study: Study, site: Site, options: ServerOptions) -> str:
    if options.server is not None:
        return options.server
    with_disks = [name for name, node in site.nodes.items() if node.devices]
    if len(with_disks) != 1:
        found = ", ".join(with_disks) or "none"
        raise study.mistake(("solution",), f"nodes with disks: {found}; name the server with solution.server")
    return with_disks[0]


def _check_array(study: Study, site: Site, server: str, options: ServerOptions) -> None:
    disks = len(site.nodes[server].devices)
    if not disks:
        raise study.mistake(("solution", "server"), f"{server!r} has no disks")
    if options.raid is None and disks != 1:
        raise study.mistake(("solution",), f"{server!r} has {disks} disks; say with raid: how they are joined")
    if options.raid is not None and (problem := mistake_in(options.raid, disks)):
        raise study.mistake(("solution", "raid", problem[0]), problem[1])
    array = Array.of(options.raid, study.id, site, server) if options.raid else None
    if small := mistake_in_volume(options.filesystem.kind, study.node(server).disks, array):
        raise study.mistake(("solution", "filesystem"), small)


@dataclass(frozen=True)
class SingleServer(OneNetwork):
    """One server at a site; see `solutions.base.Solution`, of which a kind adds plans and parts."""

    WHAT: ClassVar[str]
    """what the kind calls the server, in the titles of its plans"""
    options: ServerOptions
    server: str = Field(description="The server. By default the only node with disks.")

    @property
    def servers(self) -> tuple[str, ...]:
        """The one server."""
        return (self.server,)

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """Every node with disks: an experiment may take another server."""
        return tuple(name for name, node in self.site.nodes.items() if node.devices)

    @property
    def shared_path(self) -> str:
        """What the server shares."""
        return f"/srv/{self.study_id}"

    local_directory = shared_path
    """the server itself sees the storage there"""

    @property
    def layout(self) -> Hashable:
        """The server, its array and the kind of file system: with another one, the data are gone."""
        return self.server, self.options.raid, self.options.filesystem.kind

    @property
    def array(self) -> Array | None:
        """The server's array, if it has one."""
        return Array.of(self.options.raid, self.study_id, self.site, self.server) if self.options.raid else None

    @property
    def data_disks(self) -> dict[str, float]:
        """Those of the array, or the only one."""
        return {self.server: self.array.data_disks if self.array else 1}

    @property
    def array_node(self) -> str:
        """The server itself."""
        return self.server

    def array_sets(self) -> Sequence[MdSet]:
        """Of its array, if it has one."""
        return self.array.sets() if self.array else ()

    @property
    def device(self) -> str:
        """The block device under the file system."""
        return self.array.device if self.array else self.site.nodes[self.server].devices[0]

    @property
    def mounted(self) -> MountedFileSystem:
        """The file system on the device, where the server mounts it."""
        options = self.options
        return MountedFileSystem(
            options.filesystem, self.study_id, self.device, self.array, self.shared_path, options.readahead
        )

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """Client links, server link, storage paths, data disks; the server itself sees no link."""
        crossed = {"client links": self.clients[:clients], "server link": (self.server,)}
        between = [] if local else links(self.site, self.network, crossed)
        return DataPath(clients, (*between, *self._storage()))

    def _storage(self) -> list[Resource]:
        server, array = self.site.nodes[self.server], self.array
        data, every = (array.data_disks, len(array.working)) if array else (1, len(server.devices))
        readers = array.reading_disks(skips_parity=self.site.kind == "uml") if array else 1
        resources = []
        if server.path_rate_bytes_per_s:
            # Parity crosses the paths too: of what they carry, a write's share is that of the data disks.
            rate = server.path_rate_bytes_per_s
            waiting = unwritten_bytes(self.site, [self.server])
            carried = rate * readers / every, rate * data / every
            resources.append(Resource("storage paths", *carried, hard=False, held_bytes=waiting))
        return [*resources, *disks(self.site, [self.server], readers, data, held=not resources)]

    def parts_with(self, *shared: tuple[str, str]) -> list[tuple[str, str]]:
        """What was built: how the tree is shared, what lies below it, and the MTU between clients and server."""
        options, node = self.options, self.site.nodes[self.server]
        paths = node.path_rate_bytes_per_s
        return [
            ("storage", self.array.describe() if self.array else f"one disk, {self.device}"),
            *([("storage paths", f"{format_rate(paths)} in all, each way")] if paths else []),
            ("file system", f"{options.filesystem.kind}, {', '.join(options.filesystem.mount)}"),
            *shared,
            ("MTU", str(self.site.mtus[self.network])),
        ]

    # ---- plans

    def plan_with(self, wipe: Wipe, packages: tuple[Step, Step], *stages: Stage, warnings: Sequence[str] = ()) -> Plan:
        """Packages of server and clients, MTU, array and file system, and the stages that share it."""
        server, client = packages
        peers = {self.server: self.address(self.clients[0]), **dict.fromkeys(self.clients, self.address(self.server))}
        named = wipe.get(self.server, frozenset())
        array = [*wipe_steps(self.array, named), *create_steps(self.array)] if self.array else []
        title = f"{self.WHAT} {self.server} for {counted(len(self.clients), 'client')}"
        below = (
            Stage("packages", {self.server: (server,)} | self.each_client(client)),
            Stage("network", self.mtu_steps((self.network, peers))),
            Stage("array", {self.server: tuple(array)}),
            Stage("file system", {self.server: tuple(self.mounted.steps(named))}),
        )
        return self.planned(title, (*below, *stages), warnings)

    def removal_with(self, wipe: Wipe, unmounted: Sequence[Step], title: str, unshared: Sequence[Step]) -> Plan:
        """The plan backwards; data stay on the disks unless their devices are named.

        `unmounted`: what clients do when they have unmounted; `unshared`: what the server does, of this title.
        """
        stages = (
            Stage("unmount", self.each_client(*no_mount(self.directory), *unmounted)),
            Stage(title, {self.server: tuple(unshared)}),
            *self._array_removal(wipe),
        )
        return Plan(self.study_id, f"take {self.WHAT} {self.server} out of service", stages)

    def storage_packages(self) -> Mapping[str, str]:
        """Commands that the array and the file system need on the server, and the packages that bring them."""
        kind = self.options.filesystem.kind
        packages = {"wipefs": "util-linux", **({"mdadm": "mdadm"} if self.array else {})}
        return packages | {f"mkfs.{kind}": "xfsprogs" if kind == "xfs" else "e2fsprogs"}

    def release_steps(self) -> list[Step]:
        """The server lets go of the file system."""
        noted = self.mounted.noted
        return [*no_mount(self.shared_path), remove_file(noted), remove_file(f"{noted}-readahead")]

    def _array_removal(self, wipe: Wipe) -> list[Stage]:
        """Stop the array; erase what is named."""
        named = wipe.get(self.server, frozenset())
        if self.array:
            return [Stage("stop the array", {self.server: tuple(remove_steps(self.array, named))})]
        if self.device in named:
            return [Stage("erase the disk", {self.server: (erase(self.device),)})]
        return []
