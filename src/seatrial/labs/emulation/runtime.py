"""Where labs of this user live while they are up."""

import contextlib
import os
import stat
from pathlib import Path

from seatrial.basics.errors import RunError


def runtime_folder() -> Path:
    """Where labs of this user live while they are up; short, because a socket's path may have 108 bytes."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(base) / "seatrial" if base and Path(base).is_dir() else Path(f"/tmp/seatrial-{os.geteuid()}")
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()  # of a link itself: /tmp is everybody's, and what is found here is swept
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise RunError(f"{folder} is not a folder of yours alone", "set XDG_RUNTIME_DIR to a folder of your own")
    return folder
