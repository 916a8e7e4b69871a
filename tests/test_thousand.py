"""Many clients: the figures of the benchmark, lines in columns, and a step of 50 local agents."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from seatrial.analysis.histogram import Histogram
from seatrial.basics.errors import RunError
from seatrial.launchers.requests import Request, document
from seatrial.load import gather
from seatrial.load.agent_lines import AgentLines
from seatrial.load.clock_offsets import ClockOffset, _shared_by_machine
from seatrial.load.merged_seconds import MergedSeconds
from seatrial.load.second_lines import SecondLines
from seatrial.transport import gathered
from tests.builders.tools import script

bench = script("bench_clients")
AGENTS = 50


def heard(**changes: Any) -> Any:
    """An agent with all of its lines."""
    whole = {"client": "n1", "seconds": (1, 2, 3), "operations": 6, "done_operations": 6}
    return bench.Heard(**{**whole, "started_ns": 0, **changes})


def test_a_skew_is_the_time_between_the_first_and_the_last_start() -> None:
    """In ms; the share counts the starts soon after the first one."""
    starts_ns = (5_000_000, 6_000_000, 12_000_000)
    assert bench.skew_ms(starts_ns) == 7.0
    assert bench.share_within_ms(starts_ns, 4.0) == pytest.approx(2 / 3)
    assert (bench.skew_ms(()), bench.share_within_ms((), 4.0)) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        ({"seconds": (2, 1, 3)}, []),
        ({"seconds": (1, 3)}, ["n1: second 2"]),
        ({"operations": 5}, ["n1: 1 operations are in no line"]),
        ({"done_operations": None}, ["n1: no result"]),
    ],
)
def test_a_line_that_did_not_arrive_is_noticed(
    changes: dict[str, Any], problems: list[str]
) -> None:
    """By its number, by the total of the result, or by the result that is missing."""
    assert bench.lost_lines(heard(**changes)) == problems


def second(number: int, **changes: Any) -> dict[str, Any]:
    """A line of an agent."""
    counts = {"second": number, "boottime_ns": 2**60 + number, "bytes": 4096, "operations": 1}
    telemetry = {"cpus_busy_share": 0.25, "processes_started": 2**40, "retransmitted": None}
    return {"event": "second", **counts, "telemetry": telemetry, **changes}


def test_lines_in_columns_are_the_same_lines() -> None:
    """Also a line with other keys, with another value, or without telemetry."""
    plain = {"event": "second", "second": 9, "boottime_ns": 1, "bytes": 0, "operations": 0}
    lines = [second(1), second(2, more=1), second(3, bytes="many"), plain, second(5, bytes=7)]
    columns = SecondLines()
    for line in lines:
        columns.append(line)
    assert list(columns) == lines
    assert (columns[0], columns[-1], columns[1:3]) == (lines[0], lines[-1], lines[1:3])
    with pytest.raises(IndexError):
        columns[5]


def latencies(number: int, value: int) -> dict[str, Any]:
    """A line of an agent: one synchronous write in a second."""
    text = Histogram(Counter({value: 1})).encode()
    histograms = {"write": text, "fsync": text}
    counts = {"second": number, "bytes": 4096, "operations": 1}
    return {"event": "latencies", **counts, "histograms": histograms}


def test_seconds_merged_on_arrival_are_the_same_seconds() -> None:
    """With many clients, with late lines for merged seconds, and with none of the lines kept."""
    lines = [latencies(number, 10 * number + client) for number in range(9) for client in range(9)]
    lines += [latencies(0, 77)]
    expected = gather.seconds([AgentLines("n1", 0.0, lines)])
    merged = MergedSeconds()
    agents = [AgentLines(f"n{number}", 0.0, merged=merged) for number in range(3)]
    for number, line in enumerate(lines):
        agents[number % 3].add(line)
    assert gather.seconds(agents) == expected
    assert expected[0].latency_ms["count"] == expected[0].operations == 10
    assert not any(agent.latencies for agent in agents)


def test_nodes_on_one_machine_share_its_best_offset() -> None:
    """Unless they disagree, or the machine is unknown."""
    clocks = {
        "n1": ClockOffset(0.004, 0.005, "b1"),
        "n2": ClockOffset(0.001, 0.001, "b1"),
        "n3": ClockOffset(5.0, 0.005, "b1"),
        "n4": ClockOffset(0.004, 0.005, "b2"),
        "n5": ClockOffset(0.004, 0.005),
    }
    shared = _shared_by_machine(clocks)
    assert shared["n1"] == clocks["n2"]
    assert {name: shared[name] for name in ("n3", "n4", "n5")} == {
        name: clocks[name] for name in ("n3", "n4", "n5")
    }


def test_gathered_requests_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each node reads every line of a step: a line for each of N nodes would cost N times N."""
    made: list[tuple[Request, ...]] = []

    def recorded(requests: Sequence[Request]) -> str:
        made.append(tuple(requests))
        return document(requests)

    monkeypatch.setattr("seatrial.launchers.group.document", recorded)
    nodes = ("n1", "n2", "n3")
    step = bench.launched(nodes, len(nodes), 60.0)
    try:
        with gathered(step):
            streams = [step.stream(node, "cat") for node in nodes]
            time.sleep(0.2)  # long enough for a thread that sends each request at once
            for stream in streams:
                stream.send("on")
        assert [stream.read_line() for stream in streams] == ["on"] * 3
        assert [len(requests) for requests in made] == [6]
    finally:
        step.close()


def test_no_line_of_fifty_agents_is_lost(tmp_path: Path) -> None:
    """From the start of the step to the results, through the launcher `command`."""
    row = bench.measure(AGENTS, 3, "all", tmp_path)
    assert row.lost == ()
    assert row.received_lines >= AGENTS * 3
    assert row.clients == AGENTS


def test_an_agent_that_never_starts_is_named(tmp_path: Path) -> None:
    """The step of the other agents is ended."""
    nodes = [f"n{number:02d}" for number in range(1, AGENTS + 1)]
    with pytest.raises(RunError, match=f"n{AGENTS}: no agent started within 5 s"):
        bench.launched(nodes, AGENTS - 1, 5.0)
