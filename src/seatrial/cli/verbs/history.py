"""The verb `history`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import (
    TOLERANCE_DEFAULT,
    JsonOption,
    ResultsFolder,
    StudyPath,
    ToleranceOption,
)
from seatrial.cli.studies import results_folder

if TYPE_CHECKING:
    from seatrial.advice.gate import Decision


class FailOn(StrEnum):
    """The findings that can end `history` with exit code 1."""

    CHANGE = "change"


def history(
    study_path: StudyPath,
    out: ResultsFolder = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            metavar="change",
            help="exit with 1 if a figure changed its level after the last accepted result, beyond "
            "chance and the tolerance; with 3 if no figure has enough runs",
        ),
    ] = None,
    tolerance: ToleranceOption = TOLERANCE_DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Show each figure of a study over all results, and the run that changed its level."""
    from seatrial.advice.gate import gate_change
    from seatrial.advice.history import broken_seals, history_table, unrecovered_faults
    from seatrial.advice.history import history as over_runs
    from seatrial.result.opened import opened
    from seatrial.study.study import load_study

    run_results = results_folder(out)
    if not run_results.is_dir():
        hint = "--out names the folder of the results"
        raise InputError(f"{run_results}: there is no such folder", hint)
    name = load_study(study_path).id
    decision: Decision | None = None
    with opened(say_aside) as results:
        broken = broken_seals(run_results, name)
        for run, seal in broken.items():
            results.note(run_results / run, seal)
        trends = over_runs(run_results, name, without=broken)
        if fail_on is not None:
            decision = gate_change(trends, tolerance, _accepted(run_results, name))
        if as_json:
            data: dict[str, Any] = {"study": name, "figures": [asdict(item) for item in trends]}
            if decision is not None:
                data |= {"decision": asdict(decision), "exit_code": decision.exit_code}
            output.print_json(data)
        else:
            print(history_table(trends, unrecovered_faults(run_results, name)))
            if decision is not None:
                print(decision.words)
    if decision is not None:
        raise typer.Exit(decision.exit_code)


def _accepted(results: Path, study_id: str) -> Mapping[str, str]:
    """By profile, the name of the last accepted result of a study."""
    from seatrial.judge.references import newest_accepted
    from seatrial.study.profiles import ALL_PROFILES

    by_profile = {profile: newest_accepted(results, study_id, profile) for profile in ALL_PROFILES}
    return {
        profile: result.folder.name for profile, result in by_profile.items() if result is not None
    }
