"""Verdicts on faults, the published fault table, and their report, from results with known
answers.
"""

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from seatrial.basics.errors import InputError
from seatrial.judge.base import run_checkers
from seatrial.judge.checks.faults import judge_course
from seatrial.judge.controls import judge_control
from seatrial.judge.fault_properties import Limits
from seatrial.judge.judge import check_published, study_of
from seatrial.judge.published_claims import judge_published
from seatrial.judge.published_faults import judge_fault_rows, judge_row, recovery_s
from seatrial.report.fault_tables import Slowdown, rebuilds, slowdown, slowdowns
from seatrial.report.faults import course, table
from seatrial.report.html import render
from seatrial.report.tables import Numbers
from seatrial.result.evidence import Evidence, Sign
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.result import SCHEMA, Result, Writer, read_result
from seatrial.summary.failover import failover_phases
from seatrial.summary.fault_rates import per_second
from tests.manifests import fit
from tests.strategies import study, text_of
from tests.test_faults import broken

PUBLISHED = """
schema: published/1
id: paper
title: A paper
claims:
  - {id: C1, statement: failover takes 30 to 60 s, form: {type: range, min: 30, max: 60, unit: s}}
  - {id: C2, statement: nothing is lost, form: {type: property, expect: true}}
  - {id: C3, statement: it is faster, form: {type: order, order: [a, b]}}
faults:
  - {id: X1, failure: server, expected: passive takes over, failover: true, recovery: {min: 30, max: 60, unit: s}}
  - {id: X4, failure: switch, expected: no service change, failover: false, recovery: null}
  - {id: X5, failure: fence device, expected: fenced, failover: if another fails, recovery: {min: 30, max: 60, unit: s}}
  - {id: X6, failure: one path, expected: no pause, failover: false, recovery: {value: 0, unit: s}, tested: false}
  - {id: X7, failure: all paths, expected: passive takes over, failover: true, recovery: {min: 3, max: 8, unit: min}}
"""


def stream(longest_s: float = 0.0, **changes: Any) -> StreamResult:
    """One stream that was silent once, from the injection at 100 s on."""
    outage = {"task": None, "start_unix_s": 100.0, "end_unix_s": 100.0 + longest_s, "open": False}
    seconds = tuple((95.0 + second, 1.0, 4096, 1) for second in range(1, 6))
    fields: dict[str, Any] = {"client": "c1", "stream": "small", "phase": "write", "lost_power": False}
    more = {"outages": (outage,) if longest_s else (), "first_completion_unix_s": 100.0 + longest_s}
    return StreamResult(**{**fields, **more, "seconds": seconds, "operations": 9, **changes})


COMPARED = {
    "blocks": 9,
    "must": 9,
    "may": 0,
    "lost": 0,
    "wrong": 0,
    "names_checked": 0,
    "names_wrong": 0,
    "unfinished": [],
}


def action(part: str, from_s: float, until_s: float, **changes: Any) -> dict[str, Any]:
    """An action that was carried out."""
    fields = {"what": f"{part} it", "part": part, "started_unix_s": from_s, "ended_unix_s": until_s, "error": None}
    return {**fields, **changes}


ACTIONS = (action("inject", 100.0, 100.1), action("repair", 119.9, 120.0))
CUT = stream(99.0, client="c2", lost_power=True)
OFF = {"unix_s": 100.0, "node": "c2", "what": "off", "by": "operator"}
SHOWN = (Evidence("inject it", 100.0, (Sign.PROCESS_GONE,), (Sign.PROCESS_GONE,)),)


def fault(longest_s: float = 40.0, **changes: Any) -> FaultResult:
    """A fault with the expected failover of the service."""
    fields: dict[str, Any] = {
        "name": "it",
        "kind": "panic",
        "word": "panic",
        "title": "a server's kernel panics",
        "published": "X1",
        "expect": {"fails_over": True, "outage": 60.0},
        "duration_s": 20.0,
        "started_unix_s": 95.0,
        "injected_unix_s": 100.0,
        "repaired_unix_s": 120.0,
        "recovered_unix_s": 160.0,
        "ended_unix_s": 165.0,
        "roles_before": {"s": "a"},
        "roles_after": {"s": "b"},
        "moved": True,
        "healthy": True,
        "streams": (stream(longest_s),),
        "compared": {"small": COMPARED},
        "actions": ACTIONS,
        "evidence": SHOWN if "actions" not in changes else None,
        "restarted": ("a",),
    }
    if changes.get("skipped"):
        fields |= dict.fromkeys([key for key in fields if key.endswith("_unix_s")])
        fields |= {"streams": (), "compared": {}, "roles_after": {}, "moved": None, "healthy": None}
    return FaultResult(**{**fields, **changes})


STAYED: dict[str, Any] = {"moved": False, "roles_after": {"s": "a"}, "expect": {"fails_over": False, "outage": 2.0}}
CRITERIA = [
    {"id": "in-time", "check": "outage"},
    {"id": "course", "check": "faults"},
    {"id": "intact", "check": "integrity"},
]


def planned_as(item: FaultResult) -> dict[str, Any]:
    """The plan of a study for such a fault."""
    expect = {key: value for key, value in item.expect.items() if value and key != "outage_parts"}
    expect |= {key: f"{expect[key]:g}s" for key in ("outage", "target", "min_stall") if key in expect}
    return {"kind": item.kind, "published": item.published, "expect": expect}


def result(folder: Path, *faults: FaultResult, **more: Any) -> Result:
    """A record of these faults, and a manifest that asks for no more."""
    writer = Writer(folder / "r")
    writer.line("run", unix_s=0.0, schema=SCHEMA, study="small", profile="full", seatrial="0")
    planned = {item.name: planned_as(item) for item in faults} or {"it": {"kind": "panic", "published": "X1"}}
    data = broken(planned, published="paper", criteria=CRITERIA, **more)
    writer.keep("study.yaml", text_of(data))
    writer.keep("published.yaml", PUBLISHED)
    for item in faults:
        writer.line("fault", **asdict(item))
        for name in item.compared:
            where = {"experiment": item.name, "point": {"stream": name}, "repeat": 1}
            writer.line("comparison", **where, **COMPARED, extents=[], names=[])
    writer.line("end", complete=True)
    fit(folder / "r")
    writer.close()
    return read_result(folder / "r")


def refused(name: str) -> dict[str, Any]:
    """A fault in which clients may get ENOSPC, and one got this."""
    errors = ({"name": name, "operation": "write", "count": 7},)
    return {"expect": {"fails_over": True, "outage": None, "errors": ["ENOSPC"]}, "streams": (stream(errors=errors),)}


def waiting(**changes: Any) -> FaultResult:
    """A crash at 100 s; no server may take over before 130 s, when the fence devices are
    repaired.
    """
    actions = [
        {"what": what, "part": part, "started_unix_s": at_s, "ended_unix_s": at_s, "error": None}
        for what, part, at_s in (("panic", "inject", 100.0), ("bmc: ok", "repair", 130.0), ("restart", "repair", 150.0))
    ]
    more = {"expect": {"fails_over": True, "outage": None, "blocks": True}, "actions": tuple(actions)}
    return fault(**{**more, "streams": (stream(45.0),), **changes})


def started(at_s: float) -> dict[str, Any]:
    """A part of the service begins on the other server."""
    return {"unix_s": at_s, "node": "b", "what": "starting", "text": "", "subject": "s-nfs", "good": True}


def wrote(until_s: float) -> dict[str, Any]:
    """Between two looks of the array."""
    return {"volume": "s", "start_unix_s": until_s - 1.0, "end_unix_s": until_s, "bytes": 4096}


STOPS = {"fails_over": True, "outage": 60.0, "min_stall": 15.0}
LATE = {"task": None, "start_unix_s": 119.0, "end_unix_s": 150.0, "open": False}
DAMAGE = ({"class": "zero", "file": "f", "offset": 0, "length": 4096},)
VERDICTS: list[tuple[str, FaultResult, str, str]] = [
    ("in-time", fault(), "pass", "it: 40.0 s (≤ 60 s)"),
    ("course", fault(40.0, expect=STOPS), "pass", "healthy in the end"),
    (
        "course",
        fault(13.0, expect=STOPS),
        "fail",
        "data operations stopped for 13.0 s before the repair; the study requires 15 s",
    ),
    ("course", fault(0.0, expect=STOPS), "fail", "data operations stopped for 0.0 s"),
    # Silence after the repair alone, and silence that blocked no data, do not count.
    ("course", fault(expect=STOPS, streams=(stream(outages=(LATE,)),)), "fail", "data operations stopped for 1.0 s"),
    (
        "course",
        fault(expect=STOPS, streams=(stream(40.0, phase="locks"),)),
        "fail",
        "data operations stopped for 0.0 s",
    ),
    ("course", fault(1.0, expect=STOPS, streams=(stream(1.0, lost="the agent died"),)), "unknown", "the agent died"),
    ("in-time", fault(61.0), "fail", "c1 small without an answer for 61.0 s (> 60 s)"),
    ("in-time", fault(0.0), "pass", "none above the threshold"),
    ("in-time", fault(skipped="no BMC here"), "unknown", "skipped, no BMC here"),
    ("in-time", fault(failed="no ssh"), "unknown", "no ssh"),
    ("in-time", fault(streams=(stream(1.0, lost="the agent died"),)), "unknown", "c1 small: the agent died"),
    ("in-time", fault(streams=(stream(90.0, lost="the agent died"),)), "fail", "without an answer for 90.0 s"),
    (
        "in-time",
        fault(streams=(stream(1.0, over_unix_s=130.0),)),
        "unknown",
        "ended before the fault: its work was complete",
    ),
    (
        "in-time",
        fault(streams=(stream(1.0), stream(99.0, client="c2", lost_power=True)), power=(OFF,)),
        "pass",
        "1.0 s",
    ),
    (
        "in-time",
        fault(streams=(stream(1.0), stream(99.0, client="c2", lost_power=True))),
        "unknown",
        "no evidence shows that c2 lost its power",
    ),
    ("in-time", fault(streams=(stream(99.0, lost_power=True),)), "unknown", "no client that kept its power"),
    ("in-time", fault(expect={"fails_over": True, "outage": None}), "unknown", "no fault has a goal"),
    ("course", fault(), "pass", "the service failed over, healthy in the end"),
    ("course", fault(moved=False), "fail", "did not fail over"),
    (
        "course",
        fault(moved=False, roles_after={"s": "a"}, expect={"fails_over": "may", "outage": None}),
        "pass",
        "healthy in the end",
    ),
    ("course", fault(**{**STAYED, "moved": True}), "fail", "failed over unexpectedly"),
    ("course", fault(**STAYED), "pass", "the service stayed"),
    ("course", fault(moved=None), "unknown", "no server reported the location of the service"),
    (
        "course",
        fault(recovered_unix_s=None, healthy=False, notes=("b did not come back",)),
        "fail",
        "not healthy in the end: b",
    ),
    ("course", fault(streams=(stream(errors=({"name": "EIO", "operation": "write"},)),)), "fail", "EIO of write"),
    ("course", fault(**refused("ENOSPC")), "pass", "the service failed over, 7 ENOSPC, healthy in the end"),
    ("course", fault(**refused("EIO")), "fail", "c1 small: EIO of write"),
    ("course", waiting(), "pass", "the service failed over, healthy in the end"),
    ("course", waiting(streams=(stream(25.0),)), "fail", "c1 small got answers before the repair"),
    ("course", waiting(moments=(started(105.0),)), "fail", "b started s-nfs before the repair"),
    ("course", waiting(moments=(started(131.0),)), "pass", "healthy in the end"),
    ("course", waiting(writers={"b": [wrote(106.0)]}), "fail", "b wrote 6.0 s after the injection"),
    ("course", waiting(writers={"b": [wrote(106.0)]}, process_start_ms={"b": 60.0}), "pass", "healthy in the end"),
    ("course", waiting(writers={"b": [wrote(129.0)]}, process_start_ms={"b": 900.0}), "fail", "b wrote 29.0 s after"),
    ("course", waiting(writers={"a": [wrote(101.0)], "b": [wrote(140.0)]}), "pass", "healthy in the end"),
    ("course", waiting(actions=()), "fail", "the time of the repair is unknown"),
    ("intact", fault(), "pass", "9 blocks and names match the operation logs"),
    ("intact", fault(streams=(stream(blocks_checked=3, damage=DAMAGE),)), "fail", "1 zero among 3 blocks"),
    ("intact", fault(not_compared="no answer"), "unknown", "it: no answer"),
]


def test_a_rebuild_is_reported_with_its_cost(tmp_path: Path) -> None:
    """Its time, and each stream before and during it; a rebuild that did not end in time has
    the length of the wait.
    """
    load = {"seconds": 5, "operations_per_s": 8.0, "mean_ms": 5.0, "p99_ms": 9.0, "max_ms": 9.0}
    slow = {**load, "operations_per_s": 2.0, "mean_ms": 700.0}
    rebuild = {"node": "n", "array": "/dev/md/x", "begun_unix_s": 121.0, "until_unix_s": 163.0, "ended": True}
    item = fault(rebuild={**rebuild, "loads": {"small": {"before": load, "rebuild": slow}}})
    found = rebuilds([item, replace(item, rebuild={**item.rebuild, "ended": False}), fault()])
    assert [row[:7] for row in found.rows] == [
        ("it", "42.0", "small", "8.00", "2.00", "5.00", "700"),
        ("it", "> 42.0", "small", "8.00", "2.00", "5.00", "700"),
    ]
    assert rebuilds([fault()]).rows == ()
    kept = result(tmp_path, item)
    assert "Rebuilds of the array" in render(kept, run_checkers(study_of(kept), kept))


@pytest.mark.parametrize(("claim", "item", "verdict", "evidence"), VERDICTS)
def test_acceptance_of_faults(tmp_path: Path, claim: str, item: FaultResult, verdict: str, evidence: str) -> None:
    """Pass, fail and unknown, each with its evidence."""
    kept = result(tmp_path, item)
    found = {judged.claim: judged for judged in run_checkers(study_of(kept), kept)}[claim]
    assert (found.verdict, evidence in found.evidence) == (verdict, True), found


def test_goals_of_a_criterion_replace_the_expectations_of_faults(tmp_path: Path) -> None:
    """A fault that is named and was not injected, or was skipped, leaves the claim open."""
    claims = [
        {"id": f"c{number}", "check": "outage", "goals": goals}
        for number, goals in enumerate([{"it": "30s"}, {"it": "50s"}, {"it": "50s", "gone": "1s"}, {"bmc": "9s"}])
    ]
    injected = (fault(), fault(name="bmc", skipped="none here"))
    data = broken({item.name: planned_as(item) for item in injected}, criteria=claims)
    kept = result(tmp_path, *injected)
    verdicts = [judged.verdict for judged in run_checkers(study(data), kept)]
    assert verdicts == ["fail", "pass", "unknown", "unknown"]


ROWS: list[tuple[str, list[FaultResult], str, str]] = [
    ("X1", [fault(40.0)], "agrees", "the service failed over, longest outage 40.0 s (published: 30 to 60 s)"),
    ("X1", [fault(12.0)], "better", "shorter"),
    ("X1", [fault(70.0)], "worse", "longer"),
    ("X1", [fault(0.0, **STAYED)], "different", "published: the service fails over"),
    ("X1", [fault(40.0), fault(70.0)], "worse", "it: the service failed over"),
    ("X1", [], "inconclusive", "no fault of this run repeats it"),
    ("X1", [fault(skipped="no BMC")], "inconclusive", "skipped: no BMC"),
    ("X1", [fault(streams=(stream(40.0, lost="the agent died"),))], "inconclusive", "the agent died"),
    ("X4", [fault(5.0, **STAYED)], "agrees", "the service stayed"),
    ("X4", [fault(5.0)], "different", "published: the service stays"),
    ("X5", [fault(0.0, **STAYED)], "agrees", "the service stayed"),
    ("X5", [fault(45.0)], "agrees", "the service failed over"),
    ("X6", [fault(1.5, **STAYED)], "agrees", "1.5 s"),
    ("X6", [fault(4.0, **STAYED)], "worse", "4.0 s"),
    ("X7", [fault(200.0)], "agrees", "180 to 480 s"),
]


@pytest.mark.parametrize(("identity", "faults", "verdict", "evidence"), ROWS)
def test_rows_of_the_published_table(identity: str, faults: list[FaultResult], verdict: str, evidence: str) -> None:
    """The failover of the service and the longest outage, compared with the printed values."""
    row = next(item for item in yaml.safe_load(PUBLISHED)["faults"] if item["id"] == identity)
    answer = judge_row(row, faults)
    assert (answer.verdict, evidence in answer.evidence) == (verdict, True), answer


def test_every_row_is_answered_and_an_unknown_one_is_a_mistake(tmp_path: Path) -> None:
    """In the order of the table; a study that repeats a row that is not printed is an error."""
    kept = result(tmp_path, fault())
    verdicts = {item.claim: item.verdict for item in judge_fault_rows(study_of(kept), kept)}
    assert verdicts == {
        "X1": "agrees",
        "X4": "inconclusive",
        "X5": "inconclusive",
        "X6": "inconclusive",
        "X7": "inconclusive",
    }
    with pytest.raises(InputError, match=r"faults\.it\.published: paper has no fault X9"):
        check_published(
            study(broken({"it": {"kind": "panic", "published": "X9"}}, published="paper")), yaml.safe_load(PUBLISHED)
        )
    assert recovery_s({"min": 3, "max": 8, "unit": "min"}) == Limits(180.0, 480.0)
    assert recovery_s({"min": 3, "max": 8, "unit": "days"}) is None


@pytest.mark.parametrize(
    ("item", "verdicts"),
    [
        (fault(), {"C1": "agrees", "C2": "agrees", "C3": "inconclusive"}),
        (fault(70.0), {"C1": "worse", "C2": "agrees", "C3": "inconclusive"}),
        (fault(compared={"small": {**COMPARED, "lost": 2}}), {"C1": "agrees", "C2": "worse", "C3": "inconclusive"}),
        (fault(skipped="x"), {"C1": "inconclusive", "C2": "inconclusive", "C3": "inconclusive"}),
    ],
)
def test_claims_about_failing_over(tmp_path: Path, item: FaultResult, verdicts: dict[str, str]) -> None:
    """A range of times, a property of the whole course; no other profile is judged from faults."""
    answers = {name: {"faults": ["it"]} for name in verdicts}
    kept = result(tmp_path, item, published_claims=answers)
    assert {found.claim: found.verdict for found in judge_published(study_of(kept), kept)} == verdicts


# ---- the report


MOMENTS = tuple(
    {"unix_s": unix_s, "node": "b", "what": what, "text": "as it says"}
    for unix_s, what in [(102.0, "detected"), (106.0, "fenced"), (109.0, "started"), (130.0, "grace-ended")]
)


def test_a_failover_is_split_into_its_parts() -> None:
    """Each from its own event; an unknown part is omitted, and the next part includes its time."""
    whole = fault(moments=MOMENTS)
    lengths = {name: end_s - start_s for name, start_s, end_s in failover_phases(whole)}
    assert lengths == {"detect": 2.0, "fence": 4.0, "start": 3.0, "grace": 21.0, "first completion": 10.0}
    fewer = [name for name, _, _ in failover_phases(replace(whole, moments=MOMENTS[1:2]))]
    assert fewer == ["fence", "first completion"]
    assert failover_phases(fault()) == []
    early = stream(0.2, first_completion_unix_s=100.2)
    assert failover_phases(replace(whole, streams=(*whole.streams, early))) == failover_phases(whole), (
        "no part of the outage"
    )


def going(*rates: int, **changes: Any) -> StreamResult:
    """A stream that completed `size_bytes` in each second, from 5 s before the injection at
    100 s.
    """
    seconds = tuple((96.0 + second, 1.0, rate, rate // 10) for second, rate in enumerate(rates))
    return stream(seconds=seconds, **changes)


@pytest.mark.parametrize(
    ("rates", "lowest", "back_s"),
    [
        ([100] * 25, 100, 0),  # never below
        ([100] * 5 + [0] * 8 + [95] * 12, 0, 8),
        ([100] * 5 + [0] * 8 + [80] * 12, 0, None),
        ([100] * 5 + [40] * 5 + [100] * 6 + [20] * 7 + [100] * 5, 20, 18),  # the deeper one of two
        ([100] * 5 + [0] * 6 + [100] * 6 + [30] * 7 + [100] * 5, 0, 19),  # a second fall, when a server comes back
        ([100] * 5 + [60] * 6 + [100] * 6 + [70] * 7 + [100] * 5, 60, 5),  # the lowest, where it never halved
        ([100] * 5 + [100] * 3, None, None),  # less than a window
    ],
)
def test_a_slowdown_is_reported_as_means_of_five_seconds(
    rates: list[int], lowest: float | None, back_s: float | None
) -> None:
    """Two clients together; reports after the end do not count."""
    ended = fault(ended_unix_s=95.0 + len(rates))
    found = slowdown(ended, [going(*rates, 900), going(*rates, client="c2")], 2)
    reported = found and (found.before, found.lowest, found.back_s)
    assert reported == (None if lowest is None else (200, 2 * lowest, back_s))


def test_unreported_seconds_are_no_work() -> None:
    """A client that is silent for a minute may report no second of it."""
    found = slowdown(fault(ended_unix_s=120.0), [going(*[100] * 5)], 2)
    assert found == Slowdown(100, 0, None, 20)
    assert slowdown(fault(ended_unix_s=120.0), [going(*[100] * 5, lost="its power was cut")], 2) is None


def test_jobs_that_go_on_are_reported_where_they_are_closed_loops(tmp_path: Path) -> None:
    """An open loop keeps its pace as long as it can; a consistency test is no open loop."""
    closed = {"phases": ["write"], "transfer_size": "4KiB", "file_size": "1MiB"}
    load = {
        "job": {"workload": closed},
        "paced": {"workload": {**closed, "arrivals_per_s": 1}},
        "locks": {"consistency_test": "locks", "arrivals_per_s": 1},
    }
    streams = tuple(going(*[100] * 5 + [0] * 8 + [95] * 12, stream=name) for name in load)
    kept = result(tmp_path, fault(streams=streams, ended_unix_s=120.0), background_load=load)
    html = render(kept, run_checkers(study_of(kept), kept))
    assert html.count("Slowdowns: effect of each fault") == 1
    found = slowdowns(kept.faults, study_of(kept).background_load)
    assert found.rows == (("it", "job", "< threshold", "0.000100 MB/s", "0.00 MB/s", "0", "8"),)


def test_the_outage_of_a_single_server_names_its_grace() -> None:
    """Boot, the start of nfsd, the grace period, and the client's time after it."""
    at = [(105.0, "booted"), (108.0, "grace"), (198.0, "grace-ended")]
    alone = tuple({"unix_s": unix_s, "node": "nas", "what": what, "text": ""} for unix_s, what in at)
    one = fault(moved=False, moments=alone, streams=(stream(99.0),))
    lengths = {name: round(end_s - start_s) for name, start_s, end_s in failover_phases(one)}
    assert lengths == {"boot": 5, "start": 3, "grace": 90, "first completion": 1}


def test_events_after_the_last_answer_are_no_part_of_the_outage() -> None:
    """A lost server boots several times after its power returns, long after the other servers
    serve without it.
    """
    at = [(128.0, "detected"), (171.0, "booted")]
    moments = tuple({"unix_s": unix_s, "node": "s1", "what": what, "text": ""} for unix_s, what in at)
    one = fault(moved=False, moments=moments, streams=(stream(30.0),))
    assert {name: round(end_s - start_s) for name, start_s, end_s in failover_phases(one)} == {
        "detect": 28,
        "first completion": 2,
    }


def test_seconds_are_spread_over_their_interval() -> None:
    """An interval across two seconds counts for both; nothing is lost."""
    items = [stream(seconds=((102.5, 1.0, 10, 4), (103.0, 0.5, 6, 2)))]
    assert per_second(items, 100.0, 2) == [0.0, 5.0, 11.0]


def test_the_report_has_the_table_the_bars_and_the_timeline(tmp_path: Path) -> None:
    """The paper's table next to ours, with the rows that no fault repeats; a skipped fault
    has no figure.
    """
    lost = stream(9.0, client="c2", lost_power=True, lost="its power was cut")
    kept = result(
        tmp_path,
        fault(moments=MOMENTS, streams=(stream(40.0), lost), notes=("a word",)),
        FaultResult(
            "bmc", "fence-device", "x", "a BMC fails", "X5", {"fails_over": False, "outage": None}, skipped="none here"
        ),
    )
    page = render(kept, judge_fault_rows(study_of(kept), kept))
    for text in (
        " Faults</h2>",
        "X1: server",
        "X7: all paths",
        "not repeated",
        "skipped: none here",
        "lost its own power",
    ):
        assert text in page
    assert "first completion 10.0 s" in page
    assert 'class="held"' in page
    (number,) = re.findall(r"(\d) Faults</h2>", page)
    assert page.count(f"<h3>{number}.") == 1
    assert "Damage of the record" not in page


def test_the_table_without_a_published_one_has_no_empty_columns() -> None:
    """And has the expectation of the study."""
    found = table([fault(published=None), fault(61.0, published=None)], [], [])
    assert [column.title for column in found.columns] == [
        "fault",
        "expected here",
        "outcome",
        "longest outage",
        "as expected here",
    ]
    assert [row[-1] for row in found.rows] == ["✓ pass", "✗ fail"]
    assert course(fault(injected_unix_s=None), Numbers()) is None


def test_the_longest_of_many_outages_are_reported_once() -> None:
    """The client's only task is the client."""
    starts_s = [100.0 + number for number in range(13)]
    spans = [{"start_unix_s": start_s, "end_unix_s": start_s + 0.2, "open": False} for start_s in starts_s]
    outages = tuple({**span, "task": task} for span in spans for task in (None, 0))
    found = course(fault(streams=(stream(outages=outages),)), Numbers())
    assert found is not None
    reported = found.data.rows[0][1]
    assert "task 0" not in reported
    assert reported.count("all tasks") == 10
    assert reported.endswith("; 3 shorter")


COPY = {
    "client": "c1",
    "checked_by": "c2",
    "parts": 3,
    "size_bytes": 786432,
    "longest_s": 0.1,
    "blocks": 192,
    "extents": {"valid": {"number": 1, "size_bytes": 786432}},
    "damage": [],
    "error": None,
    "unknown": None,
}


def test_errors_of_dd_count_like_those_of_a_stream() -> None:
    """Unless the fault may give clients that error."""
    refused = {"dd": {**COPY, "error": "0 3 dd: error writing '/mnt/copy-0': No space left on device"}}
    answer = judge_course(fault(copies=refused))
    assert (answer.verdict, "c1 dd: dd: 0 3" in answer.evidence) == ("fail", True)
    allowed = {"fails_over": True, "errors": ["ENOSPC"]}
    assert judge_course(fault(copies=refused, expect=allowed)).verdict == "pass"
    assert judge_course(fault(copies={"dd": COPY})).verdict == "pass"


@pytest.mark.parametrize(
    ("after", "verdict", "words"),
    [
        ({"data": "b", "scratch": "b"}, "pass", ""),
        ({"data": "b", "scratch": "a"}, "fail", "scratch failed over unexpectedly"),
        ({"data": "a", "scratch": "b"}, "fail", "data did not fail over"),
    ],
)
def test_of_two_services_those_move_that_should(after: dict[str, str], verdict: str, words: str) -> None:
    """And no other."""
    found = fault(
        expect={"fails_over": ["data"]}, roles_before={"data": "a", "scratch": "b"}, roles_after=after, moved=True
    )
    reported = judge_course(found)
    assert (reported.verdict, words in reported.evidence) == (verdict, True)


def test_a_control_that_was_not_completed_has_detected_nothing() -> None:
    """Other damage proves nothing."""
    damaged = {"small": {**COMPARED, "lost": 3}}
    control = fault(expect={"detected_by": ["integrity"]}, compared=damaged)
    assert judge_control(control).verdict == "pass"
    failed = fault(expect={"detected_by": ["integrity"]}, compared=damaged, failed="the power could not be cut")
    assert judge_control(failed).verdict == "unknown"
