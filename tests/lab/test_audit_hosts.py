"""An audit of real kernels as hosts: it names manual changes, and changes nothing itself."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from seatrial.check import prepare
from seatrial.labs.kinds import emulated
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh
from tests.builders.labs import Bench, lab_study
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

LOOK = """\
cat /proc/mounts /etc/fstab; cat /var/lib/nfs/etab /proc/fs/nfsd/threads 2>/dev/null; ip -o link
find /etc /root /srv /tmp /run/seatrial-* -xdev -type f -printf '%p %T@ %s %m\\n'
"""
"""mounts, exports, threads, links, and every file that a setting may be kept in"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A lab of a server with a disk and two clients, and a study that knows it as hosts; in
    service.
    """
    folder = tmp_path_factory.mktemp("hosts")
    data = lab_study(f"machines-{os.getpid()}")
    data["environment"] = {"kind": "emulated"}
    data["nodes"]["nas"] = {"memory": "512MiB", "disks": {"count": 1, "size": "128MiB"}}
    data["solution"] = {"kind": "nfs"}
    machines = parse_study(text_of(data), folder / "machines.yaml")
    lab = emulated.up(
        machines,
        systemd_nodes=prepare(machines)[1].storage_nodes,
        name=machines.id,
        console=folder / "console",
        detached=False,
        say=print,
    )
    try:
        data["id"] = f"audit-{os.getpid()}"
        data["environment"] = {"kind": "hosts", "ssh_config": str(lab.ssh_config)}
        data["nodes"]["nas"]["disks"] = {"devices": ["/dev/ubdb"]}
        data["solution"] = {"kind": "nfs", "export": {"threads": 16}}
        path = folder / "study.yaml"
        path.write_text(text_of(data))
        study = parse_study(path.read_text(), path)
        bench = Bench(study, path, prepare(study)[1], lab, OpenSsh(lab.ssh_config))
        done = bench.seatrial("deploy")
        assert done.returncode == 0, done.stderr
        yield bench
    finally:
        lab.down()


def audited(hosts: Bench) -> tuple[int, dict[str, Any]]:
    """The exit code and the findings; the audit leaves every node unchanged."""
    nodes = ("nas", *hosts.solution.clients)
    before = {node: hosts.ssh.run(node, LOOK).stdout.splitlines() for node in nodes}
    done = hosts.seatrial("audit", "--json")
    assert done.returncode in {0, 1}, done.stderr
    for node in nodes:
        assert hosts.ssh.run(node, LOOK).stdout.splitlines() == before[node]
    found: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, found


def spoil(hosts: Bench, node: str, script: str) -> None:
    """Change something by hand."""
    done = hosts.ssh.run(node, "sh -es", stdin=script.encode())
    assert done.exit_code == 0, done.stderr


def test_a_manual_change_is_named_with_its_cost(hosts: Bench) -> None:
    """The audit finds exactly this change. A deploy repairs it, and the next audit finds
    nothing.
    """
    assert audited(hosts)[0] == 0
    path = hosts.solution.directory
    name = hosts.study.id
    spoil(
        hosts,
        "c1",
        f"umount {path}; mount -t nfs -o vers=4.2,hard,noatime,noac,rsize=8192 nas:/srv/{name}"
        f" {path}",
    )
    spoil(
        hosts,
        "nas",
        f"exportfs -o ro,async,root_squash,no_subtree_check c2:/srv/{name}; rpc.nfsd 4",
    )
    code, found = audited(hosts)
    assert code == 1
    differs = {
        (item["node"], item["step"].split(" /")[0]): item["found"] for item in found["differs"]
    }
    mounted = differs.pop(("c1", f"mount nas:/srv/{name} at"))
    assert {"now: rsize=8192", "now: noac"} < set(mounted)
    assert "deployed: noac" not in mounted
    assert differs.pop(("nas", "set 16 nfsd threads")) == ["now: 4 threads"]
    (exported,) = [lines for (_, step), lines in differs.items() if step == "export"]
    assert any("c2(ro,async," in line for line in exported)
    assert len(differs) == 1
    assert {(item["node"], item["level"], item["option"]) for item in found["findings"]} == {
        ("nas", "unsafe", "async"),
        ("nas", "slow", ""),
        ("c1", "slow", "noac"),
        ("c1", "slow", "rsize"),
    }
    assert {option: text.rpartition("write ")[2] for option, text in found["costs"].items()} == {
        "async": "-86%, read -1%",
        "noac": "-31%, read -6%",
        "rsize": "-59%, read -48%",
    }
    reported = hosts.seatrial("audit")
    assert reported.returncode == 1
    assert "now: 4 threads" in reported.stdout

    assert hosts.seatrial("deploy").returncode == 0
    assert audited(hosts)[0] == 0


def test_mounts_over_or_under_a_mount_are_seen(hosts: Bench) -> None:
    """A second mount over the first, a file system that was remounted, a link that takes smaller
    packets.
    """
    path = hosts.solution.directory
    name = hosts.study.id
    spoil(hosts, "c1", f"mount -t nfs -o vers=4.2,hard,noatime,nocto nas:/srv/{name} {path}")
    spoil(hosts, "nas", f"mount -o remount,nobarrier /srv/{name}")
    # A lab's card does not go back to more than 1500: nothing comes after this.
    spoil(hosts, "c2", "ip link set dev data mtu 1500")
    code, found = audited(hosts)
    assert code == 1
    differs = {item["node"]: item for item in found["differs"]}
    assert sorted(differs) == ["c1", "c2", "nas"]
    assert {"now: nocto", "now: two mounts at this path"} <= set(differs["c1"]["found"])
    assert differs["nas"]["found"] == ["now: nobarrier"]
    assert differs["c2"]["found"] == ["now: MTU 1500 of data"]
    assert found["costs"]["jumbo"]
    assert {(item["node"], item["level"]) for item in found["findings"]} == {
        ("nas", "unsafe"),
        ("c2", "fragile"),
    }

    refused = hosts.seatrial("deploy")
    assert refused.returncode == 4
