"""Block servers in front of arrays through `lab: hosts`: names instead of addresses, passwords of
BMCs from a file.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from seatrial.check import prepare
from seatrial.study.study import load_study
from tests.builders.labs import Bench, booted
from tests.builders.places import STUDIES
from tests.builders.strategies import text_of
from tests.builders.yaml_texts import loaded

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(
        "SEATRIAL_SOAK" not in os.environ, reason="minutes: eight nodes as hosts; SEATRIAL_SOAK=1"
    ),
]
SHIPPED = STUDIES / "gpfs-nsd-block/study.yaml"
PASSWORD = "/etc/seatrial/bmc"


def lab_data() -> dict[str, Any]:
    """The shipped study's lab with two nodes that use the arrays."""
    data = loaded(SHIPPED.read_text())
    data = {
        key: data[key] for key in ("schema", "environment", "networks", "nodes", "solution")
    } | {"id": "tests-block"}
    del data["nodes"]["c[3-4]"]
    return data


def as_hosts(data: dict[str, Any], ssh_config: Path) -> dict[str, Any]:
    """The same machines, described as hosts."""
    nodes = {}
    for names, node in data["nodes"].items():
        addresses = {network: f"{{node}}-{network}" for network in node["networks"]}
        nodes[names] = {key: value for key, value in node.items() if key != "memory"} | {
            "addresses": addresses
        }
        if "disks" in node:
            nodes[names]["disks"] = {
                "count": 5,
                "devices": [f"/dev/ubd{letter}" for letter in "bcdef"],
            }
        if "bmc" in node:
            bmc = {"address": "{node}-bmc", "user": "admin", "password_file": PASSWORD}
            nodes[names]["bmc"] = {**node["bmc"], **bmc}
    lab = {"kind": "hosts", "ssh_config": str(ssh_config)}
    return {**data, "id": "hosts-block", "environment": lab, "nodes": nodes}


def test_in_service_used_by_two_nodes_and_out_again(tmp_path: Path) -> None:
    """The second deploy and the second removal change nothing; each node reads the data of
    the other.
    """
    (tmp_path / "lab").mkdir()
    with booted(lab_data(), tmp_path / "lab") as lab:
        path = tmp_path / "study.yaml"
        path.write_text(text_of(as_hosts(lab_data(), lab.lab.ssh_config)))
        study = load_study(path)
        hosts = Bench(study, path, prepare(study)[1], lab.lab, lab.ssh)
        for name in ("c1", "c2"):
            hosts.ssh.run(name, f"umask 077; mkdir -p /etc/seatrial; echo seatrial-lab >{PASSWORD}")

        assert hosts.seatrial("preflight").returncode == 0
        first = hosts.seatrial("deploy")
        assert first.returncode == 0, first.stderr
        second = hosts.seatrial("deploy")
        assert second.returncode == 0, second.stderr
        assert "changed" not in second.stderr

        directory = hosts.solution.directory
        assert (
            hosts.ssh.run("c1", f"echo hello >{directory}/x && sync {directory}/x").exit_code == 0
        )
        assert hosts.ssh.run("c2", f"cat {directory}/x").stdout == "hello\n"

        removed = hosts.seatrial("undeploy")
        assert removed.returncode == 0, removed.stderr
        assert "changed" not in hosts.seatrial("undeploy").stderr
        look = (
            "grep gfs2 /proc/mounts; iscsiadm -m session 2>/dev/null; ls"
            " /etc/corosync/corosync.conf"
        )
        assert [hosts.ssh.run(name, look).stdout for name in ("c1", "c2")] == ["", ""]
