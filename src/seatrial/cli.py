"""The verbs and the exit codes; all else is elsewhere. Each verb imports what it needs: `--help` needs nothing."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

import seatrial
from seatrial.advice.command import register as register_advice
from seatrial.basics.arguments import JsonOption, RecordPath, RecordsFolder, StudyPath, WipeOption
from seatrial.basics.errors import FAILED, Defect, InputError, Interrupted, SeatrialError, file_error
from seatrial.basics.printable import command, make_printable, printable, say_aside
from seatrial.predict.command import register as register_predict
from seatrial.start.command import load, running_of
from seatrial.start.command import register as register_start
from seatrial.start.verbs import Verbs

if TYPE_CHECKING:
    from seatrial.service.terminal import Terminal
    from seatrial.study.forms import Form

PackagesOption = Annotated[
    bool, typer.Option("--packages", help="packages that a deploy has installed, too, unless others need them by now")
]

app = typer.Typer(
    cls=Verbs,
    name="seatrial",
    help="Builds, loads, breaks and judges shared storage for HPC clusters.",
    no_args_is_help=True,
    rich_markup_mode=None,  # square brackets are node sets here
    pretty_exceptions_enable=False,
    epilog="First: seatrial run md1200-nfs --quick, a study that comes along, in the lab. Exit codes: 0 every "
    "acceptance claim passed, 1 one failed, 2 the input is wrong, 3 a claim is undecided, 4 not completed, "
    "130 interrupted.",
)
register_start(app)


@app.command()
def deploy(study_path: StudyPath, wipe: WipeOption = None) -> None:
    """Apply the plan, check it, and leave the storage deployed; a second deploy changes nothing."""
    from seatrial.advice.preflight import tell_named
    from seatrial.check import erasable, prepare
    from seatrial.service.session import lasting
    from seatrial.service.terminal import Terminal
    from seatrial.solutions.look import deployment

    study = load(study_path)
    terminal = Terminal()
    site, solution = prepare(study)
    named = erasable(wipe, site)
    with lasting(study, site, solution, terminal) as current:
        tell_named(current, named, terminal.say)
        plan = deployment(current.solution, current.site, named)
        for warning in plan.warnings:
            terminal.say(f"warning: {warning}")
        outcome = current.deploy(plan, terminal)
        terminal.say(f"deployed: {outcome.summary()}")
        if current.lab.ssh_config is not None:
            way = shlex.join(("ssh", "-F", str(current.lab.ssh_config), current.solution.clients[0]))
            print(f"{way}   # {current.solution.directory}")


@app.command()
def remove(study_path: StudyPath, wipe: WipeOption = None, packages: PackagesOption = False) -> None:
    """Take the storage out of service; data stay on the disks unless --wipe names them."""
    from seatrial.advice.preflight import tell_named, tell_packages
    from seatrial.check import erasable
    from seatrial.service.terminal import Terminal
    from seatrial.solutions.look import removal

    study = load(study_path)
    terminal = Terminal()
    current = running_of(study)
    named = erasable(wipe, current.site)
    with current.held():
        tell_named(current, named, terminal.say)
        outcome = current.deploy(removal(current.solution, named, packages=packages), terminal)
        tell_packages(current, terminal.say)
    terminal.say(f"removed: {outcome.summary()}")


@app.command()
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


@app.command()
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
    from seatrial.service.terminal import Terminal, print_error
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
    terminal = Terminal()
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
            terminal.say(f"{item.verdict:7s} {item.claim}: {item.evidence}")
    if not isinstance(failure, InputError):
        terminal.say(exit_words(record, judgements))
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


@app.command()
def check(
    record_path: Annotated[Path, typer.Argument(metavar="RECORD|STUDY", help="the folder of a run, or a study")],
    as_json: JsonOption = False,
) -> None:
    """Judge a record again, from its files alone; or say what is wrong with a study."""
    from seatrial.basics.shipped import is_study
    from seatrial.check import prepare
    from seatrial.judge.against_study import against_study
    from seatrial.judge.judge import check_claims, exit_code, exit_words, judge, save, study_of
    from seatrial.labs.emulation.capacity import cramped_links
    from seatrial.record.opened import Opened
    from seatrial.record.record import as_written, is_record

    if is_study(record_path) and not is_record(record_path):
        site, _ = prepare(study := load(record_path))
        check_claims(study)
        for warning in cramped_links(site, len(os.sched_getaffinity(0))):
            print(f"warning: {warning}", file=sys.stderr)
        print("[]" if as_json else f"{record_path}: nothing is wrong with this study")
        return
    if not is_record(record_path):
        reason = f"{record_path}: no record here, and no study"
        raise InputError(reason, "give the folder that `seatrial run` printed, or a study: `seatrial list` names them")
    record = Opened(say_aside).read(record_path)
    with as_written(record_path):
        judgements = judge(record)
    save(record, judgements)
    if as_json:
        print(json.dumps([asdict(item) for item in judgements]))
    else:
        for item in judgements:
            print(f"{item.kind:10s} {item.verdict:12s} {item.claim:24s} {item.evidence}")
        of_study = (item.words for item in against_study(study_of(record), record))
        for problem in [*record.problems, *of_study]:
            print(f"record: {printable(problem)}", file=sys.stderr)
        print(exit_words(record, judgements), file=sys.stderr)
    raise typer.Exit(exit_code(record, judgements))


@app.command()
def report(
    record_path: RecordPath,
    form: Annotated[
        Literal["html", "pdf"], typer.Option("--format", help="a page, or a paper with page numbers and contents")
    ] = "html",
    beside: Annotated[
        list[Path] | None,
        typer.Option("--beside", metavar="RECORD", help="another record to set beside it; repeatable"),
    ] = None,
) -> None:
    """Draw a record's report again, from its files alone; prints its path."""
    from seatrial.advice.compare import common_points
    from seatrial.judge.judge import judge
    from seatrial.predict.recorded import steps_of
    from seatrial.record.opened import opened
    from seatrial.record.record import as_written
    from seatrial.report.beside import Beside
    from seatrial.report.html import write_report
    from seatrial.report.pdf import write_pdf

    write = write_pdf if form == "pdf" else write_report
    with opened(say_aside) as results:
        record, *rest = [results.read(path) for path in (record_path, *(beside or ()))]
        with as_written(record_path):
            others = [Beside(other, judge(other), common_points(record, other)) for other in rest]
            print(write(record, judge(record), steps_of(record), others))


@app.command()
def audit(
    study_path: StudyPath,
    out: RecordsFolder = Path("records"),
    as_json: JsonOption = False,
) -> None:
    """Look at a running system, changing nothing: what differs from the study, what from best practice."""
    from seatrial.advice.advice import newest_advice
    from seatrial.advice.audit import audit as audit_of
    from seatrial.advice.audit import audit_text
    from seatrial.judge.published import published_data

    study = load(study_path)
    found = audit_of(running_of(study), newest_advice(out, study), published_data("network-storage-clusters"))
    print(json.dumps(asdict(found)) if as_json else audit_text(found))
    raise typer.Exit(found.exit_code)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a study, for editors."""
    from seatrial.start.json_schema import study_schema

    print(json.dumps(study_schema(), indent=2))


register_advice(app)
register_predict(app)


def _version(value: bool) -> None:
    if value:
        print(f"seatrial {seatrial.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    pass


def _guarded(action: Callable[[], Any]) -> int:
    try:
        action()
    except (SeatrialError, Interrupted) as error:
        return _told(error)
    except OSError as error:
        found = file_error(error)
        return _told(found) if found else _defect()
    except Exception:
        return _defect()
    return 0


def _told(error: SeatrialError | Interrupted) -> int:
    from seatrial.service.terminal import print_error

    print_error(str(error), error.hint)
    return error.exit_code


def _defect() -> int:
    print(printable(traceback.format_exc()), file=sys.stderr)
    print("error: this is a defect of Seatrial; please report it with the lines above", file=sys.stderr)
    return Defect.exit_code


def main() -> None:
    """The console script: a user's mistake never shows a traceback, and a signal cleans up before it ends."""

    def interrupt(number: int, _frame: object) -> None:
        for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(other, signal.SIG_IGN)  # the clean-up is not to be interrupted in its turn
        ended = f"ended by {signal.Signals(number).name}"
        raise Interrupted(f"{ended}; its agents were ended, and the lab that it had booted was taken down")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    make_printable()
    sys.exit(_guarded(lambda: app(standalone_mode=True)))
