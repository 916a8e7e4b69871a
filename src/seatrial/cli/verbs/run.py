"""The verb `run`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from seatrial.basics.errors import FAILED, InputError, Interrupted, SeatrialError
from seatrial.basics.printable import command
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, RecordsFolder, StudyPath, WipeOption
from seatrial.cli.studies import load

if TYPE_CHECKING:
    from seatrial.service.terminal import Terminal
    from seatrial.study.forms import Form


def run(
    study_path: StudyPath,
    quick: Annotated[bool, typer.Option("--quick", help="the shortest form, for CI")] = False,
    full: Annotated[bool, typer.Option("--full", help="every point and repeat, without a limit of time")] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="this experiment or fault only; may be given several times")
    ] = None,
    out: RecordsFolder = Path("records"),
    resume: Annotated[
        Path | None, typer.Option(metavar="RECORD", help="go on with this run, which was interrupted, in its own form")
    ] = None,
    wipe: WipeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Deploy, load, break and judge; by default the trial form, of fewer points and smaller files than --full.

    The report's path is printed at the end, with a line for each claim. Exit codes: see seatrial --help.
    """
    from seatrial.check import erasable, prepare
    from seatrial.judge.judge import check_claims
    from seatrial.load.resume import before
    from seatrial.record.record import LINES, new_folder
    from seatrial.run import run_study
    from seatrial.service.terminal import print_error
    from seatrial.start.beforehand import beforehand

    if quick and full:
        raise InputError("--quick and --full exclude each other")
    study = load(study_path)
    published = check_claims(study)
    form: Form = "quick" if quick else "full" if full else "trial"
    chosen, done = tuple(only or ()), None
    if resume is not None:
        if quick or full or only:
            raise InputError("--resume goes on with a run in its own form; leave --quick, --full and --only out")
        done, form, chosen = before(resume, study)
    study = study.in_form(form)
    terminal = output.terminal()
    prepared = study, *prepare(study)
    named = erasable(wipe, prepared[1])
    if done is not None:
        terminal.say("what was measured before is not measured again; of the whole run:")
    for sentence in beforehand(prepared, form, out, only=chosen, wipe=named):
        terminal.say(sentence)
    folder = resume.absolute() if resume is not None else new_folder(out.absolute(), study.id)
    failure: SeatrialError | Interrupted | None = None
    try:
        run_study(
            study,
            form,
            only=chosen,
            folder=folder,
            wipe=named,
            observer=terminal,
            published=published,
            before=done,
        )
    except (SeatrialError, Interrupted) as error:
        if not (folder / LINES).exists():
            raise  # nothing was begun, so there is nothing to judge
        failure = error
        print_error(str(error), error.hint or f"go on with: {command('run', study_path, '--resume', folder)}")
    _finish(folder, as_json, terminal, failure)


def _finish(folder: Path, as_json: bool, terminal: Terminal, failure: SeatrialError | Interrupted | None) -> NoReturn:
    """Judge and draw what was seen, also of a run that did not come to its end, and end with its exit code."""
    from seatrial.judge.judge import exit_code, exit_words, judge, save
    from seatrial.predict.recorded import steps_of
    from seatrial.record.record import read_record
    from seatrial.report.html import write_report

    record = read_record(folder)
    judgements = judge(record)
    save(record, judgements)
    report_path = write_report(record, judgements, steps_of(record))
    for item in judgements:
        if item.kind == "acceptance":
            terminal.result(f"{item.verdict:7s} {item.claim}: {item.evidence}")
    if not isinstance(failure, InputError):
        terminal.result(exit_words(record, judgements))
    if as_json:
        keys = ("claim", "kind", "verdict", "evidence", "waivers")
        verdicts = [{key: asdict(item)[key] for key in keys} for item in judgements]
        print(json.dumps({"record": str(folder), "report": str(report_path), "verdicts": verdicts}))
    else:
        terminal.say("the report, for a browser:")
        print(report_path)
    code = exit_code(record, judgements)
    # A failed claim comes first, also where the run did not come to its end; a mistake of the user made none.
    if failure is not None and (code != FAILED or isinstance(failure, InputError)):
        code = failure.exit_code
    raise typer.Exit(code)
