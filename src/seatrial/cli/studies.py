"""What most verbs begin with: the study, and a session with its nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seatrial.service.session import Session
    from seatrial.study.study import Study


def results_folder(option: Path | None) -> Path:
    """The folder of all results: that of the option, else that of the user's settings."""
    from seatrial.basics.settings import settings

    return settings().results if option is None else option


def load(path: Path) -> Study:
    """The study at a path, or one by name; InputError names its mistakes."""
    from seatrial.study.study import load_study

    return load_study(path)


def running_of(study: Study) -> Session:
    """A session with nodes that run: hosts, or a lab that is up; RunError where it is not."""
    from seatrial.check import prepare
    from seatrial.service.session import running

    return running(study, *prepare(study))
