"""An unprivileged account, and commands that run as it, also where the interpreter is in root's own
home.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SEATRIAL = str(Path(sys.prefix) / "bin" / "seatrial")
NEEDED = ("useradd", "userdel", "setpriv", "unshare", "mount")
ENTER = """\
set -e
if [ -n "$BLOCKED" ]; then
    hold=$(mktemp -d)
    mount --bind "$PREFIX" "$hold"
    mount -t tmpfs -o mode=755 none "$BLOCKED"
    mkdir -p "$PREFIX"
    mount --bind "$hold" "$PREFIX"
    umount "$hold"
    rmdir "$hold"
fi
eval "$PREPARE"
exec setpriv --reuid "$ACCOUNT" --regid "$ACCOUNT" --clear-groups --reset-env env "$@"
"""
"""sh, as root in a mount namespace: let every user reach the interpreter, prepare, and become the
user
"""


def blocked() -> str:
    """The folder above the interpreter that only root can pass; empty without such a folder."""
    for folder in reversed(Path(sys.base_prefix).parents):
        if not folder.stat().st_mode & 0o001:
            return str(folder)
    return ""


def is_possible() -> bool:
    """Whether this process may make an account and a mount namespace."""
    if os.getuid() != 0 or not all(shutil.which(name) for name in NEEDED):
        return False
    return (
        subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
    )


@dataclass(frozen=True)
class Account:
    """An unprivileged user of this machine, with a separate folder that every user can read."""

    name: str
    folder: Path

    @property
    def storage(self) -> Path:
        """The directory that is measured."""
        return self.folder / "storage"

    def argv(self, words: Sequence[str], *, variables: Sequence[str] = ()) -> list[str]:
        """The command line that runs `words` as this user; `variables` are NAME=VALUE."""
        return ["unshare", "-m", "sh", "-c", ENTER, "sh", *variables, *words]

    def environment(self, prepare: str = "") -> dict[str, str]:
        """The environment of `argv`; `prepare` is sh that root runs in the mount namespace."""
        return {
            **os.environ,
            "BLOCKED": blocked(),
            "PREFIX": sys.base_prefix,
            "PREPARE": prepare,
            "ACCOUNT": self.name,
        }

    def controller(self) -> int:
        """The process of this user that runs Seatrial.

        `ps` is no source for it: it cuts long command lines where COLUMNS is set.
        """
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                is_users = folder.owner() == self.name
            except (OSError, KeyError):
                continue
            if is_users and SEATRIAL.encode() in words and b"python" in words[0]:
                return int(folder.name)
        raise AssertionError(f"{self.name} runs no Seatrial")

    def run(
        self, *words: str, variables: Sequence[str] = (), prepare: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run `seatrial WORDS` as this user, in its folder."""
        return subprocess.run(
            self.argv((SEATRIAL, *words), variables=variables),
            env=self.environment(prepare),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )


@contextmanager
def account() -> Iterator[Account]:
    """Make an account; remove it, its folder and its files in /tmp afterwards."""
    name = f"st{os.getpid()}"
    folder = Path(tempfile.mkdtemp(prefix="seatrial-user-", dir="/dev/shm"))
    subprocess.run(["useradd", "--no-create-home", "--home-dir", str(folder), name], check=True)
    try:
        folder.chmod(0o755)
        shutil.chown(folder, name, name)
        (folder / "storage").mkdir()
        shutil.chown(folder / "storage", name, name)
        yield Account(name, folder)
    finally:
        subprocess.run(["userdel", name], capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(f"/tmp/seatrial-{name}", ignore_errors=True)
