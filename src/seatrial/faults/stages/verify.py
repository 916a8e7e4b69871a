"""After the load: the trees, histories and copies are compared with the operation logs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seatrial.basics.errors import RunError
from seatrial.faults.context import FaultContext
from seatrial.faults.figures import compared
from seatrial.faults.streams import Streams
from seatrial.load.clock_offsets import ClockOffset, error_s, measure_clocks
from seatrial.result.fault_parts import Comparison, ConsistencyResult, CopyResult
from seatrial.result.file_names import safe_name


@dataclass(frozen=True)
class Times:
    """The times of a fault in unix seconds; None for a moment that did not come."""

    injected_unix_s: float | None = None
    recovered_unix_s: float | None = None
    ended_unix_s: float | None = None

    @property
    def disturbed(self) -> tuple[float, float] | None:
        """From the injection until the recovery, else until the end; None if a time is missing."""
        ended_s = self.recovered_unix_s or self.ended_unix_s
        if self.injected_unix_s and ended_s:
            return self.injected_unix_s, ended_s
        return None


@dataclass(frozen=True)
class Verified:
    """The comparison after a fault, or the reason why there is none."""

    consistency: dict[str, ConsistencyResult] = field(default_factory=dict)
    copies: dict[str, CopyResult] = field(default_factory=dict)
    comparisons: dict[str, dict[str, Any]] = field(default_factory=dict)
    """the whole comparison of each stream with its operation logs"""
    clock_error_s: float = 0.0
    not_compared: str | None = None

    @property
    def compared(self) -> dict[str, Comparison]:
        """By stream: the figures of its comparison with the operation logs."""
        return {name: compared(item) for name, item in self.comparisons.items()}


def verify_fault(
    context: FaultContext,
    streams: Streams,
    clocks_before: Mapping[str, ClockOffset],
    times: Times,
    *,
    is_answered: bool,
) -> Verified:
    """Compare the data of all streams; not where the storage does not answer."""
    if not is_answered:
        return not_verified(streams, "the storage did not answer")

    def keep_history(name: str, text: str) -> None:
        file = safe_name(f"{context.name}-{name}")
        context.writer.keep(f"histories/{file}.jsonl", text)

    return verify(
        streams,
        clocks_before,
        lambda: measure_clocks(context.session.transport, streams.clients, context.agent),
        times,
        keep_history,
    )


def verify(
    streams: Streams,
    clocks_before: Mapping[str, ClockOffset],
    measure: Callable[[], Mapping[str, ClockOffset]],
    times: Times,
    keep_history: Callable[[str, str], None],
) -> Verified:
    """Compare everything; `measure` measures the clocks again.

    A RunError, such as of a client that does not answer, is the reason in `not_compared`.
    """
    try:
        clocks = measure()
        comparisons = streams.compare(clocks_before, clocks)
        consistency = streams.consistency_tests.judge(
            clocks_before, clocks, times.disturbed, times.recovered_unix_s, keep_history
        )
        copies = streams.copies.check()
    except RunError as error:
        return not_verified(streams, str(error))
    return Verified(consistency, copies, comparisons, error_s(clocks_before, clocks))


def not_verified(streams: Streams, reason: str) -> Verified:
    """The stage where nothing could be compared."""
    return Verified(
        streams.consistency_tests.not_judged(reason),
        streams.copies.not_checked(reason),
        not_compared=reason,
    )


def write_comparisons(context: FaultContext, verified: Verified) -> None:
    """Write a line with the whole comparison of each stream."""
    for name, item in verified.comparisons.items():
        where = {"experiment": context.name, "point": {"stream": name}, "repeat": 1}
        context.writer.line("comparison", fault=context.name, **where, **item)
