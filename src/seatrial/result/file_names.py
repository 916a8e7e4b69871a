"""The names of the files of a result."""

import re

from seatrial.basics.text import shortened

FILE_NAME_MAX = 240
"""letters of a file name next to the lines; most file systems allow 255, and `~2` may follow"""


def kept_name(name: str) -> str:
    """The path, in the result, of a file that was kept under this name."""
    folder, gap, file = name.rpartition("/")
    return f"{folder}{gap}{shortened(file, FILE_NAME_MAX)}"


def phase_file_title(experiment: str, point: str, repeat: int, phase: str) -> str:
    """The name of a phase in file names. `point`: its name in results."""
    return f"{experiment} {point} repeat {repeat} {phase}"


def common_file(title: str) -> str:
    """The file with the lines of all agents of a phase with many clients."""
    return kept_name(f"agent/{safe_name(title)}.jsonl.gz")


def safe_name(text: str) -> str:
    """A file name made of `text`."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", text)
