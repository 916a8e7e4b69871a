"""Matches points with the same work in two results, where one comes from another program.

Such results have no names of a study. The work is the same where phase, pattern, transfer size and
number of tasks agree, and no condition that both results contain differs: queue depth, file size,
O_DIRECT, whether tasks share a file. A condition missing in one result cannot be compared. Two
results of one program agree in all of its settings as well.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from seatrial.advice.foreign import PROFILE
from seatrial.basics.units import format_size
from seatrial.cases import vary
from seatrial.judge.judge import study_of
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.points import Point, point_name, points
from seatrial.study.workload import METADATA_PHASES

_SAID_BY_ALL = ("queue_depth", "file_size", "direct", "access")
_IN_THE_WORK = ("test", "pattern", "transfer_size", "clients", "tasks")
_ACCESS = {
    "n-n": "file per process",
    "n-1-segmented": "shared file",
    "n-1-interleaved": "shared file",
}


@dataclass(frozen=True)
class Deed:
    """The work of a point."""

    work: Hashable
    """must be equal"""
    conditions: Mapping[str, str]
    """conditions in the result: must not differ where both results have them"""
    settings: Mapping[str, str]
    """of the program itself"""
    program: str


@dataclass(frozen=True)
class Pair:
    """A point of the first result and one of the second; `reason` explains a missing one, where
    known.
    """

    first: Sequence[PhaseResult]
    second: Sequence[PhaseResult]
    reason: str | None = None


def imported(result: Result) -> bool:
    """Whether another program measured it."""
    return result.first("run").get("profile") == PROFILE


def same_deeds(a: Result, b: Result) -> list[Pair]:
    """Pairs the named points of one result with the same work of the other; then the unmatched
    ones.
    """
    swapped = imported(a) and not imported(b)
    named_result, other = (b, a) if swapped else (a, b)
    deed = _deed_of(named_result)
    other_deed = _deed_of(other)
    named_groups = groups(named_result)
    others = groups(other)
    pairs = []
    met: set[int] = set()
    for group in named_groups:
        named_deed = deed(group[0])
        same_work = [item for item in others if other_deed(item[0]).work == named_deed.work]
        met |= {id(item) for item in same_work}
        pairs.append(
            _pair(group, named_deed, same_work, [other_deed(item[0]) for item in same_work])
        )
    pairs += [Pair((), group) for group in others if id(group) not in met]
    return [Pair(pair.second, pair.first, pair.reason) for pair in pairs] if swapped else pairs


def groups(result: Result) -> list[list[PhaseResult]]:
    """The repeats of each phase of each point, in the order of the result."""
    repeats: dict[Hashable, list[PhaseResult]] = {}
    for phase in result.phases:
        repeats.setdefault(name_of(phase), []).append(phase)
    return list(repeats.values())


def name_of(phase: PhaseResult) -> Hashable:
    """The identity of a point and phase in a study."""
    return phase.experiment, repr(sorted(phase.point.items())), phase.phase


def _pair(
    group: Sequence[PhaseResult],
    named_deed: Deed,
    candidates: Sequence[Sequence[PhaseResult]],
    deeds: Sequence[Deed],
) -> Pair:
    if not candidates:
        return Pair(group, ())
    differences = [_differences(named_deed, deed) for deed in deeds]
    alike = [
        item for item, difference in zip(candidates, differences, strict=True) if not difference
    ]
    if len(alike) == 1:
        return Pair(group, alike[0])
    if not alike:
        fewest = min(differences, key=len)
        return Pair(group, (), f"not the same in both results: {', '.join(fewest)}")
    exact = [
        item
        for item, deed in zip(candidates, deeds, strict=True)
        if (deed.conditions, deed.settings) == (named_deed.conditions, named_deed.settings)
    ]
    if len(exact) == 1:
        return Pair(group, exact[0])
    ambiguous = f"{len(alike)} points of the other result may be the same; nothing identifies one"
    return Pair(group, (), ambiguous)


def _differences(a: Deed, b: Deed) -> list[str]:
    """`queue_depth 1 and 16` for each condition that differs."""
    both = {key: value for key, value in a.conditions.items() if key in b.conditions}
    texts = [
        # A condition in only one result cannot be compared.
        f"{key} {value} and {b.conditions[key]}"
        for key, value in both.items()
        if b.conditions[key] != value
    ]
    if a.program == b.program:
        keys = dict.fromkeys([*a.settings, *b.settings])
        texts += [
            f"{key} {a.settings.get(key, 'not set')} and {b.settings.get(key, 'not set')}"
            for key in keys
            if a.settings.get(key) != b.settings.get(key)
        ]
    return texts


def _deed_of(result: Result) -> Callable[[PhaseResult], Deed]:
    point_by_name = {} if imported(result) else _points_of(result)

    def deed(phase: PhaseResult) -> Deed:
        point = point_by_name.get((phase.experiment, point_name(phase.point)))
        return _own_deed(phase, point) if point else _foreign(phase)

    return deed


def _points_of(result: Result) -> Mapping[tuple[str, str], Point]:
    study = study_of(result)
    experiments = study.experiments_in(result.first("run").get("profile", "full"))
    clients = len(vary(study).solution.clients)
    return {
        (name, point.name): point
        for name, experiment in experiments.items()
        for point in points(experiment, clients)
    }


def _own_deed(phase: PhaseResult, point: Point) -> Deed:
    work = point.workload
    tasks = point.clients * work.tasks
    if phase.phase in METADATA_PHASES:
        return Deed(_names_work(phase, tasks), {}, {}, "")
    pattern = work.pattern.removesuffix("-with-replacement")
    conditions = {
        "queue_depth": str(work.queue_depth),
        "file_size": format_size(work.file_size),
        "direct": str(work.direct),
    }
    if tasks > 1 and work.layout in _ACCESS:
        conditions["access"] = _ACCESS[work.layout]
    return Deed(
        (phase.phase, pattern, format_size(work.transfer_size), tasks, None), conditions, {}, ""
    )


def _foreign(phase: PhaseResult) -> Deed:
    point = phase.point
    tasks = point.get("tasks")
    conditions = {key: str(point[key]) for key in _SAID_BY_ALL if key in point}
    if tasks == 1:
        conditions.pop("access", None)
    settings = {
        key: str(value) for key, value in point.items() if key not in (*_SAID_BY_ALL, *_IN_THE_WORK)
    }
    if phase.phase in METADATA_PHASES:
        return Deed(_names_work(phase, tasks), conditions, settings, phase.experiment)
    work = (
        phase.phase,
        point.get("pattern"),
        point.get("transfer_size"),
        tasks,
        _test_of(phase, tasks),
    )
    return Deed(work, conditions, settings, phase.experiment)


def _names_work(phase: PhaseResult, tasks: int | None) -> Hashable:
    return phase.phase, tasks, _test_of(phase, tasks)


def _test_of(phase: PhaseResult, tasks: int | None) -> str | None:
    """For programs that do not report the number of tasks: the names of their tests must agree."""
    return phase.point.get("test") if tasks is None else None
