"""The verb `format`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.errors import FAILED
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


def format_studies(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="STUDY", help="studies, their folders, or names of `list`"),
    ],
    check: Annotated[
        bool,
        typer.Option("--check", help="change nothing; exit code 1 if a study is not in the style"),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Format studies in one style, with one line per key. Comments stay.

    The meaning of a study does not change. The command prints the files that it rewrote, or would
    rewrite with `--check`.
    """
    from seatrial.start.formatting import format_studies as formatted

    changed = [str(path) for path in formatted(paths, check=check)]
    if as_json:
        output.print_json({"changed": changed})
    else:
        for path in changed:
            print(path)
    if check and changed:
        raise typer.Exit(FAILED)
