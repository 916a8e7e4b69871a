"""iSCSI in plans: the permitted logins, and their places and accounts; scripts of targets and
records, run by sh.
"""

import re
import subprocess
from pathlib import Path

import pytest

from seatrial.check import prepare
from seatrial.plan.plan import describe
from seatrial.solutions.parts import iscsi_initiator, iscsi_target
from tests.builders.iscsi import rows_of
from tests.builders.plan_fixtures import PLANS, both_plans, study_of

WITH_TARGETS = [name for name in PLANS if name.startswith(("nfs-ha/", "gfs2-iscsi/"))]


@pytest.mark.parametrize("name", WITH_TARGETS)
def test_a_target_is_for_the_studys_initiators_on_its_portals_with_an_account(name: str) -> None:
    """Never for every initiator, never on every address; the portals come last, after
    everything else.
    """
    study = study_of(name)
    site, _ = prepare(study)
    plan, _ = both_plans(name)
    offered = rows_of(plan)
    assert offered
    known = {f"iqn.2026-01.org.seatrial:{study.id}.{node}" for node in site.nodes}
    for node, rows in offered.items():
        numbers = {row[1] for row in rows if row[0] == "target"}
        assert numbers
        for number in numbers:
            assert [row[2] for row in rows if row[:2] == ["asks", number]] == [study.id]
            initiators = {row[2] for row in rows if row[:2] == ["initiator", number]}
            assert initiators
            assert initiators <= known
        portals = [row[1] for row in rows if row[0] == "portal"]
        assert [row[0] for row in rows[-len(portals) :]] == ["portal"] * len(portals)
        own = set(site.nodes[node].networks.values())
        group = {row[1].partition("/")[0] for row in rows if row[0] == "address"}
        assert set(portals) <= own | group
    text = describe(plan)
    assert "-I ALL" not in text
    assert "initiator-address" not in text
    assert "@generated:iscsi-chap@" in text


def test_no_secret_is_an_argument() -> None:
    """Tgtadm and iscsiadm take one as an argument, which everybody on the node can read."""
    for text in (iscsi_target.SCRIPT_TEXT, iscsi_initiator.FUNCTIONS):
        assert "--password" not in text
        assert "auth.password" not in text
    for name in WITH_TARGETS:
        for stage in both_plans(name)[0].stages:
            for steps in stage.steps.values():
                for step in steps:
                    for line in (
                        step.apply + step.check if step.check else step.apply
                    ).splitlines():
                        if "@generated:" in line:
                            assert line in (
                                "@generated:iscsi-chap@",
                                "@generated:corosync-key@",
                            ) or line.startswith("node.session.auth.password = "), line


RECORD = "# BEGIN RECORD 2.1.8\nnode.name = x\nnode.startup = manual\nnode.tpgt = 1\n# END RECORD\n"


def test_records_have_the_settings(tmp_path: Path) -> None:
    """Every session of a target, completely, for root alone; and a missing one is seen."""
    nodes = tmp_path / "nodes"
    settings = tmp_path / "settings"
    for portal in ("10.0.0.1,3260,1", "10.1.0.1,3260,1"):
        (nodes / "iqn.x:a" / portal).mkdir(parents=True)
        (nodes / "iqn.x:a" / portal / "default").write_text(RECORD)
    settings.write_text(
        "node.startup = automatic\nnode.session.auth.password = s3cret\nnode.conn[0].timeo.x = 2\n"
    )
    functions = iscsi_initiator.FUNCTIONS.replace("/etc/iscsi/nodes", str(nodes)).replace(
        "/etc/iscsi/", f"{tmp_path}/"
    )

    def sh(command: str) -> int:
        return subprocess.run(
            ["sh", "-c", f"{functions}\n{command}"], check=False, capture_output=True
        ).returncode

    assert sh(f"iscsi_known {settings} 2 iqn.x:a") != 0
    assert sh(f"iscsi_set {settings} iqn.x:a") == 0
    for record in nodes.rglob("default"):
        assert record.read_text() == RECORD.replace("node.startup = manual\n", "").replace(
            "# END", f"{settings.read_text()}# END"
        )
        assert record.stat().st_mode & 0o777 == 0o600
    assert sh(f"iscsi_known {settings} 2 iqn.x:a") == 0
    assert sh(f"iscsi_known {settings} 3 iqn.x:a") != 0
    assert sh(f"iscsi_known {settings} 2 iqn.x:a iqn.x:b") != 0
    (nodes / "iqn.x:a" / "10.1.0.1,3260,1" / "default").write_text(RECORD)
    assert sh(f"iscsi_known {settings} 2 iqn.x:a") != 0


def test_a_target_that_comes_later_is_added_to_those_in_use(tmp_path: Path) -> None:
    """It precedes the portals in the file, and is offered after them; tgtd is not restarted."""
    called = tmp_path / "called"
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, says in {
        "tgtadm": "",
        "ip": "1: eth0 inet 10.0.0.1",
        "getent": "10.0.0.1 x",
        "systemctl": "",
    }.items():
        (commands / name).write_text(f"#!/bin/sh\necho {name} $* >>{called}\necho '{says}'\n")
        (commands / name).chmod(0o755)
    script = tmp_path / "targets"
    offered = tmp_path / "offered"
    script.write_text(iscsi_target.SCRIPT_TEXT.replace("/run/", f"{tmp_path}/"))

    def run(mode: str) -> int:
        environment = {"PATH": f"{commands}:/usr/bin:/bin"}
        return subprocess.run(
            ["sh", script, offered, *mode.split()], env=environment, check=False
        ).returncode

    first = "target 1 iqn.x:a\n"
    second = "target 2 iqn.x:b\nredirect 2 ps2 3260\n"
    portal = "portal ps1 3260\n"
    offered.write_text(first + portal)
    assert run("start") == 0
    assert run("check") == 0
    offered.write_text(first + second + portal)
    assert run("check") != 0
    called.write_text("")
    assert run("") == 0
    assert "--targetname iqn.x:b" in called.read_text()
    assert "systemctl restart" not in called.read_text()
    assert run("check") == 0
    offered.write_text(second + portal)  # one is missing: the offer is made again
    assert run("") == 0
    assert "systemctl restart tgt" in called.read_text()


WITH_MAPS = ("nfs-ha/two-services", "gfs2-iscsi/block-servers")


OF_ALL = (
    r"multipath -F|dmsetup remove_all|vgchange [^\n]*-an *$|umount -a|swapoff"
    r" -a|--scan|(log(in|out)all)|killall|pkill"
)


@pytest.mark.parametrize("name", WITH_MAPS)
def test_a_removal_removes_its_own_maps_only(name: str, tmp_path: Path) -> None:
    """Executed by sh on a node that also has a foreign map; a map that is gone already is no
    mistake.
    """
    plan, undone = both_plans(name)
    own = set(re.findall(r"^ +alias (\S+)$", describe(plan), re.MULTILINE))
    assert len(own) > 1
    gone = max(own)
    steps = [
        (node, step)
        for stage in undone.stages
        for node, steps in stage.steps.items()
        for step in steps
        if step.title == "remove the iSCSI targets" and "multipath" in step.apply
    ]
    assert steps
    for node, step in steps:
        mapper = tmp_path / node / "mapper"
        reported = tmp_path / node / "told"
        mapper.mkdir(parents=True)
        for name_of in {*own, "prod-db"} - {gone}:
            (mapper / name_of).touch()
        stub = (
            f'multipath() {{ echo "$*" >>{reported}; }}\nsystemctl() {{ :; }}\n'
            f"iscsi_forget() {{ echo forgot >>{reported}; }}\n"
        )
        done = subprocess.run(
            ["sh", "-ec", stub + step.apply.replace("/dev/mapper", str(mapper))],
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        *flushed, last = reported.read_text().splitlines()
        assert (sorted(flushed), last) == (
            sorted(f"-f {map_of}" for map_of in own - {gone}),
            "forgot",
        )


@pytest.mark.parametrize("name", PLANS)
def test_no_plan_acts_on_everything_of_a_node(name: str) -> None:
    """Each command names the study's own parts: neither all maps, groups, mounts and
    sessions, nor processes by name.
    """
    for plan in both_plans(name):
        for stage in plan.stages:
            for node, steps in stage.steps.items():
                for step in steps:
                    found = re.search(OF_ALL, f"{step.check}\n{step.apply}", re.MULTILINE)
                    assert found is None, (node, step.title, found)


@pytest.mark.parametrize("write_cache", [True, False])
def test_a_node_that_misses_a_cache_rescans_the_disk(tmp_path: Path, write_cache: bool) -> None:
    """Linux would flush nothing: the check fails, and a rescan asks the disk once more."""
    disk = tmp_path / "class/sdb/device"
    (disk / "scsi_disk/0:0:0:1").mkdir(parents=True)
    (tmp_path / "sdb").touch()
    timers = iscsi_initiator.PathTimers(5, 5)
    device = str(tmp_path / "sdb")
    initiator = iscsi_initiator.Initiator(
        "s", "c1", ("t",), ("p",), (device,), timers, write_cache=write_cache
    )
    (step,) = [
        step for step in initiator.steps() if step.title.startswith("set the write cache mode")
    ]

    def sh(script: str) -> int:
        script = script.replace("/sys/class/block", str(tmp_path / "class"))
        return subprocess.run(["sh", "-ec", script], check=False).returncode

    for known, holds in {"write back\n": write_cache, "write through\n": not write_cache}.items():
        (disk / "scsi_disk/0:0:0:1/cache_type").write_text(known)
        assert (sh(str(step.check)) == 0) == holds
    assert sh(step.apply) == 0
    assert (disk / "rescan").read_text() == "1\n"
