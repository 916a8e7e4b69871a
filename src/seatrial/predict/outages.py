"""The outage that each fault may cause, before it is injected: the sum of timeouts of its limit, term by term."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seatrial.service.variants import vary
from seatrial.solutions.base import timers_of
from seatrial.study.forms import Form
from seatrial.study.study import Study
from seatrial.study.timers import HANDSHAKES, PROCESSES, sum_words

WORK_MS = {PROCESSES: 5.0, HANDSHAKES: 300.0}
"""what work costs where nobody has measured it; during a fault the nodes' own cost is charged"""


@dataclass(frozen=True)
class Outage:
    """What a client may have to wait in a fault."""

    fault: str
    title: str
    total_s: float | None
    """None where the study states no limit"""
    parts: tuple[tuple[str, float], ...]
    """(what it is, seconds)"""

    @property
    def words(self) -> str:
        """`4.4 s detection (...) + 15.0 s grace (...)`."""
        return sum_words(self.parts) if self.parts else "no limit is stated"


def outages(study: Study, form: Form = "full", work_ms: Mapping[str, float] = WORK_MS) -> Iterator[Outage]:
    """Each fault of a form with its limit's terms, of a study that `prepare` has found whole."""
    for name, fault in study.faults_in(form).items():
        limit = fault.expect.outage
        title = fault.title or name
        if limit is None:
            yield Outage(name, title, None, ())
            continue
        timers = timers_of(vary(study, fault.set).solution)
        parts = tuple(limit.parts(timers, work_ms))
        yield Outage(name, title, sum(seconds for _, seconds in parts), parts)
