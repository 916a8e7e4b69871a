"""The root file system of the lab's nodes: created by mmdebstrap, cached by a hash of its recipe.

An image with more packages starts from the tree of the common image, which halves the time.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.labs.emulation.apt_sources import codename, debian_sources
from seatrial.labs.emulation.kernel import (
    Kernel,
    cache_folder,
    fetch_kernel,
    kernel,
    nothing_to_fetch,
)
from seatrial.labs.emulation.tools import require_tools, run

FILES = Path(__file__).parent / "image_files"
UNUSED_S = 30 * 86400.0
"""seconds without use after which an image is deleted; each takes about a gigabyte"""


@dataclass(frozen=True)
class Image:
    """A cached image: the root file system, the nodes' keys, and the kernel of its modules."""

    folder: Path
    kernel: Kernel

    @property
    def root(self) -> Path:
        """The ext4 root file system; nodes use it copy-on-write."""
        return self.folder / "root.img"

    @property
    def tree(self) -> Path:
        """The Debian tree of the image, to which more packages can be added."""
        return self.folder / "tree.tar.zst"

    @property
    def preload(self) -> Path:
        """The library that the kernel's process preloads; see image_files/uml_preload.c."""
        return self.folder / "uml_preload.so"

    @property
    def client_key(self) -> Path:
        """The private key that logs in to every node as root."""
        return self.folder / "client"

    @property
    def host_key(self) -> str:
        """The public host key of every node, in the format of known_hosts."""
        return " ".join((self.folder / "host.pub").read_text().split()[:2])


def packages() -> list[str]:
    """The Debian packages of every image."""
    lines = (FILES / "packages.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def further_packages(requested: Iterable[str]) -> tuple[str, ...]:
    """The packages beyond those of every image, in an order independent of the request."""
    return tuple(sorted(set(requested) - set(packages())))


def recipe_hash(booted: Kernel, further: Sequence[str] = ()) -> str:
    """A hash of everything that determines an image: recipe, kernel, more packages."""
    digest = hashlib.sha256()
    for path in [*sorted(FILES.iterdir()), booted.program]:
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    if further:
        digest.update(" ".join(further).encode())
    return digest.hexdigest()[:16]


def image_folder(booted: Kernel, requested: Iterable[str] = ()) -> Path:
    """The folder of the image with the packages `requested`, whether or not it exists."""
    return cache_folder() / f"image-{recipe_hash(booted, further_packages(requested))}"


def image_is_there() -> bool:
    """Whether the common image exists; False when its kernel is missing."""
    booted = kernel()
    return booted.program.is_file() and (image_folder(booted) / "root.img").exists()


def ensure_image(say: Callable[[str], None], requested: Iterable[str] = ()) -> Image:
    """The cached image with the packages `requested`; it is created if missing (about a minute)."""
    require_tools()
    lock = cache_folder() / "image.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    if not nothing_to_fetch():
        with _lock(lock):
            if not nothing_to_fetch():
                fetch_kernel(say)
    booted = kernel()
    further = further_packages(requested)
    image = Image(image_folder(booted, further), booted)
    plain = Image(image_folder(booted), booted)
    for folder in (image.folder, plain.folder):
        with contextlib.suppress(OSError):  # missing, or in another user's cache
            os.utime(folder)
    if not image.root.exists():
        with _lock(lock):
            if not (plain.root.exists() and plain.tree.exists()):
                say("making the lab's image (once, about a minute)")
                _build(plain)
            if not image.root.exists():
                say(f"making the lab's image with {', '.join(further)} (once, about half a minute)")
                _build(image, further, plain.tree)
            _forget_unused(lock.parent)
    return image


def hold(folder: Path) -> None:
    """Lock an image while this process lives: a lab boots its nodes from it repeatedly."""
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_SH)


def is_held(folder: Path) -> bool:
    """Whether a process of any user or container has locked an image."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _forget_unused(cache: Path) -> None:
    """Delete unused images of earlier recipes, and remains of interrupted builds."""
    for folder in cache.glob("image[-.]*"):
        if (
            folder.is_dir()
            and time.time() - folder.stat().st_mtime > UNUSED_S
            and not is_held(folder)
        ):
            # Rename first: a partly deleted image must not count as complete.
            removed = Path(tempfile.mkdtemp(prefix="image.gone-", dir=cache))
            folder.rename(removed / folder.name)
            shutil.rmtree(removed, ignore_errors=True)


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Let one process at a time create an image; the lock ends with the process."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(made: Image, further: Sequence[str] = (), base_tree: Path | None = None) -> None:
    """Create an image, then name it; `further` packages are added to the tree `base_tree`."""
    folder = made.folder
    _spread(folder.parent)
    with tempfile.TemporaryDirectory(prefix="image.", dir=folder.parent) as name:
        work = Path(name)
        for key in ("client", "host"):
            run(
                [
                    "ssh-keygen",
                    "-q",
                    "-t",
                    "ed25519",
                    "-N",
                    "",
                    "-C",
                    f"seatrial-lab-{key}",
                    "-f",
                    str(work / key),
                ]
            )
        run(
            [
                "cc",
                "-shared",
                "-fPIC",
                "-O2",
                "-o",
                str(work / "uml_preload.so"),
                str(FILES / "uml_preload.c"),
            ]
        )
        rooted = os.geteuid() == 0
        if not rooted:
            require_subordinate_ids()
        being_made = Image(work, made.kernel)
        sources = work / "apt.list"
        sources.write_text(debian_sources(Path("/etc/apt"), codename()))
        options = [f"--mode={'root' if rooted else 'unshare'}", *_contents(further, base_tree)]
        run(["mmdebstrap", *options, codename(), str(being_made.tree), str(sources)], base_tree)
        sources.unlink()
        # Owners other than root need a namespace with the subordinate ids.
        enter = [] if rooted else ["unshare", "--map-root-user", "--map-auto", "--mount"]
        arguments = (being_made.tree, FILES, made.kernel.modules, work, being_made.root)
        run([*enter, "sh", str(FILES / "build.sh"), *map(str, arguments), *further])
        if base_tree is not None:  # the tree is used as it is
            being_made.tree.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(work, folder, copy_function=shutil.move)


def _spread(folder: Path) -> None:
    """Let ext4 place the subfolders of this folder far from each other (chattr(1), `T`).

    For a minute ext4 searches past each removed inode (`recently_deleted` in its ialloc.c). Next to
    a tree of 20,000 files that mmdebstrap had just removed, unpacking one took 13 s instead of 1.
    """
    with contextlib.suppress(RunError):
        run(["chattr", "+T", str(folder)])


def _contents(further: Sequence[str], base_tree: Path | None) -> list[str]:
    """The arguments of mmdebstrap for an image's tree: from nothing, or from `base_tree`."""
    without = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("man", "doc", "locale")]
    if base_tree is None:
        return [*without, "--variant=minbase", f"--include={','.join(packages())}"]
    # From standard input: the user inside the namespace cannot read this user's files.
    unpack = "zstd -dc | tar -x --numeric-owner -p --exclude='./dev/*' -C \"$1\""
    return [
        *without,
        "--variant=custom",
        f"--setup-hook={unpack}",
        f"--include={','.join(further)}",
    ]


def require_subordinate_ids() -> None:
    """RunError when an ordinary user lacks the subordinate ids to create an image."""
    user = os.environ.get("USER") or str(os.geteuid())
    names = {user, str(os.geteuid())}
    lines = Path("/etc/subuid").read_text().splitlines() if Path("/etc/subuid").exists() else []
    if not any(line.split(":")[0] in names for line in lines):
        raise RunError(
            f"{user} has no subordinate user ids, which an ordinary user needs to make the lab's"
            " image",
            "once, as root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535"
            f" {user}",
        )
