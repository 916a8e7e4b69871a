"""The solution `cephfs` for real: in service, under load while a server is lost, and out again."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.check import prepare
from seatrial.service.deploy import apply_plan
from seatrial.study.study import load_study
from tests.builders.labs import Bench, booted, phase, three_servers
from tests.builders.strategies import text_of
from tests.builders.yaml_texts import loaded

pytestmark = pytest.mark.lab


DISKS = "s[1-3]:/dev/ubdb"


@pytest.fixture(scope="module")
def ceph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """That lab, up."""
    with booted(three_servers(), tmp_path_factory.mktemp("ceph")) as bench:
        yield bench


@pytest.fixture(scope="module")
def deployed(ceph: Bench) -> Bench:
    """The storage in service; the second deploy changes nothing. The removal comes last."""
    first = ceph.seatrial("deploy")
    assert first.returncode == 0, first.stderr
    second = ceph.seatrial("deploy")
    assert second.returncode == 0, second.stderr
    assert "changed" not in second.stderr
    return ceph


def test_data_written_without_a_server_are_readable(deployed: Bench) -> None:
    """The server returns automatically, and only root and ceph can read its files."""
    ceph = deployed
    ceph.ssh.run("c1", f"mkdir {ceph.solution.directory}/load")
    ceph.lab.power("s2", "off")
    assert not [item for item in phase(ceph, "write") if item.damage or item.errors]
    ceph.lab.power("s2", "on")
    ceph.lab.wait_for_ssh("s2")
    assert ceph.seatrial("deploy").returncode == 0
    apply_plan(ceph.solution.empty_caches(ceph.solution.clients), ceph.ssh)
    read = phase(ceph, "read")
    assert [item.size_bytes for item in read] == [2**20, 2**20]
    assert not [item for item in read if item.damage or item.errors]

    keys = "stat -c '%a %U %n' /etc/ceph/*.keyring /var/lib/ceph/*/*/keyring"
    for line in ceph.ssh.run("s2", keys).stdout.splitlines():
        assert line.startswith(("600 root /etc/ceph/", "600 ceph /var/lib/ceph/"))
    ceph.ssh.run("c1", f"rm -r {ceph.solution.directory}/load")


def patient(ceph: Bench, folder: Path, **solution: Any) -> Bench:
    """The same lab for a study with another grace, and with these options."""
    data = loaded(ceph.path.read_text())
    data["solution"] |= {"timers": {"heartbeat_grace_s": 9}, **solution}
    path = folder / "study.yaml"
    path.write_text(text_of(data))
    study = load_study(path)
    return Bench(study, path, prepare(study)[1], ceph.lab, ceph.ssh)


def findings_with_a_flag(ceph: Bench) -> dict[str, str]:
    """The findings and severities of an audit while noout is set."""
    flag = "ceph --connect-timeout 60 osd {} noout"
    assert ceph.ssh.run("s1", flag.format("set"), timeout_s=90).exit_code == 0
    try:
        found = ceph.seatrial("audit", "--json")
    finally:
        unset = ceph.ssh.run("s1", flag.format("unset"), timeout_s=90)
    assert unset.exit_code == 0, unset.stderr
    assert found.returncode == 1, found.stderr
    return {item["what"]: item["level"] for item in json.loads(found.stdout)["findings"]}


def test_daemons_are_started_again_one_server_after_the_other(
    deployed: Bench, tmp_path: Path
) -> None:
    """With other timers: at most one OSD is down at any time, and every OSD gets the new
    timers. Before it, an audit names a flag.
    """
    ceph = deployed
    all_up = (
        'timeout 120 sh -c \'until ceph osd stat --connect-timeout 20 | grep -q "3 osds: 3 up"; do'
        " sleep 1; done'"
    )
    # Also the one that was lost before.
    assert ceph.ssh.run("s1", all_up, timeout_s=130).exit_code == 0
    flags = findings_with_a_flag(ceph)
    assert flags["the OSD map has the flag noout"] == "unsafe"
    assert not [what for what in flags if what.startswith(("daemons of", "full ratios"))]
    watch = (
        "rm -f /tmp/seen /tmp/end; timeout 300 python3 -c 'import json, os, rados, time\nc ="
        ' rados.Rados(conffile="/etc/ceph/ceph.conf", name="client.admin"); c.connect()\nf ='
        ' open("/tmp/seen", "w")\nwhile not os.path.exists("/tmp/end"):\n    s ='
        ' json.loads(c.mon_command(json.dumps({"prefix": "status", "format": "json"}), b"")[1])\n  '
        '  print(s["osdmap"]["num_up_osds"], file=f, flush=True)\n    time.sleep(0.2)\''
        " >/tmp/watch.log 2>&1 &"
    )
    ceph.ssh.run("s1", watch)
    changed = patient(ceph, tmp_path).seatrial("deploy")
    seen = ceph.ssh.run("s1", "touch /tmp/end; cat /tmp/seen /tmp/watch.log").stdout.split()
    assert changed.returncode == 0, changed.stderr
    assert set(seen) == {"2", "3"}, seen
    grace = "ceph --connect-timeout 20 config show osd.{} osd_heartbeat_grace"
    assert {ceph.ssh.run("s1", grace.format(number)).stdout.strip() for number in range(3)} == {"9"}


def test_storage_servers_are_clients_and_serve_nfs_and_do_neither_again(
    deployed: Bench, tmp_path: Path
) -> None:
    """A client mounted with ceph-fuse reads the data of another; over NFS, a client changes to an
    own tree.

    Both are loaded at once. Without the key the mount ends, without the service the export ends;
    the data remain. After the removal the data remain until their disks are named.
    """
    (tmp_path / "both").mkdir()
    nfs_too = {"servers": "s3", "clients": "c2", "export": {"threads": 8}, "mount": {"version": 3}}
    ceph = patient(deployed, tmp_path)
    both = patient(deployed, tmp_path / "both", server_clients="s[1-2]", nfs=nfs_too)
    study = both.study
    solution = both.solution
    first = both.seatrial("deploy")
    assert first.returncode == 0, first.stderr
    second = both.seatrial("deploy")
    assert second.returncode == 0, second.stderr
    assert "changed" not in second.stderr
    mounts = {
        name: ceph.ssh.run(name, f"grep {solution.directory} /proc/mounts").stdout
        for name in solution.clients
    }
    assert ceph.ssh.run("s3", "cat /proc/sys/fs/leases-enable").stdout == "0\n"
    assert {name: line.split()[2] for name, line in mounts.items()} == {
        "s1": "fuse.ceph-fuse",
        "s2": "fuse.ceph-fuse",
        "c1": "ceph",
        "c2": "nfs",
    }

    for name in solution.clients:
        ceph.ssh.run(name, f"mkdir -p {solution.directory}/load")
    assert not [item for item in phase(both, "write") if item.damage or item.errors]
    apply_plan(solution.empty_caches(solution.clients), ceph.ssh)
    read = phase(both, "read")
    assert sorted((item.client, item.size_bytes) for item in read) == [
        (name, 2**20) for name in ("c1", "c2", "s1", "s2")
    ]
    assert not [item for item in read if item.damage or item.errors]
    trees = {
        name: ceph.ssh.run(name, f"ls {solution.directory}/load").stdout.split()
        for name in ("c1", "c2")
    }
    assert trees == {"c1": ["f0000.000", "f0001.000", "f0002.000"], "c2": ["f0000.000"]}

    # The service is back: the earlier data are still present.
    back = ceph.seatrial("deploy")
    assert back.returncode == 0, back.stderr
    fuse = (
        f"grep {solution.directory} /proc/mounts /etc/fstab; ls /etc/seatrial/*.keyring; pgrep -a"
        " ceph-fuse"
    )
    assert ceph.ssh.run("s1", fuse).stdout == ""
    leases = "cat /proc/sys/fs/leases-enable"
    assert [ceph.ssh.run(name, leases).stdout for name in ("s2", "s3")] == ["1\n", "1\n"]
    nfs = (
        "ls /etc/exports.d/*; cat /var/lib/nfs/etab; systemctl is-active nfs-server; find /srv"
        " -type f"
    )
    assert ceph.ssh.run("s3", nfs).stdout.split() == ["inactive", f"/srv/{study.id}/load/f0000.000"]
    assert " ceph " in ceph.ssh.run("c2", f"grep {solution.directory} /proc/mounts").stdout
    assert both.seatrial("deploy").returncode == 0
    ceph.ssh.run("c2", f"rm -r {solution.directory}/load")
    removed = both.seatrial("undeploy")
    assert removed.returncode == 0, removed.stderr
    again = both.seatrial("undeploy")
    assert again.returncode == 0, again.stderr
    assert "changed" not in again.stderr
    signatures = "wipefs --noheadings --output TYPE /dev/ubdb"
    assert ceph.ssh.run("s1", signatures).stdout.split() == ["ceph_bluestore"]
    erased = both.seatrial("undeploy", "--wipe", DISKS)
    assert erased.returncode == 0, erased.stderr
    assert ceph.ssh.run("s1", signatures).stdout == ""
    assert ceph.ssh.run("s1", fuse).stdout == ""
    assert ceph.ssh.run("s3", f"ls -d /srv/{study.id} /etc/exports.d/*").stdout == ""
    assert (
        ceph.ssh.run("c2", f"grep {study.id} /proc/mounts /etc/fstab; ls /etc/seatrial").stdout
        == ""
    )


@pytest.mark.skipif(
    "SEATRIAL_SOAK" not in os.environ, reason="long: the same daemons once more; SEATRIAL_SOAK=1"
)
def test_the_same_machines_as_hosts_with_parity_and_encryption(ceph: Bench, tmp_path: Path) -> None:
    """`lab: hosts` by ssh: names instead of addresses, keys from files, 2+1, messenger secure."""
    data = loaded(ceph.path.read_text())
    data |= {
        "id": "hosts-ceph",
        "environment": {"kind": "hosts", "ssh_config": str(ceph.lab.ssh_config)},
        "networks": {"data": {}},
    }
    data["nodes"] = {"s[1-3]": {"disks": {"devices": ["/dev/ubdb"]}}, "c[1-2]": {}}
    data["solution"] |= {
        "data": {"k": 2, "m": 1, "placement_groups": 32},
        "messenger": "secure",
        "secrets": {"servers": "/etc/seatrial/ceph", "clients": "/etc/seatrial/ceph-client"},
        "memory": {"osd": "352MiB", "mds": "64MiB"},
    }
    path = tmp_path / "study.yaml"
    path.write_text(text_of(data))
    study = load_study(path)
    _site, solution = prepare(study)
    hosts = Bench(study, path, solution, ceph.lab, ceph.ssh)
    for name in (*solution.servers, *solution.clients):
        for file, text in (("ceph", "5e" * 32), ("ceph-client", "7a" * 32)):
            if file == "ceph-client" or name in solution.servers:
                write = f"umask 077; mkdir -p /etc/seatrial; echo {text} >/etc/seatrial/{file}"
                assert ceph.ssh.run(name, write).exit_code == 0

    first = hosts.seatrial("deploy", "--wipe", DISKS)
    assert first.returncode == 0, first.stderr
    second = hosts.seatrial("deploy")
    assert second.returncode == 0, second.stderr
    assert "changed" not in second.stderr
    assert "ms_mode=secure" in ceph.ssh.run("c1", "cat /proc/mounts").stdout
    assert "erasure" in ceph.ssh.run("s1", "ceph osd pool ls detail").stdout

    ceph.ssh.run("c1", f"mkdir {solution.directory}/load")
    assert not [item for item in phase(hosts, "write") if item.damage or item.errors]
    apply_plan(solution.empty_caches(solution.clients), ceph.ssh)
    read = phase(hosts, "read")
    assert [item.size_bytes for item in read] == [2**20, 2**20]
    assert not [item for item in read if item.damage or item.errors]

    removed = hosts.seatrial("undeploy", "--wipe", DISKS)
    assert removed.returncode == 0, removed.stderr
    assert "changed" not in hosts.seatrial("undeploy").stderr
    look = (
        "ps ax -o comm | grep -E 'ceph-(mon|osd|mds|mgr)'; ls /etc/ceph/ceph.conf"
        " /var/lib/ceph/osd/*/keyring"
    )
    for node in ceph.solution.servers:
        assert ceph.ssh.run(node, look).stdout == ""
    again = ceph.seatrial("deploy")
    assert again.returncode == 0, again.stderr
    assert ceph.ssh.run("c2", f"ls {ceph.solution.directory}/load").stdout.split() == [
        "f0000.000",
        "f0001.000",
    ]

    wiped = ceph.seatrial(
        "undeploy", *(f"--wipe={node}:/dev/ubdb" for node in ceph.solution.servers)
    )
    assert wiped.returncode == 0, wiped.stderr
    for node in ceph.solution.servers:
        assert (
            ceph.ssh.run(node, "ls /var/lib/ceph/*/; wipefs --noheadings /dev/ubdb").stdout.count(
                "ceph-"
            )
            == 0
        )
