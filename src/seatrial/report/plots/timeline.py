"""The time axis of bars in a table: ticks as text below them, and a grid inside of each bar."""

from dataclasses import dataclass

from seatrial.report.plots.drawing import (
    MARGIN,
    NARROW,
    WIDE,
    Drawing,
    Key,
    tick_text,
    ticks,
)

TICKS = 5
"""most parts of an axis: bars are narrow on a phone"""


@dataclass(frozen=True)
class Tick:
    """A time below the bars."""

    place_percent: float
    """from the left end of the bar"""
    text: str


@dataclass(frozen=True)
class Legend:
    """A legend in two widths."""

    wide: str
    narrow: str


def time_ticks(start_s: float, end_s: float) -> tuple[Tick, ...]:
    """The ticks of an axis between two times."""
    width_s = (end_s - start_s) or 1.0
    return tuple(
        Tick(round(100 * (value - start_s) / width_s, 2), tick_text(value))
        for value in ticks(start_s, end_s, TICKS)
    )


def grid(axis: tuple[Tick, ...], width: float, height: float) -> str:
    """The ticks as vertical lines of a bar; the one at 0 is stronger."""
    lines = {"grid": "", "zero": ""}
    for tick in axis:
        css = "zero" if tick.text == "0" else "grid"
        lines[css] += f"M{tick.place_percent * width / 100:.1f} 0V{height:g}"
    return "".join(f'<path d="{path}" class="{css}"/>' for css, path in lines.items() if path)


def legend(keys: tuple[Key, ...]) -> Legend:
    """The meaning of the colours."""
    names = ", ".join(key.name for key in keys)
    return Legend(*(_legend(keys, width, f"Legend: {names}") for width in (WIDE, NARROW)))


def _legend(keys: tuple[Key, ...], width: float, alternative: str) -> str:
    drawing = Drawing(width)
    bottom = drawing.legend(keys, MARGIN, MARGIN)
    return drawing.svg(bottom, alternative)
