"""The writers of a shared array during a fault, as reported by the array, on the common clock."""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from typing_extensions import TypedDict

from seatrial.basics.errors import RunError
from seatrial.load.clock_offsets import ClockOffset, measure_clocks
from seatrial.load.installing import push
from seatrial.result.fault_parts import RefusedWriting, Writing
from seatrial.solutions.base import WriteLog, WritesLogged, Written
from seatrial.streams import Stream
from seatrial.transport import Transport, following


class WriterFields(TypedDict, total=False):
    """The fields of a fault's line that the array's report fills; without a report, none."""

    writers: dict[str, list[Writing]]
    refused: dict[str, list[RefusedWriting]]
    writers_watched: tuple[float, float]
    writers_error_s: float


@dataclass
class Watching:
    """The array's lines so far, and its clock; both empty where it cannot be monitored."""

    solution: WritesLogged | None = None
    clock: ClockOffset = field(default_factory=lambda: ClockOffset(0.0, 0.0))
    _lines: list[str] = field(default_factory=list)

    def follow(self, stream: Stream) -> None:
        """Collect the lines until the end."""
        for line in stream.lines():
            self._lines.append(line)  # atomic; the other thread copies

    def result_fields(self) -> WriterFields:
        """The fields of the fault's line."""
        if self.solution is None:
            return {}
        return fields(self.solution.writes(list(self._lines)), self.clock)


@contextlib.contextmanager
def watching_writers(transport: Transport, solution: object) -> Iterator[Watching]:
    """Monitor the array until the block ends, where the solution supports it; an error ends
    nothing.
    """
    if not isinstance(solution, WritesLogged):
        yield Watching()
        return
    node = solution.writes_node
    try:
        clock = measure_clocks(transport, (node,), push(transport, (node,)))[node]
    except RunError:
        yield Watching()
        return
    watching = Watching(solution, clock)
    with following([transport.stream(node, solution.writes_command())]) as streams:
        threading.Thread(target=watching.follow, args=(streams[0],), daemon=True).start()
        yield watching


def fields(log: WriteLog, clock: ClockOffset) -> WriterFields:
    """What the array reported; nothing with fewer than two samples."""
    samples = log.readings_s
    if len(samples) < 2:
        return {}
    longest_s = max(later[1] - earlier[0] for earlier, later in pairwise(samples))
    return {
        "writers": writings(log.written, clock.ahead_s),
        "refused": refused_writings(log.written, clock.ahead_s),
        "writers_watched": (samples[0][0] - clock.ahead_s, samples[-1][1] - clock.ahead_s),
        "writers_error_s": longest_s + clock.error_s,
    }


def writings(written: Iterable[Written], ahead_s: float) -> dict[str, list[Writing]]:
    """By server, the times in which consecutive samples all saw it write to a volume.

    `ahead_s`: the offset of the array's clock.
    """
    seen: dict[str, list[Writing]] = {}
    for item in _intervals(written, ahead_s, lambda sample: sample.size_bytes):
        writing = Writing(
            volume=item.volume,
            start_unix_s=item.start_unix_s,
            end_unix_s=item.end_unix_s,
            bytes=item.amount,
        )
        seen.setdefault(item.server, []).append(writing)
    return seen


def refused_writings(written: Iterable[Written], ahead_s: float) -> dict[str, list[RefusedWriting]]:
    """By server, the times in which the array refused its writes to a volume in consecutive
    samples.
    """
    seen: dict[str, list[RefusedWriting]] = {}
    for item in _intervals(written, ahead_s, lambda sample: sample.refused):
        refused = RefusedWriting(
            volume=item.volume,
            start_unix_s=item.start_unix_s,
            end_unix_s=item.end_unix_s,
            requests=item.amount,
        )
        seen.setdefault(item.server, []).append(refused)
    return seen


@dataclass
class _Interval:
    """Consecutive samples of one server and one volume."""

    server: str
    volume: str
    start_unix_s: float
    end_unix_s: float
    amount: int


def _intervals(
    written: Iterable[Written], ahead_s: float, amount_of: Callable[[Written], int]
) -> list[_Interval]:
    """The intervals of consecutive samples with an amount, in the order of their starts."""
    found: list[_Interval] = []
    last: dict[tuple[str, str], _Interval] = {}
    for item in written:
        amount = amount_of(item)
        if not amount:
            continue
        start_s = item.start_s - ahead_s
        end_s = item.end_s - ahead_s
        current = last.get((item.server, item.volume))
        if current is not None and start_s <= current.end_unix_s:
            current.end_unix_s = end_s
            current.amount += amount
            continue
        begun = _Interval(item.server, item.volume, start_s, end_s, amount)
        last[item.server, item.volume] = begun
        found.append(begun)
    return found
