"""Limits that are sums: the syntax in a study, and the value of each part."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from seatrial.basics.errors import InputError
from seatrial.basics.units import parse_duration
from seatrial.basics.yamlfile import parse_yaml
from seatrial.cases import vary
from seatrial.check import prepare
from seatrial.faults.base import fault_case
from seatrial.judge.outages import judge_outage, limit_words
from seatrial.study.study import load_study
from seatrial.study.timers import HANDSHAKES, PROCESSES, Limit, Timer, retransmission, sum_words
from tests.builders.fault_results import fault
from tests.builders.places import STUDIES
from tests.builders.strategies import changed, study

TIMERS = {"detection": Timer(4.4, "corosync"), "grace": Timer(10.0, "nfsd")}


def limit_of(**keys: Any) -> Limit:
    """A limit as a study writes it."""
    return Limit.model_validate(keys)


def test_a_limit_is_the_sum_of_its_parts() -> None:
    """Each with its source; work has the cost of a process or a handshake there."""
    limit = limit_of(
        timers={"detection": 1, "grace": 2}, process_starts=400, handshakes=5, extra="1.5s"
    )
    parts = limit.parts(TIMERS, {PROCESSES: 15.0, HANDSHAKES: 120.0})
    assert [round(seconds, 3) for _, seconds in parts] == [1.5, 4.4, 20.0, 6.0, 0.6]
    assert limit.unknown(TIMERS) == []
    assert sum_words(parts).startswith(
        "1.5 s as stated + 4.4 s detection (corosync) + 20.0 s 2 × grace (nfsd)"
    )
    assert "400 process starts of 15.0 ms + 0.6 s 5 handshakes of 120.0 ms" in sum_words(parts)
    assert limit.text == "1.5 s + detection + 2 × grace + 400 process starts + 5 handshakes"


def test_unmeasured_work_counts_as_none() -> None:
    """And is named: a limit never grows by an unknown cost."""
    parts = limit_of(extra="1s", process_starts=100, handshakes=2).parts({}, {HANDSHAKES: 100.0})
    assert parts[1:] == [
        ("100 process starts of unknown cost", 0.0),
        ("2 handshakes of 100.0 ms", 0.2),
    ]


def test_a_fixed_time_may_have_its_source() -> None:
    """The verdict has it instead of `as stated`; a time alone is short for it."""
    limit = limit_of(extra="3s", reason="a goal of ours", timers={"grace": 1})
    assert limit.parts(TIMERS, {})[0] == ("a goal of ours", 3.0)
    assert Limit.model_validate("1s") == limit_of(extra="1s")
    assert sum_words(Limit.model_validate("1s").parts(TIMERS, {})) == "1.0 s as stated"


WRONG = [
    ({}, "a limit without any part"),
    ({"process_starts": 0, "timers": {}}, "a limit without any part"),
    ({"reason": "why", "timers": {"grace": 1}}, "reason gives the source of `extra`"),
    ({"timers": {"grace": 0}}, "greater than or equal to 1"),
    ({"timers": {"grace": 1}, "extra": 5}, "has no unit"),
    ({"processes": 5}, "unknown key 'processes'"),
    ("", "is not a valid time"),
    ("10", "has no unit"),
    ("-1s", "is not a valid time"),
    (10, "has no unit"),
    (True, "is not a valid time"),
    (["grace"], "is not a valid time"),
]


@pytest.mark.parametrize(("value", "words"), WRONG, ids=[str(value) for value, _ in WRONG])
def test_a_wrong_limit_is_refused(value: Any, words: str) -> None:
    """In words with the correction."""
    with pytest.raises(ValidationError, match=words):
        Limit.model_validate(value)


SUMS = [
    ("grace", "{timers: {grace: 1}}"),
    ("2 ping-timeout + 200 processes", "{timers: {ping-timeout: 2}, process_starts: 200}"),
    (
        "detection + 2 grace + 1.5s + 400 processes + 5 handshakes",
        "{timers: {detection: 1, grace: 2}, process_starts: 400, handshakes: 5, extra: 1.5s}",
    ),
    ("3s (why) + grace", '{timers: {grace: 1}, extra: 3s, reason: "why"}'),
    ("3s (why)", '{extra: 3s, reason: "why"}'),
    ("1min + 5s", "{extra: 65s}"),
]


@pytest.mark.parametrize(("text", "mapping"), SUMS, ids=[text for text, _ in SUMS])
def test_a_sum_in_words_is_an_error_that_shows_the_mapping(text: str, mapping: str) -> None:
    """Which is read, and has the parts of the sum."""
    with pytest.raises(ValidationError) as caught:
        Limit.model_validate(text)
    assert f"a sum is a mapping now; write {mapping}" in str(caught.value)
    written = Limit.model_validate(
        parse_yaml(f"outage: {mapping}", Path("study.yaml")).data["outage"]
    )
    assert len(written.terms) == len(text.split(" + ")) - (text == "1min + 5s")


TIMES = st.integers(0, 10**6).map(lambda milliseconds: f"{milliseconds}ms")


@given(
    st.dictionaries(st.sampled_from(["detection", "grace"]), st.integers(1, 9)),
    st.integers(0, 5000),
    st.integers(0, 9),
    TIMES,
)
def test_a_limit_is_the_sum_of_its_names(
    timers: dict[str, int], process_starts: int, handshakes: int, extra: str
) -> None:
    """With any names in any order."""
    keys = {
        "timers": timers,
        "process_starts": process_starts,
        "handshakes": handshakes,
        "extra": extra,
    }
    work_ms = {PROCESSES: 3.0, HANDSHAKES: 200.0}
    in_order = limit_of(**keys)
    reversed_order = limit_of(**dict(reversed(keys.items())))
    total_s = sum(seconds for _, seconds in in_order.parts(TIMERS, work_ms))
    timers_s = sum(count * TIMERS[name].duration_s for name, count in timers.items())
    expected_s = parse_duration(extra) + timers_s + process_starts * 0.003 + handshakes * 0.2
    assert total_s == pytest.approx(expected_s)
    assert reversed_order == in_order


def test_an_unknown_timer_is_a_mistake_of_the_study() -> None:
    """Named with its place, and with those that there are."""
    data = changed(
        "faults",
        {
            "cut": {
                "kind": "power-cut",
                "node": "nas",
                "expect": {"outage": {"timers": {"grase": 1}}},
            }
        },
    )
    data["background_load"] = {"small": {"consistency_test": "locks", "arrivals_per_s": 1}}
    with pytest.raises(
        InputError, match=r"faults.cut.expect.outage: 'grase' is not a timer of nfs; .*grace"
    ):
        prepare(study(data))


def times_in(value: Any) -> Iterator[float]:
    """Every time in a fault, and in its parts."""
    if isinstance(value, Mapping):
        yield from (found for item in value.values() for found in times_in(item))
    elif isinstance(value, list | tuple):
        yield from (found for item in value for found in times_in(item))
    elif isinstance(value, str):
        with contextlib.suppress(ValueError):
            yield parse_duration(value)


@pytest.mark.parametrize(
    "path", sorted(STUDIES.glob("*/study.yaml")), ids=lambda path: path.parent.name
)
def test_every_limit_of_the_shipped_studies_has_its_sources(path: Path) -> None:
    """And no number from one machine: a time is the fault's own, or has a source."""
    shipped = load_study(path)
    _site, solution = prepare(shipped)
    for name, item in shipped.faults.items():
        limit = item.expect.outage
        if limit is None:
            continue
        assert not limit.unknown(getattr(solution, "timers", {}))
        assert any(term.name for term in limit.terms), f"{name}: {limit.text}"
        own = {
            fault_case(vary(shipped, item.overrides), name, item).planned.duration_s,
            *times_in(item.options()),
        }
        bare = [
            term
            for term in limit.terms
            if not term.name and not term.reason and term.stated_s not in own
        ]
        assert not bare, f"{name}: {limit.text}"


def test_a_client_asks_again_when_its_mount_says() -> None:
    """The last word counts; without one it is the kernel's."""
    assert (
        retransmission(("hard", "timeo=50")).duration_s,
        retransmission(("hard",)).duration_s,
    ) == (5.0, 60.0)


def test_the_verdict_has_the_sum() -> None:
    """The limit and its reason; a plain limit has no sum."""
    parts = [("detection (corosync)", 4.4), ("400 process starts of 15.0 ms", 6.0)]
    reported = fault(expect={"moves": True, "outage": 10.4, "outage_parts": parts})
    assert (
        limit_words(reported, 10.4)
        == "10.4 s: 4.4 s detection (corosync) + 6.0 s 400 process starts of 15.0 ms"
    )
    assert judge_outage(reported, 10.4).evidence.endswith("400 process starts of 15.0 ms)")
    assert limit_words(reported, 5.0) == "5 s"
