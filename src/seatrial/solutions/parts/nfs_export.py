"""A directory that the kernel's NFS server exports to named clients, and a client's mount of it.

Safe by default: the export is `sync` and squashes root. A study can choose `async`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from seatrial.basics.schema import Duration, Model, Size, versions
from seatrial.basics.text import MountOptions
from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.solutions.parts import nfs_delegations
from seatrial.solutions.parts.steps import (
    mount_note,
    mount_steps,
    read_ahead,
)
from seatrial.study.timers import Timer

LAB_HAS_NO_RDMA = "a lab's kernels cannot have an RDMA device; use environment: {kind: hosts}"
VERSION_OPTIONS = (
    *("vers", "nfsvers", "minorversion", "mountvers", "v2", "v3", "v4"),
    *(f"v4.{minor}" for minor in range(10)),
)
TRANSPORT_OPTIONS = (
    *("proto", "mountproto", "udp", "udp6", "tcp", "tcp6", "rdma", "rdma6"),
    "port",
)
"""with `port`: the plan's server listens on one port per transport"""
RESERVED_OPTIONS = {
    **dict.fromkeys(VERSION_OPTIONS, "mount.version"),
    **dict.fromkeys(TRANSPORT_OPTIONS, "mount.transport"),
    **dict.fromkeys(("addr", "mountaddr", "mounthost"), "the server's address"),
}
"""mount option of clients (nfs(5)) -> the key of a study that sets it"""
RDMA_PORT = 20049
"""registered for NFS over RDMA (RFC 8267); default of the client and of nfsd"""
SERVER_UNITS = (
    "nfs-server.service",
    "nfs-mountd.service",
    "nfs-idmapd.service",
    "nfsdcld.service",
    "rpcbind.service",
    "rpc-statd.service",
)
"""the daemons of the kernel's NFS server; its own messages are the kernel's"""
SERVER_PACKAGES = {"exportfs": "nfs-kernel-server"}
CLIENT_PACKAGES = {"mount.nfs": "nfs-common"}
"""command -> package"""


class Export(Model):
    """`export: {mode: sync, threads: 128}`."""

    mode: Literal["sync", "async"] = Field(
        "sync",
        description=(
            "`async` acknowledges writes before they are durable. The report has a warning then."
        ),
    )
    root_squash: bool = Field(
        True,
        description="Map the root user of a client to an unprivileged user.",
    )
    threads: Annotated[int, Field(ge=1, le=4096)] = Field(64, description="Number of nfsd threads.")
    lease: Duration = Field(
        90.0,
        ge=10,
        le=3600,
        multiple_of=1,
        description=(
            "NFSv4 lease, and grace period after a restart of the server, in whole seconds from 10."
        ),
    )

    @property
    def grace(self) -> Timer:
        """How long clients may wait after a restart of the server."""
        return Timer(
            self.lease,
            f"nfsd's grace of {self.lease:.0f} s: nothing is opened until all have reclaimed, "
            "which a client of NFSv4.0 cannot signal (RFC 7530, section 9.6.3)",
        )


class Mount(Model):
    """`mount: {version: 4.2, options: [hard, noatime]}`."""

    version: Annotated[
        Literal["3", "4", "4.0", "4.1", "4.2"],
        BeforeValidator(str),
        versions("3", "4", "4.0", "4.1", "4.2"),
    ] = Field(
        "4.2",
        description="NFS version.",
    )
    transport: Literal["tcp", "udp", "rdma"] = Field(
        "tcp",
        description=(
            "Transport. `udp` only where the kernel supports it. `rdma` on port 20049, not in a"
            " lab."
        ),
    )
    options: MountOptions = Field(("hard", "noatime"), description="Additional mount options.")
    readahead: Size | None = Field(
        None,
        description="Readahead of a client. By default that of the kernel.",
    )


@dataclass(frozen=True)
class Exported:
    """An export of a server: the directory, its clients and options."""

    study_id: str
    path: str
    export: Export
    clients: Sequence[str]
    """addresses of the clients"""
    transport: str = "tcp"

    @property
    def exports_file(self) -> str:
        """The exports file with the line of this export."""
        return f"/etc/exports.d/seatrial-{self.study_id}.exports"

    @property
    def conf_file(self) -> str:
        """The configuration file of nfsd."""
        return f"/etc/nfs.conf.d/seatrial-{self.study_id}.conf"

    def steps(self) -> list[Step]:
        """Export the directory, now and at every boot."""
        rdma = rdma_steps() if self.transport == "rdma" else []
        return [
            self._exports_file_step(),
            self._conf_file_step(),
            nfs_delegations.none_given(self.study_id),
            self._threads_step(),
            self._lease_step(),
            *rdma,
            self._export_step(),
        ]

    @property
    def _squash(self) -> str:
        return "root_squash" if self.export.root_squash else "no_root_squash"

    def _exports_file_step(self) -> Step:
        flags = f"rw,{self.export.mode},{self._squash},no_subtree_check"
        line = f"{self.path} " + " ".join(f"{address}({flags})" for address in self.clients)
        return write_file(
            self.exports_file,
            line,
            title=f"configure the export of {self.path}",
            shown=True,
            takes=(("exports", self.path),),
        )

    def _conf_file_step(self) -> Step:
        threads = self.export.threads
        lease_s = f"{self.export.lease:.0f}"
        lines = ["[nfsd]", f"threads={threads}", f"lease-time={lease_s}", f"grace-time={lease_s}"]
        return write_file(
            self.conf_file,
            "\n".join(lines) + _LISTENS.get(self.transport, ""),
            title=f"configure {threads} nfsd threads, and {lease_s} s of lease and grace period",
            shown=True,
        )

    def _threads_step(self) -> Step:
        threads = self.export.threads
        service = (
            f"if systemctl -q is-active nfs-server; then rpc.nfsd {threads}; "
            "else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi"
        )
        return command_step(
            f"set {threads} nfsd threads",
            "[ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&\n"
            f'[ "$threads" = {threads} ]',
            service,
            reason="one thread serves one request at a time: with too few, clients wait",
            shows='read -r threads </proc/fs/nfsd/threads && echo "now: $threads threads"',
            units=("nfs-server",),
        )

    def _export_step(self) -> Step:
        mode = self.export.mode
        etab = f"grep '^{self.path}[[:space:]]' /var/lib/nfs/etab"
        listed = f"{etab} | grep '[(,]rw[,)]' | grep -c '[(,]{mode}[,)]'"
        # Unchanged since the last export: etab may name clients differently than the exports file.
        is_current = f"[ ! {self.exports_file} -nt /var/lib/nfs/etab ]"
        exported = f'{is_current} &&\n[ "$({listed})" = {len(self.clients)} ]'
        safety = (
            "async is fast and can lose acknowledged writes, as the study requests"
            if mode == "async"
            else "acknowledged data are on the disks; each write waits for them"
        )
        return command_step(
            f"export {self.path} with rw, {mode}, {self._squash}",
            f"{exported} &&\n! {etab} | grep -vq '[(,]{self._squash}[,)]'",
            f"touch {self.exports_file}\nexportfs -ra",
            reason=safety,
            shows=f"{etab} | sed 's/^/now: /'",
            option="async",
        )

    def _lease_step(self) -> Step:
        """Set the lease, which needs a stop of all threads; preflight excludes other exports."""
        export = self.export
        times = "/proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime"
        return command_step(
            f"set the NFSv4 lease and grace period to {export.lease:.0f} s",
            f"for file in {times}; do read -r time <$file && [ $time = {export.lease:.0f} ] || exit"
            " 1; done",
            f"rpc.nfsd 0\nfor file in {times}; do echo {export.lease:.0f} >$file; done\nrpc.nfsd"
            f" {export.threads}",
            reason=(
                "after a restart the server opens nothing during this time, unless all clients "
                "have signalled that they have reclaimed their state"
            ),
            shows=(
                f'for file in {times}; do read -r time <$file && echo "now: $time s in $file"; done'
            ),
        )

    def refused_by_others(self) -> str:
        """sh: exit with 1 when the node has other exports."""
        return (
            f"if grep -v '^{self.path}[[:space:]]' /var/lib/nfs/etab; then\n"
            "    echo 'refused: these other exports would be interrupted'\n    exit 1\nfi\n"
        )

    def removal(self) -> list[Step]:
        """Stop exporting, also at boot; with other exports the service keeps running."""
        path = self.path
        return [
            remove_file(self.exports_file),
            command_step(
                f"unexport {path}",
                f"! grep -q '^{path}[[:space:]]' /var/lib/nfs/etab",
                "exportfs -ra",
            ),
            remove_file(self.conf_file),
            nfs_delegations.given_again(self.study_id),
            command_step(
                "stop the NFS service if it has no other export",
                "! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]",
                "systemctl stop nfs-server\nsystemctl -q --no-reload disable nfs-server",
            ),
        ]


_LISTENS = {"udp": "\nudp=y", "rdma": f"\nrdma=y\nrdma-port={RDMA_PORT}"}
"""transport -> additional lines of nfs.conf(5)"""


def _protocol(transport: str, source: str) -> str:
    """The transport's name in nfs(5); for an IPv6 address it ends in 6."""
    return f"{transport}6" if source.startswith("[") else transport


def mounted(study_id: str, source: str, path: str, mount: Mount) -> list[Step]:
    """Mount on a client, now and at every boot; `source`: address:path."""
    port = [f"port={RDMA_PORT}"] if mount.transport == "rdma" else []
    transport = _protocol(mount.transport, source)
    options = ",".join([f"vers={mount.version}", f"proto={transport}", *port, *mount.options])
    record = mount_note(study_id)
    return [
        *([rdma_device_step()] if mount.transport == "rdma" else []),
        *mount_steps(source, path, "nfs", options, record),
        read_ahead(
            path,
            f"/sys/class/bdi/$(mountpoint -d {path})/read_ahead_kb",
            mount.readahead,
            f"{record}-readahead",
            "the read-ahead of a client must cover its link's rate times the round trip",
        ),
    ]


def rdma_device_step() -> Step:
    """Refuse a node without an RDMA device, before a later step fails with an unclear message."""
    return command_step(
        "check the RDMA device",
        '[ -n "$(ls /sys/class/infiniband 2>/dev/null)" ]',
        "echo 'refused: this node has no RDMA device (/sys/class/infiniband), which NFS over RDMA"
        " needs'\nexit 1",
        reason="InfiniBand, RoCE or iWARP; its driver has to be loaded",
    )


def rdma_steps() -> list[Step]:
    """Let a running nfsd also listen for RDMA; nfs.conf has the same for later starts."""
    listener = f"rdma {RDMA_PORT}"
    return [
        rdma_device_step(),
        command_step(
            f"open RDMA port {RDMA_PORT} of nfsd",
            f"grep -qx '{listener}' /proc/fs/nfsd/portlist",
            f"modprobe rpcrdma\necho '{listener}' >/proc/fs/nfsd/portlist",
            reason="clients ask this port for an RDMA connection",
            shows="sed 's/^/now: /' /proc/fs/nfsd/portlist",
        ),
    ]


def forget_read_ahead(study_id: str) -> Step:
    """Remove the result of a client's former read-ahead."""
    return remove_file(f"{mount_note(study_id)}-readahead")
