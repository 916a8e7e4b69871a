"""Solution `mount`: existing storage of any type, as a directory that all clients see.

Nothing is deployed, remounted or emptied. Before anything is written, every client checks the file
system of the directory, and every client must see the marker files of all other clients. Without
this check a client with a missing mount would load its own disk. Everything that is created is in
one folder, `DIRECTORY/seatrial`, which `undeploy` removes again.

Other users share the caches, so they are never emptied and reads may be served from a cache. Each
point where this cannot be excluded is marked (`seatrial.load.cached`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, Rate, Size, validate
from seatrial.basics.text import Directory, FileSystemType, Name
from seatrial.basics.units import counted
from seatrial.plan.data_path import DataPath, Resource, links
from seatrial.plan.plan import Plan, Stage, Step
from seatrial.plan.site import Site
from seatrial.solutions.base import Wipe, options_data
from seatrial.solutions.parts.at_site import OneNetwork
from seatrial.solutions.parts.checks import check_nodes
from seatrial.solutions.parts.steps import seen_by, seen_in_time
from seatrial.study.study import Study


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
        description="Type in `/proc/mounts`: `gpfs`, `lustre`, `beegfs`, `nfs4`. By default any "
        "except that of the root.",
    )
    clients: Nodes | None = Field(
        None,
        description="Clients, in the order in which experiments take them. By default all nodes.",
    )
    network: Name | None = Field(
        None,
        description="Network on which clients reach the storage. Its links are the bound. By default the data network.",
    )
    rated: Rated | None = Field(
        None,
        description="Rated throughput of all servers together, for the prediction.",
    )
    server_memory: Size | None = Field(
        None,
        description="Memory of all servers together: twice as much data are not read from their "
        "caches. By default unknown.",
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
    return Mount(study.id, options, site, clients)


@dataclass(frozen=True)
class Mount(OneNetwork):
    """The storage at a site; see `solutions.base.Solution`."""

    options: Options
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
    def _folder(self) -> str:
        return f"{self.directory}/seatrial"

    def plan(self, wipe: Wipe) -> Plan:  # noqa: ARG002 - nothing is erased
        """Inspect the nodes, create one folder, and check that all clients see all marker files."""
        return Plan(
            self.study_id,
            f"{self.directory}, as it is mounted on {counted(len(self.clients), 'client')}",
            (
                Stage("preflight check", self.each_client(self._looked())),
                Stage("folder", {self.clients[0]: (self._made(),)}),
                Stage("write", {name: (self._written(name),) for name in self.clients}),
                Stage("check", self.each_client(self._seen())),
            ),
            (
                "Nothing is deployed and no cache is emptied: the site operates this storage. "
                "Reads may be served from a cache where the report states it. A server or "
                "controller may acknowledge writes that are only in its own cache.",
            ),
        )

    def removal(self, wipe: Wipe) -> Plan:  # noqa: ARG002 - nothing is erased
        """Remove the marker files and the folder; the folder stays when it has other files."""
        unmark: dict[str, tuple[Step, ...]] = {}
        for name in self.clients:
            marker = seen_by(self.directory, name)
            unmark[name] = (Step(f"remove {marker}", f"[ ! -e {marker} ]", f"rm {marker}"),)
        emptied = Step(
            f"remove the folder {self._folder}",
            f'[ ! -d {self._folder} ] || [ -n "$(ls -A {self._folder})" ]',
            f"rmdir {self._folder}",
        )
        return Plan(
            self.study_id,
            f"leave {self.directory}",
            (
                Stage("preflight check", self.each_client(self._looked())),
                Stage("unmark", unmark),
                Stage("folder", {self.clients[0]: (emptied,)}),
            ),
        )

    def empty_caches(self, clients: Sequence[str]) -> Plan:  # noqa: ARG002 - the protocol
        """An empty plan.

        Clients would have to unmount, or every user of the node would lose cached data.
        """
        return Plan(self.study_id, "caches are left alone", ())

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:  # noqa: ARG002 - there is no server
        """The clients' links and the storage's rating, which its caches may exceed."""
        resources = links(self.site, self.network, {"client links": self.clients[:clients]})
        if self.options.rated is not None:
            rated = self.options.rated
            resources.append(Resource("the storage, as rated", rated.read, rated.write, hard=False))
        return DataPath(clients, tuple(resources))

    def parts(self) -> list[tuple[str, str]]:
        """The known properties of the storage."""
        kind = f", {self.options.filesystem}" if self.options.filesystem else ""
        return [
            ("storage", f"{self.directory}{kind}, operated by the site: not changed"),
            ("mounts", "each client's own, unchanged"),
            ("caches", "not emptied: points that a cache may have served are marked"),
        ]

    # ---- steps

    def _looked(self) -> Step:
        """Check, without a change, that the directory exists on the expected file system."""
        path, wanted = self.directory, self.options.filesystem
        if wanted is None:
            right = f'[ "$(stat -c %d {path})" != "$(stat -c %d /)" ]'
            wrong = (
                f"{path} is on the root file system of this node: is the storage mounted? "
                "If it is meant, say solution.filesystem in the study"
            )
        else:
            right = f'[ "$(findmnt -n -o FSTYPE -T {path} | tail -n 1)" = {wanted} ]'
            wrong = f"{path} is not on a file system of type {wanted}"
        writable = f'case ",$(findmnt -n -o OPTIONS -T {path} | tail -n 1)," in *,ro,*) false ;; esac'
        return Step(
            f"check that {path} is the storage",
            f"[ -d {path} ] && {right} && {writable}",
            f"[ -d {path} ] || {{ echo '{path}: no such directory on this node' >&2; exit 1; }}\n"
            f"{writable} || {{ echo '{path} is mounted read-only on this node' >&2; exit 1; }}\n"
            f"echo '{wrong}' >&2\nfindmnt -T {path} >&2 || true\nexit 1",
            shows=f"findmnt -n -o FSTYPE,SOURCE -T {path} | sed 's/^/there: /'",
        )

    def _made(self) -> Step:
        """Create the one folder.

        A link of that name would lead elsewhere, and an existing folder may hold files of another
        user. The folder must belong to root (a server may map root to the user `nobody`) or to the
        owner of the directory. Any other owner could place links in it at any time, and root writes
        there.
        """
        folder = self._folder
        owners = f'case $(stat -c %u {folder}) in 0 | 65534 | "$(stat -c %u {self.directory})") ;; *) false ;; esac'
        return Step(
            f"create {folder}",
            f"[ -d {folder} ] && [ ! -L {folder} ] && {{ {owners}; }}",
            f"if [ -e {folder} ] || [ -L {folder} ]; then\n"
            f"    [ -d {folder} ] && [ ! -L {folder} ] || {{ echo '{folder} is there and no folder' >&2; exit 1; }}\n"
            f'    echo "{folder} belongs to the user $(stat -c %u {folder}), who could put links there that root" \\\n'
            f'        "would follow: only root or the owner of {self.directory} may have made it" >&2\n'
            "    exit 1\nfi\n"
            f"mkdir -m 1777 {folder} || {{\n"
            f"    echo 'root may not write here (root_squash?): make {folder} yourself, with mode 1777' >&2\n"
            f"    exit 1\n}}\n{owners} || {{\n"
            f"    echo 'the server knows root as another user here: make {folder} yourself, with mode' \\\n"
            f"        '1777, as root or the owner of {self.directory}' >&2\n"
            f"    rmdir {folder}\n    exit 1\n}}",
        )

    def _written(self, name: str) -> Step:
        mark, parent = seen_by(self.directory, name), self._folder
        return Step(
            f"write {mark}",
            f"[ -f {mark} ] && [ ! -L {mark} ]",
            f"{self._waited(f'[ -d {parent} ]')} || "
            f"{self._elsewhere(f'the folder that {self.clients[0]} made is not seen')}\n"
            # With noclobber the shell creates the file and follows no link.
            f"set -C\n: >{mark}\nset +C\nsync {mark}",
        )

    def _seen(self) -> Step:
        """Every client checks that it sees the marker files of all others."""
        others = " ".join(self.clients)
        mark = seen_by(self.directory, "$name")
        missing = (
            f'missing=; for name in {others}; do [ -f {mark} ] || missing="$missing $name"; done; [ -z "$missing" ]'
        )
        return Step(
            "check the marker file of every other client",
            missing,
            f"{self._waited(f'{{ {missing}; }}')} || {self._elsewhere('nothing of$missing is seen')}",
        )

    def _waited(self, condition: str) -> str:
        return seen_in_time(condition, self.directory, self._folder)

    def _elsewhere(self, why: str) -> str:
        return f'{{ echo "{self.directory} is not the same storage here: {why}" >&2; exit 1; }}'
