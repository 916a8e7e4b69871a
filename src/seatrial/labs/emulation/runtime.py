"""Where labs of this user live while they are up, and whether they do."""

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
    return Path(base) / "seatrial" if base and Path(base).is_dir() else Path(f"/tmp/seatrial-{os.geteuid()}")


def _require_yours(folder: Path) -> None:
    found = folder.lstat()  # of a link itself: /tmp is everybody's, and what is found here is swept
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise RunError(f"{folder} is not a folder of yours alone", "set XDG_RUNTIME_DIR to a folder of your own")


def runtime_folder() -> Path:
    """Where labs of this user live while they are up; short, because a socket's path may have 108 bytes."""
    folder = _place()
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    _require_yours(folder)
    return folder


def is_of_a_lab(path: Path) -> bool:
    """Whether a file lies in the folder of a lab of this user; RunError where that folder may be somebody else's."""
    folder = _place()
    if not path.resolve().is_relative_to(folder.resolve()):
        return False
    _require_yours(folder)
    return True


def wait_for(condition: Callable[[], bool], timeout_s: float) -> None:
    """Until it holds, at most so long."""
    limit = time.monotonic() + timeout_s
    while not condition() and time.monotonic() < limit:
        time.sleep(0.02)


def start_time(pid: int) -> str | None:
    """The kernel's start time of a process: with it a pid means one process, also after the number is reused."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if stat[0] == "Z" else stat[19]


def read_lab(folder: Path) -> dict[str, Any]:
    """What is known of the lab in a folder: its supervisor's process among it; of one that does not say it, none."""
    try:
        return dict(json.loads((folder / "lab.json").read_text()))
    except (OSError, ValueError):
        return {"supervisor_pid": 0, "supervisor_start": "none"}


def pid_namespace() -> str:
    """In which of them our process ids are."""
    return str(Path("/proc/self/ns/pid").readlink())


def _is_ours(lab: dict[str, Any]) -> bool:
    """Whether its process ids are those that we see: a container with our /tmp has others."""
    return bool(lab.get("pid_namespace", pid_namespace()) == pid_namespace())


def require_ours(lab: dict[str, Any], name: str) -> None:
    """RunError where its process ids mean nothing here."""
    if not _is_ours(lab):
        raise RunError(f"the lab {name} is up in another pid namespace, such as a container's", "use it from there")


def alive(lab: dict[str, Any], folder: Path) -> bool:
    """By its supervisor's process; where its number means nothing here, by the socket, which nobody else answers."""
    if _is_ours(lab):
        return bool(start_time(lab["supervisor_pid"]) == lab["supervisor_start"])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client, contextlib.suppress(OSError):
        client.settimeout(CONNECT_TIMEOUT_S)
        client.connect(str(folder / "control"))
        return True
    return False


def wait_gone(lab: dict[str, Any], folder: Path, timeout_s: float) -> None:
    """Until it is not alive, at most so long."""
    wait_for(lambda: not alive(lab, folder), timeout_s)
