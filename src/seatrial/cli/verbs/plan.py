"""The verb `plan`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from seatrial.cli.arguments import PackagesOption, StudyPath, WipeOption
from seatrial.cli.studies import load


def plan(
    study_path: StudyPath,
    wipe: WipeOption = None,
    remove: Annotated[bool, typer.Option("--removal", help="the plan of `remove`")] = False,
    packages: PackagesOption = False,
) -> None:
    """Print, byte for byte, what deploy would pipe to each node."""
    from seatrial.check import erasable, prepare
    from seatrial.plan.plan import describe
    from seatrial.solutions.look import deployment, removal

    site, solution = prepare(load(study_path))
    named = erasable(wipe, site)
    found = removal(solution, named, packages=packages) if remove else deployment(solution, site, named)
    for warning in found.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(describe(found))
