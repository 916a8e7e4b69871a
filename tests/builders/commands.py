"""Verbs run in this process: a new interpreter with all imports takes longer than most verbs."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import typer

from seatrial import cli
from seatrial.cli import app


def in_process(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The output of the command as through a pipe, and its exit code; the signals of `main`
    are left out.
    """
    out = io.StringIO()
    err = io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, NO_COLOR="1", COLUMNS="300"),
    ):
        code = cli.invoke(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


class Tty(io.StringIO):
    """A terminal with typed input, or with shown output."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def commands(at: Any, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every verb, also of those of `lab`."""
    for name, command in at.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, *words, name)
        else:
            yield (*words, name)


EVERY = list(commands(typer.main.get_command(app)))
SEATRIAL = Path(sys.prefix) / "bin" / "seatrial"


def seatrial(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the real command, with its output piped."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "300"}
    return subprocess.run(
        [str(SEATRIAL), *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        timeout=120,
        check=False,
    )


def parsed(command: str) -> None:
    """Let the program parse a command without carrying it out; SystemExit or a usage error where it
    cannot.
    """
    arguments = shlex.split(re.split(r" [|>] ", command)[0], comments=True)[1:]
    at: Any = typer.main.get_command(app)
    context = None
    while True:
        context = at.make_context(
            arguments[0] if arguments else "seatrial", list(arguments), parent=context
        )
        arguments = [*getattr(context, "_protected_args", []), *context.args]
        if not hasattr(at, "commands"):
            return
        assert arguments, command
        _, at, arguments = at.resolve_command(context, arguments)


def sudoers_of(page: Path) -> list[str]:
    """The files for sudoers.d that a page shows."""
    return re.findall(r"^```sudoers\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
