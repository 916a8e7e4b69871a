"""The search for the saturation rate of a point: phases at rates that follow from the
earlier ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from seatrial.analysis.saturation_search import Try, next_rate, saturation_search
from seatrial.basics.units import plain
from seatrial.result.phases import PhaseResult
from seatrial.study.experiment import SaturationSearch
from seatrial.study.points import Point

KEPT_UP_SHARE = 0.95
"""minimum share of the scheduled operations that must begin; a slower loop does not sustain the
rate
"""
KEY = "arrivals_per_s"
TAIL_SHARE = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p999": 0.001, "max": 0.0}
"""share of operations that may exceed the latency that counts"""


@dataclass(frozen=True)
class Tried:
    """One try: the rate of one client, the latency that counts, and whether both met
    the objective.
    """

    rate_per_s: float
    latency_ms: float | None
    met: bool


@dataclass(frozen=True)
class SearchOutcome:
    """The line of a search in the result; rates are of one client."""

    latency: str
    objective_s: float
    clients: int
    holds_per_s: float | None
    breaks_per_s: float | None
    settled: bool
    lab_limited: bool
    """the lab machine's processors were busy in a deciding try"""
    tries: tuple[Tried, ...]
    """in their order"""

    @property
    def text(self) -> str:
        """A line in the terminal."""
        objective = f"{self.latency} of {self.objective_s * 1e3:g} ms"
        if self.holds_per_s is None:
            return f"{objective} is met at no rate"
        above = (
            "no limit was found"
            if self.breaks_per_s is None
            else f"not at {plain(self.breaks_per_s * self.clients)}"
        )
        return (
            f"{objective} is met at {plain(self.holds_per_s * self.clients)} operations/s, {above}"
        )


def search(
    line: SaturationSearch, point: Point, measure: Callable[[Point, int], PhaseResult]
) -> SearchOutcome:
    """Try rates at a point until the line is settled or the tries are used up.

    `measure` runs one try, with its number.
    """
    tries: list[Tried] = []
    limited: dict[float, bool] = {}
    while (
        len(tries) < line.tries
        and (rate := next_rate(_plain(tries), line.start, line.within)) is not None
    ):
        workload = point.workload.replaced(**{KEY: rate})
        at_rate = replace(point, values={**point.values, KEY: round(rate, 6)}, workload=workload)
        result = measure(at_rate, 1 + sum(item.rate_per_s == rate for item in tries))
        tries.append(Tried(rate, latency_ms(line, result), met(line, result, rate * point.clients)))
        limited[rate] = limited.get(rate, False) or result.lab_limited
    bracket = saturation_search(_plain(tries), line.within)
    ends = [rate for rate in (bracket.holds_per_s, bracket.breaks_per_s) if rate is not None]
    return SearchOutcome(
        line.latency,
        line.objective,
        point.clients,
        **asdict(bracket),
        lab_limited=any(limited[rate] for rate in ends),
        tries=tuple(tries),
    )


def _plain(tries: Sequence[Tried]) -> list[Try]:
    return [Try(item.rate_per_s, item.met) for item in tries]


def latency_ms(line: SaturationSearch, result: PhaseResult) -> float | None:
    """The worst latency of all kinds of operation in ms; None where none was timed."""
    return max(
        (item[line.latency] for item in result.latency_ms.values() if line.latency in item),
        default=None,
    )


def met(line: SaturationSearch, result: PhaseResult, offered_per_s: float) -> bool:
    """Whether the objective was met: by every kind of operation, at the offered rate, on every
    client.
    """
    latency = latency_ms(line, result)
    kept_up = result.operations_per_s >= KEPT_UP_SHARE * offered_per_s
    in_time = (
        latency is not None
        and latency <= line.objective * 1e3
        and not _left_waiting(line, result, offered_per_s)
    )
    return not result.partial and kept_up and in_time


def _left_waiting(line: SaturationSearch, result: PhaseResult, offered_per_s: float) -> bool:
    """Whether too many operations waited longer than the objective and never began, and so have no
    latency.

    They arrive evenly: as many have waited less than the objective as arrive within it, plus at
    most one per task.
    """
    tasks = sum(len(client.tasks) for client in result.clients)
    waited = result.unserved - line.objective * offered_per_s - tasks
    operations = sum(client.operations for client in result.clients) + result.unserved
    return waited > TAIL_SHARE[line.latency] * operations
