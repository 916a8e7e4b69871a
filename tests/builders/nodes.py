"""Nodes that tests write: their files, devices and commands."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seatrial.solutions.look import TITLE
from seatrial.streams import Stream
from seatrial.transport import Completed, Local

SIZE = 8 * 2**20
STUBS = {"systemctl": "exit 3", "tgtadm": "exit 1", "findmnt": "exit 1", "lsblk": "exit 1"}


def laid(case: Mapping[str, Any], root: Path, names: Mapping[str, str]) -> None:
    """Create the files and devices that the case gives the node."""
    files = dict(case.get("files", {}))
    if case.get("mine"):
        files["var/lib/seatrial/made/pair/mark"] = ""
    for name in ("proc/mounts", "proc/swaps", "proc/self/mountinfo"):
        files.setdefault(name, "")
    if "DISK" in names:
        files.setdefault("sys/class/block/NAME/size", f"{SIZE // 512}\n")
        files.setdefault("sys/class/block/NAME/dev", "7:77\n")
    for name, text in files.items():
        path = root / filled(name, names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(filled(text, names))
    for name, target in case.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    for name, mode in case.get("modes", {}).items():
        (root / name).chmod(int(mode, 8) if isinstance(mode, str) else mode)
    for name, script in {**STUBS, **case.get("commands", {})}.items():
        path = root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{filled(script, names)}\n")
        path.chmod(0o755)


def filled(text: str, names: Mapping[str, str]) -> str:
    """With the names of this run's devices."""
    for word in sorted(names, key=len, reverse=True):
        text = text.replace(word, names[word])
    return text


class Recording(Local):
    """Nodes that partly refuse; which node got which stage."""

    def __init__(self, refusing: str) -> None:
        self.refusing = refusing
        self.got: list[tuple[str, str]] = []

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """Report every step as done, except on the node that refuses; there are no kernel
        messages.
        """
        script = stdin.decode()
        if not script:
            return Completed(node, 0, "", "")
        self.got.append(
            (node, next(line for line in script.splitlines() if line.startswith("# stage")))
        )
        if node == self.refusing and TITLE in script:
            return Completed(node, 1, "failed 1 1.0\n", "refused: something")
        count = sum(
            line.startswith("    step ") for line in script.split("\nmain() {")[1].splitlines()
        )
        return Completed(
            node, 0, "".join(f"ok {number} 1.0\n" for number in range(1, count + 1)) + "done\n", ""
        )

    def stream(self, node: str, command: str) -> Stream:
        raise NotImplementedError
