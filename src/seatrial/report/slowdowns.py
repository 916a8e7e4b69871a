"""Slowdowns: what a fault took from streams that go as fast as they can, and when their rate was back."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial.record.faults import FaultResult, StreamResult
from seatrial.record.quantities import RATE, quantity_of
from seatrial.report.faults import per_second
from seatrial.report.tables import Column, Table, figures
from seatrial.study.faults import Stream

WINDOW_S = 5
"""a rate is the mean of so many seconds: a single one holds a handful of operations"""
BACK_SHARE = 0.9
FALL_SHARE = 0.5
"""a job that falls below this again was not back for good: it does when the server that was lost returns"""
COLUMNS = (
    Column("fault", head=True),
    Column("stream", head=True),
    Column("longest outage", "s", number=True),
    Column("rate before"),
    Column("lowest rate"),
    Column("of before", "%", number=True),
    Column(f"{BACK_SHARE:.0%} of before again after", "s", number=True),
)


@dataclass(frozen=True)
class Slowdown:
    """Rates in units a second, each the mean of WINDOW_S; times from the injection."""

    before: float
    lowest: float
    back_s: float | None
    """since when it had BACK_SHARE of before again, first after the last fall; None: not while it was watched"""
    watched_s: int


def slowdown(fault: FaultResult, items: Sequence[StreamResult], amount: int) -> Slowdown | None:
    """Of a stream on all of its clients; None where a part of it is missing, or was watched for less than a window.

    `amount`: the index of bytes or operations in `StreamResult.seconds`.
    """
    at_s, end_s = fault.injected_unix_s, fault.ended_unix_s
    if at_s is None or end_s is None or any(item.lost_power or item.lost or item.over_unix_s for item in items):
        return None
    watched_s = max(math.floor(end_s - at_s), 0)
    sums = per_second(items, at_s - WINDOW_S, amount)
    before, *rates = (sum(sums[start : start + WINDOW_S]) / WINDOW_S for start in range(watched_s + 1))
    rates = rates[WINDOW_S - 1 :]
    if not before or not rates:
        return None
    wanted = BACK_SHARE * before
    lowest = min(rates)
    fell_s = max(second for second, rate in enumerate(rates) if rate <= max(lowest, FALL_SHARE * before))
    back_s = next((second for second, rate in enumerate(rates) if second >= fell_s and rate >= wanted), None)
    return Slowdown(before, lowest, 0 if lowest >= wanted else back_s, watched_s)


def table(faults: Iterable[FaultResult], load: Mapping[str, Stream]) -> Table:
    """Every closed loop of every fault."""
    closed = [name for name, it in load.items() if it.workload and it.workload.arrivals_per_s is None]
    rows = [row for fault in faults for name in closed for row in _rows(fault, name)]
    caption = "Jobs that go on: what a fault took from streams that go as fast as they can."
    note = (
        f"Rates are means of {WINDOW_S} s of all clients of a stream: of those right before the injection, and of the "
        f"slowest behind it. Counted from the injection, the rate was back when such a mean began that had "
        f"{BACK_SHARE:.0%} of before, the first one after the last that had no more than {FALL_SHARE:.0%} (or was the "
        "slowest); “> 50” where none had in the 50 s until the stream was told to stop, 0 where it never fell so low."
    )
    return Table(caption, COLUMNS, tuple(rows), note, "cards")


def _rows(fault: FaultResult, name: str) -> Iterator[tuple[str, ...]]:
    items = [item for item in fault.streams if item.stream == name]
    quantity = quantity_of(items[0].phase) if items else RATE
    found = slowdown(fault, items, 2 if quantity is RATE else 3) if items else None
    if found:
        rates = (f"{figures(rate / quantity.divisor)} {quantity.unit}" for rate in (found.before, found.lowest))
        longest_s = max(item.longest_s for item in items)
        outage = f"{longest_s:.1f}" if longest_s else "< threshold"
        back = f"> {found.watched_s}" if found.back_s is None else f"{found.back_s:.0f}"
        yield (fault.name, name, outage, *rates, f"{100 * found.lowest / found.before:.0f}", back)
