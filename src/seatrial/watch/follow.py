"""Follows the files of a result: each poll reads the appended lines, and gives a snapshot."""

import json
import time
from pathlib import Path

from seatrial.basics.errors import InputError, SeatrialError
from seatrial.basics.printable import command
from seatrial.judge.judge import exit_words, judge
from seatrial.result.live import LIVE, is_running
from seatrial.result.result import as_written, is_result, read_result
from seatrial.result.sealed import LINES
from seatrial.watch.snapshot import Snapshot
from seatrial.watch.state import RunState
from seatrial.watch.tail import Tail


class Follower:
    """One result as it grows; the views poll it about once a second."""

    def __init__(self, folder: Path) -> None:
        """InputError where the folder is no result."""
        if not is_result(folder):
            raise InputError(
                f"{folder}: there is no result in this folder",
                "give the folder that `seatrial run` prints, or none for the newest running run",
            )
        self._folder = folder
        self._state = RunState()
        self._tails = (Tail(folder / LINES), Tail(folder / LIVE))
        self._too_long = 0
        self._verdict: str | None = None

    def poll(self) -> Snapshot:
        """The state now; once the run has ended, with the meaning of its verdicts."""
        # Asked first: lines that come after the answer are read in any case.
        is_written = is_running(self._folder)
        for tail in self._tails:
            for line in tail.lines():
                self._state.feed(line)
        too_long = sum(tail.too_long for tail in self._tails)
        self._state.note_unreadable(too_long - self._too_long)
        self._too_long = too_long
        if not is_written and self._verdict is None:
            self._verdict = verdict_of(self._folder)
        return self._state.snapshot(
            time.time(), result=str(self._folder), is_written=is_written, verdict=self._verdict
        )

    def close(self) -> None:
        """Close the files."""
        for tail in self._tails:
            tail.close()


def verdict_of(folder: Path) -> str:
    """The meaning of a result's verdicts in one sentence; it is judged, and nothing is written.

    The reason where it cannot be judged.
    """
    try:
        result = read_result(folder)
        with as_written(folder):
            return exit_words(result, judge(result))
    except SeatrialError as error:
        return f"it cannot be judged: {error}"


def newest_running(results: Path) -> Path:
    """The result of the run that began last among those in progress; InputError without one."""
    running = [path.parent for path in results.glob(f"*/{LIVE}") if is_running(path.parent)]
    if not running:
        raise InputError(
            f"{results}: no run is in progress", f"name a result: {command('watch', 'RESULT')}"
        )
    return max(running, key=_began_unix_s)


def _began_unix_s(folder: Path) -> float:
    """When a run began; 0 where its first line cannot be read."""
    try:
        with (folder / LINES).open() as file:
            return float(json.loads(file.readline())["unix_s"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0
