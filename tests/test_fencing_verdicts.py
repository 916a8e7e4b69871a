"""Verdicts on two writers, on takeovers, and on negative controls."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.faults.figures import compared
from seatrial.judge.answer import passed
from seatrial.judge.checks import consistency, fencing, integrity
from seatrial.judge.checks.faults import Options as Course
from seatrial.judge.checks.faults import check as course
from seatrial.judge.controls import judge_control
from tests.builders.fault_results import COMPARED, fault, result, stream
from tests.builders.fault_studies import broken
from tests.builders.moments import FENCED, WATCHED, moment, power, wrote
from tests.builders.strategies import study

STOPPED = {
    **FENCED,
    "power": (),
    "moments": (moment(104.0, "a", "stopped"), moment(105.0, "b", "starting")),
}
LIED = {**FENCED, "power": ()}
OF_BOTH: dict[str, Any] = {
    "roles_before": {"s": "a", "t": "b"},
    "roles_after": {"s": "b", "t": "b"},
}
VERDICTS: list[tuple[dict[str, Any], str, str]] = [
    (FENCED, "pass", "a was fenced and powered off"),
    (STOPPED, "pass", "a had stopped"),
    (
        {**WATCHED, "writers": {"a": [wrote(95.0, 165.0)]}, "moved": False},
        "pass",
        "one writer at a time",
    ),
    (
        {**FENCED, "power": (power(102.0, "a", "ended by itself", "a"),)},
        "pass",
        "fenced and powered off",
    ),
    (LIED, "fail", "b started s-service without a confirmed stop or fencing of a"),
    ({**LIED, "power": (power(102.0, "b", "off"),)}, "fail", "without a confirmed"),
    ({**LIED, "power": (power(110.0, "a", "off"),)}, "fail", "without a confirmed"),
    ({**FENCED, "moments": (moment(105.0, "b", "starting"),)}, "fail", "without a confirmed"),
    (
        {**FENCED, "moments": (moment(105.0, "b", "starting"), moment(106.0, "b", "fenced", "a"))},
        "fail",
        "without",
    ),
    (
        {**FENCED, "moments": (moment(104.0, "b", "fenced", "b"), FENCED["moments"][1])},
        "fail",
        "without a confirmed",
    ),
    (
        {
            **STOPPED,
            "moments": (moment(104.0, "a", "stopped", good=False), moment(105.0, "b", "starting")),
        },
        "fail",
        "out",
    ),
    (
        {
            **STOPPED,
            "moments": (moment(104.0, "a", "stopped", "s-x"), moment(105.0, "b", "starting")),
        },
        "fail",
        "without",
    ),
    (
        {**FENCED, "writers": {"a": [wrote(95.0, 101.0), wrote(108.0, 109.0)]}},
        "fail",
        "a wrote to s 4.0 s after b",
    ),
    ({**FENCED, "writers": {"a": [wrote(95.0, 103.0)]}}, "fail", "a wrote for 1.0 s without power"),
    (
        {**STOPPED, "writers": {"a": [wrote(95.0, 104.0)], "b": [wrote(101.0, 165.0)]}},
        "fail",
        "both wrote to s for 3.0",
    ),
    (
        {**STOPPED, "writers": {"a": [wrote(95.0, 104.0)], "b": [wrote(103.6, 165.0)]}},
        "pass",
        "one writer",
    ),
    (
        {
            **STOPPED,
            **OF_BOTH,
            "writers": {"a": [wrote(95.0, 104.0)], "b": [wrote(95.0, 104.0, "t")]},
        },
        "pass",
        "one writer",
    ),
    (
        {**STOPPED, "writers": {"a": [wrote(95.0, 104.0)], "b": [wrote(95.0, 104.0, "t")]}},
        "unknown",
        "t was written",
    ),
    ({**LIED, "storage_fenced": True}, "pass", "fenced by the array (0 writes refused)"),
    (
        {**LIED, "storage_fenced": True, "refused": {"a": [{"requests": 7}]}},
        "pass",
        "7 writes refused",
    ),
    (
        {**LIED, "storage_fenced": True, "writers": {"a": [wrote(95.0, 105.0)]}},
        "fail",
        "without a confirmed",
    ),
    ({**FENCED, "writers_watched": None}, "unknown", "was not polled for its writers"),
    ({**FENCED, "writers_watched": (95.0, 120.0)}, "unknown", "in the last 45.0 s"),
    ({**FENCED, "writers_error_s": 6.0}, "unknown", "was not polled for 6.0 s"),
    (
        {**FENCED, "writers_error_s": 6.0, "process_start_ms": {"b": 70.0}},
        "unknown",
        "was not polled for 6.0 s",
    ),
    (
        {**FENCED, "writers": {"session 7": [wrote(99.0, 100.0)]}},
        "unknown",
        "the writer in session 7 is unknown",
    ),
    ({**FENCED, "moments": ()}, "unknown", "no server recorded the time"),
    ({**FENCED, "failed": "no ssh"}, "unknown", "no ssh"),
    ({"skipped": "no BMC"}, "skipped", "no BMC"),
]


@pytest.mark.parametrize(
    ("changes", "verdict", "words"), VERDICTS, ids=[str(n) for n in range(len(VERDICTS))]
)
def test_every_planted_violation_is_found(
    changes: dict[str, Any], verdict: str, words: str
) -> None:
    """And healthy or unknown cases are named so."""
    found = fencing.judge(fault(**changes))
    assert (found.verdict, words in found.evidence) == (verdict, True), found


def test_a_service_that_comes_back_has_to_be_stopped_again() -> None:
    """Each takeover by its own confirmation; the first stop does not count for the way back."""
    there = (moment(104.0, "a", "stopped"), moment(105.0, "b", "starting"))
    back = (moment(120.0, "b", "stopped"), moment(121.0, "a", "starting"))
    writers = {"a": [wrote(95.0, 104.0), wrote(122.0, 165.0)], "b": [wrote(106.0, 119.0)]}
    assert (
        fencing.judge(fault(**{**STOPPED, "writers": writers, "moments": (*there, *back)})).verdict
        == "pass"
    )
    assert (
        fencing.judge(
            fault(**{**STOPPED, "writers": writers, "moments": (*there, back[1])})
        ).verdict
        == "fail"
    )


@given(
    cut_s=st.floats(100.5, 140.0),
    length_s=st.floats(0.7, 20.0),
    hidden_s=st.floats(0.0, 30.0),
    server=st.sampled_from("ab"),
)
def test_a_second_writer_is_found_at_any_time(
    cut_s: float, length_s: float, hidden_s: float, server: str
) -> None:
    """While the other server writes, before or after the takeover."""
    plain = {
        **STOPPED,
        "writers": {"a": [wrote(95.0, cut_s)], "b": [wrote(cut_s + 0.5, 165.0)]},
        "moments": (moment(cut_s + 0.1, "a", "stopped"), moment(cut_s + 0.2, "b", "starting")),
    }
    assert fencing.judge(fault(**plain)).verdict == "pass"
    start_s = (
        cut_s + 0.5 + hidden_s % 3 if server == "a" else max(95.0, cut_s - length_s - hidden_s % 3)
    )
    writers = {name: list(items) for name, items in plain["writers"].items()}
    writers[server].append(wrote(start_s, start_s + length_s))
    assert fencing.judge(fault(**{**plain, "writers": writers})).verdict == "fail"


CONTROL = {"fails_over": False, "outage": 1.0, "detected_by": ("fencing",)}


def test_a_detected_control_passes_and_fails_no_other_criterion(tmp_path: Any) -> None:
    """Its outage, its course and its lost blocks are its purpose."""
    lost = {"small": {**COMPARED, "lost": 3}}
    bad = fault(
        90.0,
        **{**LIED, "name": "lie", "expect": CONTROL, "recovered_unix_s": None, "compared": lost},
    )
    kept = result(tmp_path, fault(**FENCED), bad)
    assert fencing.check(kept, fencing.Options()).verdict == "pass"
    assert "lie: negative control, detected" in fencing.check(kept, fencing.Options()).evidence
    assert course(kept, Course()).verdict == "pass"
    assert integrity.check(kept, integrity.Options()).verdict == "pass"


def test_an_undetected_control_fails(tmp_path: Any) -> None:
    """Whatever else passed; an unknown one leaves it open."""
    calm = fault(**{**FENCED, "name": "lie", "expect": CONTROL})
    kept = result(tmp_path, fault(**FENCED), calm)
    assert fencing.check(kept, fencing.Options()).verdict == "fail"
    assert course(kept, Course()).verdict == "fail"
    assert judge_control(replace(calm, writers_watched=None)).verdict == "unknown"


def test_consistency_has_controls_too(tmp_path: Any) -> None:
    """The observations must fit no storage; without a violation nothing is detected, without
    observations it is unknown.
    """
    seen: Any = {
        "checked": {"generations": 9, "reads": 9},
        "kept_locks": {},
        "unknowns": [],
        "unknowns_count": 0,
    }
    seen |= {"lost_locks": [], "lost_locks_count": 0, "consistency_test": "close-to-open"}
    stale: Any = {**seen, "violations": ["c2 read 3, and 4 was closed"], "violations_count": 1}
    expect = {**CONTROL, "detected_by": ("consistency",)}
    lazy = fault(**{**FENCED, "name": "lazy", "expect": expect, "consistency": {"opens": stale}})
    calm = replace(lazy, consistency={"opens": {**seen, "violations": [], "violations_count": 0}})
    verdicts = {
        "pass": (lazy, "detected: opens: 1 violations: c2 read 3, and 4 was closed"),
        "fail": (calm, "not detected: opens: 9 generations, 9 reads"),
        "unknown": (replace(lazy, consistency={}), "no consistency test ran"),
    }
    for verdict, (item, words) in verdicts.items():
        assert judge_control(item).verdict == verdict
        answer = consistency.check(result(tmp_path / verdict, item), consistency.Options())
        assert answer.verdict == verdict
        assert words in answer.evidence


def test_integrity_has_controls_too(tmp_path: Any) -> None:
    """Damage must be found by the streams or by the comparison."""
    expect = {**CONTROL, "detected_by": ("integrity",)}
    lost = fault(
        **{
            **FENCED,
            "name": "async",
            "expect": expect,
            "compared": {"small": {**COMPARED, "lost": 3}},
        }
    )
    damage = ({"class": "zero", "file": "f", "offset": 0, "length": 4096},)
    assert judge_control(lost).verdict == "pass"
    assert (
        judge_control(replace(lost, compared={}, streams=(stream(damage=damage),))).verdict
        == "pass"
    )
    assert judge_control(replace(lost, compared={})).verdict == "unknown"
    assert judge_control(replace(lost, compared={"small": COMPARED})).verdict == "fail"
    assert (
        integrity.check(result(tmp_path / "with", fault(), lost), integrity.Options()).verdict
        == "pass"
    )
    assert integrity.check(result(tmp_path / "alone", lost), integrity.Options()).verdict == "pass"
    missed = replace(lost, compared={"small": COMPARED})
    assert (
        integrity.check(result(tmp_path / "missed", missed), integrity.Options()).verdict == "fail"
    )


def test_a_control_names_lost_data(tmp_path: Path) -> None:
    """Its place or its name, for some of many; an older result has them in the line of the
    comparison alone.
    """
    extents = [
        {
            "class": "zero",
            "file": f"f{number}",
            "offset": 8192,
            "length": 12288,
            "rule": "must",
            "detail": "x",
        }
        for number in range(9)
    ]
    names = [{"class": "missing", "file": "d/g", "rule": "must", "detail": "x"}]
    reported = {
        **COMPARED,
        "lost": 64,
        "extents": extents,
        "extents_omitted": 0,
        "names": names,
        "names_omitted": 0,
    }
    kept: Any = compared(reported)
    assert (len(kept["extents"]), len(kept["names"]), kept["names_wrong"]) == (5, 1, 1)
    expect = {**CONTROL, "detected_by": ("integrity",)}
    lost = fault(
        **{
            **FENCED,
            "name": "async",
            "expect": expect,
            "compared": {"names": COMPARED, "small": kept},
        }
    )
    words = "detected: 65 blocks or names lost or wrong, by the operation logs, among them "
    places = "; ".join(f"zero in f{number} at 8192+12288 (small)" for number in range(5))
    assert judge_control(lost) == passed(f"integrity, negative control, {words}{places}")
    few = replace(lost, compared={"small": {**kept, "extents": extents[:1]}})
    assert judge_control(few).evidence.endswith(
        "among them zero in f0 at 8192+12288 (small); missing: d/g (small)"
    )

    older = replace(lost, compared={"small": {**COMPARED, "lost": 64, "names_wrong": 1}})
    assert judge_control(older).evidence.endswith("by the operation logs")
    whole = result(tmp_path, older)
    more = {"fault": "async", "extents": extents[2:4], "names": names}
    lines = (line | more if line["type"] == "comparison" else line for line in whole.lines)
    found = integrity.check(replace(whole, lines=tuple(lines)), integrity.Options())
    assert found.verdict == "pass"
    assert found.evidence.endswith(
        f"{words}zero in f2 at 8192+12288 (small); zero in f3 at 8192+12288 (small); missing: d/g"
        " (small)"
    )


def test_nothing_comes_after_two_writers() -> None:
    """The storage may be destroyed; profiles that leave the control out have no such end."""
    lie = {"kind": "panic", "expect": {"detected_by": "fencing"}}
    prepare(study(broken({"a": {"kind": "panic"}, "lie": lie})))
    prepare(
        study(
            broken(
                {"lie": {**lie, "expect": {"detected_by": ["integrity"]}}, "a": {"kind": "panic"}}
            )
        )
    )
    with pytest.raises(InputError, match="a cannot come after it"):
        prepare(study(broken({"lie": lie, "a": {"kind": "panic"}})))
    with pytest.raises(InputError, match="faults.lie.expect.detected_by"):
        prepare(study(broken({"lie": {**lie, "expect": {"detected_by": "luck"}}})))
