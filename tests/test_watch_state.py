"""The state of a run from the lines of its two files: what `seatrial watch` shows."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.histogram import Histogram
from seatrial.result import live
from seatrial.result.live import AgentState
from seatrial.watch.snapshot import ClientState, Count, FaultState, RunStatus, Snapshot
from seatrial.watch.state import RunState
from seatrial.watch.tail import Tail
from seatrial.watch.text import as_text, folded, head
from seatrial.watch.window import WINDOW_SECONDS, ClientWindow
from tests.builders.places import DATA
from tests.builders.watching import (
    BEGAN_S,
    agent,
    fault_line,
    histogram,
    line,
    run_line,
    saturation_search,
    second_line,
    snapshot_of,
    state_of,
    thousand,
)


def replayed(name: str) -> Snapshot:
    """The snapshot of a stored result, line by line."""
    lines = (DATA / name / "result.jsonl").read_text().splitlines()
    return snapshot_of(*lines, is_written=False)


def test_a_stored_result_has_its_last_phase_and_its_progress() -> None:
    """With the figures of the whole phase."""
    found = replayed("md1200-quick")
    assert (found.status, found.phases) == (RunStatus.COMPLETED, Count(8, 8))
    assert found.load is not None
    assert found.load.title == "fig7 clients=1 repeat 2 read"
    assert not found.load.is_running
    (client,) = found.clients
    assert (client.client, client.state, client.operations) == ("c1", ClientState.DONE, 1536)
    assert client.latency_p99_ms == pytest.approx(10.7, abs=0.1)
    assert found.unreadable_lines == 0


def test_a_stored_result_has_its_faults() -> None:
    """With their outages, and the workload streams of the last one."""
    found = replayed("nss-ha-quick")
    assert (found.phases, found.faults_done) == (Count(3, 3), Count(4, 4))
    assert {fault.state for fault in found.faults} == {FaultState.RECOVERED}
    assert found.faults[-1].outage_s == pytest.approx(42.1, abs=0.1)
    assert len(found.clients) == 21


def test_a_load_in_progress_has_rates_and_a_share() -> None:
    """The rate is that of the reported intervals, not of the time of the lines."""
    agents = [agent(size_bytes=3_000_000, interval_ms=1500.0), agent()]
    found = snapshot_of(
        run_line(),
        saturation_search(["c1", "c2"], total_bytes=100),
        second_line(agents, BEGAN_S + 2, size_bytes_total=25),
    )
    assert found.status is RunStatus.RUNNING
    assert found.load is not None
    assert (found.load.is_running, found.load.share) == (True, 0.25)
    assert [item.rate_bytes_per_s for item in found.clients] == [1e6, 2e6]
    assert found.load.rate_bytes_per_s == 3e6
    assert found.elapsed_s == 10.0


@pytest.mark.parametrize(
    ("load", "second", "share"),
    [
        ({"total_operations": 10, "total_bytes": 5}, {"operations_total": 5}, 0.5),
        ({"time_limit_s": 18.0}, {}, 0.5),
        ({"time_limit_s": 3.0}, {}, 1.0),
        ({}, {"size_bytes_total": 7}, None),
    ],
)
def test_the_share_follows_the_end_of_a_load(
    load: dict[str, Any],
    second: dict[str, Any],
    share: float | None,
) -> None:
    """Operations of metadata phases, the time of time-based ones, else bytes; never above 1."""
    lines = (saturation_search(["c1"], **load), second_line([agent()], BEGAN_S + 2, **second))
    found = snapshot_of(run_line(), *lines)
    assert found.load is not None
    assert found.load.share == share


def test_latencies_are_those_of_the_last_seconds() -> None:
    """Merged from the histograms; a second that is older than the window does not count."""
    old = second_line([agent()], BEGAN_S + 2, histograms={0: (histogram({2000: 1000}),)})
    new = [
        second_line([agent()], BEGAN_S + 3 + n, histograms={0: (histogram({1000: 99, 1500: 1}),)})
        for n in range(WINDOW_SECONDS)
    ]
    (client,) = snapshot_of(run_line(), saturation_search(["c1"]), old, *new).clients
    assert client.latency_p50_ms == pytest.approx(0.001)
    assert client.latency_p99_ms == pytest.approx(0.001)
    (both,) = snapshot_of(run_line(), saturation_search(["c1"]), old, *new[1:]).clients
    assert both.latency_p99_ms == pytest.approx(0.002)


def test_the_silent_and_the_slowest_come_first() -> None:
    """Then those that wait, and those that have ended."""
    agents = [
        agent(),
        agent(state=AgentState.DONE),
        agent(silent_s=4.0),
        agent(state=AgentState.WAITING),
        agent(size_bytes=500),
        agent(silent_s=9.0),
        agent(state=AgentState.LOST),
    ]
    names = ["fast", "done", "silent", "waiting", "slow", "silent-longer", "lost"]
    found = snapshot_of(
        run_line(),
        saturation_search(names),
        second_line(agents, BEGAN_S + 2, lost={6: "its power was cut"}),
    )
    order = [item.client for item in found.clients]
    assert order == ["silent-longer", "silent", "lost", "slow", "fast", "waiting", "done"]
    assert found.silent == ("silent", "silent-longer")
    assert "lost: its power was cut" in as_text(found)
    assert "silent for 9 s" in as_text(found)


def test_a_fault_is_shown_while_it_lasts() -> None:
    """Its outage so far is the longest silence since the injection."""
    lines = [
        run_line(),
        fault_line(BEGAN_S + 1),
        saturation_search(["c1"], BEGAN_S + 2, fault="panic"),
    ]
    lines.append(second_line([agent(silent_s=2.0)], BEGAN_S + 3))
    (begun,) = snapshot_of(*lines).faults
    assert (begun.state, begun.outage_s) == (FaultState.BEGUN, None)
    lines.append(fault_line(BEGAN_S + 4, injected_unix_s=BEGAN_S + 4))
    lines.append(second_line([agent(silent_s=7.0)], BEGAN_S + 11))
    lines.append(second_line([agent()], BEGAN_S + 12))
    (injected,) = snapshot_of(*lines).faults
    assert (injected.state, injected.outage_s) == (FaultState.INJECTED, 7.0)
    repaired = {"injected_unix_s": BEGAN_S + 4, "repaired_unix_s": BEGAN_S + 14}
    lines.append(fault_line(BEGAN_S + 14, **repaired))
    (again,) = snapshot_of(*lines).faults
    assert (again.state, again.outage_s) == (FaultState.REPAIRED, 7.0)
    assert "longest outage so far 7.0 s" in as_text(snapshot_of(*lines))


def test_an_older_line_of_the_live_file_changes_nothing() -> None:
    """The order between the two files is free: a new live file repeats lines."""
    lines = (DATA / "nss-ha-quick" / "result.jsonl").read_text().splitlines()
    whole = snapshot_of(*lines, is_written=False)
    late = [
        fault_line(BEGAN_S),
        saturation_search(["c9"], BEGAN_S),
        second_line([agent()], BEGAN_S + 1),
    ]
    found = snapshot_of(*lines, *late, is_written=False)
    assert (found.faults, found.clients) == (whole.faults, whole.clients)


def test_the_live_view_of_a_load_ends_with_it() -> None:
    """Its last figures stay until its line in the result comes."""
    lines = [run_line(), saturation_search(["c1"]), second_line([agent()], BEGAN_S + 2)]
    found = snapshot_of(*lines, line(live.LOAD_ENDED, BEGAN_S + 3))
    assert found.load is not None
    assert (found.load.is_running, found.load.rate_bytes_per_s) == (False, 1e6)
    assert len(found.clients) == 1


@pytest.mark.parametrize(
    ("end", "is_written", "status"),
    [
        ([], True, RunStatus.RUNNING),
        ([], False, RunStatus.KILLED),
        ([{"complete": True}], True, RunStatus.RUNNING),
        ([{"complete": True}], False, RunStatus.COMPLETED),
        ([{"complete": False, "reason": "no node"}], False, RunStatus.NOT_COMPLETED),
        ([{"complete": False, "interrupted": True}], False, RunStatus.INTERRUPTED),
    ],
)
def test_the_status_of_a_run(
    end: list[dict[str, Any]],
    is_written: bool,
    status: RunStatus,
) -> None:
    """Its end decides, and whether a process still writes: the lab is taken down after the end."""
    ends = [line("end", BEGAN_S + 5, **fields) for fields in end]
    assert snapshot_of(run_line(), *ends, is_written=is_written).status is status


def test_a_resumed_run_has_not_ended() -> None:
    """An end before it belongs to the part before."""
    ended = line("end", BEGAN_S + 1, complete=True)
    resumed = line("resumed", BEGAN_S + 2)
    found = snapshot_of(run_line(), ended, resumed, is_written=False)
    assert found.status is RunStatus.KILLED


def test_the_time_left_passes() -> None:
    """From the line on; never below 0, and unknown without one."""
    lines = (run_line(), line(live.EXPECTED, BEGAN_S + 4, remaining_s=60.0))
    assert snapshot_of(*lines, now_s=BEGAN_S + 14).remaining_s == 50.0
    assert snapshot_of(*lines, now_s=BEGAN_S + 400).remaining_s == 0.0
    assert snapshot_of(run_line()).remaining_s is None


def test_a_thousand_clients_cost_the_new_lines_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each byte is read once, each figure is taken once, and each histogram is decoded at most
    once; of each client the last seconds are kept.
    """
    counts = {"bytes": 0, "figures": 0, "decoded": 0}
    pread = os.pread
    add = ClientWindow.add
    decode = Histogram.decode

    def counted_pread(file: int, length: int, position: int) -> bytes:
        data = pread(file, length, position)
        counts["bytes"] += len(data)
        return data

    def counted_add(window: ClientWindow, *given: Any) -> None:
        counts["figures"] += 1
        add(window, *given)

    def counted_decode(text: str) -> Histogram:
        counts["decoded"] += 1
        return decode(text)

    monkeypatch.setattr("seatrial.watch.tail.os.pread", counted_pread)
    monkeypatch.setattr(ClientWindow, "add", counted_add)
    monkeypatch.setattr(Histogram, "decode", counted_decode)
    path = tmp_path / live.LIVE
    state = RunState()
    tail = Tail(path)
    seconds = 8
    for text in thousand(seconds):
        with path.open("a") as file:
            file.write(f"{text}\n")
        for found in tail.lines():
            state.feed(found)
        state.snapshot(BEGAN_S + 20, result="run", is_written=True)
    assert counts == {
        "bytes": path.stat().st_size,
        "figures": 1000 * seconds,
        "decoded": 1000 * seconds,
    }
    load = state._load
    assert load is not None
    assert {len(window.entries) for window in load.windows} == {WINDOW_SECONDS}


def test_a_thousand_clients_fit_the_height() -> None:
    """The silent one is shown, then the slowest; the remaining ones share one line."""
    found = snapshot_of(*thousand(2))
    clients = folded(found.clients, 10)
    assert [item.client for item in clients.shown[:3]] == ["node0500", "node0001", "node0002"]
    assert len(clients.shown) == 9
    assert clients.rest == "node[0009-0499,0501-1000]: 505 kB/s each, 991 running"
    assert len(as_text(found, 10).splitlines()) == len(head(found)) + 11


LINES = (
    run_line(),
    saturation_search(["c1", "c2"], total_bytes=100),
    *(second_line([agent(), agent(silent_s=1.0)], BEGAN_S + 2 + n) for n in range(3)),
    line(live.MESSAGE, BEGAN_S + 5, text="fünf"),
    line("end", BEGAN_S + 9, complete=True),
)


@given(
    cuts=st.lists(st.integers(0, len("".join(LINES).encode()) + len(LINES)), max_size=12),
    chunk_bytes=st.integers(1, 200),
)
def test_torn_lines_give_the_same_state(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], chunk_bytes: int
) -> None:
    """A file that grows by any pieces gives what the whole file gives; no line is torn or lost."""
    path = tmp_path_factory.mktemp("torn") / "lines"
    data = "".join(f"{text}\n" for text in LINES).encode()
    state = RunState()
    tail = Tail(path, chunk_bytes=chunk_bytes)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(data)], strict=True):
        with path.open("ab") as file:
            file.write(data[start:end])
        for text in tail.lines():
            state.feed(text)
    tail.close()
    found = state.snapshot(BEGAN_S + 10, result="run", is_written=False)
    assert found == snapshot_of(*LINES, is_written=False)
    assert found.message == "fünf"


@given(where=st.integers(0, len(LINES) - 1), length=st.integers(1, 60))
def test_a_line_that_a_crash_cut_off_is_counted(where: int, length: int) -> None:
    """It changes nothing else; the lines after it are read."""
    torn = LINES[where][: min(length, len(LINES[where]) - 1)]
    found = snapshot_of(*LINES[:where], torn, *LINES[where:], is_written=False)
    whole = snapshot_of(*LINES, is_written=False)
    assert found.unreadable_lines == 1
    assert (found.clients, found.load, found.message) == (whole.clients, whole.load, whole.message)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


TYPES = ("run", "phase", "fault", "end", "manifest", "variant-skipped", "saturation-search", *(
    getattr(live, name) for name in ("LOAD", "SECOND", "FAULT", "MESSAGE", "EXPECTED")
))  # fmt: skip


KEYS = ("agents", "lost", "histograms", "size_bytes_total", "operations_total", "study", "clients",
        "point", "experiment", "repeat", "name", "text", "remaining_s", "title", "total_bytes",
        "time_limit_s", "injected_unix_s", "repaired_unix_s")  # fmt: skip


@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_a_line_with_any_content_stops_nothing(kind: str, fields: dict[str, Any]) -> None:
    """As of another version, or of an edited result."""
    state = state_of(*LINES)
    state.feed(line(kind, BEGAN_S + 20, **fields))
    found = state.snapshot(BEGAN_S + 30, result="run", is_written=True)
    assert as_text(found)
    assert found.to_json()


@given(st.text())
def test_any_text_is_a_line_that_cannot_be_read(text: str) -> None:
    """Or one of a type that is not known."""
    snapshot_of(text)


def test_a_replaced_file_is_read_to_its_end_first(tmp_path: Path) -> None:
    """And a removed one ends the lines."""
    path = tmp_path / "lines"
    path.write_text("a\n")
    tail = Tail(path)
    assert list(tail.lines()) == ["a"]
    with path.open("a") as file:
        file.write("b\n")
    new = tmp_path / "new"
    new.write_text("c\nd")
    new.replace(path)
    assert list(tail.lines()) == ["b", "c"]
    path.unlink()
    assert list(tail.lines()) == []
    tail.close()


def test_a_line_without_an_end_is_left_out(tmp_path: Path) -> None:
    """Above the limit of the memory; the next line is read."""
    path = tmp_path / "lines"
    tail = Tail(path, chunk_bytes=10, line_bytes_max=50)
    path.write_text("a\n" + 200 * "x")
    assert list(tail.lines()) == ["a"]
    with path.open("a") as file:
        file.write(200 * "x" + "\nb\n")
    assert (list(tail.lines()), tail.too_long) == (["b"], 1)
    tail.close()


def test_a_link_or_a_pipe_is_not_read(tmp_path: Path) -> None:
    """A received result leads nowhere, and stops nothing."""
    (tmp_path / "secret").write_text("secret\n")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")
    assert list(Tail(tmp_path / "link").lines()) == list(Tail(tmp_path / "pipe").lines()) == []
