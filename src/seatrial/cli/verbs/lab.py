"""The verbs of `lab`."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seatrial.basics.errors import InputError, option
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.adding import add
from seatrial.cli.arguments import JsonOption, StudyPath
from seatrial.cli.groups import Group
from seatrial.cli.studies import load, running_of

if TYPE_CHECKING:
    from seatrial.labs.kinds.emulated import EmulatedLab


def lab_group() -> typer.Typer:
    """The group `lab` with its verbs."""
    lab = typer.Typer(
        cls=Group,
        help="Boot and stop the nodes of a study.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    add(lab, "up", lab_up)
    add(lab, "image", lab_image)
    add(lab, "down", lab_down)
    add(lab, "status", lab_status)
    add(lab, "ssh", lab_ssh, passes_on=True)
    add(lab, "exec", lab_exec, passes_on=True)
    return lab


def lab_up(study_path: StudyPath, as_json: JsonOption = False) -> None:
    """Boot the nodes and leave them up. Print the ssh configuration that reaches them."""
    from seatrial.check import prepare
    from seatrial.service.session import lasting

    study = load(study_path)
    with lasting(study, *prepare(study), output.terminal()) as current:
        config = current.lab.ssh_config
        if as_json:
            output.print_json(
                {"study": study.id, "ssh_config": None if config is None else str(config)}
            )
        else:
            print(config or "")


def lab_image(as_json: JsonOption = False) -> None:
    """Build the image of the nodes now, if the cached one is out of date."""
    from seatrial.labs.emulation.image import ensure_image

    image = ensure_image(output.terminal().say)
    if as_json:
        output.print_json({"image": str(image)})


def lab_down(
    study_path: Annotated[
        Path | None,
        typer.Argument(
            metavar="STUDY", help="or the name of a lab; by default all labs except those of runs"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """End a lab: its processes, mounts and files. Only its console logs stay."""
    from seatrial.labs.kinds import emulated

    labs = emulated.labs_up()
    if study_path is None:
        for lab in labs:
            if not lab.lasting:
                say_aside(f"{lab.folder.name}: belongs to a run in progress; name it to end it")
        labs = [lab for lab in labs if lab.lasting]
    else:
        name = load(study_path).id if study_path.exists() else str(study_path)
        labs = [lab for lab in labs if lab.folder.name == name]
        if not labs:
            raise InputError(f"no lab called {name} is up", "seatrial lab status")
    for lab in labs:
        lab.down()
        if not as_json:
            print(f"{lab.folder.name}: down")
    if as_json:
        output.print_json({"down": [lab.folder.name for lab in labs]})


def lab_status(as_json: JsonOption = False) -> None:
    """List the labs that are up and their nodes."""
    from seatrial.labs.kinds import emulated

    labs = emulated.labs_up()
    if as_json:
        output.print_json({"labs": [_status(lab) for lab in labs]})
        return
    if not labs:
        print("no lab is up", file=sys.stderr)
    for lab in labs:
        way = shlex.join(("ssh", "-F", str(lab.ssh_config), "NODE"))
        print(f"{lab.folder.name}: {way}" + ("" if lab.lasting else "   # of a run"))
        for name, state in lab.state().items():
            power = "on" if state["running"] else "off"
            print(
                f"  {name:12s} {power:4s} {state['memory_bytes'] // 2**20} MiB, {state['disks']}"
                " disks"
            )


def _status(lab: EmulatedLab) -> dict[str, Any]:
    return {
        "name": lab.folder.name,
        "ssh_config": str(lab.ssh_config),
        "of_a_run": not lab.lasting,
        "nodes": lab.state(),
    }


def lab_ssh(
    study_path: StudyPath,
    node: Annotated[str, typer.Argument(metavar="NODE", help="a node of the study")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="by default a shell")
    ] = None,
) -> None:
    """Open a shell on a node, or run a command there with your terminal."""
    from seatrial.transport import OpenSsh

    transport = running_of(load(study_path)).lab.transport
    if not isinstance(transport, OpenSsh):
        raise InputError(
            f"{node} is reached by a launcher, which opens no shell",
            "use the shell of your cluster",
        )
    program = transport.terminal(node, command or ())
    os.execvp(program[0], program)


def lab_exec(
    study_path: StudyPath,
    nodes: Annotated[str, typer.Argument(metavar="NODES", help="a node set, e.g. c[1-8]")],
    command: Annotated[list[str], typer.Argument(metavar="COMMAND", help="all following words")],
) -> None:
    """Run a command on several nodes. Each line of output begins with its node."""
    from seatrial.basics.node_sets import expand
    from seatrial.transport import on_every

    current = running_of(load(study_path))
    names = option("NODES", expand, nodes)
    done = on_every(
        names, lambda node: current.transport.run(node, " ".join(command), timeout_s=600)
    )
    for node, answer in done.items():
        for line in (answer.stdout + answer.stderr).splitlines():
            print(f"{node}: {line}")
    raise typer.Exit(max((answer.exit_code for answer in done.values()), default=0))
