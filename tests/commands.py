"""Verbs without a process of their own: starting an interpreter and importing all takes longer than most of them."""

import contextlib
import io
import os
import subprocess
from pathlib import Path
from unittest import mock

from seatrial import cli


def in_process(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What the command would say with its output piped, and its exit code: all of it but `main`'s signals."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, NO_COLOR="1", COLUMNS="300"),
    ):
        code = cli.invoke(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
