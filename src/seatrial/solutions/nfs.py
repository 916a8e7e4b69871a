"""Solution `nfs`: one Linux kernel NFS server on md RAID, exported to every client.

Safe by default: the export is `sync` and squashes root; `async` only when the study says so, with a warning.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from seatrial.model import DataPath, Resource, payload_share
from seatrial.plan import Plan, Stage, Step, remove_file, write_file
from seatrial.schema import Model, Nodes, Size, expand, validate
from seatrial.site import Site, SiteNode
from seatrial.solutions.base import Wipe, options_data
from seatrial.solutions.filesystem import FileSystem, MountedFileSystem
from seatrial.solutions.raid import Array, MdSet, Raid, create_steps, erase, mistake_in, remove_steps, wipe_steps
from seatrial.solutions.steps import fstab_line, mtu_towards, need_commands, no_fstab_line, read_ahead, unmounted
from seatrial.study import Study
from seatrial.units import format_rate

RESERVED_OPTIONS = ("vers", "nfsvers", "proto")


class Export(Model):
    """`export: {mode: sync, threads: 128}`."""

    mode: Literal["sync", "async"] = "sync"
    root_squash: bool = True
    threads: Annotated[int, Field(ge=1, le=4096)] = 64


class Mount(Model):
    """`mount: {version: 4.2, options: [hard, noatime]}`."""

    version: Annotated[Literal["3", "4", "4.0", "4.1", "4.2"], BeforeValidator(str)] = "4.2"
    options: tuple[str, ...] = ("hard", "noatime")
    readahead: Size | None = Field(None, description="how far a client reads ahead; the kernel's own when absent")


class Options(Model):
    """The keys of `solution` when its kind is nfs."""

    kind: Literal["nfs"]
    server: str | None = Field(None, description="the server's node; by default the only node with disks")
    clients: Nodes | None = Field(None, description="the nodes that mount; by default all others")
    raid: Raid | None = Field(None, description="without it, the server's only disk is used as it is")
    filesystem: FileSystem = FileSystem()
    export: Export = Export()
    mount: Mount = Mount()
    readahead: Size | None = Field(None, description="how far the server's block device reads ahead")


def load(study: Study, site: Site) -> "Nfs":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    server = _server(study, site, options)
    clients = expand(options.clients) if options.clients else tuple(name for name in site.nodes if name != server)
    for name in clients:
        if name not in site.nodes:
            raise study.mistake(("solution", "clients"), f"{name!r} is no node of this study")
    if not clients:
        raise study.mistake(("nodes",), "there is no client; name at least one node beside the server")
    _check_array(study, site.nodes[server], options)
    for option in options.mount.options:
        if option.split("=")[0] in RESERVED_OPTIONS:
            raise study.mistake(("solution", "mount", "options"), f"{option!r} is said by mount.version; leave it out")
    return Nfs(study.id, options, site, server, clients)


def _server(study: Study, site: Site, options: Options) -> str:
    if options.server is not None:
        if options.server not in site.nodes:
            raise study.mistake(("solution", "server"), f"{options.server!r} is no node of this study")
        return options.server
    with_disks = [name for name, node in site.nodes.items() if node.devices]
    if len(with_disks) != 1:
        found = ", ".join(with_disks) or "none"
        raise study.mistake(("solution",), f"nodes with disks: {found}; name the server with solution.server")
    return with_disks[0]


def _check_array(study: Study, server: SiteNode, options: Options) -> None:
    disks = len(server.devices)
    if not disks:
        raise study.mistake(("solution", "server"), f"{server.name!r} has no disks")
    if options.raid is None and disks != 1:
        raise study.mistake(("solution",), f"{server.name!r} has {disks} disks; say with raid: how they are joined")
    if options.raid is not None and (problem := mistake_in(options.raid, disks)):
        raise study.mistake(("solution", "raid", problem[0]), problem[1])


@dataclass(frozen=True)
class Nfs:
    """The solution at a site; see `solutions.base.Solution`."""

    study_id: str
    options: Options
    site: Site
    server: str
    clients: tuple[str, ...]

    @property
    def servers(self) -> tuple[str, ...]:
        """The one server."""
        return (self.server,)

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """The same: its disks are its own."""
        return self.servers

    @property
    def directory(self) -> str:
        """The clients' mount point."""
        return f"/mnt/{self.study_id}"

    @property
    def export_path(self) -> str:
        """What the server exports."""
        return f"/srv/{self.study_id}"

    @property
    def local_directory(self) -> str:
        """Where the server itself sees the storage."""
        return self.export_path

    @property
    def layout(self) -> Hashable:
        """The array and the kind of file system: with another one, the data are gone."""
        return self.options.raid, self.options.filesystem.kind

    @property
    def array(self) -> Array | None:
        """The server's array, if it has one."""
        node = self.site.nodes[self.server]
        if self.options.raid is None:
            return None
        return Array(self.options.raid, self.study_id[:20], node.devices, node.devices_hold_zeros, self.site.scale)

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
            options.filesystem, self.study_id, self.device, self.array, self.export_path, options.readahead
        )

    def plan(self, wipe: Wipe) -> Plan:
        """Array, file system, export, mounts."""
        named = wipe.get(self.server, frozenset())
        array = [*wipe_steps(self.array, named), *create_steps(self.array)] if self.array else []
        stages = [
            Stage("packages", {self.server: (self._server_packages(),)} | self._each_client((_client_packages(),))),
            Stage("network", self._network_steps()),
            Stage("array", {self.server: tuple(array)}),
            Stage("file system", {self.server: tuple(self.mounted.steps(named))}),
            Stage("export", {self.server: tuple(self._export_steps())}),
            Stage("mount", self._each_client(tuple(self._mount_steps()))),
        ]
        warnings = []
        if self.options.export.mode == "async":
            warnings.append(
                "The export is async: the server acknowledges writes that are only in its memory. "
                "If it fails, acknowledged data are lost."
            )
        title = f"NFS server {self.server} for {len(self.clients)} clients"
        return Plan(
            self.study_id, title, tuple(stage for stage in stages if any(stage.steps.values())), tuple(warnings)
        )

    def removal(self, wipe: Wipe) -> Plan:
        """The plan backwards; data stay on the disks unless their devices are named."""
        stages = [
            Stage(
                "unmount",
                self._each_client((no_fstab_line(self.directory), unmounted(self.directory), *self._forget())),
            ),
            Stage("unexport", {self.server: tuple(self._unexport_steps())}),
        ]
        if self.array:
            stages.append(
                Stage(
                    "stop the array", {self.server: tuple(remove_steps(self.array, wipe.get(self.server, frozenset())))}
                )
            )
        elif self.device in wipe.get(self.server, frozenset()):
            stages.append(Stage("erase the disk", {self.server: (erase(self.device),)}))
        return Plan(self.study_id, f"take NFS server {self.server} out of service", tuple(stages))

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Unmount, stop the service, remount the storage: the way of the 2010 paper (lines 303-315).

        NFSv4 keeps state of every client: one that stayed mounted would make all others wait for it to reclaim, up
        to the grace period. So all of them unmount; of v3 those that are about to read.
        """
        threads, path = self.options.export.threads, self.export_path
        restart = Step(
            "stop the service, remount the storage, start the service",
            None,
            f"if grep -v '^{path}[[:space:]]' /var/lib/nfs/etab; then\n"
            "    echo 'refused: these other exports would be interrupted'\n    exit 1\nfi\n"
            f"exportfs -ua\nrpc.nfsd 0\numount {path}\nsync\necho 3 >/proc/sys/vm/drop_caches\nmount {path}\n"
            f"exportfs -r\nrpc.nfsd {threads}",
        )
        unmount = Step(
            "unmount",
            f"! grep -q ' {self.directory} ' /proc/mounts",
            f"umount {self.directory}\necho 3 >/proc/sys/vm/drop_caches",
        )
        everyone = self.options.mount.version != "3"
        names = [name for name in self.clients if everyone or name in set(clients)]
        return Plan(
            self.study_id,
            "empty all caches",
            (
                Stage("unmount", dict.fromkeys(names, (unmount,))),
                Stage("restart the service", {self.server: (restart,)}),
                Stage("mount", dict.fromkeys(names, tuple(self._mount_steps()[1:]))),
            ),
        )

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """Client links, server link, storage paths, data disks; the server itself sees no link."""
        resources = [*([] if local else self._links(clients)), *self._storage()]
        return DataPath(clients, tuple(resources))

    def _links(self, clients: int) -> list[Resource]:
        share = payload_share(self.site.mtu, wire=self.site.kind != "uml")
        used = [self.site.nodes[name].link_rate_bytes_per_s for name in self.clients[:clients]]
        resources = []
        if all(used):
            total = sum(rate for rate in used if rate) * share
            resources.append(Resource("client links", total, total))
        server = self.site.nodes[self.server]
        if server.link_rate_bytes_per_s:
            rate = server.link_rate_bytes_per_s * share
            resources.append(Resource("server link", rate, rate))
        return resources

    def _storage(self) -> list[Resource]:
        server = self.site.nodes[self.server]
        disks = self.array.data_disks if self.array else 1
        readers, every = self._reading_disks(), len(server.devices)
        resources = []
        if server.path_rate_bytes_per_s:
            # Parity crosses the paths too: of what they carry, a write's share is that of the data disks.
            rate = server.path_rate_bytes_per_s
            resources.append(Resource("storage paths", rate * readers / every, rate * disks / every, hard=False))
        if server.device_rate_bytes_per_s:
            rate = server.device_rate_bytes_per_s
            resources.append(Resource("disks", rate * readers, rate * disks, hard=False))
        return resources

    def _reading_disks(self) -> int:
        """How many disks' rate a large read can use.

        All of a mirror's. Of a parity set, a real disk passes over its parity chunks in the time that reading them
        would take; a lab's disk is charged for the bytes that it moves and passes over them in no time.
        """
        if self.array is None:
            return 1
        everyone = self.array.raid.level in {1, 10} or self.site.kind == "uml"
        return len(self.array.devices) if everyone else self.array.data_disks

    def parts(self) -> list[tuple[str, str]]:
        """What was built."""
        options = self.options
        squash = "root_squash" if options.export.root_squash else "no_root_squash"
        paths = self.site.nodes[self.server].path_rate_bytes_per_s
        return [
            ("storage", self.array.describe() if self.array else f"one disk, {self.device}"),
            *([("storage paths", f"{format_rate(paths)} in all, each way")] if paths else []),
            ("file system", f"{options.filesystem.kind}, {', '.join(options.filesystem.mount)}"),
            ("export", f"{options.export.mode}, {squash}, {options.export.threads} nfsd threads"),
            ("mount", f"NFS v{options.mount.version}, {', '.join(options.mount.options)}"),
            ("MTU", str(self.site.mtu)),
        ]

    # ---- steps

    def _network_steps(self) -> dict[str, tuple[Step, ...]]:
        if not self.site.mtu_is_asked:
            return {}
        nodes, mtu = self.site.nodes, self.site.mtu
        server = {self.server: (mtu_towards(nodes[self.clients[0]].address, mtu),)}
        return server | self._each_client((mtu_towards(nodes[self.server].address, mtu),))

    def _each_client(self, steps: tuple[Step, ...]) -> dict[str, tuple[Step, ...]]:
        return dict.fromkeys(self.clients, steps)

    def _server_packages(self) -> Step:
        packages = {"exportfs": "nfs-kernel-server", "wipefs": "util-linux"}
        if self.array:
            packages["mdadm"] = "mdadm"
        packages["mkfs." + self.options.filesystem.kind] = (
            "xfsprogs" if self.options.filesystem.kind == "xfs" else "e2fsprogs"
        )
        return need_commands(packages)

    def _export_steps(self) -> list[Step]:
        export, path = self.options.export, self.export_path
        flags = f"rw,{export.mode},{'root_squash' if export.root_squash else 'no_root_squash'},no_subtree_check"
        line = f"{path} " + " ".join(f"{self.site.nodes[name].address}({flags})" for name in self.clients)
        service = (
            f"if systemctl -q is-active nfs-server; then rpc.nfsd {export.threads}; "
            "else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi"
        )
        listed = f"grep -c '^{path}[[:space:]].*[(,]{export.mode}[,)]' /var/lib/nfs/etab"
        exported = f'[ "$({listed})" = {len(self.clients)} ]'
        squash = "root_squash" if export.root_squash else "no_root_squash"
        return [
            write_file(self._exports_file(), line, title=f"export {path} to the clients"),
            write_file(
                self._conf_file(),
                f"[nfsd]\nthreads={export.threads}",
                title=f"run {export.threads} nfsd threads",
                reason="one thread serves one request at a time: with too few, clients wait for each other",
            ),
            Step(
                f"have the NFS service run {export.threads} threads",
                "[ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&\n"
                f'[ "$threads" = {export.threads} ]',
                service,
            ),
            Step(
                f"have {path} exported {export.mode}, {squash}",
                f"{exported} &&\n! grep '^{path}[[:space:]]' /var/lib/nfs/etab | grep -vq '[(,]{squash}[,)]'",
                "exportfs -ra",
                reason="async trades the safety of acknowledged writes for speed, as the study asks"
                if export.mode == "async"
                else None,
            ),
        ]

    def _exports_file(self) -> str:
        return f"/etc/exports.d/seatrial-{self.study_id}.exports"

    def _conf_file(self) -> str:
        return f"/etc/nfs.conf.d/seatrial-{self.study_id}.conf"

    def _mount_options(self) -> str:
        return ",".join([f"vers={self.options.mount.version}", "proto=tcp", *self.options.mount.options])

    def _mounted_with(self) -> str:
        return f"/run/seatrial-{self.study_id}.mount"

    def _mount_steps(self) -> list[Step]:
        options, path = self._mount_options(), self.directory
        source = f"{self.site.nodes[self.server].address}:{self.export_path}"
        noted = self._mounted_with()
        steps = [
            fstab_line(source, path, "nfs", f"{options},_netdev"),
            Step(
                f"mount {source} at {path} with {options}",
                f"grep -q ' {path} nfs' /proc/mounts && read -r mounted <{noted} && [ \"$mounted\" = {options} ]",
                f"! grep -q ' {path} ' /proc/mounts || umount {path}\nmkdir -p {path}\n"
                f"mount -t nfs -o {options} {source} {path}\necho {options} >{noted}",
            ),
        ]
        steps.append(
            read_ahead(
                path,
                f"/sys/class/bdi/$(mountpoint -d {path})/read_ahead_kb",
                self.options.mount.readahead,
                f"{self._mounted_with()}-readahead",
                "the window that a client reads ahead must cover its link's rate times the round trip",
            )
        )
        return steps

    def _forget(self) -> tuple[Step, Step]:
        return remove_file(self._mounted_with()), remove_file(f"{self._mounted_with()}-readahead")

    def _unexport_steps(self) -> list[Step]:
        path = self.export_path
        return [
            remove_file(self._exports_file()),
            Step(f"unexport {path}", f"! grep -q '^{path}[[:space:]]' /var/lib/nfs/etab", "exportfs -ra"),
            remove_file(self._conf_file()),
            Step(
                "stop the NFS service where nothing else is exported",
                "! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]",
                "systemctl stop nfs-server\nsystemctl -q --no-reload disable nfs-server",
            ),
            no_fstab_line(path),
            unmounted(path),
            remove_file(self.mounted.noted),
            remove_file(f"{self.mounted.noted}-readahead"),
        ]


def _client_packages() -> Step:
    return need_commands({"mount.nfs": "nfs-common"})
