"""The power of a server that is used as a real host, cut by its management controller."""

import os
from pathlib import Path
from typing import Any

import pytest

from seatrial.result.evidence import Sign
from seatrial.result.result import read_result
from tests.builders.labs import Bench, booted, command, lab_study
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

PASSWORD = "/etc/seatrial-bmc"
STREAM = {
    "phases": ["write"],
    "pattern": "random",
    "transfer_size": "4KiB",
    "file_size": "8MiB",
    "fsync": "transfer",
    "arrivals_per_s": 4,
}


def lab_data() -> dict[str, Any]:
    """One server with a controller, and two clients."""
    data = lab_study(f"power-{os.getpid()}")
    data["nodes"]["nas"] = {**data["nodes"]["nas"], "bmc": {"network": "data"}}
    return data


def as_hosts(lab: Bench) -> dict[str, Any]:
    """The same machines as hosts; the second client reaches the controller."""
    data = lab_data()
    data["id"] = f"{data['id']}-hosts"
    data["environment"] = {
        "kind": "hosts",
        "ssh_config": str(lab.lab.ssh_config),
        "power_control": "c2",
    }
    bmc = {
        "network": "data",
        "address": "nas-bmc",
        "user": "admin",
        "password_file": PASSWORD,
    }
    disks = {"count": 2, "devices": ["/dev/ubdb", "/dev/ubdc"]}
    data["nodes"]["nas"] = {"disks": disks, "bmc": bmc}
    data["solution"] = {"kind": "nfs", "raid": {"level": 0}, "mount": {"version": 4.2}}
    data["background_load"] = {"writes": {"workload": STREAM, "clients": "c1"}}
    expected = {"outage": "4min", "min_stall": "3s"}
    data["faults"] = {
        "cut": {"kind": "power-cut", "node": "nas", "duration": "5s", "expect": expected},
        "stop": {"kind": "freeze", "node": "nas"},
    }
    data["criteria"] = [{"id": name, "check": name} for name in ("integrity", "faults")]
    del data["experiments"]
    return data


def test_a_controller_cuts_the_power_of_a_host_and_restores_it(tmp_path: Path) -> None:
    """With consent, from a second machine; the clients wait, and lose nothing. A controller cannot
    freeze a kernel, so that this fault is skipped.
    """
    (tmp_path / "lab").mkdir()
    with booted(lab_data(), tmp_path / "lab") as lab:
        written = f"umask 077; echo seatrial-lab >{PASSWORD}"
        assert lab.ssh.run("c2", written).exit_code == 0
        study = tmp_path / "study.yaml"
        study.write_text(text_of(as_hosts(lab)))
        words = ("run", str(study), "--yes", "--out", str(tmp_path / "results"))

        refused = command(*words)
        assert refused.returncode == 2
        assert "add --consent cut" in refused.stderr

        done = command(*words, "--consent", "cut", "--consent", "stop")
        assert done.returncode in (0, 3), done.stdout + done.stderr
        (folder,) = (tmp_path / "results").iterdir()
        faults = {item.name: item for item in read_result(folder).faults}
        cut = faults["cut"]
        assert [item.seen for item in cut.evidence or () if Sign.POWER_OFF in item.seen]
        assert cut.compared["writes"]["must"] > 0
        assert cut.compared["writes"]["lost"] == 0
        assert cut.recovered_unix_s is not None
        assert "cannot set the state frozen" in str(faults["stop"].skipped)
        booted_again = lab.ssh.run("nas", "cat /proc/uptime").stdout.split()[0]
        assert float(booted_again) < 600
