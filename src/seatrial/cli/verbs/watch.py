"""The verb `watch`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seatrial.basics.errors import InputError, Interrupted
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultsFolder
from seatrial.cli.studies import results_folder

if TYPE_CHECKING:
    from seatrial.watch.follow import Follower


def watch(
    result_path: Annotated[
        Path | None,
        typer.Argument(
            metavar="RESULT",
            help="the folder of a run  [default: the newest run in progress]",
            show_default=False,
        ),
    ] = None,
    out: ResultsFolder = None,
    once: Annotated[bool, typer.Option("--once", help="print the state now, and end")] = False,
    web: Annotated[bool, typer.Option("--web", help="serve a page on this machine")] = False,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            metavar="PORT",
            help="of --web  [default: any free port]",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the clients, faults and progress of a run while it is in progress.

    It ends with the run. It changes nothing, and the run does not depend on it.
    """
    from seatrial.watch.follow import Follower, newest_running

    if port is not None and not web:
        raise InputError("--port is the port of --web", "give --web as well")
    if web and (once or as_json):
        raise InputError("--web excludes --once and --json")
    folder = newest_running(results_folder(out)) if result_path is None else result_path
    follower = Follower(folder)
    try:
        if as_json:
            output.print_json(follower.poll().to_json())
        elif once:
            _print_once(follower)
        else:
            _follow(follower, port or 0, web=web)
    except Interrupted:
        raise Interrupted("the view has ended; the run is not affected") from None
    finally:
        follower.close()


def _print_once(follower: Follower) -> None:
    from seatrial.watch.text import as_text

    print(as_text(follower.poll()))


def _follow(follower: Follower, port: int, *, web: bool) -> None:
    """Show the run until it has ended, then print the meaning of its verdicts."""
    from seatrial.service.terminal import result_console
    from seatrial.watch import page, terminal

    if web:
        last = page.follow(follower.poll, port, lambda url: print(url, flush=True))
    else:
        last = terminal.follow(follower.poll, result_console())
    print(last.verdict)
