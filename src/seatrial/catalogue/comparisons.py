"""The comparisons of a catalogue: the data from which the page sets selected runs side by side.

Each ratio and each interval is computed here, by the function that `seatrial compare` uses. The
earlier run of a pair is always the reference. A pair without a ratio is not in the data.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from seatrial.analysis.compared import MeanRatio, mean_ratio
from seatrial.basics.units import plain, significant
from seatrial.catalogue.figures import OUTAGE_WORDS, Figure, point_figures
from seatrial.catalogue.runs import Row, facts
from seatrial.catalogue.sources import Run
from seatrial.summary.fault_results import FaultOutcome
from seatrial.summary.results import Criterion

ALL_PAIRS_RUNS_MAX = 40
"""up to this number of runs, every pair gets its ratios"""
STUDY_RUNS_MAX = 40
"""with more runs, every pair of the newest runs of one study gets its ratios"""


@dataclass(frozen=True)
class Value:
    """A figure of one run, as texts."""

    value: str
    interval: str
    """empty below two repeats"""
    note: str
    """why it is not compared; empty where it is"""


@dataclass(frozen=True)
class Comparisons:
    """Everything that the page needs to compare any of its runs."""

    points: tuple[Figure, ...]
    """each point that some run has, once; values are those of the first run with it"""
    values: tuple[dict[int, Value], ...]
    """by run: number of the point -> value"""
    ratios: dict[tuple[int, int], dict[int, MeanRatio]]
    """(earlier run, later run) -> number of the point -> ratio of the later to the earlier"""
    is_partial: bool
    """some pairs have no ratios, because there are too many runs"""


def comparisons_of(runs: Sequence[Run]) -> Comparisons:
    """The comparisons of runs in the order of time."""
    figures = [point_figures(run.summary) for run in runs]
    points: dict[tuple[str, str], Figure] = {}
    all_figures = [figure for of_run in figures for figure in of_run]
    for figure in all_figures:
        points.setdefault((figure.key, figure.unit), figure)
    numbers = {name: number for number, name in enumerate(points)}
    by_run = [{numbers[item.key, item.unit]: item for item in of_run} for of_run in figures]
    pairs = list(_pairs(runs))
    ratios = {(a, b): _ratios(by_run[a], by_run[b]) for a, b in pairs}
    possible = len(runs) * (len(runs) - 1) // 2
    return Comparisons(
        points=tuple(points.values()),
        values=tuple(
            {number: value_of(item) for number, item in of_run.items()} for of_run in by_run
        ),
        ratios={pair: of_points for pair, of_points in ratios.items() if of_points},
        is_partial=len(pairs) < possible - _pairs_with_edited(runs),
    )


def _pairs(runs: Sequence[Run]) -> Iterator[tuple[int, int]]:
    """The pairs that get ratios, without edited results."""
    usable = [number for number, run in enumerate(runs) if not run.is_edited]
    if len(runs) <= ALL_PAIRS_RUNS_MAX:
        yield from combinations(usable, 2)
        return
    studies: dict[str, list[int]] = {}
    for number in usable:
        studies.setdefault(runs[number].summary.study.id, []).append(number)
    for of_study in studies.values():
        yield from combinations(of_study[-STUDY_RUNS_MAX:], 2)


def _pairs_with_edited(runs: Sequence[Run]) -> int:
    """The number of pairs that never get ratios."""
    usable = sum(not run.is_edited for run in runs)
    return len(runs) * (len(runs) - 1) // 2 - usable * (usable - 1) // 2


def _ratios(a: dict[int, Figure], b: dict[int, Figure]) -> dict[int, MeanRatio]:
    ratios = {}
    for number, figure in a.items():
        other = b.get(number)
        if figure.sample is not None and other is not None and other.sample is not None:
            ratios[number] = mean_ratio(figure.sample, other.sample)
    return ratios


def value_of(figure: Figure) -> Value:
    """A figure as the page shows it."""
    if figure.value is None:
        return Value("", "", figure.doubt)
    interval = ""
    if figure.low is not None and figure.high is not None:
        interval = f"{plain(figure.low)} to {plain(figure.high)}"
    return Value(plain(figure.value), interval, figure.doubt)


# ---- as JSON, for the script


def data_of(rows: Sequence[Row], runs: Sequence[Run], comparisons: Comparisons) -> dict[str, Any]:
    """The data of the page's script: texts, in lists, by the numbers of runs and points."""
    return {
        "runs": [
            {
                "name": row.result,
                "facts": [text for _, text in facts(row)],
                "points": {
                    str(number): [value.value, value.interval, value.note]
                    for number, value in comparisons.values[row.number].items()
                },
                "criteria": {item.id: _criterion(item) for item in run.summary.criteria},
                "faults": {item.name: _fault(item) for item in run.summary.faults},
            }
            for row, run in zip(rows, runs, strict=True)
        ],
        "facts": [name for name, _ in facts(rows[0])] if rows else [],
        "points": [[item.title, item.unit] for item in comparisons.points],
        "ratios": {
            f"{a},{b}": {str(number): _ratio(item) for number, item in ratios.items()}
            for (a, b), ratios in comparisons.ratios.items()
        },
    }


def _ratio(item: MeanRatio) -> list[str]:
    """The ratio, its interval and the finding; an empty interval where a side has one repeat."""
    interval = ""
    if item.low is not None and item.high is not None:
        interval = f"{item.low:.3f} to {item.high:.3f}"
    return [f"{item.ratio:.3f}", interval, item.finding]


def _criterion(item: Criterion) -> list[str]:
    waived = sum(waiver.number for waiver in item.waivers)
    parts = [f"{waived} waived"] if waived else []
    parts += [item.reason] if item.reason is not None else []
    return [item.verdict, ", ".join(parts)]


def _fault(item: FaultOutcome) -> list[str]:
    """The verdict, and the longest outage or the reason why it has no length."""
    if item.longest_outage_s is not None:
        return [item.verdict, f"{significant(item.longest_outage_s)} s"]
    return [item.verdict, OUTAGE_WORDS.get(item.outage_state, "")]
