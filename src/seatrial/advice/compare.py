"""Two records side by side: how every point that both have differs, and which differences the repeats decide.

A difference is real when the 95 % interval of the ratio of the means (Welch) excludes 1. Points that may not be
believed (`PhaseResult.doubts`) are left out, on either side. Among many comparisons some intervals exclude 1 by
chance: how many is said.

Points of Seatrial's own records are the same where the experiment, what varies and the phase are. What another program
measured (`seatrial import`) has no such names: there, points are the same where the same was done, by phase, pattern,
record size and number of tasks.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from seatrial.advice.foreign import FORM
from seatrial.analysis.compared import Compared, Finding
from seatrial.analysis.statistics import Sample, difference
from seatrial.basics.errors import InputError
from seatrial.basics.units import counted, format_size
from seatrial.judge.judge import study_of
from seatrial.record.phases import PhaseResult, doubts_of
from seatrial.record.quantities import quantity_of
from seatrial.record.record import Record
from seatrial.service.variants import vary
from seatrial.study.points import Point, phase_text, point_text, points
from seatrial.study.workload import NAME_PHASES

CHANCE = 0.05
"""the share of comparisons that differ by chance alone at 95 %"""


@dataclass(frozen=True)
class Comparison:
    """All of them, and what could not be compared."""

    rows: tuple[Compared, ...]
    left_out: tuple[str, ...] = field(default=())
    """`fig7 clients=8 read: limited by the lab's CPUs or partial in the second record`"""

    @property
    def by_chance(self) -> float:
        """How many of the rows with an interval would be found to differ if nothing did."""
        return CHANCE * sum(row.low is not None for row in self.rows)


_Named = Callable[[PhaseResult], Hashable]


def compare(a: Record, b: Record) -> Comparison:
    """The second record against the first, point by point, in the order of the first.

    InputError where they have no point in common that may be compared.
    """
    sides = (_points(a, _by_name), _points(b, _by_name))
    pairs = [(sides[0].get(key, []), sides[1].get(key, [])) for key in dict.fromkeys([*sides[0], *sides[1]])]
    if _imported(a) or _imported(b):
        pairs = _same_deeds(a, b)
    rows, left_out = [], []
    for pair in pairs:
        reason = _reason(pair)
        first = next(side[0] for side in pair if side)
        if reason:
            left_out.append(f"{phase_text(first.experiment, first.point, first.phase)}: {reason}")
        else:
            rows.append(_compared(first, *(_usable(side) for side in pair)))
    if not rows:
        reasons = "; ".join(left_out[:3]) or "no phase was measured in either"
        cut = " and ".join(dict.fromkeys(str(side.folder) for side in (a, b) if not side.complete))
        raise InputError(
            f"{a.folder} and {b.folder} have no point in common that may be compared: {reasons}",
            f"go on with what was not completed ({cut}): seatrial run STUDY --resume RECORD" if cut else None,
        )
    return Comparison(tuple(rows), tuple(left_out))


def common_points(a: Record, b: Record) -> tuple[Compared, ...]:
    """The rows of `compare`; none where they have no point in common."""
    try:
        return compare(a, b).rows
    except InputError:
        return ()


def _imported(record: Record) -> bool:
    return record.first("run").get("form") == FORM


def _same_deeds(a: Record, b: Record) -> list[tuple[list[PhaseResult], list[PhaseResult]]]:
    """Each point of the one that has names of its own beside what was the same in the other; then what has none."""
    swapped = _imported(a) and not _imported(b)
    named, other = (b, a) if swapped else (a, b)
    deed, other_deed = _deed_of(named), _deed_of(other)
    others, found = _points(other, other_deed), _points(named, _by_name).values()
    pairs = [(group, others.get(deed(group[0]), [])) for group in found]
    met = {deed(group[0]) for group in found}
    pairs += [([], group) for key, group in others.items() if key not in met]
    return [(second, first) for first, second in pairs] if swapped else pairs


def _deed_of(record: Record) -> _Named:
    """(phase, pattern, record, tasks of all clients) of a phase of this record; of names only phase and tasks."""
    known: Mapping[tuple[str, str], Point] = {}
    if not _imported(record):
        study = study_of(record)
        experiments = study.experiments_in(record.first("run").get("form", "full"))
        known = {
            (name, point.name): point
            for name, experiment in experiments.items()
            for point in points(experiment, len(vary(study).solution.clients))
        }

    def deed(phase: PhaseResult) -> Hashable:
        pattern, size, tasks = (phase.point.get(key) for key in ("pattern", "record", "tasks"))
        if point := known.get((phase.experiment, point_text(phase.point) or "only")):
            work = point.workload
            pattern, size = work.pattern.removesuffix("-with-replacement"), format_size(work.record)
            tasks = point.clients * work.tasks
        # Two programs that do not say how much each did at once did not do the same; their tests' names must agree.
        test = phase.point.get("test") if tasks is None else None
        return (phase.phase, tasks, test) if phase.phase in NAME_PHASES else (phase.phase, pattern, size, tasks, test)

    return deed


def _by_name(phase: PhaseResult) -> Hashable:
    return phase.experiment, repr(sorted(phase.point.items())), phase.phase


def _points(record: Record, key: _Named) -> dict[Hashable, list[PhaseResult]]:
    found: dict[Hashable, list[PhaseResult]] = {}
    for phase in record.phases:
        found.setdefault(key(phase), []).append(phase)
    return found


def _usable(phases: Sequence[PhaseResult]) -> list[PhaseResult]:
    return [item for item in phases if item.believable and quantity_of(item.phase).of(item)]


def _reason(sides: Sequence[Sequence[PhaseResult]]) -> str | None:
    for side, name in zip(sides, ("first", "second"), strict=True):
        if not side:
            return f"not in the {name} record"
        if not _usable(side):
            return f"{doubts_of(side) or 'without a figure'} in the {name} record"
    return None


def _compared(first: PhaseResult, a: Sequence[PhaseResult], b: Sequence[PhaseResult]) -> Compared:
    quantity = quantity_of(first.phase)
    samples = [Sample(tuple(quantity.of(item) / quantity.divisor for item in side)) for side in (a, b)]
    change = difference(*samples)
    finding: Finding = "not decided"
    if change is not None and change.low > 0:
        finding = "higher"
    elif change is not None and change.high < 0:
        finding = "lower"
    return Compared(
        experiment=first.experiment,
        point=first.point,
        phase=first.phase,
        unit=quantity.unit,
        a=samples[0].mean,
        b=samples[1].mean,
        a_repeats=len(a),
        b_repeats=len(b),
        ratio=samples[1].mean / samples[0].mean,
        low=change.low + 1 if change else None,
        high=change.high + 1 if change else None,
        finding=finding,
    )


def comparison_table(comparison: Comparison) -> str:
    """For people: a line for each row, what was left out, and how to read it."""
    names = [phase_text(row.experiment, row.point, row.phase) for row in comparison.rows]
    width = max(44, *(len(name) + 1 for name in names))
    lines = [f"{'':{width}s}{'A':>9s}{'B':>9s}  {'':13s}{'B/A':>7s}  {'95 % interval':16s}"]
    for name, row in zip(names, comparison.rows, strict=True):
        interval = "one repeat" if row.low is None else f"{row.low:.3f} to {row.high:.3f}"
        values = f"{row.a:9.4g}{row.b:9.4g}  {row.unit:13s}{row.ratio:7.3f}"
        lines.append(f"{name:{width}s}{values}  {interval:16s}  {row.finding}")
    lines += [f"left out: {text}" for text in comparison.left_out]
    decided = sum(row.finding != "not decided" for row in comparison.rows)
    compared = sum(row.low is not None for row in comparison.rows)
    lines.append(
        f"{decided} of {counted(compared, 'difference')} {'is' if decided == 1 else 'are'} decided by the repeats; "
        f"about {comparison.by_chance:.1f} would be if nothing differed"
        if compared
        else "no difference can be decided: no point has two repeats on both sides"
    )
    return "\n".join(line.rstrip() for line in lines)
