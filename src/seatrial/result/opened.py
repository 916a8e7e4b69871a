"""The results that a verb reads: each seal is verified, and its defects are reported first.

A verb that prints figures of an edited result prints them, and ends with an error: `opened` raises
it at the end.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from seatrial.basics.errors import SeatrialError
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import Seal

SAID_MAX = 10
"""highest number of contradictions of one result that are reported"""
Say = Callable[[str], None]


class BrokenSeal(SeatrialError):  # noqa: N818 - it names what is wrong
    """A result is not as its run left it; the exit code is 3, as for every undecided result."""

    exit_code = 3

    def __init__(self, folders: list[Path]) -> None:
        names = ", ".join(str(folder) for folder in folders)
        problem = (
            "is not as its run left it" if len(folders) == 1 else "are not as their runs left them"
        )
        super().__init__(
            f"{names} {problem}: nothing is decided",
            "take an unedited copy, or run the study again",
        )


class Opened:
    """Reads results and keeps in mind which of them were edited."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self.broken: list[Path] = []

    def read(self, folder: Path) -> Result:
        """The result in a folder, as `read_result`; reports the state of its seal, and lines that
        cannot all be true.
        """
        result = read_result(folder)
        self.note(folder, result.seal)
        for item in result.contradictions[:SAID_MAX]:
            self._say(f"result: {item.words}")
        if len(result.contradictions) > SAID_MAX:
            self._say(f"result: and {len(result.contradictions) - SAID_MAX} more contradictions")
        return result

    def note(self, folder: Path, seal: Seal) -> None:
        """Report the state of a result's seal, unless it is intact."""
        if seal.words:
            self._say(f"seal: {folder}: {seal.words}")
        if seal.is_broken:
            self.broken.append(folder)


@contextlib.contextmanager
def opened(say: Say) -> Iterator[Opened]:
    """For the body of a verb: BrokenSeal at its end where a result that it read was edited.

    An error of the verb itself is then printed, and does not hide this one.
    """
    results = Opened(say)
    try:
        yield results
    except BrokenSeal:
        raise
    except SeatrialError as error:
        if not results.broken:
            raise
        say(f"error: {error}")
    if results.broken:
        raise BrokenSeal(results.broken)


def unedited(folder: Path) -> Result:
    """The result in a folder; BrokenSeal where it was edited, for callers that would seal
    it again.
    """
    result = read_result(folder)
    if result.seal.is_broken:
        raise BrokenSeal([folder])
    return result
