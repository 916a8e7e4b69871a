"""The mounts of a client: each service by each version of NFS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seatrial.plan.plan import Step, command_step, remove_file
from seatrial.solutions.parts.steps import fstab_line, no_mount


@dataclass(frozen=True)
class Mounts:
    """The mounts of every client."""

    study_id: str
    sources: Mapping[str, str]
    """service -> address:path"""
    versions: Sequence[str]
    options: Sequence[str]

    @property
    def directories(self) -> dict[str, str]:
        """Name of each mount (version, or service and version) -> its mount point."""
        return {name: path for name, _, path, _ in self._mounts()}

    def _mounts(self) -> list[tuple[str, str, str, str]]:
        """(name, source, mount point, options) of each mount."""
        return [
            (
                version if len(self.sources) == 1 else f"{service}-{version}",
                source,
                f"/mnt/{self.study_id}/{service}-v{version}",
                ",".join([f"vers={version}", "proto=tcp", *self.options]),
            )
            for service, source in self.sources.items()
            for version in self.versions
        ]

    def steps(self) -> list[Step]:
        """Mount now and at every boot."""
        return [
            *(
                fstab_line(source, path, "nfs", f"{options},_netdev,nofail")
                for _, source, path, options in self._mounts()
            ),
            *self.mount_steps(),
        ]

    def mount_steps(self) -> list[Step]:
        """Mount everything that is not mounted."""
        return [
            command_step(
                f"mount {source} at {path} with {options}",
                f"grep -q '^{source} {path} nfs' /proc/mounts && read -r mounted"
                f" <{_mount_record(path)} && "
                f'[ "$mounted" = {options} ]',
                f"! grep -q ' {path} ' /proc/mounts || umount {path}\nmkdir -p {path}\n"
                f"mount -t nfs -o {options} {source} {path}\necho {options} >{_mount_record(path)}",
            )
            for _, source, path, options in self._mounts()
        ]

    def unmount_steps(self) -> list[Step]:
        """Unmount and drop caches."""
        return [
            command_step(
                f"unmount {path}",
                f"! grep -q ' {path} ' /proc/mounts",
                f"umount {path}\necho 3 >/proc/sys/vm/drop_caches",
            )
            for _, _, path, _ in self._mounts()
        ]

    def removal(self) -> list[Step]:
        """Unmount, and remove the mounts from fstab."""
        return [
            step
            for _, _, path, _ in self._mounts()
            for step in (*no_mount(path), remove_file(_mount_record(path)))
        ]


def _mount_record(path: str) -> str:
    """The file on a client with the options of a mount."""
    return f"/run/seatrial-{path.strip('/').replace('/', '-')}.mount"
