"""UUIDs of what a study created on a node's disks; they are stored next to the study's marker."""

import shlex
from pathlib import Path

from seatrial.solutions.parts.backups import MADE

FUNCTIONS = (Path(__file__).parent / "volumes.sh").read_text(encoding="ascii")


def call(function: str, study_id: str, *arguments: str) -> str:
    """sh: call one of the functions with the study's own file."""
    return f"{function} {shlex.join((f'{MADE}/{study_id}/volumes', *arguments))}"
