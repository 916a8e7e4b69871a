"""The figure of the single clients of each point, from the slowest to the fastest."""

from collections.abc import Iterator, Sequence

from seatrial.report.lab_marks import unit
from seatrial.report.picture import Picture
from seatrial.report.plots.drawing import Key, Sample
from seatrial.report.plots.row_chart import Block, Mark, Panel, Row, RowChart, Whisker, drawn
from seatrial.report.tables import Cell, Table, of_items
from seatrial.summary.client_rates import CLIENTS_MIN, ClientRates, client_rates
from seatrial.summary.names import point_name
from seatrial.summary.notation import ratio, written
from seatrial.summary.points import Measured

TITLE = "Rates of the single clients"
CAPTION = (
    "Each dot is one client: its own data or operations over its own time, mean of the used "
    "repeats. Box: the middle half of the clients; stroke: median; line: from the slowest to the "
    f"fastest. Points with fewer than {CLIENTS_MIN} clients are left out."
)
KEYS = (
    Key("client", "client", Sample.DOT),
    Key("median", "median", Sample.STROKE),
    Key("middle half", "half", Sample.BLOCK),
    Key("slowest to fastest", "whisker", Sample.WHISKER),
)


def picture(points: Sequence[Measured]) -> Picture | None:
    """The figure; None where no point had enough clients."""
    rates = client_rates(points)
    if not rates:
        return None
    chart = RowChart(tuple(_panels(rates)), KEYS, _alternative(rates))
    return Picture(
        title=TITLE,
        caption=CAPTION,
        wide=drawn(chart),
        narrow=drawn(chart, narrow=True),
        data=_table(rates),
    )


def _panels(rates: Sequence[ClientRates]) -> Iterator[Panel]:
    """One panel per phase, because the rates of phases differ by factors."""
    for phase in dict.fromkeys(item.phase for item in rates):
        items = [item for item in rates if item.phase == phase]
        in_lab = any(item.in_lab for item in items)
        axis_title = f"rate of a client ({unit(items[0].quantity, in_lab=in_lab)})"
        yield Panel(phase, axis_title, tuple(map(_row, items)))


def _row(item: ClientRates) -> Row:
    divisor = item.quantity.divisor
    low, high = item.quartiles
    dots = [Mark(rate.rate / divisor, Sample.DOT, "client") for rate in item.rates]
    return Row(
        name=point_name(item.point),
        words=_words(item),
        blocks=(Block(low / divisor, high / divisor, "half"),),
        marks=(*dots, Mark(item.median / divisor, Sample.STROKE, "median")),
        whisker=Whisker(item.slowest.rate / divisor, item.fastest.rate / divisor),
    )


def _words(item: ClientRates) -> str:
    slowest = f"{item.slowest.client} {written(item.quantity, item.slowest.rate)}"
    fastest = f"{item.fastest.client} {written(item.quantity, item.fastest.rate)}"
    return f"{slowest} to {fastest}"


def _alternative(rates: Sequence[ClientRates]) -> str:
    texts = []
    for item in rates:
        name = f"{item.phase} at {point_name(item.point)}"
        texts.append(f"{name}: {_words(item)} {item.quantity.unit}")
    return f"{TITLE}. {'; '.join(texts)}."


def _table(rates: Sequence[ClientRates]) -> Table:
    def value(item: ClientRates, rate: float) -> str:
        return written(item.quantity, rate)

    def fastest_to_slowest(item: ClientRates) -> str:
        return ratio(item.fastest.rate, item.slowest.rate)

    cells: list[Cell[ClientRates]] = [
        Cell("point", head=True, of=lambda item: point_name(item.point)),
        Cell("phase", of=lambda item: item.phase),
        Cell("unit", of=lambda item: item.quantity.unit),
        Cell("clients", number=True, of=lambda item: str(len(item.rates))),
        Cell("slowest", number=True, of=lambda item: value(item, item.slowest.rate)),
        Cell("slowest client", of=lambda item: item.slowest.client),
        Cell("lower quartile", number=True, of=lambda item: value(item, item.quartiles[0])),
        Cell("median", number=True, of=lambda item: value(item, item.median)),
        Cell("upper quartile", number=True, of=lambda item: value(item, item.quartiles[1])),
        Cell("fastest", number=True, of=lambda item: value(item, item.fastest.rate)),
        Cell("fastest client", of=lambda item: item.fastest.client),
        Cell("fastest to slowest", number=True, of=fastest_to_slowest),
    ]
    return of_items("", cells, rates, "", "cards")
