"""The verb `plan`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, PackagesOption, StudyPath, WipeOption
from seatrial.cli.studies import load


def _renamed(value: bool) -> None:
    if value:
        raise InputError("`plan --removal` is now `plan --undeploy`")


def plan(
    study_path: StudyPath,
    scripts: Annotated[
        bool,
        typer.Option(
            "--scripts", help="print the scripts, byte for byte as they are piped to the nodes"
        ),
    ] = False,
    wipe: WipeOption = None,
    undeploy: Annotated[
        bool, typer.Option("--undeploy", help="the plan of `seatrial undeploy`")
    ] = False,
    packages: PackagesOption = False,
    as_json: JsonOption = False,
    _old: Annotated[bool, typer.Option("--removal", hidden=True, callback=_renamed)] = False,
) -> None:
    """Print the steps of a deploy for each node. --scripts prints the scripts."""
    from seatrial.check import erasable, prepare
    from seatrial.plan.plan import describe
    from seatrial.plan.summary import summary, summary_text
    from seatrial.solutions.look import deployment, removal

    if scripts and as_json:
        raise InputError("--scripts and --json exclude each other")
    site, solution = prepare(load(study_path))
    devices = erasable(wipe, site)
    requested = (
        removal(solution, devices, packages=packages)
        if undeploy
        else deployment(solution, site, devices)
    )
    for warning in requested.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if as_json:
        output.print_json({**asdict(summary(requested)), "warnings": requested.warnings})
    else:
        print(describe(requested) if scripts else summary_text(summary(requested)))
