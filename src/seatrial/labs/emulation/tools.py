"""The programs that create the lab's image and kernel: their presence and their errors."""

import os
import shutil
import subprocess
from pathlib import Path

from seatrial.basics.errors import RunError

HOST_PACKAGES = Path(__file__).parent / "host_packages.txt"


def missing_packages() -> list[str]:
    """The missing Debian packages of this machine that a lab needs."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

    def is_installed(what: str) -> bool:
        return (
            Path(what).exists()
            if what.startswith("/")
            else shutil.which(what, path=path) is not None
        )

    lines = [
        line.split() for line in HOST_PACKAGES.read_text().splitlines() if not line.startswith("#")
    ]
    return [package for package, *needed in lines if not all(map(is_installed, needed))]


def require_tools() -> None:
    """RunError when a program is missing."""
    missing = missing_packages()
    if missing:
        raise RunError(
            f"missing Debian packages: {' '.join(missing)}", f"apt-get install {' '.join(missing)}"
        )


def run(command: list[str], read: Path | None = None) -> None:
    """Run a command with `read` as its input; RunError with its last lines when it fails."""
    environment = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    with (read or Path(os.devnull)).open("rb") as file:
        done = subprocess.run(
            command, stdin=file, capture_output=True, text=True, env=environment, check=False
        )
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise RunError(
            f"making the lab's image or kernel: {command[0]} ended with {done.returncode}:\n{last}"
        )
