"""Clocks of nodes compared with the controller's: drifts, boots, and a wall clock that is set."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seatrial.basics import clock
from seatrial.load import clock_offsets
from seatrial.load.clock_offsets import (
    ClockOffset,
    ClockSet,
    WallClocks,
    by_the_clock_then,
    drift_s,
    error_s,
)
from seatrial.report import environment
from seatrial.report.tables import Numbers
from seatrial.result.result import Result

FIRST = ClockOffset(-1000.0, 0.002, "one", 50.0)


def test_times_survive_a_round_trip() -> None:
    """A node's time since its boot becomes a time of the controller."""
    assert FIRST.unix_s(12.0) == pytest.approx(1012.0)
    assert clock.unix_s(clock.boottime_s()) == pytest.approx(clock.unix_s(), abs=1.0)


@pytest.mark.parametrize(
    ("last", "drifted_s"),
    [
        (ClockOffset(-999.9, 0.001, "one", 150.0), 0.1),
        (ClockOffset(-80.0, 0.001, "two", 150.0), 0.01),  # 100 s, at most 100 parts per million
    ],
    ids=["measured", "booted"],
)
def test_a_drift_is_measured_or_bounded(last: ClockOffset, drifted_s: float) -> None:
    """Times of two boots are not comparable."""
    assert drift_s(FIRST, last) == pytest.approx(drifted_s)
    assert error_s({"a": FIRST, "b": FIRST}, {"a": last, "c": last}) == pytest.approx(
        0.002 + drifted_s
    )
    assert error_s({"a": FIRST}, {}) == 0.002


class ClockReports:
    """The messages to the user, and the lines of the result."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.lines: list[dict[str, Any]] = []
        self.clocks = WallClocks(
            self.messages.append, lambda kind, **fields: self.lines.append({"type": kind, **fields})
        )

    def receive(self, node: str, at_s: float, set_by_s: float) -> None:
        """A line of an agent, at a time of ours."""
        line = {"boottime_ns": (at_s + FIRST.ahead_s) * 1e9, "set_by_ns": set_by_s * 1e9}
        self.clocks.add_step(node, line, FIRST)


def test_a_wall_clock_that_is_set_is_reported_once() -> None:
    """Several agents of a node see it; another node, another time or another step is new."""
    reported = ClockReports()
    for node, at_s, set_by_s in [("c1", 2000, 3600), ("c1", 2000.4, 3600.001), ("c2", 2000, 3600),
    ("c1", 2001, -3600),
                                 ("c1", 2010, 3600)]:  # fmt: skip
        reported.receive(node, at_s, set_by_s)
    assert [(line["node"], line["set_by_s"]) for line in reported.lines] == [
        ("c1", 3600), ("c2", 3600), ("c1", -3600), ("c1", 3600)
    ]  # fmt: skip
    assert (
        reported.messages[0]
        == "c1's wall clock was set ahead by 3600.000 s; no time in the result depends on it"
    )


STEPS = st.lists(st.tuples(st.floats(1.0, 50.0), st.floats(0.02, 7200.0)), max_size=4)


@given(STEPS, st.floats(0.0, 200.0))
def test_times_of_a_wall_clock_are_corrected_by_its_later_steps(
    steps: list[tuple[float, float]], back_s: float
) -> None:
    """After any number of steps ahead; after a step back it shows the same time twice, see
    below.
    """
    now_s = at_s = 10_000.0
    true_s = now_s - back_s
    sets = []
    for before_s, set_by_s in steps:
        at_s -= before_s
        sets.append(ClockSet("s1", at_s, set_by_s))
    assume(all(abs(item.unix_s - true_s) > 1e-3 for item in sets))
    # As the clock shows it.
    said_s = true_s - sum(item.set_by_s for item in sets if item.unix_s > true_s)
    assert by_the_clock_then(said_s, now_s, sets[::-1]) == pytest.approx(true_s, abs=1e-6)


@pytest.mark.parametrize(
    ("said_s", "set_by_s", "found_s"),
    [
        (9_990.0, 3600.0, 9_990.0),  # after it
        (6_370.0, 3600.0, 9_970.0),  # 10 s before it, when the clock was an hour lower
        (13_570.0, -3600.0, 9_970.0),  # before it: by the clock of now it would be in the future
        (9_990.0, -3600.0, 9_990.0),
    ],
)
def test_a_time_before_a_wall_clock_was_set(said_s: float, set_by_s: float, found_s: float) -> None:
    """It was set at 9980, and it is 10000."""
    assert by_the_clock_then(
        said_s, 10_000.0, [ClockSet("s1", 9_980.0, set_by_s)]
    ) == pytest.approx(found_s)


def test_our_own_wall_clock_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only when it was set there is something to tell, and it is in the report."""
    reported = ClockReports()
    reported.clocks.check_own()
    assert reported.lines == []
    monkeypatch.setattr(clock_offsets, "wall_ahead_s", lambda: -7.0)
    reported.clocks.check_own()
    reported.clocks.check_own()
    assert [line["set_by_s"] for line in reported.lines] == [pytest.approx(-7.0, abs=0.01)]
    result = Result(folder=None, lines=tuple(reported.lines))  # type: ignore[arg-type]
    (table,) = Numbers().tables(*environment.tables(result))
    assert table.rows == (
        ("a wall clock was set", "this machine’s, back by 7.00 s; no time here depends on it"),
    )
