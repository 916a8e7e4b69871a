"""A volatile write cache of a node's disks: only flushed data survive a power cut."""

import os
import time
from collections.abc import Iterator

import pytest

from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.emulated import EmulatedLab
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

DISKS = {"count": 4, "size": "64MiB", "rate": "8MB/s"}
STUDY = {
    "schema": "study/1",
    "id": f"cache-{os.getpid()}",
    "environment": {"kind": "emulated"},
    "nodes": {
        "honest": {"memory": "192MiB", "disks": {**DISKS, "cache": "volatile"}},
        "liar": {"memory": "192MiB", "disks": {**DISKS, "cache": "ignores-flushes"}},
        "c1": {"memory": "64MiB"},
    },
    "solution": {"kind": "nfs", "server": "honest", "raid": {"level": 6}},
}


class Bench:
    """Two nodes with disks; one disk acknowledges flushes falsely."""

    def __init__(self, lab: EmulatedLab, ssh: OpenSsh) -> None:
        self.lab = lab
        self.ssh = ssh

    def shell(self, node: str, command: str) -> str:
        """The output of a command, which must succeed."""
        done = self.ssh.run(node, command, timeout_s=60)
        assert done.exit_code == 0, f"{node}: {command}: {done.stderr}"
        return done.stdout.strip()

    def cut(self, *nodes: str) -> None:
        """Power off and on again."""
        for node in nodes:
            self.lab.power(node, "off")
            self.ssh.forget(node)
        for node in nodes:
            self.lab.power(node, "on")
        for node in nodes:
            assert self.lab.wait_for_ssh(node)["failure"] is None


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Up once; down at the end."""
    study = parse_study(text_of(STUDY), tmp_path_factory.mktemp("cache") / "study.yaml")
    console = tmp_path_factory.mktemp("console")
    lab = emulated.up(
        study,
        systemd_nodes=["honest"],
        name=study.id,
        console=console,
        detached=False,
        say=lambda _: None,
    )
    try:
        yield Bench(lab, OpenSsh(lab.ssh_config))
    finally:
        lab.down()


def test_the_disk_itself_is_out_of_reach(bench: Bench) -> None:
    """No path bypasses the cache of an array's member; the cache limits the rate of writes
    and reads.
    """
    assert bench.shell("honest", "ls /dev/ubd[b-p] 2>/dev/null; ls /dev/loop[0-3] | wc -l") == "4"
    for copy in ("if=/dev/zero of=/dev/loop0", "if=/dev/loop0 of=/dev/null"):
        started_s = time.monotonic()
        flags = "oflag=direct" if copy.endswith("loop0") else "iflag=direct"
        bench.shell("honest", f"dd {copy} bs=256k count=64 {flags}")
        assert time.monotonic() - started_s > 0.8 * 16 * 2**20 / 8e6, (
            f"{copy} was faster than the disk"
        )


def test_a_power_cut_loses_unflushed_data(bench: Bench) -> None:
    """Direct writes with a later flush survive. Writes without one, and those on a false
    disk, do not.
    """
    # A file system or md would flush automatically.
    write = "yes {} | tr -d '\\n' | dd of=/dev/loop{} bs=64k count=8 iflag=fullblock oflag=direct"
    for node in ("honest", "liar"):
        bench.shell(node, write.format("synced", 0) + " conv=fsync && " + write.format("cached", 1))
        read = "for disk in 0 1; do head -c 6 /dev/loop$disk; done"
        assert bench.shell(node, read) == "syncedcached"
    bench.cut("honest", "liar")
    blank = "tr '\\0' .; echo"
    assert bench.shell("honest", f"{{ {read}; }} | {blank}") == "synced......"
    assert bench.shell("liar", f"{{ {read}; }} | {blank}") == "............"
