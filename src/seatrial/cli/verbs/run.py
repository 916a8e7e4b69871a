"""The verb `run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from seatrial.basics.errors import FAILED, InputError, Interrupted, SeatrialError
from seatrial.basics.printable import command
from seatrial.cli import output
from seatrial.cli.arguments import (
    ConsentOption,
    DryRunOption,
    JsonOption,
    ResultsFolder,
    StudyPath,
    WipeOption,
    YesOption,
)
from seatrial.cli.batch_job import (
    command_of_job,
    options_of_new_run,
    options_of_resumed_run,
)
from seatrial.cli.changes import SetOption, values_of
from seatrial.cli.confirming import confirm, confirm_faults, describe_named, erased_words
from seatrial.cli.studies import load, results_folder

if TYPE_CHECKING:
    from seatrial.load.resume import Selection
    from seatrial.matrix.matrix import RunMatrix
    from seatrial.service.terminal import Terminal
    from seatrial.solutions.base import Wipe
    from seatrial.study.profiles import Profile
    from seatrial.study.study import Study


RESUME_HINT = "leave --quick, --full, --paper and --only out"


@dataclass(frozen=True)
class _Request:
    """The run that all options ask for."""

    matrix: RunMatrix
    wipe: Wipe


@dataclass(frozen=True)
class _CommandLine:
    """The options that a batch job or a continued run repeats."""

    study_path: Path
    changes: tuple[str, ...]
    resume: Path | None
    consented: tuple[str, ...]

    def of_job(self, selected: Selection, results: Path) -> tuple[str, ...]:
        """The command of the batch job that does the same."""
        if self.resume is not None:
            options = options_of_resumed_run(self.resume, self.changes, self.consented)
        else:
            options = options_of_new_run(
                selected.profile, selected.only, self.changes, results, self.consented
            )
        return command_of_job(self.study_path, options)

    def of_continuation(self, folder: Path) -> str:
        """The command that continues the run in this folder."""
        options = options_of_resumed_run(folder, self.changes, self.consented)
        return command("run", self.study_path, *options)


def run(
    study_path: StudyPath,
    quick: Annotated[bool, typer.Option("--quick", help="the shortest profile, for CI")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="every point and repeat, without a limit of time")
    ] = False,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="the published system at its own size, where there is one"),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="this experiment or fault only; repeatable"),
    ] = None,
    changes: SetOption = None,
    out: ResultsFolder = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="RESULT",
            help="continue this interrupted run, in its own profile; give the same --set",
        ),
    ] = None,
    wipe: WipeOption = None,
    submit: Annotated[
        bool,
        typer.Option(
            "--submit", help="run in a batch job of Slurm, wait for its end, and print its output"
        ),
    ] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    consent: ConsentOption = None,
    as_json: JsonOption = False,
) -> None:
    """Deploy the storage, load it, inject faults, and judge the result. Default: the trial profile.

    At the end it prints a line for each criterion, and the path of the report.
    Exit codes: see seatrial --help.
    """
    from seatrial.check import erasable
    from seatrial.judge.judge import check_claims
    from seatrial.matrix.resolve import resolve
    from seatrial.result.result import new_folder
    from seatrial.result.sealed import LINES
    from seatrial.run import check_run, run_study
    from seatrial.service.terminal import print_error
    from seatrial.start.beforehand import beforehand
    from seatrial.study.changed import changed_study

    study = load(study_path)
    values = values_of(study, changes or ())
    study = changed_study(study, values)
    published = check_claims(study)
    named_profiles: dict[Profile, bool] = {"quick": quick, "full": full, "paper": paper}
    selected = _selection(study, resume, named_profiles, tuple(only or ()))
    study = study.in_profile(selected.profile)
    terminal = output.terminal()
    matrix = resolve(study, selected.profile, selected.only)
    request = _Request(matrix, erasable(wipe, matrix.site))
    if selected.done is not None:
        terminal.say(
            "complete measurements are kept and not repeated. The next lines are of the whole run:"
        )
    results = results_folder(out)
    sentences = list(beforehand(matrix, results, wipe=request.wipe))
    check_run(matrix, request.wipe)
    if dry_run:
        _print_dry_run(request, sentences, as_json)
    for sentence in sentences:
        terminal.say(sentence)
    confirm(
        matrix.site,
        _sentence(request),
        yes=yes,
        describe=lambda: describe_named(study, request.wipe, terminal.result),
    )
    consented = confirm_faults(study, matrix.planned_faults, consent or ())
    command_line = _CommandLine(study_path, tuple(changes or ()), resume, consented)
    if submit:
        words = command_line.of_job(selected, results)
        raise typer.Exit(_submitted(request, words, results, terminal))
    folder = resume.absolute() if resume is not None else new_folder(results.absolute(), study.id)
    failure: SeatrialError | Interrupted | None = None
    try:
        run_study(
            matrix,
            folder=folder,
            wipe=request.wipe,
            observer=terminal,
            published=published,
            before=selected.done,
            values=values,
            consented=consented,
        )
    except (SeatrialError, Interrupted) as error:
        if not (folder / LINES).exists():
            raise  # nothing was begun, so there is nothing to judge
        failure = error
        hint = error.hint or f"continue with: {command_line.of_continuation(folder)}"
        print_error(str(error), hint)
    _finish(folder, as_json, terminal, failure)


def _selection(
    study: Study,
    resume: Path | None,
    chosen_profiles: Mapping[Profile, bool],
    only: tuple[str, ...],
) -> Selection:
    """The profile and the parts that the options name, or those of the run that is resumed."""
    from seatrial.load.resume import Selection, before

    profiles = [profile for profile, is_named in chosen_profiles.items() if is_named]
    if resume is not None:
        if profiles or only:
            raise InputError("--resume continues a run in its own profile", RESUME_HINT)
        return before(resume, study)
    if len(profiles) > 1:
        options = " and ".join(f"--{profile}" for profile in profiles)
        raise InputError(f"{options} exclude each other")
    profile = profiles[0] if profiles else "trial"
    if profile == "paper" and profile not in study.all_profiles:
        problem = f"{study.id} has no profile paper"
        raise InputError(problem, "its profiles are quick, trial and full")
    return Selection(profile, only)


def _submitted(request: _Request, words: tuple[str, ...], results: Path, terminal: Terminal) -> int:
    """Run the study in a batch job; prints its output and returns its exit code."""
    from seatrial.launchers.submit import BatchJob, batch_script, nodes_of_cluster, submit
    from seatrial.result.result import new_folder

    study = request.matrix.study
    if study.environment.options().get("launcher", "ssh") == "ssh":
        problem = "--submit needs a launcher that starts the agents in the allocation"
        raise InputError(problem, "write environment: {kind: hosts, launcher: slurm}")
    nodes = tuple(study.node_names())
    results.mkdir(parents=True, exist_ok=True)
    folder = new_folder(results.absolute(), study.id)
    script = Path(f"{folder}.sbatch")
    output_path = Path(f"{folder}.out")
    job = BatchJob(study.id, nodes, words, Path.cwd(), output_path)
    script.write_text(batch_script(job, names_exist=nodes_of_cluster() >= set(nodes)))
    code = submit(script, terminal.say)
    if output_path.exists():
        print(output_path.read_text(errors="replace"), end="")
    return code


def _sentence(request: _Request) -> str:
    """What a run does to real hosts."""
    from seatrial.basics.node_sets import fold
    from seatrial.basics.units import counted
    from seatrial.solutions.shared_storage import KeepsCaches
    from seatrial.start.beforehand import changes_of_hosts

    matrix = request.matrix
    experiments = matrix.experiments
    faults = matrix.faults
    changes = changes_of_hosts(matrix.solution, experiments)
    loads = f"runs {counted(len(experiments), 'experiment')} of {matrix.study.id}"
    breaks = f" and injects {counted(len(faults), 'fault')}" if faults else ""
    nodes = fold(matrix.study.node_names())
    if isinstance(matrix.solution, KeepsCaches):
        return f"run {changes}, and {loads}{breaks} on {nodes}"
    return f"run {changes}, {loads}{breaks} on {nodes}, and {erased_words(request.wipe)}"


def _print_dry_run(request: _Request, sentences: Sequence[str], as_json: bool) -> NoReturn:
    """What the run would do; nothing is changed."""
    from seatrial.cli.dry_run import dry_run

    matrix = request.matrix
    changes = dry_run(matrix.study, matrix.site, matrix.solution, request.wipe, own_lab=True)
    if as_json:
        output.print_json({"beforehand": sentences, **changes.to_json()})
    else:
        print("\n".join([*sentences, changes.text()]))
    raise typer.Exit(changes.exit_code)


def _finish(
    folder: Path, as_json: bool, terminal: Terminal, failure: SeatrialError | Interrupted | None
) -> NoReturn:
    """Judge the run, complete or not, draw its report, and exit with the code of the verdict."""
    from seatrial.judge.judge import exit_code, exit_words, judge, save
    from seatrial.predict.recorded import steps_of
    from seatrial.report.html import write_report
    from seatrial.result.result import read_result
    from seatrial.summary.summarise import save_results, summarise

    result = read_result(folder)
    judgements = judge(result)
    save(result, judgements)
    steps = steps_of(result)
    report_path = write_report(result, judgements, steps)
    summary = summarise(result, judgements, steps)
    save_results(summary, folder)
    for item in judgements:
        if item.kind == "acceptance":
            terminal.verdict(item.verdict, f"{item.claim}: {item.evidence}")
    if summary.score is not None:
        terminal.say(summary.score.words)
    if not isinstance(failure, InputError):
        terminal.result(exit_words(result, judgements))
    code = exit_code(result, judgements)
    # A failed criterion decides the exit code, also that of an incomplete run. A wrong input
    # decides it in any case.
    if failure is not None and (code != FAILED or isinstance(failure, InputError)):
        code = failure.exit_code
    if as_json:
        keys = ("claim", "kind", "verdict", "evidence", "waivers")
        verdicts = [{key: asdict(item)[key] for key in keys} for item in judgements]
        data = {
            "result": str(folder),
            "report": str(report_path),
            "verdicts": verdicts,
            "exit_code": code,
        }
        if failure is not None:
            data["error"] = output.error_json(str(failure), failure.hint, failure.exit_code)
        output.print_json(data)
    else:
        terminal.say("the report, for a browser:")
        print(report_path)
    raise typer.Exit(code)
