"""The check `latency` on results with known histograms."""

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from seatrial.analysis.histogram import Histogram
from seatrial.judge.answer import Answer, Reason
from seatrial.judge.checks import latency
from seatrial.judge.percentiles import Latencies, judge_percentile, operations_needed
from seatrial.result.faults import FaultResult
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result, _Measurements
from tests.builders.fault_results import fault, stream
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import changed

MS = 1_000_000


def histogram(*parts: tuple[float, int]) -> Histogram:
    """Some operations at each latency in ms."""
    half = 1 << (math.ceil(math.log2(2000)) - 1)
    counts: Counter[int] = Counter()
    for value_ms, count in parts:
        value_ns = int(value_ms * MS)
        power = max(value_ns.bit_length() - half.bit_length(), 0)
        counts[((power + 1) << (half.bit_length() - 1)) + (value_ns >> power) - half] += count
    return Histogram(counts)


def with_tail(tail_ms: float, operations: int = 1000) -> Histogram:
    """98 % of the operations take 1 ms and the rest `tail_ms`: p99 is `tail_ms`."""
    tail = operations // 50
    return histogram((1.0, operations - tail), (tail_ms, tail))


def repeats(*tails_ms: float, operations: int = 1000, **changes: Any) -> list[PhaseResult]:
    """Repeats with these 99th percentiles."""
    return [
        phase(
            repeat=number,
            **{"histograms": {"read": with_tail(tail_ms, operations).encode()}, **changes},
        )
        for number, tail_ms in enumerate(tails_ms, start=1)
    ]


def judged(tmp_path: Path, options: dict[str, Any], *phases: PhaseResult) -> Answer:
    """The answer on p99 below 20 ms."""
    result = result_of(tmp_path / "r", changed("criteria", []), *phases)
    asked = {"experiment": "one", "percentile": 99, "below": "20ms", **options}
    return latency.check(result, latency.Options.model_validate(asked))


def test_the_histogram_of_the_tests_is_right() -> None:
    """Its buckets are those of the decoder."""
    found = with_tail(15.0)
    assert found.count == 1000
    assert found.quantile(0.98) / MS == pytest.approx(1.0, rel=2e-3)
    assert found.quantile(0.99) / MS == pytest.approx(15.0, rel=2e-3)
    assert Histogram.decode(found.encode()).quantile(0.99) == found.quantile(0.99)


@pytest.mark.parametrize(
    ("options", "tails_ms", "verdict", "words"),
    [
        ({}, (14.9, 15.0, 15.1), "pass", "p99 of at least 1000 operations: 15.0 ms"),
        ({}, (24.0, 25.0, 26.0), "fail", "required: at most 20.0 ms"),
        ({}, (19.0, 20.0, 21.5), "unknown", "would decide"),
        ({}, (10.0, 15.0, 30.0), "unknown", "would decide"),
        ({"below": "0.5ms", "percentile": 50}, (15.0, 15.0, 15.0), "fail", "p50"),
        ({"below": "2ms", "percentile": 50}, (150.0, 15.0, 1500.0), "pass", "p50"),
        ({}, (15.0,), "unknown", "one usable repeat; a decision needs at least 2"),
    ],
)
def test_the_percentiles_of_the_repeats_decide(
    tmp_path: Path, options: dict[str, Any], tails_ms: tuple[float, ...], verdict: str, words: str
) -> None:
    """By the interval between them."""
    found = judged(tmp_path, options, *repeats(*tails_ms))
    assert (found.verdict, words in found.evidence) == (verdict, True), found


@pytest.mark.parametrize(
    ("percentile", "needed"), [(50, 2), (99, 100), (99.9, 1000), (99.99, 10000), (1, 100), (95, 20)]
)
def test_the_operations_that_a_percentile_needs(percentile: float, needed: int) -> None:
    """One over the share beyond it."""
    assert operations_needed(percentile) == needed


@pytest.mark.parametrize(
    ("operations", "words"),
    [(50, "p99 has no meaning below 100"), (999, "p99 needs 1000 in each")],
)
def test_too_few_operations_decide_nothing(tmp_path: Path, operations: int, words: str) -> None:
    """No decision: ten times the number that makes the percentile meaningful."""
    for tail_ms in (1.0, 1000.0):
        found = judged(
            tmp_path / f"{tail_ms}", {}, *repeats(tail_ms, tail_ms, tail_ms, operations=operations)
        )
        assert (found.verdict, found.reason) == ("unknown", Reason.INCOMPLETE)
        assert words in found.evidence
    one_is_short = [*repeats(1.0, 1.0), *repeats(1.0, operations=999)]
    assert judged(tmp_path / "short", {}, *one_is_short).verdict == "unknown"


def test_operations_that_never_began_are_the_longest(tmp_path: Path) -> None:
    """An overloaded open loop has low latencies of the few operations that began."""
    overloaded = (client(unserved=100),)
    found = judged(tmp_path / "a", {}, *repeats(15.0, 15.0, clients=overloaded))
    assert (found.verdict, "never began" in found.evidence) == ("fail", True)
    once = [*repeats(15.0, 15.0), *repeats(15.0, clients=overloaded)]
    assert judged(tmp_path / "b", {}, *once).verdict == "unknown"
    few = judged(tmp_path / "c", {}, *repeats(15.0, 15.0, clients=(client(unserved=1),)))
    assert few.verdict == "pass"


def test_every_point_is_judged(tmp_path: Path) -> None:
    """One of two points has long latencies."""
    phases = [*repeats(15.0, 15.1), *repeats(30.0, 30.1, point={"clients": 2})]
    found = judged(tmp_path, {}, *phases)
    assert (found.verdict, "clients=2" in found.evidence) == ("fail", True)
    assert judged(tmp_path / "b", {"at": {"clients": 1}}, *phases).verdict == "pass"


def test_a_rate_of_arrivals_selects_phases(tmp_path: Path) -> None:
    """Points at other rates do not count; a rate that is no part of the point is the study's."""
    phases = [
        *repeats(15.0, 15.1, point={"arrivals_per_s": 100}),
        *repeats(30.0, 30.1, point={"arrivals_per_s": 200.0}),
    ]
    assert judged(tmp_path / "a", {"at_rate": 100}, *phases).verdict == "pass"
    assert judged(tmp_path / "b", {"at_rate": 200}, *phases).verdict == "fail"
    none = judged(tmp_path / "c", {"at_rate": 300}, *phases)
    assert none.reason is Reason.NOTHING_CHECKED
    assert judged(tmp_path / "d", {"at_rate": 300}, *repeats(15.0, 15.1)).verdict == "pass"


def test_a_kind_of_operation(tmp_path: Path) -> None:
    """By default that of the phase; `mixed` has two."""
    of_kinds = {"read": with_tail(15.0).encode(), "fsync": with_tail(90.0).encode()}
    phases = repeats(0.0, 0.0, histograms=of_kinds)
    assert judged(tmp_path / "a", {}, *phases).verdict == "pass"
    assert judged(tmp_path / "b", {"operation": "fsync"}, *phases).verdict == "fail"
    assert judged(tmp_path / "c", {"operation": "write"}, *phases).verdict == "unknown"
    both = {"read": with_tail(1.0).encode(), "write": with_tail(90.0).encode()}
    mixed = repeats(0.0, 0.0, histograms=both, phase="mixed")
    assert judged(tmp_path / "d", {"percentile": 98.5}, *mixed).verdict == "pass"
    assert judged(tmp_path / "e", {"percentile": 99.5}, *mixed).verdict == "fail"


def test_a_repeat_without_a_histogram_decides_nothing(tmp_path: Path) -> None:
    """Older results have none."""
    found = judged(tmp_path, {}, *repeats(15.0, 15.1), phase(repeat=3))
    assert (found.verdict, found.reason) == ("unknown", Reason.NOTHING_CHECKED)


@pytest.mark.parametrize(
    ("tail_ms", "is_open", "changes", "verdict"),
    [
        (15.0, True, {"lab_limited": True}, "pass"),
        (15.0, False, {"lab_limited": True}, "unknown"),
        (90.0, True, {"lab_limited": True}, "unknown"),
        (90.0, False, {"cpus_short_share": 0.5}, "unknown"),
        (15.0, False, {"cpus_short_share": 0.5}, "unknown"),
        (90.0, True, {"partial": True}, "unknown"),
    ],
)
def test_a_busy_machine(
    tmp_path: Path, tail_ms: float, is_open: bool, changes: dict[str, Any], verdict: str
) -> None:
    """A closed loop loads the storage less when its client is slow; an open one does not."""
    found = {"read": with_tail(tail_ms).encode()}
    if is_open:
        found["service"] = found["read"]
    phases = repeats(0.0, 0.0, 0.0, histograms=found, **changes)
    assert judged(tmp_path, {}, *phases).verdict == verdict


def test_a_failure_among_many_points_needs_more() -> None:
    """As one of them is above the limit by chance."""
    random = Random(1)
    values_ms = [25.0 * math.exp(random.gauss(0, 0.04)) for _ in range(3)]
    found = [Latencies(with_tail(value_ms)) for value_ms in values_ms]
    assert judge_percentile(found, 99, 20.0).verdict == "fail"
    assert judge_percentile(found, 99, 20.0, among=50).verdict == "unknown"


# ---- faults


def with_lines(folder: Path, found: FaultResult, tails_ms: dict[int, float]) -> None:
    """The lines of the agent of the fault's stream: the 99th percentile of each second."""
    lines = [
        {
            "event": "latencies",
            "second": second,
            "histograms": {"write": with_tail(tail_ms, 2000).encode()},
        }
        for second, tail_ms in tails_ms.items()
    ]
    path = folder / "agent" / f"fault_{found.name}-c1_small.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, {"event": "done"}]))


def fault_answer(folder: Path, *found: FaultResult, **options: Any) -> Answer:
    """The answer on the stream during these faults."""
    result = Result(folder, ())
    result.__dict__["_measurements"] = _Measurements([], list(found), [], [])
    asked = {"stream": "small", "percentile": 99, "below": "20ms", **options}
    return latency.check(result, latency.Options.model_validate(asked))


def repetitions(count: int, **changes: Any) -> list[FaultResult]:
    """Repetitions of a fault that was injected at 100 s, 10 s after the start of the streams."""
    one = fault(**{"started_unix_s": 90.0, "recovered_unix_s": 125.0, **changes})
    return [replace(one, name=f"panic-{number:02d}") for number in range(1, count + 1)]


@pytest.mark.parametrize(
    ("during_ms", "verdict"), [((15.0, 15.1, 14.9), "pass"), ((90.0, 95.0, 92.0), "fail")]
)
def test_latency_during_a_fault(tmp_path: Path, during_ms: tuple[float, ...], verdict: str) -> None:
    """Only the seconds from the injection to the recovery count; repetitions are repeats."""
    found = repetitions(len(during_ms))
    for item, tail_ms in zip(found, during_ms, strict=True):
        others = dict.fromkeys((2, 60), 900.0)
        with_lines(tmp_path, item, {**others, 12: tail_ms, 30: tail_ms})
    answer = fault_answer(tmp_path, *found)
    assert answer.verdict == verdict, answer
    assert "small during panic: p99 of at least 4000 operations" in answer.evidence
    named = fault_answer(tmp_path, *found, faults=["panic"])
    assert named.verdict == verdict
    assert fault_answer(tmp_path, *found, faults=["panic-01"]).verdict == "unknown"
    assert fault_answer(tmp_path, *found, faults=["other"]).reason is Reason.NOTHING_CHECKED


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"failed": "no answer"}, Reason.NOT_CARRIED_THROUGH),
        ({"evidence": ()}, Reason.NOT_SHOWN),
        ({"skipped": "no second server"}, Reason.NOTHING_CHECKED),
        ({"streams": (stream(stream="other"),)}, Reason.NOTHING_CHECKED),
    ],
)
def test_a_fault_that_decides_nothing(
    tmp_path: Path, changes: dict[str, Any], reason: Reason
) -> None:
    """It was not completed, or not shown, or the result has no latencies of it."""
    found = repetitions(2, **changes)
    for item in found:
        with_lines(tmp_path, item, {12: 1.0, 30: 1.0})
    answer = fault_answer(tmp_path, *found)
    assert (answer.verdict, answer.reason) == ("unknown", reason), answer
