"""The common part of solutions with one server: array, file system, data path, removal.

A kind derives its options from `ServerOptions` and its class from `SingleServer`, and adds the
protocol between server and clients.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, Size
from seatrial.basics.text import Name
from seatrial.basics.units import counted, format_rate
from seatrial.plan.data_path import (
    DataPath,
    LinkGroup,
    Resource,
    ResourceRole,
    disks,
    links,
    storage_paths,
)
from seatrial.plan.plan import Plan, Stage, Step, remove_file
from seatrial.plan.site import Site
from seatrial.solutions.base import Storage, Wipe
from seatrial.solutions.parts.at_site import OneNetwork
from seatrial.solutions.parts.checks import check_nodes
from seatrial.solutions.parts.filesystem import FileSystem, MountedFileSystem, mistake_in_volume
from seatrial.solutions.parts.raid import (
    Array,
    MdSet,
    Raid,
    create_steps,
    erase,
    mistake_in,
    remove_steps,
    wipe_steps,
)
from seatrial.solutions.parts.steps import no_mount
from seatrial.study.study import Study


class ServerOptions(Model):
    """The common keys of `solution`: server, clients and disks."""

    server: Name | None = Field(
        None,
        description="The server. By default the only node with disks.",
    )
    clients: Nodes | None = Field(
        None,
        description=(
            "Clients, in the order in which experiments take them. By default all other "
            "nodes without disks, if any."
        ),
    )
    network: Name | None = Field(
        None,
        description="Network between server and clients. By default the data network.",
    )
    raid: Raid | None = Field(
        None,
        description=(
            "RAID of the server. Without it the server must have one disk, which is used directly."
        ),
    )
    filesystem: FileSystem = Field(FileSystem(), description="File system of the server.")
    readahead: Size | None = Field(
        None,
        description="Readahead of the server's block device. By default that of the kernel.",
    )


def placed(study: Study, site: Site, options: ServerOptions) -> tuple[str, tuple[str, ...]]:
    """The server and the clients; InputError when the options do not fit the nodes."""
    server = _server(study, site, options)
    # Nodes with disks may be servers of other experiments: prefer nodes without disks as clients.
    others = [name for name in site.nodes if name != server]
    without = tuple([name for name in others if not site.nodes[name].devices] or others)
    clients = expand(options.clients) if options.clients else without
    check_nodes(study, site, ("solution", "server"), [server], options.network)
    check_nodes(study, site, ("solution", "clients"), clients, options.network)
    if not clients:
        problem = "there is no client; name at least one node besides the server"
        raise study.mistake(("nodes",), problem)
    _check_array(study, site, server, options)
    return server, clients


def _server(study: Study, site: Site, options: ServerOptions) -> str:
    if options.server is not None:
        return options.server
    with_disks = [name for name, node in site.nodes.items() if node.devices]
    if len(with_disks) != 1:
        candidates = ", ".join(with_disks) or "none"
        problem = f"nodes with disks: {candidates}; name the server with solution.server"
        raise study.mistake(("solution",), problem)
    return with_disks[0]


def _check_array(study: Study, site: Site, server: str, options: ServerOptions) -> None:
    disks = len(site.nodes[server].devices)
    if not disks:
        raise study.mistake(("solution", "server"), f"{server!r} has no disks")
    if options.raid is None and disks != 1:
        text = f"{server!r} has {disks} disks; combine them with raid:"
        raise study.mistake(("solution",), text)
    if options.raid is not None and (problem := mistake_in(options.raid, disks)):
        raise study.mistake(("solution", "raid", problem.key), problem.message)
    array = Array.of(options.raid, study.id, site, server) if options.raid else None
    if small := mistake_in_volume(options.filesystem.kind, study.node(server).disks, array):
        raise study.mistake(("solution", "filesystem"), small)


@dataclass(frozen=True)
class SingleServer(OneNetwork):
    """One server at a site; see `solutions.base.Solution`. Kinds add plans and parts."""

    WHAT: ClassVar[str]
    """the name of the server in titles of plans"""
    options: ServerOptions
    server: str = Field(description="The server. By default the only node with disks.")

    @property
    def servers(self) -> tuple[str, ...]:
        """The one server."""
        return (self.server,)

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """Every node with disks, as an experiment may use another server."""
        return tuple(name for name, node in self.site.nodes.items() if node.devices)

    @property
    def shared_path(self) -> str:
        """The directory that the server shares."""
        return f"/srv/{self.study_id}"

    local_directory = shared_path
    """the server itself uses this path"""

    @property
    def layout(self) -> Hashable:
        """The server, its array and the kind of file system: a change of any loses the data."""
        return self.server, self.options.raid, self.options.filesystem.kind

    @property
    def array(self) -> Array | None:
        """The server's array, if it has one."""
        return (
            Array.of(self.options.raid, self.study_id, self.site, self.server)
            if self.options.raid
            else None
        )

    @property
    def data_disks(self) -> dict[str, float]:
        """The data disks of the array, or the only disk."""
        return {self.server: self.array.data_disks if self.array else 1}

    @property
    def array_node(self) -> str:
        """The server itself."""
        return self.server

    def array_sets(self) -> Sequence[MdSet]:
        """The sets of the server's array, if it has one."""
        return self.array.sets() if self.array else ()

    @property
    def device(self) -> str:
        """The block device under the file system."""
        return self.array.device if self.array else self.site.nodes[self.server].devices[0]

    @property
    def mounted(self) -> MountedFileSystem:
        """The server's file system and its mount."""
        options = self.options
        return MountedFileSystem(
            options.filesystem,
            self.study_id,
            self.device,
            self.array,
            self.shared_path,
            options.readahead,
        )

    @property
    def storage(self) -> Storage:
        """The RAID of the server, and its network."""
        return Storage(raid=self.options.raid, network=self.network)

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """Client links, server link, storage paths, data disks; without links when `local`."""
        crossed = (
            LinkGroup(
                ResourceRole.CLIENT_LINKS,
                "client links",
                self.clients[:clients],
                self.servers,
            ),
            LinkGroup(
                ResourceRole.SERVER_LINKS, "server link", self.servers, self.clients[:clients]
            ),
        )
        between = [] if local else links(self.site, self.network, crossed)
        return DataPath(clients, (*between, *self._storage()))

    def _storage(self) -> list[Resource]:
        server = self.site.nodes[self.server]
        array = self.array
        data, all_disks = (
            (array.data_disks, len(array.working)) if array else (1, len(server.devices))
        )
        readers = array.reading_disks(skips_parity=self.site.traits.skips_parity) if array else 1
        resources = []
        if server.path_rate_bytes_per_s:
            # Parity also crosses the paths: a write gets the data disks' share of their rate.
            rate = server.path_rate_bytes_per_s
            read = rate * readers / all_disks
            written = rate * data / all_disks
            resources.append(storage_paths(self.site, self.server, read, written))
        return [*resources, *disks(self.site, [self.server], readers, data, held=not resources)]

    def parts_with(self, *shared: tuple[str, str]) -> list[tuple[str, str]]:
        """The components for the report: protocol, storage below it, and the MTU."""
        options = self.options
        node = self.site.nodes[self.server]
        paths = node.path_rate_bytes_per_s
        return [
            ("storage", self.array.describe() if self.array else f"one disk, {self.device}"),
            *([("storage paths", f"{format_rate(paths)} in all, each way")] if paths else []),
            ("file system", f"{options.filesystem.kind}, {', '.join(options.filesystem.mount)}"),
            *shared,
            ("MTU", str(self.site.mtus[self.network])),
        ]

    # ---- plans

    def plan_with(
        self, wipe: Wipe, packages: tuple[Step, Step], *stages: Stage, warnings: Sequence[str] = ()
    ) -> Plan:
        """Install packages, set the MTU, create array and file system; then the given stages."""
        server, client = packages
        peers = {
            self.server: self.address(self.clients[0]),
            **dict.fromkeys(self.clients, self.address(self.server)),
        }
        erasable = wipe.get(self.server, frozenset())
        array = [*wipe_steps(self.array, erasable), *create_steps(self.array)] if self.array else []
        title = f"{self.WHAT} {self.server} for {counted(len(self.clients), 'client')}"
        below = (
            Stage("packages", {self.server: (server,)} | self.each_client(client)),
            Stage("network", self.mtu_steps((self.network, peers))),
            Stage("array", {self.server: tuple(array)}),
            Stage("file system", {self.server: tuple(self.mounted.steps(erasable))}),
        )
        return self.planned(title, (*below, *stages), warnings)

    def removal_with(
        self, wipe: Wipe, unmounted: Sequence[Step], title: str, unshared: Sequence[Step]
    ) -> Plan:
        """The deployment in reverse order; data stay on the disks except on wiped devices.

        `unmounted`: steps of clients after the unmount; `unshared`: steps of the server's stage
        with this title.
        """
        stages = (
            Stage("unmount", self.each_client(*no_mount(self.directory), *unmounted)),
            Stage(title, {self.server: tuple(unshared)}),
            *self._array_removal(wipe),
        )
        return Plan(self.study_id, f"take {self.WHAT} {self.server} out of service", stages)

    def storage_packages(self) -> Mapping[str, str]:
        """Command -> package, for the array and the file system on the server."""
        kind = self.options.filesystem.kind
        packages = {"wipefs": "util-linux", **({"mdadm": "mdadm"} if self.array else {})}
        return packages | {f"mkfs.{kind}": "xfsprogs" if kind == "xfs" else "e2fsprogs"}

    def release_steps(self) -> list[Step]:
        """Unmount the file system on the server."""
        record = self.mounted.mount_record
        return [
            *no_mount(self.shared_path),
            remove_file(record),
            remove_file(f"{record}-readahead"),
        ]

    def _array_removal(self, wipe: Wipe) -> list[Stage]:
        """Stop the array and erase the devices in `wipe`."""
        erasable = wipe.get(self.server, frozenset())
        if self.array:
            return [
                Stage("stop the array", {self.server: tuple(remove_steps(self.array, erasable))})
            ]
        if self.device in erasable:
            return [Stage("erase the disk", {self.server: (erase(self.device),)})]
        return []
