"""Existing storage, for real: an export that a lab serves, and a client's own disk."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.result.result import read_result
from tests.builders.labs import Bench, command
from tests.builders.strategies import text_of, written_in

pytestmark = pytest.mark.lab


def study_of(bench: Bench, folder: Path, clients: str, **solution: Any) -> str:
    """A study of ten lines on existing hosts: the lab's clients."""
    data: dict[str, Any] = {
        "schema": "study/1",
        "id": "there",
        "environment": {"kind": "hosts", "ssh_config": str(bench.lab.ssh_config)},
        "nodes": {clients: {}},
        "solution": {"kind": "mount", **solution},
        "experiments": {
            "streams": {
                "workload": {"transfer_size": "64KiB", "file_size": "1MiB"},
                "sweep": {"clients": [1, 2]},
            }
        },
        "background_load": {
            "appends": {"consistency_test": "append", "clients": clients, "arrivals_per_s": 5}
        },
        "faults": {
            "slow": {
                "kind": "net-emulation",
                "effect": "delay",
                "delay": "30ms",
                "duration": "4s",
                "node": "c1",
            }
        },
        "criteria": [{"id": name, "check": name} for name in ("integrity", "consistency")],
    }
    if "[" not in clients:
        data["experiments"]["streams"] |= {"sweep": {"clients": [1]}}
        del data["background_load"], data["faults"], data["criteria"][1]
    path = folder / "study.yaml"
    path.write_text(text_of(data))
    return str(path)


def test_an_export_of_a_lab_is_loaded_and_left_unchanged(bench: Bench, tmp_path: Path) -> None:
    """Experiments, a fault and a consistency test on an existing export; the report names the
    cache that may have answered.
    """
    assert bench.seatrial("deploy").returncode == 0
    before = bench.ssh.run("c1", f"ls -A {bench.solution.directory}").stdout
    study = study_of(
        bench, tmp_path, "c[1-2]", directory=bench.solution.directory, filesystem="nfs4"
    )
    done = command("run", study, "--yes", "--out", str(tmp_path / "record"))
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (tmp_path / "record").iterdir()
    result = read_result(folder)
    cached = {(item.point["clients"], item.phase): item.cached for item in result.phases}
    assert cached == {
        (1, "write"): None,
        (1, "read"): "the client's and the storage's own",
        (2, "write"): None,
        (2, "read"): "the storage's own",
    }
    assert "caches are not emptied before each read" in (folder / "report.html").read_text()
    assert command("undeploy", study, "--yes").returncode == 0
    assert bench.ssh.run("c1", f"ls -A {bench.solution.directory}").stdout == before


def test_a_clients_own_disk_is_measured_if_that_is_meant(bench: Bench, tmp_path: Path) -> None:
    """A single client's disk is measured if the study states so; the root disk is refused
    otherwise.
    """
    alone = study_of(bench, tmp_path, "c1", directory="/srv", filesystem="ext4")
    done = command("run", alone, "--yes", "--out", str(tmp_path / "record"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert command("undeploy", alone, "--yes").returncode == 0

    meant = command("deploy", study_of(bench, tmp_path, "c[1-2]", directory="/srv"), "--yes")
    assert meant.returncode == 4
    assert "is the storage mounted?" in meant.stderr


LOGIN = "alice"


@contextlib.contextmanager
def ordinary_login(bench: Bench) -> Iterator[Path]:
    """Every node has an account without any right of root: the ssh configuration that uses it."""
    make = (
        f"set -e; useradd -m -u 2001 -p '*' {LOGIN}; install -d -m 700 -o {LOGIN}"
        f" /home/{LOGIN}/.ssh\ninstall -m 600 -o {LOGIN} /root/.ssh/authorized_keys"
        f" /home/{LOGIN}/.ssh/"
    )
    for node in bench.study.node_names():
        done = bench.ssh.run(node, make)
        assert done.exit_code == 0, done.stderr
    path = bench.lab.ssh_config.with_name("ssh_config_of_user")
    as_root = bench.lab.ssh_config.read_text()
    path.write_text(as_root.replace("User root", f"User {LOGIN}").replace("/ssh-%n", "/user-%n"))
    try:
        yield path
    finally:
        for node in bench.study.node_names():
            subprocess.run(
                ["ssh", "-F", path, "-O", "exit", node], capture_output=True, check=False
            )
        path.unlink()


def test_an_ordinary_login_measures_over_ssh(bench: Bench, tmp_path: Path) -> None:
    """Experiments, a shell fault and a consistency test without root; `undeploy` leaves nothing."""
    assert bench.seatrial("deploy").returncode == 0
    directory = f"{bench.solution.directory}/alice"
    study = study_of(bench, tmp_path, "c[1-2]", directory=directory, filesystem="nfs4")
    data = written_in(Path(study))
    data["faults"] = {
        "nothing": {
            "kind": "shell",
            "node": "c1",
            "command": "true",
            "repair": "true",
            "duration": "4s",
        }
    }
    find = f"ls -d /tmp/seatrial-{LOGIN} /run/user/*/seatrial-* 2>/dev/null"
    with ordinary_login(bench) as ssh_config:
        data["environment"]["ssh_config"] = str(ssh_config)
        # Another name: a client may cache that a directory is missing.
        data["solution"]["directory"] = f"{directory}-missing"
        Path(study).write_text(text_of(data))
        missing = command("run", study, "--yes", "--out", str(tmp_path / "missing"))
        assert missing.returncode == 4
        assert f"{directory}-missing: no such directory on this node" in missing.stderr, (
            missing.stderr
        )
        assert "c1: stage 'preflight check': step" in missing.stderr, missing.stderr
        made = bench.ssh.run("nas", f"install -d -o 2001 /srv/{bench.study.id}/alice")
        assert made.exit_code == 0, made.stderr
        data["solution"]["directory"] = directory
        Path(study).write_text(text_of(data))
        done = command("run", study, "--yes", "--out", str(tmp_path / "results"))
        assert done.returncode == 0, done.stdout + done.stderr
        (folder,) = (tmp_path / "results").iterdir()
        system = read_result(folder).first("system")
        assert {item["code"] for item in system["not_available"]} >= {"caches", "kernel-stacks"}
        assert command("undeploy", study, "--yes").returncode == 0
    assert bench.ssh.run("nas", f"ls -A /srv/{bench.study.id}/alice").stdout == ""
    assert [bench.ssh.run(node, find).stdout for node in ("c1", "c2")] == ["", ""]
