"""A good result in which one line contradicts itself, or another one: no claim that rests on it
passes any more.

The two results are of real runs: `nss-ha` with faults, and `md1200-nfs` with phases that read. Each
falsification is one of those that once left every verdict at `pass`.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.base import run_checkers
from seatrial.judge.contradicted import contradictions_of
from seatrial.judge.judge import exit_code, study_of
from seatrial.result.invariants.contradiction import Code
from seatrial.result.invariants.fault_lines import of_fault
from seatrial.result.result import Result
from seatrial.study.consistency_kinds import kind_names
from tests.builders.fault_results import fault as faulted
from tests.builders.fault_results import stream as streamed
from tests.builders.places import DATA
from tests.builders.stored import KEPT, Line, lines_of

Falsify = Callable[[list[Line]], None]


PHASES = DATA / "md1200-quick"


HOUR_S = 3600.0


def fault(lines: list[Line], name: str = "panic") -> Line:
    """The line of a fault."""
    return next(line for line in lines if line["type"] == "fault" and line["name"] == name)


def reading(lines: list[Line]) -> Line:
    """The line of a phase that read, alone on the storage."""
    return next(line for line in lines if line["type"] == "phase" and line["phase"] == "read")


def of(lines: list[Line], kind: str) -> Line:
    """The first line of a kind."""
    return next(line for line in lines if line["type"] == kind)


def as_found(folder: Path, lines: list[Line]) -> tuple[set[str], int, set[Code]]:
    """The verdicts, the exit code and the codes of contradictions of altered lines."""
    result = Result(folder, tuple(lines))
    study = study_of(result)
    judged = run_checkers(study, result)
    codes = {item.code for item in contradictions_of(study, result)}
    return {item.verdict for item in judged}, exit_code(result, judged), codes


@pytest.mark.parametrize("folder", [KEPT, PHASES], ids=["nss-ha", "md1200-nfs"])
def test_a_good_result_contradicts_nothing(folder: Path) -> None:
    """Every criterion passes, so that each finding comes from the falsification."""
    assert as_found(folder, lines_of(folder)) == ({"pass"}, 0, set())


def set_in(where: Callable[[list[Line]], Line], **values: Any) -> Falsify:
    """Give a line other values."""

    def falsify(lines: list[Line]) -> None:
        where(lines).update(values)

    return falsify


def scaled(where: Callable[[list[Line]], Line], key: str, factor: float) -> Falsify:
    """Multiply a figure of a line."""

    def falsify(lines: list[Line]) -> None:
        where(lines)[key] *= factor

    return falsify


def moved(where: Callable[[list[Line]], Line], key: str, by_s: float) -> Falsify:
    """Move a time of a line."""

    def falsify(lines: list[Line]) -> None:
        where(lines)[key] += by_s

    return falsify


def first_client(lines: list[Line]) -> Line:
    """The first client of a phase that read."""
    client: Line = reading(lines)["clients"][0]
    return client


def first_stream(lines: list[Line]) -> Line:
    """The first stream of the panic."""
    stream: Line = fault(lines)["streams"][0]
    return stream


def longest_outage(lines: list[Line]) -> Line:
    """An outage of the panic."""
    outage: Line = first_stream(lines)["outages"][0]
    return outage


def compared(lines: list[Line]) -> Line:
    """The comparison of a stream of writes."""
    found: Line = fault(lines)["compared"]["small-v3"]
    return found


def locks(lines: list[Line]) -> Line:
    """A consistency test."""
    found: Line = fault(lines)["consistency"]["locks"]
    return found


def copied(lines: list[Line]) -> Line:
    """A copy by dd."""
    found: Line = fault(lines)["copies"]["dd"]
    return found


def expected(lines: list[Line]) -> Line:
    """The expectations of the panic."""
    found: Line = fault(lines)["expect"]
    return found


def swap_must_and_may(lines: list[Line]) -> None:
    """In both places that say it."""
    name = fault(lines)["name"]
    found = compared(lines)
    own = next(
        line for line in lines if line["type"] == "comparison" and line["experiment"] == name
        and line["point"]["stream"] == "small-v3"
    )  # fmt: skip
    for line in (found, own):
        line["must"], line["may"] = line["may"], line["must"]


def no_outage(lines: list[Line]) -> None:
    """No outage of the panic, although nothing was done in its seconds."""
    for stream in fault(lines)["streams"]:
        stream["outages"] = []


def empty_link(lines: list[Line]) -> None:
    """Nothing crossed the client's link."""
    for line in first_client(lines)["telemetry"]:
        line["network_received_bytes"] = 0


def too_much_in_a_second(lines: list[Line]) -> None:
    """All of a phase in one second, which no link carries."""
    phase = reading(lines)
    moved_bytes = sum(item["size_bytes"] for item in phase["seconds"])
    for item in phase["seconds"]:
        item["size_bytes"] = 0
    phase["seconds"][0]["size_bytes"] = moved_bytes
    phase["bound_bytes_per_s"] = phase["natural_bytes_per_s"]
    phase["seconds"][0]["size_bytes"] = moved_bytes * 2


def no_role(lines: list[Line]) -> None:
    """The place of the service is missing."""
    fault(lines).update(roles_before={}, roles_after={})


def no_writer(server: str) -> Falsify:
    """The write log of a server is missing."""

    def falsify(lines: list[Line]) -> None:
        fault(lines)["writers"].pop(server)

    return falsify


def no_lock(client: str) -> Falsify:
    """The state of a client's lock is missing."""

    def falsify(lines: list[Line]) -> None:
        locks(lines)["kept_locks"].pop(client)

    return falsify


FAULTS: list[tuple[str, Falsify, Code | None]] = [
    (
        "violation listed, none counted",
        set_in(locks, violations=["two holders"]),
        Code.LISTED_NOT_COUNTED,
    ),
    ("lost lock listed, none counted", set_in(locks, lost_locks=["c1"]), Code.LISTED_NOT_COUNTED),
    (
        "wrong extents, none counted",
        set_in(compared, extents=[{"class": "zero"}]),
        Code.LISTED_NOT_COUNTED,
    ),
    (
        "wrong names, none counted",
        set_in(compared, names=[{"class": "gone"}]),
        Code.LISTED_NOT_COUNTED,
    ),
    ("must and may swapped", swap_must_and_may, Code.NOTHING_HAD_TO_BE_THERE),
    ("less compared than in its own line", set_in(compared, must=1), Code.COMPARISONS_DIFFER),
    ("more compared than was there", set_in(compared, must=10**9), Code.COUNTED_MORE_THAN_THERE),
    ("copy half looked at", scaled(copied, "blocks", 0.5), Code.COPY_NOT_WHOLE),
    ("a lock of an unknown state", set_in(locks, kept_locks={"c1": "fine"}), Code.WORD_NOT_KNOWN),
    ("the lock of one client gone", no_lock("c2"), Code.LOCK_NOT_SAID),
    ("all kept locks gone", set_in(locks, kept_locks={}), Code.LOCK_NOT_SAID),
    ("clock error of an hour", set_in(fault, clock_error_s=HOUR_S), Code.CLOCK_ERROR_TOO_LARGE),
    (
        "outage of negative length",
        moved(longest_outage, "end_unix_s", -HOUR_S),
        Code.OUTAGE_BACKWARDS,
    ),
    ("outages gone", no_outage, Code.OUTAGE_UNSAID),
    ("infinite outage", set_in(longest_outage, end_unix_s=float("inf")), Code.NOT_FINITE),
    (
        "repaired before it was injected",
        moved(fault, "repaired_unix_s", -HOUR_S),
        Code.TIMES_OUT_OF_ORDER,
    ),
    ("before the run began", set_in(fault, injected_unix_s=1.0), Code.OUTSIDE_THE_RUN),
    ("after its line was written", moved(fault, "ended_unix_s", HOUR_S), Code.OUTSIDE_THE_RUN),
    ("health not said", set_in(fault, healthy=None), Code.HEALTH_NOT_SAID),
    ("roles gone", no_role, Code.ROLES_GONE),
    (
        "moved, and its roles stayed",
        set_in(fault, roles_after={"data": "srv2"}),
        Code.MOVED_NOT_FROM_ROLES,
    ),
    ("power log gone", set_in(fault, power=[]), None),
    ("power log and moments gone", set_in(fault, power=[], moments=[]), None),
    ("writers of the old server gone", no_writer("srv2"), None),
    ("writers of the new server gone", no_writer("srv1"), None),
    ("expects no move", set_in(expected, fails_over="may"), Code.EXPECTS_LESS_THAN_STUDY),
    ("expects errors", set_in(expected, errors=["EIO"]), Code.EXPECTS_LESS_THAN_STUDY),
    (
        "a negative control",
        set_in(expected, detected_by=["integrity"]),
        Code.EXPECTS_LESS_THAN_STUDY,
    ),
    ("no limit", set_in(expected, outage=None), Code.EXPECTS_LESS_THAN_STUDY),
    ("a limit that is not its sum", scaled(expected, "outage", 10.0), Code.LIMIT_NOT_ITS_SUM),
    (
        "limits with another part",
        set_in(expected, outage_parts=[["x", 9.0]], outage=9.0),
        Code.EXPECTS_LESS_THAN_STUDY,
    ),
    ("a fault of another study", set_in(fault, name="flood"), Code.NOT_OF_THIS_STUDY),
    ("another kind of fault", set_in(fault, kind="switchover"), Code.NOT_OF_THIS_STUDY),
    ("a stream of another study", set_in(first_stream, stream="other"), Code.NOT_OF_THIS_STUDY),
    ("a client of another study", set_in(first_stream, client="x9"), Code.NOT_OF_THIS_STUDY),
    (
        "never recovered, without an outage",
        set_in(first_stream, recovered=False),
        Code.RECOVERED_WHILE_SILENT,
    ),
    ("more than all CPUs", set_in(fault, cpus_busy_share=9.0), Code.SHARE_ABOVE_ONE),
    (
        "a volume of no service",
        set_in(lambda lines: fault(lines)["writers"]["srv2"][0], volume="other"),
        None,
    ),
    ("negative operations", set_in(first_stream, operations=-1), Code.NEGATIVE),
    ("skipped, and injected", set_in(fault, skipped="not here"), Code.FAILED_AND_SKIPPED),
    (
        "a run of another study",
        set_in(lambda lines: of(lines, "run"), study="other"),
        Code.NOT_OF_THIS_STUDY,
    ),
    (
        "complete with a reason",
        set_in(lambda lines: of(lines, "end"), reason="failed: seq"),
        Code.END_WITH_REASON,
    ),
    (
        "complete with a failed fault",
        set_in(fault, failed="ssh was refused"),
        Code.END_WITH_FAILURES,
    ),
    (
        "written before the run",
        set_in(lambda lines: of(lines, "end"), unix_s=1.0),
        Code.TIMES_OUT_OF_ORDER,
    ),
    (
        "a baseline below zero",
        set_in(lambda lines: of(lines, "baselines")["found"][0], value=-1.0),
        Code.NEGATIVE,
    ),
]


@pytest.mark.parametrize(
    ("falsify", "code"), [item[1:] for item in FAULTS], ids=[item[0] for item in FAULTS]
)
def test_a_contradicted_fault_leaves_no_pass(falsify: Falsify, code: Code | None) -> None:
    """Some claim is undecided or fails, the exit code is not 0, and the reason has its code."""
    lines = lines_of(KEPT)
    falsify(lines)
    verdicts, exit_with, codes = as_found(KEPT, lines)
    assert exit_with in (1, 3)
    assert verdicts != {"pass"}
    assert code is None or code in codes


PHASE_CASES: list[tuple[str, Falsify, Code | None]] = [
    ("NaN", set_in(reading, natural_bytes_per_s=float("nan")), Code.NOT_FINITE),
    ("infinite bound", set_in(reading, bound_bytes_per_s=float("inf")), Code.NOT_FINITE),
    ("negative rate", set_in(reading, natural_bytes_per_s=-1.0), Code.NEGATIVE),
    (
        "bound ten times too high",
        scaled(reading, "bound_bytes_per_s", 10.0),
        Code.BOUND_NOT_FROM_LAYERS,
    ),
    (
        "a bound that is not on the way",
        set_in(reading, bound="the moon"),
        Code.BOUND_NOT_FROM_LAYERS,
    ),
    (
        "harmonic above natural",
        scaled(reading, "harmonic_mean_bytes_per_s", 2.0),
        Code.RATES_NOT_FROM_TASKS,
    ),
    (
        "natural above its tasks",
        scaled(reading, "natural_bytes_per_s", 1.01),
        Code.RATES_NOT_FROM_TASKS,
    ),
    ("duration zero", set_in(first_client, elapsed_s=0.0), Code.NO_DURATION),
    ("tasks gone", set_in(first_client, tasks=[]), Code.TASKS_GONE),
    ("other operations than its tasks", set_in(first_client, operations=7), Code.OPERATIONS_DIFFER),
    ("seconds gone", set_in(first_client, seconds=[]), Code.SECONDS_DO_NOT_ADD_UP),
    (
        "a client lost, and the phase whole",
        set_in(first_client, lost="it died"),
        Code.PARTIAL_UNSAID,
    ),
    (
        "errors, and the phase whole",
        set_in(first_client, errors=[{"name": "EIO"}]),
        Code.PARTIAL_UNSAID,
    ),
    ("clock error of an hour", set_in(reading, clock_error_s=HOUR_S), Code.CLOCK_ERROR_TOO_LARGE),
    (
        "all CPUs busy, and no limit",
        set_in(reading, cpus_busy_share=1.0, lab_limited=False),
        Code.LAB_LIMITED_UNSAID,
    ),
    (
        "a share above 1",
        set_in(reading, cpus_busy_share=1.5, lab_limited=True),
        Code.SHARE_ABOVE_ONE,
    ),
    ("nothing crossed the link", empty_link, Code.CACHES_UNSAID),
    ("above its bound in one second", too_much_in_a_second, Code.SECONDS_DO_NOT_ADD_UP),
    (
        "a steady state above its seconds",
        set_in(reading, steady={"rate_bytes_per_s": 1e12, "operations_per_s": 1.0}),
        Code.STEADY_ABOVE_ITS_SECONDS,
    ),
    ("before the run", set_in(reading, started_unix_s=1.0), Code.OUTSIDE_THE_RUN),
    ("an experiment of another study", set_in(reading, experiment="other"), Code.NOT_OF_THIS_STUDY),
    ("a client of another study", set_in(first_client, client="x9"), Code.NOT_OF_THIS_STUDY),
    (
        "percentiles upside down",
        set_in(lambda it: first_client(it)["latency_ms"]["read"], p50=1e9),
        Code.LATENCIES_OUT_OF_ORDER,
    ),
]


def test_a_consistency_test_may_be_idle_between_its_turns() -> None:
    """Its clients take turns: seconds without an operation are no outage."""
    lines = lines_of(KEPT)
    for stream in fault(lines)["streams"]:
        if stream["phase"] in kind_names():
            stream["seconds"] = [[*second[:3], 0] for second in stream["seconds"]]
            stream["operations"] = 0
            stream["outages"] = []
    _, _, codes = as_found(KEPT, lines)
    assert Code.OUTAGE_UNSAID not in codes


@pytest.mark.parametrize(
    ("falsify", "code"), [it[1:] for it in PHASE_CASES], ids=[it[0] for it in PHASE_CASES]
)
def test_a_contradicted_phase_leaves_no_pass(falsify: Falsify, code: Code | None) -> None:
    """The claims of phases are undecided or fail; whether a second deploy changed something is
    another matter.
    """
    lines = lines_of(PHASES)
    falsify(lines)
    verdicts, exit_with, codes = as_found(PHASES, lines)
    assert exit_with in (1, 3)
    assert verdicts != {"pass"}
    assert code is None or code in codes


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, []),
        ({"kept_locks": {"c1": "held"}}, [Code.LOCK_NOT_SAID]),
        ({"kept_locks": {"c1": "held"}, "consistency_test": "exclusive"}, []),
    ],
    ids=["both named", "one left out", "of another test"],
)
def test_every_client_with_power_has_a_lock(changes: Line, codes: list[Code]) -> None:
    """One that lost its power has none to keep; where nothing was compared, nothing is known of
    any.
    """
    found = {"consistency_test": "locks", "kept_locks": {"c1": "held", "c2": "lost"}, **changes}
    streams = (streamed(), streamed(client="c2"), streamed(client="c3", lost_power=True))
    tested = faulted(streams=streams, consistency={"small": found})
    assert [item.code for item in of_fault(tested) if item.code is Code.LOCK_NOT_SAID] == codes
    unread = replace(tested, not_compared="the storage did not answer any more")
    assert Code.LOCK_NOT_SAID not in {item.code for item in of_fault(unread)}
