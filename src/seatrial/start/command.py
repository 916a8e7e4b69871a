"""The verbs that one begins with: `list`, `new` and `doctor`. Importing this file imports nothing but arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.arguments import JsonOption


def register(app: typer.Typer) -> None:
    """Give the program these verbs."""
    app.command("list")(list_)
    app.command("new")(new)
    app.command("doctor")(doctor)


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
    from seatrial.study.study import load_study

    if path is None:
        told = list(studies_told())
        print(json.dumps({"studies": told}) if as_json else studies_text(told))
        return
    parts = parts_told(load_study(path), records)
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
