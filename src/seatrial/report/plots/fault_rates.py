"""The figure of the rate through one fault, on axes from 0."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from seatrial.report.lab_marks import unit
from seatrial.report.picture import Picture
from seatrial.report.plots.drawing import Key, Sample
from seatrial.report.plots.line_chart import Across, Event, Line, LineChart, Panel, drawn
from seatrial.report.tables import Column, Table
from seatrial.result.faults import FaultResult
from seatrial.result.quantities import Quantity
from seatrial.summary.fault_rates import FaultRates, fault_rates
from seatrial.summary.notation import NONE, written

TOTAL_CSS = "line-1"
SLOWEST_CSS = "line-2"
NARROW_HEIGHT = 68.0
"""of a panel: the figures of two faults fit on a printed page"""
ALL_CLIENTS = "all clients"
CAPTION = (
    "All streams with this unit together. Slowest client: the one that kept the smallest share of "
    "its earlier rate. Shaded: from the injection to the end of the repair. Recovered: every "
    "stream got answers again, and the system was healthy."
)
NOTE = "Mean over the whole seconds of each span, with the lowest and the highest second."
COLUMNS = (
    Column("rate", head=True),
    Column("before the injection", number=True),
    Column("until the repair", number=True),
    Column("after the repair", number=True),
)


def picture(fault: FaultResult) -> Picture | None:
    """The figure; None where nothing was injected, or no stream reported its seconds."""
    rates = fault_rates(fault)
    if not rates:
        return None
    first_s = rates[0].first_s
    count = len(rates[0].total)
    end_s = float(first_s + count)
    repair_s = _from_injection_s(fault, fault.repaired_unix_s)
    shaded = (0.0, end_s if repair_s is None else repair_s)
    chart = LineChart(
        across=Across("time from the injection (s)", float(first_s), end_s),
        panels=tuple(_panel(item, fault) for item in rates),
        events=tuple(_events(fault, end_s)),
        shaded=(shaded,),
        alternative=_alternative(fault, rates, repair_s),
        narrow_height=NARROW_HEIGHT,
    )
    return Picture(
        title=f"Rate through the fault {fault.name}",
        caption=CAPTION,
        wide=drawn(chart),
        narrow=drawn(chart, narrow=True),
        data=Table("", COLUMNS, tuple(_rows(rates, repair_s)), NOTE, "pairs"),
    )


def _from_injection_s(fault: FaultResult, unix_s: float | None) -> float | None:
    if unix_s is None or fault.injected_unix_s is None:
        return None
    return unix_s - fault.injected_unix_s


def _events(fault: FaultResult, end_s: float) -> Iterator[Event]:
    yield Event(0.0, "injection")
    for unix_s, name in (
        (fault.repaired_unix_s, "end of the repair"),
        (fault.recovered_unix_s, "recovered"),
    ):
        at_s = _from_injection_s(fault, unix_s)
        if at_s is not None and 0 <= at_s <= end_s:
            yield Event(at_s, name)


def _panel(item: FaultRates, fault: FaultResult) -> Panel:
    divisor = item.quantity.divisor
    lines = [Line(TOTAL_CSS, _stair(item.first_s, item.total, divisor), is_stair=True)]
    keys = [Key(ALL_CLIENTS, TOTAL_CSS, Sample.LINE)]
    if item.slowest:
        stair = _stair(item.first_s, item.slowest.rates, divisor)
        lines.append(Line(SLOWEST_CSS, stair, is_stair=True))
        name = f"slowest client: {item.slowest.client}"
        keys.append(Key(name, SLOWEST_CSS, Sample.LINE))
    title = unit(item.quantity, in_lab=fault.in_lab)
    return Panel(title, tuple(lines), tuple(keys))


def _stair(first_s: int, rates: Sequence[float], divisor: float) -> tuple[tuple[float, float], ...]:
    """A point at the start of each second, and one at the end of the last."""
    points = [(float(first_s + number), rate / divisor) for number, rate in enumerate(rates)]
    end = (float(first_s + len(rates)), rates[-1] / divisor)
    return (*points, end)


def _spans(
    item: FaultRates, rates: Sequence[float], repair_s: float | None
) -> tuple[list[float], list[float], list[float]]:
    """The seconds before the injection, until the repair, and after it."""
    before: list[float] = []
    until: list[float] = []
    after: list[float] = []
    for second, rate in enumerate(rates, start=item.first_s):
        if second < 0:
            before.append(rate)
        elif repair_s is None or second < repair_s:
            until.append(rate)
        else:
            after.append(rate)
    return before, until, after


def _rows(
    streams: Sequence[FaultRates], repair_s: float | None
) -> Iterator[tuple[str, str, str, str]]:
    for item in streams:
        lines = {ALL_CLIENTS: item.total}
        if item.slowest:
            lines[f"slowest client: {item.slowest.client}"] = item.slowest.rates
        for name, rates in lines.items():
            before, until, after = _spans(item, rates, repair_s)
            yield (
                f"{name}, {item.quantity.unit}",
                _range(item.quantity, before),
                _range(item.quantity, until),
                _range(item.quantity, after),
            )


def _range(quantity: Quantity, rates: Sequence[float]) -> str:
    if not rates:
        return NONE
    mean, low, high = (written(quantity, rate) for rate in (fmean(rates), min(rates), max(rates)))
    return f"{mean} ({low} to {high})"


def _alternative(fault: FaultResult, streams: Sequence[FaultRates], repair_s: float | None) -> str:
    texts = []
    for name, before, until, after in _rows(streams, repair_s):
        texts.append(
            f"{name}: {before} before the injection, {until} until the repair, {after} after it"
        )
    return f"Rate of the clients through the fault {fault.name}. {'; '.join(texts)}."
