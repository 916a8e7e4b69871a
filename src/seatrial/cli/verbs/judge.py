"""The verb `judge`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import command, say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


def judge(
    result_path: Annotated[Path, typer.Argument(metavar="RESULT", help="the folder of a run")],
    as_json: JsonOption = False,
) -> None:
    """Judge a result again, from its files alone."""
    from seatrial.basics.shipped import is_study
    from seatrial.judge.against_study import against_study
    from seatrial.judge.judge import exit_code, exit_words, save, study_of
    from seatrial.judge.judge import judge as judge_result
    from seatrial.predict.recorded import steps_of
    from seatrial.result.opened import Opened
    from seatrial.result.result import as_written, is_result
    from seatrial.service.terminal import print_verdict
    from seatrial.summary.summarise import save_results, summarise

    if not is_result(result_path):
        is_of_study = is_study(result_path)
        hint = (
            command("validate", result_path)
            if is_of_study
            else "give the folder that `seatrial run` printed"
        )
        raise InputError(
            f"{result_path}: no result here{', but a study' if is_of_study else ''}", hint
        )
    result = Opened(say_aside).read(result_path)
    with as_written(result_path):
        judgements = judge_result(result)
        summary = summarise(result, judgements, steps_of(result))
        save_results(summary, result_path)
    save(result, judgements)
    code = exit_code(result, judgements)
    of_study = (item.words for item in against_study(study_of(result), result))
    problems = [*map(str, result.problems), *of_study]
    if as_json:
        verdicts = [asdict(item) for item in judgements]
        data = {
            "result": str(result_path),
            "verdicts": verdicts,
            "problems": problems,
            "exit_code": code,
        }
        output.print_json(data)
    else:
        for item in judgements:
            print_verdict(item.kind, item.verdict, item.claim, item.evidence)
    if summary.score is not None:
        say_aside(summary.score.words)
    for problem in problems:
        say_aside(f"result: {problem}")
    say_aside(exit_words(result, judgements))
    raise typer.Exit(code)
