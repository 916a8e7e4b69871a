"""Solution `mount`: existing storage of any type, as a directory that all clients see.

Nothing is deployed, remounted or emptied. Before anything is written, every client checks the file
system of the directory, and every client must see the marker files of all other clients. Without
this check a client with a missing mount would load its own disk. Everything that is created is in
one folder, `DIRECTORY/seatrial-USER`, which `undeploy` removes again. An ordinary user can run it.

Other users share the caches, so they are never emptied and reads may be served from a cache. Each
point where this cannot be excluded is marked (`seatrial.load.cached`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from seatrial.basics.login import login_name
from seatrial.basics.node_sets import expand, fold
from seatrial.basics.schema import Model, Nodes, Rate, Size, validate
from seatrial.basics.text import Directory, FileSystemType, Name
from seatrial.basics.units import counted
from seatrial.plan.data_path import DataPath, LinkGroup, Resource, ResourceRole, links
from seatrial.plan.plan import Plan, Stage, Step, command_step
from seatrial.plan.site import Site
from seatrial.solutions.base import Storage, Wipe, options_data
from seatrial.solutions.parts.at_site import OneNetwork
from seatrial.solutions.parts.checks import check_nodes
from seatrial.solutions.parts.steps import seen_by, seen_in_time
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study

FUNCTIONS = (Path(__file__).parent.parent / "parts" / "existing_storage.sh").read_text(
    encoding="ascii"
) + "\n"

STARTER = Starter("Existing storage", "mount.yaml.j2", measures_existing=True)
NEEDS_ROOT = False
"""it deploys nothing"""


RATED_EXAMPLE = "{read: 3GB/s, write: 2GB/s}, the storage's nominal rate"


class Rated(Model):
    """`rated: {read: 20GB/s, write: 12GB/s}`."""

    read: Rate = Field(description="Read rate of all servers together.")
    write: Rate = Field(description="Write rate of all servers together.")


class Options(Model):
    """The keys of `solution` when its kind is mount."""

    kind: Literal["mount"]
    directory: Directory = Field(
        description="Mount point of the storage on every client, or a folder of it.",
    )
    filesystem: FileSystemType | None = Field(
        None,
        description=(
            "Type in `/proc/mounts`: `gpfs`, `lustre`, `beegfs`, `nfs4`. By default any "
            "except that of the root."
        ),
    )
    clients: Nodes | None = Field(
        None,
        description="Clients, in the order in which experiments take them. By default all nodes.",
    )
    servers: Nodes | None = Field(
        None,
        description="Servers of the storage, by their names for ssh. They are only observed.",
    )
    network: Name | None = Field(
        None,
        description=(
            "Network on which clients reach the storage. Its links are the bound. By default the"
            " data network."
        ),
    )
    rated: Rated | None = Field(
        None,
        description="Rated throughput of all servers together, for the prediction.",
    )
    server_memory: Size | None = Field(
        None,
        description=(
            "Memory of all servers together: twice as much data are not read from their "
            "caches. By default unknown."
        ),
    )


def load(study: Study, site: Site) -> "Mount":
    """Read the options; InputError when they do not fit the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    clients = expand(options.clients) if options.clients is not None else tuple(site.nodes)
    check_nodes(study, site, ("solution", "clients"), clients, options.network)
    for pattern, node in study.nodes.items():
        if node.disks is not None:
            problem = "mounted storage has its own disks; leave this out"
            raise study.mistake(("nodes", pattern, "disks"), problem)
    observed = expand(options.servers) if options.servers is not None else ()
    for name in observed:
        if name in site.nodes:
            problem = f"{name!r} is a node of this study; name machines that are no nodes"
            raise study.mistake(("solution", "servers"), problem)
    return Mount(study.id, options, site, clients, tuple(observed))


@dataclass(frozen=True)
class Mount(OneNetwork):
    """The storage at a site; see `solutions.base.Solution`."""

    options: Options
    observed_servers: tuple[str, ...] = ()
    """the servers of the site that a run observes"""
    servers = storage_nodes = layout = ()
    """the site owns all servers, and no change of a study recreates the storage"""

    @property
    def directory(self) -> str:
        """The directory as the study names it."""
        return self.options.directory

    @property
    def server_memory_bytes(self) -> float | None:
        """Bytes of memory of all servers together; None when the study does not state it."""
        return self.options.server_memory

    @property
    def work_folder(self) -> str:
        """The one folder that is created: that of the user who runs Seatrial."""
        return f"{self.directory}/seatrial-{login_name()}"

    def plan(self, wipe: Wipe) -> Plan:  # noqa: ARG002 - nothing is erased
        """Inspect the nodes, create one folder, and check that all clients see all marker files."""
        return Plan(
            self.study_id,
            f"{self.directory}, as it is mounted on {counted(len(self.clients), 'client')}",
            (
                Stage("preflight check", self.each_client(self._looked()), is_preflight=True),
                Stage("folder", {self.clients[0]: (self._made(),)}),
                Stage("write", {name: (self._written(name),) for name in self.clients}),
                Stage("check", self.each_client(self._seen())),
            ),
            (
                (
                    "Nothing is deployed and no cache is emptied: the site operates this storage. "
                    "Reads may be served from a cache where the report states it. A server or "
                    "controller may acknowledge writes that are only in its own cache."
                ),
            ),
        )

    def removal(self, wipe: Wipe) -> Plan:  # noqa: ARG002 - nothing is erased
        """Remove the marker files, what interrupted runs left, and the folder.

        The folder stays when it has other files. While another client has its marker file there, a
        run of another study may be at work, and nothing is removed.
        """
        unmark: dict[str, tuple[Step, ...]] = {}
        for name in self.clients:
            marker = seen_by(self.work_folder, name)
            unmark[name] = (command_step(f"remove {marker}", f"[ ! -e {marker} ]", f"rm {marker}"),)
        folder = self.work_folder
        cleared = command_step(
            f"remove what an interrupted run left in {folder}",
            f'[ -z "$(left_by_runs {folder})" ]',
            f'left_by_runs {folder} | while read -r path; do rm -rf "$path"; done',
            functions=FUNCTIONS,
        )
        emptied = command_step(
            f"remove the folder {folder}",
            f'[ ! -d {folder} ] || [ -n "$(ls -A {folder})" ]',
            f"rmdir {folder}",
        )
        return Plan(
            self.study_id,
            f"leave {self.directory}",
            (
                Stage("preflight check", self.each_client(self._looked()), is_preflight=True),
                Stage("unmark", unmark),
                Stage("folder", {self.clients[0]: (cleared, emptied)}),
            ),
        )

    def empty_caches(self, clients: Sequence[str]) -> Plan:  # noqa: ARG002 - the protocol
        """An empty plan.

        Clients would have to unmount, or every user of the node would lose cached data.
        """
        return Plan(self.study_id, "caches are left alone", ())

    @property
    def storage(self) -> Storage:
        """The network of the clients; a rating that the study could state."""
        unset = {} if self.options.rated is not None else {"rated": RATED_EXAMPLE}
        return Storage(network=self.network, unset_rates=unset)

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:  # noqa: ARG002 - there is no server
        """The clients' links and the storage's rating, which its caches may exceed."""
        clients_links = LinkGroup(ResourceRole.CLIENT_LINKS, "client links", self.clients[:clients])
        resources = links(self.site, self.network, [clients_links])
        if self.options.rated is not None:
            rated = self.options.rated
            resources.append(
                Resource(
                    ResourceRole.RATED_STORAGE,
                    "the storage, as rated",
                    rated.read,
                    rated.write,
                    hard=False,
                )
            )
        return DataPath(clients, tuple(resources))

    def parts(self) -> list[tuple[str, str]]:
        """The known properties of the storage."""
        kind = f", {self.options.filesystem}" if self.options.filesystem else ""
        names = fold(self.observed_servers)
        servers = [("servers", f"{names}: only observed")] if names else []
        return [
            ("storage", f"{self.directory}{kind}, operated by the site: not changed"),
            *servers,
            ("mounts", "each client's own, unchanged"),
            ("caches", "not emptied: points that a cache may have served are marked"),
        ]

    # ---- steps

    def _looked(self) -> Step:
        """Check, without a change, that the directory exists on the expected file system."""
        path = self.directory
        expected = self.options.filesystem
        if expected is None:
            right = f'[ "$(stat -c %d {path})" != "$(stat -c %d /)" ]'
            wrong = (
                f"{path} is on the root file system of this node: is the storage mounted? "
                "If it is meant, set solution.filesystem in the study"
            )
        else:
            right = f'[ "$(findmnt -n -o FSTYPE -T {path} | tail -n 1)" = {expected} ]'
            wrong = f"{path} is not on a file system of type {expected}"
        writable = (
            f'case ",$(findmnt -n -o OPTIONS -T {path} | tail -n 1)," in *,ro,*) false ;; esac'
        )
        return command_step(
            f"check that {path} is the storage",
            f"[ -d {path} ] && {right} && {writable}",
            f"[ -d {path} ] || {{ echo '{path}: no such directory on this node' >&2; exit 1; }}\n"
            f"{writable} || {{ echo '{path} is mounted read-only on this node' >&2; exit 1; }}\n"
            f"echo '{wrong}' >&2\nfindmnt -T {path} >&2 || true\nexit 1",
            shows=f"findmnt -n -o FSTYPE,SOURCE -T {path} | sed 's/^/now: /'",
        )

    def _made(self) -> Step:
        """Create the one folder.

        A link of that name would lead elsewhere, and an existing folder may hold files of another
        user, who could place links in it at any time. So the folder of an ordinary user must be
        that user's own, and has mode 0700. Where root runs the load, the folder must belong to root
        (mapped by some servers to an anonymous user) or to the owner of the directory.
        """
        folder = self.work_folder
        directory = self.directory
        arguments = f"{folder} {directory}"
        no_folder = f"{{ echo '{folder} exists and is not a folder' >&2; exit 1; }}"
        return command_step(
            f"create {folder}",
            f"[ -d {folder} ] && [ ! -L {folder} ] && owned_well {arguments}",
            f"if [ -e {folder} ] || [ -L {folder} ]; then\n"
            f"    [ -d {folder} ] && [ ! -L {folder} ] || {no_folder}\n"
            f"    foreign_owner {arguments}\n"
            "    exit 1\nfi\n"
            f"make_work_folder {arguments}",
            functions=FUNCTIONS,
        )

    def _written(self, name: str) -> Step:
        mark = seen_by(self.work_folder, name)
        parent = self.work_folder
        return command_step(
            f"write {mark}",
            f"[ -f {mark} ] && [ ! -L {mark} ]",
            f"{self._waited(f'[ -d {parent} ]')} || "
            f"{self._elsewhere(f'the folder that {self.clients[0]} made is not seen')}\n"
            f"write_marker {mark} {parent}",
            functions=FUNCTIONS,
        )

    def _seen(self) -> Step:
        """Every client checks that it sees the marker files of all others."""
        others = " ".join(self.clients)
        mark = seen_by(self.work_folder, "$name")
        missing = (
            f'missing=; for name in {others}; do [ -f {mark} ] || missing="$missing $name"; done; ['
            ' -z "$missing" ]'
        )
        return command_step(
            "check the marker file of every other client",
            missing,
            f"{self._waited(f'{{ {missing}; }}')} ||"
            f" {self._elsewhere('nothing of$missing is seen')}",
        )

    def _waited(self, condition: str) -> str:
        return seen_in_time(condition, self.directory, self.work_folder)

    def _elsewhere(self, why: str) -> str:
        return f'{{ echo "{self.directory} is not the same storage here: {why}" >&2; exit 1; }}'
