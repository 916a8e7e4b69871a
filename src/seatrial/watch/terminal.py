"""The live view: a table in a terminal; in a pipe, a line for each load, fault and message."""

import time
from collections.abc import Callable, Sequence

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from seatrial.basics.printable import printable
from seatrial.watch.snapshot import ClientState, ClientView, Snapshot
from seatrial.watch.text import (
    FAULTS_SHOWN,
    HEADINGS,
    cells,
    current_load_line,
    fault_line,
    fault_lines,
    folded,
    head,
)

INTERVAL_S = 1.0
CLIENTS_MIN = 3
"""rows for clients on the smallest terminal, one of them for the remaining clients"""
NAME_WIDTH_MAX = 24
WIDTH_OF_ALL_COLUMNS = 110
COLUMNS_IF_NARROW = (0, 1, 2, 3, 6)
"""client, state, rate, operations/s, p99"""
STYLES = {ClientState.SILENT: "bold red", ClientState.LOST: "red", ClientState.DONE: "dim"}
Poll = Callable[[], Snapshot]
Pause = Callable[[float], None]


def follow(poll: Poll, console: Console, pause: Pause = time.sleep) -> Snapshot:
    """Show a run until it has ended; returns the last snapshot.

    The last state stays on the terminal. An interrupt restores the cursor.
    """
    if not console.is_terminal or console.is_dumb_terminal:
        return _follow_in_lines(poll, console, pause)
    with Live(
        console=console,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
        vertical_overflow="crop",
    ) as live:
        while True:
            snapshot = poll()
            live.update(drawn(snapshot, console.height, console.width), refresh=True)
            if not snapshot.is_running:
                return snapshot
            pause(INTERVAL_S)


def drawn(snapshot: Snapshot, height: int, width: int) -> RenderableType:
    """The snapshot in at most this number of lines and columns."""
    lines = head(snapshot)
    faults = fault_lines(snapshot.faults)
    # One line for the headings, and one for the cursor.
    rows_max = max(height - len(lines) - len(faults) - 2, CLIENTS_MIN)
    clients = folded(snapshot.clients, rows_max)
    parts: list[RenderableType] = [Text(lines[0], style="bold", no_wrap=True, overflow="ellipsis")]
    parts += [_line(line) for line in (*lines[1:], *faults)]
    if clients.shown:
        parts.append(_table(clients.shown, width))
    if clients.rest:
        parts.append(_line(clients.rest))
    return Group(*parts)


def _table(clients: Sequence[ClientView], width: int) -> Table:
    """The rows of clients; a narrow terminal has fewer columns, and whole names."""
    columns = range(len(HEADINGS)) if width >= WIDTH_OF_ALL_COLUMNS else COLUMNS_IF_NARROW
    table = Table(box=None, pad_edge=False)
    for number in columns:
        justify: JustifyMethod = "left" if number < 2 else "right"
        table.add_column(HEADINGS[number], justify=justify, no_wrap=True, overflow="ellipsis")
    longest = max(len(client.name) for client in clients)
    table.columns[0].min_width = min(longest, NAME_WIDTH_MAX)
    for client in clients:
        values = cells(client)
        row = [Text(values[number]) for number in columns]
        table.add_row(*row, style=STYLES.get(client.state, ""))
    return table


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")


def _follow_in_lines(poll: Poll, console: Console, pause: Pause) -> Snapshot:
    """For a pipe: a line when the message, the state of a fault, or the load changes."""
    before: dict[str, str] = {}
    while True:
        snapshot = poll()
        events = events_of(snapshot)
        for key, text in events.items():
            if key not in before:
                console.print(Text(printable(text)), soft_wrap=True)
        before = events
        if not snapshot.is_running:
            return snapshot
        pause(INTERVAL_S)


def events_of(snapshot: Snapshot) -> dict[str, str]:
    """Key -> line of everything that a pipe shows once: rates and outages change all the time."""
    events = {f"message {snapshot.message}": snapshot.message} if snapshot.message else {}
    for fault in snapshot.faults[-FAULTS_SHOWN:]:
        events[f"fault {fault.name} {fault.state}"] = fault_line(fault)
    if snapshot.load is not None and not snapshot.load.is_running:
        events[f"load {snapshot.load.title}"] = current_load_line(snapshot.load)
    return events
