"""A figure of lines: panels below each other on one horizontal axis, with events and shading."""

from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.report.plots.drawing import (
    LETTER,
    LINE,
    MARGIN,
    NARROW,
    WIDE,
    Drawing,
    Key,
    Scale,
    decades,
    end_room,
    rounded_up,
    shortened,
    tick_text,
    ticks,
    width_of,
)

Points = Sequence[tuple[float, float]]
HEIGHT_WIDE = 170.0
"""height of the area of a panel on a wide page"""
HEIGHT_NARROW = 140.0
TICKS_UP = 5
TICKS_WIDE = 12
TICKS_NARROW = 6
TURN_SHARE = 0.6
"""share of the width from which the name of an event is left of its line"""


@dataclass(frozen=True)
class Line:
    """A line through points, or a stair: each point is then valid up to the next one."""

    css: str
    points: tuple[tuple[float, float], ...]
    is_stair: bool = False


@dataclass(frozen=True)
class Event:
    """A vertical line through every panel, with its name at the top."""

    at: float
    name: str


@dataclass(frozen=True)
class Panel:
    """Lines with one vertical axis from 0."""

    title: str
    """quantity and unit"""
    lines: tuple[Line, ...]
    keys: tuple[Key, ...]
    top: float | None = None
    """the highest value of the axis; None: the highest of the lines"""


@dataclass(frozen=True)
class Across:
    """The horizontal axis."""

    title: str
    low: float
    high: float
    is_log: bool = False


@dataclass(frozen=True)
class LineChart:
    """Panels on one horizontal axis."""

    across: Across
    panels: tuple[Panel, ...]
    events: tuple[Event, ...]
    shaded: tuple[tuple[float, float], ...]
    """spans of the horizontal axis"""
    alternative: str
    """text alternative"""
    narrow_height: float = HEIGHT_NARROW
    """height of a panel of the narrow figure"""


def drawn(chart: LineChart, *, narrow: bool = False) -> str:
    """The figure as SVG text."""
    drawing = Drawing(NARROW if narrow else WIDE)
    tops = [panel.top or rounded_up(_highest(panel), TICKS_UP) for panel in chart.panels]
    texts = [tick_text(value) for top in tops for value in ticks(0.0, top, TICKS_UP)]
    left = MARGIN + width_of(texts) + 8
    right = drawing.width - end_room(_across_ticks(chart.across, narrow=narrow))
    across = Scale(chart.across.low, chart.across.high, left, right, chart.across.is_log)
    place = MARGIN
    for number, (panel, top) in enumerate(zip(chart.panels, tops, strict=True)):
        place = drawing.title(place, panel.title)
        place = drawing.legend(panel.keys, MARGIN, place)
        if number == 0:
            place = _event_names(drawing, chart.events, across, place)
        bottom = place + (chart.narrow_height if narrow else HEIGHT_WIDE)
        up = Scale(0.0, top, bottom, place)
        _panel(drawing, chart, panel, (across, up), narrow=narrow)
        place = bottom + LINE + 14
    place = drawing.centred((across.start + across.end) / 2, place - 10, chart.across.title)
    return drawing.svg(place + MARGIN, chart.alternative)


def _highest(panel: Panel) -> float:
    return max((height for line in panel.lines for _, height in line.points), default=0.0)


def _event_names(drawing: Drawing, events: Sequence[Event], across: Scale, top: float) -> float:
    """The names of the events, each on its own line; the place below them."""
    below = top + LINE * len(events)
    for event in events:
        x = across.at(event.at)
        is_right = x > across.start + TURN_SHARE * (across.end - across.start)
        room = x - MARGIN if is_right else drawing.width - MARGIN - x
        name = shortened(event.name, max(room - 6, LETTER))
        drawing.text(x - 4 if is_right else x + 4, top + 10, name, "muted", _anchor(is_right))
        drawing.path(f"M{x:.1f} {top:.1f}V{below:.1f}", "event")
        top += LINE
    return below


def _anchor(is_right: bool) -> str:
    return "end" if is_right else "start"


def _panel(
    drawing: Drawing,
    chart: LineChart,
    panel: Panel,
    scales: tuple[Scale, Scale],
    *,
    narrow: bool,
) -> None:
    across, up = scales
    bottom = up.start
    top = up.end
    for from_value, to_value in chart.shaded:
        drawing.block(across.at(from_value), across.at(to_value), top, bottom - top, "held")
    heights = ticks(up.low, up.high, TICKS_UP)
    rules = [f"M{across.start:.1f} {up.at(value):.1f}H{across.end:.1f}" for value in heights]
    values = _across_ticks(chart.across, narrow=narrow)
    rules += [f"M{across.at(value):.1f} {top:.1f}V{bottom:.1f}" for value in values]
    drawing.path("".join(rules), "grid")
    frame = f"M{across.start:.1f} {top:.1f}V{bottom:.1f}H{across.end:.1f}"
    drawing.path(frame, "axis")
    for event in chart.events:
        drawing.path(f"M{across.at(event.at):.1f} {top:.1f}V{bottom:.1f}", "event")
    for line in panel.lines:
        drawing.path(_path(line, across, up), line.css)
    for value in heights:
        drawing.text(across.start - 6, up.at(value) + 4, tick_text(value), "muted", "end")
    for value in values:
        drawing.text(across.at(value), bottom + 15, tick_text(value), "muted", "middle")


def _across_ticks(across: Across, *, narrow: bool) -> list[float]:
    most = TICKS_NARROW if narrow else TICKS_WIDE
    if across.is_log:
        values = decades(across.low, across.high)
        step = -(-len(values) // most)
        return values[::step]
    return ticks(across.low, across.high, most)


def _path(line: Line, across: Scale, up: Scale) -> str:
    """The line as path data."""
    if not line.points:
        return ""
    first_x, first_height = line.points[0]
    parts = [f"M{across.at(first_x):.1f} {up.at(first_height):.1f}"]
    for x, height in line.points[1:]:
        if line.is_stair:
            parts.append(f"H{across.at(x):.1f}V{up.at(height):.1f}")
        else:
            parts.append(f"L{across.at(x):.1f} {up.at(height):.1f}")
    return "".join(parts)
