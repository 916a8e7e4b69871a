"""The verbs that one begins with: `list`, `new`, `doctor`, those of `lab`. Importing this file imports little else."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seatrial.basics.arguments import JsonOption, StudyPath
from seatrial.basics.errors import FAILED, InputError, option
from seatrial.start.verbs import Told

if TYPE_CHECKING:
    from seatrial.service.session import Session
    from seatrial.study.study import Study


def register(app: typer.Typer) -> None:
    """Give the program these verbs."""
    app.command("list")(list_)
    app.command("new")(new)
    app.command("format")(format_)
    app.command("doctor")(doctor)
    lab = typer.Typer(cls=Told, help="Bring a study's nodes up and down.", no_args_is_help=True, rich_markup_mode=None)
    lab.command("up")(lab_up)
    lab.command("image")(lab_image)
    lab.command("down")(lab_down)
    lab.command("status")(lab_status)
    passes_on = {"ignore_unknown_options": True}
    lab.command("ssh", context_settings=passes_on)(lab_ssh)
    lab.command("exec", context_settings=passes_on)(lab_exec)
    app.add_typer(lab, name="lab")


def list_(
    path: Annotated[
        Path | None, typer.Argument(metavar="STUDY", help="a study, its folder or its name; by default all")
    ] = None,
    records: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="where records are kept, whose times are told")
    ] = Path("records"),
    as_json: JsonOption = False,
) -> None:
    """Name the studies; of one, its experiments and faults, the forms that have them, and their expected times."""
    from seatrial.start.catalogue import parts_text, parts_told, studies_text, studies_told

    if path is None:
        told = list(studies_told())
        print(json.dumps({"studies": told}) if as_json else studies_text(told))
        return
    parts = parts_told(load(path), records)
    print(json.dumps(parts) if as_json else parts_text(parts))


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="of solution: nfs, smb, sshfs, nfs-ha, gfs2-iscsi, cephfs, mount or script"
        ),
    ],
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="a folder to make; by default KIND")] = None,
    hosts: Annotated[
        bool | None,
        typer.Option("--hosts/--lab", help="for real hosts, or for the lab (default; of mount: this machine alone)"),
    ] = None,
    directory: Annotated[
        Path | None, typer.Option(metavar="PATH", help="of mount, what is measured; by default a new folder in DIR")
    ] = None,
) -> None:
    """Write a commented study to begin with, and say how to go on; all but those for hosts run as they are."""
    from seatrial.start.new import next_steps, write_study

    folder = folder or Path(kind)
    print("\n".join(next_steps(kind, folder, write_study(kind, folder, hosts=hosts, directory=directory))))


def format_(
    paths: Annotated[list[Path], typer.Argument(metavar="STUDY", help="studies, their folders, or names of `list`")],
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; exit code 1 if a study is not in the style")
    ] = False,
) -> None:
    """Write studies in one style: a line for each key, at most 100 columns; comments stay.

    What a study says does not change. The files that were rewritten, or would be, are printed.
    """
    from seatrial.start.formatting import format_studies

    changed = 0
    for path in format_studies(paths, check=check):
        print(path)
        changed += 1
    raise typer.Exit(FAILED if check and changed else 0)


def doctor(
    hosts: Annotated[
        bool, typer.Option("--hosts", help="only what it needs to deploy, load and judge real hosts")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what this machine can do, lab or real hosts only, and give the command for each thing that is missing."""
    from dataclasses import asdict

    from seatrial.start.doctor import doctor_text, examine

    found = examine(lab=not hosts)
    print(json.dumps({"findings": [asdict(item) for item in found]}) if as_json else doctor_text(found))
    raise typer.Exit(0 if all(item.good for item in found if item.needed) else 1)


# ---- lab


def load(path: Path) -> Study:
    """The study at a path, or one by name; InputError names its mistakes."""
    from seatrial.study.study import load_study

    return load_study(path)


def running_of(study: Study) -> Session:
    """A session with nodes that run: hosts, or a lab that is up; RunError where it is not."""
    from seatrial.check import prepare
    from seatrial.service.session import running

    return running(study, *prepare(study))


def lab_up(study_path: StudyPath) -> None:
    """Boot the nodes and leave them up; prints the ssh configuration that reaches them."""
    from seatrial.check import prepare
    from seatrial.service.session import lasting
    from seatrial.service.terminal import Terminal

    study = load(study_path)
    with lasting(study, *prepare(study), Terminal()) as current:
        print(current.lab.ssh_config or "")


def lab_image() -> None:
    """Make the nodes' root file system now, if the cached one is not of today's recipe."""
    from seatrial.labs.emulation.image import ensure_image
    from seatrial.service.terminal import Terminal

    ensure_image(Terminal().say)


def lab_down(
    study_path: Annotated[
        Path | None, typer.Argument(metavar="[STUDY]", help="or a lab's name; by default all but those of runs")
    ] = None,
) -> None:
    """End a lab: no process, mount, namespace or file of it stays, but its consoles."""
    from seatrial.labs.kinds import uml

    labs = uml.labs_up()
    if study_path is None:
        for lab in labs:
            if not lab.lasting:
                print(f"{lab.folder.name}: belongs to a run that is under way; name it to end it")
        labs = [lab for lab in labs if lab.lasting]
    else:
        name = load(study_path).id if study_path.exists() else str(study_path)
        labs = [lab for lab in labs if lab.folder.name == name]
        if not labs:
            raise InputError(f"no lab called {name} is up", "seatrial lab status")
    for lab in labs:
        lab.down()
        print(f"{lab.folder.name}: down")


def lab_status() -> None:
    """List the labs that are up and their nodes."""
    from seatrial.labs.kinds import uml

    labs = uml.labs_up()
    if not labs:
        print("no lab is up", file=sys.stderr)
    for lab in labs:
        way = shlex.join(("ssh", "-F", str(lab.ssh_config), "NODE"))
        print(f"{lab.folder.name}: {way}" + ("" if lab.lasting else "   # of a run"))
        for name, state in lab.state().items():
            power = "on" if state["running"] else "off"
            print(f"  {name:12s} {power:4s} {state['memory_bytes'] // 2**20} MiB, {state['disks']} disks")


def lab_ssh(
    study_path: StudyPath,
    node: str,
    command: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]...")] = None,
) -> None:
    """Open a shell on a node, or run a command there with your terminal."""
    program = running_of(load(study_path)).lab.transport.terminal(node, command or ())
    os.execvp(program[0], program)


def lab_exec(
    study_path: StudyPath,
    nodes: Annotated[str, typer.Argument(metavar="NODES", help="a node set, e.g. c[1-8]")],
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...")],
) -> None:
    """Run a command on many nodes; each line of output is led by its node."""
    from seatrial.basics.node_sets import expand
    from seatrial.transport import on_every

    current = running_of(load(study_path))
    names = option("NODES", expand, nodes)
    done = on_every(names, lambda node: current.transport.run(node, " ".join(command), timeout_s=600))
    for node, answer in done.items():
        for line in (answer.stdout + answer.stderr).splitlines():
            print(f"{node}: {line}")
    raise typer.Exit(max((answer.exit_code for answer in done.values()), default=0))
