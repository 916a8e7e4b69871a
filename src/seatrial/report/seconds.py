"""What happened in every second of every phase: tables of small pictures, of throughput and of latency."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from seatrial.record.phases import PhaseResult
from seatrial.report import strips
from seatrial.report.series import Measured, point_name
from seatrial.report.tables import Column, Numbered, Table

DATA = (Column("point"), Column("phase"), Column("second by second"))


@dataclass(frozen=True)
class Strips(Numbered):
    """The seconds of every phase: a table of small pictures."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    data: Table
    """the same as a table"""


def throughput(title: str, points: Sequence[Measured]) -> Strips | None:
    """What all clients moved or did in every second; None when nobody told, or when no phase lasted two seconds."""
    longest, tops = strips.scale_of(points)
    if longest < 2:
        return None
    first = points[0].phase

    def drawn(phase: PhaseResult) -> tuple[str, str]:
        css = "bar-1" if phase.phase == first else "bar-2"
        return strips.strip(phase, longest, tops[phase.phase], css), strips.in_words(phase)

    caption = f"{title}: all clients in every second; {strips.scale_text(longest, tops)}.{_about_writes(points)}"
    return _table(caption, points, drawn)


def latency(title: str, points: Sequence[Measured]) -> Strips | None:
    """The median and the longest operation of every second; None as above."""
    longest, bounds = strips.latency_scale_of(repeat for item in points for repeat in item.repeats)
    if not bounds or longest < 2:
        return None
    low, high = bounds

    def drawn(phase: PhaseResult) -> tuple[str, str]:
        return strips.latency_strip(phase.seconds, longest, low, high), strips.latency_in_words(phase.seconds)

    caption = (
        f"{title}: latency of the operations that ended in each second, of all clients. Solid line: median; dotted "
        f"line: the longest. The width of a strip is {longest} s; its height is logarithmic, from {strips.power(low)} "
        f"to {strips.power(high)}, with a thin line at each power of ten."
    )
    return _table(caption, points, drawn)


def _about_writes(points: Iterable[Measured]) -> str:
    if not any(item.phase in ("write", "mixed", "copy-to-storage") for item in points):
        return ""
    return (
        " A write counts when its call returns, which may be in the client’s own memory; the flush that follows is "
        "inside the timing but moves no further bytes here."
    )


def _table(caption: str, points: Sequence[Measured], drawn: Callable[[PhaseResult], tuple[str, str]]) -> Strips:
    columns = [
        (phase, repeat)
        for phase in dict.fromkeys(item.phase for item in points)
        for repeat in sorted({result.repeat for item in points for result in item.repeats})
    ]
    rows: dict[str, dict[tuple[str, int], str]] = {}
    told: list[tuple[str, ...]] = []
    for item in points:
        for result in item.repeats:
            picture, words = drawn(result)
            rows.setdefault(point_name(item.point), {})[item.phase, result.repeat] = picture
            told.append((point_name(item.point), f"{result.phase}, repeat {result.repeat}", words))
    return Strips(
        caption=caption,
        columns=tuple(f"{phase}, repeat {repeat}" for phase, repeat in columns),
        rows=tuple((name, tuple(row.get(column, "") for column in columns)) for name, row in rows.items()),
        data=Table("", DATA, tuple(told), css="pairs"),
    )
