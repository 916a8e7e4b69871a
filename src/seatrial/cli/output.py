"""How much a command prints, and in which form: the options of one invocation."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside

if TYPE_CHECKING:
    from seatrial.service.terminal import Terminal


class Level(enum.IntEnum):
    """How much is printed on standard error."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


@dataclass
class Output:
    """What the options of the invocation ask for."""

    quiet: bool = False
    verbose: bool = False
    as_json: bool = False
    words: tuple[str, ...] = ()

    @property
    def level(self) -> Level:
        """The level of these options, else of the user's settings."""
        from seatrial.basics.settings import settings

        if self.verbose:
            return Level.VERBOSE
        return Level.QUIET if self.quiet or settings().quiet else Level.NORMAL


_current = Output()


def reset(words: Sequence[str]) -> None:
    """Begin an invocation with these words; options of earlier ones in this process are reset."""
    _current.quiet = _current.verbose = _current.as_json = False
    _current.words = tuple(words)


def words() -> tuple[str, ...]:
    """The command line, without the program's name."""
    return _current.words


def ask_for(*, quiet: bool, verbose: bool) -> None:
    """Add the options of the program or of a verb; InputError where both are asked for."""
    _current.quiet |= quiet
    _current.verbose |= verbose
    if _current.quiet and _current.verbose:
        raise InputError("--quiet and --verbose exclude each other")


def note_json(value: bool) -> bool:
    """Note that a verb has --json: its errors are JSON objects as well."""
    _current.as_json |= value
    return value


def print_json(data: Any) -> None:
    """Print the one object of a command; a figure that is not finite is null."""
    from seatrial.basics.finite import json_text

    print(json_text(data))


def error_json(message: str, hint: str | None, exit_code: int) -> dict[str, Any]:
    """An error as an object has it."""
    return {"message": message, "hint": hint, "exit_code": exit_code}


def json_asked() -> bool:
    """Whether this invocation prints JSON."""
    return _current.as_json


def note(text: str) -> None:
    """Print what explains a result on standard error; nothing when quiet."""
    if _current.level is not Level.QUIET:
        say_aside(text)


def terminal() -> Terminal:
    """The terminal that prints as much as the options ask for."""
    from seatrial.service.terminal import Terminal

    level = _current.level
    return Terminal(quiet=level is Level.QUIET, verbose=level is Level.VERBOSE)
