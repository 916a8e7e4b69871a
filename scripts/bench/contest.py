"""Contests, and how their contestants take turns."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.ratios import Figures, Row, Spec, row_of


class Failed(Exception):  # noqa: N818 - it ends one contestant, not the program
    """A contestant did not do its work; the text has the reason."""


@dataclass(frozen=True)
class Contest:
    """One piece of work that several contestants do in turns."""

    name: str
    contestants: Mapping[str, Callable[[], Figures]]
    """each does the work once and returns its figures; Failed when it could not"""
    specs: tuple[Spec, ...]
    missing: Mapping[str, str] = field(default_factory=dict)
    """contestant -> why it cannot take part"""
    prepare: Callable[[], None] = lambda: None
    """once, before the first round; outside all figures"""


def orders(names: Sequence[str], rounds: int) -> list[list[str]]:
    """The order of the contestants in each round: each is first equally often, so that none
    always meets the state that another one left.
    """
    length = len(names)
    return [[names[(start + index) % length] for index in range(length)] for start in range(rounds)]


def rows_of(contest: Contest, rounds: int, say: Callable[[str], None]) -> list[Row]:
    """Run the contest. A contestant that fails is reported by `say` and has no further turn."""
    failed = dict(contest.missing)
    names = [name for name in contest.contestants if name not in failed]
    figures_of_rounds: list[dict[str, Figures]] = []
    begun_s = time.monotonic()
    contest.prepare()
    for order in orders(names, rounds):
        figures: dict[str, Figures] = {}
        for name in order:
            if name in failed:
                continue
            try:
                figures[name] = contest.contestants[name]()
            except Failed as error:
                failed[name] = f"{name}: {error}"
                say(f"{contest.name}: {failed[name]}")
        figures_of_rounds.append(figures)
    say(f"{contest.name}: {len(figures_of_rounds)} rounds in {time.monotonic() - begun_s:.0f} s")
    return [row_of(spec, figures_of_rounds, failed) for spec in contest.specs]
