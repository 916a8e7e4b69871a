"""Faults on real kernels: a link, a hang and a power cut of the only server, under load from two
clients.
"""

from typing import Any

import pytest

from seatrial.judge.judge import judge
from seatrial.result.baselines import Baseline
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result, read_result
from tests.builders.labs import command, lab_study
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

DURATION_S = 4.0
ARRIVALS_PER_S = 10
SMALL = {
    "phases": ["write"],
    "pattern": "random",
    "transfer_size": "4KiB",
    "file_size": "16MiB",
    "fsync": "transfer",
}
NAMES = {"phases": ["create"], "tree": {"items": 4000}}
FAULTS: dict[str, Any] = {
    "link": {"kind": "public-link", "published": "X3"},
    "freeze": {"kind": "freeze", "expect": {"outage": "20s"}},
    "power": {"kind": "power-cut", "recovery_timeout": "180s", "expect": {"outage": "150s"}},
    "nowhere": {"kind": "freeze", "node": "passive"},
}
CRITERIA = [
    {"id": "intact", "check": "integrity"},
    {"id": "answered", "check": "outage", "goals": {"link": "30s", "freeze": "20s"}},
    {"id": "impossible", "check": "outage", "goals": {"link": "2s"}},
]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The result of a server with one disk and several faults in sequence."""
    folder = tmp_path_factory.mktemp("faults")
    data = lab_study("faults", clients=2)
    data["nodes"]["nas"]["disks"] = {"count": 1, "size": "128MiB"}
    data["solution"] = {"kind": "nfs"}
    del data["experiments"]
    data["background_load"] = {
        "small": {"workload": {**SMALL, "arrivals_per_s": ARRIVALS_PER_S}},
        "names": {"workload": {**NAMES, "arrivals_per_s": ARRIVALS_PER_S}, "clients": "c1"},
    }
    data["faults"] = {
        name: {"duration": f"{DURATION_S:g}s", **fault} for name, fault in FAULTS.items()
    }
    data["criteria"] = CRITERIA
    data["baselines"] = ["disks", "links", "mtu"]
    (folder / "study.yaml").write_text(text_of(data))
    done = command("run", str(folder), "--out", str(folder / "results"))
    # The claim that cannot hold; undecided on a machine that is short of processors.
    assert done.returncode in (1, 3), done.stderr
    return read_result(next((folder / "results").iterdir()))


def fault(result: Result, name: str) -> FaultResult:
    """A completed and settled fault, with every stream of every client."""
    found = next(item for item in result.faults if item.name == name)
    assert (found.skipped, found.failed, found.not_compared) == (None, None, None)
    assert {(item.client, item.stream) for item in found.streams} == {
        ("c1", "small"),
        ("c2", "small"),
        ("c1", "names"),
    }
    assert found.recovered_unix_s is not None
    assert [(item.lost, item.errors, item.over_unix_s) for item in found.streams] == [
        (None, (), None)
    ] * 3
    return found


def test_baselines_come_first(result: Result) -> None:
    """The disk, both directions of every link, and every pair of nodes; no figure is above
    the lab's limits.
    """
    (line,) = result.of("baselines")
    found = [Baseline(**item) for item in line["found"]]
    assert [item.error for item in found if item.value is None] == []
    names = {
        kind: [item.name for item in found if item.kind == kind]
        for kind in ("disks", "links", "mtu")
    }
    assert names["disks"] == ["nas /dev/ubdb"]
    assert names["links"] == ["c1 to nas", "nas to c1", "c2 to nas", "nas to c2"]
    assert names["mtu"] == ["nas and c1", "nas and c2", "c1 and c2"]
    assert all(item.value == 1.0 for item in found if item.kind == "mtu")
    rated = [item for item in found if item.kind != "mtu" and item.expected]
    assert rated
    assert all(
        item.value is not None and 0 < item.value < 1.2 * (item.expected or 0) for item in rated
    )


def test_the_cost_of_processes_is_measured_on_the_server(result: Result) -> None:
    """Before each fault; and how many were started in every second that the server could say it."""
    found = fault(result, "link")
    assert found.process_start_ms["nas"] > 0
    assert found.handshake_ms["nas"] > 0
    assert found.processes_started["nas"]


@pytest.mark.parametrize(
    ("name", "longest_s"), [("link", 30.0), ("freeze", 20.0), ("power", 150.0)]
)
def test_every_client_is_silent_at_least_as_long_as_the_fault_lasts(
    result: Result, name: str, longest_s: float
) -> None:
    """From the operation that was due next; the outage holds the fault, and ends."""
    found = fault(result, name)
    assert found.injected_unix_s is not None
    assert found.repaired_unix_s is not None
    for item in found.streams:
        assert item.longest is not None
        # An open loop waits from its next arrival on, and the first answer may come while the cable
        # goes in.
        assert DURATION_S - 2 / ARRIVALS_PER_S < item.longest_s < longest_s
        assert abs(item.longest.start_unix_s - found.injected_unix_s) < 1.0
        assert item.first_completion_unix_s is not None
        assert item.first_completion_unix_s > found.repaired_unix_s - 0.1


@pytest.mark.parametrize("name", ["link", "freeze", "power"])
def test_acknowledged_data_are_present_after_each_fault(result: Result, name: str) -> None:
    """Every byte that was written and synced, on all clients, and every name."""
    compared = fault(result, name).compared
    assert [
        (item["lost"], item["wrong"], item["names_wrong"], item["unfinished"])
        for item in compared.values()
    ] == [(0, 0, 0, [])] * 2
    assert compared["small"]["must"] > 50
    assert compared["names"]["names_checked"] > 50


def test_only_a_node_that_lost_its_power_was_restarted(result: Result) -> None:
    """The kernels report it; each action has its time on the common clock."""
    assert [fault(result, name).restarted for name in ("link", "freeze", "power")] == [
        (),
        (),
        ("nas",),
    ]
    done = fault(result, "power").actions
    assert [(item["what"], item["part"], item["error"]) for item in done] == [
        ("power of nas: off", "inject", None),
        ("power of nas: on", "repair", None),
    ]
    assert done[1]["started_unix_s"] - done[0]["ended_unix_s"] >= DURATION_S - 0.1


def test_a_fault_that_cannot_be_injected_is_skipped_with_a_reason(result: Result) -> None:
    """A single server has no peer; nothing was done, and the run is complete."""
    skipped = next(item for item in result.faults if item.name == "nowhere")
    assert skipped.skipped == "there is no other server"
    assert skipped.streams == ()
    assert result.complete


def test_the_outages_are_judged(result: Result) -> None:
    """Intact and in time. A goal below the length of the fault is never met."""
    verdicts = {item.claim: item.verdict for item in judge(result)}
    assert verdicts.pop("impossible") in ("fail", "unknown")
    assert verdicts == {"intact": "pass", "answered": "pass"}
