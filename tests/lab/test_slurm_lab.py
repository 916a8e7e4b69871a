"""An ordinary user of a cluster: Slurm and Open MPI on 16 nodes of the lab, with an NFS server.

The user has no root anywhere. Whatever ends a run, its result stays and its files can be removed.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.result.result import Result, read_result
from tests.builders import ordinary, slurm_cluster, slurm_lab
from tests.builders.labs import booted, lab_study
from tests.builders.slurm_lab import Cluster
from tests.builders.strategies import text_of

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(
        not (slurm_cluster.is_possible() and ordinary.is_possible()),
        reason="needs root, munge and slurm-wlm",
    ),
]
NODES = int(os.environ.get("SEATRIAL_SLURM_NODES", "16"))
ENDS_WITHIN_S = 600
LAUNCHERS = ("slurm", "mpi")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One cluster for all tests."""
    data = lab_study(f"slurm-{os.getpid()}", NODES)
    data["nodes"][f"c[1-{NODES}]"]["memory"] = "144MiB"
    folder = tmp_path_factory.mktemp("slurm")
    with (
        booted(data, folder, packages=slurm_lab.PACKAGES) as bench,
        ordinary.account() as user,
        tempfile.TemporaryDirectory(prefix="seatrial-slurm-", dir="/dev/shm") as place,
    ):
        assert bench.seatrial("deploy").returncode == 0
        Path(place).chmod(0o755)
        with slurm_lab.cluster(bench, user, Path(place)) as made:
            yield made


def written(cluster: Cluster, name: str, launcher: str = "slurm", **changes: Any) -> Path:
    """A study of the user's directory."""
    data: dict[str, Any] = {
        "schema": "study/1",
        "id": name,
        "environment": {
            "kind": "hosts",
            "launcher": launcher,
            "agent": cluster.agent,
            "start_timeout": "120s",
        },
        "nodes": {f"c[1-{NODES}]": {}},
        "solution": {"kind": "mount", "directory": cluster.directory},
        "experiments": {"streams": {"workload": {"transfer_size": "64KiB", "file_size": "256KiB"}}},
        "criteria": [{"id": "intact", "check": "integrity"}],
        **changes,
    }
    path = cluster.user.folder / f"{name}.yaml"
    path.write_text(text_of(data))
    return path


def long_study(cluster: Cluster, name: str) -> Path:
    """A study with a load of half a minute, after a short one."""
    short = {"transfer_size": "64KiB", "file_size": "64KiB"}
    long = {
        "transfer_size": "4KiB",
        "file_size": "256KiB",
        "arrivals_per_s": 5,
        "time_based": True,
        "time_limit": "30s",
    }
    return written(
        cluster, name, experiments={"first": {"workload": short}, "long": {"workload": long}}
    )


def result_of(results: Path) -> Result:
    """The one result in a folder."""
    (path,) = results.glob("*/result.jsonl")
    return read_result(path.parent)


def started_long(cluster: Cluster, name: str) -> tuple["subprocess.Popen[str]", Path]:
    """A run in the middle of its long load, and the folder of its result."""
    results = cluster.user.folder / name
    process = cluster.start("run", str(long_study(cluster, name)), "--yes", "--out", str(results))
    limit_s = time.monotonic() + ENDS_WITHIN_S
    while not any(has_begun_long(path.read_text()) for path in results.glob("*/result.jsonl")):
        if process.poll() is not None:
            raise AssertionError(process.communicate()[0])
        assert time.monotonic() < limit_s
        time.sleep(0.2)
    time.sleep(3)
    if process.poll() is not None:
        raise AssertionError(process.communicate()[0])
    return process, results


def has_begun_long(text: str) -> bool:
    """Whether a result has the line that begins the second experiment."""
    whole, _, _ = text.rpartition("\n")
    lines = [json.loads(line) for line in whole.splitlines()]
    return any(line["type"] == "experiment" and line["name"] == "long" for line in lines)


def leaves_nothing(cluster: Cluster, study: Path) -> None:
    """No process of the user is on a node, and `undeploy` removes every file."""
    cluster.await_idle()
    limit_s = time.monotonic() + ENDS_WITHIN_S
    while cluster.processes():
        assert time.monotonic() < limit_s, cluster.processes()
        time.sleep(0.5)
    done = cluster.run("undeploy", str(study), "--yes")
    assert done.returncode == 0, done.stdout
    assert cluster.files() == ""
    cluster.await_idle()


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_a_run_on_all_nodes(cluster: Cluster, launcher: str) -> None:
    """From an allocation to a report: every node takes part, and every byte is verified."""
    study = written(cluster, f"on-all-{launcher}", launcher)
    results = cluster.user.folder / f"results-{launcher}"
    done = cluster.run("run", str(study), "--yes", "--out", str(results))
    assert done.returncode == 0, done.stdout
    result = result_of(results)
    assert [phase.phase for phase in result.phases] == ["write", "read"]
    for phase in result.phases:
        assert {client.client for client in phase.clients} == set(cluster.nodes)
        assert not phase.partial
    (report,) = results.glob("*/report.html")
    assert "intact" in report.read_text()
    leaves_nothing(cluster, study)


def test_scancel_keeps_the_result(cluster: Cluster) -> None:
    """The finished phases are in the result."""
    process, results = started_long(cluster, "cancelled")
    cluster.as_root("scancel", f"--user={cluster.user.name}")
    output, _ = process.communicate()
    assert {phase.experiment for phase in result_of(results).phases} >= {"first"}, output
    leaves_nothing(cluster, cluster.user.folder / "cancelled.yaml")


def test_the_death_of_the_controller_keeps_the_result(cluster: Cluster) -> None:
    """Kill -9: the input of the step ends, and so do its agents."""
    process, results = started_long(cluster, "killed")
    os.kill(cluster.user.controller(), signal.SIGKILL)
    output, _ = process.communicate()
    assert {phase.experiment for phase in result_of(results).phases} >= {"first"}, output
    leaves_nothing(cluster, cluster.user.folder / "killed.yaml")


def test_a_full_directory_is_an_error_of_the_clients(cluster: Cluster) -> None:
    """ENOSPC: the run ends in order, with a reason and a result."""
    server = cluster.bench.ssh
    array = "awk '/^.dev.md/ { print $2; exit }' /proc/mounts"
    export = server.run("nas", array).stdout.strip()
    free = f"$(df --block-size=1 --output=avail {export} | tail -1)"
    filled = server.run("nas", f"fallocate -l {free} {export}/filler && sync")
    assert filled.exit_code == 0, filled.stderr
    study = written(cluster, "full")
    results = cluster.user.folder / "full"
    try:
        done = cluster.run("run", str(study), "--yes", "--out", str(results))
    finally:
        server.run("nas", f"rm -f {export}/filler; sync")
    assert done.returncode != 0
    assert "space" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout
    leaves_nothing(cluster, study)


def test_a_dead_node_is_named(cluster: Cluster) -> None:
    """The power of one node fails: the run ends, names the node, and keeps its result."""
    process, results = started_long(cluster, "dead")
    dead = cluster.nodes[-1]
    cluster.bench.lab.power(dead, "off")
    output, _ = process.communicate(timeout=ENDS_WITHIN_S)
    assert process.returncode != 0
    assert dead in output
    assert "Traceback" not in output
    assert {phase.experiment for phase in result_of(results).phases} >= {"first"}, output
