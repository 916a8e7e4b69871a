"""The verb `new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seatrial.cli import output
from seatrial.cli.arguments import JsonOption
from seatrial.cli.kinds import shipped_kinds


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help=f"kind of solution: {shipped_kinds('solutions/kinds')}, or a plug-in",
        ),
    ],
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="the new folder; by default KIND")
    ] = None,
    hosts: Annotated[
        bool | None,
        typer.Option(
            "--hosts/--lab",
            help="for real hosts, or for the lab (default; mount: this machine alone)",
        ),
    ] = None,
    directory: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="mount: the storage to measure; by default a new folder in DIR"
        ),
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option(
            metavar="NODES", help="mount: the clients, such as 'node[01-16]'; quote the brackets"
        ),
    ] = None,
    slurm: Annotated[
        bool,
        typer.Option(
            "--slurm", help="mount: start by srun, on NODES or those of this Slurm allocation"
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a commented first study, and print the next steps."""
    from seatrial.start.new import TRIED, next_steps, slurm_nodes, write_study

    folder = folder or Path(kind)
    if slurm and nodes is None:
        nodes = slurm_nodes()
    launcher = "slurm" if slurm else None
    where = write_study(
        kind, folder, hosts=hosts, directory=directory, nodes=nodes, launcher=launcher
    )
    if as_json:
        output.print_json({"kind": kind, "where": where, "study": str(folder / "study.yaml")})
    else:
        if nodes is not None and directory is not None and directory.is_dir():
            output.note(TRIED)
        print("\n".join(next_steps(kind, folder, where, named=nodes is not None)))
