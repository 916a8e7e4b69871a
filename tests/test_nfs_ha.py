"""The highly available pair without a lab: the refusals, the cluster's configuration, and its
reports.
"""

import fcntl
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.cases import Case, vary
from seatrial.labs.kinds import emulated
from seatrial.plan.data_path import payload_share
from seatrial.service.deployed import check_remaking
from seatrial.solutions.base import Clustered, Fences, MovesServices, Restores
from seatrial.solutions.kinds.nfs_ha import load
from seatrial.solutions.parts import nfs_service, pacemaker_status, self_fencing
from seatrial.solutions.parts.nfs_ha_options import PRESETS
from seatrial.study.points import Point
from seatrial.study.workload import Workload
from tests.builders.pairs import SHIPPED, pair
from tests.builders.places import CLUSTERS
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

TWO = {
    "one": {"address": "10.10.200.1/16", "prefer": "srv1"},
    "two": {"address": "10.10.200.2/16", "prefer": "srv2"},
}
APART = {"node": "array", "raid": {"level": 6}, "networks": ["storage-a"], "apart": True}
"""each service has its own array"""


def test_it_has_the_interface_of_a_highly_available_solution() -> None:
    """The orchestrator asks for the protocol, never for the kind."""
    for protocol in (Clustered, Fences, MovesServices, Restores):
        assert isinstance(pair(), protocol)


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        ({"fencing": None}, "without fencing is refused"),
        ({"fencing": []}, "without fencing is refused"),
        ({"fencing": [[]]}, "without fencing is refused"),
        ({"servers": "srv1"}, "names 1 node; a pair has two"),
        ({"heartbeat": ["nowhere"]}, "not attached to the network 'nowhere'"),
        ({"services": {"data": {"address": "10.10.200.1"}}}, "has no prefix length"),
        (
            {"services": {"data": {"address": "10.10.200.1/0"}}},
            "is a network of 0.0.0.0/0; the prefix is 8 at least",
        ),
        ({"services": {"data": {"address": "10.10.200.1/7"}}}, "the prefix is 8 at least"),
        (
            {"services": {"data": {"address": "fd00::1/64"}}},
            "is not an IPv4 address with the length of its prefix",
        ),
        ({"services": {"data": {"address": "0.0.0.0/8"}}}, "is the address of no service"),
        ({"services": {"data": {"address": "127.0.0.1/8"}}}, "is the address of no service"),
        ({"adjust": {"bogus": 1}}, "adjust.bogus"),
        ({"adjust": {"lease_s": "20; reboot"}}, "adjust.lease_s"),
        ({"adjust": {"lease_s": True}}, "adjust.lease_s"),
        (
            {"services": {"data": {"address": "10.10.200.1/16", "prefer": "c1"}}},
            "'c1' is not a server",
        ),
        (
            {"services": TWO, "agents": "distribution"},
            "two services need agents: lightweight",
        ),
        ({"adjust": {"lease_s": 1}}, "lease_s"),
        (
            {
                "array": {
                    "node": "array",
                    "raid": {"level": 50, "spans": 5},
                    "networks": ["storage-a"],
                }
            },
            "equal spans",
        ),
        (
            {"array": {"node": "array", "raid": {"level": 1}, "networks": ["storage-a"]}},
            "too few for XFS",
        ),
        (
            {"services": TWO, "array": {**APART, "raid": {"level": 6, "spares": 1}}},
            "no spans and no spares",
        ),
    ],
)
def test_an_unsafe_or_wrong_setting_is_refused(solution: dict[str, Any], words: str) -> None:
    """At plan time, with the place and the way out."""
    with pytest.raises(InputError) as caught:
        pair(**solution)
    assert words in str(caught.value)


@pytest.mark.parametrize("agents", ["lightweight", "distribution"])
@pytest.mark.parametrize("fencing", [[["bmc"]], [["pdu"]], [["bmc"], ["pdu"]], [["bmc", "pdu"]]])
def test_the_configuration_of_the_cluster_is_sound(agents: str, fencing: list[list[str]]) -> None:
    """Well-formed, every id once, no missing reference, fencing on, and no server fences itself."""
    configuration = pair(agents=agents, fencing=fencing).configuration()
    root = ElementTree.fromstring(configuration.xml())
    identities = [item.get("id") for item in root.iter() if item.get("id")]
    assert len(identities) == len(set(identities))
    named = {item.get("id") for item in root.iter() if item.tag in ("primitive", "group", "clone")}
    for item in root.iter():
        assert {item.get(key) for key in ("rsc", "first", "then") if item.get(key)} <= named
    devices = {
        device
        for level in root.iter("fencing-level")
        for device in str(level.get("devices")).split(",")
    }
    assert devices
    assert devices <= named
    assert {level.get("target") for level in root.iter("fencing-level")} == {"srv1", "srv2"}
    values = {item.get("name"): item.get("value") for item in root.iter("nvpair")}
    assert values["stonith-enabled"] == "true"
    away = {
        (item.get("rsc"), item.get("node"))
        for item in root.iter("rsc_location")
        if item.get("node")
    }
    if fencing[0][0] == "bmc":
        assert {("fence-srv1", "srv1"), ("fence-srv2", "srv2")} <= away
    stops = [
        item
        for item in root.iter("op")
        if item.get("name") == "stop" and "data" in str(item.get("id"))
    ]
    assert stops
    assert all(item.get("on-fail") == "fence" for item in stops)


def test_each_service_may_have_its_own_array() -> None:
    """An equal part of the disks, as one LUN; the disks of one service bound its rate."""
    apart = pair(services=TWO, array=APART)
    assert [(md_set.name, md_set.members) for md_set in apart.array_sets()] == [
        ("nss-ha-a0", tuple(f"/dev/ubd{letter}" for letter in "bcdefg")),
        ("nss-ha-a1", tuple(f"/dev/ubd{letter}" for letter in "hijklm")),
    ]
    text = "\n".join(step.alone(step.apply) for step in apart.array.array_steps())
    assert "vgcreate" not in text
    for lun in ("/dev/md/nss-ha-a0", "/dev/md/nss-ha-a1"):
        assert lun in text
    shared = pair(services=TWO, array={**APART, "apart": False})
    assert "vgcreate" in "\n".join(step.apply for step in shared.array.array_steps())
    assert (apart.raid.data_disks, shared.raid.data_disks) == (8, 10)
    assert apart.layout != shared.layout
    disks = [
        next(item for item in it.data_path(2).resources if item.name == "disks")
        for it in (apart, shared)
    ]
    assert disks[0].write_bytes_per_s == pytest.approx((disks[1].write_bytes_per_s or 0) * 4 / 10)


def test_the_bound_is_that_of_the_clients_network() -> None:
    """A link that has another rate in the study is named."""
    data = loaded(SHIPPED.read_text())
    for node in data["nodes"].values():
        if "links" in node:
            node["links"]["public"] = "1Gbit/s"
    found = study(data)
    it = load(found, emulated.site(found))
    server = next(item for item in it.data_path(2).resources if item.name == "server link")
    assert server.read_bytes_per_s == pytest.approx(
        125e6 * it.site.scale * payload_share(9000, wire=False)
    )
    local = [item.name for item in it.data_path(2, local=True).resources]
    assert local == ["storage paths", "disks"]


@pytest.mark.parametrize(("node", "least"), [("srv[1-2]", "304MiB"), ("array", "128MiB")])
def test_a_node_with_too_little_memory_is_refused(node: str, least: str) -> None:
    """The kernel would kill corosync on a server."""
    data = loaded(SHIPPED.read_text())
    data["nodes"][node]["memory"] = "96MiB"
    found = study(
        {
            key: data[key]
            for key in ("schema", "id", "environment", "networks", "pdus", "nodes", "solution")
        }
    )
    with pytest.raises(
        InputError, match=rf"nodes\.{re.escape(node)}\.memory: .* needs at least {least}"
    ):
        load(found, emulated.site(found))


def test_a_separate_array_is_inspected_before_it_is_rebuilt() -> None:
    """On hosts: the disks are those of the array, which is no server."""
    data = loaded(SHIPPED.read_text())
    found = study(data)
    site = replace(emulated.site(found))
    nodes = {name: replace(node, devices_hold_zeros=False) for name, node in site.nodes.items()}
    point = Point(
        {},
        1,
        next(iter(found.experiments.values())).workload,
        {"solution.array.raid": {"level": 10}},
    )
    case = Case("kinds", next(iter(found.experiments.values())), point, vary(found, point.changes))
    base = replace(vary(found), site=replace(site, nodes=nodes))
    with pytest.raises(InputError, match="recreates the storage, which erases /dev/"):
        check_remaking(base, [case], {})


def test_a_change_of_the_configuration_changes_its_hash() -> None:
    """A second deploy compares it."""
    assert pair().configuration().hash == pair().configuration().hash
    assert pair().configuration().hash != pair(adjust={"monitor_s": 7}).configuration().hash


LOOKED = [
    ("nothing configured", None, None, "", "ok"),
    ("ours", "pair", "pair", "", "ok"),
    ("a package's own", None, "debian", "", "ok"),
    ("a live cluster of that name", None, "debian", "  web (ocf:heartbeat:apache)", "failed"),
    ("of another owner, running or not", None, "prod", "", "failed"),
    ("of another owner, which has our name", None, "pair", "", "failed"),
    ("of another owner, made where ours was", "pair", "prod", "", "failed"),
    ("another study's", "other", "other", "", "failed"),
]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    ("user", "command", "seen"),
    [
        (0, "umount /srv/a", True),
        (0, "umount -l /srv/a", True),
        (65534, "umount /srv/a", False),
        (0, "umount /srv/other", False),
        (0, "umount /home", False),
        (65534, "rpc.nfsd 0", False),
        (0, "vgchange -q -an st-a", True),
        (0, "vgchange -q -an backup", False),
        (0, "vgchange -q -an", False),
        (0, "/bin/sh /usr/lib/ocf/resource.d/seatrial/nfs-service stop", True),
        (0, "vi /root/resource.d/how to stop", False),
    ],
)
def test_the_watchdog_sees_roots_commands_for_its_services_only(
    user: int, command: str, seen: bool
) -> None:
    """Any process can have any name, and other file systems and volumes do not belong to the
    service.
    """
    script = self_fencing._script(["/srv/a", "/srv/b"], ["st-a", "st-b"], 60)
    asked = re.search(r"pgrep .*'", script)
    assert asked is not None
    with subprocess.Popen(
        [command], executable="/bin/cat", user=user, stdin=subprocess.PIPE
    ) as process:
        found = subprocess.run(
            ["sh", "-c", asked[0].replace("--older 60", "")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.stdin is not None
        process.stdin.close()
    assert (str(process.pid) in found.stdout.split()) == seen


def test_grace_and_scope_are_set_everywhere() -> None:
    """One number for the lease, nfsd's grace and lockd's; one scope for both servers."""
    text = "".join(script for _, _, _, script in pair(adjust={"lease_s": 17}).plan({}).scripts())
    assert "lease-time=17\ngrace-time=17" in text
    assert "nlm_grace_period=17" in text
    assert 'name="scope" value="nss-ha"' in text


def test_all_rows_of_settings_are_printed() -> None:
    """The active one, and the others, so that a reader can choose."""
    reported = dict(pair(settings="paper").parts())
    assert reported["settings"].startswith("paper: token 10000 ms")
    assert {f"settings, {name}" for name in PRESETS if name != "paper"} <= set(reported)


def test_a_short_lease_with_the_stock_agents_is_warned_of() -> None:
    """Seen in the lab: the grace was over before a client could reach the server."""
    assert any(
        "lose their locks" in text
        for text in pair(agents="distribution", settings="fast").plan({}).warnings
    )
    assert not any(
        "lose their locks" in text
        for text in pair(agents="distribution", settings="safe").plan({}).warnings
    )
    assert not any(
        "lose their locks" in text
        for text in pair(agents="lightweight", settings="fast").plan({}).warnings
    )


def test_a_healthy_cluster_differs_from_a_degraded_one() -> None:
    """Real output of crm_mon, and variants with one thing missing."""
    whole = (CLUSTERS / "whole.xml").read_text()
    found = pacemaker_status.read(whole, ("srv1", "srv2"), ("data",), "srv1")
    assert (found.active, found.healthy, found.text) == ({"data": "srv1"}, True, "data on srv1")
    for old, new, words in (
        ('name="srv2" id="2" online="true"', 'name="srv2" id="2" online="false"',
        "srv2 is not a member"),
        ('unclean="false"', 'unclean="true"', "is unclean"),
        ('id="data-service" resource_agent="ocf:seatrial:nfs-service" role="Started"',
         'id="data-service" resource_agent="ocf:seatrial:nfs-service" role="Stopped"',
         "data is not started"),
        ('origin="srv1" status="success" delegate="srv1" completed="2026-11-21 23:50:00Z"',
         'origin="srv1" status="pending"', "a fencing of srv2 is pending"),
    ):  # fmt: skip
        assert old in whole
        found = pacemaker_status.read(whole.replace(old, new), ("srv1", "srv2"), ("data",), "srv1")
        assert not found.healthy
        assert words in found.text
    with pytest.raises(ValueError, match="cannot be read"):
        pacemaker_status.read("crm_mon: not running", ("srv1",), ("data",), "srv1")


def test_the_moments_of_a_real_takeover() -> None:
    """srv2 panicked; srv1 noticed, fenced it, started the service; each from srv1's own journal."""
    found = pacemaker_status.moments(
        "srv1", (CLUSTERS / "panic-srv1.journal").read_text(), ("data",)
    )
    order = [item.what for item in found]
    assert order == [
        "detected", "membership", "fencing", "fenced", "starting", "grace", "started",
        "grace-ended", "membership"
    ]  # fmt: skip
    assert [item.boottime_s for item in found] == sorted(item.boottime_s for item in found)


@given(st.text(max_size=300))
def test_any_journal_can_be_read(text: str) -> None:
    """A journal may contain any bytes."""
    for item in pacemaker_status.moments("n", text, ("data",)):
        assert item.node == "n"


@given(
    st.integers(1, 64),
    st.integers(1, 8),
    st.sampled_from([512, 4096, 65536]),
    st.integers(1, 2**30),
)
def test_a_total_is_shared_out_in_whole_transfers(
    clients: int, tasks: int, transfer: int, total: int
) -> None:
    """Never more than the total, at most one transfer per task less, refused where nothing
    would be left.
    """
    load = Workload.model_validate(
        {"transfer_size": f"{transfer}B", "total_size": f"{total}B", "tasks": tasks}
    )
    if total // (clients * tasks) < transfer:
        with pytest.raises(ValueError, match="less than one transfer"):
            load.shared_out(clients)
        return
    file = load.shared_out(clients).file_size
    assert file % transfer == 0
    assert file * clients * tasks <= total < (file + transfer) * clients * tasks


def test_the_next_server_knows_the_holders_of_locks(tmp_path: Path) -> None:
    """At the end of lockd, statd drops its clients; its notes after a start are not removed."""
    agent = (
        (Path(nfs_service.__file__).parent / "agents/nfs-service")
        .read_text()
        .replace("/var/lib/nfs", str(tmp_path))
    )
    found = re.search(r"^note_holders\(\) \{.*?^\}\n", agent, re.S | re.M)
    end_service = re.search(r"^end_service\(\) \{.*?^\}\n", agent, re.S | re.M)
    start = re.search(r"^    (runs rpc.statd \|\| .*)$", agent, re.M)
    assert found
    assert end_service
    assert start
    for name in ("sm/c1", "sm.bak/c2"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    lockd = tmp_path / "rpc.nfsd"
    lockd.write_text(f"#!/bin/sh\nrm {tmp_path}/sm/c1\n")
    lockd.chmod(0o755)
    script = f"PATH={tmp_path}:$PATH\nholders={tmp_path}/holders\nannouncer=/nowhere\n"
    script += f"{found[0]}{end_service[0]}"
    script += (
        "serving() { :; }\nfind_processes() { false; }\nhas_state() { false; }\nip() { :; }\n"
        "runs() { false; }\n"
    )
    subprocess.run(["sh", "-c", f"{script}end_service"], check=True)
    assert not (tmp_path / "sm/c1").exists()
    subprocess.run(["sh", "-c", f"{script}{start[1]}"], check=True)
    kept = sorted(str(item.relative_to(tmp_path)) for item in tmp_path.rglob("c?"))
    assert kept == ["holders/sm.bak/c2", "holders/sm/c1"]


@pytest.mark.parametrize(
    ("mounts", "ours"),
    [
        ("{device} /var/lib/nfs xfs", True),
        ("/dev/theirs /var/lib/nfs ext4", False),
        ("{device} /srv/data xfs", False),
    ],
)
def test_state_that_is_the_servers_own_is_left_alone(
    tmp_path: Path, mounts: str, ours: bool
) -> None:
    """A file system of the server at /var/lib/nfs is neither used for the service nor unmounted."""
    device = tmp_path / "dm-0"
    device.touch()
    (tmp_path / "mapped").symlink_to(device)
    (tmp_path / "mounts").write_text(mounts.format(device=tmp_path / "mapped") + " rw 0 0\n")
    agent = (Path(nfs_service.__file__).parent / "agents/nfs-service").read_text()
    found = re.search(r"^has_state\(\) \{.*?^\}\n", agent, re.S | re.M)
    assert found
    script = f"device={device}\n{found[0]}has_state".replace(
        "/proc/mounts", str(tmp_path / "mounts")
    )
    assert (subprocess.run(["sh", "-c", script], check=False).returncode == 0) == ours


def test_clients_are_recorded_by_one_inspection_at_a_time(tmp_path: Path) -> None:
    """While one waits for the storage the next leaves the file alone."""
    agent = (Path(nfs_service.__file__).parent / "agents/nfs-service").read_text()
    found = re.search(
        r"^connections_of_before\(\) \{.*?^\}\n.*?^keep_connections\(\) \{.*?^\}\n",
        agent,
        re.S | re.M,
    )
    assert found
    lock = tmp_path / "lock"
    script = f"state={tmp_path}\nconnections() {{ echo 'ours theirs'; }}\n"
    script += found[0].replace("/run/nfs-service-connections", str(lock)) + "(keep_connections)"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        subprocess.run(["sh", "-c", script], check=True)
        assert not (tmp_path / "connections").exists()
    subprocess.run(["sh", "-c", script], check=True)
    assert (tmp_path / "connections").read_text() == "ours theirs\n"
