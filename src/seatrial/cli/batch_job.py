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
    consented: Sequence[str] = (),
) -> tuple[str, ...]:
    """The options of a run that begins a result in `results`.

    `consented`: the faults that may run commands of the site.
    """
    in_profile = () if profile == "trial" else (f"--{profile}",)
    names = tuple(word for name in only for word in ("--only", name))
    options = (*_values(changes), *consent_options(consented))
    return (*in_profile, *names, *options, "--out", str(results.absolute()))


def options_of_resumed_run(
    result: Path, changes: Sequence[str], consented: Sequence[str] = ()
) -> tuple[str, ...]:
    """The options of a run that continues `result`, which keeps its profile and its parts."""
    options = (*_values(changes), *consent_options(consented))
    return (*options, "--resume", str(result.absolute()))


def consent_options(consented: Sequence[str]) -> tuple[str, ...]:
    """The options that repeat a consent."""
    return tuple(word for name in consented for word in ("--consent", name))


def _values(changes: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for change in changes for word in ("--set", change))
