"""Compares two results: how every common point differs, and which differences the repeats decide.

A difference is significant when the 95 % interval of the ratio of the means (Welch) excludes 1.
Invalid points (`PhaseResult.doubts`) of either side are left out. Among many comparisons some
intervals exclude 1 by chance: their expected number is shown.

Points of Seatrial's own results match by experiment, varied values and phase. Results of another
program (`seatrial import`) have no such names: there, points match by their work (`deeds`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from seatrial.advice.deeds import Pair as Sides
from seatrial.advice.deeds import groups, imported, name_of, same_deeds
from seatrial.analysis.compared import Compared, mean_ratio
from seatrial.analysis.regressions import Pair
from seatrial.analysis.statistics import Sample
from seatrial.basics.errors import InputError
from seatrial.basics.units import counted, plain
from seatrial.result.phases import PhaseResult, doubts_of
from seatrial.result.quantities import Quantity, quantity_of_result
from seatrial.result.result import Result
from seatrial.result.validity import is_valid
from seatrial.study.points import phase_text

CHANCE = 0.05
"""the share of comparisons that differ by chance alone at 95 %"""


@dataclass(frozen=True)
class Comparison:
    """All compared points, and those that could not be compared."""

    rows: tuple[Compared, ...]
    left_out: tuple[str, ...] = field(default=())
    """`fig7 clients=8 read: limited by the lab's CPUs or partial in the second result`"""

    @property
    def by_chance(self) -> float:
        """Expected number of rows with an interval that differ by chance."""
        return CHANCE * sum(row.low is not None for row in self.rows)


@dataclass(frozen=True)
class Matched:
    """A point that both results have, with the usable repeats of each."""

    phase: PhaseResult
    """of the first result: the names of the point"""
    pair: Pair
    """in the unit of its quantity"""


def match(a: Result, b: Result) -> tuple[list[Matched], list[str]]:
    """The points that may be compared, in the order of the first result; and those left out, each
    with the reason.
    """
    by_work = imported(a) or imported(b)
    matched = []
    left_out = []
    for sides in same_deeds(a, b) if by_work else _same_names(a, b):
        reason = sides.reason or _reason((sides.first, sides.second))
        first = next(side[0] for side in (sides.first, sides.second) if side)
        if reason:
            left_out.append(f"{phase_text(first.experiment, first.point, first.phase)}: {reason}")
        else:
            quantity = quantity_of_result(first)
            before = _sample(a, sides.first, quantity)
            after = _sample(b, sides.second, quantity)
            matched.append(Matched(first, Pair(before, after)))
    return matched, left_out


def comparison_of(a: Result, b: Result) -> Comparison:
    """The second result compared with the first, point by point, in the order of the first; without
    rows where they have no common valid point.
    """
    matched, left_out = match(a, b)
    rows = [_compared(item.phase, item.pair.before, item.pair.after) for item in matched]
    return Comparison(tuple(rows), tuple(left_out))


def compare(a: Result, b: Result) -> Comparison:
    """As `comparison_of`; InputError where they have no common valid point."""
    comparison = comparison_of(a, b)
    if not comparison.rows:
        reasons = "; ".join(comparison.left_out[:3]) or "no phase was measured in either"
        cut = " and ".join(dict.fromkeys(str(side.folder) for side in (a, b) if not side.complete))
        raise InputError(
            f"{a.folder} and {b.folder} have no point in common that may be compared: {reasons}",
            f"complete the run ({cut}): seatrial run STUDY --resume RESULT" if cut else None,
        )
    return comparison


def common_points(a: Result, b: Result) -> tuple[Compared, ...]:
    """The rows of `compare`; empty without a common point."""
    try:
        return compare(a, b).rows
    except InputError:
        return ()


def _same_names(a: Result, b: Result) -> list[Sides]:
    sides = [{name_of(group[0]): group for group in groups(result)} for result in (a, b)]
    keys = dict.fromkeys([*sides[0], *sides[1]])
    return [Sides(sides[0].get(key, ()), sides[1].get(key, ())) for key in keys]


def _usable(phases: Sequence[PhaseResult]) -> list[PhaseResult]:
    return [item for item in phases if is_valid(item, quantity_of_result(item))]


def _reason(sides: Sequence[Sequence[PhaseResult]]) -> str | None:
    for side, name in zip(sides, ("first", "second"), strict=True):
        if not side:
            return f"not in the {name} result"
        if not _usable(side):
            return f"{doubts_of(side) or 'without a figure'} in the {name} result"
    return None


def _sample(result: Result, side: Sequence[PhaseResult], quantity: Quantity) -> Sample:
    values = tuple(quantity.of(item) / quantity.divisor for item in _usable(side))
    return Sample(values, result.looks(side[0].experiment, side[0].point))


def _compared(first: PhaseResult, a: Sample, b: Sample) -> Compared:
    quantity = quantity_of_result(first)
    change = mean_ratio(a, b)
    return Compared(
        experiment=first.experiment,
        point=first.point,
        phase=first.phase,
        unit=quantity.unit,
        a=a.mean,
        b=b.mean,
        a_repeats=len(a.values),
        b_repeats=len(b.values),
        ratio=change.ratio,
        low=change.low,
        high=change.high,
        finding=change.finding,
    )


_NAME_WIDTH = 42
_FIGURES = (1, 2, 4)
"""the columns that are aligned at their right"""


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The cells of a row, separated by two blanks."""
    padded = [
        cell.rjust(width) if column in _FIGURES else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded)


def comparison_table(comparison: Comparison) -> str:
    """The comparison as text: a line for each row, the points left out, and how to read it."""
    names = [phase_text(row.experiment, row.point, row.phase) for row in comparison.rows]
    cells = [["", "A", "B", "", "B/A", "95 % interval", ""]]
    for name, row in zip(names, comparison.rows, strict=True):
        interval = "one repeat" if row.low is None else f"{row.low:.3f} to {row.high:.3f}"
        figures = [plain(row.a), plain(row.b)]
        cells.append([name, *figures, row.unit, f"{row.ratio:.3f}", interval, row.finding])
    least = (_NAME_WIDTH, 8, 8, 0, 7, 16, 0)
    widths = [
        max(width, *map(len, column))
        for width, column in zip(least, zip(*cells, strict=True), strict=True)
    ]
    lines = [_line(row, widths) for row in cells]
    lines += [f"left out: {text}" for text in comparison.left_out]
    decided = sum(row.finding != "not decided" for row in comparison.rows)
    compared = sum(row.low is not None for row in comparison.rows)
    verb = "is" if decided == 1 else "are"
    if compared:
        lines.append(
            f"{decided} of {counted(compared, 'difference')} {verb} decided by the repeats;"
            f" chance alone would decide about {comparison.by_chance:.1f}"
        )
    else:
        lines.append("no difference can be decided: no point has two repeats on both sides")
    return "\n".join(line.rstrip() for line in lines)
