"""Throughput of every second, as one small strip for each phase: how steady a mean was."""

from collections.abc import Sequence

from seatrial.quantities import quantity_of
from seatrial.record import PhaseResult
from seatrial.report.series import Measured
from seatrial.report.tables import figures
from seatrial.workload import moves_data

WIDTH, HEIGHT = 132, 30
SECONDS_MAX = 3600


def per_second(phase: PhaseResult) -> list[int]:
    """Bytes of all clients in every second since the phase began; operations where no data move."""
    sums: dict[int, int] = {}
    amount = 1 if moves_data(phase.phase) else 2
    for client in phase.clients:
        for line in client.seconds:
            moment = line[0]
            # A line is written at the end of its second; half a second of slack keeps it in that second.
            second = max(int(moment - phase.started_unix_s - 0.5), 0)
            if second < SECONDS_MAX:
                sums[second] = sums.get(second, 0) + int(line[amount])
    return [sums.get(second, 0) for second in range(max(sums) + 1)] if sums else []


def strip(seconds: Sequence[int], longest: int, top: float, css: str) -> str:
    """One strip as SVG text: a bar each second, to the scale of its whole table."""
    wide = WIDTH / max(longest, 1)
    bars = "".join(
        f"M{index * wide:.1f} {HEIGHT}v{-HEIGHT * min(value / top, 1):.1f}h{max(wide - 0.6, 0.4):.1f}V{HEIGHT}z"
        for index, value in enumerate(seconds)
        if value
    )
    end = min(len(seconds) * wide, WIDTH)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="strip" role="img" aria-hidden="true">'
        f'<path d="M0 {HEIGHT - 0.4}H{end:.1f}" class="floor"/><path d="{bars}" class="{css}"/></svg>'
    )


def scale_of(points: Sequence[Measured]) -> tuple[int, dict[str, float]]:
    """(seconds of the longest phase, bytes of the fastest second by phase): what width and heights stand for.

    Each phase has a height of its own: what a client's memory takes in a second dwarfs what a link carries.
    """
    longest, tops = 0, dict[str, float]()
    for item in points:
        for row in map(per_second, item.repeats):
            longest = max(longest, len(row))
            tops[item.phase] = max(tops.get(item.phase, 1.0), *row, 1.0)
    return longest, tops


def scale_text(longest: int, tops: dict[str, float]) -> str:
    """The scale in words."""
    told = ((phase, top, quantity_of(phase)) for phase, top in tops.items())
    heights = ", ".join(f"{figures(top / each.divisor)} {each.unit} for {phase}" for phase, top, each in told)
    return f"the width of a strip is {longest} s, its height {heights}"
