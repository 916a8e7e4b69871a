"""The description of a running lab: the file by which other commands find its supervisor."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from seatrial.basics.errors import RunError

LAB_FILE = "lab.json"
"""in the folder of a lab"""


def pid_namespace() -> str:
    """The identifier of the pid namespace of this process."""
    return str(Path("/proc/self/ns/pid").readlink())


@dataclass(frozen=True, kw_only=True)
class RunningLab:
    """A running lab. The process ids are those outside its namespaces."""

    supervisor_pid: int
    supervisor_start: str | None
    """the kernel's start time of the process, which identifies it together with its pid"""
    pid_namespace: str
    lasting: bool
    """whether it stays up; otherwise it belongs to a running command"""
    name: str
    kernel: str
    image: str
    scale: float

    @property
    def is_ours(self) -> bool:
        """Whether the lab is in this pid namespace; a container that shares /tmp has another."""
        return self.pid_namespace == pid_namespace()

    def require_ours(self) -> None:
        """RunError when the lab is in another pid namespace."""
        if not self.is_ours:
            raise RunError(
                f"the lab {self.name} is up in another pid namespace, such as a container's",
                "use it from there",
            )


_FILE = TypeAdapter(RunningLab)


def write_lab(folder: Path, lab: RunningLab) -> None:
    """Write the description of the lab in a folder."""
    (folder / LAB_FILE).write_bytes(_FILE.dump_json(lab))


def read_lab(folder: Path) -> RunningLab | None:
    """The description of the lab in a folder; None when it is missing or incomplete."""
    try:
        return _FILE.validate_json((folder / LAB_FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def lab_of(folder: Path) -> RunningLab:
    """The description of the lab in a folder; RunError when the lab has ended meanwhile."""
    lab = read_lab(folder)
    if lab is None:
        raise RunError(f"the lab {folder.name} has ended")
    return lab
