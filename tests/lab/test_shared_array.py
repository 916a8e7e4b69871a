"""The shared array on real kernels: it must survive the death of its initiators, any number of
times.
"""

import os
import random
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.emulated import EmulatedLab
from seatrial.plan.plan import Plan, Stage
from seatrial.service.deploy import apply_plan
from seatrial.solutions.parts import write_log
from seatrial.solutions.parts.iscsi import account
from seatrial.solutions.parts.iscsi_initiator import PathTimers
from seatrial.solutions.parts.raid import Array, Raid, create_steps
from seatrial.solutions.parts.shared_array import SharedArray
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

BOTH_PATHS = (
    'tries=0; until [ "$(iscsiadm -m session 2>/dev/null | wc -l)" = 2 ]; do '
    "tries=$((tries + 1)); [ $tries -lt 120 ] || exit 1; sleep 0.5; done"
)
TELLING = "/usr/local/sbin/iscsiadm"
CRASHES = 50 if os.environ.get("SEATRIAL_SOAK") else 3
STUDY = {
    "schema": "study/1",
    "id": f"array-{os.getpid()}",
    "environment": {"kind": "emulated"},
    "networks": {"storage-a": {"mtu": 9000}, "storage-b": {"mtu": 9000}},
    "nodes": {
        "array": {
            "memory": "384MiB",
            "disks": {"count": 6, "size": "64MiB", "rate": "20MB/s", "cache": "volatile"},
        },
        "srv1": {"memory": "256MiB"},
    },
    "solution": {"kind": "nfs", "raid": {"level": 6}},
}


class Bench:
    """An array, one server, and the way to them."""

    def __init__(self, lab: EmulatedLab, ssh: OpenSsh, shared: SharedArray) -> None:
        self.lab = lab
        self.ssh = ssh
        self.shared = shared
        self.device = shared.device("data")

    def deploy(self) -> str:
        """Apply the whole plan; the changed steps."""
        array = (*create_steps(self.shared.array), *self.shared.array_steps())
        chap = account(self.shared.study_id, ("array", "srv1"))
        stages = (
            Stage("array", {"array": array}),
            Stage("paths", {"srv1": tuple(self.shared.server_steps("srv1"))}),
        )
        return apply_plan(
            Plan("array", "a shared array", stages, generated=(chap,)), self.ssh
        ).summary()

    def shell(self, node: str, command: str, timeout_s: float = 60) -> str:
        """The output of a command, which must succeed."""
        done = self.ssh.run(node, command, timeout_s=timeout_s)
        assert done.exit_code == 0, f"{node}: {command}: {done.stderr}"
        return done.stdout

    def paths(self) -> int:
        """How many paths are usable."""
        return self.shell("srv1", f"multipath -ll {self.device}").count("active ready running")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Up once, deployed; down at the end."""
    study = parse_study(text_of(STUDY), tmp_path_factory.mktemp("array") / "study.yaml")
    console = tmp_path_factory.mktemp("console")
    lab = emulated.up(
        study,
        systemd_nodes=["array", "srv1"],
        name=study.id,
        console=console,
        detached=False,
        say=lambda _: None,
    )
    try:
        site = emulated.site(study)
        array = Array(Raid(level=6), "shared", site.nodes["array"].devices, holds_zeros=True)
        portals = ("array-storage-a", "array-storage-b")
        shared = SharedArray(
            study.id, "array", array, ("data",), portals, PathTimers(2, 3), ("srv1",)
        )
        bench = Bench(lab, OpenSsh(lab.ssh_config), shared)
        bench.deploy()
        yield bench
    finally:
        lab.down()


def test_a_second_deploy_changes_nothing(bench: Bench) -> None:
    """Sessions, records and paths are found as they should be."""
    assert "changed" not in bench.deploy()
    assert bench.paths() == 2


def test_the_secret_is_visible_to_no_user_of_a_node(bench: Bench) -> None:
    """It is in no argument or environment of a process during set-up, and in no journal."""
    secret = account(bench.shared.study_id, ()).path
    all_told = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' ' '"
    look = f"while :; do {all_told}; sleep 0.1; done >>/tmp/seen 2>/dev/null"
    bench.shell("srv1", f"cp {secret} /tmp/secret")
    out = Stage("paths", {"srv1": tuple(bench.shared.server_removal("srv1"))})
    apply_plan(Plan("array", "a shared array", (out,)), bench.ssh)
    bench.shell("array", f"systemctl restart tgt; cp {secret} /tmp/secret")
    # Sessions are made by commands that are over before anybody looks: they tell of themselves.
    tells = (
        "#!/bin/sh\ntr '\\0' ' ' </proc/$$/cmdline >>/tmp/seen\nenv >>/tmp/seen\nexec"
        ' /usr/sbin/iscsiadm "$@"\n'
    )
    bench.shell("srv1", f"printf %s {shlex.quote(tells)} >{TELLING} && chmod +x {TELLING}")
    for node in ("array", "srv1"):
        bench.shell(
            node,
            f"nohup sh -c {shlex.quote(look)} >/dev/null 2>&1 </dev/null & echo $! >/tmp/looking",
        )
    bench.deploy()
    assert bench.paths() == 2
    bench.shell("srv1", f"rm {TELLING}")
    for node, program in (("array", "tgtd"), ("srv1", "iscsiadm")):
        bench.shell(node, "kill $(cat /tmp/looking); ! grep -q -F -f /tmp/secret /tmp/seen")
        bench.shell(
            node, "journalctl -o cat >/tmp/journal; ! grep -q -F -f /tmp/secret /tmp/journal"
        )
        assert program in bench.shell(
            node, "grep -o -w -m 1 'tgtd\\|iscsiadm' /tmp/seen | head -n 1"
        )
        bench.shell(node, "grep -q . /tmp/journal && rm /tmp/secret /tmp/seen /tmp/journal")


def test_persistent_reservations_work_through_all_paths(bench: Bench) -> None:
    """Register, reserve (write exclusive, registrants only), read, release: the commands of
    storage fencing.
    """
    device = "/dev/sda"
    printed = bench.shell(
        "srv1",
        f"sg_persist --out --register --param-sark=0x1 {device} && "
        f"sg_persist --out --reserve --param-rk=0x1 --prout-type=5 {device} && "
        f"sg_persist --in --read-reservation {device} && "
        f"sg_persist --out --release --param-rk=0x1 --prout-type=5 {device} && "
        f"sg_persist --out --register --param-rk=0x1 {device}",
    )
    assert "Write Exclusive, registrants only" in printed


def test_a_removed_key_stops_its_path_and_the_array_reports_it(bench: Bench) -> None:
    """PREEMPT removes a key. Writes without a key are refused, and the array's log has no
    such write.
    """
    follower = write_log.command(bench.shared.target)
    bench.shell(
        "array",
        f"nohup sh -c {shlex.quote(f'sleep 8 | {follower}')} >/tmp/log 2>/dev/null </dev/null &",
    )
    write = "dd if=/dev/zero bs=64k count=4 oflag=direct conv=fsync"
    try:
        bench.shell(
            "srv1",
            f"sleep 2; {write} of=/dev/sda; sg_persist --out --register --param-sark=0x1 /dev/sda"
            " && sg_persist --out --reserve --param-rk=0x1 --prout-type=5 /dev/sda && sg_persist"
            " --out --register --param-sark=0x2 /dev/sdb && sg_persist --out --preempt"
            f" --param-rk=0x2 --param-sark=0x1 --prout-type=5 /dev/sdb && sleep 2; ! {write}"
            f" of=/dev/sda && ! {write} of=/dev/sda",
        )
        bench.shell("array", "sleep 5")
        lines = bench.shell("array", "cat /tmp/log").splitlines()
    finally:
        bench.shell("srv1", "sg_persist --out --clear --param-rk=0x2 /dev/sdb")
    log = write_log.read(lines, {bench.shared.initiator("srv1"): "srv1"}, {"1": "data"})
    assert len(log.readings_s) > 8
    reported = sum(item.size_bytes for item in log.written if item.server == "srv1")
    assert 0 <= reported - 4 * 65536 < 512, "a reservation in the same look has 24 bytes"
    assert sum(item.refused for item in log.written if item.server == "srv1") >= 2


def test_writing_continues_when_a_path_is_cut(bench: Bench, tmp_path: Path) -> None:
    """No error occurs, and no write waits much longer than the path's timers allow."""
    write = f"dd if=/dev/zero of={bench.device} bs=64k count=64 oflag=direct 2>&1 | tail -1"
    bench.shell("srv1", write)
    bench.lab.link("array", "storage-a", up=False)
    try:
        assert "copied" in bench.shell("srv1", write, timeout_s=40)
    finally:
        bench.lab.link("array", "storage-a", up=True)
    bench.shell(
        "srv1",
        f"until [ $(multipath -ll {bench.device} | grep -c 'active ready') = 2 ]; do sleep 0.5;"
        " done",
    )


def test_the_array_returns_automatically_with_the_flushed_data(bench: Bench) -> None:
    """Its power is cut, and its disks' caches are lost: the array is offered and found again
    without a plan.

    About every second time a starting target aborts a login, and iscsid must be restarted.
    """
    words = "yes flushed | tr -d '\\n'"
    bench.shell("srv1", f"{words} | head -c 2097152 >/tmp/wanted")
    for area in (1, 2, 3):
        place = 64 * area
        bench.shell(
            "srv1",
            f"dd if=/tmp/wanted of={bench.device} bs=64k seek={place} oflag=direct conv=fsync",
        )
        bench.shell("array", "sync")  # what the plan wrote is on the node's own disk
        bench.lab.power("array", "off")
        bench.ssh.forget("array")
        bench.lab.power("array", "on")
        assert bench.lab.wait_for_ssh("array")["failure"] is None
        both = (
            f"until [ $(multipath -ll {bench.device} | grep -c 'active ready') = 2 ]; do sleep 0.5;"
            " done"
        )
        bench.shell("srv1", both)
        bench.shell("srv1", "echo 3 >/proc/sys/vm/drop_caches")
        bench.shell(
            "srv1",
            f"dd if={bench.device} bs=64k count=32 skip={place} iflag=direct | cmp - /tmp/wanted",
        )


def test_the_array_survives_crashes_of_its_initiator(bench: Bench) -> None:
    """Power cuts under write load, at random moments: each time both paths come back and writing
    works.
    """
    chance = random.Random(1)
    for crash in range(CRASHES):
        load = f"dd if=/dev/urandom of={bench.device} bs=64k oflag=direct"
        bench.shell("srv1", f"nohup sh -c '{load}; true' >/dev/null 2>&1 </dev/null &")
        bench.shell("srv1", f"sleep {chance.uniform(0.2, 2.5):.2f}")
        bench.lab.power("srv1", "off")
        bench.lab.power("srv1", "on")
        assert bench.lab.wait_for_ssh("srv1")["failure"] is None
        bench.shell("srv1", BOTH_PATHS, timeout_s=90)  # automatically, as after every fencing
        bench.deploy()
        assert bench.paths() == 2, f"after crash {crash + 1}"
        written = f"dd if=/dev/zero of={bench.device} bs=64k count=16 oflag=direct 2>&1 | tail -1"
        assert "copied" in bench.shell("srv1", written), f"after crash {crash + 1}"
    bench.shell("array", 'sleep 5; read -r load rest </proc/loadavg; [ "${load%.*}" -lt 4 ]')
    bench.shell("array", "grep -q 'active raid6' /proc/mdstat && ! grep -q '(F)' /proc/mdstat")
