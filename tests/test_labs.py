"""The pure parts of the labs: sources, networks, specifications."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.check import prepare
from seatrial.cli.verbs.lab import lab_down
from seatrial.labs.emulation import image as lab_image
from seatrial.labs.emulation import kernel as lab_kernel
from seatrial.labs.emulation import uml_spec
from seatrial.labs.emulation.apt_sources import debian_sources, of_suite
from seatrial.labs.emulation.banner import answers_ssh
from seatrial.labs.emulation.image import further_packages, packages, recipe_hash
from seatrial.labs.emulation.network import network_commands, reshape
from seatrial.labs.emulation.runtime import runtime_folder, start_time
from seatrial.labs.emulation.supervisor import Supervisor
from seatrial.labs.emulation.supervisor_node import write_identity
from seatrial.labs.emulation.supervisor_spec import FILE, DiskSpec, InterfaceSpec, NetworkSpec, NodeSpec, SupervisorSpec
from seatrial.labs.kinds import emulated
from seatrial.plan.data_path import payload_share
from tests.strategies import changed, study


def spec(rate: float | None) -> SupervisorSpec:
    """Two nodes on two networks; the data network is shaped."""
    nodes = tuple(
        NodeSpec(
            name,
            2**27,
            systemd=False,
            disks=(DiskSpec(2**20, 1e6),),
            interfaces=(
                InterfaceSpec("control", f"10.99.0.{n}", "02:00:00:00:00:01", f"tap{n}x0", f"port{n}x0", None),
                InterfaceSpec("data", f"10.10.0.{n}", "02:00:01:00:00:01", f"tap{n}x1", f"port{n}x1", rate),
            ),
        )
        for n, name in enumerate(("a", "b"), start=1)
    )
    networks = (NetworkSpec("control", "br0", 1500, "10.99.255.254"), NetworkSpec("data", "br1", 9000, None))
    return SupervisorSpec("lab", "/f", "/c", "k", "i", "p", 1, networks, nodes, {"a": "b"}, scale=1.0)


def test_a_specification_goes_through_json() -> None:
    """The supervisor reads the same specification."""
    assert spec(None) == FILE.validate_json(FILE.dump_json(spec(None)))


def test_both_directions_of_a_link_are_shaped_outside_the_node() -> None:
    """Towards the node on the network's side, from the node on its card's side; the control network never."""
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
    assert ["ageing_time 0" in line for line in ip if " type bridge" in line and "br" in line.split()[3]] == [
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
    data_network = uml_spec.networks(study(data))[1]
    assert (data_network.mtu, data_network.passes) == (1500, 7200)


def test_interface_names_fit() -> None:
    """The kernel allows 15 characters; a lab of 1000 nodes must not meet that limit."""
    names = [f"{kind}1000x9" for kind in ("tap", "port", "card", "plug", "jack")]
    assert max(map(len, names)) <= 15


DEB822 = """\
# a comment
Types: deb deb-src
URIs: http://somewhere/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://third.party/apt
Suites: nodistro
Components: main
"""


def test_only_debians_own_sources_are_used(tmp_path: Path) -> None:
    """Of both profiles; a third party's are left out."""
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(
        "deb [arch=amd64] http://a/debian bookworm main\n# deb http://b bookworm main\n"
    )
    (tmp_path / "sources.list.d" / "debian.sources").write_text(DEB822)
    (tmp_path / "sources.list.d" / "cloud.list").write_text("deb https://c/apt cloud-sdk-bookworm main\n")
    signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
    assert debian_sources(tmp_path, "bookworm").splitlines() == [
        f"deb {signed} http://somewhere/debian bookworm main",
        f"deb {signed} http://somewhere/debian bookworm-updates main",
        "deb [arch=amd64] http://a/debian bookworm main",
    ]


def test_no_source_is_an_error(tmp_path: Path) -> None:
    """And not an empty image."""
    (tmp_path / "sources.list.d").mkdir()
    with pytest.raises(RunError, match="no apt source of bookworm"):
        debian_sources(tmp_path, "bookworm")


def test_the_packages_are_named() -> None:
    """Comments are no packages."""
    assert "nfs-kernel-server" in packages()
    assert not [name for name in packages() if " " in name or name.startswith("#")]


def test_an_image_with_further_packages_is_another_one() -> None:
    """The same request gives the same image; a package that every image has is no further
    package.
    """
    further = further_packages(["glusterfs-server", "xfsprogs", "attr", "glusterfs-client", "glusterfs-server"])
    assert further == ("glusterfs-client", "glusterfs-server")
    assert further_packages(["xfsprogs"]) == ()
    booted = lab_kernel.kernel()
    assert len({recipe_hash(booted), recipe_hash(booted, further), recipe_hash(booted, further[:1])}) == 3


def test_an_image_begins_with_the_first_ones_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is created if it does not exist, or if its tree was removed; each is created once."""
    made: list[tuple[str, ...]] = []

    def build(image: lab_image.Image, further: Sequence[str] = (), begun: Path | None = None) -> None:
        assert (begun is None, further == ()) in ((True, True), (False, False))
        assert begun is None or begun.read_text() == "tree"
        image.folder.mkdir(exist_ok=True)
        image.root.write_text("root")
        if begun is None:
            image.tree.write_text("tree")
        made.append(tuple(further))

    monkeypatch.setattr(lab_image, "require_tools", lambda: None)
    monkeypatch.setattr(lab_image, "nothing_to_fetch", lambda: True)
    monkeypatch.setattr(lab_image, "_build", build)
    booted = lab_kernel.kernel()
    monkeypatch.setattr(lab_image, "kernel", lambda: booted)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for wanted in (["tfs"], ["tfs"], [], ["other"]):
        lab_image.ensure_image(print, wanted)
    assert made == [(), ("tfs",), ("other",)]
    lab_image.image_folder(booted).joinpath("tree.tar.zst").unlink()
    lab_image.ensure_image(print, ["third"])
    assert made[3:] == [(), ("third",)]


HOLDER = (
    "import sys, pathlib; from seatrial.labs.emulation.image import hold; hold(pathlib.Path(sys.argv[1])); "
    "print('held', flush=True); sys.stdin.read()"
)


def test_unused_images_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When another one is made; not an image that a lab has begun with, nor that of a lab
    that has run for longer.
    """
    long_ago_s = time.time() - lab_image.UNUSED_S - 1
    monkeypatch.setattr(lab_image, "require_tools", lambda: None)
    monkeypatch.setattr(lab_image, "nothing_to_fetch", lambda: True)
    monkeypatch.setattr(lab_image, "_build", lambda made, *_: made.folder.mkdir(exist_ok=True))
    booted = lab_kernel.kernel()
    monkeypatch.setattr(lab_image, "kernel", lambda: booted)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cache = lab_kernel.cache_folder()
    used = lab_image.image_folder(booted)
    for folder in (cache / "image-old", cache / "image.killed", cache / "image-up", cache / "kernel-old", used):
        folder.mkdir(parents=True)
        os.utime(folder, (long_ago_s, long_ago_s))
    for name in ("root.img", "tree.tar.zst"):
        (used / name).touch()
    lab_image.ensure_image(print)
    assert (cache / "image-old").is_dir(), "nothing was made"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(cache / "image-up")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    os.utime(used, (long_ago_s, long_ago_s))
    lab_image.ensure_image(print, ["further"])  # it begins with the first image
    holder.communicate("", timeout=60)
    left = sorted(path.name for path in cache.iterdir() if path.is_dir())
    made = lab_image.image_folder(booted, ["further"]).name
    assert left == sorted(["image-up", "kernel-old", used.name, made])


def test_the_site_is_scaled() -> None:
    """Rates are multiplied; memory is not."""
    site, solution = prepare(study())
    assert site.nodes["nas"].link_rate_bytes_per_s == pytest.approx(31.25e6)
    assert site.nodes["nas"].device_rate_bytes_per_s == pytest.approx(3.25e6)
    assert site.nodes["nas"].memory_bytes == 512 * 2**20
    assert site.nodes["nas"].devices == ("/dev/ubdb", "/dev/ubdc", "/dev/ubdd", "/dev/ubde", "/dev/ubdf", "/dev/ubdg")
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


CACHED = {"count": 6, "size": "64MiB", "rate": "100MB/s", "cache": "ignores-flushes"}


def test_a_disk_with_a_cache_is_seen_and_limited_in_front_of_it(tmp_path: Path) -> None:
    """The first process of the node gets the disk below each cache, and whether flushes reach
    it.
    """
    whole = study(changed("nodes.nas.disks", CACHED))
    assert prepare(whole)[0].nodes["nas"].devices == tuple(f"/dev/loop{number}" for number in range(6))
    nodes = uml_spec.nodes(whole, {"nas"}, 0.1)
    write_identity(tmp_path, nodes[0], replace(spec(None), nodes=nodes, networks=uml_spec.networks(whole)))
    assert (tmp_path / "cache").read_text().splitlines()[:2] == ["loop0 ubdb write through", "loop1 ubdc write through"]
    assert (tmp_path / "throttle").read_text().splitlines()[:2] == ["7:0 10000000", "7:1 10000000"]


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


def test_the_runtime_folder_is_private_and_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    ("lasting", "printed"), [(False, "mine: belongs to a run that is under way"), (True, "mine: down")]
)
def test_lab_down_leaves_the_labs_of_runs_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lasting: bool, printed: str
) -> None:
    """A run that is under way would fail in its middle; named, its lab is ended."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = runtime_folder() / "mine"
    folder.mkdir()
    supervisor = {"supervisor_pid": os.getpid(), "supervisor_start": start_time(os.getpid()), "lasting": lasting}
    (folder / "lab.json").write_text(json.dumps(supervisor))
    monkeypatch.setattr(emulated.EmulatedLab, "down", lambda _lab: None)
    lab_down(None)
    shown = capsys.readouterr()
    assert printed in (shown.out if lasting else shown.err)


def test_a_lab_of_another_pid_namespace_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container with our /tmp: the supervisor's number means nothing here; while it answers, its folder stays."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = runtime_folder() / "theirs"
    folder.mkdir()
    supervisor = {"supervisor_pid": 2**22 + 1, "supervisor_start": "1", "pid_namespace": "pid:[1]", "lasting": True}
    (folder / "lab.json").write_text(json.dumps(supervisor))
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


def test_another_suite_of_the_same_mirrors() -> None:
    """The release alone, not its updates; with the existing options."""
    lines = "deb [signed-by=/k.gpg] http://deb.example/debian bookworm main\ndeb http://a/s bookworm-security main\n"
    found = of_suite(lines, "bookworm", "forky")
    assert found == "deb [check-valid-until=no signed-by=/k.gpg] http://deb.example/debian forky main\n"
    assert of_suite("deb http://a/debian bookworm main contrib\n", "bookworm", "forky") == (
        "deb [check-valid-until=no] http://a/debian forky main\n"
    )


def test_an_unavailable_kernel_is_reported_and_the_installed_one_boots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried once a day; a request for the installed kernel gets it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(lab_kernel, "debian_sources", lambda *_: "deb http://a/debian bookworm main\n")
    (tmp_path / "seatrial").mkdir()
    printed: list[str] = []

    def nothing(_command: list[str]) -> None:
        raise RunError("mmdebstrap ended with 25:\nE: no such suite")

    monkeypatch.setattr(lab_kernel, "run", nothing)
    assert not lab_kernel.nothing_to_fetch()
    lab_kernel.fetch_kernel(printed.append)
    assert printed[1].endswith("E: no such suite")
    assert lab_kernel.kernel() == lab_kernel.INSTALLED
    assert lab_kernel.nothing_to_fetch()
    assert lab_kernel.kernel_text().endswith("could not be had: E: no such suite")
    failed = tmp_path / "seatrial" / f"kernel-{lab_kernel.SUITE}.failed"
    os.utime(failed, (0, 0))
    assert not lab_kernel.nothing_to_fetch()
    assert lab_kernel.kernel_text().endswith("not fetched yet")

    newer = lab_kernel.fetched()
    newer.program.parent.mkdir()
    newer.program.touch()
    assert lab_kernel.nothing_to_fetch()
    assert lab_kernel.kernel() == newer
    monkeypatch.setenv(lab_kernel.CHOICE, "installed")
    assert lab_kernel.kernel() == lab_kernel.INSTALLED


@pytest.mark.parametrize("runs", [True, False])
def test_a_fetched_kernel_that_does_not_run_here_is_not_booted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    """It is asked for its version before it gets its name."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(lab_kernel, "debian_sources", lambda *_: "deb http://a/debian bookworm main\n")
    (tmp_path / "seatrial").mkdir()

    def stand_in(command: list[str]) -> None:
        if command[0] == "tar":
            tree = Path(command[-1])
            for name in ("usr/bin/linux.uml", "usr/lib/uml/modules/7.2/a.ko"):
                (tree / name).parent.mkdir(parents=True)
                (tree / name).touch()
            for name in ("libc.so.6", "ld-linux-x86-64.so.2"):
                (tree / "usr/lib/x86_64-linux-gnu" / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / "usr/lib/x86_64-linux-gnu" / name).touch()
        if command[-1] == "--version" and not runs:
            raise RunError("GLIBC_2.99 not found")

    monkeypatch.setattr(lab_kernel, "run", stand_in)
    printed: list[str] = []
    lab_kernel.fetch_kernel(printed.append)
    assert lab_kernel.kernel() == (lab_kernel.fetched() if runs else lab_kernel.INSTALLED)
    assert (printed[-1].endswith("GLIBC_2.99 not found"), lab_kernel.nothing_to_fetch()) == (not runs, True)


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
