"""The rate of the clients in every second around a fault."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.quantities import OPERATIONS, RATE, Quantity
from seatrial.study.consistency_kinds import kind_names
from seatrial.study.workload import moves_data

SECONDS_MAX = 3600
"""of a fault; later seconds are left out"""


@dataclass(frozen=True)
class ClientSeconds:
    """The rate of one client in every second, in bytes/s or operations/s."""

    client: str
    rates: tuple[float, ...]


@dataclass(frozen=True)
class FaultRates:
    """The streams of a fault with the same quantity: their rates in every second."""

    quantity: Quantity
    first_s: int
    """start of the first second, from the injection; before it, it is negative"""
    streams: tuple[str, ...]
    total: tuple[float, ...]
    """of all clients, in bytes/s or operations/s"""
    slowest: ClientSeconds | None
    """the client that kept the smallest share of the rate that it had before the injection; None
    with fewer than two clients that kept their power"""


def quantity_of_stream(stream: StreamResult) -> Quantity:
    """The quantity of a stream: its rate, or its operations where no data move or the data are
    those of a consistency test.
    """
    has_rate = moves_data(stream.phase) and stream.phase not in kind_names()
    return RATE if has_rate else OPERATIONS


def fault_rates(fault: FaultResult) -> tuple[FaultRates, ...]:
    """The rates through a fault, one item per quantity; empty where nothing was injected, or where
    it was observed for less than two seconds.
    """
    return tuple(_fault_rates(fault))


def _fault_rates(fault: FaultResult) -> Iterator[FaultRates]:
    zero_s = fault.injected_unix_s
    start_s = fault.started_unix_s
    end_s = fault.ended_unix_s
    if zero_s is None or start_s is None or end_s is None:
        return
    first_s = -max(math.floor(zero_s - start_s), 0)
    count = min(math.floor(end_s - zero_s) - first_s, SECONDS_MAX)
    if count < 2:
        return
    for quantity in (RATE, OPERATIONS):
        items = [item for item in fault.streams if quantity_of_stream(item) is quantity]
        if not any(item.seconds for item in items):
            continue
        yield FaultRates(
            quantity=quantity,
            first_s=first_s,
            streams=tuple(dict.fromkeys(item.stream for item in items)),
            total=_seconds(items, quantity, zero_s + first_s, count),
            slowest=_slowest(items, quantity, zero_s + first_s, count, before=-first_s),
        )


def _slowest(
    items: Sequence[StreamResult],
    quantity: Quantity,
    from_s: float,
    count: int,
    *,
    before: int,
) -> ClientSeconds | None:
    """The client that kept the smallest share of its rate, in `count` seconds from `from_s` on.

    `before`: the number of these seconds before the injection.
    """
    clients = dict.fromkeys(item.client for item in items if not item.lost_power)
    seconds_of_clients = []
    for client in clients:
        of_client = [item for item in items if item.client == client]
        seconds_of_clients.append(
            ClientSeconds(client, _seconds(of_client, quantity, from_s, count))
        )
    if len(seconds_of_clients) < 2:
        return None
    return min(seconds_of_clients, key=lambda item: _kept_share(item.rates, before))


def _kept_share(rates: Sequence[float], before: int) -> tuple[float, float]:
    """The rate from the injection on as a share of the rate before it, and the former rate.

    Clients may have different streams, so that their rates alone do not compare. A client without
    a rate before the injection is the last to be chosen.
    """
    until = fmean(rates[:before]) if before else 0.0
    after = fmean(rates[before:]) if len(rates) > before else 0.0
    return (after / until if until else math.inf), after


def _seconds(
    items: Sequence[StreamResult], quantity: Quantity, start_s: float, count: int
) -> tuple[float, ...]:
    sums = per_second(items, start_s, quantity)[:count]
    return (*sums, *[0.0] * (count - len(sums)))


def per_second(items: Sequence[StreamResult], start_s: float, quantity: Quantity) -> list[float]:
    """Bytes of the streams in each second since `start_s`; operations for any other quantity than
    `RATE`.

    An interval is spread evenly over its seconds.
    """
    sums: dict[int, float] = {}
    intervals = [interval for item in items for interval in item.seconds]
    for interval in intervals:
        amount = interval.size_bytes if quantity is RATE else interval.operations
        from_s = interval.started_unix_s - start_s
        to_s = interval.ended_unix_s - start_s
        second = int(max(from_s, 0.0))
        while second < to_s:
            inside_s = min(second + 1, to_s) - max(second, from_s)
            share = inside_s / max(interval.length_s, 1e-9)
            sums[second] = sums.get(second, 0.0) + amount * max(share, 0.0)
            second += 1
    return [sums.get(second, 0.0) for second in range(max(sums) + 1)] if sums else []
