"""The throughput figures: SVG text from matplotlib, embedded in the page, in the page's colours.

Matplotlib draws in placeholder colours that are replaced by CSS variables, so that a figure is
legible in light and dark mode. The output depends only on its input: no date, no random ids.
"""

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

INK, MUTED, RULE, PAGE = "#010201", "#010202", "#010203", "#010204"
SERIES_COLOURS = tuple(f"#01021{number}" for number in range(1, 7))
_VARIABLES = {INK: "--ink", MUTED: "--muted", RULE: "--rule", PAGE: "--page"} | {
    code: f"--series-{number}" for number, code in enumerate(SERIES_COLOURS, start=1)
}
MARKERS = "osD^vP"
GLYPHS = "●■◆▲▼✚"
"""the markers as letters, for the names of their lines"""


@dataclass(frozen=True)
class Dot:
    """One point of a series: mean, error bar and every repeat, in the chart's own unit before
    division.
    """

    x: float
    mean: float
    low: float
    high: float
    repeats: tuple[tuple[float, bool], ...]
    """(value, limited by the lab machine)"""
    hollow: bool
    """the mean rests on limited repeats only"""


@dataclass(frozen=True)
class Series:
    """The points that one line joins."""

    name: str
    dots: tuple[Dot, ...]
    colour: int
    """its index; colour and marker change together, so that colour alone never identifies a series
    """

    @property
    def look(self) -> tuple[str, str, str]:
        """(colour, marker, the marker as a letter); unique for the first 36 series."""
        marker = (self.colour + self.colour // 6) % 6
        return SERIES_COLOURS[self.colour % 6], MARKERS[marker], GLYPHS[marker]


@dataclass(frozen=True)
class Reference:
    """A thin line: a bound or a prediction through the points, or a published share across the whole width."""

    name: str
    points: tuple[tuple[float, float], ...]
    """(x, value); one point only: a level across the whole width"""
    dashes: tuple[float, ...]
    colour: int | None = None


@dataclass(frozen=True)
class Chart:
    """Everything that a figure shows."""

    x_title: str
    ticks: tuple[tuple[float, str], ...]
    log: bool
    series: tuple[Series, ...]
    references: tuple[Reference, ...] = field(default=())
    link_bytes_per_s: float | None = None
    """of the server in the lab: 100 % of the right axis"""
    title: str = "MB/s"
    """title of the left axis"""
    divisor: float = 1e6
    """from values to the unit of the left axis"""
    base: str | None = None
    """the reference value of all others as text; None for a figure of rates or operations"""

    @property
    def top(self) -> float:
        """The highest value that the vertical axis must include."""
        rates = [rate for series in self.series for dot in series.dots for rate, _ in dot.repeats]
        rates += [rate for line in self.references for _, rate in line.points]
        return max([*rates, (self.link_bytes_per_s or 0.0)], default=0.0) or self.divisor


def throughput(chart: Chart, key: str, said: str = "", *, narrow: bool = False) -> str:
    """The figure as SVG text.

    `key` makes its ids unique in the page; `narrow` is for a page of 390 px; `said` is the text
    alternative.
    """
    # Imported here, because importing matplotlib takes half a second.
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    size = (3.9, 3.7) if narrow else (11.0, 5.0)
    settings: Any = {
        "svg.hashsalt": key,
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9 if narrow else 10,
        "axes.linewidth": 0.7,
        **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK),
        **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), MUTED),
    }
    with rc_context(settings):
        figure = Figure(figsize=size)
        left, right = (0.14, 0.86) if narrow else (0.05, 0.94)
        axes = figure.add_axes((left, 0.14, right - left, 0.75))
        _frame(axes, chart, narrow)
        labels = [*_draw_references(axes, chart), *_draw_series(axes, chart)]
        _write_labels(axes, labels, chart.top * 1.06 / chart.divisor, narrow)
        output = io.StringIO()
        figure.savefig(output, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return embedded(output.getvalue(), key, said)


def span(chart: Chart, *, narrow: bool) -> tuple[float, float, float]:
    """Left and right limit of the axis, and where the names of the lines begin (a blank zone at the
    right).
    """
    places = [place for place, _ in chart.ticks] or [0.0]
    low, high = min(places), max(places)
    if chart.log:
        low, high = math.log2(low), math.log2(high)
    width = (high - low) or 1.0
    zone = _zone(max((len(series.name) for series in chart.series), default=0), narrow)
    limits = (low - 0.06 * width, high + zone * width, high + 0.05 * width)
    if chart.log:
        return 2 ** limits[0], 2 ** limits[1], 2 ** limits[2]
    return limits


def _zone(letters: int, narrow: bool) -> float:
    """Share by which the axis must be wider, so that names of this many letters fit next to the
    points.
    """
    width_points, letter_points = (213, 4.5) if narrow else (700, 5.2)
    share = min((letters + 3) * letter_points / width_points + 0.05, 0.53)
    return max(0.72 if narrow else 0.24, 1.06 * share / (1 - share))


def _frame(axes: Any, chart: Chart, narrow: bool) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, PercentFormatter  # noqa: PLC0415

    if chart.log:
        axes.set_xscale("log", base=2)
    low, high, _ = span(chart, narrow=narrow)
    axes.set_xlim(low, high)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(FixedLocator([place for place, _ in chart.ticks]))
    axes.set_xticks([place for place, _ in chart.ticks], [name for _, name in chart.ticks])
    axes.set_xlabel(chart.x_title)
    axes.set_ylim(0, chart.top * 1.06 / chart.divisor)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(chart.title, loc="left", fontsize="medium", pad=10)
    if not chart.link_bytes_per_s:
        return
    link = chart.link_bytes_per_s / chart.divisor
    share = axes.secondary_yaxis("right", functions=(lambda rate: rate / link, lambda part: part * link))
    share.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    share.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    share.spines["right"].set_color(MUTED)
    axes.set_title("share of the server link", loc="right", fontsize="medium", pad=10)


_Label = tuple[float, str, str]
"""(height on the left axis, text, colour)"""


def _draw_references(axes: Any, chart: Chart) -> list[_Label]:
    labels = []
    _, right = axes.get_xlim()
    for line in chart.references:
        colour = MUTED if line.colour is None else SERIES_COLOURS[line.colour % 6]
        heights = [rate / chart.divisor for _, rate in line.points]
        style = {"color": colour, "linewidth": 1.0, "linestyle": (0, line.dashes or (1, 0))}
        if len(line.points) == 1:
            axes.axhline(heights[0], **style)
        else:
            # The last value extends to the right edge, under its name.
            axes.plot([*(x for x, _ in line.points), right], [*heights, heights[-1]], **style)
        labels.append((heights[-1], line.name, colour))
    return labels


def _draw_series(axes: Any, chart: Chart) -> list[_Label]:
    labels = []
    for number, series in enumerate(chart.series):
        shift = number - (len(chart.series) - 1) / 2
        colour, marker, glyph = series.look
        dots = series.dots
        # A small shift keeps the error bars of neighbours apart.
        places, means = [_shifted(axes, dot.x, shift) for dot in dots], [dot.mean / chart.divisor for dot in dots]
        axes.plot(places, means, color=colour, linewidth=1.6)
        for dot, place, mean in zip(dots, places, means, strict=True):
            below, above = mean - dot.low / chart.divisor, dot.high / chart.divisor - mean
            axes.errorbar(place, mean, [[below], [above]], color=colour, linewidth=1.1, capsize=3.5)
            for rate, limited in dot.repeats:
                style = {"markerfacecolor": PAGE if limited else colour, "markeredgewidth": 0.7, "markersize": 3.2}
                axes.plot(place, rate / chart.divisor, "o", color=colour, alpha=0.55, **style)
            face = PAGE if dot.hollow else colour
            style = {"markerfacecolor": face, "markeredgewidth": 1.5, "markersize": 6.5, "zorder": 5}
            axes.plot(place, mean, marker, color=colour, **style)
        if dots:
            labels.append((means[-1], f"{glyph} {series.name}", colour))
    return labels


def _shifted(axes: Any, x: float, shift: float) -> float:
    """A place shifted to the right by `shift` times 0.8 % of the axis's length, also on a
    logarithmic axis.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    across = to_axes.transform((x, 0))[0] + 0.008 * shift
    return float(to_axes.inverted().transform((across, 0))[0])


def _write_labels(axes: Any, labels: Sequence[_Label], top: float, narrow: bool) -> None:
    """Write names next to the ends of their lines, without overlap."""
    step = top * (0.058 if narrow else 0.052)
    heights = spread([height + step * 0.45 for height, _, _ in labels], step, top)
    place = axes.transData.inverted().transform(axes.transAxes.transform((0.985, 0)))[0]
    style = {"ha": "right", "va": "center", "fontsize": 8 if narrow else 9.5}
    behind = {"facecolor": PAGE, "edgecolor": "none", "pad": 1.0}  # so that no line runs through a name
    for height, (_, name, colour) in zip(heights, labels, strict=True):
        axes.text(place, height, name, color=colour, bbox=behind, **style)


def spread(heights: Sequence[float], step: float, top: float) -> list[float]:
    """Move heights as little as necessary so that neighbours are `step` apart and none exceeds
    `top`.
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    placed = list(heights)
    for before, index in zip([None, *order], order, strict=False):
        floor = step / 2 if before is None else placed[before] + step
        placed[index] = max(placed[index], floor)
    ceiling = top - step / 2
    for index in reversed(order):
        placed[index] = min(placed[index], ceiling)
        ceiling = placed[index] - step
    return placed


def embedded(svg: str, key: str, alternative: str) -> str:
    """An SVG file as part of a page: no prologue, unique ids, colours by variable,
    size by its box.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda match: f' id="{key}-{match[1]}"' if match[1] in used else "", svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{key}-", svg)
    for code, name in _VARIABLES.items():
        svg = svg.replace(code, f"var({name})")
    title = f'<title id="{key}-title">{escape(alternative)}</title>'
    titled = f'role="img" aria-labelledby="{key}-title">{title}'
    svg = re.sub(
        r'<svg [^>]*viewBox="([^"]+)"[^>]*>', lambda match: f'<svg viewBox="{match[1]}" {titled}', svg, count=1
    )
    return re.sub(r"\n\s*", "\n", svg)
