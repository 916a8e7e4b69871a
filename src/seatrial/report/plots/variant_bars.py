"""The figure of the variants of an experiment: bars with intervals, and the bound as a mark."""

from collections.abc import Iterator, Sequence

from seatrial.report.lab_marks import unit
from seatrial.report.picture import Picture
from seatrial.report.plots.drawing import Key, Sample
from seatrial.report.plots.row_chart import Block, Mark, Panel, Row, RowChart, Whisker, drawn
from seatrial.report.tables import Column, Table, number_columns
from seatrial.summary.notation import NONE, written
from seatrial.summary.sources import Sources
from seatrial.summary.variant_rates import PhaseVariants, VariantRate, variant_rates

TITLE = "The variants compared"
NOT_MEASURED = "not measured"
BAR = Key("mean", "fill-1", Sample.BLOCK)
LIMITED = Key("limited by the lab's CPUs or out of caches", "limited", Sample.BLOCK)
INTERVAL = Key("95 % interval of the mean", "whisker", Sample.WHISKER)
BOUND = Key("bound", "limit", Sample.STROKE)


def picture(sources: Sources, name: str) -> Picture | None:
    """The figure; None where the experiment has no measured variant."""
    phases = variant_rates(sources, name)
    if not any(item.mean for phase in phases for item in phase.variants):
        return None
    chart = RowChart(
        tuple(map(_panel, phases)), tuple(_keys(phases)), f"{TITLE}. {_alternative(phases)}."
    )
    return Picture(
        title=TITLE,
        caption=_caption(phases),
        wide=drawn(chart),
        narrow=drawn(chart, narrow=True),
        data=_table(phases),
    )


def _panel(phase: PhaseVariants) -> Panel:
    quantity = phase.quantity
    axis_title = f"{quantity.title[:1].lower()}{quantity.title[1:]}"
    axis_title = f"{axis_title} ({unit(quantity, in_lab=phase.in_lab)})"
    rows = tuple(_row(phase, item) for item in phase.variants)
    return Panel(phase.phase, axis_title, rows)


def _row(phase: PhaseVariants, item: VariantRate) -> Row:
    divisor = phase.quantity.divisor
    if item.mean is None:
        return Row(item.variant, NOT_MEASURED)
    marks = []
    if item.bound_bytes_per_s is not None:
        marks.append(Mark(item.bound_bytes_per_s / divisor, BOUND.sample, BOUND.css))
    whisker = None
    if item.low is not None and item.high is not None:
        whisker = Whisker(item.low / divisor, item.high / divisor)
    css = LIMITED.css if item.is_limited else BAR.css
    return Row(
        name=item.variant,
        words=f"{written(phase.quantity, item.mean)} {phase.quantity.unit}",
        blocks=(Block(0.0, item.mean / divisor, css),),
        marks=tuple(marks),
        whisker=whisker,
    )


def _keys(phases: Sequence[PhaseVariants]) -> Iterator[Key]:
    variants = [item for phase in phases for item in phase.variants]
    present = (
        (BAR, any(item.mean is not None and not item.is_limited for item in variants)),
        (LIMITED, any(item.is_limited for item in variants)),
        (INTERVAL, any(item.low is not None for item in variants)),
        (BOUND, any(item.bound_bytes_per_s is not None for item in variants)),
    )
    yield from (key for key, is_drawn in present if is_drawn)


def _caption(phases: Sequence[PhaseVariants]) -> str:
    variants = [item for phase in phases for item in phase.variants]
    sentences = ["The variants are in the order of the study; bars show means of the used repeats."]
    if any(item.low is not None for item in variants):
        sentences.append("An interval with an arrow is cut.")
    if any(item.mean is not None and item.low is None for item in variants):
        sentences.append("A bar without an interval rests on fewer than two repeats.")
    if any(item.bound_bytes_per_s is not None for item in variants):
        sentences.append("Bound: the slowest resource that no cache can bypass.")
    return " ".join(sentences)


def _alternative(phases: Sequence[PhaseVariants]) -> str:
    texts = []
    for phase in phases:
        rates = []
        for item in phase.variants:
            rate = NOT_MEASURED if item.mean is None else written(phase.quantity, item.mean)
            rates.append(f"{item.variant} {rate}")
        texts.append(f"{phase.phase}, {phase.quantity.unit}: {', '.join(rates)}")
    return "; ".join(texts)


def _table(phases: Sequence[PhaseVariants]) -> Table:
    columns = (
        Column("variant", head=True),
        Column("phase"),
        Column("unit"),
        *number_columns("", "mean", "lower limit", "upper limit", "repeats"),
        Column("bound", number=True, optional=True),
    )
    rows = []
    for phase in phases:
        for item in phase.variants:
            values = (item.mean, item.low, item.high)
            low_to_high = (written(phase.quantity, value) for value in values)
            repeats = str(item.repeats) if item.mean is not None else NONE
            bound = written(phase.quantity, item.bound_bytes_per_s)
            unit_name = phase.quantity.unit
            rows.append((item.variant, phase.phase, unit_name, *low_to_high, repeats, bound))
    return Table("", columns, tuple(rows), "", "cards").slim()
