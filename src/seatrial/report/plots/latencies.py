"""The distribution of latencies: the cumulative share of operations, and the percentiles."""

import math
from collections.abc import Iterator, Sequence

from seatrial.analysis.histogram import P90_OPERATIONS, P99_OPERATIONS, P999_OPERATIONS
from seatrial.basics.units import counted
from seatrial.report.lab_marks import NOTE as LAB_NOTE
from seatrial.report.lab_marks import marked
from seatrial.report.picture import Picture
from seatrial.report.plots.drawing import Key, Sample, decades, tick_text
from seatrial.report.plots.line_chart import Across, Line, LineChart, Panel, drawn
from seatrial.report.tables import Cell, Column, Table, number_columns, of_items
from seatrial.summary.latency_results import LatencyDistribution
from seatrial.summary.names import point_name, short, value_name
from seatrial.summary.notation import NONE, figures

LINES_MAX = 6
"""lines of one panel"""
TOO_FEW = "too few samples"
TITLE = "Latency of the operations"
PERCENTILES = ("p90", "p99", "p99.9")
NOTE = (
    "All operations of all clients and of the used repeats of a point, from merged histograms. "
    f"“{TOO_FEW}”: p90 needs {P90_OPERATIONS} operations, p99 {P99_OPERATIONS}, and p99.9 "
    f"{P999_OPERATIONS}. With fewer it is the maximum."
)
VALUES_NOTE = "Share of the operations that took at most this time."


def table(caption: str, distributions: Sequence[LatencyDistribution]) -> Table | None:
    """The percentiles of each point and kind of operation; None where there is none."""
    if not distributions:
        return None
    keys = dict.fromkeys(key for item in distributions for key in item.point)
    cells: list[Cell[LatencyDistribution]] = [
        *map(_of_key, keys),
        Cell("phase", head=True, of=lambda item: item.phase),
        Cell("operation", of=lambda item: item.operation),
        Cell("samples", number=True, of=lambda item: str(item.operations)),
        Cell("p50", "ms", number=True, of=lambda item: figures(item.p50_ms)),
        Cell("p90", "ms", number=True, of=lambda item: _percentile(item.p90_ms)),
        Cell("p99", "ms", number=True, of=lambda item: _percentile(item.p99_ms)),
        Cell("p99.9", "ms", number=True, of=lambda item: _percentile(item.p999_ms)),
        Cell("max", "ms", number=True, of=lambda item: figures(item.max_ms)),
    ]
    filled = of_items(caption, cells, distributions, NOTE, "cards")
    titles = ("p50", *PERCENTILES, "max")
    return marked(filled, titles, in_lab=any(item.in_lab for item in distributions))


def _of_key(key: str) -> Cell[LatencyDistribution]:
    def value(item: LatencyDistribution) -> str:
        return value_name(item.point[key]) if key in item.point else NONE

    return Cell(short(key), head=True, of=value)


def _percentile(latency_ms: float | None) -> str:
    return TOO_FEW if latency_ms is None else figures(latency_ms)


# ---- the figure


def picture(distributions: Sequence[LatencyDistribution]) -> Picture | None:
    """The cumulative distributions of the phases' own operations; None where there is none."""
    own_distributions = [item for item in distributions if item.is_own]
    latencies_ms = [
        step.latency_ms for item in own_distributions for step in item.steps if step.latency_ms > 0
    ]
    if not latencies_ms:
        return None
    low_ms = 10.0 ** math.floor(math.log10(min(latencies_ms)))
    high_ms = 10.0 ** math.ceil(math.log10(max(latencies_ms)))
    across = Across("latency (ms)", low_ms, max(high_ms, 10 * low_ms), is_log=True)
    panels = tuple(_panels(own_distributions, across))
    chart = LineChart(across, panels, (), (), _alternative(own_distributions))
    return Picture(
        title=TITLE,
        caption=_caption(own_distributions),
        wide=drawn(chart),
        narrow=drawn(chart, narrow=True),
        data=_values(own_distributions, across),
    )


def _panels(distributions: Sequence[LatencyDistribution], across: Across) -> Iterator[Panel]:
    """One panel per operation of a phase; one for all of them where there is only one point."""
    if len({repr(item.point) for item in distributions}) == 1:
        groups = {"": list(distributions)}
    else:
        groups = {}
        for item in distributions:
            groups.setdefault(_operation_name(item), []).append(item)
    for name, items in groups.items():
        shown = evenly(items, LINES_MAX)
        lines = []
        keys = []
        for number, item in enumerate(shown, start=1):
            lines.append(Line(f"line-{number}", _curve(item, across), is_stair=True))
            text = point_name(item.point) if name else _operation_name(item)
            keys.append(Key(f"{text} ({item.operations})", f"line-{number}", Sample.LINE))
        title = f"{name}: share of the operations (%)" if name else "share of the operations (%)"
        yield Panel(title, tuple(lines), tuple(keys), top=100.0)


def _operation_name(item: LatencyDistribution) -> str:
    same = item.operation == item.phase
    return item.phase if same else f"{item.phase}, {item.operation}"


def _curve(item: LatencyDistribution, across: Across) -> tuple[tuple[float, float], ...]:
    """The share in percent, from 0 at the left edge to 100 at the right edge."""
    steps = [(step.latency_ms, 100 * step.share) for step in item.steps]
    return ((across.low, 0.0), *steps, (across.high, 100.0))


def evenly(items: Sequence[LatencyDistribution], most: int) -> list[LatencyDistribution]:
    """At most `most` items: the first, the last, and evenly spaced ones between them."""
    if len(items) <= most:
        return list(items)
    last = len(items) - 1
    return [items[round(number * last / (most - 1))] for number in range(most)]


def _caption(distributions: Sequence[LatencyDistribution]) -> str:
    """How to read the figure, and which histograms were merged."""
    repeats = max(item.repeats for item in distributions)
    clients = max(item.clients for item in distributions)
    merged = []
    if clients > 1:
        merged.append("all clients")
    if repeats > 1:
        merged.append("the used repeats")
    sentences = ["Cumulative distribution; the number of operations is in brackets."]
    if merged:
        sentences.append(f"Merged for each line: the histograms of {' and '.join(merged)}.")
    else:
        sentences.append("Each line is one repeat of one client; nothing was merged.")
    sentences.append("Different points are never merged.")
    by_operation: dict[str, int] = {}
    for item in distributions:
        name = _operation_name(item)
        by_operation[name] = by_operation.get(name, 0) + 1
    most = max(by_operation.values())
    if most > LINES_MAX:
        sentences.append(
            f"Shown are {LINES_MAX} of {most} points: the first, the last, and evenly spaced ones "
            "between them."
        )
    unserved = sum(item.unserved for item in distributions)
    if unserved:
        sentences.append(f"{counted(unserved, 'operation')} never began and had no latency.")
    if any(item.in_lab for item in distributions):
        sentences.append(LAB_NOTE.removeprefix("† "))
    return " ".join(sentences)


def _alternative(distributions: Sequence[LatencyDistribution]) -> str:
    texts = []
    for item in distributions:
        name = f"{_operation_name(item)} at {point_name(item.point)}"
        highest = f"at most {figures(item.max_ms)} ms"
        texts.append(f"{name}: half within {figures(item.p50_ms)} ms, {highest}")
    return f"{TITLE}. {'; '.join(texts)}."


def _values(distributions: Sequence[LatencyDistribution], across: Across) -> Table:
    limits_ms = decades(across.low, across.high)
    titles = [f"≤ {tick_text(limit_ms)} ms" for limit_ms in limits_ms]
    columns = (
        Column("point", head=True),
        Column("operation"),
        *number_columns("", *titles),
    )
    rows = []
    for item in distributions:
        shares = [_share_up_to(item, limit_ms) for limit_ms in limits_ms]
        rows.append((point_name(item.point), _operation_name(item), *map(_percent, shares)))
    return Table("", columns, tuple(rows), VALUES_NOTE, "cards")


def _percent(share: float) -> str:
    """Three digits: 99.7 % is not 100 %."""
    return f"{figures(100 * share)} %" if share else "0 %"


def _share_up_to(item: LatencyDistribution, limit_ms: float) -> float:
    shares = [step.share for step in item.steps if step.latency_ms <= limit_ms]
    return max(shares, default=0.0)
