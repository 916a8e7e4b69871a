"""`controller.log` of a result: one line for each remote command and action of its run.

The columns, separated by tabs, are those of `docs/result-format.md`.
"""

import contextlib
import logging
import time
from pathlib import Path
from typing import Literal

from seatrial.basics.command_log import LOGGER, SEPARATOR

FILE = "controller.log"
Level = Literal["info", "debug"]


class _File(logging.FileHandler):
    """Appends to the file. A full disk ends the run at its next line, so it is no error here."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - of logging
        """Leave the line out."""


class _Utc(logging.Formatter):
    """`2026-07-01T10:15:00.123Z`, the level, and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """One line of the file."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        stamp = f"{seconds}.{int(record.msecs):03d}Z"
        return SEPARATOR.join((stamp, record.levelname, record.getMessage()))


class ControllerLog:
    """The log of one run, from its creation until `close`; the file exists from its first line."""

    def __init__(self, folder: Path, level: Level) -> None:
        self._handler = _File(folder / FILE, encoding="utf-8", delay=True)
        self._handler.setFormatter(_Utc())
        self._level_before = LOGGER.level
        LOGGER.setLevel(level.upper())
        LOGGER.addHandler(self._handler)

    def close(self) -> None:
        """End the log; later records go nowhere. A second call does nothing."""
        if self._handler in LOGGER.handlers:
            LOGGER.removeHandler(self._handler)
            LOGGER.setLevel(self._level_before)
        with contextlib.suppress(OSError):  # what the full disk did not take
            self._handler.close()
