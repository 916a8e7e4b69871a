"""The clients of a Ceph file system: the kernel's client, and ceph-fuse on storage servers.

A kernel client on the same node as an OSD can deadlock: to free memory it writes back to its own
node's OSD, which then needs memory. ceph-fuse is an ordinary process, and Ceph recommends it here.
"""

from dataclasses import dataclass

from seatrial.plan.plan import Step, command_step, remove_file
from seatrial.solutions.parts import ceph_daemons
from seatrial.solutions.parts.ceph_cluster import Cluster
from seatrial.solutions.parts.steps import (
    fstab_line,
    is_mounted,
    mount_note,
    mount_steps,
    no_mount,
    note_mount,
    show_mount,
    unmount,
)

FUSE_MEMORY_SHARE = 16
"""ceph-fuse caches 1/16 of a small server's memory; its default is 200 MiB"""


@dataclass(frozen=True)
class Clients:
    """The mounts of clients of both kinds: the same file system at the same path."""

    cluster: Cluster
    path: str
    own: str
    """common prefix of the keys' paths"""

    @property
    def key(self) -> str:
        """The key file for mount.ceph."""
        return f"{self.own}.key"

    @property
    def keyring(self) -> str:
        """The keyring for ceph-fuse."""
        return f"{self.own}.keyring"

    @property
    def mount_record(self) -> str:
        """The file with the requested options and the kernel's line of the mount."""
        return mount_note(self.cluster.study_id)

    # ---- kernel client

    def kernel_steps(self) -> list[Step]:
        """Mount with the kernel's client over the monitors' messenger v2."""
        source = (
            ",".join(f"{self.cluster.addresses[name]}:3300" for name in self.cluster.monitors)
            + ":/"
        )
        path = self.path
        options = self.cluster.options
        mode = "secure" if options.messenger == "secure" else "prefer-crc"
        entries = (f"name={self.cluster.study_id}", f"secretfile={self.key}", f"ms_mode={mode}")
        joined = ",".join((*entries, *options.mount))
        recorded_text = f"{source} ceph {joined}"
        return mount_steps(
            source,
            path,
            "ceph",
            joined,
            self.mount_record,
            recorded_text=recorded_text,
            before="modprobe ceph",
        )

    def kernel_removal(self) -> tuple[Step, ...]:
        """Unmount, and remove the mount from fstab."""
        return (*no_mount(self.path), remove_file(self.mount_record), remove_file(self.key))

    # ---- ceph-fuse on a storage server

    @property
    def _fuse_options(self) -> str:
        """The mount options that ceph-fuse supports; its read-ahead is a setting of Ceph."""
        mount_options = [
            f"ceph.name=client.{self.cluster.study_id}",
            f"ceph.keyring={self.keyring}",
        ]
        memory = self.cluster.memory_bytes
        if memory is not None:
            mount_options.append(f"ceph.client_oc_size={memory // FUSE_MEMORY_SHARE}")
        for option in self.cluster.options.mount:
            name, _, value = option.partition("=")
            if name == "rasize":
                mount_options.append(f"ceph.client_readahead_max_bytes={value}")
            elif option in FUSE_TAKES:
                mount_options.append(option)
        return ",".join(mount_options)

    def fuse_steps(self, secret: str) -> list[Step]:
        """Store the clients' key for ceph-fuse and mount."""
        path = self.path
        joined = self._fuse_options
        recorded_text = f"none fuse.ceph {joined}"
        return [
            ceph_daemons.keyring_step(
                "store the client keyring, readable by root only",
                self.keyring,
                "root",
                secret,
                f"client.{self.cluster.study_id}",
            ),
            # A server also boots while the file system is unavailable.
            fstab_line("none", path, "fuse.ceph", f"{joined},_netdev,nofail"),
            command_step(
                f"mount the file system at {path} by ceph-fuse with {joined}",
                is_mounted(path, recorded_text, self.mount_record),
                f"{unmount(path)}\nmkdir -p {path}\nmodprobe fuse\n{self._fuse_mount()}\n"
                f"{note_mount(path, recorded_text, self.mount_record)}",
                reason="a kernel client next to an OSD can hang when memory is short",
                shows=show_mount(path, self.mount_record),
            ),
        ]

    def _fuse_mount(self) -> str:
        # The mount helper always exits with 0; the result of the mount shows whether it worked.
        return f"mount -t fuse.ceph -o {self._fuse_options} none {self.path}"

    def mounted_again(self) -> Step:
        """Mount again, because ceph-fuse drops its cache only at its end."""
        recorded_text = f"none fuse.ceph {self._fuse_options}"
        return command_step(
            "mount again to empty the cache of ceph-fuse",
            None,
            f"{unmount(self.path)}\n{self._fuse_mount()}\n"
            + note_mount(self.path, recorded_text, self.mount_record),
        )

    def no_fuse_step(self) -> Step:
        """Remove mount and key on a server that is no client (any more)."""
        path = self.path
        files = f"{self.keyring} {self.mount_record}"
        mounted = f"grep -q ' {path} fuse.ceph' /proc/mounts"
        listed = f"grep -q ' {path} fuse.ceph ' /etc/fstab"
        return command_step(
            f"unmount the Ceph client at {path}",
            f"! {mounted} && ! {listed} && for file in {files}; do [ ! -e $file ] || exit 1; done",
            f"while {mounted}; do umount {path}; done\nsed -i '\\# {path} fuse.ceph #d'"
            f" /etc/fstab\nrm -f {files}\n[ ! -d {path} ] || rmdir {path}",
        )


FUSE_TAKES = ("noatime", "nodiratime", "nodev", "noexec", "nosuid", "ro", "sync", "dirsync")
"""the kernel's generic mount options"""
