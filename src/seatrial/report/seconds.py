"""Throughput and latency in every second of every phase, which show the steadiness of a mean.

Each phase is a small strip in a table of pictures.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from seatrial.basics.text import capitalised
from seatrial.report.tables import Column, Numbered, Table
from seatrial.result.phases import PhaseResult, Second
from seatrial.result.quantities import quantity_of
from seatrial.study.workload import moves_data
from seatrial.summary.names import point_name
from seatrial.summary.notation import LAB_OWN, NONE, figures, written
from seatrial.summary.points import Measured

ABOUT_WRITES = (
    " A write counts when its call returns, and its data may still be in the client’s memory. The "
    "flush that follows is "
    "inside the timing but moves no further bytes here."
)
DATA = (Column("point"), Column("phase"), Column("whole seconds"))


@dataclass(frozen=True)
class Strips(Numbered):
    """The seconds of every phase: a table of small pictures."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    data: Table
    """its values as a table"""


@dataclass(frozen=True)
class DrawnStrip:
    """The picture of a phase, and its values as text."""

    svg: str
    words: str


def throughput(points: Sequence[Measured]) -> Strips | None:
    """Data or operations of all clients in every second.

    None when the seconds are unknown, or when no phase lasted two seconds.
    """
    scale = scale_of(points)
    if scale.longest_s < 2:
        return None
    first = points[0].phase

    def drawn(phase: PhaseResult) -> DrawnStrip:
        css = "bar-1" if phase.phase == first else "bar-2"
        svg = strip(phase, scale.longest_s, scale.tops[phase.phase], css)
        return DrawnStrip(svg, in_words(phase))

    heights = ", ".join(_height_text(phase, top) for phase, top in scale.tops.items())
    sizes = f"the width of a strip is {scale.longest_s} s, its height {heights}"
    writes = any(item.phase in ("write", "mixed", "copy-to-storage") for item in points)
    caption = f"All clients in every second; {sizes}.{ABOUT_WRITES if writes else ''}"
    caption += "" if moves_data(first) else _lab_note(points)
    return _table(caption, points, drawn)


def _height_text(phase: str, top: float) -> str:
    quantity = quantity_of(phase)
    return f"{written(quantity, top)} {quantity.unit} for {phase}"


def _lab_note(points: Sequence[Measured]) -> str:
    """The note on figures that depend on the lab's times."""
    return (
        f" {capitalised(LAB_OWN)}: times are not scaled."
        if any(item.in_lab for item in points)
        else ""
    )


def latency(points: Sequence[Measured]) -> Strips | None:
    """The median and the longest operation of every second; None as above."""
    scale = latency_scale_of(repeat for item in points for repeat in item.repeats)
    if scale is None or scale.longest_s < 2:
        return None

    def drawn(phase: PhaseResult) -> DrawnStrip:
        svg = latency_strip(phase.seconds, scale.longest_s, scale.low, scale.high)
        return DrawnStrip(svg, latency_in_words(phase.seconds))

    caption = (
        "Latency of the operations that ended in each second, of all clients. Solid line: median;"
        f" dotted line: the longest. The width of a strip is {scale.longest_s} s; its height is"
        f" logarithmic, from {power(scale.low)} to {power(scale.high)}, with a thin line at each"
        f" power of ten.{_lab_note(points)}"
    )
    return _table(caption, points, drawn)


def _table(
    caption: str, points: Sequence[Measured], drawn: Callable[[PhaseResult], DrawnStrip]
) -> Strips:
    columns = [
        (phase, repeat)
        for phase in dict.fromkeys(item.phase for item in points)
        for repeat in sorted({result.repeat for item in points for result in item.repeats})
    ]
    rows: dict[str, dict[tuple[str, int], str]] = {}
    values: list[tuple[str, ...]] = []
    for item in points:
        for result in item.repeats:
            picture = drawn(result)
            rows.setdefault(point_name(item.point), {})[item.phase, result.repeat] = picture.svg
            repeat_name = f"{result.phase}, repeat {result.repeat}"
            values.append((point_name(item.point), repeat_name, picture.words))
    return Strips(
        caption=caption,
        columns=tuple(f"{phase}, repeat {repeat}" for phase, repeat in columns),
        rows=tuple(
            (name, tuple(row.get(column, "") for column in columns)) for name, row in rows.items()
        ),
        data=Table("", DATA, tuple(values), css="pairs"),
    )


# ---- strips

WIDTH = 132
HEIGHT = 30
SECONDS_MAX = 3600


def per_second(phase: PhaseResult) -> list[int]:
    """Bytes of all clients in every second since the phase began; operations where no data move."""
    sums: dict[int, int] = {}
    counts_bytes = moves_data(phase.phase)
    for client in phase.clients:
        for line in client.seconds:
            # A line is written at the end of its second; half a second of slack keeps it in that
            # second.
            second = max(int(line.ended_unix_s - phase.started_unix_s - 0.5), 0)
            if second < SECONDS_MAX:
                amount = line.size_bytes if counts_bytes else line.operations
                sums[second] = sums.get(second, 0) + int(amount)
    return [sums.get(second, 0) for second in range(max(sums) + 1)] if sums else []


def strip(phase: PhaseResult, longest: int, top: float, css: str) -> str:
    """One strip as SVG text: one bar per second, to the scale of its table."""
    seconds = per_second(phase)
    wide = WIDTH / max(longest, 1)
    bars = "".join(
        f"M{index * wide:.1f}"
        f" {HEIGHT}v{-HEIGHT * min(value / top, 1):.1f}h{max(wide - 0.6, 0.4):.1f}V{HEIGHT}z"
        for index, value in enumerate(seconds)
        if value
    )
    end = min(len(seconds) * wide, WIDTH)
    quantity = quantity_of(phase.phase)
    lowest, highest = (written(quantity, pick(seconds, default=0)) for pick in (min, max))
    alternative = f"{len(seconds)} s, {lowest} to {highest} {quantity.unit}"  # text alternative
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="strip" role="img"'
        f' aria-label="{alternative}"><path d="M0 {HEIGHT - 0.4}H{end:.1f}" class="floor"/><path'
        f' d="{bars}" class="{css}"/></svg>'
    )


def in_words(phase: PhaseResult) -> str:
    """The range of the seconds of a phase: `40 s: 11.5 to 11.9 MB/s, median 11.7`."""
    quantity = quantity_of(phase.phase)
    seconds = per_second(phase)
    if len(seconds) == 1:  # the data of a fraction of a second are no rate
        return (
            f"{written(quantity, seconds[0])} {quantity.unit.removesuffix('/s')}, over within 1.5 s"
        )
    if not seconds:
        return NONE
    lowest, highest = (written(quantity, pick(seconds)) for pick in (min, max))
    middle = written(quantity, median(seconds))
    return f"{len(seconds)} s: {lowest} to {highest} {quantity.unit}, median {middle}"


def latency_in_words(seconds: Sequence[Second]) -> str:
    """The range of the medians, and the longest operation: `medians 1.20 to 4.00 ms, longest 40.0
    ms`.
    """
    shown_latencies = [item.latency_ms for item in seconds if item.second < SECONDS_MAX]
    medians = [item["p50"] for item in shown_latencies if item.get("p50")]
    longest = [item["max"] for item in shown_latencies if item.get("max")]
    if not medians or not longest:
        return NONE
    lowest = figures(min(medians))
    highest = figures(max(medians))
    return f"medians {lowest} to {highest} ms, longest {figures(max(longest))} ms"


@dataclass(frozen=True)
class RateScale:
    """The scales of the strips of rates."""

    longest_s: int
    """of the longest phase: the width of a strip"""
    tops: dict[str, float]
    """phase -> the fastest second, in bytes or operations: the height of a strip. The rate of a
    client's memory exceeds that of a link by far"""


def scale_of(points: Sequence[Measured]) -> RateScale:
    """The scales of these points; the height is at least 1."""
    longest_s = 0
    tops = dict[str, float]()
    for item in points:
        for row in map(per_second, item.repeats):
            longest_s = max(longest_s, len(row))
            tops[item.phase] = max(tops.get(item.phase, 1.0), *row, 1.0)
    return RateScale(longest_s, tops)


@dataclass(frozen=True)
class LatencyScale:
    """The scales of the strips of latencies."""

    longest_s: int
    low: int
    """the lowest power of ten, in ms"""
    high: int


def latency_scale_of(phases: Iterable[PhaseResult]) -> LatencyScale | None:
    """The scales of these phases; None without latencies."""
    shown_seconds = [
        second for phase in phases for second in phase.seconds if second.second < SECONDS_MAX
    ]
    latencies_ms = [
        second.latency_ms.get(key) for second in shown_seconds for key in ("p50", "max")
    ]
    values = [value for value in latencies_ms if value]
    if not values:
        return None
    low = math.floor(math.log10(min(values)))
    high = math.ceil(math.log10(max(values)))
    longest_s = max(second.second for second in shown_seconds) + 1
    return LatencyScale(longest_s, low, max(high, low + 1))


def latency_strip(seconds: Sequence[Second], longest: int, low: int, high: int) -> str:
    """One strip as SVG text: median and longest operation of each second, on a
    logarithmic scale.
    """
    wide = WIDTH / max(longest, 1)
    step = HEIGHT / (high - low)
    rules = "".join(f"M0 {HEIGHT - step * power:.1f}H{WIDTH}" for power in range(high - low + 1))
    lines = []
    ranges = []
    for key, word in (("p50", "median"), ("max", "longest")):
        values = {item.second: item.latency_ms[key] for item in seconds if item.latency_ms.get(key)}
        heights = {}
        for second, value_ms in sorted(values.items()):
            heights[second] = HEIGHT - step * (math.log10(value_ms) - low)
        if values:
            lowest = figures(min(values.values()))
            highest = figures(max(values.values()))
            ranges.append(f"{word} {lowest} to {highest} ms")
        lines.append(
            "".join(_stair(second, heights, wide) for second in heights if second < SECONDS_MAX)
        )
    alternative = ", ".join(ranges)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="strip" role="img"'
        f' aria-label="{alternative}"><path d="{rules}" class="rules"/><path d="{lines[1]}"'
        f' class="longest"/><path d="{lines[0]}" class="median"/></svg>'
    )


def _stair(second: int, heights: dict[int, float], wide: float) -> str:
    """A second as a level, joined to the one before it unless nothing ended then."""
    start = f"{second * wide:.1f} {heights[second]:.1f}"
    return f"{'L' if second - 1 in heights else 'M'}{start}H{(second + 1) * wide:.1f}"


def power(exponent: int) -> str:
    """A power of ten in milliseconds as text: `0.01 ms`, `100 ms`, `1 s`."""
    return f"{10**exponent:g} ms" if exponent < 3 else f"{10 ** (exponent - 3):g} s"
