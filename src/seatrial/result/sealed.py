"""The seal of a result: whether the files that it is read from are as its run left them.

`result.sha256` holds their sums in the form of sha256sum(1). The run writes it when it ends, and
removes it when it is resumed. A seal shows an edit; it does not stop an editor who writes a new
seal.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from seatrial.result.controller_log import FILE as CONTROLLER_LOG

SUMS = "result.sha256"
SEAL_KEY = "seal"
"""of the line `run`: the file that this run is sealed with when it ends"""
LINES = "result.jsonl"
PUBLISHED = "published.yaml"
SEALED = (LINES, "study.yaml", PUBLISHED, CONTROLLER_LOG)
"""the files that have a sum, with those of `SERIES`"""
SERIES = "series/*.jsonl.gz"


class SealState(StrEnum):
    """The state of a result's seal."""

    INTACT = "intact"
    BROKEN = "broken"
    """a file differs from its sum, is gone, or came later"""
    REMOVED = "removed"
    """the run recorded that it was sealed, and the seal is missing"""
    NEVER = "never"
    """of a version of Seatrial that did not seal"""
    OPEN = "open"
    """the run is under way, or was killed"""


@dataclass(frozen=True)
class Seal:
    """The state of a seal, and the files that do not match it."""

    state: SealState
    files: tuple[str, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Whether no verdict may rest on the result."""
        return self.state in (SealState.BROKEN, SealState.REMOVED)

    @property
    def words(self) -> str:
        """The state in words; empty where the seal is intact."""
        files = " and ".join(self.files)
        match self.state:
            case SealState.BROKEN:
                return (
                    f"{files} changed after the run ended ({SUMS} does not match); no verdict "
                    "rests on this result"
                )
            case SealState.REMOVED:
                return (
                    f"its {SUMS} is gone, so an edit cannot be excluded; no verdict rests on this "
                    "result"
                )
            case SealState.NEVER:
                return f"it has no {SUMS}, so an edit cannot be excluded"
            case SealState.OPEN:
                return "the run is under way or was interrupted: nothing is sealed yet"
            case SealState.INTACT:
                return ""


def sums(folder: Path) -> str:
    """The sums of the files as they are now, one line each."""
    names = [*SEALED, *sorted(str(path.relative_to(folder)) for path in folder.glob(SERIES))]
    return "".join(
        f"{_sum(folder / name)}  {name}\n" for name in names if (folder / name).is_file()
    )


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path) -> None:
    """Write the sums of the files that a result is read from."""
    (folder / SUMS).write_text(sums(folder))


def seal_of(folder: Path, *, ended: bool, promised: bool) -> Seal:
    """The state of the seal in a folder.

    `ended`: the result has an end; `promised`: its run recorded that it would be sealed.
    """
    path = folder / SUMS
    if not path.is_file():
        if not ended:
            return Seal(SealState.OPEN)
        return Seal(SealState.REMOVED if promised else SealState.NEVER)
    written = path.read_text(errors="replace")
    actual = sums(folder)
    if written == actual:
        return Seal(SealState.INTACT)
    differing = set(written.splitlines()) ^ set(actual.splitlines())
    differ = {line.partition("  ")[2] for line in differing}
    others = sorted(name for name in differ if Path(name).match(SERIES))
    files = (*(name for name in SEALED if name in differ), *others)
    return Seal(SealState.BROKEN, files or (SUMS,))
