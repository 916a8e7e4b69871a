"""Adds to a wheel: the agent, the studies, the published facts, the manual pages."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

AGENT = Path("target/x86_64-unknown-linux-gnu/release/seatrial-agent")
MAN = "target/man"
TAG = "py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64"
"""the agent is static: it needs no C library of the system, and the controller is Python"""


class CustomBuildHook(BuildHookInterface):
    """Puts it in; an editable installation finds everything in the source tree."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by the builder before it collects files."""
        if version == "editable":
            return
        root = Path(self.root)
        manual = next((path for path in (root / MAN, root / "man") if path.is_dir()), None)
        include = build_data["force_include"]
        if self.target_name == "sdist":
            if manual:
                include[str(manual)] = "man"
            return
        build_data["pure_python"] = False
        build_data["tag"] = TAG
        include[str(self._agent(root))] = "seatrial/shipped/seatrial-agent"
        for name in ("studies", "published"):
            include[str(root / name)] = f"seatrial/shipped/{name}"
        for page in sorted(manual.glob("*.1")) if manual else ():
            build_data["shared_data"][str(page)] = f"share/man/man1/{page.name}"

    @staticmethod
    def _agent(root: Path) -> Path:
        """The agent as set-up has built it; built now where it is not there, as from an sdist."""
        path = root / AGENT
        if not path.is_file():
            if shutil.which("cargo") is None:
                raise SystemExit(
                    "the agent is not built and cargo is missing; install Rust 1.88 or later"
                    " (rustup.rs)"
                )
            command = [
                "cargo",
                "build",
                "--release",
                "--locked",
                "--target-dir",
                str(root / "target"),
            ]
            if subprocess.run(command, cwd=root, check=False).returncode:
                raise SystemExit("the agent could not be built; cargo said why above")
        return path
