"""The cost of a process, and its share of an outage."""

import pytest

from seatrial.basics.errors import RunError
from seatrial.load.processes import COMMAND, COUNT, handshakes_ms, here_ms, start_ms, started
from seatrial.load.telemetry import Watched
from seatrial.result.faults import HERE
from seatrial.result.outages import Outage
from seatrial.study.timers import HANDSHAKES, PROCESSES
from seatrial.summary.processes import share_of_outage, words
from seatrial.transport import Local
from tests.builders.fault_results import fault, stream

SILENCE = Outage(None, 101.0, 141.0, open=False)


def test_the_cost_is_that_of_one_process() -> None:
    """The command is a real one: it counts in hundredths of a second."""
    assert start_ms("10.00 10.50\n") == pytest.approx(500 / COUNT)
    with pytest.raises(ValueError, match="not enough values"):
        start_ms("10.00")
    with pytest.raises(ValueError, match="could not convert"):
        start_ms("sh: failed")
    done = Local().run("here", COMMAND)
    assert start_ms(done.stdout) >= 0
    assert here_ms() is not None


def test_processes_are_counted_by_second() -> None:
    """A line without the count, from an older agent, is left out."""
    watched = Watched()
    for unix_s, count in ((99.0, 9), (101.0, 5), (102.0, None), (103.0, 7), (200.0, 1)):
        watched.add("a", {"unix_s": unix_s, "processes_started": count})
    watched.add("b", {"unix_s": 101.0})
    assert started(watched, 100.0, 150.0) == {"a": [(101.0, 5), (103.0, 7)], "b": []}


def test_the_share_is_that_of_the_busiest_server_in_the_longest_outage() -> None:
    """Seconds outside the outage do not count, and one that begins before it counts by its part."""
    lines = [(100.0, 50), (101.5, 100), (102.5, 100), (140.0, 100), (160.0, 1000)]
    broken = fault(
        streams=(stream(40.0, outages=(SILENCE,)),),
        process_start_ms={"a": 20.0, "b": 25.0, HERE: 1.0},
        handshake_ms={"a": 90.0, "b": 120.4},
        processes_started={"a": [(120.0, 3)], "b": lines},
    )
    share = share_of_outage(broken)
    assert share is not None
    assert (share["server"], share["started"], share["start_ms"]) == ("b", 250, 25.0)
    assert share["share"] == pytest.approx(250 * 0.025 / 40.0)
    printed = words(share)
    assert "of 40.0 s, b started 250 processes and threads; at 25 ms" in printed
    assert printed.endswith(
        "about 16 % of it (outside the lab a process takes 1.0 ms here); a new ssh connection took"
        " 120 ms."
    )
    assert words({**share, "here_ms": None, "handshake_ms": None}).endswith("of it.")


def test_work_has_the_cost_of_the_slowest_server() -> None:
    """The machine of the lab does not count, and unmeasured servers are absent."""
    reported = fault(
        process_start_ms={"a": 20.0, "b": 25.0, HERE: 99.0}, handshake_ms={"a": 90.0, "b": 80.0}
    )
    assert reported.work_ms == {PROCESSES: 25.0, HANDSHAKES: 90.0}
    assert fault(process_start_ms={HERE: 1.0}, handshake_ms={}).work_ms == {}


def test_a_handshake_is_timed_where_one_can_be_made() -> None:
    """A node that refuses it is left out, and so is every node of a transport that connects to
    none.
    """

    class Refusing(Local):
        def connect_anew(self, node: str, timeout_s: float) -> None:
            if node == "b":
                raise RunError(f"{node}: no new connection within {timeout_s:.0f} s")

    found = handshakes_ms(Refusing(), ("a", "b"))
    assert set(found) == {"a"}
    assert found["a"] >= 0
    assert handshakes_ms(Local(), ("a",)) == {}


def test_no_share_without_a_outage_or_a_count() -> None:
    """Nothing is made up."""
    assert share_of_outage(fault()) is None
    calm = fault(
        streams=(stream(0.0, outages=()),),
        process_start_ms={"a": 20.0},
        processes_started={"a": [(101.0, 5)]},
    )
    assert share_of_outage(calm) is None
    unknown = fault(process_start_ms={}, processes_started={"a": [(101.0, 5)]})
    assert share_of_outage(unknown) is None
