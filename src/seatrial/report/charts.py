"""From measured points to a chart: series, bounds, predictions, and published values as shares of a
link.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from seatrial.basics.units import format_rate
from seatrial.judge.published import published_experiment
from seatrial.report import lab_marks
from seatrial.report.built import bit_rate
from seatrial.report.figures import Chart, Dot, Reference, Series
from seatrial.report.series import Axis, axis, axis_key, limits
from seatrial.report.tables import Column, Table
from seatrial.result.phases import doubts_of
from seatrial.result.quantities import OPERATIONS, RATE, Quantity
from seatrial.study.experiment import Figure
from seatrial.summary.names import point_name, short
from seatrial.summary.notation import NONE, figures, percent
from seatrial.summary.points import Measured
from seatrial.summary.system import Built

BOUND_RATE = "bound_bytes_per_s"
BOUND_DASHES = (6.0, 2.0)
PREDICTED_DASHES = (1.0, 2.0)
PUBLISHED_DASHES = (4.0, 3.0)
MODEL_LINES_MAX = 4
"""More bounds and predictions than this hide the measured lines: only the table has them then."""


@dataclass(frozen=True)
class PublishedValue:
    """A published rate of a figure, as a share of the link that bounds it."""

    metric: str
    at: str
    printed: str
    """`about 600 MB/s`"""
    share: float
    source: str
    """its line numbers in the document"""


def published_values(
    published: Mapping[str, Any], number: str | None, system: Built | None
) -> list[PublishedValue]:
    """The single values (value, approx) in MB/s of one figure; empty when no link relates them.

    A megabyte is taken as 10^6 bytes, because documents seldom define it.
    """
    link = system.server_links.modelled_bytes_per_s if system else None
    if not link or not number:
        return []
    values = []
    points = published_experiment(published, number).get("points")
    for point in points if isinstance(points, list) else ():
        value = point.get("value", point.get("approx")) if isinstance(point, dict) else None
        if isinstance(value, int | float) and point.get("unit") == "MB/s":
            printed = f"{'about ' if 'approx' in point else ''}{value:g} MB/s"
            metric = str(point.get("metric", ""))
            where = str(point.get("at", ""))
            share = value * RATE.divisor / link
            lines = str(point.get("src", ""))
            values.append(PublishedValue(metric, where, printed, share, lines))
    return values


def chart_of(
    points: Sequence[Measured],
    drawn: Figure | None,
    system: Built | None,
    published: Sequence[PublishedValue],
    *,
    local: bool = False,
) -> Chart | None:
    """The chart of an experiment; None when no repeat is whole. `local`: no network was crossed."""
    whole = [item for item in points if item.whole]
    if not whole:
        return None
    across = axis(axis_key(drawn.x if drawn else None, points), bool(drawn and drawn.log), points)
    relative = drawn.relative_to if drawn else None
    bases = _bases(whole, across, relative)
    quantity = whole[0].quantity
    series = _series(
        [item for item in whole if relative is None or _line_of(item, across) in bases],
        across,
        bases,
    )
    link = (
        system.server_links.lab_bytes_per_s
        if system and quantity is RATE and relative is None and not local
        else None
    )
    models = _model_lines(whole, across) if quantity is RATE and relative is None else []
    is_crowded = len(models) > MODEL_LINES_MAX
    levels = _published_lines(published, series, link) if link else []
    title = _title(quantity, whole, scaled=bool(system and system.scaled))
    if relative is not None:
        title = f"relative to {base_name(across.key, relative)}"
    return Chart(
        x_title=across.title,
        ticks=tuple((place, across.names[name]) for name, place in across.places.items()),
        log=across.log,
        series=tuple(series),
        references=tuple(levels if is_crowded else [*models, *levels]),
        tabled=tuple(models if is_crowded else ()),
        link_bytes_per_s=link,
        title=title,
        base=None if relative is None else base_name(across.key, relative),
        divisor=quantity.divisor if relative is None else 1.0,
    )


def _title(quantity: Quantity, whole: Sequence[Measured], *, scaled: bool) -> str:
    """The title of the left axis: the unit, marked where the figures are the lab's and not those of
    hardware.
    """
    if quantity is OPERATIONS:
        return lab_marks.unit(quantity, in_lab=any(item.in_lab for item in whole))
    return f"{quantity.unit} in the lab" if scaled else quantity.unit


def _bases(whole: Sequence[Measured], across: Axis, relative: str | int | None) -> dict[str, float]:
    """The mean of each line at the reference value of its ratios; empty when no ratios
    are drawn.
    """
    if relative is None:
        return {}
    at_reference = [item for item in whole if item.point.get(across.key or "") == relative]
    return {_line_of(item, across): item.mean for item in at_reference if item.mean}


def _line_of(item: Measured, across: Axis) -> str:
    """The name of the line of a point: its phase, and every value that varies except the axis."""
    others = {key: value for key, value in item.point.items() if key != across.key}
    return f"{item.phase}, {point_name(others)}" if others else item.phase


def base_name(key: str | None, relative: str | int) -> str:
    """The reference value of the ratios as text: `cabling single`."""
    return f"{short(key or '')} {relative}".strip()


def _series(whole: Sequence[Measured], across: Axis, bases: Mapping[str, float]) -> list[Series]:
    lines: dict[str, list[Dot]] = {}
    for item in whole:
        line = _line_of(item, across)
        base = bases.get(line, 1.0)
        values = [value / base for value in item.values]
        repeats = tuple(
            (item.quantity.of(repeat) / base, repeat.lab_limited) for repeat in item.whole
        )
        dot = Dot(
            across.place(item.point),
            fmean(values),
            min(values),
            max(values),
            repeats,
            item.lab_limited,
        )
        lines.setdefault(line, []).append(dot)
    return [
        Series(name, tuple(sorted(dots, key=lambda dot: dot.x)), number)
        for number, (name, dots) in enumerate(lines.items())
    ]


def _model_lines(whole: Sequence[Measured], across: Axis) -> list[Reference]:
    """Bound and prediction of every line; lines that coincide are drawn once with both names."""
    texts_at: dict[tuple[tuple[float, float], ...], dict[str, list[str]]] = {}
    bounds: set[tuple[tuple[float, float], ...]] = set()
    measured: dict[str, list[Measured]] = {}
    for item in whole:
        measured.setdefault(_line_of(item, across), []).append(item)
    for rate, name, word in (
        (BOUND_RATE, "bound", "bound"),
        ("predicted_bytes_per_s", "bottleneck", "predicted"),
    ):
        for line, unordered in measured.items():
            items = sorted(unordered, key=lambda item: across.place(item.point))
            at = tuple((across.place(item.point), item.first_of(rate)) for item in items)
            if all(value is not None for _, value in at):
                text = f"{word}: {items[-1].first_of(name)}"
                texts_at.setdefault(at, {}).setdefault(text, []).append(line)
                if rate == BOUND_RATE:
                    bounds.add(at)
    references = []
    for at, texts in texts_at.items():
        names = [
            text if len(of) == len(measured) else f"{text} ({', '.join(of)})"
            for text, of in texts.items()
        ]
        dashes = BOUND_DASHES if at in bounds else PREDICTED_DASHES
        references.append(Reference(" = ".join(_joined(names)), at, dashes))
    return references


def _joined(names: list[str]) -> list[str]:
    """`bound: x` and `predicted: x` on one line are written `bound = predicted: x`."""
    ends = {name.partition(": ")[2] for name in names}
    if len(names) == 2 and len(ends) == 1:
        return [names[0].partition(": ")[0], names[1]]
    return names


def _published_lines(
    published: Sequence[PublishedValue], series: Sequence[Series], link: float
) -> list[Reference]:
    """Published values as shares of the link; they refer to the right axis only."""
    lines = []
    for value in published:
        colour = next(
            (line.colour for line in series if line.name.partition(",")[0] == value.metric), None
        )
        if colour is not None:
            name = f"published {value.metric}: {percent(value.share)}"
            lines.append(Reference(name, ((0.0, value.share * link),), PUBLISHED_DASHES, colour))
    return lines


def described(chart: Chart) -> str:
    """The text alternative of a figure: every mean, line by line, in the unit of the left axis."""
    names = dict(chart.ticks)
    lines = []
    for line in chart.series:
        means = (f"{figures(dot.mean / chart.divisor)} at {names[dot.x]}" for dot in line.dots)
        lines.append(f"{line.name}: {', '.join(means)}")
    across = f" against {chart.x_title}" if chart.x_title else ""
    return f"{chart.title}{across}. {'; '.join(lines)}"


def values(chart: Chart) -> Table:
    """Every mean of a chart with its range, and its lines, in the unit of its left axis."""
    lines = {
        line.name: {dot.x: _dot(dot, chart.divisor) for dot in line.dots} for line in chart.series
    }
    for line in (*chart.references, *chart.tabled):
        if len(line.points) > 1 or len(chart.ticks) == 1:
            lines.setdefault(
                line.name, {x: figures(value / chart.divisor) for x, value in line.points}
            )
    columns = (
        Column(chart.x_title or "point", head=True),
        *(Column(name, "" if chart.base else chart.title, number=True) for name in lines),
    )
    rows = tuple((name, *(line.get(x, NONE) for line in lines.values())) for x, name in chart.ticks)
    return Table("", columns, rows, "Mean, with the lowest and highest repeat.", "cards")


def _dot(dot: Dot, divisor: float) -> str:
    mean, low, high = (figures(value / divisor) for value in (dot.mean, dot.low, dot.high))
    return mean if low == high else f"{mean} ({low} to {high})"


def caption_of(
    points: Sequence[Measured],
    chart: Chart,
    system: Built | None,
    published: Sequence[PublishedValue],
    document: str,
) -> list[str]:
    """The caption of a figure, as sentences."""
    divided = f", divided by the mean at {chart.base} of the same line" if chart.base else ""
    hollow = f", hollow where it was {what}" if (what := limits(points)) else ""
    sentences = [
        f"{points[0].quantity.title}{divided}: mean of the usable repeats, with a bar from the "
        "lowest to the highest; "
        f"each repeat is a small dot{hollow}."
    ]
    if system and chart.link_bytes_per_s:
        modelled = system.server_links.modelled_bytes_per_s
        link_rate = f"{format_rate(chart.link_bytes_per_s)} raw"
        if modelled and system.scaled:
            link_rate += f" in the lab, which models {bit_rate(modelled)}"
        sentences.append(f"Right axis: share of the server link ({link_rate}).")
    if chart.tabled:
        sentences.append("The bounds and predictions of the many lines are in the table only.")
    sentences.append(limited_sentence(points))
    phases = {item.phase for item in points}
    drawn = [value for value in published if value.metric in phases]
    link = system.server_links.modelled_bytes_per_s if system else None
    if drawn and chart.link_bytes_per_s and link:
        values = "; ".join(
            f"{value.metric} {figures(value.share * 100)} % ({value.printed} of"
            f" {link / RATE.divisor:.0f} MB/s; {value.at}; source lines {value.source})"
            for value in drawn
        )
        as_share = "only as a share of the modelled server link"
        sentences.append(f"Dashed: {document}, {as_share}: {values}.")
    return [text for text in sentences if text]


def limited_sentence(points: Sequence[Measured]) -> str:
    """A sentence that lists the points without usable repeats; empty when there are none."""
    limited = [item for item in points if item.lab_limited]
    if not limited:
        return ""
    why = doubts_of(repeat for item in limited for repeat in item.whole)
    start = (
        f"Hollow points are means of repeats that were {why}, which no published claim may use: "
    )
    if len(limited) == len([item for item in points if item.whole]):
        return f"{start}every point of this figure."
    by_phase: dict[str, list[str]] = {}
    for item in limited:
        by_phase.setdefault(item.phase, []).append(point_name(item.point))
    return (
        start
        + "; ".join(f"{phase} at {', '.join(names)}" for phase, names in by_phase.items())
        + "."
    )
