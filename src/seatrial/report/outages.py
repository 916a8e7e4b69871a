"""Outages of clients, as bars over the time of a phase and as a list.

An older result has neither outages nor engines of clients; such a client is left out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from seatrial.basics.units import counted
from seatrial.report.plots import timeline
from seatrial.report.plots.timeline import Tick
from seatrial.report.tables import Column, Table, grouped
from seatrial.result.outages import ClientOutage
from seatrial.result.phases import ClientResult, PhaseResult
from seatrial.summary.names import heading
from seatrial.summary.notation import figures, milliseconds, node_set
from seatrial.summary.points import Measured

PHASES_MAX = 8
ROWS_MAX = 10
"""rows of one phase in the list"""
WIDTH = 1000
HEIGHT = 20

COLUMNS = (
    Column("client", head=True),
    Column("client or task"),
    Column("from – to", "s of the phase", number=True),
    Column("length", "s", number=True),
    Column("from – to", "UTC", number=True),
    Column("end"),
)


@dataclass(frozen=True)
class PhaseWithOutages:
    """A phase in which a client or a task had an outage."""

    title: str
    phase: PhaseResult

    @property
    def is_open(self) -> bool:
        """Whether one of its outages lasted until the phase ended."""
        return any(outage.open for outage in self.phase.outages)

    @property
    def longest_s(self) -> float:
        """The longest of its outages."""
        return max(outage.length_s for outage in self.phase.outages)

    @property
    def end_s(self) -> float:
        """Where the phase ends, from its start."""
        ends_s = [client.elapsed_s + client.start_late_s for client in self.phase.clients]
        ends_s += [outage.end_unix_s - self.phase.started_unix_s for outage in self.phase.outages]
        return max(ends_s)


@dataclass(frozen=True)
class Bars:
    """One phase of the figure: its clients with outages."""

    title: str
    ticks: tuple[Tick, ...]
    """of the time axis, which begins at 0 s"""
    rows: tuple[tuple[str, str, str], ...]
    """(client, its bar as SVG, its outages in words)"""


def outages(points: Sequence[Measured]) -> list[PhaseWithOutages]:
    """Every phase with outages, in descending order of the longest one."""
    phases = [
        PhaseWithOutages(heading(item.point, f"{item.phase}, repeat {repeat.repeat}"), repeat)
        for item in points
        for repeat in item.repeats
        if repeat.outages
    ]
    return sorted(phases, key=lambda item: -item.longest_s)


def in_words(phases: Sequence[PhaseWithOutages], threshold_s: float | None) -> str:
    """The sentence before the figure, or without one; a threshold appears only where the study sets
    it.
    """
    longer = "more than the threshold"
    if threshold_s:
        longer = (
            f"more than {threshold_s * 1e3:.4g} ms"
            if threshold_s < 1
            else f"more than {threshold_s:.4g} s"
        )
    if not phases:
        return f"No client and no task had an outage of {longer}."
    many = f"{len(phases)} phases" if len(phases) > 1 else "one phase"
    longest = f"the longest one lasted {figures(phases[0].longest_s)} s ({phases[0].title})"
    open_count = sum(item.is_open for item in phases)
    if open_count:
        longest += f"; in {counted(open_count, 'phase')} one did not end before the phase did"
    return f"In {many} something had an outage of {longer}; {longest}."


def caption(phases: Sequence[PhaseWithOutages]) -> str:
    """How to read the figure."""
    legend = (
        "Bars in the colour of this text: no task of the client completed anything. Paler bars:"
        " some of its tasks did not; their height is the share of its tasks. Each phase has its own"
        " time axis."
    )
    if len(phases) <= PHASES_MAX:
        return legend
    more = len(phases) - PHASES_MAX
    rest = (
        f"{counted(more, 'further phase')} had none longer than"
        f" {figures(phases[PHASES_MAX].longest_s)} s"
    )
    return f"{legend} Shown are the {PHASES_MAX} phases with the longest outages; {rest}."


def bars(phases: Sequence[PhaseWithOutages]) -> list[Bars]:
    """The figure's phases, at most 8."""
    drawn = []
    for item in phases[:PHASES_MAX]:
        rows = []
        for client in item.phase.clients:
            if not client.outages:
                continue
            still = ", one to the end" if any(outage.open for outage in client.outages) else ""
            longest_s = max(outage.length_s for outage in client.outages)
            summary = f"{len(client.outages)}, longest {figures(longest_s)} s{still}"
            rows.append(
                (client.client, bar(client, item.phase.started_unix_s, item.end_s), summary)
            )
        drawn.append(Bars(item.title, timeline.time_ticks(0.0, item.end_s), tuple(rows)))
    return drawn


def bar(client: ClientResult, started_s: float, end_s: float) -> str:
    """One client's outages over the time of the phase, as SVG text."""
    scale = WIDTH / max(end_s, 1e-9)
    tasks = [outage for outage in client.outages if not outage.is_of_whole_client]
    numbers = [outage.task for outage in client.outages if outage.task is not None]
    count = max([len(client.tasks), *(number + 1 for number in numbers)])
    steps = "".join(
        f"M{from_s * scale:.1f}"
        f" {HEIGHT}v{-HEIGHT * silent / count:.1f}H{to_s * scale:.1f}V{HEIGHT}z"
        for from_s, to_s, silent in silent_tasks(tasks, started_s)
    )
    whole = "".join(
        f"M{(outage.start_unix_s - started_s) * scale:.1f} {HEIGHT}V0"
        f"H{(outage.end_unix_s - started_s) * scale:.1f}V{HEIGHT}z"
        for outage in client.outages
        if outage.is_of_whole_client
    )
    grid = timeline.grid(timeline.time_ticks(0.0, end_s), WIDTH, HEIGHT)
    return svg(f'<path d="{steps}" class="some"/><path d="{whole}" class="whole"/>', grid)


def svg(inside: str, behind: str = "") -> str:
    """A bar of the whole width, with its floor, as SVG text."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" class="outage" role="img"'
        f' aria-hidden="true">{behind}<path d="M0 {HEIGHT - 0.4}H{WIDTH}"'
        f' class="floor"/>{inside}</svg>'
    )


def silent_tasks(
    outages: Sequence[ClientOutage], started_s: float
) -> list[tuple[float, float, int]]:
    """(from, to, how many tasks were silent) wherever one was, in seconds after the start."""
    changes = Counter[float]()
    for outage in outages:
        changes[outage.start_unix_s - started_s] += 1
        changes[outage.end_unix_s - started_s] -= 1
    spans = []
    silent = 0
    for from_s, to_s in pairwise(sorted(changes)):
        silent += changes[from_s]
        if silent:
            spans.append((from_s, to_s, silent))
    return spans


def listed(phases: Sequence[PhaseWithOutages]) -> Table:
    """Start and end of every outage of the phases shown; outages at the same times share a row."""
    groups = []
    for item in phases[:PHASES_MAX]:
        all_rows = _rows(item)
        longest = sorted(
            sorted(all_rows, key=lambda row: -float(row[0]))[:ROWS_MAX], key=lambda row: row[1]
        )
        more = f"; the {ROWS_MAX} longest of {len(all_rows)}" if len(all_rows) > ROWS_MAX else ""
        day = f"{datetime.fromtimestamp(item.phase.started_unix_s, UTC):%Y-%m-%d}"
        error_ms = milliseconds(item.phase.clock_error_s, 2)
        groups.append(
            (
                f"{item.title} ({day}, clocks agree within {error_ms} ms{more})",
                [row[2] for row in longest],
            )
        )
    caption = "Outages by phase, in descending order of the longest one."
    return grouped(caption, COLUMNS, groups, NOTE)


NOTE = (
    "UTC is the time of the machine that runs Seatrial; the clients’ clocks are corrected by "
    "their offsets. "
    "An outage lasts from one completion to the next; “to the end”: no completion until the phase "
    "ended."
)


def _rows(item: PhaseWithOutages) -> list[tuple[float, float, tuple[str, ...]]]:
    """(length, start, row) of the outages of a phase, by client; times equal to the millisecond
    share a row.
    """
    same: dict[tuple[str, int, int, bool], list[int | None]] = {}
    for outage in item.phase.outages:
        times_ms = (round(outage.start_unix_s * 1e3), round(outage.end_unix_s * 1e3))
        same.setdefault((outage.client, *times_ms, outage.open), []).append(outage.task)
    rows: list[tuple[float, float, tuple[str, ...]]] = []
    for (client, start_ms, end_ms, still), tasks in same.items():
        from_s, to_s = (
            moment_ms / 1e3 - item.phase.started_unix_s for moment_ms in (start_ms, end_ms)
        )
        clock = f"{_clock(start_ms)} – {_clock(end_ms)}"
        times = (f"{from_s:.3f} – {to_s:.3f}", f"{(end_ms - start_ms) / 1e3:.3f}", clock)
        end = "to the end" if still else "closed"
        rows.append((float(end_ms - start_ms), from_s, (client, _who(tasks), *times, end)))
    return rows


def _who(tasks: Sequence[int | None]) -> str:
    """`whole client`, `task 3`, or the tasks with the same outage."""
    if None in tasks:
        return "whole client"
    numbers = [f"t{task}" for task in tasks]
    return (
        f"task {tasks[0]}"
        if len(tasks) == 1
        else f"tasks {node_set(numbers).replace('t', '').strip('[]')}"
    )


def _clock(unix_ms: int) -> str:
    return f"{datetime.fromtimestamp(unix_ms // 1000, UTC):%H:%M:%S}.{unix_ms % 1000:03d}"
