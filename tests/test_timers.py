"""Limits that are sums: what a study may write, and what each part counts."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.basics.units import parse_duration
from seatrial.check import prepare
from seatrial.faults.base import planned_fault
from seatrial.judge.checks.outage import judge_outage, limit_words
from seatrial.study.study import load_study
from seatrial.study.timers import HANDSHAKES, PROCESSES, Limit, Timer, retransmission, sum_words
from tests.strategies import changed, study
from tests.test_checkers import STUDIES
from tests.test_fault_checkers import fault

TIMERS = {"detection": Timer(4.4, "corosync"), "grace": Timer(10.0, "nfsd")}


def test_a_limit_is_the_sum_of_its_parts() -> None:
    """Each told with its source; work at what a process, or a handshake, costs there."""
    limit = Limit.parse("detection + 2 grace + 1.5s + 400 processes + 5 handshakes")
    parts = limit.parts(TIMERS, {PROCESSES: 15.0, HANDSHAKES: 120.0})
    assert [round(seconds, 3) for _, seconds in parts] == [4.4, 20.0, 1.5, 6.0, 0.6]
    assert limit.unknown(TIMERS) == []
    assert sum_words(parts).startswith("4.4 s detection (corosync) + 20.0 s 2 × grace (nfsd) + 1.5 s as stated")
    assert "400 process starts of 15.0 ms + 0.6 s 5 handshakes of 120.0 ms" in sum_words(parts)


def test_work_that_nobody_measured_counts_as_none() -> None:
    """And is told: a limit never grows by what is not known."""
    parts = Limit.parse("1s + 100 processes + 2 handshakes").parts({}, {HANDSHAKES: 100.0})
    assert parts[1:] == [("100 process starts, whose cost is not known", 0.0), ("2 handshakes of 100.0 ms", 0.2)]


def test_a_stated_time_may_say_where_it_is_from() -> None:
    """The verdict has it instead of `as stated`."""
    assert Limit.parse("3s (a goal of ours) + grace").parts(TIMERS, {})[0] == ("a goal of ours", 3.0)
    assert sum_words(Limit.parse("1s").parts(TIMERS, {})) == "1.0 s as stated"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "grace +",
        "-1s",
        "10",
        "1 2 grace",
        "Grace",
        "processes",
        "handshakes",
        "4s grace",
        "4s ()",
        "4s (a + b)",
    ],
)
def test_what_is_no_sum_is_refused(text: str) -> None:
    """In words that say what would be right."""
    with pytest.raises(ValueError, match=r"write it like|say how many|has no unit|is no time"):
        Limit.parse(text)


@given(
    st.lists(
        st.sampled_from(["detection", "3 grace", "250ms", "2min", "7 processes", "3 handshakes"]),
        min_size=1,
        max_size=6,
    )
)
def test_what_is_written_is_read_again(terms: list[str]) -> None:
    """Terms are independent of their order, and their text is kept."""
    there, back = Limit.parse(" + ".join(terms)), Limit.parse("+".join(reversed(terms)))
    work_ms = {PROCESSES: 3.0, HANDSHAKES: 200.0}
    sums = [sum(seconds for _, seconds in limit.parts(TIMERS, work_ms)) for limit in (there, back)]
    assert sums[0] == pytest.approx(sums[1])
    assert Limit.parse(there.text) == there


def test_an_unknown_timer_is_a_mistake_of_the_study() -> None:
    """Named with its place, and with those that there are."""
    data = changed("faults", {"cut": {"kind": "power-cut", "node": "nas", "expect": {"outage": "grase + 1s"}}})
    data["fault_load"] = {"small": {"consistency_test": "locks", "arrivals_per_s": 1}}
    with pytest.raises(InputError, match=r"faults.cut.expect.outage: 'grase' is no timer of nfs; .*grace"):
        prepare(study(data))


def times_in(value: Any) -> Iterator[float]:
    """All times that a fault says of itself, and of the faults that it consists of."""
    if isinstance(value, Mapping):
        yield from (found for item in value.values() for found in times_in(item))
    elif isinstance(value, list | tuple):
        yield from (found for item in value for found in times_in(item))
    elif isinstance(value, str):
        with contextlib.suppress(ValueError):
            yield parse_duration(value)


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*/study.yaml")), ids=lambda path: path.parent.name)
def test_every_limit_of_the_shipped_studies_has_its_sources(path: Path) -> None:
    """And no number that some machine met: a time is the fault's own, or says where it is from."""
    shipped = load_study(path)
    _site, solution = prepare(shipped)
    for name, item in shipped.faults.items():
        limit = item.expect.outage
        if limit is None:
            continue
        assert not limit.unknown(getattr(solution, "timers", {}))
        assert any(term.name for term in limit.terms), f"{name}: {limit.text}"
        own = {planned_fault(shipped, name, item).duration_s, *times_in(item.options())}
        bare = [term for term in limit.terms if not term.name and not term.reason and term.stated_s not in own]
        assert not bare, f"{name}: {limit.text}"


def test_a_client_asks_again_when_its_mount_says() -> None:
    """The last word counts; without one it is the kernel's."""
    assert (retransmission(("hard", "timeo=50")).duration_s, retransmission(("hard",)).duration_s) == (5.0, 60.0)


def test_the_verdict_tells_the_sum() -> None:
    """What was allowed, and why; a bare limit stands alone."""
    parts = [("detection (corosync)", 4.4), ("400 process starts of 15.0 ms", 6.0)]
    told = fault(expect={"moves": True, "outage": 10.4, "outage_parts": parts})
    assert limit_words(told, 10.4) == "10.4 s: 4.4 s detection (corosync) + 6.0 s 400 process starts of 15.0 ms"
    assert judge_outage(told, 10.4).evidence.endswith("400 process starts of 15.0 ms)")
    assert limit_words(told, 5.0) == "5 s"
