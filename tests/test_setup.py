"""scripts/setup.sh: it stops with a correction on a machine that cannot have a part, before it
installs anything.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.builders.places import ROOT

SCRIPT = ROOT / "scripts" / "setup.sh"
PACKAGES = Path("src/seatrial/labs/emulation/host_packages.txt")
TOOLS = ("sh", "cat", "dirname", "grep", "id", "mktemp", "rm", "sed")
UBUNTU = 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 24.04.1 LTS"\nID=ubuntu\nID_LIKE=debian\n'
FEDORA = 'NAME="Fedora Linux"\nPRETTY_NAME="Fedora Linux 42"\nID=fedora\n'
DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
OLD_RUST = "rustc 1.63.0"
NEW_RUST = "rustc 1.88.0 (6b00bc388 2025-06-23)"
NO_PYTHON = "Python 3.11 or later is missing"
"""the next part after Rust; no machine of these tests has it"""


class Machine:
    """A machine with a system, some programs, and a copy of the script."""

    def __init__(self, folder: Path, release: str) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.home = folder / "home"
        self.bin.mkdir()
        (folder / "os-release").write_text(release)
        (folder / "scripts").mkdir()
        copied = SCRIPT.read_text().replace("/etc/os-release", str(folder / "os-release"))
        (folder / "scripts" / "setup.sh").write_text(copied)
        (folder / PACKAGES).parent.mkdir(parents=True)
        (folder / PACKAGES).write_text("# packages\nmmdebstrap image\n")
        for name in TOOLS:
            found = shutil.which(name)
            assert found is not None
            (self.bin / name).symlink_to(found)
        self.add("dpkg-query", "echo install ok installed")
        self.add("cc", "exit 0")
        self.add("apt-get", "echo called >apt-get-called")

    def add(self, name: str, command: str, folder: Path | None = None) -> None:
        """Install a program that runs one command."""
        path = (folder or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{command}\n")
        path.chmod(0o755)

    def add_rust(self, version: str, folder: Path | None = None) -> None:
        """Install cargo and rustc of this version."""
        for name in ("cargo", "rustc"):
            self.add(name, f"echo '{version}'", folder)

    def stops_with(self, *arguments: str) -> str:
        """The last message of a set-up that ends with exit code 2."""
        environment = {"PATH": str(self.bin), "HOME": str(self.home)}
        done = subprocess.run(
            ["sh", "scripts/setup.sh", *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2, done.stderr
        return done.stderr.splitlines()[-1]


def machine(folder: Path, release: str, rust: Mapping[str, str] | None = None) -> Machine:
    """A machine of this system with these versions of Rust: `system` or `home` -> version."""
    made = Machine(folder, release)
    folders = {"system": made.bin, "home": made.home / ".cargo" / "bin"}
    for where, version in (rust or {}).items():
        made.add_rust(version, folders[where])
    return made


def test_a_derivative_of_debian_cannot_have_the_lab(tmp_path: Path) -> None:
    """Its packages differ, so nothing is installed."""
    ubuntu = machine(tmp_path, UBUNTU, {"system": NEW_RUST})
    message = ubuntu.stops_with()
    assert "the lab needs Debian 12, and this is Ubuntu 24.04.1 LTS" in message
    assert "make setup HOSTS=1" in message
    assert not (tmp_path / "apt-get-called").exists()


@pytest.mark.parametrize("release", [UBUNTU, DEBIAN])
def test_without_the_lab_a_derivative_is_sufficient(tmp_path: Path, release: str) -> None:
    """Set-up continues to the part after Rust."""
    assert NO_PYTHON in machine(tmp_path, release, {"system": NEW_RUST}).stops_with("--hosts")


def test_debian_can_have_the_lab(tmp_path: Path) -> None:
    """Set-up continues to the part after Rust."""
    assert NO_PYTHON in machine(tmp_path, DEBIAN, {"system": NEW_RUST}).stops_with()


@pytest.mark.parametrize("release", [UBUNTU, DEBIAN])
def test_an_old_rust_is_named_and_not_replaced(tmp_path: Path, release: str) -> None:
    """The packages of Debian would remove it."""
    message = machine(tmp_path, release, {"system": OLD_RUST}).stops_with("--hosts")
    assert f"{tmp_path}/bin/cargo has {OLD_RUST}" in message
    assert "rustup" in message
    assert not (tmp_path / "apt-get-called").exists()


def test_the_rust_of_rustup_is_found_without_its_path(tmp_path: Path) -> None:
    """An old Rust of the system may come first in PATH."""
    both = machine(tmp_path, DEBIAN, {"system": OLD_RUST, "home": NEW_RUST})
    assert NO_PYTHON in both.stops_with("--hosts")


def test_a_compiler_without_a_static_library_is_not_sufficient(tmp_path: Path) -> None:
    """The agent is linked statically, and cargo would fail later with an error of the linker."""
    without = machine(tmp_path, FEDORA, {"system": NEW_RUST})
    for name in ("apt-get", "dpkg-query"):
        (without.bin / name).unlink()
    without.add("cc", 'case " $* " in *" -static "*) exit 1 ;; esac')
    assert "glibc-static" in without.stops_with("--hosts")
    without.add("cc", "exit 0")
    assert NO_PYTHON in without.stops_with("--hosts")


def test_every_message_is_on_the_page() -> None:
    """docs/troubleshooting.md explains each message with which set-up stops."""
    text = re.sub(r'"\s*\\\s*"', " ", SCRIPT.read_text())
    stops = re.findall(r'\bstop "([^"]+)"', text)
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    _, _, section = page.partition("\n## Set-up\n")
    explained = re.findall(r"^\| `([^`]+)`", section.partition("\n## ")[0], re.MULTILINE)
    pieces = [
        piece.strip(" …")
        for message in explained
        for piece in re.split(r"…|\b[A-Z]{4,}\b", message)
    ]
    for message in stops:
        assert any(piece and piece in message for piece in pieces), message
