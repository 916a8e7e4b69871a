"""Horizontal bars as SVG text: one bar per name, on one axis from zero, with limits and intervals.

The colours are those of the page. A drawing of the same bars has the same bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from seatrial.basics.finite import is_finite
from seatrial.basics.units import plain

WIDE, NARROW = 1000.0, 350.0
"""widths of the two drawings, in units of about one pixel"""
LETTER = 8.2
"""width of a letter at the size of the names"""
NAMES_MAX = 360.0
"""largest width of the column of names in the wide drawing"""
WORDS = 150.0
"""width of the column of values in the wide drawing"""
BAR, AXIS, TOP = 14.0, 44.0, 6.0
"""height of a bar, of the axis with its title, and of the space above the first bar"""
TICKS = 5


@dataclass(frozen=True)
class Bar:
    """One bar; values in the unit of the axis."""

    name: str
    value: float | None
    """None: there is no length, and `words` say why"""
    words: str
    """the value with its unit, or why there is none"""
    limit: float | None = None
    low: float | None = None
    """lower end of its interval"""
    high: float | None = None
    is_open: bool = False
    """the length is unknown, because it has no end"""


@dataclass(frozen=True)
class _Frame:
    """The places of a drawing."""

    width: float
    left: float
    """x of the value zero"""
    right: float
    """x of the last tick"""
    row: float
    """height of a row"""
    bar_top: float
    """from the top of a row to its bar"""
    top: float
    """value of the last tick"""

    def x(self, value: float) -> float:
        """The x coordinate of a value, limited to the axis."""
        share = min(max(value / self.top, 0.0), 1.0)
        return self.left + share * (self.right - self.left)


def bars(items: Sequence[Bar], axis: str, alternative: str, *, narrow: bool = False) -> str:
    """The drawing as SVG text.

    `axis`: its title with the unit. `alternative`: the text alternative.
    """
    items = [_finite(item) for item in items]
    step = _step(max(_values(items), default=0.0) or 1.0)
    frame = _frame(items, step, narrow=narrow)
    height = TOP + frame.row * len(items) + AXIS
    parts = [_ticks(frame, step, height, axis)]
    for index, item in enumerate(items):
        parts.append(_bar(item, frame, TOP + index * frame.row, narrow=narrow))
    return (
        f'<svg viewBox="0 0 {frame.width:.0f} {height:.0f}" class="bars" role="img" '
        f'aria-label="{escape(alternative)}">{"".join(parts)}</svg>'
    )


def _finite(item: Bar) -> Bar:
    """The bar without values that no axis has: results of other people may have any number."""
    return replace(
        item,
        value=_on_axis(item.value),
        limit=_on_axis(item.limit),
        low=_on_axis(item.low),
        high=_on_axis(item.high),
    )


def _on_axis(value: float | None) -> float | None:
    return value if value is not None and is_finite(value) and value >= 0 else None


def _values(items: Sequence[Bar]) -> list[float]:
    found = [value for item in items for value in (item.value, item.limit, item.high)]
    return [value for value in found if value is not None]


def _step(top: float) -> float:
    """The distance of the ticks: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(top / TICKS))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * TICKS >= top)


def _frame(items: Sequence[Bar], step: float, *, narrow: bool) -> _Frame:
    values = _values(items)
    top = step * max(math.ceil(max(values, default=0.0) / step), 1)
    if narrow:
        # The name is above its bar.
        return _Frame(NARROW, 2.0, NARROW - 12.0, 42.0, 19.0, top)
    letters = max((len(item.name) for item in items), default=0)
    names = min(letters * LETTER + 14.0, NAMES_MAX)
    return _Frame(WIDE, names, WIDE - WORDS, 24.0, 5.0, top)


def _ticks(frame: _Frame, step: float, height: float, axis: str) -> str:
    """The grid, its values, and the title of the axis."""
    foot = height - AXIS + 4
    parts = []
    for number in range(round(frame.top / step) + 1):
        x = frame.x(number * step)
        anchor = "start" if number == 0 and frame.left < LETTER else "middle"
        parts.append(f'<path d="M{x:.1f} 0V{foot:.1f}" class="grid"/>')
        label = plain(number * step)
        parts.append(f'<text x="{x:.1f}" y="{foot + 15:.1f}" text-anchor="{anchor}">{label}</text>')
    middle = (frame.left + frame.right) / 2
    parts.append(
        f'<text x="{middle:.1f}" y="{height - 6:.1f}" text-anchor="middle" class="title">{escape(axis)}</text>'
    )
    return "".join(parts)


def _bar(item: Bar, frame: _Frame, y: float, *, narrow: bool) -> str:
    top = y + frame.bar_top
    parts = [_name(item, frame, y, narrow=narrow)]
    if item.value is not None:
        width = frame.x(item.value) - frame.left
        parts.append(_rectangle(frame.left, top, width, "bar"))
    elif item.is_open:
        parts.append(_rectangle(frame.left, top, frame.right - frame.left, "open"))
    if item.low is not None and item.high is not None:
        low, high, middle = frame.x(item.low), frame.x(item.high), top + BAR / 2
        ends = "".join(f"M{x:.1f} {middle - 4:.1f}v8" for x in (low, high))
        parts.append(f'<path d="M{low:.1f} {middle:.1f}H{high:.1f}{ends}" class="interval"/>')
    if item.limit is not None:
        x = frame.x(item.limit)
        parts.append(f'<path d="M{x:.1f} {top - 3:.1f}v{BAR + 6:.1f}" class="limit"/>')
    return "".join(parts)


def _rectangle(x: float, y: float, width: float, css: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{BAR:g}" class="{css}"/>'


def _name(item: Bar, frame: _Frame, y: float, *, narrow: bool) -> str:
    """The name of a bar and its value: next to the bar, or above it."""
    words = escape(item.words)
    if narrow:
        room = int((NARROW - len(item.words) * LETTER) / LETTER) - 2
        name = escape(_cut(item.name, room))
        base = y + 14.0
        return (
            f'<text x="2" y="{base:.1f}">{name}</text>'
            f'<text x="{NARROW - 2:.0f}" y="{base:.1f}" text-anchor="end">{words}</text>'
        )
    name = escape(_cut(item.name, int(NAMES_MAX / LETTER)))
    base = y + frame.bar_top + BAR - 2
    return (
        f'<text x="{frame.left - 10:.1f}" y="{base:.1f}" text-anchor="end">{name}</text>'
        f'<text x="{WIDE - 2:.0f}" y="{base:.1f}" text-anchor="end">{words}</text>'
    )


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: max(letters - 1, 1)]}…"
