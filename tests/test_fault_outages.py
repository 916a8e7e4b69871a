"""Faults: the outages and the work of streams, from the lines of agents."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.histogram import Histogram
from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.faults.figures import (
    first_completion_s,
    is_answered,
    loads_in,
    outages_of,
    stream_result,
)
from seatrial.faults.kernel_messages import messages_since
from seatrial.load.agent_events import DoneLine
from seatrial.load.agent_lines import NS, AgentLines
from seatrial.report.faults import events
from seatrial.result.faults import FaultResult
from seatrial.result.outages import Outage
from seatrial.transport import Completed, Transport


def second(end_s: float, operations: int, interval_s: float = 1.0) -> dict[str, Any]:
    """A line of an agent."""
    return {
        "event": "second",
        "boottime_ns": int(end_s * NS),
        "interval_ns": int(interval_s * NS),
        "bytes": operations * 10,
        "operations": operations,
    }


def stall(at_s: float, *since_s: float) -> dict[str, Any]:
    """A line that names tasks without an answer."""
    tasks = [
        {
            "task": task,
            "file": "f",
            "since_boottime_ns": int(start * NS),
            "stalled_ns": int((at_s - start) * NS),
        }
        for task, start in enumerate(since_s)
    ]
    return {"event": "stall", "boottime_ns": int(at_s * NS), "tasks": tasks}


def received(lines: Iterable[dict[str, Any]], **done: Any) -> AgentLines:
    """The lines of an agent with a clock that is 2 s ahead."""
    return AgentLines(
        "c1", 2.0, lines=list(lines), done=cast(DoneLine, done) or None, stream="small"
    )


def outage(start_s: float, end_s: float, **more: Any) -> dict[str, Any]:
    """As an agent reports it at the end."""
    return {
        "start_boottime_ns": int(start_s * NS),
        "end_boottime_ns": int(end_s * NS),
        "open": False,
        "flush": False,
        **more,
    }


def test_work_of_streams_in_a_span_counts_its_whole_seconds() -> None:
    """All clients of a stream together, from their own histograms; a consistency test reports
    no seconds.
    """
    coded = {ms: Histogram(Counter({ms: 4})).encode() for ms in (10, 20)}
    lines = [
        {
            "event": "latencies",
            "second": number,
            "bytes": 0,
            "operations": 4,
            "histograms": {"write": coded[10 if number < 5 else 20], "fsync": coded[20]},
        }
        for number in range(9)
    ]
    everyone = [received(lines), received(lines), replace(received([]), stream="locks")]
    found = loads_in(
        everyone,
        100.0,
        {"before": (100.0, 104.5), "rebuild": (105.2, 108.9), "never": (200.0, 201.0)},
    )
    assert list(found) == ["small"]
    assert (found["small"]["before"]["seconds"], found["small"]["before"]["operations_per_s"]) == (
        4,
        8.0,
    )
    assert (
        found["small"]["rebuild"]["seconds"],
        found["small"]["rebuild"]["operations_per_s"],
    ) == (2, 8.0)
    assert found["small"]["before"]["max_ms"] == pytest.approx(10e-6)
    assert found["small"]["rebuild"]["mean_ms"] == pytest.approx(20e-6)
    assert found["small"]["never"] == {"seconds": 1, "operations_per_s": 0.0}


SPANS = st.lists(st.tuples(st.floats(1, 20), st.floats(1, 20)), max_size=6)


@given(SPANS, st.floats(0, 200))
def test_the_longest_outage_reaches_beyond_the_injection(
    spans: list[tuple[float, float]], injected_s: float
) -> None:
    """Times on the common clock; an outage that ended before the fault does not count."""
    at_s = 100.0
    outages = []
    for busy_s, silent_s in spans:
        outages.append(outage(at_s + busy_s + 2.0, at_s + busy_s + silent_s + 2.0))
        at_s += busy_s + silent_s
    item = received(
        [second(at_s + 3.0, 1)],
        client_outages=outages,
        operations=7,
        stopped_by="cancelled",
        end_boottime_ns=0,
    )
    found = stream_result(item, "write", injected_s, at_s + 5.0, lost_power=False)
    ends_s = [
        (line["start_boottime_ns"] / NS - 2.0, line["end_boottime_ns"] / NS - 2.0)
        for line in outages
    ]
    wanted = [end - start for start, end in ends_s if end > injected_s]
    assert found.longest_s == pytest.approx(max(wanted, default=0.0), abs=1e-6)
    assert found.operations == 7
    if wanted:
        longest = max(
            (span for span in ends_s if span[1] > injected_s), key=lambda span: span[1] - span[0]
        )
        assert found.longest is not None
        assert found.first_completion_unix_s == pytest.approx(found.longest.end_unix_s)
        assert longest[1] - longest[0] == pytest.approx(found.longest_s)


@given(st.lists(st.floats(0.5, 30), min_size=1, max_size=4), st.booleans())
def test_stalls_that_a_lost_agent_reported_count(lengths_s: list[float], still: bool) -> None:
    """Each lasted at least until its last report; one without an end continues to the end of
    the fault.
    """
    lines = []
    at_s = 100.0
    for index, length_s in enumerate(lengths_s):
        lines += [stall(at_s + length_s / 2, at_s), stall(at_s + length_s, at_s)]
        at_s += length_s + 5.0
        if not (still and index == len(lengths_s) - 1):
            lines.append(second(at_s, 3))
    found = outages_of(received(lines), at_s + 100.0)
    spans = [round(item.length_s, 3) for item in found]
    assert spans[:-1] == pytest.approx(lengths_s[:-1], abs=2e-3)
    assert [item.open for item in found] == [False] * (len(found) - 1) + [still]
    assert (spans[-1] > 100) == still


def test_where_the_longest_outage_waited_is_in_its_timeline() -> None:
    """By its agent's samples of the kernel; common parts of all waits are left out, and so
    are equal samples.
    """
    stack = [
        "__switch_to",
        "__schedule",
        "schedule",
        "gfs2_glock_wait",
        "gfs2_inplace_reserve",
        "userspace",
    ]

    def look(at_s: float, functions: list[str]) -> dict[str, Any]:
        threads = [{"name": "task-0", "state": "D", "functions": functions}]
        return {"event": "waiting", "boottime_ns": int(at_s * NS), "threads": threads}

    item = received(
        [look(107.0, stack), look(117.0, stack), look(127.0, [])],
        client_outages=[outage(102.0, 132.0)],
        operations=7,
        stopped_by="cancelled",
        end_boottime_ns=0,
    )
    found = stream_result(item, "write", 101.0, 140.0, lost_power=False)
    assert [wait["unix_s"] for wait in found.waits] == [105.0, 115.0, 125.0]
    fault = FaultResult(
        "path",
        "kind",
        "word",
        "title",
        None,
        {},
        injected_unix_s=101.0,
        streams=(found, replace(found, stream="short", outages=())),
    )
    assert FaultResult.from_json(json.loads(json.dumps(asdict(fault)))) == fault
    nothing = {"rebuild": None, "consistency": None, "copies": None, "healthy": None}
    assert FaultResult.from_json({**json.loads(json.dumps(asdict(fault))), **nothing}) == fault
    reported = events(fault)
    assert [row for row in reported.rows if "waits" in row[3]] == [
        ("4.0", "4.0", "c1", "small: task-0 waits in gfs2_glock_wait < gfs2_inplace_reserve"),
        ("24.0", "20.0", "c1", "small: task-0 waits in its kernel"),
    ]


def test_kernel_messages_are_kept_in_order_of_time() -> None:
    """Each by its own clock; earlier messages are left out, and so is a node that does not
    answer.
    """
    lines = ("100.5", "[   10.0] old", "[   99.0] scsi: lost", "no line", "[   99.5] scsi: back")
    answers = {
        "c1": Completed("c1", 0, "\n".join(lines), ""),
        "c2": Completed("c2", 1, "", "dmesg: no"),
    }

    class Nodes:
        def run(self, node: str, command: str, **_: Any) -> Completed:
            if node not in answers:
                raise RunError("gone")
            return answers[node]

    now_s = unix_s()
    reported = messages_since(cast(Transport, Nodes()), ("c1", "c2", "c3"), now_s - 5.0)
    assert [(node, text) for _, node, text in reported] == [
        ("c1", "scsi: lost"),
        ("c1", "scsi: back"),
    ]
    assert [at_s - now_s for at_s, _, _ in reported] == pytest.approx([-1.5, -1.0], abs=0.5)


def test_an_answer_counts_when_it_came_in_a_whole_interval_since_then() -> None:
    """Not an interval that may begin earlier; not while a task waits in vain; an agent that
    has ended needs none.
    """
    # Its clock is 2 s ahead: 99.5 to 100.5.
    assert not is_answered(received([second(102.5, 5)]), 100.0)
    assert is_answered(received([second(103.0, 5)]), 100.0)
    assert not is_answered(received([second(104.0, 0)]), 100.0)
    assert not is_answered(received([second(104.0, 5), stall(104.0, 90.0)]), 100.0)
    assert is_answered(received([stall(104.0, 90.0), second(106.0, 5)]), 100.0)
    # It may be its first request.
    assert not is_answered(received([second(106.0, 5), stall(107.0, 102.5)]), 100.0)
    assert is_answered(received([second(106.0, 5), stall(107.0, 104.5)]), 100.0)
    assert is_answered(received([], end_boottime_ns=0), 100.0)
    assert first_completion_s(received([second(101.0, 5), second(103.5, 5)]), [], 100.0) == 101.5
    assert first_completion_s(received([]), [Outage(None, 1.0, 9.0, open=True)], 0.0) is None
