"""The images and the kernels of labs."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from seatrial.basics.errors import RunError
from seatrial.labs.emulation import image as lab_image
from seatrial.labs.emulation import kernel as lab_kernel
from seatrial.labs.emulation.apt_sources import debian_sources, of_suite
from seatrial.labs.emulation.image import further_packages, packages, recipe_hash

DEB822 = """\
# a comment
Types: deb deb-src
URIs: http://somewhere/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://third.party/apt
Suites: nodistro
Components: main
"""


def test_only_debians_own_sources_are_used(tmp_path: Path) -> None:
    """Of both profiles; a third party's are left out."""
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(
        "deb [arch=amd64] http://a/debian bookworm main\n# deb http://b bookworm main\n"
    )
    (tmp_path / "sources.list.d" / "debian.sources").write_text(DEB822)
    (tmp_path / "sources.list.d" / "cloud.list").write_text(
        "deb https://c/apt cloud-sdk-bookworm main\n"
    )
    signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
    assert debian_sources(tmp_path, "bookworm").splitlines() == [
        f"deb {signed} http://somewhere/debian bookworm main",
        f"deb {signed} http://somewhere/debian bookworm-updates main",
        "deb [arch=amd64] http://a/debian bookworm main",
    ]


def test_no_source_is_an_error(tmp_path: Path) -> None:
    """And not an empty image."""
    (tmp_path / "sources.list.d").mkdir()
    with pytest.raises(RunError, match="no apt source of bookworm"):
        debian_sources(tmp_path, "bookworm")


def test_the_packages_are_named() -> None:
    """Comments are no packages."""
    assert "nfs-kernel-server" in packages()
    assert not [name for name in packages() if " " in name or name.startswith("#")]


def test_an_image_with_further_packages_is_another_one() -> None:
    """The same request gives the same image; a package that every image has is no further
    package.
    """
    further = further_packages(
        ["glusterfs-server", "xfsprogs", "attr", "glusterfs-client", "glusterfs-server"]
    )
    assert further == ("glusterfs-client", "glusterfs-server")
    assert further_packages(["xfsprogs"]) == ()
    booted = lab_kernel.kernel()
    assert (
        len({recipe_hash(booted), recipe_hash(booted, further), recipe_hash(booted, further[:1])})
        == 3
    )


def test_an_image_begins_with_the_first_ones_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is created if it does not exist, or if its tree was removed; each is created once."""
    made: list[tuple[str, ...]] = []

    def build(
        image: lab_image.Image, further: Sequence[str] = (), begun: Path | None = None
    ) -> None:
        assert (begun is None, further == ()) in ((True, True), (False, False))
        assert begun is None or begun.read_text() == "tree"
        image.folder.mkdir(exist_ok=True)
        image.root.write_text("root")
        if begun is None:
            image.tree.write_text("tree")
        made.append(tuple(further))

    monkeypatch.setattr(lab_image, "require_tools", lambda: None)
    monkeypatch.setattr(lab_image, "nothing_to_fetch", lambda: True)
    monkeypatch.setattr(lab_image, "_build", build)
    booted = lab_kernel.kernel()
    monkeypatch.setattr(lab_image, "kernel", lambda: booted)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for wanted in (["tfs"], ["tfs"], [], ["other"]):
        lab_image.ensure_image(print, wanted)
    assert made == [(), ("tfs",), ("other",)]
    lab_image.image_folder(booted).joinpath("tree.tar.zst").unlink()
    lab_image.ensure_image(print, ["third"])
    assert made[3:] == [(), ("third",)]


HOLDER = (
    "import sys, pathlib; from seatrial.labs.emulation.image import hold;"
    " hold(pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
)


def test_unused_images_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When another one is made; not an image that a lab has begun with, nor that of a lab
    that has run for longer.
    """
    long_ago_s = time.time() - lab_image.UNUSED_S - 1
    monkeypatch.setattr(lab_image, "require_tools", lambda: None)
    monkeypatch.setattr(lab_image, "nothing_to_fetch", lambda: True)
    monkeypatch.setattr(lab_image, "_build", lambda made, *_: made.folder.mkdir(exist_ok=True))
    booted = lab_kernel.kernel()
    monkeypatch.setattr(lab_image, "kernel", lambda: booted)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache = lab_kernel.cache_folder()
    used = lab_image.image_folder(booted)
    for folder in (
        cache / "image-old",
        cache / "image.killed",
        cache / "image-up",
        cache / "kernel-old",
        used,
    ):
        folder.mkdir(parents=True)
        os.utime(folder, (long_ago_s, long_ago_s))
    for name in ("root.img", "tree.tar.zst"):
        (used / name).touch()
    lab_image.ensure_image(print)
    assert (cache / "image-old").is_dir(), "nothing was made"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(cache / "image-up")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    os.utime(used, (long_ago_s, long_ago_s))
    lab_image.ensure_image(print, ["further"])  # it begins with the first image
    holder.communicate("", timeout=60)
    left = sorted(path.name for path in cache.iterdir() if path.is_dir())
    made = lab_image.image_folder(booted, ["further"]).name
    assert left == sorted(["image-up", "kernel-old", used.name, made])


def test_another_suite_of_the_same_mirrors() -> None:
    """The release alone, not its updates; with the existing options."""
    lines = (
        "deb [signed-by=/k.gpg] http://deb.example/debian bookworm main\ndeb http://a/s"
        " bookworm-security main\n"
    )
    found = of_suite(lines, "bookworm", "forky")
    assert (
        found
        == "deb [check-valid-until=no signed-by=/k.gpg] http://deb.example/debian forky main\n"
    )
    assert (
        of_suite("deb http://a/debian bookworm main contrib\n", "bookworm", "forky")
        == "deb [check-valid-until=no] http://a/debian forky main\n"
    )


def test_an_unavailable_kernel_is_reported_and_the_installed_one_boots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried once a day; a request for the installed kernel gets it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        lab_kernel, "debian_sources", lambda *_: "deb http://a/debian bookworm main\n"
    )
    (tmp_path / "seatrial").mkdir()
    printed: list[str] = []

    def nothing(_command: list[str]) -> None:
        raise RunError("mmdebstrap ended with 25:\nE: no such suite")

    monkeypatch.setattr(lab_kernel, "run", nothing)
    assert not lab_kernel.nothing_to_fetch()
    lab_kernel.fetch_kernel(printed.append)
    assert printed[1].endswith("E: no such suite")
    assert lab_kernel.kernel() == lab_kernel.INSTALLED
    assert lab_kernel.nothing_to_fetch()
    assert lab_kernel.kernel_text().endswith("could not be had: E: no such suite")
    failed = tmp_path / "seatrial" / f"kernel-{lab_kernel.SUITE}.failed"
    os.utime(failed, (0, 0))
    assert not lab_kernel.nothing_to_fetch()
    assert lab_kernel.kernel_text().endswith("not fetched yet")

    newer = lab_kernel.fetched()
    newer.program.parent.mkdir()
    newer.program.touch()
    assert lab_kernel.nothing_to_fetch()
    assert lab_kernel.kernel() == newer
    monkeypatch.setenv(lab_kernel.CHOICE, "installed")
    assert lab_kernel.kernel() == lab_kernel.INSTALLED


@pytest.mark.parametrize("runs", [True, False])
def test_a_fetched_kernel_that_does_not_run_here_is_not_booted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    """It is asked for its version before it gets its name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(
        lab_kernel, "debian_sources", lambda *_: "deb http://a/debian bookworm main\n"
    )
    (tmp_path / "seatrial").mkdir()

    def stand_in(command: list[str]) -> None:
        if command[0] == "tar":
            tree = Path(command[-1])
            for name in ("usr/bin/linux.uml", "usr/lib/uml/modules/7.2/a.ko"):
                (tree / name).parent.mkdir(parents=True)
                (tree / name).touch()
            for name in ("libc.so.6", "ld-linux-x86-64.so.2"):
                (tree / "usr/lib/x86_64-linux-gnu" / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / "usr/lib/x86_64-linux-gnu" / name).touch()
        if command[-1] == "--version" and not runs:
            raise RunError("GLIBC_2.99 not found")

    monkeypatch.setattr(lab_kernel, "run", stand_in)
    printed: list[str] = []
    lab_kernel.fetch_kernel(printed.append)
    assert lab_kernel.kernel() == (lab_kernel.fetched() if runs else lab_kernel.INSTALLED)
    assert (printed[-1].endswith("GLIBC_2.99 not found"), lab_kernel.nothing_to_fetch()) == (
        not runs,
        True,
    )
