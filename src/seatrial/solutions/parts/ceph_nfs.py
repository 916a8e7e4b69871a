"""Storage servers of a Ceph cluster that also serve NFS.

Each server exports a directory of a local file system. No data of the Ceph file system is exported.
See docs/decisions/0035-nfs-on-ceph-storage-servers.md.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from seatrial.basics.node_sets import expand, fold
from seatrial.basics.schema import Model, Nodes
from seatrial.basics.text import Directory
from seatrial.plan.data_path import LinkGroup, Resource, ResourceRole, links
from seatrial.plan.plan import Step, command_step
from seatrial.plan.site import Site
from seatrial.solutions.parts import nfs_delegations
from seatrial.solutions.parts.backups import MADE
from seatrial.solutions.parts.checks import check_mount_options
from seatrial.solutions.parts.nfs_export import (
    LAB_HAS_NO_RDMA,
    RESERVED_OPTIONS,
    Export,
    Exported,
    Mount,
    mounted,
)
from seatrial.study.study import Study

FUNCTIONS = Path(__file__).with_suffix(".sh").read_text(encoding="ascii")


class Nfs(Model):
    """`nfs: {servers: s[1-4], clients: c[13-16]}`."""

    servers: Nodes = Field(description="Storage servers that serve NFS, too.")
    clients: Nodes = Field(
        description=(
            "Nodes that mount NFS instead of CephFS, assigned to the servers in turn. "
            "Experiments take them first."
        ),
    )
    directory: Directory = Field(
        "/srv",
        description=(
            "Directory on each server that contains the exported directory, which has the name of"
            " the study."
        ),
    )
    export: Export = Field(Export(), description="The export, as of `kind: nfs`.")
    mount: Mount = Field(Mount(), description="The mount, as of `kind: nfs`.")


def check(
    study: Study,
    options: Nfs,
    storage: Sequence[str],
    taken: Sequence[str],
    *,
    has_rdma: bool,
) -> None:
    """InputError for nodes that do not fit; `taken`: nodes with other roles. `has_rdma`: of the
    network cards.
    """
    servers = expand(options.servers)
    clients = expand(options.clients)
    where = ("solution", "nfs")
    for name in servers:
        if name not in storage:
            raise study.mistake((*where, "servers"), f"{name!r} is not a storage server")
    for name in clients:
        if name in taken:
            problem = f"{name!r} is a server or a Ceph client, which mounts at the same path"
            raise study.mistake((*where, "clients"), problem)
    if len(clients) < len(servers):
        counts = f"{len(servers)} servers for {len(clients)} NFS clients"
        problem = f"{counts}: name only servers that have a client"
        raise study.mistake((*where, "servers"), problem)
    check_mount_options(
        study, (*where, "mount", "options"), options.mount.options, RESERVED_OPTIONS
    )
    if options.mount.transport == "rdma" and not has_rdma:
        raise study.mistake((*where, "mount", "transport"), LAB_HAS_NO_RDMA)


@dataclass(frozen=True)
class NfsBeside:
    """The NFS servers and clients in a Ceph cluster."""

    study_id: str
    options: Nfs
    addresses: Mapping[str, str]
    """node -> its address on their common network"""
    path: str
    """mount point of the NFS clients, the same as of Ceph clients"""

    @property
    def clients(self) -> tuple[str, ...]:
        """The NFS clients in the order in which experiments use them."""
        return expand(self.options.clients)

    @property
    def served(self) -> dict[str, tuple[str, ...]]:
        """Server -> its clients; the clients of each server share one tree."""
        servers = expand(self.options.servers)
        return {name: self.clients[place :: len(servers)] for place, name in enumerate(servers)}

    @property
    def directory(self) -> str:
        """The exported directory of each server."""
        return f"{self.options.directory.rstrip('/')}/{self.study_id}"

    def server_steps(self, server: str) -> tuple[Step, ...]:
        """Create the directory and export it."""
        made = f"{shlex.quote(self.directory)} {_note(self.study_id)}"
        directory = command_step(
            f"create the directory {self.directory}, writable for NFS clients",
            f"nfs_directory_there {made}",
            f"nfs_directory {made}",
            functions=FUNCTIONS,
        )
        addresses = tuple(self.addresses[name] for name in self.served[server])
        transport = self.options.mount.transport
        exported = Exported(
            self.study_id, self.directory, self.options.export, addresses, transport
        )
        return (directory, *exported.steps())

    def client_steps(self, client: str) -> tuple[Step, ...]:
        """Mount from the client's server."""
        server = next(name for name, clients in self.served.items() if client in clients)
        source = f"{self.addresses[server]}:{self.directory}"
        return tuple(mounted(self.study_id, source, self.path, self.options.mount))

    def resources(self, site: Site, network: str, clients: Sequence[str]) -> list[Resource]:
        """The links of NFS clients and of their servers."""
        servers = [name for name, served in self.served.items() if set(served) & set(clients)]
        groups = (
            LinkGroup(ResourceRole.CLIENT_LINKS, "client links", clients, servers),
            LinkGroup(ResourceRole.SERVER_LINKS, "server links", servers, clients),
        )
        return links(site, network, groups)

    def describe(self) -> str:
        """The NFS part in words, for the report."""
        options = self.options
        return (
            f"{fold(expand(options.servers))} export {self.directory} to {fold(self.clients)},"
            f" {options.export.mode}, {options.export.threads} nfsd threads; NFS"
            f" v{options.mount.version}, {options.mount.transport},"
            f" {', '.join(options.mount.options)}"
        )


def both(ceph: Sequence[Resource], nfs: Sequence[Resource]) -> list[Resource]:
    """The path of Ceph clients while NFS clients work too; empty when a rate is unknown.

    The NFS clients' links are added: an upper bound, as their share of the time is unknown.
    """
    client_links = [resource for resource in nfs if resource.role is ResourceRole.CLIENT_LINKS]
    return [
        replace(
            resource,
            read_bytes_per_s=resource.read_bytes_per_s + nfs_links.read_bytes_per_s,
            write_bytes_per_s=resource.write_bytes_per_s + nfs_links.write_bytes_per_s,
            burst_bytes=resource.burst_bytes + nfs_links.burst_bytes,
        )
        for resource in ceph
        for nfs_links in client_links
    ]


def no_server_steps(study_id: str) -> tuple[Step, Step]:
    """Stop exporting on a storage server without NFS (any more); its files stay."""
    nothing = Exported(study_id, "", Export(), ())
    files = f"{nothing.exports_file} {nothing.conf_file}"
    nowhere = command_step(
        "stop the NFS export",
        f"nfs_serves_nothing {files}",
        f"nfs_serve_nothing {files} {_note(study_id)}",
        functions=FUNCTIONS,
    )
    return nowhere, nfs_delegations.given_again(study_id)


def _note(study_id: str) -> str:
    """The file that results that the study has created the directory."""
    return f"{MADE}/{study_id}/nfs-directory"


def no_client_step(path: str) -> Step:
    """Unmount NFS on a client of Ceph while its former server still answers."""
    return command_step(
        f"unmount NFS at {path}",
        f"nfs_not_mounted {shlex.quote(path)}",
        f"nfs_unmount {shlex.quote(path)}",
        functions=FUNCTIONS,
    )
