"""The errors that a user can meet, and their exit codes.

Exit codes are a contract (docs/command-line.md): `PASSED` to `INTERRUPTED`, one number for each
meaning.
"""

import difflib
import errno
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

PASSED = 0
"""every acceptance criterion passed; for verbs without criteria: done"""
FAILED = 1
"""an acceptance criterion failed, whatever else happened"""
WRONG_INPUT = 2
"""the user's study, option or file is wrong"""
UNDECIDED = 3
"""the run came to its end, no criterion failed, and one or more are `unknown`"""
NOT_COMPLETED = 4
"""the run, or another verb, did not come to its end"""
INTERRUPTED = 130
"""a signal ended it: the number that a shell gives a program that SIGINT ended"""


class SeatrialError(Exception):
    """The error, its place, and the remedy: printed without a traceback.

    `hint` is the remedy, printed on a separate line.
    """

    exit_code = NOT_COMPLETED

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


_LONG_WORD = re.compile(r"\S{500,}")
"""longer than any name or message; the path of a file may be as long, and is printed whole where
possible"""


class InputError(SeatrialError):
    """The user's study, option or file is wrong; the message shows only the ends of a word of
    thousands of characters.
    """

    exit_code = WRONG_INPUT

    def __init__(self, message: str, hint: str | None = None, *, reason: str | None = None) -> None:
        """`reason`: the message without its place in a file."""
        super().__init__(
            _LONG_WORD.sub(lambda word: f"{word[0][:200]}[...]{word[0][-100:]}", message), hint
        )
        self.reason = reason or message


class Refused(ValueError):  # noqa: N818 - it is no error of ours
    """The request of a study cannot be done with it; the caller that knows the place in the study
    reports it as the user's mistake.

    For conditions that a pydantic validator cannot see. Any other ValueError there is a defect.
    """


def closest(word: str, known_words: Sequence[str]) -> str | None:
    """The word that was meant, where one is near enough."""
    return next(iter(difflib.get_close_matches(word, known_words, n=1, cutoff=0.7)), None)


def suggestion(word: str, known_words: Sequence[str], all_of_them: str | None = None) -> str:
    """The word that was meant, or the words that list every known one."""
    meant = closest(word, known_words)
    return (
        f"did you mean {meant!r}?" if meant else all_of_them or f"one of {', '.join(known_words)}"
    )


def not_known(word: str, known_words: Sequence[str]) -> str:
    """The words for a word that is not known."""
    return f"{word!r} is not known; {suggestion(word, known_words)}"


Value = TypeVar("Value")


def option(name: str, read: Callable[[str], Value], text: str) -> Value:
    """The value that `read` returns for the text of an option or argument; InputError that names
    the option where the text is invalid.
    """
    try:
        return read(text)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None


class RunError(SeatrialError):
    """The run could not be completed: a node did not boot, ssh was refused, a step failed."""


NO_PATH = {errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP}
"""errors of a path that cannot exist on any machine: the user wrote it so"""
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
"""errors of files and disks without a cause in the input or in Seatrial"""
WHY_NO_PATH = {errno.ENOTDIR: "a part of this path is a file, and holds nothing"}


def file_error(
    error: OSError, what: str | None = None, hint: str | None = None
) -> SeatrialError | None:
    """The error to report for an error of a file: a user's path, or a machine's state; None where
    it is a defect.
    """
    detail = (
        f"{what or error.filename or 'a file'}: {WHY_NO_PATH.get(error.errno or 0, error.strerror)}"
    )
    if error.errno in NO_PATH:
        return InputError(detail, hint or "give another path")
    return RunError(detail, hint) if error.errno in OF_THE_MACHINE else None


class Defect(SeatrialError):  # noqa: N818 - the word for it
    """Seatrial itself is wrong, not its input: the result has the traceback."""


class Interrupted(BaseException):
    """A signal requested the end of the program; every clean-up runs before it ends.

    No `Exception`, as KeyboardInterrupt is none: code that takes an error for an answer and
    continues must not catch this.
    """

    exit_code = INTERRUPTED
    hint: str | None = None
