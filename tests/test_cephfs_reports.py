"""The reports of a Ceph cluster: its health, its events and its timers."""

import json
import runpy
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.faults.base import Roles, Scene, Switchover, fault_kind
from seatrial.faults.kinds import osd_disk_failure
from seatrial.labs.kinds import emulated
from seatrial.solutions.base import MovesServices, load_solution
from seatrial.solutions.parts import ceph_daemons, ceph_status
from tests.builders.ceph import built, small


def test_an_osd_that_comes_back_is_made_whole_object_by_object() -> None:
    """Two others push one object each at once over its link in a lab, ten each where Ceph's own
    number holds.
    """
    found = built()
    rate = found.site.nodes["s1"].link_rates_bytes_per_s["data"]
    assert rate is not None
    assert "osd_recovery_max_active = 1\n" in found.cluster.conf()
    assert found.timers["recovery"].duration_s == pytest.approx(2 * 2**20 / rate)
    more = built(recovery_max_active=5)
    assert more.timers["recovery"].duration_s == pytest.approx(10 * 2**20 / rate)
    host = replace(found.cluster, recovery_max_active=None, memory_bytes=None)
    assert "recovery" not in host.conf()
    assert host.recovery_timer([rate, 2 * rate]).duration_s == pytest.approx(20 * 2**20 / rate)
    assert host.recovery_timer([rate, None]).duration_s == 0.0


def status(**changes: Any) -> str:
    """The output of `ceph status` for a healthy cluster of three, changed by path."""
    data: dict[str, Any] = {
        "health": {"status": "HEALTH_OK", "checks": {}},
        "quorum_names": ["s1", "s2", "s3"],
        "osdmap": {"num_up_osds": 3, "num_in_osds": 3},
        "pgmap": {"num_pgs": 40, "pgs_by_state": [{"state_name": "active+clean", "count": 40}]},
        "fsmap": {
            "up:standby": 0,
            "by_rank": [
                {"name": "s2", "status": "up:active"},
                {"name": "s3", "status": "up:standby-replay"},
            ],
        },
    }
    for path, value in changes.items():
        *parents, last = path.split("__")
        target = data
        for key in parents:
            target = target[key]
        target[last] = value
    return json.dumps(data)


def test_a_whole_cluster_is_whole() -> None:
    """And the metadata server's node is known."""
    found = built().status("s1", status())
    assert found.healthy
    assert dict(found.active) == {"metadata": "s2"}
    assert found.text == "HEALTH_OK: no warning"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"osdmap__num_up_osds": 2}, "2 of 3 OSDs are up"),
        ({"osdmap__num_in_osds": 2}, "2 of 3 OSDs hold data"),
        (
            {"pgmap__pgs_by_state": [{"state_name": "active+undersized", "count": 40}]},
            "0 of 40 placement groups are clean",
        ),
        ({"quorum_names": ["s1", "s3"]}, "2 of 3 monitors agree"),
        ({"fsmap__by_rank": []}, "no metadata server is active"),
        (
            {"fsmap__by_rank": [{"name": "s2", "status": "up:active"}]},
            "1 metadata servers are missing",
        ),
    ],
)
def test_missing_parts_are_reported(changes: dict[str, Any], words: str) -> None:
    """A trial waits for each of them before the next fault."""
    found = built().status("s1", status(**changes))
    assert not found.healthy
    assert words in found.text


def test_moments_are_read_from_the_clusters_log() -> None:
    """Its times are those of the wall clock; the converted ones count from the node's boot."""
    answer = (
        "now 1795455200.5 100.0\n2026-11-23T17:33:30.500000+0000 mon.s1 (mon.0) 9 : cluster [INF]"
        " osd.1 failed (root=default,host=s2) (2 reporters from different host after 7.0 >= grace"
        " 7.0)\n2026-11-23T17:33:31.000000+0000 mon.s1 (mon.0) 1 : cluster [W] daemon mds.s2 is not"
        " responding, replacing it\n2026-11-23T17:33:32.000000+0000 mon.s1 (mon.0) 2 : cluster [I]"
        " daemon mds.s3 is now active in filesystem x\n2026-11-23T17:33:32.000000+0000 mon.s2"
        " (mon.1) 4 : cluster [INF] osd.1 failed, as another monitor has it\nnonsense osd.1"
        " failed\n"
    )
    found = ceph_status.moments("s1", answer)
    assert [(item.what, item.subject) for item in found] == [
        ("detected", "osd.1"),
        ("detected", "mds.s2"),
        ("started", "mds.s3"),
    ]
    assert found[1].boottime_s - found[0].boottime_s == pytest.approx(0.5)
    assert ceph_status.moments("s1", "") == []


def test_the_active_metadata_server_can_be_moved() -> None:
    """`ceph mds fail` is a planned switchover."""
    found = small()
    site = emulated.site(found)
    solution = load_solution(found, site)
    assert isinstance(solution, MovesServices)
    scene = Scene(found, site, solution, Roles(solution.servers, {"metadata": "s2"}))
    kind = fault_kind("switchover")
    assert kind.actions(kind.Options(), scene).inject == (Switchover("metadata", "s1"),)
    (stage,) = solution.switchover("metadata", "s3").stages
    assert "ceph-cluster fail" in stage.steps["s1"][0].apply


def test_timers_are_the_studys_or_cephs_own() -> None:
    """The configured values are the terms of the limits."""
    fast = built().timers
    own = built(timers={"preset": "ceph"}).timers
    assert [
        round(fast[name].duration_s) for name in ("detection", "beacon", "takeover", "quorum")
    ] == [9, 8, 1, 6]
    assert [round(of["read-lease"].duration_s, 1) for of in (fast, own)] == [5.6, 16.0]
    assert [
        round(own[name].duration_s) for name in ("detection", "beacon", "takeover", "quorum")
    ] == [32, 20, 4, 15]
    assert (
        built(timers={"heartbeat_s": 2, "heartbeat_grace_s": 8}).timers["detection"].duration_s
        == 12
    )


@given(st.integers(1, 60), st.integers(2, 600))
def test_a_monitor_ticks_often_enough_to_miss_a_metadata_server(
    beacon_s: int, grace_s: int
) -> None:
    """A slower tick than grace less interval counts each delay as its own: no standby ever
    takes over.
    """
    timers = built(timers={"beacon_s": beacon_s, "beacon_grace_s": grace_s}).options.timers
    if grace_s - beacon_s > 1:
        assert int(timers.settings()["mon_tick_interval"]) < grace_s - beacon_s


@pytest.mark.parametrize(
    ("acting", "reported_epoch", "words"),
    [
        ([1, 2], 9, None),
        ([1, 2**31 - 1], 9, None),
        ([1, 2], 7, "sent no report since epoch 8"),
        ([0, 1], 9, "sent no report since osd.0 is away"),
    ],
    ids=["all told", "an empty place", "of before one came back", "of before one went away"],
)
def test_outdated_states_of_groups_allow_no_stop(
    monkeypatch: pytest.MonkeyPatch, acting: list[int], reported_epoch: int, words: str | None
) -> None:
    """A manager answers ok-to-stop from it, and two OSDs would be down at once."""
    monkeypatch.setitem(sys.modules, "rados", types.ModuleType("rados"))
    path = Path(ceph_daemons.__file__).parent / "agents" / "ceph-cluster"
    helper = runpy.run_path(str(path))
    printed = {
        "osd dump": {
            "osds": [
                {"osd": number, "up": int(number > 0), "up_from": 6 + number} for number in range(3)
            ]
        },
        "pg dump": {
            "pg_stats": [{"pgid": "1.0", "acting": acting, "reported_epoch": str(reported_epoch)}]
        },
    }

    class Cluster:
        def mon_command(self, text: str, data: bytes, *, timeout: int) -> tuple[int, str, str]:
            return 0, json.dumps(printed[json.loads(text)["prefix"]]), ""

    if words is None:
        helper["check_group_reports"](Cluster())
        return
    with pytest.raises(helper["Refused"], match=words):
        helper["check_group_reports"](Cluster())


@pytest.mark.parametrize(("groups", "code"), [("1.0 active", 0), ("1.0 unknown", 1)])
def test_lost_placement_groups_that_stay_lost_are_a_failure(
    tmp_path: Path, groups: str, code: int
) -> None:
    """The repair of a disk with the only copy does not end as if the cluster were healthy."""
    tools = f"sleep() {{ :; }}\nceph() {{ [ \"$2\" != dump ] || echo '{groups}'; }}\n"
    script = tools + osd_disk_failure._REMAKE.replace("/run/seatrial-lost", str(tmp_path / "lost"))
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, "still lost" in done.stderr) == (code, bool(code))
