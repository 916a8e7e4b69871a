"""How much a command prints, and in which form: set by options, for one invocation of the program."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seatrial.basics.errors import InputError

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

    @property
    def level(self) -> Level:
        """The level of these options."""
        if self.quiet:
            return Level.QUIET
        return Level.VERBOSE if self.verbose else Level.NORMAL


_current = Output()


def reset() -> None:
    """Forget the options of an earlier invocation in the same process."""
    _current.quiet = _current.verbose = _current.as_json = False


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


def json_asked() -> bool:
    """Whether this invocation prints JSON."""
    return _current.as_json


def terminal() -> Terminal:
    """The terminal that prints as much as the options ask for."""
    from seatrial.service.terminal import Terminal

    level = _current.level
    return Terminal(quiet=level is Level.QUIET, verbose=level is Level.VERBOSE)
