"""The folders of this user's running labs, and whether such a lab is alive."""

import contextlib
import json
import os
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from seatrial.basics.errors import RunError

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


def read_lab(folder: Path) -> dict[str, Any]:
    """The data of the lab in a folder, such as its supervisor's process; empty when incomplete."""
    try:
        return dict(json.loads((folder / "lab.json").read_text()))
    except (OSError, ValueError):
        return {"supervisor_pid": 0, "supervisor_start": "none"}


def pid_namespace() -> str:
    """The identifier of the pid namespace of this process."""
    return str(Path("/proc/self/ns/pid").readlink())


def _is_ours(lab: dict[str, Any]) -> bool:
    """Whether the lab is in this pid namespace; a container that shares /tmp has another."""
    return bool(lab.get("pid_namespace", pid_namespace()) == pid_namespace())


def require_ours(lab: dict[str, Any], name: str) -> None:
    """RunError when the lab is in another pid namespace."""
    if not _is_ours(lab):
        raise RunError(
            f"the lab {name} is up in another pid namespace, such as a container's",
            "use it from there",
        )


def alive(lab: dict[str, Any], folder: Path) -> bool:
    """Whether the supervisor's process runs, or its socket answers from another pid namespace."""
    if _is_ours(lab):
        return bool(start_time(lab["supervisor_pid"]) == lab["supervisor_start"])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, contextlib.suppress(OSError):
        client.settimeout(CONNECT_TIMEOUT_S)
        client.connect(str(folder / "control"))
        return True
    return False


def wait_gone(lab: dict[str, Any], folder: Path, timeout_s: float) -> None:
    """Wait at most `timeout_s` seconds until the lab is not alive."""
    wait_for(lambda: not alive(lab, folder), timeout_s)
