"""The further tables of all faults: timers, consistency tests, copies by dd, rebuilds and
slowdowns.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial.analysis.histogram import P99_OPERATIONS
from seatrial.judge.answer import Reason
from seatrial.judge.base import Judgement
from seatrial.judge.checks.consistency import STRICT, Options, judge_test_of
from seatrial.judge.happened import only_if_shown
from seatrial.judge.outages import judge_outage
from seatrial.report.faults import NOT_RECOVERED, outage_cell
from seatrial.report.lab_marks import marked
from seatrial.report.tables import SYMBOLS, Column, Table, number_columns
from seatrial.result.fault_parts import CopyResult
from seatrial.result.faults import DID_NOTHING, FaultResult, StreamResult
from seatrial.result.quantities import RATE, Quantity, quantity_of
from seatrial.study.consistency_kinds import holds_locks
from seatrial.study.faults import Stream
from seatrial.study.timers import sum_words
from seatrial.summary.fault_rates import per_second
from seatrial.summary.notation import NONE, figures, percent, seconds

FAULT = Column("fault", head=True)
PREDICTED = (
    FAULT,
    *number_columns("s", "predicted at most", "measured"),
    Column("share", number=True),
    Column("target"),
    Column("terms"),
)
PREDICTED_NOTE = (
    "Predicted at most: the sum of the solution’s timers that the fault must wait for, known "
    "before the injection, "
    "and of the work between them, at the measured cost of starting a process on these nodes "
    "during the fault. A measured outage "
    "above it cannot be explained by the timers. Outages below the threshold are not shown. A "
    "target is the value that the study aims "
    "for, independent of the timers."
)
CONSISTENCY = (
    FAULT,
    Column("consistency test", head=True),
    Column("checked"),
    *number_columns("", "violations", "unknown"),
    Column("locks lost", number=True, optional=True),
    Column("locks held through the fault", optional=True),
    Column("verdict"),
)
CONSISTENCY_NOTE = (
    "A violation is certain despite the clock errors. Unknown: the reply may belong to a request "
    "that "
    "was retransmitted (RFC 8881, section 2.10.6; RFC 1813, section 4.5), or the history is not "
    "sufficient."
)
NAMED_MAX = 3
NOT_OF_THE_TEST = frozenset({Reason.BUSY_MACHINE, Reason.NOT_SHOWN})
"""reasons of a verdict that the findings of a consistency test do not name"""
COPIES = (
    FAULT,
    Column("stream", head=True),
    Column("copied by"),
    Column("checked by"),
    *number_columns("", "copies", "slowest, s", "blocks", "valid, KiB"),
    Column("damaged"),
    Column("verdict"),
)
COPIES_NOTE = (
    "Each copy is one dd with conv=fsync. Extents are runs of blocks of one class"
    " (docs/content-format.md)."
)
SPANS = ("before", "rebuild")
REBUILDS = (
    FAULT,
    Column("rebuild", "s", number=True),
    Column("stream", head=True),
    *number_columns("operations/s", "before", "during"),
    *number_columns("ms", "mean before", "mean during", "99 % before", "99 % during"),
    *number_columns("", "operations before", "operations during"),
)
REBUILDS_NOTE = (
    "Latencies cover all operations of all clients of a stream that ended in the whole seconds "
    "before the "
    "injection, and during the rebuild. A stream with a fixed pace keeps its rate while the "
    "storage can sustain it."
)


def predicted(faults: Iterable[FaultResult]) -> Table:
    """The predicted outage of each fault, term by term, compared with the measured one."""
    rows = tuple(
        map(
            _predicted,
            (
                item
                for item in faults
                if item.expect.get("outage") is not None and not item.controls
            ),
        )
    )
    caption = "Outages: the sum of the timers compared with the measurement."
    return Table(caption, PREDICTED, rows, PREDICTED_NOTE, "cards wordy")


def _predicted(fault: FaultResult) -> tuple[str, ...]:
    limit_s = fault.expect["outage"] or 0.0
    parts = fault.expect.get("outage_parts") or ()
    made_of = sum_words(parts) if parts else f"{seconds(limit_s)}, as stated"
    goal_s = fault.expect.get("target")  # absent in older results
    goal = seconds(goal_s)
    if fault.skipped is not None or fault.failed is not None or not fault.judged:
        return fault.name, figures(limit_s), NONE, NONE, goal, made_of
    measured = outage_cell(fault)
    timed = fault.longest_s and limit_s and fault.unrecovered is None
    share = percent(fault.longest_s / limit_s) if timed else NONE
    if goal_s is not None:
        goal += {"pass": ", met", "fail": ", missed"}.get(judge_outage(fault, goal_s).verdict, "")
    return fault.name, figures(limit_s), measured, share, goal, made_of


def consistency(faults: Iterable[FaultResult], judgements: Iterable[Judgement]) -> Table:
    """Every consistency test of every fault, with the waivers of the criteria; negative controls
    without.
    """
    waived = {waiver.key for item in judgements for waiver in item.waivers}
    options = Options.model_validate(
        {key: value for key, value in Options.WAIVES.items() if key in waived}
    )
    rows = tuple(
        (fault.name, *_tested(fault, name, STRICT if fault.controls else options))
        for fault in faults
        for name in fault.consistency
    )
    caption = "Consistency: results of the multi-client tests during each fault."
    return Table(caption, CONSISTENCY, rows, CONSISTENCY_NOTE, "cards").slim()


def _tested(fault: FaultResult, name: str, options: Options) -> tuple[str, ...]:
    test = fault.consistency[name]
    lock_states = [f"{client}: {state}" for client, state in test["kept_locks"].items()]
    findings = [*test["violations"], *test["lost_locks"], *test.get("unasked", ())][:NAMED_MAX]
    # As the claim judges it: a busy machine, or a fault that nothing shows, decides nothing.
    answer = only_if_shown(fault, judge_test_of(fault, name, options))
    reasons = [answer.evidence] if answer.reason in NOT_OF_THE_TEST else findings
    return (
        name if name == test["consistency_test"] else f"{name}: {test['consistency_test']}",
        ", ".join(f"{number} {what}" for what, number in test["checked"].items()) or "nothing",
        str(test["violations_count"]),
        str(test["unknowns_count"]),
        str(test["lost_locks_count"]) if holds_locks(test["consistency_test"]) else NONE,
        ", ".join(lock_states) or NONE,
        _verdict(answer.verdict, reasons),
    )


def _verdict(verdict: str, reasons: list[str]) -> str:
    return f"{SYMBOLS.get(verdict, '')} {'; '.join([verdict, *reasons])}".strip()


def copies(faults: Iterable[FaultResult]) -> Table:
    """The copies by dd, as checked on another client, for each stream of each fault."""
    rows = tuple(
        (fault.name, name, *_copied(copy))
        for fault in faults
        for name, copy in fault.copies.items()
    )
    caption = "Copies by dd: `seatrial-agent check` on another client, for all acknowledged data."
    return Table(caption, COPIES, rows, COPIES_NOTE, "cards")


def _copied(copy: CopyResult) -> tuple[str, ...]:
    extents = dict(copy["extents"])
    valid = extents.pop("valid", {"size_bytes": 0})
    damaged = [
        f"{item['size_bytes'] / 1024:.0f} KiB {kind} in {item['number']} extents"
        for kind, item in extents.items()
    ]
    verdict = "fail" if damaged else "pass"
    if copy["unknown"]:
        verdict = "unknown"
    reasons = [text for text in (copy["unknown"], copy["error"] and f"dd: {copy['error']}") if text]
    return (
        copy["client"],
        copy["checked_by"],
        str(copy["parts"]),
        figures(copy["longest_s"]),
        str(copy["blocks"]),
        f"{valid['size_bytes'] / 1024:.0f}",
        ", ".join(damaged) or NONE,
        _verdict(verdict, reasons),
    )


def rebuilds(faults: Sequence[FaultResult]) -> Table:
    """Duration of each rebuild under load, and its effect on each stream."""
    rows = tuple(
        (
            fault.name,
            _length(fault),
            stream,
            *(
                figures(loads.get(span, {}).get(key))
                for key in ("operations_per_s", "mean_ms")
                for span in SPANS
            ),
            *(_p99(loads.get(span, {})) for span in SPANS),
            *(f"{_operations(loads.get(span, {})):.0f}" for span in SPANS),
        )
        for fault in faults
        for stream, loads in fault.rebuild.get("loads", {}).items()
    )
    caption = "Rebuilds of the array: duration under load, and effect on the clients."
    table = Table(caption, REBUILDS, rows, REBUILDS_NOTE, "cards")
    titles = ("mean before", "mean during", "99 % before", "99 % during")
    return marked(table, titles, in_lab=any(fault.in_lab for fault in faults))


def _operations(load: Mapping[str, float]) -> float:
    return load.get("operations_per_s", 0.0) * load.get("seconds", 0.0)


def _p99(load: Mapping[str, float]) -> str:
    """The 99th percentile; omitted below the minimum number of operations."""
    return figures(load.get("p99_ms")) if _operations(load) >= P99_OPERATIONS else NONE


def _length(fault: FaultResult) -> str:
    if fault.rebuild_s is not None:
        return figures(fault.rebuild_s)
    return f"> {figures(fault.rebuild['until_unix_s'] - fault.rebuild['begun_unix_s'])}"


# ---- slowdowns

WINDOW_S = 5
"""length of a moving average in seconds: one second has too few operations"""
BACK_SHARE = 0.9
FALL_SHARE = 0.5
"""A stream had not recovered if its rate falls below this share again. The return of the lost
server
can cause this.
"""
SLOWDOWNS = (
    FAULT,
    Column("stream", head=True),
    Column("longest outage", "s", number=True),
    Column("rate before"),
    Column("lowest rate"),
    Column("of before", "%", number=True),
    Column(f"{BACK_SHARE:.0%} of before again after", "s", number=True),
)


@dataclass(frozen=True)
class Slowdown:
    """Rates in units per second, each the mean of WINDOW_S seconds; times from the injection."""

    before: float
    lowest: float
    back_s: float | None
    """time from which the rate was BACK_SHARE of before, after the last fall; None: not while
    observed
    """
    watched_s: int


def slowdown(
    fault: FaultResult, items: Sequence[StreamResult], quantity: Quantity
) -> Slowdown | None:
    """The slowdown of a stream on all of its clients.

    None where a part of the stream is missing or was observed for less than one window.
    """
    at_s = fault.injected_unix_s
    end_s = fault.ended_unix_s
    if (
        at_s is None
        or end_s is None
        or any(item.lost_power or item.lost or item.over_unix_s for item in items)
    ):
        return None
    watched_s = max(math.floor(end_s - at_s), 0)
    sums = per_second(items, at_s - WINDOW_S, quantity)
    before, *rates = (
        sum(sums[start : start + WINDOW_S]) / WINDOW_S for start in range(watched_s + 1)
    )
    rates = rates[WINDOW_S - 1 :]
    if not before or not rates:
        return None
    recovered_rate = BACK_SHARE * before
    lowest = min(rates)
    fell_s = max(
        second for second, rate in enumerate(rates) if rate <= max(lowest, FALL_SHARE * before)
    )
    back_s = next(
        (
            second
            for second, rate in enumerate(rates)
            if second >= fell_s and rate >= recovered_rate
        ),
        None,
    )
    return Slowdown(before, lowest, 0 if lowest >= recovered_rate else back_s, watched_s)


def slowdowns(faults: Iterable[FaultResult], load: Mapping[str, Stream]) -> Table:
    """Every closed loop of every fault."""
    closed = [
        name
        for name, stream in load.items()
        if stream.workload and stream.workload.arrivals_per_s is None
    ]
    rows = [row for fault in faults for name in closed for row in _slowed(fault, name)]
    caption = "Slowdowns: effect of each fault on streams without a pace."
    note = (
        f"Rates are means over {WINDOW_S} s of all clients of a stream: immediately before the "
        "injection, and the "
        "slowest after it. Times count from the injection. The rate was back at the start of the "
        "first such mean with "
        f"{BACK_SHARE:.0%} of the rate before, after the last one with at most {FALL_SHARE:.0%} "
        "(or the "
        "slowest); “> 50”: not within the 50 s until the stream was stopped; 0: it never fell so "
        "low."
    )
    return Table(caption, SLOWDOWNS, tuple(rows), note, "cards")


def _slowed(fault: FaultResult, name: str) -> Iterator[tuple[str, ...]]:
    items = [item for item in fault.streams if item.stream == name]
    quantity = quantity_of(items[0].phase) if items else RATE
    slowed = slowdown(fault, items, quantity) if items else None
    if slowed is None:
        return
    rates = (
        f"{figures(rate / quantity.divisor)} {quantity.unit}"
        for rate in (slowed.before, slowed.lowest)
    )
    back = f"> {slowed.watched_s}" if slowed.back_s is None else f"{slowed.back_s:.0f}"
    share = f"{100 * slowed.lowest / slowed.before:.0f}"
    yield (fault.name, name, _longest_outage(items), *rates, share, back)


def _longest_outage(items: Sequence[StreamResult]) -> str:
    """The longest outage of a stream on its clients, as text."""
    if any(item.is_unrecovered for item in items):
        return NOT_RECOVERED
    if not any(item.operations for item in items):
        return DID_NOTHING
    longest_s = max(item.longest_s for item in items)
    return figures(longest_s) if longest_s else "< threshold"
