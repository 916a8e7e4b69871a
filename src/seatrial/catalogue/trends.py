"""The trends of a catalogue: figures of a study over its runs, in the order of time.

Runs of different profiles, environments or scales are separate series. A run without a value has
none in the series, never 0. Changes of level are found by the function that `seatrial history`
uses. Edited results and runs without a date are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from seatrial.analysis.changes import changes
from seatrial.basics.units import counted, plain
from seatrial.catalogue.figures import OUTAGE_WORDS, peak_figures, point_figures
from seatrial.catalogue.runs import Row
from seatrial.catalogue.sources import Run
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.summary.fault_results import FaultOutcome, OutageState
from seatrial.summary.results import ResultSummary

FIGURES_MAX = 150
"""figures of one study that are drawn; `seatrial history` prints every one"""
NOT_MEASURED = "not measured"
NO_CRITERIA = "no criteria"


class Kind(StrEnum):
    """The kinds of figures, in the order of the page."""

    CRITERIA = "Criteria"
    PEAKS = "Peaks"
    OUTAGES = "Outages"
    LATENCIES = "Latencies, p99"
    RATES = "Rates"


@dataclass(frozen=True)
class Measurement:
    """The value of a figure in one run."""

    value: float | None
    low: float | None = None
    """the 95 % interval, where the summary has one"""
    high: float | None = None
    note: str = ""
    """why there is no value"""
    is_lost: bool = False
    """a client never recovered: worse than any value"""


@dataclass(frozen=True)
class Observation:
    """One run in a series."""

    result: str
    date: str
    unix_s: float
    measurement: Measurement


@dataclass(frozen=True)
class Series:
    """One figure over all runs of one profile, environment and scale."""

    profile: str
    environment: str
    scale: str
    observations: tuple[Observation, ...]
    changes: tuple[str, ...]
    """`+12.0% since RESULT`, of each change of level"""

    @property
    def name(self) -> str:
        """`quick, emulated 1/40`."""
        where = f"{self.environment} {self.scale}".strip()
        return f"{self.profile}, {where}"

    @property
    def values(self) -> tuple[float, ...]:
        """The known values, in the order of time."""
        values = (item.measurement.value for item in self.observations)
        return tuple(value for value in values if value is not None)

    @property
    def lost(self) -> int:
        """The number of runs in which a client never recovered."""
        return sum(item.measurement.is_lost for item in self.observations)

    @property
    def digest(self) -> str:
        """The number of values, their median and the last one, as text; empty without any."""
        values = self.values
        parts = []
        if values:
            parts.append(counted(len(values), "run"))
            parts.append(f"median {plain(median(values))}")
            parts.append(f"last {plain(values[-1])}")
        if self.lost:
            parts.append(f"not recovered in {counted(self.lost, 'run')}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Trend:
    """One figure of a study, with its series."""

    kind: Kind
    title: str
    unit: str
    series: tuple[Series, ...]

    @property
    def digest(self) -> str:
        """The digest of each series, as text."""
        parts = [f"{item.name}: {item.digest}" for item in self.series if item.digest]
        return "; ".join(parts)

    @property
    def is_shown(self) -> bool:
        """Whether some series has two runs with a value, or with a client that was lost."""
        return any(len(item.values) + item.lost > 1 for item in self.series)


@dataclass(frozen=True)
class StudyTrends:
    """The trends of one study."""

    study: str
    trends: tuple[Trend, ...]
    runs: int
    """the number of runs with a date that were not edited"""
    left_out: int
    """the number of figures above `FIGURES_MAX`"""


def trends_of(rows: Sequence[Row], runs: Sequence[Run]) -> tuple[StudyTrends, ...]:
    """The trends of each study with at least two values of one figure, by the name of the study."""
    studies: dict[str, list[tuple[Row, Run]]] = {}
    for row, run in zip(rows, runs, strict=True):
        if row.started_unix_s is not None and not run.is_edited:
            studies.setdefault(row.study, []).append((row, run))
    of_studies = [_of_study(study, members) for study, members in sorted(studies.items())]
    return tuple(item for item in of_studies if item.trends)


@dataclass(frozen=True)
class _Name:
    """A figure of a study."""

    kind: Kind
    title: str
    unit: str


def _of_study(study: str, members: Sequence[tuple[Row, Run]]) -> StudyTrends:
    measured = [dict(_measurements(run.summary)) for _, run in members]
    names = dict.fromkeys(name for of_run in measured for name in of_run)
    rows = [row for row, _ in members]
    trends = [_trend(name, rows, [of_run.get(name) for of_run in measured]) for name in names]
    shown = [item for item in trends if item.is_shown]
    order = list(Kind)
    shown.sort(key=lambda item: order.index(item.kind))
    left_out = max(0, len(shown) - FIGURES_MAX)
    return StudyTrends(study, tuple(shown[:FIGURES_MAX]), len(members), left_out)


def _trend(name: _Name, rows: Sequence[Row], measured: Sequence[Measurement | None]) -> Trend:
    groups: dict[tuple[str, str, str], list[Observation]] = {}
    missing = Measurement(None, note=NOT_MEASURED)
    for row, measurement in zip(rows, measured, strict=True):
        group = (row.profile, row.environment, row.scale)
        observation = Observation(
            row.result, row.date, row.started_unix_s or 0.0, measurement or missing
        )
        groups.setdefault(group, []).append(observation)
    series = [
        Series(*group, tuple(observations), tuple(_changes(name.kind, observations)))
        for group, observations in sorted(groups.items())
    ]
    return Trend(name.kind, name.title, name.unit, tuple(filter(_has_figure, series)))


def _has_figure(series: Series) -> bool:
    """Whether some run of the series measured the figure, also without a valid value."""
    return any(item.measurement.note != NOT_MEASURED for item in series.observations)


def _changes(kind: Kind, observations: Sequence[Observation]) -> Iterator[str]:
    """The changes of level. A number of criteria may be 0, which has no logarithm."""
    if kind is Kind.CRITERIA:
        return
    measured = [item for item in observations if item.measurement.value is not None]
    for change in changes([item.measurement.value or 0.0 for item in measured]):
        yield f"{change.relative:+.1%} since {measured[change.at].result}"


# ---- the figures of one run

_Measured = Iterator[tuple[_Name, Measurement]]


def _measurements(summary: ResultSummary) -> _Measured:
    yield from _criteria(summary)
    yield from _peaks(summary)
    yield from map(_outage, (item for item in summary.faults if not item.is_control))
    yield from _points(summary)


CRITERIA: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Criteria that passed", ("pass", PASS_WITH_WAIVERS)),
    ("Criteria that failed", ("fail",)),
    ("Criteria that are unknown", ("unknown",)),
)


def _criteria(summary: ResultSummary) -> _Measured:
    counts = summary.headline.criteria
    for title, verdicts in CRITERIA:
        number = sum(counts.get(verdict, 0) for verdict in verdicts)
        measurement = Measurement(float(number))
        missing = Measurement(None, note=NO_CRITERIA)
        yield _Name(Kind.CRITERIA, title, "criteria"), measurement if counts else missing


def _peaks(summary: ResultSummary) -> _Measured:
    for item in peak_figures(summary):
        name = _Name(Kind.PEAKS, f"Peak of {item.title}", item.unit)
        yield name, Measurement(item.value, item.low, item.high)


def _outage(fault: FaultOutcome) -> tuple[_Name, Measurement]:
    name = _Name(Kind.OUTAGES, f"Longest outage of {fault.name}", "s")
    is_measured = fault.longest_outage_s is not None and fault.longest_outage_s > 0
    if is_measured:
        return name, Measurement(fault.longest_outage_s)
    note = OUTAGE_WORDS.get(fault.outage_state, NOT_MEASURED)
    is_lost = fault.outage_state is OutageState.NOT_RECOVERED
    return name, Measurement(None, note=note, is_lost=is_lost)


def _points(summary: ResultSummary) -> _Measured:
    for item in point_figures(summary):
        missing = Measurement(None, note=item.doubt or NOT_MEASURED)
        is_valid = item.sample is not None and item.value is not None
        rate = Measurement(item.value, item.low, item.high) if is_valid else missing
        yield _Name(Kind.RATES, item.title, item.unit), rate
        if item.p99_ms is not None and item.p99_ms > 0:
            p99 = Measurement(item.p99_ms) if is_valid else missing
            yield _Name(Kind.LATENCIES, item.title, "ms"), p99
