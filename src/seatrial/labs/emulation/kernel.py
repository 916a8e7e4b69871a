"""The kernel of the lab's nodes: User-Mode Linux, preferably newer than this machine's release."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.basics.settings import settings
from seatrial.labs.emulation.apt_sources import codename, debian_sources, of_suite
from seatrial.labs.emulation.tools import run

SUITE = "forky"
"""Debian 14: its kernels handle guests' system calls by seccomp, at half the cost of ptrace"""
CHOICE = "SEATRIAL_LAB_KERNEL"
"""the variable; `installed`: the kernel of this machine's package `user-mode-linux` in any case"""
RETRY_S = 86400.0


@dataclass(frozen=True)
class Kernel:
    """A kernel that runs as a process, and its modules."""

    program: Path
    modules: Path


INSTALLED = Kernel(Path("/usr/bin/linux.uml"), Path("/usr/lib/uml/modules"))


def cache_folder() -> Path:
    """The folder of images and kernels: $XDG_CACHE_HOME/seatrial."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "seatrial"


def fetched() -> Kernel:
    """The newer kernel, whether or not it was fetched."""
    folder = cache_folder() / f"kernel-{SUITE}"
    return Kernel(folder / "linux.uml", folder / "modules")


def _asks_for_installed() -> bool:
    return settings().lab_kernel == "installed"


def kernel() -> Kernel:
    """The kernel that nodes boot: the newer one if it was fetched, else the installed one."""
    newer = fetched()
    return newer if newer.program.is_file() and not _asks_for_installed() else INSTALLED


def kernel_text() -> str:
    """The name of the kernel, and why it is not the newer one."""
    if kernel() == fetched():
        return f"Debian's {SUITE}, fetched"
    if not nothing_to_fetch():
        return f"Debian's {SUITE}, not fetched yet"
    if _asks_for_installed():
        return f"the installed one, as {CHOICE} or the settings ask for"
    return (
        f"the installed one, as that of Debian's {SUITE} could not be had:"
        f" {_last_line(_failed(fetched()).read_text())}"
    )


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


def nothing_to_fetch() -> bool:
    """Whether the newer kernel exists, is not wanted, or could not be fetched today."""
    newer = fetched()
    failed = _failed(newer)
    return (
        _asks_for_installed()
        or newer.program.is_file()
        or (failed.exists() and time.time() - failed.stat().st_mtime < RETRY_S)
    )


def _failed(newer: Kernel) -> Path:
    return newer.program.parent.with_suffix(".failed")


def fetch_kernel(say: Callable[[str], None]) -> None:
    """Fetch the newer kernel; after a failure the installed one is used for a day.

    The caller holds the lock of the cache.
    """
    newer = fetched()
    say(f"fetching the lab's kernel from Debian's {SUITE} (once)")
    try:
        _fetch(newer)
    except (RunError, OSError) as error:
        _failed(newer).write_text(f"{error}\n")
        reason = _last_line(str(error))
        say(f"it is not available; the installed one needs more processor time: {reason}")
        return
    _failed(newer).unlink(missing_ok=True)


def _fetch(newer: Kernel) -> None:
    with tempfile.TemporaryDirectory(prefix="kernel.", dir=cache_folder()) as name:
        work = Path(name)
        sources = work / "apt.list"
        archive = work / "tree.tar"
        tree = work / "tree"
        sources.write_text(
            of_suite(debian_sources(Path("/etc/apt"), codename()), codename(), SUITE)
        )
        mode = "root" if os.geteuid() == 0 else "unshare"
        options = [f"--mode={mode}", "--variant=extract", "--include=user-mode-linux"]
        run(["mmdebstrap", *options, SUITE, str(archive), str(sources)])
        tree.mkdir()
        run(
            [
                "tar",
                "-x",
                "--no-same-owner",
                "--exclude=./dev/*",
                "-f",
                str(archive),
                "-C",
                str(tree),
            ]
        )
        _take(tree, newer)


def _take(tree: Path, newer: Kernel) -> None:
    """Extract the kernel and its C library from the packages; its final name comes last."""
    folder = newer.program.parent
    shutil.rmtree(folder, ignore_errors=True)
    libraries = folder / "lib"
    libraries.mkdir(parents=True)
    loader = "ld-linux-x86-64.so.2"
    for library in ("libc.so.6", loader):
        shutil.copy(tree / "usr/lib/x86_64-linux-gnu" / library, libraries / library)
    shutil.copytree(tree / "usr/lib/uml/modules", newer.modules, symlinks=True)
    program = folder / "linux.uml.new"
    shutil.copy(tree / "usr/bin/linux.uml", program)
    run(
        [
            "patchelf",
            "--set-interpreter",
            str(libraries / loader),
            "--set-rpath",
            str(libraries),
            str(program),
        ]
    )
    run([str(program), "--version"])
    program.rename(newer.program)
