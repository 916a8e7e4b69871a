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
    from seatrial.advice.preflight import preflight as look
    from seatrial.advice.preflight_text import preflight_text
    from seatrial.check import erasable, prepare
    from seatrial.service.session import running
    from seatrial.study.study import load_study

    study = load_study(study_path)
    current = running(study, *prepare(study))
    found = look(current, erasable(wipe, current.site))
    if as_json:
        output.print_json(asdict(found))
    else:
        print(preflight_text(found))
    raise typer.Exit(0 if found.clean else 1)
