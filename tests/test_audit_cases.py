"""Findings of an audit on real systems: the probe runs over a copy of their files.

Each folder of `data/audit` has the files of one node, as public bug trackers show them.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from seatrial.advice.audit_base import PROBE, Facts, every_finding, facts_of
from tests.builders.places import DATA

CASES = DATA / "audit"
ROOTS = ("proc", "var", "etc", "run", "sys")


def facts(case: str, folder: Path, peer: str = "") -> Facts:
    """The output of the probe with the files of a case."""
    root = folder / "root"
    shutil.copytree(CASES / case, root)
    for program in root.glob("bin/*"):
        program.chmod(0o755)
    script = re.sub(rf"(?<![\w./-])/({'|'.join(ROOTS)})/", rf"{root}/\1/", PROBE)
    done = subprocess.run(
        ["dash", "-s", peer],
        input=f"PATH={root}/bin:$PATH\n{script}",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return facts_of("n", done.stdout)


def found(case: str, folder: Path) -> list[str]:
    """The findings there, the gravest first."""
    return [f"{item.level}: {item.what}" for item in every_finding([facts(case, folder)])]


EXPECTED = {
    "mdstat-two-degraded": ["array md126 [_UUU_] is not whole", "array md127 [U_] is not whole"],
    "mdstat-inactive": ["array md127 is inactive"],
    "mdstat-raid0-broken": [
        "array md0 (raid0) is broken",
        "array md1 still has the failed member sdf1",
    ],
    "mdstat-imsm-container": [],
    "mounts-nfs-odd": [
        "/mnt/my data (nas:/export/my data) is mounted soft",
        "/mnt/v6 ([2001:db8::5]:/export) is mounted soft",
    ],
    "mounts-cifs-odd": [
        "/mnt/y (//nas03/y) has cache=loose",
        "/mnt/smb (//NAS01/Shared Data) is mounted soft",
        "/mnt/y (//nas03/y) is mounted soft",
    ],
    "exports-space-netgroup-ipv6": ["/srv/my data to @trusted is exported async"],
    "exports-world-forms": [f"/srv/{name} is exported to everybody" for name in "abcdeg"],
    "smbconf-domain-backslash": [
        "[cae] has strict sync = no",
        "[cae] has guest ok = yes",
        "[plain] has strict sync = no",
    ],
    "smbd-pid-rhel": ["[global] has strict sync = no", "[scratch] has guest ok = yes"],
    "ceph-cephadm": ["PG_DAMAGED", "OSD_DOWN", "the OSD map has the flag noout"],
    "ceph-jewel": ["the Ceph cluster is too old for the audit"],
    "sshfs-glued-options": ["/mnt/data is compressed by ssh"],
    "sshfs-trailing-slash": ["/mnt/data is mounted by sshfs"],
}


@pytest.mark.parametrize("case", EXPECTED)
def test_each_defect_is_found(case: str, tmp_path: Path) -> None:
    """With any blanks, backslashes and addresses in it."""
    lines = found(case, tmp_path)
    for expected in EXPECTED[case]:
        assert any(expected in line for line in lines), (expected, lines)
    if not EXPECTED[case]:
        assert lines == []


def test_correct_settings_are_not_reported(tmp_path: Path) -> None:
    """Options without a blank after `-o`, and clients that need a ticket."""
    lines = found("sshfs-glued-options", tmp_path / "sshfs")
    assert not any("connect again" in line or "ServerAlive" in line for line in lines)
    assert not any("/srv/f" in line for line in found("exports-world-forms", tmp_path / "exports"))


def test_an_array_without_redundancy_is_reported(tmp_path: Path) -> None:
    """RAID 6 without two of its members is as close to a loss as a mirror without one."""
    arrays = {item.name: item for item in facts("mdstat-two-degraded", tmp_path).arrays}
    assert {name: item.redundant for name, item in arrays.items()} == {
        "md126": False,
        "md127": False,
    }


@pytest.mark.parametrize("case", ["mtu-no-ip-command", "mtu-route-unreachable"])
def test_a_node_without_a_route_is_looked_at_all_the_same(case: str, tmp_path: Path) -> None:
    """The MTU is not known, and is listed as such; the rest is."""
    found_facts = facts(case, tmp_path, peer="192.0.2.1")
    assert "mtu" not in found_facts.values
    assert any(gap.startswith("the MTU:") for gap in found_facts.gaps)
    assert found_facts.mounts


def test_arrays_of_all_kinds(tmp_path: Path) -> None:
    """A lost member of RAID 0 that an old kernel still calls active is found, and no array that is
    whole.
    """
    assert [
        line.partition(":")[2].split()[1] for line in found("mdstat-of-all-kinds", tmp_path)
    ] == [
        "md4",
        "md12",
        "md42",
    ]
    assert "unsafe: array md12 (raid0) is broken" in found(
        "mdstat-of-all-kinds", tmp_path / "again"
    )
