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

INK = "#010201"
MUTED = "#010202"
RULE = "#010203"
PAGE = "#010204"
SERIES_COLOURS = tuple(f"#01021{number}" for number in range(1, 7))
_VARIABLES = {INK: "--ink", MUTED: "--muted", RULE: "--rule", PAGE: "--page"} | {
    code: f"--series-{number}" for number, code in enumerate(SERIES_COLOURS, start=1)
}
MARKERS = "osD^vP"
GLYPHS = "●■◆▲▼✚"
"""the markers as letters, for the names of their lines"""


NAMES_SHARE_MAX = 0.53
"""largest share of the axis for the names of the lines"""
LIST_LINE_IN = 0.19
"""height of a line in the list of names below a narrow figure"""


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
class SeriesStyle:
    """How a series is drawn."""

    colour: str
    marker: str
    glyph: str
    """the marker as a letter"""


@dataclass(frozen=True)
class Series:
    """The points that one line joins."""

    name: str
    dots: tuple[Dot, ...]
    colour: int
    """its index; colour and marker change together, so that colour alone never identifies a series
    """

    @property
    def style(self) -> "SeriesStyle":
        """Unique for the first 36 series."""
        marker = (self.colour + self.colour // 6) % 6
        return SeriesStyle(SERIES_COLOURS[self.colour % 6], MARKERS[marker], GLYPHS[marker])


@dataclass(frozen=True)
class Reference:
    """A thin line: a bound or a prediction through the points, or a published share across the
    whole width.
    """

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
    tabled: tuple[Reference, ...] = field(default=())
    """bounds and predictions that the table has and the figure leaves out, because they are many"""
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


def throughput(chart: Chart, key: str, alternative: str = "", *, narrow: bool = False) -> str:
    """The figure as SVG text.

    `key` makes its ids unique in the page; `narrow` is for a page of 390 px; `alternative` is the
    text alternative.
    """
    # Imported here, because importing matplotlib takes half a second.
    from matplotlib import rc_context  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    width_in, height_in = (3.9, 3.7) if narrow else (11.0, 5.0)
    is_listed = narrow and _needs_list(chart)
    list_in = LIST_LINE_IN * (len(chart.series) + len(chart.references)) if is_listed else 0.0
    whole_in = height_in + list_in
    settings: Any = {
        "svg.hashsalt": key,
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9 if narrow else 10,
        "axes.linewidth": 0.7,
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK
        ),
        **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), MUTED),
    }
    with rc_context(settings):
        figure = Figure(figsize=(width_in, whole_in))
        left, right = (0.14, 0.86) if narrow else (0.05, 0.94)
        bottom_in = 0.14 * height_in + list_in
        axes = figure.add_axes(
            (left, bottom_in / whole_in, right - left, 0.75 * height_in / whole_in)
        )
        _frame(axes, chart, narrow)
        labels = [*_draw_references(axes, chart), *_draw_series(axes, chart)]
        if is_listed:
            _list_labels(figure, labels, whole_in)
        else:
            _write_labels(axes, labels, chart.top * 1.06 / chart.divisor, narrow)
        output = io.StringIO()
        figure.savefig(
            output, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    return embedded(output.getvalue(), key, alternative)


@dataclass(frozen=True)
class AxisSpan:
    """The span of the horizontal axis."""

    left: float
    right: float
    names: float
    """where the names of the lines begin: a blank zone at the right"""


def span(chart: Chart, *, narrow: bool) -> AxisSpan:
    """The span of the ticks, with room for the names of the lines."""
    places = [place for place, _ in chart.ticks] or [0.0]
    low = min(places)
    high = max(places)
    if chart.log:
        low, high = math.log2(low), math.log2(high)
    width = (high - low) or 1.0
    if narrow and _needs_list(chart):
        zone = 0.06
    else:
        zone = _zone(max((len(series.name) for series in chart.series), default=0), narrow)
    left = low - 0.06 * width
    right = high + zone * width
    names = high + 0.05 * width
    return AxisSpan(2**left, 2**right, 2**names) if chart.log else AxisSpan(left, right, names)


def _zone(letters: int, narrow: bool) -> float:
    """Share by which the axis must be wider, so that names of this many letters fit next to the
    points.
    """
    share = min(_share_of_names(letters, narrow), NAMES_SHARE_MAX)
    return max(0.72 if narrow else 0.24, 1.06 * share / (1 - share))


def _share_of_names(letters: int, narrow: bool) -> float:
    """Share of the axis that names of this many letters take."""
    width_points, letter_points = (213, 4.5) if narrow else (700, 5.2)
    return (letters + 3) * letter_points / width_points + 0.05


def _needs_list(chart: Chart) -> bool:
    """Whether the names of a narrow figure would cover its points: they are listed below it."""
    names = [series.name for series in chart.series]
    names += [reference.name for reference in chart.references]
    longest = max((len(name) for name in names), default=0)
    return _share_of_names(longest, narrow=True) > NAMES_SHARE_MAX


def _frame(axes: Any, chart: Chart, narrow: bool) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, PercentFormatter  # noqa: PLC0415

    if chart.log:
        axes.set_xscale("log", base=2)
    limits = span(chart, narrow=narrow)
    axes.set_xlim(limits.left, limits.right)
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
    share = axes.secondary_yaxis(
        "right", functions=(lambda rate: rate / link, lambda part: part * link)
    )
    share.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    share.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    share.spines["right"].set_color(MUTED)
    axes.set_title("share of the server link", loc="right", fontsize="medium", pad=10)


@dataclass(frozen=True)
class _Label:
    """The name of a line, next to its end."""

    height: float
    """on the left axis"""
    text: str
    colour: str
    dashes: tuple[float, ...] | None = None
    """of a reference; None for a series, which has a marker in its text"""


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
        labels.append(_Label(heights[-1], line.name, colour, line.dashes or (1, 0)))
    return labels


def _draw_series(axes: Any, chart: Chart) -> list[_Label]:
    labels = []
    for number, series in enumerate(chart.series):
        shift = number - (len(chart.series) - 1) / 2
        style = series.style
        colour = style.colour
        dots = series.dots
        # A small shift keeps the error bars of neighbours apart.
        places = [_shifted(axes, dot.x, shift) for dot in dots]
        means = [dot.mean / chart.divisor for dot in dots]
        axes.plot(places, means, color=colour, linewidth=1.6)
        for dot, place, mean in zip(dots, places, means, strict=True):
            below = mean - dot.low / chart.divisor
            above = dot.high / chart.divisor - mean
            axes.errorbar(place, mean, [[below], [above]], color=colour, linewidth=1.1, capsize=3.5)
            for rate, limited in dot.repeats:
                axes.plot(
                    place,
                    rate / chart.divisor,
                    "o",
                    color=colour,
                    alpha=0.55,
                    markerfacecolor=PAGE if limited else colour,
                    markeredgewidth=0.7,
                    markersize=3.2,
                )
            axes.plot(
                place,
                mean,
                style.marker,
                color=colour,
                markerfacecolor=PAGE if dot.hollow else colour,
                markeredgewidth=1.5,
                markersize=6.5,
                zorder=5,
            )
        if dots:
            labels.append(_Label(means[-1], f"{style.glyph} {series.name}", colour))
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
    heights = spread([label.height + step * 0.45 for label in labels], step, top)
    place = axes.transData.inverted().transform(axes.transAxes.transform((0.985, 0)))[0]
    style = {"ha": "right", "va": "center", "fontsize": 8 if narrow else 9.5}
    # So that no line runs through a name.
    background = {"facecolor": PAGE, "edgecolor": "none", "pad": 1.0}
    for height, label in zip(heights, labels, strict=True):
        axes.text(place, height, label.text, color=label.colour, bbox=background, **style)


def _list_labels(figure: Any, labels: Sequence[_Label], whole_in: float) -> None:
    """List the names below the figure, each after a piece of its line or its marker."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    highest_first = sorted(labels, key=lambda label: -label.height)
    for number, label in enumerate(reversed(highest_first)):
        height = (number + 0.5) * LIST_LINE_IN / whole_in
        if label.dashes is None:
            glyph, _, name = label.text.partition(" ")
            figure.text(0.055, height, glyph, color=label.colour, ha="center", va="center")
        else:
            name = label.text
            sample = Line2D([0.03, 0.08], [height, height], color=label.colour, linewidth=1.0)
            sample.set_linestyle((0, label.dashes))
            figure.add_artist(sample)
        figure.text(0.1, height, name, color=label.colour, va="center")


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
    svg = re.sub(
        r' id="([^"]+)"', lambda match: f' id="{key}-{match[1]}"' if match[1] in used else "", svg
    )
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{key}-", svg)
    for code, name in _VARIABLES.items():
        svg = svg.replace(code, f"var({name})")
    title = f'<title id="{key}-title">{escape(alternative)}</title>'
    titled = f'role="img" aria-labelledby="{key}-title">{title}'
    svg = re.sub(
        r'<svg [^>]*viewBox="([^"]+)"[^>]*>',
        lambda match: f'<svg viewBox="{match[1]}" {titled}',
        svg,
        count=1,
    )
    return re.sub(r"\n\s*", "\n", svg)
