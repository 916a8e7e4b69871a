"""Nodes that are namespaces of this machine: real files and real mounts, in which a whole plan is
carried out.

Each has its own mounts over the places that a plan writes to; nothing of this machine is changed.
"""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from seatrial.transport import Local

PLACES = ("etc", "var/lib/seatrial", "mnt", "srv", "run", "usr/local/sbin")
KEPT_OF_ETC = (
    "passwd",
    "group",
    "nsswitch.conf",
    "ld.so.cache",
    "alternatives",
    "hosts",
    "login.defs",
)


class Sandbox(Local):
    """The transport to nodes that live in namespaces."""

    def __init__(self, folder: Path, commands: dict[str, str]) -> None:
        self.folder = folder
        self.commands = commands
        self.holders: dict[str, subprocess.Popen[bytes]] = {}

    def add(self, node: str) -> None:
        """Make a node: its folders, its namespace, and the commands that stand for those of a
        server.
        """
        root = self.folder / node
        (root / "bin").mkdir(parents=True)
        for name, script in self.commands.items():
            (root / "bin" / name).write_text(f"#!/bin/sh\nroot={root}\n{script}\n")
            (root / "bin" / name).chmod(0o755)
        for place in PLACES:
            (root / place).mkdir(parents=True)
        for name in KEPT_OF_ETC:
            if (Path("/etc") / name).exists():
                subprocess.run(["cp", "-a", f"/etc/{name}", root / "etc"], check=True)
        (root / "etc" / "fstab").write_text("# the node's own\n/dev/sda1 / ext4 defaults 0 1\n")
        (root / "etc" / "units.state").touch()
        binds = "; ".join(
            f"mkdir -p /{place} && mount --bind {root / place} /{place}" for place in PLACES
        )
        self.holders[node] = subprocess.Popen(
            [
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                f"set -e; {binds}; echo up; exec sleep 600",
            ],
            stdout=subprocess.PIPE,
        )
        reported = self.holders[node].stdout
        assert reported is not None
        assert reported.readline() == b"up\n"

    def _argv(self, node: str, command: str) -> list[str]:
        inside = f"PATH={self.folder / node / 'bin'}:$PATH; {command}"
        return ["nsenter", "-t", str(self.holders[node].pid), "-m", "sh", "-c", inside]

    def inside(self, node: str, command: str) -> str:
        """The output of a command on a node; it must succeed."""
        done = self.run(node, command)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    def state(self) -> dict[str, str]:
        """Every file of every node with its content and mode, and the mounts at /mnt and /srv."""
        found = {}
        for node in self.holders:
            root = self.folder / node
            for path in sorted(root.rglob("*")):
                if path.is_symlink() or not path.is_file() or path.is_relative_to(root / "bin"):
                    continue
                if path.suffix != ".log":
                    found[str(path.relative_to(self.folder))] = (
                        f"{path.stat().st_mode:o} {path.read_bytes()!r}"
                    )
            found[f"{node} mounts"] = self.inside(
                node, "grep -E ' /(mnt|srv)/[^/ ]* ' /proc/mounts || true"
            )
        return found


@contextlib.contextmanager
def sandbox(folder: Path, nodes: tuple[str, ...], commands: dict[str, str]) -> Iterator[Sandbox]:
    """These nodes; gone at the end, with all their mounts."""
    found = Sandbox(folder, commands)
    try:
        for node in nodes:
            found.add(node)
        yield found
    finally:
        for holder in found.holders.values():
            holder.terminate()
            holder.communicate()


def possible() -> bool:
    """Whether this machine lets us: only root can mount."""
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    return done.returncode == 0
