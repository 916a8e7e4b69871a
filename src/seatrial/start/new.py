"""Write a commented first study for a kind of solution.

A study for the lab runs without changes. A study for hosts needs their names first. Existing
storage (`mount`) is a directory of this machine, unless the operator names nodes or asks for hosts.
A study of this machine or of named nodes runs without changes, too.
"""

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import TypeAdapter, ValidationError

from seatrial.basics.errors import InputError, file_error
from seatrial.basics.node_sets import expand, fold
from seatrial.basics.printable import command
from seatrial.basics.shipped import shipped
from seatrial.basics.text import Directory, FileSystemType
from seatrial.basics.yamlstyle import styled
from seatrial.solutions.starter import starters

TEMPLATES = Path(__file__).parent / "templates"


Where = Literal["lab", "hosts", "here"]
"""the nodes of a study: a lab's, real ones with names to come, or this machine alone"""
STORAGE = "storage"
"""a folder next to the study, which is measured when no directory is given"""
ELSEWHERE = "/scratch"
TRIED = "created and removed an empty file in the directory, to test for O_DIRECT"
EXAMPLE_NODES = "node[01-16]"
EXAMPLE_COUNT = 16
SLURM_NODES = "SLURM_JOB_NODELIST"
"""the node set of an allocation (sbatch(1), output environment variables)"""


@dataclass(frozen=True)
class Storage:
    """What a study of `mount` measures."""

    directory: str
    filesystem: str | None = None
    """the type of its file system; None when this machine does not know it"""
    direct: bool = True
    """whether that reads and writes past the page cache (O_DIRECT)"""


def write_study(
    kind: str,
    folder: Path,
    *,
    hosts: bool | None = None,
    directory: Path | None = None,
    nodes: str | None = None,
    launcher: str | None = None,
) -> Where:
    """Make the folder with its study.yaml; InputError for an unknown kind or an existing study.

    `hosts` None means this machine for `mount`, and the lab for every other kind. `directory` is
    the directory that `mount` measures, on `nodes` (a node set) where that is given. `launcher`
    starts the agents there; None means ssh.
    """
    starter_of_kind = starters().get(kind)
    starter = starter_of_kind.starter if starter_of_kind is not None else None
    measures_existing = starter is not None and starter.measures_existing
    where = _where(hosts, nodes, measures_existing=measures_existing)
    names = _node_names(nodes) if nodes is not None else ()
    if names and not measures_existing:
        raise InputError(
            "--nodes and --slurm are for mount",
            f"write the nodes of {kind} into its study, with --hosts",
        )
    target = folder / "study.yaml"
    name = identity(folder)
    if starter is not None and directory is not None and not measures_existing:
        raise InputError(f"{kind} builds its storage; mount measures an existing directory")
    if target.exists():
        raise InputError(
            f"{target} exists; nothing was written",
            command("new", kind, "ANOTHER-FOLDER", *(["--hosts"] if hosts else [])),
        )
    storage = None
    if measures_existing:
        storage = _storage(folder, where, directory, named=bool(names))
    text = study_text(kind, name, where=where, storage=storage, names=names, launcher=launcher)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if starter is not None and starter.folder:
            first, _, rest = starter.folder.partition("/")
            shutil.copytree(shipped(first) / rest, folder / "solution")
        if where == "here" and directory is None:
            (folder / STORAGE).mkdir(exist_ok=True)
        target.write_text(text)
    except FileExistsError as error:
        exists = f"{error.filename} exists; nothing was written"
        raise InputError(exists, "give another folder") from None
    except OSError as error:
        raise (
            file_error(error, f"{folder}: cannot be written", "give another folder") or error
        ) from None
    return where


def _where(hosts: bool | None, nodes: str | None, *, measures_existing: bool) -> Where:
    """The nodes of a new study."""
    if hosts or (nodes is not None and hosts is None):
        return "hosts"
    return "here" if hosts is None and measures_existing else "lab"


def _node_names(nodes: str) -> tuple[str, ...]:
    """The names of a node set; InputError when it is none."""
    try:
        return expand(nodes)
    except ValueError as error:
        raise InputError(
            f"--nodes: {error}", "quote the set for the shell: --nodes 'node[01-16]'"
        ) from None


def slurm_nodes() -> str:
    """The node set of the Slurm allocation of this shell; InputError without one."""
    nodes = os.environ.get(SLURM_NODES) or os.environ.get("SLURM_NODELIST")
    if not nodes:
        raise InputError(
            f"--slurm: {SLURM_NODES} is not set",
            "run this inside an allocation (salloc, sbatch), or use --nodes",
        )
    return nodes


def client_counts(clients: int) -> list[int]:
    """The client counts of an experiment: powers of two, and all clients."""
    counts = [2**power for power in range(clients.bit_length()) if 2**power < clients]
    return [*counts, clients]


def study_text(
    kind: str,
    name: str,
    *,
    where: Where = "lab",
    storage: Storage | None = None,
    names: Sequence[str] = (),
    launcher: str | None = None,
) -> str:
    """The study, as YAML with comments; `name` is its id.

    `storage` is what a study of `mount` measures, on the nodes `names`. `launcher` starts the
    agents there; None means ssh.
    """
    starter_kinds = starters()
    if kind not in starter_kinds:
        raise InputError(
            f"there is no study for a solution {kind!r}; one of {', '.join(starter_kinds)}"
        )
    starter = starter_kinds[kind].starter
    folder = starter_kinds[kind].folder
    if starter.measures_existing and where == "lab":
        raise InputError(
            f"{kind} measures existing storage, and a lab has none",
            f"seatrial new {kind} {name}, of this machine, or with --hosts; or build storage in "
            f"the lab: seatrial new nfs {name}",
        )
    loader = FileSystemLoader([folder, TEMPLATES])
    environment = Environment(
        loader=loader,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    counts = client_counts(len(names) or EXAMPLE_COUNT)
    template = environment.get_template(starter.template)
    text = template.render(
        kind=kind,
        title=starter.title,
        id=name,
        hosts=where != "lab",
        here=where == "here",
        storage=storage or Storage(ELSEWHERE),
        nodes=fold(names) if names else EXAMPLE_NODES,
        launcher=launcher,
        single=where == "here" or len(names) == 1,
        clients=counts,
        ends=sorted({counts[0], counts[-1]}),
    )
    return styled(re.sub(r"\n{2,}", "\n", text).strip() + "\n", Path(f"{name}/study.yaml"))


def next_steps(kind: str, folder: Path, where: Where, *, named: bool = False) -> Iterator[str]:
    """What to do with a new study: commands that can be pasted. `named`: it has its nodes."""
    names_to_come = "" if named else ", and fill in the names of your hosts"
    hint = {"hosts": names_to_come, "here": "; it measures this machine", "lab": ""}[where]
    if where == "here":
        yield TRIED
    yield f"wrote {folder}/study.yaml; read it{hint}; then:"
    if starters()[kind].starter.measures_existing:
        before = ["preflight"]
    elif where == "hosts":
        before = ["plan", "preflight", "deploy"]
    else:
        before = ["plan"]
    for verb in ("validate", "list", *before, "run"):
        yield f"  {command(verb, folder, *(['--quick'] if verb == 'run' else []))}"


def _storage(folder: Path, where: Where, directory: Path | None, *, named: bool) -> Storage:
    """Where it is this machine's, with its file system, so that a mount that is missing later is
    noticed.

    A login node has the directory of its compute nodes, too: then its file system is known.
    """
    if where != "here":
        named_directory = _checked(directory) if directory is not None else ELSEWHERE
        if named and directory is not None and directory.is_dir():
            return Storage(named_directory, file_system_of(directory), takes_direct(directory))
        return Storage(named_directory)
    if directory is not None and not directory.is_dir():
        what = (
            "a file, and no directory"
            if directory.exists()
            else "no such directory on this machine"
        )
        raise InputError(
            f"--directory: {directory}: {what}", "for a directory of other machines, add --hosts"
        )
    path = (folder / STORAGE if directory is None else directory).absolute()
    existing_folder = next(folder for folder in (path, *path.parents) if folder.is_dir())
    return Storage(_checked(path), file_system_of(path), takes_direct(existing_folder))


def takes_direct(directory: Path) -> bool:
    """Whether a file there can be opened with O_DIRECT (open(2)); True as well where no file can
    be created for the test.
    """
    try:
        with tempfile.NamedTemporaryFile(prefix=".seatrial-", dir=directory) as file:
            os.close(os.open(file.name, os.O_RDWR | os.O_DIRECT))
    except OSError as error:
        return error.errno != errno.EINVAL
    return True


def _checked(path: Path) -> str:
    """A directory as a study can name it; InputError when it cannot."""
    try:
        return TypeAdapter(Directory).validate_python(str(path))
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise InputError(reason, "another directory: --directory /mnt/scratch") from None


def file_system_of(path: Path) -> str | None:
    """The type of the file system of a path, which need not exist yet.

    None when the kernel does not list it, or when a study cannot name it.
    """
    try:
        lines = (
            Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        )
    except OSError:
        return None
    real = path.resolve()
    innermost = (0, "")
    for line in lines:  # proc(5): the mount point is the fifth word, the type follows a lone `-`
        before, _, after = line.partition(" - ")
        place = Path(
            re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), before.split(" ")[4])
        )
        # A later mount at the same place hides an earlier one.
        if real.is_relative_to(place) and len(place.parts) >= innermost[0]:
            innermost = (len(place.parts), after.split(" ")[0])
    try:
        return TypeAdapter(FileSystemType).validate_python(innermost[1])
    except ValidationError:
        return None


def identity(folder: Path) -> str:
    """A study's id made of its folder's name: lower-case letters, digits and `-`."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.absolute().name.lower()).strip("-")
    if not re.match(r"[a-z]", name):
        raise InputError(
            f"{folder}: the folder gives the study its id, and must begin with a letter"
        )
    return name
