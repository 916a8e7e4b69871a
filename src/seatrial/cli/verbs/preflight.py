"""The verb `preflight`."""

from __future__ import annotations

from dataclasses import asdict

import typer

from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, StudyPath, WipeOption


def preflight(
    study_path: StudyPath,
    wipe: WipeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a deploy would refuse, use, install, erase and interrupt. Changes nothing."""
    from seatrial.advice.preflight import preflight as examine
    from seatrial.advice.preflight_text import preflight_text
    from seatrial.check import erasable, prepare
    from seatrial.service.session import running
    from seatrial.study.study import load_study

    study = load_study(study_path)
    current = running(study, *prepare(study))
    inspected = examine(current, erasable(wipe, current.site))
    if as_json:
        output.print_json(asdict(inspected))
    else:
        print(preflight_text(inspected))
    raise typer.Exit(0 if inspected.clean else 1)
