"""The program: its verbs, its own options, and the exit codes.

`--help` imports nothing but the verbs.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

import seatrial
from seatrial.basics.descriptors import raise_descriptor_limit
from seatrial.basics.errors import Defect, InputError, Interrupted, SeatrialError, file_error
from seatrial.basics.printable import make_printable, printable
from seatrial.cli import output
from seatrial.cli.adding import add
from seatrial.cli.arguments import QuietOption, VerboseOption
from seatrial.cli.groups import Verbs
from seatrial.cli.verbs.accept import accept
from seatrial.cli.verbs.advise import advise
from seatrial.cli.verbs.audit import audit
from seatrial.cli.verbs.bench import bench
from seatrial.cli.verbs.calibrate import calibrate
from seatrial.cli.verbs.catalogue import catalogue
from seatrial.cli.verbs.compare import compare
from seatrial.cli.verbs.deploy import deploy
from seatrial.cli.verbs.doctor import doctor
from seatrial.cli.verbs.export import export
from seatrial.cli.verbs.format_studies import format_studies
from seatrial.cli.verbs.history import history
from seatrial.cli.verbs.import_results import import_results
from seatrial.cli.verbs.judge import judge
from seatrial.cli.verbs.lab import lab_group
from seatrial.cli.verbs.list_studies import list_studies
from seatrial.cli.verbs.new import new
from seatrial.cli.verbs.plan import plan
from seatrial.cli.verbs.predict import predict
from seatrial.cli.verbs.preflight import preflight
from seatrial.cli.verbs.redact import redact
from seatrial.cli.verbs.report import report
from seatrial.cli.verbs.run import run
from seatrial.cli.verbs.schema import schema
from seatrial.cli.verbs.undeploy import undeploy
from seatrial.cli.verbs.validate import validate
from seatrial.cli.verbs.watch import watch

NAMED: dict[str, Callable[..., None]] = {
    "list": list_studies, "new": new, "doctor": doctor, "run": run, "predict": predict,
    "plan": plan,
    "preflight": preflight, "deploy": deploy, "undeploy": undeploy, "audit": audit, "bench": bench,
    "validate": validate, "judge": judge, "report": report, "compare": compare, "accept": accept,
    "advise": advise, "history": history, "catalogue": catalogue, "calibrate": calibrate,
    "import": import_results, "export": export,
    "redact": redact, "schema": schema, "format": format_studies, "watch": watch,
}  # fmt: skip

app = typer.Typer(
    cls=Verbs,
    name="seatrial",
    help="Builds, loads, breaks and judges shared storage for HPC clusters.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # square brackets are node sets here
    pretty_exceptions_enable=False,
    epilog=(
        "First steps: seatrial new mount here, for a directory of this machine; or seatrial run"
        " md1200-nfs --quick, an included study, in the lab. Exit codes: 0 every acceptance"
        " criterion passed, also with waivers; 1 one failed; 2 the input is wrong; 3 a criterion is"
        " undecided; 4 not completed; 130 interrupted."
    ),
)
for _name, _verb in NAMED.items():
    add(app, _name, _verb)
app.add_typer(lab_group(), name="lab")


def _version(value: bool) -> None:
    if value:
        print(f"seatrial {seatrial.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[  # noqa: ARG001 - its callback has printed it
        bool,
        typer.Option("-V", "--version", callback=_version, is_eager=True, help="print the version"),
    ] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    output.ask_for(quiet=quiet, verbose=verbose)


def invoke(arguments: Sequence[str]) -> int:
    """Carry one command line out, without the program's name; its exit code."""
    output.reset(arguments)
    return guarded(lambda: app(list(arguments), prog_name="seatrial", standalone_mode=False))


def guarded(action: Callable[[], Any]) -> int:
    """The exit code of a command: its return value, or the code of its error, which is printed."""
    try:
        code = action()
    except (SeatrialError, Interrupted) as error:
        return _reported(error)
    except OSError as error:
        known_error = file_error(error)
        return _reported(known_error) if known_error else _defect()
    except Exception as error:
        # typer has its own copy of click since 0.26: its errors have this method and no public
        # class.
        return _usage_error(error) if hasattr(error, "format_message") else _defect()
    return code if isinstance(code, int) else 0


def _usage_error(error: Any) -> int:
    """Report a command line that cannot be parsed; --json may not be parsed yet."""
    if output.json_asked() or _has_json(error.ctx):
        _print_error_object(
            error.format_message(),
            error.ctx.get_usage() if error.ctx else None,
            InputError.exit_code,
        )
    error.show()
    return InputError.exit_code


def _has_json(ctx: Any) -> bool:
    """Whether the verb that was being parsed has --json, and its words, too."""
    options = [name for item in ctx.command.params for name in item.opts] if ctx is not None else []
    return "--json" in options and "--json" in output.words()


def _reported(error: SeatrialError | Interrupted) -> int:
    from seatrial.service.terminal import print_error

    if output.json_asked():
        _print_error_object(str(error), error.hint, error.exit_code)
    print_error(str(error), error.hint)
    return error.exit_code


def _defect() -> int:
    message = "this is a defect of Seatrial; please report it with the lines above"
    if output.json_asked():
        _print_error_object(
            "this is a defect of Seatrial; its traceback is on standard error",
            None,
            Defect.exit_code,
        )
    print(printable(traceback.format_exc()), file=sys.stderr)
    print(f"error: {message}", file=sys.stderr)
    return Defect.exit_code


def _print_error_object(message: str, hint: str | None, exit_code: int) -> None:
    output.print_json({"error": output.error_json(message, hint, exit_code)})


def main() -> None:
    """The console script: a user's mistake never shows a traceback, and a signal cleans up before
    it ends.
    """

    def interrupt(number: int, _frame: object) -> None:
        # Another signal must not interrupt the clean-up.
        for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(other, signal.SIG_IGN)
        ended = f"ended by {signal.Signals(number).name}"
        raise Interrupted(
            f"{ended}; its agents were ended, and the lab that it had booted was taken down"
        )

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    make_printable()
    raise_descriptor_limit()
    sys.exit(invoke(sys.argv[1:]))
