"""The figure of all faults: the longest outage of each, in parts, with the limits."""

from collections.abc import Iterator, Sequence

from seatrial.report.picture import Picture
from seatrial.report.plots.drawing import Key, Sample
from seatrial.report.plots.row_chart import Block, Mark, Panel, Row, RowChart, drawn
from seatrial.report.tables import Column, Table, number_columns
from seatrial.summary.fault_results import OutageState
from seatrial.summary.notation import NONE, figures, seconds
from seatrial.summary.outage_parts import OTHER, PART_NAMES, DividedOutage

STATE_WORDS = {
    OutageState.NONE: "below the threshold",
    OutageState.NO_LOAD: "no client did anything",
    OutageState.NOT_INJECTED: "not injected",
}
PART_CSS = {name: f"fill-{number}" for number, name in enumerate(PART_NAMES, start=1)} | {
    OTHER: "fill-other"
}
LIMIT = Key("limit", "limit", Sample.STROKE)
PREDICTED = Key("predicted at most", "predicted", Sample.TRIANGLE)
TARGET = Key("target", "target", Sample.RING)
TITLE = "Longest outage of each fault, in parts"
CAPTION = (
    "Each bar is the longest outage of any client that kept its power; of a repeated fault, the "
    "longest of its worst repetition. The parts are in the order of time and end with events in "
    "the nodes’ logs. The part “client” lasts from the start of the service, or the end of "
    "its grace, to the end of the outage. The part “other” has no event in the logs."
)
NOT_RECOVERED_NOTE = (
    " A bar with an arrow has no end: the client got no answer while it was observed."
)
NOTE = (
    "Limit: of the acceptance criterion, else of the fault. Predicted at most: the timers that "
    "the fault must wait for, and the work between them. Target: the aim of the study."
)


def picture(outages: Sequence[DividedOutage]) -> Picture | None:
    """The figure; None where no fault was injected."""
    if all(item.state is OutageState.NOT_INJECTED for item in outages):
        return None
    panel = Panel("", "longest outage (s)", tuple(map(_row, outages)))
    has_no_end = any(item.state is OutageState.NOT_RECOVERED for item in outages)
    chart = RowChart((panel,), tuple(_keys(outages)), _alternative(outages))
    return Picture(
        title=TITLE,
        caption=CAPTION + (NOT_RECOVERED_NOTE if has_no_end else ""),
        wide=drawn(chart),
        narrow=drawn(chart, narrow=True),
        data=_table(outages),
    )


def _row(item: DividedOutage) -> Row:
    return Row(
        name=_name(item),
        words=_words(item),
        blocks=tuple(_blocks(item)),
        marks=tuple(_marks(item)),
        is_open=item.state is OutageState.NOT_RECOVERED,
    )


def _name(item: DividedOutage) -> str:
    times = f" ({item.repetitions} times)" if item.repetitions > 1 else ""
    return f"{item.fault}{times}{', control' if item.is_control else ''}"


def _words(item: DividedOutage) -> str:
    if item.outage_s is None:
        return STATE_WORDS[item.state]
    length = seconds(item.outage_s)
    if item.state is OutageState.NOT_RECOVERED:
        length = f"not recovered in {length}"
    return f"{length}, {item.client}"


def _blocks(item: DividedOutage) -> Iterator[Block]:
    at_s = 0.0
    for part in item.parts:
        yield Block(at_s, at_s + part.duration_s, PART_CSS[part.name])
        at_s += part.duration_s


def _marks(item: DividedOutage) -> Iterator[Mark]:
    for value_s, key in (
        (item.limit_s, LIMIT),
        (item.predicted_s, PREDICTED),
        (item.target_s, TARGET),
    ):
        if value_s is not None:
            yield Mark(float(value_s), key.sample, key.css)


def _keys(outages: Sequence[DividedOutage]) -> Iterator[Key]:
    present = {part.name for item in outages for part in item.parts}
    for name in PART_NAMES:
        if name in present:
            yield Key(name, PART_CSS[name], Sample.BLOCK)
    marks = {mark.css for item in outages for mark in _marks(item)}
    yield from (key for key in (LIMIT, PREDICTED, TARGET) if key.css in marks)


def _alternative(outages: Sequence[DividedOutage]) -> str:
    """`Longest outages: panic 42.1 s, limit 52.4 s; ...`."""
    texts = []
    for item in outages:
        limit = f", limit {seconds(item.limit_s)}" if item.limit_s is not None else ""
        texts.append(f"{_name(item)}: {_words(item)}{limit}")
    return f"{TITLE}. {'; '.join(texts)}."


def _table(outages: Sequence[DividedOutage]) -> Table:
    present = {part.name for item in outages for part in item.parts}
    names = [name for name in PART_NAMES if name in present]
    columns = (
        Column("fault", head=True),
        *number_columns("s", "longest outage", *names, "limit"),
        Column("predicted at most", "s", number=True, optional=True),
        Column("target", "s", number=True, optional=True),
        Column("client"),
        Column("stream"),
        Column("repetition", optional=True),
    )
    rows = []
    for item in outages:
        durations_s = item.duration_by_part_s
        rows.append(
            (
                _name(item),
                _length(item),
                *(figures(durations_s.get(name)) for name in names),
                figures(item.limit_s),
                figures(item.predicted_s),
                figures(item.target_s),
                item.client or NONE,
                item.stream or NONE,
                item.repetition if item.repetitions > 1 else NONE,
            )
        )
    return Table("", columns, tuple(rows), NOTE, "cards wordy").slim()


def _length(item: DividedOutage) -> str:
    if item.outage_s is None:
        return STATE_WORDS[item.state]
    is_open = item.state is OutageState.NOT_RECOVERED
    return f"> {figures(item.outage_s)}, not recovered" if is_open else figures(item.outage_s)
