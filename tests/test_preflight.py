"""The output of `seatrial preflight` for nodes that are this machine with a separate root,
and its end.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seatrial.advice.bonds import bond_found, bond_warnings, bond_words
from seatrial.advice.preflight import preflight as look
from seatrial.advice.preflight import tell_named, tell_packages
from seatrial.advice.preflight_text import preflight_text
from seatrial.basics.errors import RunError
from seatrial.basics.units import written_size
from seatrial.check import prepare
from seatrial.cli import app
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.plan.site import SiteBond
from seatrial.service.session import Session
from seatrial.solutions.base import MemoryNeed
from seatrial.transport import Completed, Local
from tests.builders.mounts import mounted
from tests.builders.nodes import laid
from tests.builders.strategies import MINIMAL, study, text_of

NAMES: dict[str, str] = {}
REACH = {"peer": "nas", "whole": True}
CLEAN = {
    "files": {
        "etc/os-release": 'PRETTY_NAME="Made Up Linux 1"\n',
        "sys/class/net/eth7/speed": "25000\n",
        "sys/class/net/eth7/mtu": "9000\n",
    },
    "commands": {
        "getent": "echo '10.0.0.9 STREAM x'",
        "ip": "echo '10.0.0.9 dev eth7 src 10.0.0.1'",
        "ping": "",
        "dpkg-query": "echo 1.2-3",
        "mount.nfs": "",
        "look_disks": "",
    },
}


def asked(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    transport: Local,
    *arguments: str,
    needs: Callable[[str], MemoryNeed | None] | None = None,
    **node: Any,
) -> tuple[int, str]:
    """Exit code and output of the verb, with the facts of `node` on every node and the
    solution's `needs`.
    """
    laid({key: CLEAN[key] | node.get(key, {}) for key in CLEAN}, root, NAMES)
    monkeypatch.setenv("SEATRIAL_ROOT", str(root))
    monkeypatch.setenv("PATH", f"{root}/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    path = root / "study.yaml"
    path.write_text(text_of(MINIMAL))

    def running(study: Any, site: Any, solution: Any) -> Session:
        if needs:
            # For this instance alone: its class decides its kind.
            object.__setattr__(solution, "memory_needed", needs)
        return Session(study, site, solution, HostsLab(None), transport)

    monkeypatch.setattr("seatrial.service.session.running", running)
    done = CliRunner().invoke(app, ["preflight", str(path), *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout


def test_refusals_are_reported_with_the_facts_and_end_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every refusal of a node, not only the first: its disks are missing, and it has another
    export.
    """
    code, printed = asked(
        tmp_path,
        monkeypatch,
        Local(),
        "--json",
        files={"etc/exports": "/home *(rw)\n", "etc/fstab": "x:/ /mnt/small nfs\n"},
    )
    nodes = {node["node"]: node for node in json.loads(printed)["nodes"]}
    assert code == 1
    assert set(nodes) == {"nas", "c1", "c2", "c3", "c4"}
    nas = "\n".join(nodes["nas"]["refuses"])
    assert "etc/exports exports /home, which small did not create" in nas
    assert "/dev/ubdb is not a block device" in nas
    assert any("has x:/ at /mnt/small" in line for line in nodes["c1"]["refuses"])
    assert not any("exports" in line for line in nodes["c1"]["refuses"])
    assert nodes["c1"]["system"].startswith("Made Up Linux 1, Linux ")
    assert nodes["c1"]["links"] == [
        {"network": "data", "device": "eth7", "mbit_per_s": 25000, "mtu": 9000} | REACH
    ]
    assert nodes["c1"]["versions"] == {"nfs-common": "1.2-3"}
    assert abs(nodes["c1"]["clock_ahead_s"]) < 5
    assert [disk["device"] for disk in nodes["nas"]["disks"]] == list(prepare_devices())


def test_a_node_without_a_time_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The `date` of BusyBox has no nanoseconds."""
    with pytest.raises(RunError, match="`date \\+%s.%N` prints no time: 1764633600.%N"):
        asked(tmp_path, monkeypatch, Local(), commands={"date": "echo 1764633600.%N"})


def prepare_devices() -> tuple[str, ...]:
    """The devices of the small study's server."""
    return prepare(study())[0].nodes["nas"].devices


@pytest.mark.parametrize(
    ("ping", "words"),
    [
        ("[ \"$*\" != '-q -c 1 -W 2 -M do -s 8973 10.0.0.9' ]", "MTU 9000, end to end to nas"),
        (
            "case $* in *'-M do -s 8972 10.0.0.9') exit 1 ;; esac",
            "MTU 9000, a packet of this size does not reach nas",
        ),
        ("exit 1", "MTU 9000, nas answers no ping"),
    ],
    ids=["whole", "smaller", "silent"],
)
def test_an_mtu_is_tried_to_the_other_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ping: str, words: str
) -> None:
    """The MTU of the card does not show that of a switch."""
    _code, printed = asked(tmp_path, monkeypatch, Local(), commands={"ping": ping})
    assert f"data: eth7, 25000 Mbit/s, {words}" in printed


def test_the_table_names_every_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals first; named devices are announced as erased."""
    code, printed = asked(tmp_path, monkeypatch, Local(), "--wipe", "nas:/dev/ubdb")
    assert code == 1
    assert "nas: refuses\n    refuses     /dev/ubdb is not a block device" in printed
    assert "c1: nothing refuses\n    system      Made Up Linux 1" in printed
    assert "data: eth7, 25000 Mbit/s, MTU 9000" in printed
    assert "/dev/ubdb, 0 B, empty, ERASED" in printed
    assert "/dev/ubdc, 0 B, empty, wanted by the study" in printed
    assert printed.endswith("1 of 5 nodes refuses; nothing was changed\n")


MEMORY = {"proc/meminfo": "MemTotal:       16777216 kB\nMemFree:         1048576 kB\n"}


@pytest.mark.parametrize(
    ("needed", "row", "warned"),
    [
        (None, "16 GiB\n", False),
        (
            MemoryNeed(16 * 2**30, "4 OSDs of 4 GiB"),
            "16 GiB; needed 16 GiB: 4 OSDs of 4 GiB\n",
            False,
        ),
        (MemoryNeed(17 * 2**30, "5 OSDs"), "16 GiB; needed 17 GiB: 5 OSDs\n", True),
    ],
    ids=["nothing is told", "it fits", "too much"],
)
def test_memory_is_compared_with_the_targets_of_daemons(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    needed: MemoryNeed | None,
    row: str,
    warned: bool,
) -> None:
    """By the kernel's figure; nodes of one kind share a line, and no node is refused for it."""

    def reported(node: str) -> MemoryNeed | None:
        return needed if node.startswith("c") else None

    needs = reported if needed else None
    code, printed = asked(tmp_path, monkeypatch, Local(), needs=needs, files=MEMORY)
    assert printed.count(f"    memory      {row}") == (5 if needed is None else 4)
    assert ("warning: c[1-4]: memory " in printed) == warned
    assert code == asked(tmp_path, monkeypatch, Local(), files=MEMORY)[0]


def test_unknown_memory_is_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The required memory is printed all the same."""
    _code, printed = asked(
        tmp_path, monkeypatch, Local(), needs=lambda _: MemoryNeed(2**40, "OSDs")
    )
    assert "    memory      unknown; needed 1 TiB: OSDs\n" in printed
    assert "warning" not in printed


def test_room_is_compared_with_the_writes_of_every_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For existing storage; before the deployment the room is unknown."""
    data = mounted(str(tmp_path), filesystem="x")
    data["nodes"] = {"localhost": {}}
    data["experiments"]["streams"] |= {
        "sweep": {"tasks": [1, 2]},
        "workload": {"transfer_size": "1MiB", "file_size": "16TiB"},
        "quick": {"workload": {"file_size": "1MiB"}},
    }
    made = study(data)
    site, solution = prepare(made)
    found = look(Session(made, site, solution, HostsLab(None), Local()), {})
    assert [(room.profile, room.needed_bytes, room.where) for room in found.rooms] == [
        ("quick", 2 * 2**20, "streams tasks=2"),
        ("trial", 32 * 2**40, "streams tasks=2"),
        ("full", 32 * 2**40, "streams tasks=2"),
    ]
    assert found.free_bytes is not None
    text = preflight_text(found)
    assert (
        f"free space in {tmp_path} is {written_size(found.free_bytes)}; peak use of a run: " in text
    )
    assert "quick 2 MiB, trial 32 TiB, full 32 TiB" in text
    assert (
        "no room for any part of the full profile: make `file_size` smaller, or free some space"
        in text
    )
    assert "of the quick profile" not in text
    assert "warning: Nothing is deployed" in text
    assert "warning: it forgets" in preflight_text(replace(found, warnings=("it forgets",)))
    full = replace(found, nodes=(), free_bytes=2**20)
    assert (
        "no room for streams tasks=2 of the quick profile: such a point is not begun"
        in preflight_text(full)
    )
    assert full.clean
    assert not replace(full, free_bytes=2**20 - 1).clean
    assert "against this machine's" not in text  # it is this machine
    _, printed = asked(tmp_path, monkeypatch, Local())
    assert "against this machine's" in printed
    assert "free space in /mnt/small is not known yet; peak use of a run: quick" in printed
    assert "no room" not in printed


class Silent(Local):
    """Nodes on which nothing refuses, or that end in the middle."""

    def __init__(self, *, ends: bool) -> None:
        self.ends = ends

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """The last line alone."""
        return Completed(
            node, 0, "1.0\n" if "date" in command else f"system x\n{'end' * self.ends}\n", ""
        )


def test_it_ends_with_0_or_with_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node with half of the output counts as not asked."""
    code, printed = asked(tmp_path, monkeypatch, Silent(ends=True))
    assert (code, printed.splitlines()[-1]) == (0, "0 of 5 nodes refuse; nothing was changed")
    with pytest.raises(RunError, match="could not be reached"):
        asked(tmp_path, monkeypatch, Silent(ends=False))


def test_the_content_of_named_devices_is_reported_before_they_are_erased() -> None:
    """These alone, with the node's own information."""

    class Says(Local):
        def run(
            self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
        ) -> Completed:
            # None of them is here.
            done = super().run(node, command, stdin=stdin, timeout_s=timeout_s)
            assert done.stdout == f"device {device}\t\t\t0\t\nend\n"
            line = f"device {device}\tST4000\tZ1\t4000787030016\text4 'home'; mounted at /home"
            return replace(done, stdout=f"{line}\nend\n")

    device = "/dev/ubdc"
    found = study()
    printed: list[str] = []
    tell_named(
        Session(found, *prepare(found), HostsLab(None), Says()),
        {"nas": frozenset({device})},
        printed.append,
    )
    assert printed == [
        f"--wipe names nas:{device}, ST4000 Z1, 3.64 TiB, ext4 'home'; mounted at /home"
    ]
    tell_named(Session(found, *prepare(found), HostsLab(None), Says()), {}, printed.append)
    assert len(printed) == 1
    tell_named(
        Session(found, *prepare(found), HostsLab(None), Local()),
        {"nas": frozenset({device})},
        printed.append,
    )
    assert printed[1:] == [f"--wipe names nas:{device}, which does not exist"]


def test_remaining_packages_are_reported_with_their_removal() -> None:
    """Once for equal nodes; nothing without installed packages."""

    class Says(Local):
        def run(
            self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
        ) -> Completed:
            assert (command, b"/made/small/packages" in stdin) == ("sh", True)
            return Completed(node, 0, "" if node == "nas" else "nfs-common\nlibevent\n", "")

    found = study()
    said = list[str]()
    tell_packages(Session(found, *prepare(found), HostsLab(None), Says()), said.append)
    words = "`undeploy --packages` removes them, unless other software needs them"
    assert said == [f"stays on c[1-4]: libevent nfs-common; {words}"]


def test_nothing_is_erased_without_a_report_of_its_content() -> None:
    """A node that breaks off its answer, or gives none."""

    class Ends(Local):
        def run(
            self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
        ) -> Completed:
            return Completed(node, 1, "", "sh: not found")

    found = study()
    current = Session(found, *prepare(found), HostsLab(None), Ends())
    with pytest.raises(RunError, match="nas could not be reached: sh: not found"):
        tell_named(current, {"nas": frozenset({"/dev/ubdc"})}, lambda _text: None)


@pytest.mark.parametrize(("mtu", "size"), [("65536", "65507"), ("9000", "8972"), ("0", None)])
def test_no_packet_is_sent_that_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mtu: str, size: str | None
) -> None:
    """Loopback has a larger MTU than a packet may be long; of a link without one nothing is
    claimed.
    """
    ping = f"case $* in '-q -c 1 -W 2 10.0.0.9' | *' -s {size} 10.0.0.9') ;; *) exit 1 ;; esac"
    files = {"sys/class/net/eth7/mtu": f"{mtu}\n"}
    _code, printed = asked(
        tmp_path, monkeypatch, Local(), "--json", commands={"ping": ping}, files=files
    )
    links = [node["links"] for node in json.loads(printed)["nodes"] if node["node"] == "c1"]
    assert [link["whole"] for link in links[0]] == [None if size is None else True]


def test_the_bond_of_a_host_is_compared_with_that_of_the_study() -> None:
    """Each difference is a sentence; Seatrial changes no bond of a host."""
    wanted = {"data": SiteBond(2, "802.3ad", "layer3+4")}
    alike = bond_found("data bond0 802.3ad layer3+4 2 2")
    assert list(bond_warnings("nas", wanted, (alike,))) == []
    assert bond_words(alike) == "data: bond bond0, 802.3ad, hash layer3+4, 2 of 2 links up"
    other = bond_found("data bond0 balance-xor layer2 4 3")
    assert list(bond_warnings("nas", wanted, (other,))) == [
        "nas: the bond bond0 to data has mode balance-xor; the study has 802.3ad",
        "nas: the bond bond0 to data has hash layer2; the study has layer3+4",
        "nas: the bond bond0 to data has links 4; the study has 2",
        "nas: of the bond bond0 to data only 3 of 4 links are up",
    ]
    assert list(bond_warnings("nas", wanted, ())) == [
        "nas: the study has a bond to data, and the card that reaches it is in no bond"
    ]
    assert list(bond_warnings("nas", {}, (other,))) == []


def test_the_bond_below_a_vlan_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has its state in files."""
    bond = "sys/class/net/eth7/lower_bond0/bonding"
    files = {
        "sys/class/net/eth7/mtu": "9000\n",
        f"{bond}/mode": "802.3ad 4\n",
        f"{bond}/xmit_hash_policy": "layer3+4 1\n",
        f"{bond}/slaves": "eth0 eth1\n",
        "sys/class/net/eth0/bonding_slave/mii_status": "up\n",
        "sys/class/net/eth1/bonding_slave/mii_status": "down\n",
    }
    _code, printed = asked(tmp_path, monkeypatch, Local(), files=files)
    assert "bond        data: bond bond0, 802.3ad, hash layer3+4, 1 of 2 links up" in printed
