"""A commented study to begin with, for a kind of solution: in the lab it runs as it is, on hosts with their names."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from seatrial.basics.errors import InputError, RunError
from seatrial.basics.shipped import shipped

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = Path("studies") / "script-glusterfs" / "solution"
TITLES: Mapping[str, str] = {
    "nfs": "One NFS server",
    "smb": "One SMB server",
    "sshfs": "One file server over sshfs",
    "nfs-ha": "A highly available pair of NFS servers",
    "gfs2-iscsi": "A cluster file system on a group of iSCSI arrays",
    "cephfs": "CephFS on four storage servers",
    "mount": "Storage that is there already",
    "script": "Storage that scripts build",
}
"""the kinds that there is a study for -> what it is called"""
ONE_SERVER = ("nfs", "smb", "sshfs")


def write_study(kind: str, folder: Path, *, hosts: bool) -> Path:
    """Make the folder with its study.yaml; InputError for another kind, or where there is a study already."""
    text = study_text(kind, identity(folder), hosts=hosts)
    target = folder / "study.yaml"
    if target.exists():
        raise InputError(
            f"{target} is there already; nothing was written",
            f"seatrial new {kind} ANOTHER-FOLDER{' --hosts' if hosts else ''}",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if kind == "script":
            shutil.copytree(shipped(SCRIPTS.parts[0]) / SCRIPTS.relative_to("studies"), folder / "solution")
        target.write_text(text)
    except FileExistsError as error:
        raise InputError(f"{error.filename} is there already; nothing was written", "give another folder") from None
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror}", "give another folder") from None
    return folder


def study_text(kind: str, name: str, *, hosts: bool) -> str:
    """The study, as YAML with comments; `name` is its id."""
    if kind not in TITLES:
        raise InputError(f"there is no study for a solution {kind!r}; one of {', '.join(TITLES)}")
    if kind == "mount" and not hosts:
        raise InputError(
            "mount measures storage that is there already, and a lab has none",
            f"seatrial new mount {name} --hosts; or build some in the lab: seatrial new nfs {name}",
        )
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    template = environment.get_template(f"{'server' if kind in ONE_SERVER else kind}.yaml.j2")
    text = template.render(kind=kind, title=TITLES[kind], id=name, hosts=hosts)
    return re.sub(r"\n{2,}", "\n", text).strip() + "\n"


def identity(folder: Path) -> str:
    """A study's id made of its folder's name: lower-case letters, digits and `-`."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.absolute().name.lower()).strip("-")
    if not re.match(r"[a-z]", name):
        raise InputError(f"{folder}: a study is called like its folder, which has to begin with a letter")
    return name
