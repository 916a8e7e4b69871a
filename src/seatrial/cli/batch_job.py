"""The command line of a run in a batch job."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seatrial.study.profiles import Profile


def command_of_job(study_path: Path, options: Sequence[str]) -> tuple[str, ...]:
    """The command that a batch job executes. The user has already answered the question."""
    program = Path(sys.executable).parent / "seatrial"
    return (str(program), "run", str(study_path.absolute()), *options, "--yes")


def options_of_new_run(
    profile: Profile,
    only: Sequence[str],
    changes: Sequence[str],
    results: Path,
) -> tuple[str, ...]:
    """The options of a run that begins a result in `results`."""
    in_profile = () if profile == "trial" else (f"--{profile}",)
    names = tuple(word for name in only for word in ("--only", name))
    return (*in_profile, *names, *_values(changes), "--out", str(results.absolute()))


def options_of_resumed_run(result: Path, changes: Sequence[str]) -> tuple[str, ...]:
    """The options of a run that continues `result`, which keeps its profile and its parts."""
    return (*_values(changes), "--resume", str(result.absolute()))


def _values(changes: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for change in changes for word in ("--set", change))
