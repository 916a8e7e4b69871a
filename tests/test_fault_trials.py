"""Faults: a whole one, from its preparation to its line in the result."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.basics.event_kinds import EventKind
from seatrial.check import prepare
from seatrial.faults import aftermath as fault_aftermath
from seatrial.faults import cluster_status
from seatrial.faults import streams as fault_streams
from seatrial.faults import trial as fault_run
from seatrial.faults.aftermath import AFTERMATH_S, aftermath_s
from seatrial.faults.base import Actions, Shell, load_fault
from seatrial.faults.trial import run_fault
from seatrial.judge.effects import judge_course
from seatrial.labs.base import lab_kind
from seatrial.load.clock_offsets import WallClocks, measure_clocks
from seatrial.load.installing import push
from seatrial.load.run_context import RunContext
from seatrial.result.faults import FaultResult
from seatrial.result.result import SCHEMA, Result, read_result
from seatrial.result.writer import Writer
from seatrial.service.session import Session
from seatrial.solutions.base import ClusterStatus, Moment, MovesServices, Solution
from seatrial.study.timers import Timer
from seatrial.transport import Completed, Local
from tests.builders.fake_lab import Lab
from tests.builders.fault_studies import STREAM, Pair, broken
from tests.builders.observers import Silent
from tests.builders.pairs import pair
from tests.builders.run_ids import new_run_id
from tests.builders.strategies import study


class Here(Local):
    """Every node is this machine; a node that is off does not answer."""


@dataclass
class Failing(Lab):
    """Power off moves the service; it is whole again once the server was restored."""

    folder: Path = Path()

    def power(self, node: str, state: str) -> None:
        super().power(node, state)
        if state == "off":
            (self.folder / "status").write_text(
                json.dumps({"active": {"storage": "c4"}, "healthy": False})
            )


def run_one(
    folder: Path,
    fault: dict[str, Any],
    lab: Lab,
    monkeypatch: pytest.MonkeyPatch,
    solution: Pair | None = None,
) -> tuple[Result, Pair]:
    """The result of one fault of a pair of servers with two clients."""
    monkeypatch.setattr(fault_run, "BASELINE_S", 0.2)
    monkeypatch.setattr(fault_aftermath, "AFTERMATH_S", 0.2)
    monkeypatch.setattr(
        fault_streams, "make_directory", lambda _t, _n, _b, path, _s: Path(path).mkdir(parents=True)
    )
    solution = solution or Pair(folder)
    (folder / "status").write_text(json.dumps({"active": {"storage": "nas"}, "healthy": True}))
    names = {
        "workload": {"phases": ["create"], "tree": {"items": 9000}, "arrivals_per_s": 30},
        "clients": "c2",
    }
    dd = {
        "copy": {"size": "256KiB", "part": "64KiB", "block": "16KiB", "pause": "50ms"},
        "clients": "c1",
    }
    small = {"workload": {**STREAM, "fsync": "transfer"}, "clients": "c1"}
    whole = study(broken({"it": fault}, {"small": small, "names": names, "dd": dd}))
    session = Session(whole, lab_kind(whole).site(whole), solution, lab, Here())
    writer = Writer(folder / "record")
    writer.line("run", schema=SCHEMA)
    taken = [1]

    def next_generation(count: int) -> int:
        taken.append(taken[-1] + count)
        return taken[-2]

    agent = push(Here(), ["c1"])
    observer = Silent()
    reported = WallClocks(observer.say, writer.line)
    grounds = RunContext(session, agent, new_run_id(), next_generation, writer, observer, reported)
    assert isinstance(solution, MovesServices)
    run_fault(grounds, whole.background_load, "it", whole.faults["it"])
    writer.close()
    return read_result(folder / "record"), solution


def test_the_system_is_not_healthy_while_a_client_cannot_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster's own state counts for a server; a client that stays without service is no
    good end.
    """
    restored = cluster_status.restore
    monkeypatch.setattr(
        cluster_status, "restore", lambda *given: restored(*given) | {"c2": "mount: refused"}
    )
    fault = {
        "kind": "power-cut",
        "duration": "1s",
        "recovery_timeout": "20s",
        "expect": {"fails_over": True},
    }
    it = run_one(tmp_path, fault, Failing(folder=tmp_path), monkeypatch)[0].faults[0]
    assert (it.healthy, it.recovered_unix_s, it.notes) == (True, None, ("mount: refused",))
    assert judge_course(it).verdict == "fail"


@dataclass
class SlowToBeWhole(Pair):
    """Its servers are whole some seconds after they have first been asked, as with a grace that has
    to end.
    """

    whole_after_s: float = 6.0
    timers: Mapping[str, Timer] = field(default_factory=lambda: {"grace": Timer(30.0, "nfsd")})
    first_s: float = 0.0

    def status(self, node: str, answer: str) -> ClusterStatus:
        self.first_s = self.first_s or time.monotonic()
        return replace(
            super().status(node, answer),
            healthy=time.monotonic() > self.first_s + self.whole_after_s,
        )


def test_the_wait_for_health_includes_the_grace_period(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The study allows 1 s for the way back, and the server's own rule 30 s more."""
    fault = {
        "kind": "freeze",
        "duration": "0.2s",
        "recovery_timeout": "1s",
        "expect": {"fails_over": "may"},
    }
    it = run_one(tmp_path, fault, Lab(), monkeypatch, SlowToBeWhole(tmp_path))[0].faults[0]
    assert (it.healthy, it.recovered_unix_s is not None) == (True, True)


@dataclass
class ByWallClock(Pair):
    """Its servers note the time of the wall clock alone."""

    def moments(self, node: str, answer: str) -> list[Moment]:
        return [
            Moment(float(answer) - 65.0, node, EventKind.DETECTED, "it is gone", by_wall_clock=True)
        ]


def test_a_moment_of_a_wall_clock_that_was_set_is_corrected(tmp_path: Path) -> None:
    """It was set ahead by a minute 3 s ago: 65 s ago by the present clock means 5 s ago."""
    whole = study(broken({}))
    session = Session(whole, lab_kind(whole).site(whole), ByWallClock(tmp_path), Lab(), Here())
    reported = WallClocks(lambda _: None, lambda _kind, **_: None)
    agent = push(Here(), ["nas"])
    clock = measure_clocks(Here(), ["nas"], agent)["nas"]
    at_s = unix_s()
    reported.add_step(
        "nas", {"boottime_ns": (at_s - 3.0 + clock.ahead_s) * 1e9, "set_by_ns": 60e9}, clock
    )
    found = {
        item["node"]: item["unix_s"]
        for item in cluster_status.moments(session, at_s - 100.0, agent, reported)
    }
    assert found["nas"] - found["c4"] == pytest.approx(60.0, abs=1.0)


def test_a_fault_is_completed_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roles, actions, moments and streams of a server that loses its power, and the later
    comparison of the trees.
    """
    lab = Failing(folder=tmp_path)
    fault = {
        "kind": "power-cut",
        "duration": "1s",
        "recovery_timeout": "20s",
        "published": "X1",
        "expect": {"fails_over": True, "outage": "9s"},
    }
    result, solution = run_one(tmp_path, fault, lab, monkeypatch)
    it = result.faults[0]
    assert (it.skipped, it.failed, it.not_compared, it.notes) == (None, None, None, ())
    assert (it.roles_before, it.roles_after, it.moved, it.healthy) == (
        {"storage": "nas"},
        {"storage": "c4"},
        True,
        True,
    )
    assert lab.reported == ["nas off", "nas on"]
    assert solution.restored == ["nas"]
    assert [(item["what"], item["part"]) for item in it.actions] == [
        ("power of nas: off", "inject"),
        ("power of nas: on", "repair"),
    ]
    assert it.actions[1]["started_unix_s"] - it.actions[0]["ended_unix_s"] >= 0.9
    assert {(item.client, item.stream) for item in it.streams} == {("c1", "small"), ("c2", "names")}
    assert all(
        item.operations and item.seconds and not item.lost and not item.lost_power
        for item in it.streams
    )
    # One of each server, none from long ago.
    assert [item["what"] for item in it.moments] == ["detected", "detected"]
    assert it.power == ()
    assert {
        name: (item["lost"], item["wrong"], item["names_wrong"])
        for name, item in it.compared.items()
    } == {
        "small": (0, 0, 0),
        "names": (0, 0, 0),
    }
    assert it.compared["small"]["must"] > 0
    assert it.compared["names"]["names_checked"] > 0
    copied = it.copies["dd"]
    assert (copied["client"], copied["checked_by"], copied["error"], copied["unknown"]) == (
        "c1",
        "c2",
        None,
        None,
    )
    assert copied["parts"] > 4, "one file was copied, and the next was begun"
    assert (
        copied["extents"]["valid"]["size_bytes"] == copied["size_bytes"] == copied["parts"] * 65536
    )
    assert list(copied["extents"]) == ["valid"]
    assert [line["fault"] for line in result.of("comparison")] == ["it", "it"]
    assert list((tmp_path / "storage" / "seatrial").iterdir()) == []
    assert len(list((tmp_path / "record" / "agent").iterdir())) == 2
    assert FaultResult.from_json(json.loads(json.dumps(asdict(it)))) == it


def test_shorter_outages_are_seen_during_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From 100 ms on, unless the study has another value."""
    monkeypatch.setattr(fault_streams, "make_directory", lambda *_: None)
    slower = {"workload": {**STREAM, "outage_threshold": "2s"}}
    whole = study(
        broken({"a": {"kind": "panic"}}, {"small": {"workload": STREAM}, "slower": slower})
    )
    session = Session(whole, lab_kind(whole).site(whole), Pair(tmp_path), Lab(), Here())
    streams = fault_streams.Streams(session, "agent", new_run_id(), lambda _: 1, frozenset())
    streams.make_directories("a", whole.background_load, 1.0)
    assert {item.name: item.workload.outage_threshold for item in streams.prepared} == {
        "small": 0.1,
        "slower": 2.0,
    }


class Small(Here):
    """Every storage has 100 MiB free."""

    def run(self, node: str, command: str, **options: Any) -> Completed:
        if command.startswith("df "):
            return Completed(node, 0, f"Avail\n{100 * 2**20}\n", "")
        return super().run(node, command, **options)


SOME = {"workload": {**STREAM, "file_size": "4MiB"}, "clients": "c1"}


@pytest.mark.parametrize(
    ("load", "longest_s", "needed"),
    [
        ({"small": {"workload": STREAM}, "few": SOME}, 1.0, 2 * 64 + 4),
        ({"few": SOME, "dd": {"copy": {"part": "1MiB", "pause": "1s"}}}, 97.0, 4 + 97),
    ],
)
def test_streams_without_room_make_nothing(
    tmp_path: Path, load: dict[str, Any], longest_s: float, needed: int
) -> None:
    """All streams of a mount need room together; a copy's grows with the time of its fault."""
    whole = study(broken({"a": {"kind": "panic"}}, load))
    solution = Pair(tmp_path)
    session = Session(whole, lab_kind(whole).site(whole), solution, Lab(), Small())
    streams = fault_streams.Streams(session, "agent", new_run_id(), lambda _: 1, frozenset())
    words = rf"^a \({', '.join(load)}\) writes {needed} MiB to .*, which has 100 MiB free"
    with pytest.raises(RunError, match=words):
        streams.make_directories("a", whole.background_load, longest_s)
    assert not Path(solution.directory).exists()
    assert streams.prepared == []


def test_an_unannounced_disk_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should a fault come to another disk at the moment of its injection than was named before the
    run.
    """
    known = load_fault

    def unsaid(*given: Any) -> Any:
        loaded = known(*given)
        monkeypatch.setattr(
            loaded.kind,
            "actions",
            lambda *_: Actions((Shell("nas", f"touch {tmp_path}/lost", overwrites=("/dev/x",)),)),
        )
        return loaded

    monkeypatch.setattr(fault_run, "load_fault", unsaid)
    result, _ = run_one(
        tmp_path, {"kind": "freeze", "duration": "1s", "recovery_timeout": "9s"}, Lab(), monkeypatch
    )
    assert (
        result.faults[0].failed
        == "it would overwrite nas:/dev/x now, which was not known before the run"
    )
    assert not (tmp_path / "lost").exists()


def test_a_client_that_is_cut_off_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is marked; the others decide, and its unfinished log is no news."""
    result, _ = run_one(
        tmp_path,
        {"kind": "client-crash", "clients": "c2", "duration": "0.2s", "recovery_timeout": "9s"},
        Lab(),
        monkeypatch,
    )
    it = result.faults[0]
    assert [(item.client, item.stream) for item in it.judged] == [("c1", "small")]
    assert [item.lost for item in it.streams if item.lost_power] == ["its power was cut"]
    assert it.compared["names"]["unfinished"] == []
    assert it.moved is False
    assert it.recovered_unix_s is not None


def test_a_fault_that_cannot_be_injected_is_repaired_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is in the result, with the work of the streams meanwhile."""
    lab = Lab(fails={"nas frozen"})
    result, _ = run_one(
        tmp_path, {"kind": "freeze", "duration": "1s", "recovery_timeout": "9s"}, lab, monkeypatch
    )
    it = result.faults[0]
    assert it.failed == "power of nas: frozen: nas frozen"
    assert lab.reported == ["nas frozen", "nas thawed"]
    assert len(it.streams) == 2


def test_a_fault_that_is_not_possible_here_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No stream was started for it."""
    result, _ = run_one(tmp_path, {"kind": "local-disk"}, Lab(), monkeypatch)
    assert "no second disk here" in (result.faults[0].skipped or "")
    assert result.faults[0].streams == ()


@pytest.mark.parametrize(
    ("settings", "token_s", "lease_s"),
    [("fast", 4.4, 10.0), ("safe", 6.6, 20.0), ("paper", 22.0, 90.0)],
)
def test_streams_continue_until_a_lost_member_would_be_missed(
    settings: str, token_s: float, lease_s: float
) -> None:
    """Corosync's token and consensus; after a takeover also until a lost lease has expired."""
    solution = cast(Solution, pair(settings=settings))
    assert aftermath_s(solution, taken_over=False) == pytest.approx(token_s)
    assert aftermath_s(solution, taken_over=True) == pytest.approx(token_s + lease_s)
    assert aftermath_s(prepare(study())[1], taken_over=True) == AFTERMATH_S
