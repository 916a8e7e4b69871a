"""Asks before anything on real hosts is changed or interrupted. The emulated lab never asks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from seatrial.basics.errors import InputError, SeatrialError
from seatrial.basics.printable import printable

if TYPE_CHECKING:
    from seatrial.faults.base import FaultCase
    from seatrial.plan.site import Site
    from seatrial.solutions.base import Wipe
    from seatrial.study.study import Study


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
    if site.traits.is_temporary or yes:
        return
    if not _is_terminal():
        hint = f"check it with {preview}, then add --yes"
        raise InputError(f"{sentence}; without a terminal this needs --yes", hint)
    describe()
    if not _answered_yes(f"{printable(sentence)}.\nContinue?"):
        raise NotConfirmed("not confirmed; nothing was changed")


def confirm_faults(
    study: Study, faults: Sequence[FaultCase], consented: Sequence[str]
) -> tuple[str, ...]:
    """Ask about each fault that runs commands of the site and that --consent does not name.

    Returns every fault with consent. InputError without a terminal, NotConfirmed unless each answer
    is `y` or `yes`.
    """
    from seatrial.faults.consent import check_consent, check_names, without_consent

    check_names(study, consented)
    missing = without_consent(study, faults, consented)
    if missing and not _is_terminal():
        check_consent(study, faults, consented)
    for item in missing:
        commands = "".join(f"  {printable(line)}\n" for line in item.lines)
        sys.stderr.write(
            f"{item.name} ({printable(item.title)}) runs commands of the site:\n{commands}"
        )
        if not _answered_yes(f"Consent to {item.name}?"):
            hint = f"leave it out with --only, or add --consent {item.name}"
            raise NotConfirmed(f"no consent to {item.name}; nothing was changed", hint)
    return (*consented, *(item.name for item in missing))


def _is_terminal() -> bool:
    """Whether a person can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _answered_yes(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def erased_words(wipe: Wipe) -> str:
    """Which devices --wipe allows to be erased."""
    devices_of_nodes = [
        f"{node}:{device}" for node, devices in wipe.items() for device in sorted(devices)
    ]
    return (
        f"may erase {', '.join(devices_of_nodes)}"
        if devices_of_nodes
        else "erases no disk that is not blank"
    )


def describe_named(study: Study, wipe: Wipe, say: Callable[[str], None]) -> None:
    """Print the contents of each device that --wipe names."""
    from seatrial.advice.preflight import tell_named
    from seatrial.cli.studies import running_of

    if wipe:
        tell_named(running_of(study), wipe, say)
