"""The outage that each fault may cause, before it is injected: the sum of timeouts of its limit,
term by term.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from seatrial.faults.base import FaultCase
from seatrial.solutions.base import timers_of
from seatrial.study.timers import HANDSHAKES, PROCESSES, sum_words

WORK_MS = {PROCESSES: 5.0, HANDSHAKES: 300.0}
"""assumed cost of work in ms where it was not measured; during a fault the nodes' own
cost is used
"""


@dataclass(frozen=True)
class Outage:
    """The longest wait of a client in a fault."""

    fault: str
    title: str
    total_s: float | None
    """None where the study states no limit"""
    parts: tuple[tuple[str, float], ...]
    """(term, seconds)"""

    @property
    def words(self) -> str:
        """`4.4 s detection (...) + 15.0 s grace (...)`."""
        return sum_words(self.parts) if self.parts else "no limit is stated"


def outages(
    faults: Iterable[FaultCase], work_ms: Mapping[str, float] = WORK_MS
) -> Iterator[Outage]:
    """Each planned fault with its limit's terms."""
    for case in faults:
        limit = case.fault.expect.outage
        title = case.fault.title or case.name
        if limit is None:
            yield Outage(case.name, title, None, ())
            continue
        timers = timers_of(case.variant.solution)
        parts = tuple(limit.parts(timers, work_ms))
        yield Outage(case.name, title, sum(seconds for _, seconds in parts), parts)
