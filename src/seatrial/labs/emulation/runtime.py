"""The folders of this user's running labs, and whether such a lab is alive."""

import contextlib
import os
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.labs.emulation.running_lab import RunningLab

CONNECT_TIMEOUT_S = 5.0


def _place() -> Path:
    base = os.environ.get("XDG_RUNTIME_DIR")
    return (
        Path(base) / "seatrial"
        if base and Path(base).is_dir()
        else Path(f"/tmp/seatrial-{os.geteuid()}")
    )


def _require_yours(folder: Path) -> None:
    # lstat, because /tmp is public, links may lead elsewhere, and files found here are removed.
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        problem = f"{folder} is not a private folder of yours"
        raise RunError(problem, "set XDG_RUNTIME_DIR to a private folder")


def runtime_folder() -> Path:
    """The folder of this user's running labs; short, as a socket's path has at most 108 bytes."""
    folder = _place()
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    _require_yours(folder)
    return folder


def is_of_a_lab(path: Path) -> bool:
    """Whether a file is in a lab's folder; RunError when that folder may be another user's."""
    folder = _place()
    if not path.resolve().is_relative_to(folder.resolve()):
        return False
    _require_yours(folder)
    return True


def wait_for(condition: Callable[[], bool], timeout_s: float) -> None:
    """Wait at most `timeout_s` seconds for a condition."""
    limit = time.monotonic() + timeout_s
    while not condition() and time.monotonic() < limit:
        time.sleep(0.02)


def start_time(pid: int) -> str | None:
    """The kernel's start time of a process; with its pid it identifies a process uniquely."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if stat[0] == "Z" else stat[19]


def alive(lab: RunningLab | None, folder: Path) -> bool:
    """Whether the supervisor's process runs, or its socket answers from another pid namespace.

    A lab without a description is not alive.
    """
    if lab is None:
        return False
    if lab.is_ours:
        return start_time(lab.supervisor_pid) == lab.supervisor_start
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, contextlib.suppress(OSError):
        client.settimeout(CONNECT_TIMEOUT_S)
        client.connect(str(folder / "control"))
        return True
    return False


def wait_gone(lab: RunningLab | None, folder: Path, timeout_s: float) -> None:
    """Wait at most `timeout_s` seconds until the lab is not alive."""
    wait_for(lambda: not alive(lab, folder), timeout_s)
