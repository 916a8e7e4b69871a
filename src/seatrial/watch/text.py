"""A snapshot as text: the head, a table of clients that fits a height, and the faults."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seatrial.basics.node_sets import fold
from seatrial.basics.printable import printable
from seatrial.basics.units import counted, format_duration, format_rate, significant
from seatrial.watch.snapshot import (
    ClientState,
    ClientView,
    Count,
    FaultState,
    FaultView,
    LoadView,
    Snapshot,
)

CLIENTS_WITHOUT_TERMINAL = 40
"""rows of clients where the height is not limited by a terminal"""
FAULTS_SHOWN = 5
"""the newest faults that are shown"""
HEADINGS = ("client", "state", "rate", "operations/s", "operations", "p50", "p99", "max", "errors")
UNKNOWN = "-"


@dataclass(frozen=True)
class Clients:
    """The clients that are shown one by one, and a line for all remaining ones."""

    shown: tuple[ClientView, ...]
    rest: str


def folded(clients: Sequence[ClientView], rows_max: int) -> Clients:
    """As many clients as fit; where not all fit, one row is for the line of the remaining ones."""
    if len(clients) <= rows_max:
        return Clients(tuple(clients), "")
    shown = tuple(clients[: max(rows_max - 1, 0)])
    return Clients(shown, rest_line(clients[len(shown) :]))


def rest_line(clients: Sequence[ClientView]) -> str:
    """`node[01-60]: 118 MB/s each, 60 running`: their mean rate, and the number in each state."""
    states = [item.state for item in clients]
    numbers = [f"{states.count(state)} {state}" for state in ClientState if state in states]
    return f"{_names(clients)}: {_mean_rate(clients)} each, {', '.join(numbers)}"


def _names(clients: Iterable[ClientView]) -> str:
    names = list(dict.fromkeys(item.client for item in clients))
    try:
        return fold(names)
    except Exception:  # ClusterShell has several errors for names that are none
        return f"{names[0]} and {len(names) - 1} more"


def _mean_rate(clients: Sequence[ClientView]) -> str:
    number = max(len(clients), 1)
    rate_bytes_per_s = sum(item.rate_bytes_per_s for item in clients) / number
    operations_per_s = sum(item.operations_per_s for item in clients) / number
    return rate_words(rate_bytes_per_s, operations_per_s)


def rate_words(rate_bytes_per_s: float, operations_per_s: float) -> str:
    """The rate of data, or of metadata operations where no data are moved."""
    if rate_bytes_per_s or not operations_per_s:
        return format_rate(rate_bytes_per_s)
    return f"{operations_per_s:.0f} operations/s"


def cells(client: ClientView) -> tuple[str, ...]:
    """The row of a client, as `HEADINGS`."""
    return (
        printable(client.name),
        printable(state_words(client)),
        format_rate(client.rate_bytes_per_s),
        f"{client.operations_per_s:.0f}",
        str(client.operations),
        _latency(client.latency_p50_ms),
        _latency(client.latency_p99_ms),
        _latency(client.latency_max_ms),
        str(client.errors),
    )


def state_words(client: ClientView) -> str:
    """`running`, `silent for 12 s`, `lost: its power was cut`."""
    if client.state is ClientState.SILENT:
        return f"silent for {client.silent_s:.0f} s"
    if client.state is ClientState.LOST and client.lost:
        return f"lost: {client.lost}"
    return client.state.value


def _latency(latency_ms: float | None) -> str:
    return UNKNOWN if latency_ms is None else f"{significant(latency_ms)} ms"


def head(snapshot: Snapshot) -> list[str]:
    """The run, its progress, the current load, and the newest message; one line each."""
    lines = [_run_line(snapshot), _progress_line(snapshot)]
    if snapshot.load is not None:
        lines.append(current_load_line(snapshot.load))
    if snapshot.message and snapshot.is_running:
        lines.append(snapshot.message)
    if snapshot.unreadable_lines:
        lines.append(f"{counted(snapshot.unreadable_lines, 'line')} cannot be read")
    return [printable(line) for line in lines]


def _run_line(snapshot: Snapshot) -> str:
    status = snapshot.status.value
    reason = f": {snapshot.reason}" if snapshot.reason else ""
    profile = f" ({snapshot.profile})" if snapshot.profile else ""
    return f"{snapshot.study or snapshot.result}{profile}: {status}{reason}"


def _progress_line(snapshot: Snapshot) -> str:
    counts = (
        ("phases", snapshot.phases),
        ("searches", snapshot.searches),
        ("faults", snapshot.faults_done),
    )
    parts = [_count_words(what, count) for what, count in counts if count.planned]
    parts.append(f"{format_duration(snapshot.elapsed_s)} elapsed")
    if snapshot.remaining_s is not None:
        parts.append(f"about {format_duration(snapshot.remaining_s)} left")
    return ", ".join(parts)


def _count_words(what: str, count: Count) -> str:
    return f"{what} {count.done} of {count.planned}"


def current_load_line(load: LoadView) -> str:
    """The current load, its completed share, and the rate of all clients."""
    share = "" if load.share is None else f" {load.share:.0%},"
    rate = rate_words(load.rate_bytes_per_s, load.operations_per_s)
    ended = "" if load.is_running else " (ended)"
    return f"{load.title}{ended}:{share} {rate}"


def fault_lines(faults: Sequence[FaultView]) -> list[str]:
    """The newest faults, one line each."""
    return [printable(fault_line(fault)) for fault in faults[-FAULTS_SHOWN:]]


def fault_line(fault: FaultView) -> str:
    """A fault, its state, and its longest outage so far."""
    reason = f": {fault.reason}" if fault.reason else ""
    is_current = fault.state in (FaultState.BEGUN, FaultState.INJECTED, FaultState.REPAIRED)
    so_far = " so far" if is_current else ""
    outage = "" if fault.outage_s is None else f", longest outage{so_far} {fault.outage_s:.1f} s"
    return f"fault {fault.name} ({fault.title}): {fault.state}{outage}{reason}"


def as_text(snapshot: Snapshot, rows_max: int = CLIENTS_WITHOUT_TERMINAL) -> str:
    """The whole snapshot, for a terminal or a pipe."""
    clients = folded(snapshot.clients, rows_max)
    lines = [*head(snapshot), *fault_lines(snapshot.faults)]
    rows = [HEADINGS, *map(cells, clients.shown)] if clients.shown else []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        aligned = [
            cell.ljust(width) if number < 2 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(aligned).rstrip())
    if clients.rest:
        lines.append(printable(clients.rest))
    if snapshot.verdict:
        lines.append(printable(snapshot.verdict))
    return "\n".join(lines)
