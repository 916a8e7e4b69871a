"""The parts of a figure as SVG: text, lines, scales with ticks, and a legend.

Lengths are in units of about one pixel. Colours come from the style sheet (`.plot`), so that a
figure is legible in light and dark mode and on paper. The output depends only on the input.
"""

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape

WIDE = 1000.0
"""width of a figure on a wide page"""
NARROW = 350.0
"""width of a figure on a narrow page"""
LETTER = 7.6
"""width of a letter: the widest of the usual fonts at 13 pixels"""
LINE = 17.0
"""height of a line of text"""
MARGIN = 6.0
END_ROOM_MIN = 22.0
"""right of the last tick of an axis"""
SAMPLE = 18.0
"""width of a sample in a legend"""
KEY_GAP = 16.0
STEPS = (1.0, 2.0, 5.0, 10.0)
ROUNDING = 1e-9
"""share of a step by which a limit may miss a tick, and of a letter by which a text may be wider"""


class Sample(StrEnum):
    """The form of a mark, in a figure and in its legend."""

    BLOCK = "block"
    LINE = "line"
    STROKE = "stroke"
    """a vertical line"""
    TRIANGLE = "triangle"
    RING = "ring"
    DOT = "dot"
    WHISKER = "whisker"


@dataclass(frozen=True)
class Key:
    """An entry of a legend."""

    name: str
    css: str
    sample: Sample


@dataclass(frozen=True)
class Scale:
    """Maps values to places. Values outside of it are drawn at its nearer end."""

    low: float
    high: float
    start: float
    """place of the lowest value"""
    end: float
    is_log: bool = False
    """logarithmic; `low` is then above 0"""

    def at(self, value: float) -> float:
        """The place of a value."""
        low = self._position(self.low)
        high = self._position(self.high)
        share = (self._position(value) - low) / ((high - low) or 1.0)
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def _position(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.is_log else value


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values from `low` to `high`, at most `most + 1`.

    Their steps are 1, 2 or 5 times a power of ten. 0 is one of them where it is inside.
    """
    width = high - low
    if width <= 0 or not math.isfinite(width):
        return [low]
    step = _step(width, most)
    first = math.ceil(low / step - ROUNDING)
    last = math.floor(high / step + ROUNDING)
    return [number * step for number in range(first, last + 1)]


def _step(width: float, most: int) -> float:
    """The smallest step that divides a width into at most `most` parts."""
    power = 10.0 ** math.floor(math.log10(width / most))
    steps = (factor * power for factor in STEPS)
    return next(step for step in steps if width <= step * most * (1 + ROUNDING))


def decades(low: float, high: float) -> list[float]:
    """The powers of ten from `low` to `high`, both above 0."""
    first = math.ceil(math.log10(low) - ROUNDING)
    last = math.floor(math.log10(high) + ROUNDING)
    return [10.0**exponent for exponent in range(first, last + 1)]


def rounded_up(value: float, most: int) -> float:
    """The first tick of an axis from 0 that is not below a value."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    step = _step(value, most)
    return math.ceil(value / step - ROUNDING) * step


def tick_text(value: float) -> str:
    """A value next to an axis: `0`, `0.5`, `−5`, `1000`."""
    return f"{value:.9f}".rstrip("0").rstrip(".").replace("-", "−") if value else "0"


def width_of(texts: Iterable[str]) -> float:
    """The width of the longest of some texts."""
    return LETTER * max((len(text) for text in texts), default=0)


def end_room(values: Iterable[float]) -> float:
    """Space right of an axis, for half of the text of its last tick."""
    return max(END_ROOM_MIN, width_of(map(tick_text, values)) / 2 + MARGIN)


def _letters_in(width: float) -> int:
    """The number of letters in a width; at least one."""
    # Sums of widths are not exact: a text must fit into its own width.
    return max(int(width / LETTER + ROUNDING), 1)


def shortened(text: str, width: float) -> str:
    """A text that fits into a width; an ellipsis replaces its end."""
    letters = _letters_in(width)
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def wrapped(text: str, width: float) -> list[str]:
    """A text in lines of a width, broken at blanks; a longer word is shortened."""
    letters = _letters_in(width)
    lines = textwrap.wrap(text, letters, break_long_words=False, break_on_hyphens=False)
    return [shortened(line, width) for line in lines]


class Drawing:
    """Collects the parts of a figure."""

    def __init__(self, width: float) -> None:
        self.width = width
        self._parts: list[str] = []

    def text(self, x: float, y: float, text: str, css: str = "", anchor: str = "start") -> None:
        """A text with its base line at `y`; `anchor`: start, middle or end."""
        of_class = f' class="{css}"' if css else ""
        of_anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}"{of_class}{of_anchor}>{escape(text)}</text>'
        )

    def centred(self, middle: float, top: float, text: str) -> float:
        """A text in as many centred lines as it needs; the place below them."""
        width = 2 * min(middle, self.width - middle) - MARGIN
        for line in wrapped(text, width):
            self.text(middle, top + 12, line, "", "middle")
            top += LINE
        return top

    def title(self, top: float, text: str) -> float:
        """A title at the left, in as many lines as it needs; the place below it."""
        for line in wrapped(text, self.width - 2 * MARGIN):
            self.text(MARGIN, top + 13, line, "title")
            top += LINE
        return top + 5

    def path(self, d: str, css: str) -> None:
        """A path with a class."""
        if d:
            self._parts.append(f'<path d="{d}" class="{css}"/>')

    def block(self, left: float, right: float, top: float, height: float, css: str) -> None:
        """A filled rectangle."""
        self.path(f"M{left:.1f} {top:.1f}H{right:.1f}v{height:.1f}H{left:.1f}z", css)

    def mark(self, x: float, top: float, height: float, sample: Sample, css: str) -> None:
        """A mark at a place, in a row with this height."""
        middle = top + height / 2
        if sample is Sample.STROKE:
            self.path(f"M{x:.1f} {top - 3:.1f}v{height + 6:.1f}", css)
        elif sample is Sample.TRIANGLE:
            self.path(f"M{x:.1f} {top + 3:.1f}l-4.5 -7h9z", css)
        elif sample in (Sample.RING, Sample.DOT):
            radius = 4.0
            self.path(
                f"M{x - radius:.1f} {middle:.1f}a{radius} {radius} 0 1 0 {2 * radius} 0"
                f"a{radius} {radius} 0 1 0 -{2 * radius} 0z",
                css,
            )

    def whisker(
        self,
        left: float,
        right: float,
        top: float,
        height: float,
        css: str,
        *,
        is_cut: bool = False,
    ) -> None:
        """A horizontal line with an end stroke on both sides; with an arrow at the right where it
        goes beyond the axis.
        """
        middle = top + height / 2
        end = height / 3
        start = f"M{left:.1f} {middle - end:.1f}v{2 * end:.1f}"
        stroke = f"M{right:.1f} {middle - end:.1f}v{2 * end:.1f}"
        arrow = f"M{right - end:.1f} {middle - end:.1f}l{end:.1f} {end:.1f}l-{end:.1f} {end:.1f}"
        line = f"M{left:.1f} {middle:.1f}H{right:.1f}"
        self.path(start + line + (arrow if is_cut else stroke), css)

    def legend(self, keys: Sequence[Key], left: float, top: float) -> float:
        """The legend in lines of the whole width; the place below it."""
        if not keys:
            return top
        x = left
        for key in keys:
            name = shortened(key.name, self.width - left - MARGIN - SAMPLE - 6)
            width = SAMPLE + 6 + len(name) * LETTER
            if x > left and x + width > self.width - MARGIN:
                x, top = left, top + LINE
            self._sample(key, x, top)
            self.text(x + SAMPLE + 6, top + 12, name)
            x += width + KEY_GAP
        return top + LINE + 8

    def _sample(self, key: Key, x: float, top: float) -> None:
        middle = x + SAMPLE / 2
        if key.sample is Sample.BLOCK:
            self.block(x, x + SAMPLE, top + 2, 11, key.css)
        elif key.sample is Sample.LINE:
            self.path(f"M{x:.1f} {top + 8:.1f}h{SAMPLE:.1f}", key.css)
        elif key.sample is Sample.WHISKER:
            self.whisker(x, x + SAMPLE, top + 2, 12, key.css)
        elif key.sample is Sample.TRIANGLE:
            self.mark(middle, top + 8, 0, key.sample, key.css)
        else:
            self.mark(middle, top + 3, 10, key.sample, key.css)

    def svg(self, height: float, alternative: str) -> str:
        """The figure as SVG text, with its text alternative."""
        label = escape(alternative, quote=True)
        size = f"{self.width:g} {height:.0f}"
        head = f'<svg viewBox="0 0 {size}" class="plot" role="img" aria-label="{label}">'
        return "\n".join([head, f"<title>{label}</title>", *self._parts, "</svg>"])
