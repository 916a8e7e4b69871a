"""How a series changes from its first value to its last, with every step between them.

A direction is that from the first value to the last. A series that turns between them does not have
that direction. Therefore each step, and the difference from each value to the last, is tested too,
so that all of them together are wrong in 5 % of cases (Holm). In a flat series the difference of
every value from the first is not resolved.
"""

from collections.abc import Sequence
from typing import Any

from seatrial.analysis.statistics import LEVEL, Difference, Direction, decided, difference
from seatrial.judge.answer import Answer, Contrary, inconclusive
from seatrial.judge.comparing import NOT_RESOLVED
from seatrial.judge.series import NoAnswer, Series, short


def judge_course(
    series: Series, values: Sequence[Any], published: Direction, level: float = LEVEL
) -> Answer:
    """Whether a series changes in a direction, over these values in their order.

    `level`: the probability of a false contradiction. NoAnswer where the first or the last value
    has no two repeats.
    """
    if len(values) < 2:
        raise NoAnswer(f"{series.title} has only one valid point{series.excuse()}")
    change = difference_of(series, values[0], values[-1])
    turns = decided(_steps(series, values), NOT_RESOLVED, level)
    direction = change.direction(NOT_RESOLVED)
    where = (
        f"{series.title} from {short(series.over)} {values[0]} to {values[-1]}: "
        f"{change_words(change)}"
    )
    against = [f"{step} goes {turn}" for step, turn in turns.items() if turn != published]
    if against:
        return Answer(
            _contrary(published, direction, set(turns.values())), f"{where}; {', '.join(against)}"
        )
    if published == "flat":
        if all(_is_flat(series, values[0], value) for value in values[1:]):
            return Answer("agrees", f"{where}, which is flat")
        return inconclusive(f"{where}; the repeats do not decide it")
    if direction is None:
        return inconclusive(f"{where}; the repeats do not decide it")
    if direction == published:
        return Answer("agrees", f"{where}, which is {direction}")
    return Answer(_contrary(published, direction, {direction}), f"{where}, which is {direction}")


def _contrary(published: Direction, direction: Direction | None, turns: set[Direction]) -> Contrary:
    """A rate that declines where it was published not to is worse; one that does not where it was,
    better.
    """
    if published == "down" and direction in ("up", "flat"):
        return "better"
    if published == "flat" and turns == {"down"}:
        return "worse"
    return "worse" if published == "up" and direction == "down" else "different"


def _steps(series: Series, values: Sequence[Any]) -> dict[str, Difference]:
    """The differences from each value to the next, and from each to the last; values with one
    measurement have none.
    """
    last = len(values) - 1
    pairs = [(at, other) for at in range(last) for other in sorted({at + 1, last})]
    steps = {}
    for at, other in pairs:
        change = difference(series.at(values[at]), series.at(values[other]))
        if change is not None:
            steps[f"{values[at]} to {values[other]}"] = change
    return steps


def _is_flat(series: Series, first: Any, value: Any) -> bool:
    """Whether the whole interval of a difference is too small to be resolved."""
    change = difference(series.at(first), series.at(value))
    return change is not None and change.direction(NOT_RESOLVED) == "flat"


def difference_of(series: Series, a: Any, b: Any) -> Difference:
    """The difference of the second value of a series from the first; NoAnswer where one has no
    repeats.
    """
    change = difference(series.at(a), series.at(b))
    if change is None:
        raise NoAnswer(f"{series.title} has too few valid repeats for a trend{series.excuse()}")
    return change


def change_words(change: Difference) -> str:
    """A difference in words."""
    return f"{change.relative:+.0%} (95 % interval {change.low:+.0%} to {change.high:+.0%})"
