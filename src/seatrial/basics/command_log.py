"""What the controller does on other machines, as records of Python's `logging`.

A record is one remote command, one start of a stream (such as an agent), its end, or one action of
a fault. It has the node, the duration, the end, the purpose, the command and the last line of
stderr. A purpose is the nesting of `doing`, such as `crash: inject: power off nas`. The input and
output of commands are never in a record, and known secrets are masked. Without a handler nothing
happens; a run adds one (`result/controller_log.py`).
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar

from seatrial.basics.withheld import MASK

LOGGER = logging.getLogger("seatrial.commands")
LOGGER.addHandler(logging.NullHandler())
SEPARATOR = "\t"
NOTHING = "-"
"""an empty field, such as the node of an action that has none"""
COMMAND_MAX = 80
"""characters of a command; with the level debug `DEBUG_MAX`"""
DEBUG_MAX = 4000
ERROR_MAX = 300

_purposes: ContextVar[tuple[str, ...]] = ContextVar("purposes", default=())
_secrets: set[str] = set()


def hide(secrets: Iterable[str]) -> None:
    """Mask these texts in every later record of this process, also as quoted words of a shell."""
    for secret in filter(None, secrets):
        _secrets.update((secret, secret.replace("'", "'\"'\"'")))


def masked(text: str) -> str:
    """The text without the secrets that `hide` was given."""
    for secret in sorted(_secrets, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


@contextlib.contextmanager
def doing(purpose: str) -> Iterator[None]:
    """For the body: this is, within the current purposes, the purpose of its commands."""
    token = _purposes.set((*_purposes.get(), purpose))
    try:
        yield
    finally:
        _purposes.reset(token)


class CommandRecord:
    """One command or action, from its start to its end, which is logged once."""

    def __init__(
        self, node: str, command: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """The purpose is that of the caller, also when another thread logs the end."""
        self._node = node
        self._command = command
        self._purpose = ": ".join(_purposes.get())
        self._clock = clock
        self._started_s = clock()
        self._lock = threading.Lock()
        self._has_ended = False

    def started(self) -> None:
        """Log the start of a command that runs until something else ends it."""
        self._log(logging.INFO, "", "started")

    def ended(self, exit_code: int, stderr: str = "") -> None:
        """Log the end; of stderr the last line, where the command failed."""
        if not self._is_first_end():
            return
        status = f"exit {exit_code}" if exit_code >= 0 else f"signal {-exit_code}"
        error = _last_line(stderr) if exit_code else ""
        self._log(logging.INFO, self._took(), status, error)

    def failed(self, reason: str) -> None:
        """Log that it could not be done, or did not end in time."""
        if self._is_first_end():
            self._log(logging.WARNING, self._took(), "failed", _last_line(reason))

    def done(self) -> None:
        """Log the end of an action that is no command."""
        if self._is_first_end():
            self._log(logging.INFO, self._took(), "done")

    def _is_first_end(self) -> bool:
        with self._lock:
            is_first, self._has_ended = not self._has_ended, True
        return is_first

    def _took(self) -> str:
        return f"{self._clock() - self._started_s:.3f}"

    def _log(self, level: int, took_s: str, status: str, error: str = "") -> None:
        _log(
            level,
            self._node,
            took_s,
            status,
            self._purpose,
            command=self._command,
            error=error,
        )


@contextlib.contextmanager
def recorded(node: str, command: str) -> Iterator[CommandRecord]:
    """For the body, which logs its end; an exception is logged as a failure."""
    record = CommandRecord(node, command)
    try:
        yield record
    except BaseException as error:
        record.failed(str(error) or type(error).__name__)
        raise
    record.done()


def log_step(node: str, title: str, result: str, took_s: float | None) -> None:
    """Log a step of a script at the level debug, and a failed one always."""
    level = logging.WARNING if result == "failed" else logging.DEBUG
    took = "" if took_s is None else f"{took_s:.3f}"
    _log(level, node, took, result, ": ".join((*_purposes.get(), title)))


def log_stall(node: str, text: str) -> None:
    """Log that the storage of a client does not answer."""
    _log(logging.INFO, node, "", "stalled", ": ".join(_purposes.get()), error=text)


def _log(
    level: int,
    node: str,
    took_s: str,
    status: str,
    purpose: str,
    *,
    command: str = "",
    error: str = "",
) -> None:
    """Log one record; empty fields are `NOTHING`."""
    if LOGGER.isEnabledFor(level):
        length = DEBUG_MAX if LOGGER.isEnabledFor(logging.DEBUG) else COMMAND_MAX
        command, error = _cut(command, length), _cut(error, ERROR_MAX)
        fields = (node, took_s, status, masked(purpose), command, error)
        LOGGER.log(level, "%s", SEPARATOR.join(map(_field, fields)))


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _cut(text: str, length: int) -> str:
    """The begin of a text; secrets are masked before, so that no part of one remains."""
    text = masked(text)
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _field(text: str) -> str:
    """The text without characters that would end a field or a line, or that a terminal obeys."""
    if not text.isprintable():
        text = text.encode("unicode_escape").decode("ascii")
    return text or NOTHING
