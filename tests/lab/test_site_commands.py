"""Fail over a service that another study deployed, by the commands of its cluster."""

import copy
from pathlib import Path
from typing import Any

import pytest

from seatrial.result.result import read_result
from seatrial.solutions.base import directories_of
from tests.builders.labs import booted, command, nfs_ha_pair
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

WAIT = "crm_resource --wait --timeout=120s"
SERVICE = "crm_resource --resource data"
STREAM = {
    "phases": ["write"],
    "pattern": "random",
    "transfer_size": "4KiB",
    "file_size": "5MiB",
    "fsync": "transfer",
    "arrivals_per_s": 4,
    "time_based": True,
    "time_limit": "30min",
}


def pair_with_sync_export() -> dict[str, Any]:
    """A pair of servers that keeps acknowledged data when a service moves."""
    data = copy.deepcopy(nfs_ha_pair())
    data["id"] = "site-pair"
    del data["solution"]["export"]
    return data


def located(server: str) -> str:
    """The command that succeeds where the service runs on a server."""
    return f"{SERVICE} --locate | grep -q ' on: {server}'"


def moved(server: str) -> str:
    """The command that moves the service and clears the rule of the move."""
    return f"{SERVICE} --move --node {server} && {WAIT}; {SERVICE} --clear; {located(server)}"


def mount_study(directory: str, ssh_config: Path) -> dict[str, Any]:
    """A study that knows the mounts of two clients, and the name of a server for ssh."""
    failover = {
        "kind": "site-command",
        "host": "srv1",
        "command": moved("srv2"),
        "happened": located("srv2"),
        "repair": moved("srv1"),
        "recovered": located("srv1"),
        "timeout": "150s",
        "duration": "10s",
        "recovery_timeout": "3min",
    }
    return {
        "schema": "study/1",
        "id": "site",
        "environment": {"kind": "hosts", "ssh_config": str(ssh_config)},
        "nodes": {"c[1-2]": {}},
        "solution": {"kind": "mount", "directory": directory, "filesystem": "nfs4"},
        "background_load": {"writes": {"workload": STREAM}},
        "faults": {"failover": failover},
        "criteria": [{"id": name, "check": name} for name in ("integrity", "faults")],
    }


def test_a_service_of_another_study_fails_over_and_loses_nothing(tmp_path: Path) -> None:
    """The run needs consent, sees the service on the other server, and repairs it."""
    with booted(pair_with_sync_export(), tmp_path) as bench:
        deployed = bench.seatrial("deploy")
        assert deployed.returncode == 0, deployed.stderr
        directory = directories_of(bench.solution)["4.2"]
        assert bench.lab.ssh_config is not None
        study = tmp_path / "site.yaml"
        study.write_text(text_of(mount_study(directory, bench.lab.ssh_config)))
        words = ("run", str(study), "--yes", "--out", str(tmp_path / "results"))

        refused = command(*words)
        assert refused.returncode == 2
        assert "add --consent failover" in refused.stderr

        done = command(*words, "--consent", "failover")
        assert done.returncode == 0, done.stdout + done.stderr
        (folder,) = (tmp_path / "results").iterdir()
        (fault,) = read_result(folder).faults
        signs = [sign for item in fault.evidence or () for sign in item.seen]
        assert "check-succeeded" in signs
        assert fault.compared["writes"]["must"] > 0
        assert fault.compared["writes"]["lost"] == 0
        assert fault.recovered_unix_s is not None
        kept = sorted((folder / "commands").iterdir())
        assert [path.name for path in kept] == [f"failover-0{number}.txt" for number in range(1, 5)]

        left = command("undeploy", str(study), "--yes")
        assert left.returncode == 0, left.stderr
        assert "srv1" in bench.ssh.run("srv1", f"{SERVICE} --locate").stdout
