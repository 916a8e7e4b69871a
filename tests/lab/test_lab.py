"""Real kernels: deploy, damage, remove, and the remains of every kind of end."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from seatrial.basics.errors import INTERRUPTED, NOT_COMPLETED, RunError
from seatrial.basics.text import shortened
from seatrial.check import prepare
from seatrial.labs.emulation.image import ensure_image, is_held
from seatrial.labs.emulation.kernel import Kernel, kernel
from seatrial.labs.emulation.runtime import runtime_folder
from seatrial.labs.kinds import emulated
from seatrial.load.agent import run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.installing import push
from seatrial.load.jobs import JobContext, jobs
from seatrial.result.phases import ClientResult
from seatrial.study.study import parse_study
from seatrial.study.workload import Workload
from tests.builders.commands import sudoers_of
from tests.builders.labs import (
    DISKS,
    SEATRIAL,
    Bench,
    assert_nothing_left,
    command,
    kernels_of,
    lab_study,
)
from tests.builders.places import ROOT
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab


def test_every_node_is_a_real_kernel(bench: Bench) -> None:
    """Reached by plain ssh through the lab's configuration; with the disks and the MTU that the
    study asks for.
    """
    done = bench.ssh.run(
        "nas", "uname -r; ls /dev/ubd[b-z] | wc -l; cat /sys/class/net/data/mtu; cat /proc/1/comm"
    )
    version, disks, mtu, init = done.stdout.split()
    assert (kernel().modules / version).is_dir()
    assert (disks, mtu, init) == ("6", "9000", "systemd")
    plain = subprocess.run(
        ["ssh", "-F", bench.lab.ssh_config, "c2", "hostname"], capture_output=True, check=False
    )
    assert plain.stdout == b"c2\n"


def test_a_lab_holds_its_image(bench: Bench) -> None:
    """The image is kept while nodes may boot from it again."""
    assert is_held(Path(bench.lab.facts()["image"]).parent)


def test_deploy_twice_remove_and_deploy_again(bench: Bench) -> None:
    """The second deploy changes nothing. A removal keeps the data. A removed study can be
    deployed again.
    """
    first = bench.seatrial("deploy")
    assert first.returncode == 0, first.stderr
    second = bench.seatrial("deploy")
    assert "changed" not in second.stderr
    assert second.returncode == 0
    bench.ssh.run("c1", f"echo precious >{bench.solution.directory}/kept")
    removed = bench.seatrial("undeploy")
    assert removed.returncode == 0, removed.stderr
    state = bench.ssh.run("nas", "cat /proc/mdstat /etc/fstab; ls /etc/exports.d; cat /proc/mounts")
    assert "active" not in state.stdout
    assert bench.study.id not in state.stdout
    again = bench.seatrial("undeploy")
    assert again.returncode == 0, again.stderr
    assert "changed" not in again.stderr
    bench.ssh.run(
        "nas", "mkdir -p /etc/exports.d; echo '/home *(ro)' >/etc/exports.d/theirs.exports"
    )
    theirs = bench.seatrial("deploy")
    assert theirs.returncode == 4
    assert "exports /home, which" in theirs.stderr
    bench.ssh.run(
        "nas",
        f"rm /etc/exports.d/theirs.exports; touch /etc/nfs.conf.d/seatrial-{bench.study.id}.conf",
    )
    refused = bench.seatrial("undeploy")
    assert refused.returncode == 4
    assert "has made nothing on this node" in refused.stderr
    bench.ssh.run("nas", f"rm /etc/nfs.conf.d/seatrial-{bench.study.id}.conf")
    assert bench.seatrial("deploy").returncode == 0
    assert bench.ssh.run("c2", f"cat {bench.solution.directory}/kept").stdout == "precious\n"


def test_every_byte_on_a_block_device_can_be_checked(bench: Bench) -> None:
    """`generate` and `check` without a file system; unused space of a larger device is no
    damage.
    """
    assert bench.seatrial("undeploy", "--wipe", DISKS).returncode == 0
    agent = push(bench.ssh, ["nas"])
    drop = "sync; echo 3 >/proc/sys/vm/drop_caches"
    try:
        made = bench.ssh.run("nas", f"{agent} generate --size 1MiB /dev/ubdd; {drop}")
        assert (made.exit_code, made.stderr) == (0, "")
        valid = bench.ssh.run("nas", f"{agent} check --json /dev/ubdd")
        assert valid.exit_code == 0, valid.stdout
        whole = {"class": "valid", "offset": 0, "length": 2**20, "detail": ""}
        assert json.loads(valid.stdout) == {"blocks": 256, "extents": [whole]}
        bench.ssh.run(
            "nas", f"printf xyz | dd of=/dev/ubdd bs=1 seek=600000 conv=notrunc status=none; {drop}"
        )
        spoiled = bench.ssh.run("nas", f"{agent} check --json /dev/ubdd")
        assert spoiled.exit_code == 1
        damage = [
            item for item in json.loads(spoiled.stdout)["extents"] if item["class"] != "valid"
        ]
        assert [(item["class"], item["offset"], item["length"]) for item in damage] == [
            ("corrupt", 146 * 4096, 4096)
        ]
        assert "the first at offset 600000" in damage[0]["detail"]
    finally:
        # A lab's disks are known to hold zeros: an array is made on them without a resync.
        bench.ssh.run("nas", "dd if=/dev/zero of=/dev/ubdd bs=1M count=1 conv=fsync status=none")


def test_a_disk_that_holds_something_is_never_overwritten(bench: Bench) -> None:
    """It is refused with the found content; `--wipe` for that device allows it."""
    assert bench.seatrial("undeploy", "--wipe", DISKS).returncode == 0
    bench.ssh.run("nas", "mkfs.ext4 -q -L precious /dev/ubdd")
    bench.ssh.run("nas", "printf x | dd of=/dev/ubdg bs=1 seek=600 conv=notrunc status=none")
    shown = bench.seatrial("preflight")
    assert shown.returncode == 1, shown.stderr
    assert "/dev/ubdd (256 MiB) is not empty: ext4 precious;" in shown.stdout
    assert "/dev/ubdg (256 MiB) is not empty: non-zero bytes in its first 256 KiB" in shown.stdout
    assert "1 of 3 nodes refuses; nothing was changed" in shown.stdout
    bench.ssh.run("nas", "dd if=/dev/zero of=/dev/ubdg bs=4096 count=1 conv=notrunc status=none")
    refused = bench.seatrial("deploy")
    assert refused.returncode == 4
    assert "is not empty: ext4 precious;" in refused.stderr
    assert "--wipe nas:/dev/ubdd" in refused.stderr
    assert bench.ssh.run("nas", "blkid -p -o value -s LABEL /dev/ubdd").stdout == "precious\n"
    allowed = bench.seatrial("deploy", "--wipe", "nas:/dev/ubdd")
    assert allowed.returncode == 0, allowed.stderr


def phase(bench: Bench, name: str, load: Workload, generation: int) -> list[ClientResult]:
    """One phase on both clients."""
    clients = bench.solution.clients
    agent = push(bench.ssh, clients)
    directory = f"{bench.solution.directory}/test-{generation}"
    bench.ssh.run("c1", f"mkdir -p {directory}")
    context = JobContext("00000000000000ab", directory, generation, None)
    clocks = measure_clocks(bench.ssh, clients, agent)
    # Set at boot by a program that may have got no processor: late, and never as far ahead as ticks
    # had counted.
    assert all(-30 < clock.wall_ahead_s < 0.5 for clock in clocks.values())
    return [
        client_result(received)
        for received in run_phase(bench.ssh, agent, jobs(load, name, clients, context), clocks)[1]
    ]


def test_damage_on_the_servers_disks_is_found_and_named(bench: Bench) -> None:
    """One flipped byte, one zeroed block and two swapped blocks, made below the file system.

    FIEMAP (filefrag) gives the place of a file's blocks on the block device. They are changed on
    the array with the file system unmounted, so that later reads come from the disks.
    """
    assert bench.seatrial("deploy").returncode == 0
    load = Workload.model_validate({"transfer_size": "64KiB", "file_size": "2MiB"})
    phase(bench, "write", load, generation=7)
    path = f"/srv/{bench.study.id}/test-7/f0001.000"
    extents = bench.ssh.run("nas", f"sync; filefrag -v -b4096 {path}").stdout
    first = next(line for line in extents.splitlines() if line.strip().startswith("0:"))
    start = int(first.split(":")[2].split(".")[0])
    device = f"/dev/md/{shortened(bench.study.id, 20)}"
    script = f"""
set -e
exportfs -ua; rpc.nfsd 0; umount /srv/{bench.study.id}
block() {{ echo $(({start} + $1)); }}
dd if={device} of=/tmp/b bs=4096 skip=$(block 3) count=1 status=none
printf '\\001' | dd of=/tmp/b bs=1 seek=2000 conv=notrunc status=none
dd if=/tmp/b of={device} bs=4096 seek=$(block 3) count=1 status=none
dd if=/dev/zero of={device} bs=4096 seek=$(block 5) count=1 status=none
dd if={device} of=/tmp/x bs=4096 skip=$(block 8) count=1 status=none
dd if={device} of=/tmp/y bs=4096 skip=$(block 11) count=1 status=none
dd if=/tmp/y of={device} bs=4096 seek=$(block 8) count=1 status=none
dd if=/tmp/x of={device} bs=4096 seek=$(block 11) count=1 status=none
sync; echo 3 >/proc/sys/vm/drop_caches
mount /srv/{bench.study.id}; exportfs -r; rpc.nfsd 16
"""
    done = bench.ssh.run("nas", "sh -s", stdin=script.encode(), timeout_s=120)
    assert done.exit_code == 0, done.stderr
    by_name = {item.client: item for item in phase(bench, "read", load, generation=7)}
    assert by_name["c2"].damage == ()
    found = {(item["class"], item["offset"] // 4096) for item in by_name["c1"].damage}
    assert found == {("corrupt", 3), ("zero", 5), ("misplaced", 8), ("misplaced", 11)}


def test_a_full_disk_is_reported(bench: Bench) -> None:
    """ENOSPC is in the result with the operation and the file; the agents end, the storage
    stays.
    """
    assert bench.seatrial("deploy").returncode == 0
    free = bench.ssh.run("nas", f"df --output=avail -B1M /srv/{bench.study.id} | tail -1")
    bench.ssh.run("nas", f"fallocate -l {int(free.stdout) - 20}M /srv/{bench.study.id}/filler")
    try:
        results = phase(
            bench,
            "write",
            Workload.model_validate({"transfer_size": "64KiB", "file_size": "32MiB"}),
            generation=9,
        )
        errors = [error["name"] for item in results for error in item.errors]
        assert "ENOSPC" in errors
        assert any(item.lost and "No space left on device" in item.lost for item in results)
    finally:
        bench.ssh.run("nas", f"rm -rf /srv/{bench.study.id}/filler /srv/{bench.study.id}/test-9")


def test_a_shaped_link_carries_its_rate_and_no_more(bench: Bench) -> None:
    """A client's link of 12.5 MB/s bounds its writes."""
    assert bench.seatrial("deploy").returncode == 0
    results = phase(
        bench,
        "write",
        Workload.model_validate({"transfer_size": "64KiB", "file_size": "16MiB"}),
        generation=11,
    )
    for item in results:
        assert item.rate_bytes_per_s < 12.5e6 * 1.05


def test_lab_verbs(bench: Bench) -> None:
    """status, exec and ssh find the lab that is up."""
    assert bench.study.id in command("lab", "status").stdout
    done = command("lab", "exec", str(bench.path), "c[1-2]", "hostname")
    assert done.stdout.splitlines() == ["c1: c1", "c2: c2"]
    assert command("lab", "ssh", str(bench.path), "c2", "hostname").stdout == "c2\n"


def test_a_lab_made_for_other_nodes_is_not_used(tmp_path: Path, bench: Bench) -> None:
    """A change of the study while its lab runs is an error."""
    path = tmp_path / "study.yaml"
    path.write_text(text_of(lab_study(bench.study.id, clients=3)))
    done = command("deploy", str(path))
    assert (done.returncode, "has other nodes" in done.stderr) == (2, True)


def test_power_and_links_can_be_cut(bench: Bench) -> None:
    """From outside the node; afterwards it is reachable as before."""
    bench.lab.link("c1", "data", up=False)
    try:
        cut = bench.ssh.run(
            "c2",
            "timeout 3 sh -c 'cat </dev/null >/dev/tcp/c1/22' || nc -z -w 2 c1 22",
            timeout_s=30,
        )
        assert cut.exit_code != 0
    finally:
        bench.lab.link("c1", "data", up=True)
    bench.lab.power("c2", "off")
    time.sleep(1)
    assert not bench.lab.state()["c2"]["running"]
    bench.lab.power("c2", "on")
    assert bench.lab.wait_for_ssh("c2")["failure"] is None
    assert bench.ssh.run("c2", "hostname").stdout == "c2\n"


# ---- ways out


def two_nodes(tmp_path: Path, name: str) -> Path:
    """The smallest study that boots quickly: tiny server memory, one client."""
    data = lab_study(name, clients=1)
    data["nodes"]["nas"]["disks"] = {"count": 1, "size": "64MiB"}
    data["solution"] = {"kind": "nfs"}
    data["experiments"] = {
        "one": {"workload": {"transfer_size": "64KiB", "file_size": "16MiB"}, "repeats": 50}
    }
    path = tmp_path / "study.yaml"
    path.write_text(text_of(data))
    return path


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda item: item.name
)
def test_nothing_remains(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, SIGTERM and SIGKILL during a run; the result stays readable."""
    name = f"out-{number.name.lower()}-{os.getpid()}"
    path = two_nodes(tmp_path, name)
    run = subprocess.Popen(
        [SEATRIAL, "run", path, "--out", tmp_path / "results"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert run.stdout is not None
    with run.stdout:
        for line in run.stdout:
            if "repeat 1 write" in line:
                break
        else:
            pytest.fail("the run ended before its first phase")
        folders = list(runtime_folder().glob(f"{name}-*"))
        assert len(folders) == 1
        assert kernels_of(folders[0])
        run.send_signal(number)
        run.stdout.read()
    run.wait(60)
    assert_nothing_left(folders[0])
    if number != signal.SIGKILL:
        assert run.returncode == INTERRUPTED
    checked = command("judge", str(next((tmp_path / "results").iterdir())), "--json")
    assert checked.returncode == (NOT_COMPLETED if number == signal.SIGKILL else INTERRUPTED), (
        checked.stderr
    )
    assert json.loads(checked.stdout)


def test_two_labs_at_once(tmp_path: Path, bench: Bench) -> None:
    """Same addresses, separate namespaces: a second lab does not disturb the first."""
    path = two_nodes(tmp_path, f"second-{os.getpid()}")
    up = command("lab", "up", str(path))
    assert up.returncode == 0, up.stderr
    try:
        assert command("lab", "exec", str(path), "nas", "hostname").stdout == "nas: nas\n"
        assert len(emulated.labs_up()) >= 2
    finally:
        down = command("lab", "down", str(path))
    assert down.returncode == 0
    assert_nothing_left(runtime_folder() / f"second-{os.getpid()}")
    assert bench.ssh.run("c1", "hostname").stdout == "c1\n"


@pytest.mark.parametrize(
    ("mode", "reported"),
    [
        (0o755, r"node nas did not boot: its kernel ended.*\n.*no working init"),
        (0o644, r"node nas did not boot: it could not be started: .*Permission denied"),
    ],
    ids=["ends", "is no program"],
)
def test_a_node_that_does_not_boot_is_reported_with_its_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, reported: str
) -> None:
    """The message has the last lines of its console, and no process remains."""
    path = two_nodes(tmp_path, f"broken-{os.getpid()}")
    study = parse_study(path.read_text(), path)
    _site, solution = prepare(study)
    broken = tmp_path / "kernel"
    broken.write_text("#!/bin/sh\necho Kernel panic - not syncing: no working init found\nexit 1\n")
    broken.chmod(mode)
    monkeypatch.setattr(
        emulated,
        "ensure_image",
        lambda *asked: replace(ensure_image(*asked), kernel=Kernel(broken, Path())),
    )
    with pytest.raises(RunError, match=reported) as caught:
        emulated.up(
            study,
            systemd_nodes=solution.storage_nodes,
            name=study.id,
            console=tmp_path / "c",
            detached=False,
            say=print,
        )
    assert "the whole console is in" in str(caught.value.hint)
    assert_nothing_left(runtime_folder() / study.id)


LOGIN = "deployer"


@contextlib.contextmanager
def dedicated_login(bench: Bench) -> Iterator[None]:
    """Every node accepts it, and sudo makes it root, as in docs/real-hosts.md; ssh uses it
    meanwhile.
    """
    (sudoers,) = sudoers_of(ROOT / "docs/real-hosts.md")
    let_in = (
        f"set -e; useradd -m -p '*' {LOGIN}; install -d -m 700 -o {LOGIN} /home/{LOGIN}/.ssh\n"
        f"install -m 600 -o {LOGIN} /root/.ssh/authorized_keys /home/{LOGIN}/.ssh/\n"
        "umask 226; cat >/etc/sudoers.d/seatrial; visudo -c"
    )
    for node in bench.study.node_names():
        done = bench.ssh.run(node, let_in, stdin=sudoers.encode())
        assert done.exit_code == 0, done.stderr
    path = bench.lab.ssh_config
    by_root = path.read_text()
    path.write_text(by_root.replace("User root", f"User {LOGIN}").replace("/ssh-%n", "/sudo-%n"))
    try:
        yield
    finally:
        for node in bench.study.node_names():
            subprocess.run(
                ["ssh", "-F", path, "-O", "exit", node], capture_output=True, check=False
            )
        path.write_text(by_root)


def test_hosts_are_driven_like_a_lab_by_sudo(tmp_path: Path, bench: Bench) -> None:
    """`lab: hosts` by this lab's ssh_config: disks, a service, a fault; a node that ssh does not
    reach is named.
    """
    assert bench.seatrial("undeploy", "--wipe", DISKS).returncode == 0
    data = lab_study(f"hosts-{os.getpid()}")
    data["environment"] = {"kind": "hosts", "sudo": True, "ssh_config": str(bench.lab.ssh_config)}
    data["nodes"]["nas"]["disks"] = {"count": 2, "devices": ["/dev/ubdb", "/dev/ubdc"]}
    data["solution"] = {"kind": "nfs", "raid": {"level": 0}, "mount": {"version": 4.2}}
    data["experiments"] = {"one": {"workload": {"transfer_size": "64KiB", "file_size": "1MiB"}}}
    small = {
        "phases": ["write"],
        "pattern": "random",
        "transfer_size": "4KiB",
        "file_size": "8MiB",
        "fsync": "transfer",
    }
    data["background_load"] = {"small": {"workload": {**small, "arrivals_per_s": 5}}}
    data["faults"] = {"nfsd": {"kind": "service-dead", "duration": "2s"}}
    data["criteria"].append({"id": "mended", "check": "faults"})
    path = tmp_path / "hosts.yaml"
    path.write_text(text_of(data))
    with dedicated_login(bench):
        plain = subprocess.run(
            ["ssh", "-F", bench.lab.ssh_config, "c1", "id -un"], capture_output=True, check=False
        )
        assert plain.stdout.decode() == f"{LOGIN}\n"
        done = command("run", str(path), "--yes", "--out", str(tmp_path / "results"), "--json")
        assert done.returncode == 0, done.stderr
        assert [item["verdict"] for item in json.loads(done.stdout)["verdicts"]] == ["pass", "pass"]
        removed = command("undeploy", str(path), "--yes", "--wipe", "nas:/dev/ubdb,/dev/ubdc")
        assert removed.returncode == 0
        assert re.findall(r"--wipe names nas:/dev/ubd., .*linux_raid_member", removed.stderr) != []
        data["nodes"]["stranger"] = {}
        path.write_text(text_of(data))
        refused = command("deploy", str(path), "--yes")
        assert refused.returncode == 4
        assert "stranger: ssh: " in refused.stderr
    commands = bench.ssh.run("nas", "journalctl -b -o cat _COMM=sudo").stdout
    assert commands.count(f"{LOGIN} : ") > 20
    # sudo writes a long command in several lines.
    begun = commands.count(f"{LOGIN} : ") - commands.count(f"{LOGIN} : (command continued)")
    assert commands.count("; USER=root ; COMMAND=/bin/sh -c ") == begun
