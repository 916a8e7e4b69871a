"""The root file system of the lab's nodes: made once by mmdebstrap, cached by the content of its recipe."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.errors import RunError

KERNEL = Path("/usr/bin/linux.uml")
MODULES = Path("/usr/lib/uml/modules")
FILES = Path(__file__).parent / "image_files"
HOST_PACKAGES = Path(__file__).parent / "host_packages.txt"


@dataclass(frozen=True)
class Image:
    """A cached image: the root file system and the keys that its nodes know."""

    folder: Path

    @property
    def root(self) -> Path:
        """The ext4 root file system; nodes use it copy-on-write."""
        return self.folder / "root.img"

    @property
    def preload(self) -> Path:
        """The library that the kernel's process needs; see image_files/uml_preload.c."""
        return self.folder / "uml_preload.so"

    @property
    def client_key(self) -> Path:
        """The private key that opens every node as root."""
        return self.folder / "client"

    @property
    def host_key(self) -> str:
        """The public host key of every node, as known_hosts wants it."""
        return " ".join((self.folder / "host.pub").read_text().split()[:2])


def cache_folder() -> Path:
    """Where images are kept: $XDG_CACHE_HOME/seatrial."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "seatrial"


def packages() -> list[str]:
    """The Debian packages of every image."""
    lines = (FILES / "packages.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def further_packages(wanted: Iterable[str]) -> tuple[str, ...]:
    """What an image needs beside the packages of every image, in an order that does not depend on who asked first."""
    return tuple(sorted(set(wanted) - set(packages())))


def recipe_hash(further: Sequence[str] = ()) -> str:
    """A hash of all that decides what an image holds: the recipe's files, the kernel's own bytes, further packages."""
    digest = hashlib.sha256()
    for path in [*sorted(FILES.iterdir()), KERNEL]:
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    if further:
        digest.update(" ".join(further).encode())
    return digest.hexdigest()[:16]


def image_folder(wanted: Iterable[str] = ()) -> Path:
    """Where the image of today's recipe is or will be, with the packages `wanted` too."""
    return cache_folder() / f"image-{recipe_hash(further_packages(wanted))}"


def image_is_there() -> bool:
    """Whether the image of most studies was made already; False where its kernel is missing."""
    return KERNEL.is_file() and (image_folder() / "root.img").exists()


def ensure_image(say: Callable[[str], None], wanted: Iterable[str] = ()) -> Image:
    """The cached image of today's recipe, with the packages `wanted` too; made when there is none (about a minute)."""
    _require_tools()
    further = further_packages(wanted)
    folder = image_folder(further)
    if not (folder / "root.img").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _lock(folder.parent / "image.lock"):
            if not (folder / "root.img").exists():
                more = f" with {', '.join(further)}" if further else ""
                say(f"making the lab's image{more} (once, about a minute)")
                _build(folder, further)
    return Image(folder)


def missing_packages() -> list[str]:
    """The Debian packages of this machine without which no lab runs."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"

    def there(what: str) -> bool:
        return Path(what).exists() if what.startswith("/") else shutil.which(what, path=path) is not None

    lines = [line.split() for line in HOST_PACKAGES.read_text().splitlines() if not line.startswith("#")]
    return [package for package, *needed in lines if not all(map(there, needed))]


def _require_tools() -> None:
    missing = missing_packages()
    if missing:
        raise RunError(f"missing Debian packages: {' '.join(missing)}", f"apt-get install {' '.join(missing)}")


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Let one process at a time make an image; the lock goes with the process."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(folder: Path, further: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="image.", dir=folder.parent) as name:
        work = Path(name)
        for key in ("client", "host"):
            _run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"seatrial-lab-{key}", "-f", str(work / key)])
        _run(["cc", "-shared", "-fPIC", "-O2", "-o", str(work / "uml_preload.so"), str(FILES / "uml_preload.c")])
        sources = work / "apt.list"
        sources.write_text(debian_sources(Path("/etc/apt"), codename()))
        tree = work / "tree.tar"
        rooted = os.geteuid() == 0
        if not rooted:
            require_subordinate_ids()
        _run(
            [
                "mmdebstrap",
                f"--mode={'root' if rooted else 'unshare'}",
                "--variant=minbase",
                f"--include={','.join([*packages(), *further])}",
                *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("man", "doc", "locale")),
                codename(),
                str(tree),
                str(sources),
            ]
        )
        # Owners other than root survive only where they are mapped: inside a namespace with the subordinate ids.
        enter = [] if rooted else ["unshare", "--map-root-user", "--map-auto", "--mount"]
        image = work / "root.img"
        build = ["sh", str(FILES / "build.sh"), str(tree), str(FILES), str(MODULES), str(work), str(image)]
        _run([*enter, *build, *further])
        tree.unlink()
        sources.unlink()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(work, folder, copy_function=shutil.move)


def codename() -> str:
    """The machine's release of Debian; RunError where there is none."""
    match = re.search(r"^VERSION_CODENAME=(\S+)", Path("/etc/os-release").read_text(), re.MULTILINE)
    if match is None:
        raise RunError("/etc/os-release names no release", "the lab's image is made from Debian 12's own sources")
    return match[1]


def require_subordinate_ids() -> None:
    """RunError where an ordinary user has no ids to make the image's files with."""
    user = os.environ.get("USER") or str(os.geteuid())
    names = {user, str(os.geteuid())}
    lines = Path("/etc/subuid").read_text().splitlines() if Path("/etc/subuid").exists() else []
    if not any(line.split(":")[0] in names for line in lines):
        raise RunError(
            f"{user} has no subordinate user ids, which an ordinary user needs to make the lab's image",
            f"once, as root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {user}",
        )


def debian_sources(apt: Path, codename: str) -> str:
    """The machine's own apt sources of the release `codename`, and no third party's.

    A source counts when its suite is the release, its updates or its security archive, and it offers `main`.
    """
    suites = {codename, f"{codename}-updates", f"{codename}-security"}
    lines: list[str] = []
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        if path.exists():
            lines += [line for line in path.read_text().splitlines() if _one_line_counts(line, suites)]
    stanzas: list[str] = []
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        body = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
        stanzas += [text for text in re.split(r"\n\s*\n", body) if _stanza_counts(text, suites)]
    if not lines and not stanzas:
        raise RunError(f"no apt source of {codename} found in /etc/apt", "add Debian's own sources for this release")
    return _as_one_line(stanzas, suites) + "".join(f"{line}\n" for line in lines)


def _one_line_counts(line: str, suites: set[str]) -> bool:
    words = re.sub(r"\[[^]]*\]", "", line).split()
    return len(words) >= 4 and words[0] == "deb" and words[2] in suites and "main" in words[3:]


def _fields(stanza: str) -> dict[str, str]:
    joined = re.sub(r"\n[ \t]+", " ", stanza)
    return {key.lower(): value.strip() for key, value in re.findall(r"^([A-Za-z-]+):(.*)$", joined, re.MULTILINE)}


def _stanza_counts(stanza: str, suites: set[str]) -> bool:
    fields = _fields(stanza)
    return (
        "deb" in fields.get("types", "").split()
        and bool(suites & set(fields.get("suites", "").split()))
        and "main" in fields.get("components", "").split()
        and fields.get("enabled", "yes").lower() not in {"no", "false"}
    )


def _as_one_line(stanzas: list[str], suites: set[str]) -> str:
    """Deb822 stanzas as one-line entries, so that one file can hold both forms."""
    lines = []
    for fields in map(_fields, stanzas):
        signed = fields.get("signed-by", "")
        options = f"[signed-by={signed}] " if signed.startswith("/") else ""
        lines += [
            f"deb {options}{uri} {suite} main\n"
            for uri in fields["uris"].split()
            for suite in fields["suites"].split()
            if suite in suites
        ]
    return "".join(lines)


def _run(command: list[str]) -> None:
    environment = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise RunError(f"making the lab's image: {command[0]} ended with {done.returncode}:\n{last}")
