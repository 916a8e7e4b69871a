"""The clients of a Ceph file system: the kernel's, and ceph-fuse where a storage server is a client, too.

A kernel client beside an OSD can hang for ever: to free memory it has to write back, to its own node's OSD, which then
needs memory. ceph-fuse is a process as the OSD is, and Ceph's own way for such nodes.
"""

from dataclasses import dataclass

from seatrial.plan.plan import Step, remove_file
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
"""of a small server's memory, ceph-fuse keeps one such part of what it has read and written; by itself 200 MiB"""


@dataclass(frozen=True)
class Clients:
    """How clients mount: the same name space at the same path, whichever kind they are."""

    cluster: Cluster
    path: str
    own: str
    """the beginning of the paths of keys"""

    @property
    def key(self) -> str:
        """What mount.ceph reads."""
        return f"{self.own}.key"

    @property
    def keyring(self) -> str:
        """What ceph-fuse reads."""
        return f"{self.own}.keyring"

    @property
    def noted(self) -> str:
        """What was asked for, and what the kernel said then."""
        return mount_note(self.cluster.study_id)

    # ---- the kernel's

    def kernel_steps(self) -> list[Step]:
        """Mount by the kernel, from the monitors' second messenger."""
        source = ",".join(f"{self.cluster.addresses[name]}:3300" for name in self.cluster.monitors) + ":/"
        path, options = self.path, self.cluster.options
        mode = "secure" if options.messenger == "secure" else "prefer-crc"
        words = ",".join((f"name={self.cluster.study_id}", f"secretfile={self.key}", f"ms_mode={mode}", *options.mount))
        asked, command = f"{source} ceph {words}", f"modprobe ceph\nmount -t ceph -o {words} {source} {path}"
        return mount_steps(source, path, "ceph", words, self.noted, asked=asked, command=command)

    def kernel_removal(self) -> tuple[Step, ...]:
        """Unmount, and forget how."""
        return (*no_mount(self.path), remove_file(self.noted), remove_file(self.key))

    # ---- ceph-fuse, on a storage server

    @property
    def _fuse_options(self) -> str:
        """The kernel's options, as far as ceph-fuse has them: how far it reads ahead is a setting of Ceph's there."""
        words = [f"ceph.name=client.{self.cluster.study_id}", f"ceph.keyring={self.keyring}"]
        memory = self.cluster.memory_bytes
        if memory is not None:
            words.append(f"ceph.client_oc_size={memory // FUSE_MEMORY_SHARE}")
        for option in self.cluster.options.mount:
            name, _, value = option.partition("=")
            if name == "rasize":
                words.append(f"ceph.client_readahead_max_bytes={value}")
            elif option in FUSE_TAKES:
                words.append(option)
        return ",".join(words)

    def fuse_steps(self, secret: str) -> list[Step]:
        """Keep the clients' key where ceph-fuse finds it, and mount."""
        path, words = self.path, self._fuse_options
        asked = f"none fuse.ceph {words}"
        return [
            ceph_daemons.keyring_step(
                "store the client keyring, readable by root only",
                self.keyring,
                "root",
                secret,
                f"client.{self.cluster.study_id}",
            ),
            # A server boots also where nobody serves the file system yet.
            fstab_line("none", path, "fuse.ceph", f"{words},_netdev,nofail"),
            Step(
                f"mount the file system at {path} by ceph-fuse with {words}",
                is_mounted(path, asked, self.noted),
                f"{unmount(path)}\nmkdir -p {path}\nmodprobe fuse\n{self._fuse_mount()}\n"
                f"{note_mount(path, asked, self.noted)}",
                reason="a kernel client beside an OSD can hang for ever when memory is short; a process does not",
                shows=show_mount(path, self.noted),
            ),
        ]

    def _fuse_mount(self) -> str:
        # Its helper ends with 0 whatever happens: that the mount is there, its note tells.
        return f"mount -t fuse.ceph -o {self._fuse_options} none {self.path}"

    def mounted_again(self) -> Step:
        """What ceph-fuse has cached goes with it: nothing else makes it forget."""
        asked = f"none fuse.ceph {self._fuse_options}"
        return Step(
            "mount again to empty the cache of ceph-fuse",
            None,
            f"{unmount(self.path)}\n{self._fuse_mount()}\n{note_mount(self.path, asked, self.noted)}",
        )

    def no_fuse_step(self) -> Step:
        """A server on which ceph-fuse is not asked for (any more) has no mount of it, nor a key for one."""
        path, files = self.path, f"{self.keyring} {self.noted}"
        mounted, listed = f"grep -q ' {path} fuse.ceph' /proc/mounts", f"grep -q ' {path} fuse.ceph ' /etc/fstab"
        return Step(
            f"unmount the Ceph client at {path}",
            f"! {mounted} && ! {listed} && for file in {files}; do [ ! -e $file ] || exit 1; done",
            f"while {mounted}; do umount {path}; done\nsed -i '\\# {path} fuse.ceph #d' /etc/fstab\nrm -f {files}\n"
            f"[ ! -d {path} ] || rmdir {path}",
        )


FUSE_TAKES = ("noatime", "nodiratime", "nodev", "noexec", "nosuid", "ro", "sync", "dirsync")
"""the kernel's mount options that are those of any file system"""
