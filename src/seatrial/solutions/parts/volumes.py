"""What a study has made on a node's own disks is known by UUID; which that is lies beside the study's mark."""

import shlex
from pathlib import Path

from seatrial.solutions.parts.kept import MADE

FUNCTIONS = (Path(__file__).parent / "volumes.sh").read_text(encoding="ascii")


def call(function: str, study_id: str, *words: str) -> str:
    """sh: one of the functions, of the study's own file."""
    return f"{function} {shlex.join((f'{MADE}/{study_id}/volumes', *words))}"
