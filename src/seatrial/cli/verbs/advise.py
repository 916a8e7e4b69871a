"""The verb `advise`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultsFolder, study_names
from seatrial.cli.studies import results_folder


def advise(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY|RESULT",
            help="a study (its newest result), or a result",
            autocompletion=study_names,
        ),
    ],
    out: ResultsFolder = None,
    as_json: JsonOption = False,
) -> None:
    """Recommend settings from the measurements, with the evidence for each."""
    from seatrial.advice.advice import advice_text, newest_result
    from seatrial.advice.advice import advise as advise_from
    from seatrial.judge.judge import study_of
    from seatrial.result.opened import opened
    from seatrial.result.result import is_result
    from seatrial.study.study import load_study

    folder = path if is_result(path) else newest_result(results_folder(out), load_study(path))
    with opened(say_aside) as results:
        result = results.read(folder)
        recommendations = advise_from(study_of(result), result)
        if not recommendations:
            hint = "variants or a sweep of an experiment vary a setting"
            raise InputError(f"{folder}: no setting varies between the measured points", hint)
        if as_json:
            output.print_json(
                {"result": str(folder), "advice": [asdict(item) for item in recommendations]}
            )
        else:
            print(f"{folder}\n{advice_text(recommendations)}")
