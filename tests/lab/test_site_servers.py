"""The server and the mounts of existing storage, observed by a study that does not own them."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.result.result import read_result
from tests.builders.labs import Bench, command
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab


def mount_study(bench: Bench) -> dict[str, Any]:
    """A study of the export of the lab, with the name of its server."""
    return {
        "schema": "study/1",
        "id": "observed",
        "environment": {"kind": "hosts", "ssh_config": str(bench.lab.ssh_config)},
        "nodes": {"c[1-2]": {}},
        "solution": {
            "kind": "mount",
            "directory": bench.solution.directory,
            "filesystem": "nfs4",
            "servers": "nas",
        },
        "experiments": {
            "seq": {"workload": {"transfer_size": "64KiB", "file_size": "16MiB", "direct": True}}
        },
        "criteria": [{"id": "integrity", "check": "integrity"}],
    }


def test_a_server_and_the_mounts_are_observed(bench: Bench, tmp_path: Path) -> None:
    """The server has figures in every phase, and the clients have the requests of NFS."""
    assert bench.seatrial("deploy").returncode == 0
    study = tmp_path / "observed.yaml"
    study.write_text(text_of(mount_study(bench)))
    agents = "ls -A /var/lib/seatrial/load; ls -A /tmp"
    before = bench.ssh.run("nas", agents).stdout
    done = command("run", str(study), "--yes", "--out", str(tmp_path / "results"))
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (tmp_path / "results").iterdir()
    result = read_result(folder)
    writes = [phase for phase in result.phases if phase.phase == "write"]
    (lines,) = [phase.servers["nas"] for phase in writes]
    assert max(line["network_received_bytes"] for line in lines) > 0
    assert max(line["disk_written_bytes"] for line in lines) >= 0
    counters = {line["phase"]: line["clients"] for line in result.of("mount-counters")}
    assert set(counters) == {"write", "read"}
    assert set(counters["write"]) == {"c1", "c2"}
    written = counters["write"]["c1"]
    assert written["filesystem"] == "nfs4"
    assert written["operations"]["WRITE"]["requests"] > 0
    assert written["operations"]["WRITE"]["mean_rtt_ms"] > 0
    report = (folder / "report.html").read_text()
    assert "The mounts." in report
    assert "The servers." in report
    assert bench.ssh.run("nas", agents).stdout == before
    assert command("undeploy", str(study), "--yes").returncode == 0
