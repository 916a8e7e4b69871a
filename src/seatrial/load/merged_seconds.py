"""The latencies of all clients of a phase, second by second, merged as the lines arrive.

The lines of a thousand agents over an hour are gigabytes. Merged, a second needs some kilobytes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from seatrial.analysis.histogram import Histogram, merge
from seatrial.load.agent_events import LatenciesLine
from seatrial.result.phases import Second

UNCOUNTED = frozenset({"fsync", "copy", "service"})
"""kinds that are part of operations, or consist of them: not operations themselves"""
PENDING_MAX = 256
"""histograms of one kind and second that wait to be merged"""


@dataclass
class _Merged:
    """One second."""

    size_bytes: int = 0
    operations: int = 0
    histograms: dict[str, list[str]] = field(default_factory=dict)
    """kind -> encoded histograms, to be merged"""

    def add(self, line: LatenciesLine) -> None:
        self.size_bytes += line["bytes"]
        self.operations += line["operations"]
        for kind, text in line["histograms"].items():
            texts = self.histograms.setdefault(kind, [])
            texts.append(text)
            if len(texts) > PENDING_MAX:
                self.histograms[kind] = _merged_texts(texts)

    def merge(self) -> None:
        """Keep one histogram of each kind."""
        self.histograms = {kind: _merged_texts(texts) for kind, texts in self.histograms.items()}

    def second(self, number: int) -> Second:
        of_kinds = {kind: _merged(texts) for kind, texts in sorted(self.histograms.items())}
        of_known_kinds = {kind: item for kind, item in of_kinds.items() if item is not None}
        counted = merge(item for kind, item in of_known_kinds.items() if kind not in UNCOUNTED)
        return Second(
            second=number,
            size_bytes=self.size_bytes,
            operations=self.operations,
            latency_ms=counted.figures() if counted else {},
            latency_by_operation_ms={kind: item.figures() for kind, item in of_known_kinds.items()},
        )


class MergedSeconds:
    """Every second since the common start: completions of all clients, and their latencies.

    An agent may report a second more than once, when a delayed task has completions in it.
    """

    OPEN_SECONDS = 4
    """the histograms of the newest seconds are not merged yet"""

    def __init__(self, lines: Iterable[LatenciesLine] = ()) -> None:
        self._seconds: dict[int, _Merged] = {}
        for line in lines:
            self.add(line)

    def add(self, line: LatenciesLine) -> None:
        """Record a line `latencies` of any agent."""
        number = int(line["second"])
        if number not in self._seconds:
            self._seconds[number] = _Merged()
            old = self._seconds.get(number - self.OPEN_SECONDS)
            if old is not None:
                old.merge()
        self._seconds[number].add(line)

    def seconds(self) -> tuple[Second, ...]:
        """Every second, in order."""
        return tuple(item.second(number) for number, item in sorted(self._seconds.items()))


def _merged(texts: Iterable[str]) -> Histogram | None:
    return merge(Histogram.decode(text) for text in texts)


def _merged_texts(texts: list[str]) -> list[str]:
    if len(texts) < 2:
        return texts
    merged = _merged(texts)
    return [] if merged is None else [merged.encode()]
