"""A directory that the kernel's NFS server exports to named clients, and the mount of it on a client.

Safe by default: the export is `sync` and squashes root; `async` only when the study says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from seatrial.basics.schema import Duration, Model, Size, versions
from seatrial.basics.text import MountOptions
from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts import nfs_delegations
from seatrial.solutions.parts.steps import (
    mount_note,
    mount_steps,
    read_ahead,
)
from seatrial.study.timers import Timer

LAB_HAS_NO_RDMA = (
    "the kernels of a lab have no RDMA device, and none can be made in them; NFS over RDMA needs lab: {kind: hosts}"
)
VERSION_OPTIONS = (
    *("vers", "nfsvers", "minorversion", "mountvers", "v2", "v3", "v4"),
    *(f"v4.{minor}" for minor in range(10)),
)
TRANSPORT_OPTIONS = (
    *("proto", "mountproto", "udp", "udp6", "tcp", "tcp6", "rdma", "rdma6"),
    "port",
)
"""with `port`: the server of the plan listens on one port for each transport"""
RESERVED_OPTIONS = {
    **dict.fromkeys(VERSION_OPTIONS, "mount.version"),
    **dict.fromkeys(TRANSPORT_OPTIONS, "mount.transport"),
    **dict.fromkeys(("addr", "mountaddr", "mounthost"), "the server's address"),
}
"""option of the clients' mount (nfs(5)) -> the key of a study that says it"""
RDMA_PORT = 20049
"""registered for NFS over RDMA (RFC 8267); the client's own default, and nfsd's"""
SERVER_UNITS = (
    "nfs-server.service",
    "nfs-mountd.service",
    "nfs-idmapd.service",
    "nfsdcld.service",
    "rpcbind.service",
    "rpc-statd.service",
)
"""the daemons beside the kernel's NFS server, whose own messages are the kernel's"""
SERVER_PACKAGES = {"exportfs": "nfs-kernel-server"}
CLIENT_PACKAGES = {"mount.nfs": "nfs-common"}
"""command -> package"""


class Export(Model):
    """`export: {mode: sync, threads: 128}`."""

    mode: Literal["sync", "async"] = Field(
        "sync",
        description="`async` acknowledges writes before they are durable. The report has a warning then.",
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
        description="NFSv4 lease, and grace period after a restart of the server, in whole seconds from 10.",
    )

    @property
    def grace(self) -> Timer:
        """How long a restart of the server may keep its clients waiting."""
        return Timer(
            self.lease,
            f"nfsd's grace of {self.lease:.0f} s: nothing is opened until all have reclaimed, and a client of NFSv4.0 "
            "cannot say that it has (RFC 7530, section 9.6.3)",
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
        description="Transport. `udp` only where the kernel supports it. `rdma` on port 20049, not in a lab.",
    )
    options: MountOptions = Field(("hard", "noatime"), description="Additional mount options.")
    readahead: Size | None = Field(
        None,
        description="Readahead of a client. By default that of the kernel.",
    )


@dataclass(frozen=True)
class Exported:
    """What a server exports, to whom and how."""

    study_id: str
    path: str
    export: Export
    clients: Sequence[str]
    """their addresses"""
    transport: str = "tcp"

    @property
    def exports_file(self) -> str:
        """The line of it."""
        return f"/etc/exports.d/seatrial-{self.study_id}.exports"

    @property
    def conf_file(self) -> str:
        """Of nfsd."""
        return f"/etc/nfs.conf.d/seatrial-{self.study_id}.conf"

    def steps(self) -> list[Step]:
        """Export it, now and at every boot."""
        export, path = self.export, self.path
        rdma = rdma_steps() if self.transport == "rdma" else []
        squash = "root_squash" if export.root_squash else "no_root_squash"
        flags = f"rw,{export.mode},{squash},no_subtree_check"
        line = f"{path} " + " ".join(f"{address}({flags})" for address in self.clients)
        service = (
            f"if systemctl -q is-active nfs-server; then rpc.nfsd {export.threads}; "
            "else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi"
        )
        etab = f"grep '^{path}[[:space:]]' /var/lib/nfs/etab"
        listed = f"{etab} | grep '[(,]rw[,)]' | grep -c '[(,]{export.mode}[,)]'"
        # Nobody has said it since the file was written: etab has other names for the clients than the file may have.
        said = f"[ ! {self.exports_file} -nt /var/lib/nfs/etab ]"
        exported = f'{said} &&\n[ "$({listed})" = {len(self.clients)} ]'
        own = (("exports", path),)
        return [
            write_file(
                self.exports_file,
                line,
                title=f"configure the export of {path}",
                shown=True,
                takes=own,
            ),
            write_file(
                self.conf_file,
                f"[nfsd]\nthreads={export.threads}\nlease-time={export.lease:.0f}\ngrace-time={export.lease:.0f}"
                + _LISTENS.get(self.transport, ""),
                title=f"configure {export.threads} nfsd threads, and {export.lease:.0f} s of lease and grace period",
                shown=True,
            ),
            nfs_delegations.none_given(self.study_id),
            Step(
                f"set {export.threads} nfsd threads",
                "[ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&\n"
                f'[ "$threads" = {export.threads} ]',
                service,
                reason="one thread serves one request at a time: with too few, clients wait for each other",
                shows='read -r threads </proc/fs/nfsd/threads && echo "there: $threads threads"',
                units=("nfs-server",),
            ),
            self._lease_step(),
            *rdma,
            Step(
                f"export {path} with rw, {export.mode}, {squash}",
                f"{exported} &&\n! {etab} | grep -vq '[(,]{squash}[,)]'",
                f"touch {self.exports_file}\nexportfs -ra",
                reason="async trades the safety of acknowledged writes for speed, as the study asks"
                if export.mode == "async"
                else "what the server has acknowledged is on its disks; each write waits for them",
                shows=f"{etab} | sed 's/^/there: /'",
                option="async",
            ),
        ]

    def _lease_step(self) -> Step:
        """The kernel takes a lease only while no thread runs; that nobody else exports, stage 0 has seen."""
        export = self.export
        times = "/proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime"
        return Step(
            f"set the NFSv4 lease and grace period to {export.lease:.0f} s",
            f"for file in {times}; do read -r time <$file && [ $time = {export.lease:.0f} ] || exit 1; done",
            f"rpc.nfsd 0\nfor file in {times}; do echo {export.lease:.0f} >$file; done\nrpc.nfsd {export.threads}",
            reason="a server that was restarted opens nothing for so long, unless all clients have said that they "
            "have reclaimed what they had",
            shows=f'for file in {times}; do read -r time <$file && echo "there: $time s in $file"; done',
        )

    def refused_by_others(self) -> str:
        """sh: end with 1 where anybody else exports."""
        return (
            f"if grep -v '^{self.path}[[:space:]]' /var/lib/nfs/etab; then\n"
            "    echo 'refused: these other exports would be interrupted'\n    exit 1\nfi\n"
        )

    def removal(self) -> list[Step]:
        """Neither exported nor at boot; the service goes on where others export."""
        path = self.path
        return [
            remove_file(self.exports_file),
            Step(f"unexport {path}", f"! grep -q '^{path}[[:space:]]' /var/lib/nfs/etab", "exportfs -ra"),
            remove_file(self.conf_file),
            nfs_delegations.given_again(self.study_id),
            Step(
                "stop the NFS service if it has no other export",
                "! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]",
                "systemctl stop nfs-server\nsystemctl -q --no-reload disable nfs-server",
            ),
        ]


_LISTENS = {"udp": "\nudp=y", "rdma": f"\nrdma=y\nrdma-port={RDMA_PORT}"}
"""transport -> what nfs.conf(5) needs for it, beside TCP"""


def _protocol(transport: str, source: str) -> str:
    """The word of nfs(5) for a transport: to an IPv6 address it has a 6 at its end."""
    return f"{transport}6" if source.startswith("[") else transport


def mounted(study_id: str, source: str, path: str, mount: Mount) -> list[Step]:
    """What a client mounts, now and at every boot; `source`: address:path."""
    port = [f"port={RDMA_PORT}"] if mount.transport == "rdma" else []
    transport = _protocol(mount.transport, source)
    options = ",".join([f"vers={mount.version}", f"proto={transport}", *port, *mount.options])
    noted = mount_note(study_id)
    return [
        *([rdma_device_step()] if mount.transport == "rdma" else []),
        *mount_steps(source, path, "nfs", options, noted),
        read_ahead(
            path,
            f"/sys/class/bdi/$(mountpoint -d {path})/read_ahead_kb",
            mount.readahead,
            f"{noted}-readahead",
            "the window that a client reads ahead must cover its link's rate times the round trip",
        ),
    ]


def rdma_device_step() -> Step:
    """Refuse a node that has no RDMA device, before anything fails with words that do not say so."""
    return Step(
        "check the RDMA device",
        '[ -n "$(ls /sys/class/infiniband 2>/dev/null)" ]',
        "echo 'refused: this node has no RDMA device (/sys/class/infiniband), which NFS over RDMA needs'\nexit 1",
        reason="InfiniBand, RoCE or iWARP; its driver has to be loaded",
    )


def rdma_steps() -> list[Step]:
    """Have a running nfsd listen for RDMA, beside TCP; nfs.conf says the same for every later start."""
    listener = f"rdma {RDMA_PORT}"
    return [
        rdma_device_step(),
        Step(
            f"open RDMA port {RDMA_PORT} of nfsd",
            f"grep -qx '{listener}' /proc/fs/nfsd/portlist",
            f"modprobe rpcrdma\necho '{listener}' >/proc/fs/nfsd/portlist",
            reason="clients ask this port for an RDMA connection",
            shows="sed 's/^/there: /' /proc/fs/nfsd/portlist",
        ),
    ]


def forget_read_ahead(study_id: str) -> Step:
    """How far a client read ahead before is noted beside how it has mounted."""
    return remove_file(f"{mount_note(study_id)}-readahead")
