"""The outage that each fault may cause, before it is injected: the sum of timeouts of its limit,
term by term.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seatrial.service.variants import vary
from seatrial.solutions.base import timers_of
from seatrial.study.profiles import Profile
from seatrial.study.study import Study
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


def outages(study: Study, profile: Profile = "full", work_ms: Mapping[str, float] = WORK_MS) -> Iterator[Outage]:
    """Each fault of a profile with its limit's terms, for a study that `prepare` has validated."""
    for name, fault in study.faults_in(profile).items():
        limit = fault.expect.outage
        title = fault.title or name
        if limit is None:
            yield Outage(name, title, None, ())
            continue
        timers = timers_of(vary(study, fault.overrides).solution)
        parts = tuple(limit.parts(timers, work_ms))
        yield Outage(name, title, sum(seconds for _, seconds in parts), parts)
