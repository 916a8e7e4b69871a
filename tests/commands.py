"""Verbs run in this process: a new interpreter with all imports takes longer than most verbs."""

import contextlib
import io
import os
import subprocess
from pathlib import Path
from unittest import mock

from seatrial import cli


def in_process(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The output of the command as through a pipe, and its exit code; the signals of `main`
    are left out.
    """
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, NO_COLOR="1", COLUMNS="300"),
    ):
        code = cli.invoke(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
