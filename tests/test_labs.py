"""The pure parts of the labs: networks, disks, specifications."""

import asyncio
import os
import signal
import socket
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.check import prepare
from seatrial.cli.verbs.lab import lab_down
from seatrial.labs.emulation import uml_spec
from seatrial.labs.emulation.banner import answers_ssh
from seatrial.labs.emulation.network import network_commands, reshape
from seatrial.labs.emulation.running_lab import (
    LAB_FILE,
    RunningLab,
    pid_namespace,
    read_lab,
    write_lab,
)
from seatrial.labs.emulation.runtime import runtime_folder, start_time
from seatrial.labs.emulation.supervisor import Supervisor
from seatrial.labs.emulation.supervisor_node import kernel_command, write_identity
from seatrial.labs.emulation.supervisor_spec import (
    FILE,
    DiskSpec,
    InterfaceSpec,
    NetworkSpec,
    NodeSpec,
    SupervisorSpec,
)
from seatrial.labs.kinds import emulated
from seatrial.plan.data_path import payload_share
from seatrial.plan.site import SiteMirror
from tests.builders.strategies import changed, study


def spec(rate: float | None) -> SupervisorSpec:
    """Two nodes on two networks; the data network is shaped."""
    nodes = tuple(
        NodeSpec(
            name,
            2**27,
            systemd=False,
            disks=(DiskSpec(2**20, 1e6),),
            interfaces=(
                InterfaceSpec(
                    "control", f"10.99.0.{n}", "02:00:00:00:00:01", f"tap{n}x0", f"port{n}x0", None
                ),
                InterfaceSpec(
                    "data", f"10.10.0.{n}", "02:00:01:00:00:01", f"tap{n}x1", f"port{n}x1", rate
                ),
            ),
        )
        for n, name in enumerate(("a", "b"), start=1)
    )
    networks = (
        NetworkSpec("control", "br0", 1500, "10.99.255.254"),
        NetworkSpec("data", "br1", 9000, None),
    )
    return SupervisorSpec(
        "lab", "/f", "/c", "k", "i", "p", 1, networks, nodes, {"a": "b"}, scale=1.0
    )


def test_a_specification_goes_through_json() -> None:
    """The supervisor reads the same specification."""
    assert spec(None) == FILE.validate_json(FILE.dump_json(spec(None)))


def test_both_directions_of_a_link_are_shaped_outside_the_node() -> None:
    """Towards the node on the network's side, from the node on its card's side; the control network
    never.
    """
    _, tc = network_commands(spec(12.5e6))
    assert [line.split()[3] for line in tc] == ["port1x1", "jack1x1", "port2x1", "jack2x1"]
    assert all("rate 100000000bit" in line for line in tc)
    ip, tc = network_commands(spec(None))
    assert tc == []
    assert not [line for line in ip if "jack" in line]


def test_a_cable_learns_no_address() -> None:
    """A bridge of two ports without learning is a wire; links are shaped as elsewhere."""
    cable = spec(12.5e6)
    cable = replace(cable, networks=(cable.networks[0], replace(cable.networks[1], switch=False)))
    ip, tc = network_commands(cable)
    assert [
        "ageing_time 0" in line for line in ip if " type bridge" in line and "br" in line.split()[3]
    ] == [
        False,
        True,
    ]
    assert tc == network_commands(spec(12.5e6))[1]


def test_a_shaped_link_can_be_shaped_again() -> None:
    """Both directions; a link without a rate has no rate to change."""
    shaped, bare = (spec(rate).nodes[0].interfaces[1] for rate in (12.5e6, None))
    assert [line.split()[:5] for line in reshape(shaped, 1e6)] == [
        ["qdisc", "replace", "dev", "port1x1", "root"],
        ["qdisc", "replace", "dev", "jack1x1", "root"],
    ]
    with pytest.raises(ValueError, match="has no rate"):
        reshape(bare, 1e6)


def test_a_switch_passes_the_largest_packets_that_any_experiment_asks_for() -> None:
    """The nodes begin with the study's own MTU."""
    data = changed("networks.data.mtu", 1500)
    data["experiments"]["one"]["sweep"] = {"networks.data.mtu": [1500, 7200]}
    data_network = uml_spec.networks(study(data), 1.0)[1]
    assert (data_network.mtu, data_network.passes) == (1500, 7200)


def test_interface_names_fit() -> None:
    """The kernel allows 15 characters; a lab of 1000 nodes must not meet that limit."""
    names = [f"{kind}1000x9" for kind in ("tap", "port", "card", "plug", "jack")]
    assert max(map(len, names)) <= 15


def test_the_site_is_scaled() -> None:
    """Rates are multiplied; memory is not."""
    site, solution = prepare(study())
    assert site.nodes["nas"].link_rate_bytes_per_s == pytest.approx(31.25e6)
    assert site.nodes["nas"].device_rate_bytes_per_s == pytest.approx(3.25e6)
    assert site.nodes["nas"].memory_bytes == 512 * 2**20
    assert site.nodes["nas"].devices == (
        "/dev/ubdb",
        "/dev/ubdc",
        "/dev/ubdd",
        "/dev/ubde",
        "/dev/ubdf",
        "/dev/ubdg",
    )
    path = solution.data_path(2)
    assert path.bottleneck("write") is not None
    assert [item.name for item in path.resources] == ["client links", "server link", "disks"]
    assert path.resources[2].write_bytes_per_s == pytest.approx(4 * 3.25e6)


def test_the_bound_is_that_of_the_network_that_is_used() -> None:
    """Not of another network's larger packets or slower links."""
    data = changed("networks", {"data": {"mtu": 1500}, "private": {"mtu": 9000}})
    data["nodes"]["nas"]["links"] = {"data": "1Gbit/s"}
    site, solution = prepare(study(data))
    server = next(item for item in solution.data_path(1).resources if item.name == "server link")
    assert server.read_bytes_per_s == pytest.approx(125e6 / 40 * payload_share(1500, wire=False))
    assert (site.mtus, site.mtus_asked) == ({"data": 1500, "private": 9000}, ("data", "private"))


@pytest.mark.parametrize(("level", "reading"), [(10, 4), (5, 4)])
def test_spares_are_no_readers(level: int, reading: int) -> None:
    """They hold nothing until a disk fails."""
    solution = prepare(study(changed("solution.raid", {"level": level, "spares": 2})))[1]
    disks = next(item for item in solution.data_path(1).resources if item.name == "disks")
    assert disks.read_bytes_per_s == pytest.approx(reading * 3.25e6)


def test_real_hosts_need_named_disks() -> None:
    """Nothing guesses which disk of a real machine may be used."""
    with pytest.raises(InputError, match="on real hosts name the disks"):
        prepare(study(changed("environment", {"kind": "hosts"})))


def test_a_node_is_attached_to_the_networks_that_it_names() -> None:
    """And to the control network; each link has its own rate, the lab's scale applied."""
    data = changed("networks", {"data": {"mtu": 9000}, "private": {}})
    data["nodes"]["nas"]["links"] = {"private": "1Gbit/s"}
    data["nodes"]["c[1-4]"]["networks"] = ["data"]
    nodes = {node.name: node for node in uml_spec.nodes(study(data), set(), 1 / 40)}
    assert [(item.network, item.rate_bytes_per_s) for item in nodes["nas"].interfaces] == [
        ("control", None),
        ("data", 10e9 / 8 / 40),
        ("private", 1e9 / 8 / 40),
    ]
    assert [item.network for item in nodes["c3"].interfaces] == ["control", "data"]
    taps = [item.tap for node in nodes.values() for item in node.interfaces]
    assert len(set(taps)) == len(taps)


LAB = RunningLab(
    supervisor_pid=os.getpid(),
    supervisor_start="1",
    pid_namespace=pid_namespace(),
    lasting=True,
    name="mine",
    kernel="6.1",
    image="image",
    scale=0.1,
)
CACHED = {"count": 6, "size": "64MiB", "rate": "100MB/s", "cache": "ignores-flushes"}


def test_a_disk_with_a_cache_is_seen_and_limited_in_front_of_it(tmp_path: Path) -> None:
    """The first process of the node gets the disk below each cache, and whether flushes reach
    it.
    """
    whole = study(changed("nodes.nas.disks", CACHED))
    assert prepare(whole)[0].nodes["nas"].devices == tuple(
        f"/dev/loop{number}" for number in range(6)
    )
    nodes = uml_spec.nodes(whole, {"nas"}, 0.1)
    write_identity(
        tmp_path, nodes[0], replace(spec(None), nodes=nodes, networks=uml_spec.networks(whole, 1.0))
    )
    assert (tmp_path / "cache").read_text().splitlines()[:2] == [
        "loop0 ubdb write through",
        "loop1 ubdc write through",
    ]
    assert (tmp_path / "throttle").read_text().splitlines()[:2] == ["7:0 10000000", "7:1 10000000"]


def test_local_disks_follow_the_data_disks(tmp_path: Path) -> None:
    """They have the next letters, and the plan may not use them."""
    whole = study(changed("nodes.nas.local_disks", {"size": "48MiB", "rate": "200MB/s"}))
    nas = prepare(whole)[0].nodes["nas"]
    assert nas.devices == tuple(f"/dev/ubd{letter}" for letter in "bcdefg")
    assert nas.local_mirror == SiteMirror(
        "/dev/md/system", ("/dev/ubdh", "/dev/ubdi", "/dev/ubdj"), 1
    )
    nodes = uml_spec.nodes(whole, {"nas"}, 0.1)
    made = replace(spec(None), nodes=nodes, networks=uml_spec.networks(whole, 0.1))
    write_identity(tmp_path, nodes[0], made)
    assert (tmp_path / "local").read_text() == "2 ubdh ubdi ubdj\n"
    assert (tmp_path / "throttle").read_text().splitlines()[-1] == "98:144 20000000"
    assert [word for word in kernel_command(made, nodes[0], tmp_path) if word.startswith("ubd9")]
    assert uml_spec.memory_limit(whole, nodes[:1]) >= sum(
        disk.size_bytes for disk in nodes[0].all_disks
    )


def test_a_lab_node_has_fifteen_disks_with_its_local_ones() -> None:
    """The error names the key of the local disks."""
    local = {"size": "48MiB", "mirrored": 8, "spares": 2}
    with pytest.raises(InputError, match="at most 15 disks, local disks included"):
        prepare(study(changed("nodes.nas.local_disks", local)))


@pytest.mark.parametrize(
    ("disks", "message"),
    [
        ({**CACHED, "paths": {"rate": "1GB/s"}}, "a cache or paths, not both"),
        ({"count": 1, "cache": "volatile", "devices": ["/dev/sdb"]}, "leave the key out"),
    ],
)
def test_a_disk_without_a_cache_is_reported(disks: dict[str, Any], message: str) -> None:
    """A real disk has its own cache; storage paths end at the disk itself."""
    with pytest.raises(InputError, match=message):
        study(changed("nodes.nas.disks", disks))


def test_the_runtime_folder_is_private_and_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its content is deleted: through a link that would be foreign files."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "seatrial").symlink_to("elsewhere")
    with pytest.raises(RunError, match="not a private folder of yours"):
        runtime_folder()
    (tmp_path / "seatrial").unlink()
    assert runtime_folder().stat().st_mode & 0o777 == 0o700
    (tmp_path / "seatrial").chmod(0o777)
    with pytest.raises(RunError, match="not a private folder of yours"):
        runtime_folder()


@pytest.mark.parametrize(
    ("lasting", "printed"),
    [(False, "mine: belongs to a run in progress"), (True, "mine: down")],
)
def test_lab_down_leaves_the_labs_of_runs_alone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    lasting: bool,
    printed: str,
) -> None:
    """A run that is under way would fail in its middle; named, its lab is ended."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = runtime_folder() / "mine"
    folder.mkdir()
    lab = replace(LAB, lasting=lasting)
    write_lab(folder, replace(lab, supervisor_start=start_time(os.getpid())))
    monkeypatch.setattr(emulated.EmulatedLab, "down", lambda _lab: None)
    lab_down(None)
    shown = capsys.readouterr()
    assert printed in (shown.out if lasting else shown.err)


def test_an_incomplete_description_is_none(tmp_path: Path) -> None:
    """A lab that is starting, or that was killed while it wrote the file."""
    assert read_lab(tmp_path) is None
    write_lab(tmp_path, LAB)
    assert read_lab(tmp_path) == LAB
    written = (tmp_path / LAB_FILE).read_bytes()
    for content in (b"", written[:40], b"[]", b'{"supervisor_pid": 1}'):
        (tmp_path / LAB_FILE).write_bytes(content)
        assert read_lab(tmp_path) is None


def test_a_lab_of_another_pid_namespace_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container with our /tmp: the supervisor's number means nothing here; while it answers, its
    folder stays.
    """
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = runtime_folder() / "theirs"
    folder.mkdir()
    write_lab(folder, replace(LAB, name="theirs", pid_namespace="pid:[1]"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
        control.bind(str(folder / "control"))
        control.listen()
        assert [lab.folder for lab in emulated.labs_up()] == [folder]
        with pytest.raises(RunError, match="^the lab theirs is up in another pid namespace"):
            emulated.find(study(), "theirs")
    emulated.sweep()
    assert not folder.exists()


def test_the_first_query_does_not_hide_the_end_of_a_kernel(tmp_path: Path) -> None:
    """A request to a node at the moment of its kernel's end: its power is off all the same."""
    supervisor = Supervisor(replace(spec(None), console_folder=str(tmp_path)))
    machine = supervisor.machines["a"]
    with subprocess.Popen(["true"], start_new_session=True) as machine.process:
        machine.powered = True
        os.waitid(os.P_PID, machine.process.pid, os.WEXITED | os.WNOWAIT)
        machine.running()
        supervisor._stop(machine, signal.SIGCONT)
        supervisor._reap()
    assert not machine.running()
    assert not machine.powered
    assert "ended by itself" in (tmp_path / "power.jsonl").read_text()


@pytest.mark.parametrize("printed", [b"SSH-2.0-OpenSSH_9.2\r\n", b"", b"220 mail\r\n"])
def test_a_node_that_is_slow_to_answer_is_asked_once(printed: bytes) -> None:
    """Each connection costs it a process: with 33 nodes on two cores and repeated attempts,
    no node ever came up.
    """

    async def asked() -> tuple[bool, int, bool]:
        connections = 0

        async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal connections
            connections += 1
            await asyncio.sleep(0.2)
            writer.write(printed)
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            found = await answers_ssh("127.0.0.1", port)
        return found, connections, await answers_ssh("127.0.0.1", port)

    assert asyncio.run(asked()) == (printed.startswith(b"SSH-"), 1, False)
