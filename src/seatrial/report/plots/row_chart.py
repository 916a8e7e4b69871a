"""A figure with one row per item: horizontal bars, dots, marks and whiskers on a common axis.

On a wide page the names are left of the bars and the words right of them. On a narrow page both
are above the bars.
"""

from dataclasses import dataclass

from seatrial.report.plots.drawing import (
    LETTER,
    LINE,
    MARGIN,
    NARROW,
    WIDE,
    Drawing,
    Key,
    Sample,
    Scale,
    end_room,
    rounded_up,
    shortened,
    tick_text,
    ticks,
    width_of,
)

BAR = 15.0
"""height of a bar"""
GAP = 11.0
NAMES_MAX = 300.0
"""largest width of the names on a wide page"""
WORDS_MAX = 270.0
"""largest width of the words on a wide page"""
TICKS_WIDE = 8
TICKS_NARROW = 4
ARROW = 9.0
"""length of the arrow of a bar without an end"""
STRETCH_MAX = 1.5
"""of an axis by whiskers; a whisker above it is cut"""


@dataclass(frozen=True)
class Block:
    """A part of a bar."""

    start: float
    end: float
    css: str


@dataclass(frozen=True)
class Mark:
    """A value that the bar is compared with, or one of several values."""

    at: float
    sample: Sample
    css: str


@dataclass(frozen=True)
class Whisker:
    """An interval of a value."""

    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """One item. Values are in the unit of the axis."""

    name: str
    words: str
    blocks: tuple[Block, ...] = ()
    marks: tuple[Mark, ...] = ()
    whisker: Whisker | None = None
    is_open: bool = False
    """the bar has no end: it ends with an arrow"""

    @property
    def highest(self) -> float:
        """The highest value of bars and marks."""
        ends = [block.end for block in self.blocks]
        ends += [mark.at for mark in self.marks]
        return max(ends, default=0.0)


@dataclass(frozen=True)
class Panel:
    """Rows with a common axis from 0."""

    title: str
    axis_title: str
    """quantity and unit"""
    rows: tuple[Row, ...]

    @property
    def highest(self) -> float:
        """The highest value of the axis. A whisker far above all bars does not stretch it."""
        highest = max((row.highest for row in self.rows), default=0.0)
        whiskers = [row.whisker.high for row in self.rows if row.whisker]
        return max(highest, min(max(whiskers, default=0.0), STRETCH_MAX * highest))


@dataclass(frozen=True)
class RowChart:
    """Panels below each other, and one legend."""

    panels: tuple[Panel, ...]
    keys: tuple[Key, ...]
    alternative: str
    """text alternative"""


@dataclass(frozen=True)
class _Columns:
    names: float
    """width of the column of names; 0 where the names are above the bars"""
    words: float


def drawn(chart: RowChart, *, narrow: bool = False) -> str:
    """The figure as SVG text."""
    drawing = Drawing(NARROW if narrow else WIDE)
    rows = [row for panel in chart.panels for row in panel.rows]
    columns = _Columns(0.0, 0.0)
    if not narrow:
        columns = _Columns(
            names=min(width_of(row.name for row in rows), NAMES_MAX) + 14,
            words=min(width_of(row.words for row in rows), WORDS_MAX) + 10,
        )
    top = drawing.legend(chart.keys, MARGIN, MARGIN)
    for panel in chart.panels:
        top = _panel(drawing, panel, columns, top, narrow=narrow)
    return drawing.svg(top, chart.alternative)


def _panel(drawing: Drawing, panel: Panel, columns: _Columns, top: float, *, narrow: bool) -> float:
    """Draw a panel; the place below it."""
    if panel.title:
        top = drawing.title(top, panel.title)
    most = TICKS_NARROW if narrow else TICKS_WIDE
    highest = rounded_up(panel.highest, most)
    room = end_room(ticks(0.0, highest, most))
    right = drawing.width - columns.words - room
    scale = Scale(0.0, highest, MARGIN + columns.names, right)
    places = []
    end = top
    for row in panel.rows:
        bar_top = end + (_head_height(row, drawing.width) if narrow else 0.0)
        places.append((end, bar_top))
        end = bar_top + BAR + GAP
    below = _axis(drawing, panel.axis_title, scale, (top, end), most)
    for row, (row_top, bar_top) in zip(panel.rows, places, strict=True):
        if narrow:
            _head(drawing, row, row_top)
        else:
            name = shortened(row.name, columns.names - 14)
            drawing.text(scale.start - 10, bar_top + 12, name, "", "end")
            words = shortened(row.words, columns.words - 10)
            drawing.text(scale.end + room, bar_top + 12, words, "muted")
        _row(drawing, row, scale, bar_top)
    return below + 12


def _head_height(row: Row, width: float) -> float:
    return LINE if _fits_one_line(row, width) else 2 * LINE


def _fits_one_line(row: Row, width: float) -> bool:
    return (len(row.name) + len(row.words) + 3) * LETTER <= width - 2 * MARGIN


def _head(drawing: Drawing, row: Row, top: float) -> None:
    """Name and words above the bar of a narrow page."""
    width = drawing.width - 2 * MARGIN
    drawing.text(MARGIN, top + 12, shortened(row.name, width))
    words_top = top if _fits_one_line(row, drawing.width) else top + LINE
    words = shortened(row.words, width)
    drawing.text(drawing.width - MARGIN, words_top + 12, words, "muted", "end")


def _axis(
    drawing: Drawing, title: str, scale: Scale, height: tuple[float, float], most: int
) -> float:
    """Grid, ticks and title of the horizontal axis below some rows; the place below them."""
    top, bottom = height
    values = ticks(scale.low, scale.high, most)
    grid = "".join(f"M{scale.at(value):.1f} {top - 3:.1f}V{bottom:.1f}" for value in values)
    drawing.path(grid, "grid")
    drawing.path(f"M{scale.start:.1f} {top - 3:.1f}V{bottom:.1f}H{scale.end:.1f}", "axis")
    for value in values:
        drawing.text(scale.at(value), bottom + 14, tick_text(value), "muted", "middle")
    return drawing.centred((scale.start + scale.end) / 2, bottom + 14 + 5, title)


def _row(drawing: Drawing, row: Row, scale: Scale, top: float) -> None:
    for block in row.blocks:
        drawing.block(scale.at(block.start), scale.at(block.end), top, BAR, block.css)
    if row.is_open and row.blocks:
        end = scale.at(row.blocks[-1].end)
        drawing.path(
            f"M{end:.1f} {top - 3:.1f}v{BAR + 6:.1f}l{ARROW:.1f} -{(BAR + 6) / 2:.1f}z", "open"
        )
    if row.whisker:
        low = scale.at(row.whisker.low)
        high = scale.at(row.whisker.high)
        is_cut = row.whisker.high > scale.high
        drawing.whisker(low, high, top, BAR, "whisker", is_cut=is_cut)
    for mark in row.marks:
        drawing.mark(scale.at(mark.at), top, BAR, mark.sample, mark.css)
