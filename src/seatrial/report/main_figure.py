"""The main figure: the one that the question of the study is about.

It shows the settings, the outages of the faults, or the sweep with the highest rate.
"""

from collections.abc import Sequence
from dataclasses import replace

from seatrial.analysis.statistics import mean_of
from seatrial.basics.units import counted
from seatrial.report.lab_marks import unit
from seatrial.report.picture import Picture
from seatrial.report.plots import outage_bars
from seatrial.report.plots.row_chart import Block, Panel, Row, RowChart, Whisker, drawn
from seatrial.report.plots.variant_bars import BAR, INTERVAL
from seatrial.report.results import Section
from seatrial.report.tables import Column, Table, number_columns
from seatrial.summary.choices import Choice, Option
from seatrial.summary.conclusions import Conclusions
from seatrial.summary.fault_results import OutageState
from seatrial.summary.notation import written
from seatrial.summary.outage_parts import DividedOutage

LABEL = "Main figure"
ROWS_MAX = 24
"""at most this many bars; the chapters have all of them"""
NO_BAR = frozenset({OutageState.NOT_INJECTED, OutageState.NO_LOAD})


def main_figure(
    conclusions: Conclusions, sections: Sequence[Section], outages: Sequence[DividedOutage]
) -> Picture | None:
    """The figure of the first page; None where nothing can be drawn."""
    if conclusions.choice is not None and conclusions.choice.best:
        return replace(_settings(conclusions.choice), label=LABEL)
    asks_for_faults = conclusions.survival is not None and conclusions.headline.is_yes_or_no
    sweep = _sweep(conclusions, sections)
    faults = _faults(outages)
    candidates = (faults, sweep) if asks_for_faults else (sweep, faults)
    chosen = next((item for item in candidates if item is not None), None)
    return replace(chosen, label=LABEL) if chosen is not None else None


# ---- the sweep


def _sweep(conclusions: Conclusions, sections: Sequence[Section]) -> Picture | None:
    """The figure of the experiment with the highest rate; a copy with its own ids."""
    experiments = [peak.item.repeats[0].experiment for peak in conclusions.throughput.peaks]
    with_figures = [section for section in sections if section.pictures]
    of_peaks = [section for section in with_figures if section.name in experiments]
    section = next(iter([*of_peaks, *with_figures]), None)
    if section is None:
        return None
    first = section.pictures[0]
    key = f"{first.label.lower().replace(' ', '-')}-"
    return replace(
        first,
        title=f"{section.title}: {first.title}" if first.title else section.title,
        caption=f"{first.label} has the explanation and the values.",
        wide=first.wide.replace(key, "main-figure-"),
        narrow=first.narrow.replace(key, "main-figure-"),
        data=None,
    )


# ---- the faults


def _faults(outages: Sequence[DividedOutage]) -> Picture | None:
    """The longest outage of each injected fault, the worst first; negative controls have none."""
    injected = [item for item in outages if item.state not in NO_BAR and not item.is_control]
    ordered = sorted(injected, key=_severity, reverse=True)
    picture = outage_bars.picture(ordered[:ROWS_MAX]) if ordered else None
    more = len(ordered) - ROWS_MAX
    if picture is None or more <= 0:
        return picture
    rest = f" {counted(more, 'fault')} with shorter outages: see the chapter on faults."
    return replace(picture, caption=f"{picture.caption}{rest}")


def _severity(item: DividedOutage) -> tuple[bool, float]:
    return item.state is OutageState.NOT_RECOVERED, item.outage_s or 0.0


# ---- the settings


def _settings(choice: Choice) -> Picture:
    """The rate of each setting in the phase of the first recommendation, the highest first."""
    phase = choice.best[0].option.phase
    options = [item for item in choice.options if item.phase == phase]
    ordered = sorted(options, key=lambda item: item.item.mean or 0.0, reverse=True)
    shown = ordered[:ROWS_MAX]
    first = shown[0].item
    axis = f"{phase} ({unit(first.quantity, in_lab=first.in_lab)})"
    title = f"Settings compared by {phase}"
    rates = "; ".join(f"{item.name} {item.value}" for item in shown)
    panel = Panel("", axis, tuple(map(_row, shown)))
    chart = RowChart((panel,), (BAR, INTERVAL), f"{title}: {rates}.")
    more = len(ordered) - len(shown)
    rest = f" {counted(more, 'slower setting')}: see the chapter on performance." if more else ""
    return Picture(
        title=title,
        caption=f"Means of the valid repeats, with their 95 % intervals.{rest}",
        wide=drawn(chart),
        narrow=drawn(chart, narrow=True),
        data=_values(shown),
    )


def _row(option: Option) -> Row:
    divisor = option.item.quantity.divisor
    limits = _limits(option)
    whisker = Whisker(limits[0] / divisor, limits[1] / divisor) if limits else None
    block = Block(0.0, (option.item.mean or 0.0) / divisor, BAR.css)
    return Row(option.name, option.value, (block,), whisker=whisker)


def _limits(option: Option) -> tuple[float, float] | None:
    """The 95 % interval of the mean; None below two repeats."""
    mean = mean_of(option.sample)
    interval = mean.interval() if mean else None
    return (interval.low, interval.high) if interval else None


def _values(options: Sequence[Option]) -> Table:
    """The values of the bars."""
    unit_name = options[0].item.quantity.unit
    columns = (
        Column("setting", head=True),
        *number_columns(unit_name, "mean", "lower limit", "upper limit"),
    )
    rows = []
    for option in options:
        low, high = _limits(option) or (None, None)
        values = (option.item.mean, low, high)
        rows.append((option.name, *(written(option.item.quantity, value) for value in values)))
    return Table("", columns, tuple(rows), css="cards")
