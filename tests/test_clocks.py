"""The time service of clusters: a running one stays, and a lab has one clock."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from seatrial.check import prepare
from seatrial.plan.plan import Plan, Stage
from seatrial.solutions.parts import clocks
from tests.builders.plan_fixtures import data_of, merged, study_of
from tests.builders.strategies import study


def plans(name: str, **solution: Any) -> tuple[Plan, Plan]:
    """The plan and the removal of a fixture's study."""
    data, _shipped = data_of(name)
    loaded = prepare(study(merged(data, {"solution": solution})))[1]
    return loaded.plan({}), loaded.removal({})


def clocks_of(plan: Plan) -> list[Stage]:
    """The stages for clocks."""
    return [stage for stage in plan.stages if stage.title == "clocks"]


@pytest.mark.parametrize(
    "name", ["nfs-ha/hosts", "gfs2-iscsi/hosts", "cephfs/hosts-erasure-secure"]
)
def test_every_node_of_a_cluster_on_hosts_has_a_time_service(name: str) -> None:
    """After the first stage; the removal ends it last."""
    plan, removal = plans(name)
    (stage,) = clocks_of(plan)
    assert plan.stages[1] == stage
    assert set(stage.steps) >= {node for item in plan.stages for node in item.steps}
    (ended,) = clocks_of(removal)
    assert removal.stages[-1] == ended
    assert set(ended.steps) == set(stage.steps)


def test_a_lab_has_one_clock() -> None:
    """Unless the study names time servers; its nodes get the package then."""
    plan, removal = plans("nfs-ha/lightweight")
    assert clocks_of(plan) == clocks_of(removal) == []
    plan, removal = plans("nfs-ha/lightweight", clock={"servers": ["array"]})
    assert len(clocks_of(plan)) == len(clocks_of(removal)) == 1


def test_the_first_server_serves_its_time_to_the_others() -> None:
    """By a name on a network that both ends are attached to."""
    site = prepare(study_of("nfs-ha/hosts"))[0]
    found = clocks.Clocks("x", site, ("srv1", "array", "c1"), ())
    own = found.configuration("srv1").splitlines()
    assert "local stratum 10" in own
    assert [line for line in own if line.startswith("allow")] == ["allow array-a", "allow c1"]
    assert found.configuration("array").splitlines()[-1] == "server srv1-a iburst"
    assert found.configuration("c1").splitlines()[-1] == "server srv1 iburst"


def test_named_time_servers_serve_all_nodes() -> None:
    """Also those outside the study."""
    site = prepare(study_of("nfs-ha/hosts"))[0]
    found = clocks.Clocks("x", site, ("srv1", "srv2"), ("ntp1.example", "10.0.0.1"))
    for node in ("srv1", "srv2"):
        lines = found.configuration(node).splitlines()
        assert lines[-2:] == ["server ntp1.example iburst", "server 10.0.0.1 iburst"]
        assert "local stratum 10" not in lines


@pytest.mark.parametrize(
    ("active", "synchronised", "kept"),
    [
        ("chrony.service loaded active running time", "no", True),
        ("", "yes", True),
        ("", "no", False),
    ],
)
def test_a_running_time_service_stays(
    tmp_path: Path, active: str, synchronised: str, *, kept: bool
) -> None:
    """So does a clock that the kernel reports as synchronised, as in a container."""
    for name, answer in (("systemctl", active), ("timedatectl", synchronised)):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{answer}'\n" if answer else "#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    text = f"PATH={tmp_path}:$PATH\n{clocks.FUNCTIONS}\nclock_kept seatrial-none-clock"
    assert (subprocess.run(["sh", "-c", text], timeout=10, check=False).returncode == 0) == kept
