"""The verb `new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


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
    as_json: JsonOption = False,
) -> None:
    """Write a commented first study and print the next steps; only studies for hosts need edits."""
    from seatrial.start.new import next_steps, write_study

    folder = folder or Path(kind)
    where = write_study(kind, folder, hosts=hosts, directory=directory)
    if as_json:
        output.print_json({"kind": kind, "where": where, "study": str(folder / "study.yaml")})
    else:
        print("\n".join(next_steps(kind, folder, where)))
