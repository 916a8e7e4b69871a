"""Asks before anything on real hosts is changed or interrupted. The emulated lab never asks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from seatrial.basics.errors import InputError, SeatrialError
from seatrial.basics.printable import printable

if TYPE_CHECKING:
    from seatrial.plan.site import Site
    from seatrial.solutions.base import Wipe
    from seatrial.study.study import Study

EMULATED = "emulated"
"""the kind of lab that is made for the study: nothing in it belongs to anyone else"""


class NotConfirmed(SeatrialError):  # noqa: N818 - the answer is no error of the program
    """The answer to the question was no."""


def confirm(
    site: Site,
    sentence: str,
    *,
    yes: bool,
    describe: Callable[[], None],
    preview: str = "--dry-run",
) -> None:
    """Print what will happen and wait for the answer.

    `describe` prints more, from the nodes; it is called only where there is a question.
    `preview`: the option or command that shows the changes first.
    InputError without a terminal and without --yes, NotConfirmed unless the answer is `y` or `yes`.
    """
    if site.kind == EMULATED or yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        hint = f"check it with {preview}, then add --yes"
        raise InputError(f"{sentence}; without a terminal this needs --yes", hint)
    describe()
    sys.stderr.write(f"{printable(sentence)}.\nContinue? [y/N] ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip().lower()
    if answer not in {"y", "yes"}:
        raise NotConfirmed("not confirmed; nothing was changed")


def erased_words(wipe: Wipe) -> str:
    """Which devices --wipe allows to be erased."""
    named = [f"{node}:{device}" for node, devices in wipe.items() for device in sorted(devices)]
    return f"may erase {', '.join(named)}" if named else "erases no disk that is not blank"


def describe_named(study: Study, wipe: Wipe, say: Callable[[str], None]) -> None:
    """Print the contents of each device that --wipe names."""
    from seatrial.advice.preflight import tell_named
    from seatrial.cli.studies import running_of

    if wipe:
        tell_named(running_of(study), wipe, say)
