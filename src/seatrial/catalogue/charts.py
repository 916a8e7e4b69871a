"""The geometry of a trend chart: a line for each series over time, with interval whiskers.

Coordinates are those of the drawing, from the top left corner. The vertical axis begins at 0. A
line has a gap where a run has no value.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from seatrial.basics.units import plain
from seatrial.catalogue.trends import Observation, Series, Trend

WIDTH = 480
HEIGHT = 210
LEFT = 56.0
"""left edge of the plotted area"""
RIGHT = 462.0
TOP = 18.0
BOTTOM = 178.0
LOST_Y = 9.0
"""above the plotted area: a client never recovered"""
WHISKER = 4.0
"""half of the width of a whisker's end"""
COLOURS = 6
GLYPHS = "●■◆▲▼✚"
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
TICKS = 4
"""intervals of the vertical axis"""
DAY_S = 86_400.0
PREFIXES = (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))
SMALLEST = 1e-300
"""below this a power of ten may not exist"""


@dataclass(frozen=True)
class Tick:
    """A label of an axis."""

    place: float
    text: str


@dataclass(frozen=True)
class Mark:
    """The value of one run."""

    x: float
    y: float
    whisker: str
    """the path of the interval; empty without one"""
    words: str
    """date, run, value and interval"""


@dataclass(frozen=True)
class Line:
    """One series."""

    name: str
    profile: str
    environment: str
    colour: int
    """from 1; colour and glyph change together, so that colour alone never identifies a series"""
    glyph: str
    paths: tuple[str, ...]
    """the parts of the line between gaps"""
    marks: tuple[Mark, ...]
    lost: tuple[Mark, ...]
    """runs in which a client never recovered"""


@dataclass(frozen=True)
class Chart:
    """One drawing."""

    words: str
    """the text alternative"""
    heights: tuple[Tick, ...]
    times: tuple[Tick, ...]
    lines: tuple[Line, ...]


def chart_of(trend: Trend) -> Chart:
    """The drawing of a trend."""
    axes = _axes(trend)
    top = axes.top
    heights = [top * step / TICKS for step in range(TICKS + 1)]
    return Chart(
        words=f"{trend.title} in {trend.unit} over time. {trend.digest}",
        heights=tuple(Tick(axes.y(value), _short(value)) for value in heights),
        times=tuple(_times(axes)),
        lines=tuple(_line(axes, trend, number) for number in range(len(trend.series))),
    )


def _short(value: float) -> str:
    """A number that fits next to the axis: `20M` for 20 000 000."""
    for prefix, size in PREFIXES:
        if value >= 10 * size:
            return f"{plain(value / size)}{prefix}"
    return plain(value)


@dataclass(frozen=True)
class _Axes:
    """From values and times to coordinates."""

    first_s: float
    last_s: float
    top: float

    def x(self, unix_s: float) -> float:
        span_s = self.last_s - self.first_s
        share = (unix_s - self.first_s) / span_s if span_s else 0.5
        return round(LEFT + share * (RIGHT - LEFT), 1)

    def y(self, value: float) -> float:
        return round(BOTTOM - value / self.top * (BOTTOM - TOP), 1)


def _axes(trend: Trend) -> _Axes:
    observations = [item for series in trend.series for item in series.observations]
    measurements = [item.measurement for item in observations]
    values = [item.value for item in measurements if item.value is not None]
    # A whisker far above every mean would hide the differences of the means.
    limit = 2 * max(values, default=0.0)
    whiskers = [min(item.high, limit) for item in measurements if item.high is not None]
    times_s = [item.unix_s for item in observations]
    top = _round_up(max([*values, *whiskers], default=0.0))
    return _Axes(min(times_s), max(times_s), top)


def _round_up(value: float) -> float:
    """The smallest round value that is at least this; 1 for 0."""
    if value < SMALLEST:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in STEPS if step * power >= value), 10 * power)


def _times(axes: _Axes) -> Iterator[Tick]:
    """The first and the last time; the day alone where they are days apart."""
    span_s = axes.last_s - axes.first_s
    form = "%Y-%m-%d" if span_s >= 2 * DAY_S else "%Y-%m-%d %H:%M"
    for unix_s in dict.fromkeys((axes.first_s, axes.last_s)):
        yield Tick(axes.x(unix_s), datetime.fromtimestamp(unix_s, UTC).strftime(form))


def _line(axes: _Axes, trend: Trend, number: int) -> Line:
    series = trend.series[number]
    observations = series.observations
    return Line(
        name=series.name,
        profile=series.profile,
        environment=series.environment,
        colour=number % COLOURS + 1,
        glyph=GLYPHS[(number + number // COLOURS) % len(GLYPHS)],
        paths=tuple(_paths(axes, observations)),
        marks=tuple(_marks(axes, series, trend.unit)),
        lost=tuple(
            Mark(axes.x(item.unix_s), LOST_Y, "", f"{_when(item)}: {item.measurement.note}")
            for item in observations
            if item.measurement.is_lost
        ),
    )


def _paths(axes: _Axes, observations: Sequence[Observation]) -> Iterator[str]:
    """A path for each part of at least two runs without a gap."""
    part: list[str] = []
    for item in observations:
        value = item.measurement.value
        if value is None:
            yield from _path(part)
            part = []
        else:
            part.append(f"{axes.x(item.unix_s)} {axes.y(value)}")
    yield from _path(part)


def _path(part: Sequence[str]) -> Iterator[str]:
    if len(part) > 1:
        yield f"M{' L'.join(part)}"


def _marks(axes: _Axes, series: Series, unit: str) -> Iterator[Mark]:
    for item in series.observations:
        value = item.measurement.value
        if value is None:
            continue
        x = axes.x(item.unix_s)
        whisker = _whisker(axes, item)
        words = f"{_when(item)}: {plain(value)} {unit}{interval_words(item, ' (', ')')}"
        yield Mark(x, axes.y(value), whisker, words)


def _whisker(axes: _Axes, item: Observation) -> str:
    low = item.measurement.low
    high = item.measurement.high
    if low is None or high is None:
        return ""
    x = axes.x(item.unix_s)
    below = axes.y(max(low, 0.0))
    above = axes.y(min(high, axes.top))
    ends = f"M{x - WHISKER:.1f} {below} H{x + WHISKER:.1f} M{x} {below} V{above}"
    # A whisker without an upper end leaves the drawing.
    is_cut = high > axes.top
    return ends if is_cut else f"{ends} M{x - WHISKER:.1f} {above} H{x + WHISKER:.1f}"


def _when(item: Observation) -> str:
    return f"{item.date}, {item.result}"


def interval_words(item: Observation, before: str = "", after: str = "") -> str:
    """`21.0 to 24.1`, between two texts; empty without an interval."""
    low = item.measurement.low
    high = item.measurement.high
    if low is None or high is None:
        return ""
    return f"{before}{plain(low)} to {plain(high)}{after}"


def mark_path(glyph: str, x: float, y: float) -> str:
    """The outline of a mark, in the shape of its glyph."""
    shapes = {
        "●": "m-3.5 0 a3.5 3.5 0 1 0 7 0 a3.5 3.5 0 1 0 -7 0z",
        "■": "m-3.2 -3.2 h6.4 v6.4 h-6.4z",
        "◆": "m0 -4.4 l4.4 4.4 l-4.4 4.4 l-4.4 -4.4z",
        "▲": "m0 -4.2 l4.2 7.4 h-8.4z",
        "▼": "m0 4.2 l4.2 -7.4 h-8.4z",
        "✚": "m-1.3 -4 h2.6 v2.7 h2.7 v2.6 h-2.7 v2.7 h-2.6 v-2.7 h-2.7 v-2.6 h2.7z",
    }
    return f"M{x} {y} {shapes[glyph]}"
