"""A local file system of a server: created on an array or disk, mounted, known by its label."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import MountOptions, shortened
from seatrial.basics.units import format_size
from seatrial.plan.plan import Step, command_step
from seatrial.solutions.parts import volumes
from seatrial.solutions.parts.raid import Array
from seatrial.solutions.parts.steps import (
    fstab_line,
    is_mounted,
    note_mount,
    read_ahead,
    show_mount,
)
from seatrial.study.nodes import Disks

XFS_LEAST_BYTES = 300 * 2**20
"""mkfs.xfs of xfsprogs 5.19 and later refuses a smaller device"""
XFS_LEAST_STRIPED_BYTES = 512 * 2**20
"""with a stripe: a smaller device gets eight groups, too small for the minimum log of 64 MiB"""


def mistake_in_volume(
    kind: str, disks: Disks | None, array: Array | None, *, striped: bool = True
) -> str | None:
    """Why the node's disks, alone or as an array, are too small for this file system, or None."""
    if kind != "xfs" or disks is None or disks.size is None:
        return None
    size_bytes = disks.size * (array.data_disks if array else 1)
    least = XFS_LEAST_STRIPED_BYTES if array and striped else XFS_LEAST_BYTES
    # md's metadata takes some of an array.
    if size_bytes > least or (size_bytes == least and array is None):
        return None
    return (
        f"{format_size(size_bytes)} are too few for XFS: here it needs more than "
        f"{format_size(least)}; write larger disks or another file system"
    )


class FileSystem(Model):
    """`filesystem: {kind: ext4}`."""

    kind: Literal["ext3", "ext4", "xfs"] = Field(
        "ext4",
        description="The file system, created with the stripe geometry of the array.",
    )
    mount: MountOptions = Field(("noatime",), description="Mount options on the server.")


@dataclass(frozen=True)
class MountedFileSystem:
    """A file system on a device of a server, and its mount."""

    options: FileSystem
    study_id: str
    device: str
    array: Array | None
    path: str
    readahead: int | None
    """bytes of the device's read-ahead; None: the kernel's default"""

    @property
    def label(self) -> str:
        """The label, of at most 12 characters (a limit of XFS)."""
        return f"st-{shortened(self.study_id, 9)}"

    @property
    def mount_record(self) -> str:
        """The file on the server with the mount options."""
        return f"/run/seatrial-{self.study_id}.filesystem"

    def steps(self, wipe: frozenset[str]) -> list[Step]:
        """Create it when there is none, and mount it; devices in `wipe` may be erased."""
        kind = self.options.kind
        path = self.path
        options = ",".join(self.options.mount) or "defaults"
        record = self.mount_record
        labelled = f'[ "$(blkid -p -o value -s LABEL {self.device})" = {self.label} ]'
        are_known = volumes.call("volumes_are_known", self.study_id, self.device)
        erase = command_step(
            f"erase the signatures on {self.device}, as --wipe allows",
            f"must_be_blank {self.device} || {{ {labelled} && {are_known}; }}",
            f"wipefs --all {self.device}",
            functions=volumes.FUNCTIONS,
        )
        return [
            *([erase] if self.array is None and self.device in wipe else []),
            command_step(
                title=f"create the {kind} file system on {self.device}",
                check=f'{labelled} &&\n[ "$(blkid -p -o value -s TYPE {self.device})" = {kind} ]',
                apply=self._mkfs(),
                reason=self._geometry_reason(),
                destroys=(self.device,),
                labels=(self.label,),
            ),
            fstab_line(self.device, path, kind, f"{options},nofail"),
            command_step(
                f"mount the file system at {path} with {options}",
                f"grep -q ' {path} {kind} ' /proc/mounts &&\n{is_mounted(path, options, record)}",
                f"modprobe {kind} 2>/dev/null || true\nmkdir -p {path}\n"
                f"if grep -q ' {path} ' /proc/mounts; then\n"
                f"    mount -o remount,{options} {path}\n"
                # A remount may keep options that were set manually; then the check must fail.
                f"    if {{ read -r asked && read -r line; }} <{record} && "
                f'[ "$asked" = {options} ]; then\n'
                f"        echo 'mounted otherwise since it was deployed; unmount {path}, and deploy"
                " again'\n"
                f"        chmod 1777 {path}\n        exit 0\n    fi\n"
                f"else\n    mount {path}\nfi\n"
                f"chmod 1777 {path}\n{note_mount(path, options, record)}",
                shows=show_mount(path, record),
            ),
            read_ahead(
                self.device,
                f"/sys/class/bdi/$(mountpoint -d {path})/read_ahead_kb",
                self.readahead,
                f"{record}-readahead",
                "large sequential reads then use all disks at once",
            ),
        ]

    def _mkfs(self) -> str:
        kind = self.options.kind
        if kind == "xfs":
            geometry = (
                f" -d su={self.array.raid.chunk},sw={self.array.data_disks}" if self.array else ""
            )
            return f"modprobe xfs || true\nmkfs.xfs -q -L {self.label}{geometry} {self.device}"
        geometry = "lazy_itable_init=0,lazy_journal_init=0"
        if self.array:
            stride = self.array.raid.chunk // 4096
            geometry += f",stride={stride},stripe_width={stride * self.array.data_disks}"
        return f"mkfs.{kind} -q -b 4096 -L {self.label} -E {geometry} {self.device}"

    def _geometry_reason(self) -> str | None:
        if self.array is None:
            return None
        chunk = self.array.raid.chunk
        stripe = format_size(chunk * self.array.data_disks)
        lazy = "" if self.options.kind == "xfs" else "; all tables are written now, not during load"
        return f"the file system aligns allocation to the stripe ({stripe}){lazy}"
