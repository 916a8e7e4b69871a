"""The programs that make the lab's image and kernel: whether they are there, and what they say when they fail."""

import os
import shutil
import subprocess
from pathlib import Path

from seatrial.basics.errors import RunError

HOST_PACKAGES = Path(__file__).parent / "host_packages.txt"


def missing_packages() -> list[str]:
    """The Debian packages of this machine without which no lab runs."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

    def there(what: str) -> bool:
        return Path(what).exists() if what.startswith("/") else shutil.which(what, path=path) is not None

    lines = [line.split() for line in HOST_PACKAGES.read_text().splitlines() if not line.startswith("#")]
    return [package for package, *needed in lines if not all(map(there, needed))]


def require_tools() -> None:
    """RunError where one is missing."""
    missing = missing_packages()
    if missing:
        raise RunError(f"missing Debian packages: {' '.join(missing)}", f"apt-get install {' '.join(missing)}")


def run(command: list[str], read: Path | None = None) -> None:
    """Run it to its end, with the file to read; RunError with its last lines where it failed."""
    environment = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    with (read or Path(os.devnull)).open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise RunError(f"making the lab's image or kernel: {command[0]} ended with {done.returncode}:\n{last}")
