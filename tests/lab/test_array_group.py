"""The group of arrays on real kernels: it must survive the death of its initiators, any number of
times.

The quick profile of gfs-equallogic, which CI runs, deploys it twice, crashes one node and checks
every byte. This is the long profile: fifty crashes in a row, while the others write and one of them
wants what the dead node had locked.
"""

import contextlib
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seatrial.basics.errors import RunError
from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.emulated import EmulatedLab
from seatrial.service.deploy import apply_plan
from seatrial.solutions.base import load_solution
from seatrial.solutions.kinds.gfs2_iscsi import Gfs2Iscsi
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh
from tests.builders.labs import array_group
from tests.builders.strategies import text_of

SOAK = bool(os.environ.get("SEATRIAL_SOAK"))


pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not SOAK, reason="minutes; CI runs gfs-equallogic's quick profile"),
]


CRASHES = 50


class Bench:
    """A group, three nodes, and the way to them."""

    def __init__(self, lab: EmulatedLab, ssh: OpenSsh, solution: Gfs2Iscsi) -> None:
        self.lab = lab
        self.ssh = ssh
        self.solution = solution

    def deploy(self) -> str:
        """Apply the whole plan; the changed steps."""
        return apply_plan(self.solution.plan({}), self.ssh).summary()

    def shell(self, node: str, command: str, timeout_s: float = 90) -> str:
        """The output of a command, which must succeed."""
        done = self.ssh.run(node, command, timeout_s=timeout_s)
        assert done.exit_code == 0, f"{node}: {command}: {done.stderr}"
        return done.stdout

    def wait_for(self, node: str, limit_s: float = 90) -> None:
        """Its peers have switched it off and on: it answers when it has booted."""
        limit = time.monotonic() + limit_s
        while True:
            self.ssh.forget(node)
            with contextlib.suppress(RunError):
                if self.ssh.run(node, "true", timeout_s=5).exit_code == 0:
                    return
            assert time.monotonic() < limit, f"{node} does not answer"
            time.sleep(1)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Up once, deployed; down at the end."""
    data = array_group()
    study = parse_study(text_of(data), tmp_path_factory.mktemp("group") / "study.yaml")
    solution = load_solution(study, emulated.site(study))
    assert isinstance(solution, Gfs2Iscsi)
    console = tmp_path_factory.mktemp("console")
    lab = emulated.up(
        study,
        systemd_nodes=solution.storage_nodes,
        name=study.id,
        console=console,
        detached=False,
        say=lambda _: None,
    )
    try:
        bench = Bench(lab, OpenSsh(lab.ssh_config), solution)
        bench.deploy()
        assert "changed" not in bench.deploy()
        yield bench
    finally:
        lab.down()


def test_the_group_and_the_file_system_survive_crashes_of_their_nodes(bench: Bench) -> None:
    """Each time, another node gets the dead node's lock, the synced data are present, and the
    node returns.
    """
    chance = random.Random(1)
    place = bench.solution.directory
    for crash in range(1, CRASHES + 1):
        victim, other = ("c2", "c3") if crash % 2 else ("c3", "c2")
        kept = f"{place}/kept-{crash}"
        bench.shell(victim, f"dd if=/dev/urandom of={kept} bs=64k count=4 conv=fsync 2>/dev/null")
        wanted = bench.shell(victim, f"md5sum <{kept}")
        load = (
            "i=0; while :; do i=$((i+1)); dd if=/dev/zero of={0}/{1}-$((i%20)) bs=64k count=8"
            " conv=fsync; done"
        )
        for node in (victim, "c1"):
            bench.shell(
                node,
                f"nohup timeout 60 sh -c '{load.format(place, node)}' >/dev/null 2>&1 </dev/null &",
            )
        bench.shell(victim, f"nohup flock {place}/lock sleep 600 >/dev/null 2>&1 </dev/null &")
        bench.shell(victim, f"sleep {chance.uniform(0.5, 2.5):.2f}")
        bench.shell(
            victim,
            "nohup sh -c 'sleep 0.1; echo c >/proc/sysrq-trigger' >/dev/null 2>&1 </dev/null &",
        )
        bench.ssh.forget(victim)
        bench.shell(other, f"flock {place}/lock true", timeout_s=60)
        assert bench.shell(other, f"md5sum <{kept}") == wanted, f"after crash {crash}"
        bench.wait_for(victim)
        bench.deploy()
        bench.shell("c1", f"rm -f {kept}")
    for member in bench.solution.servers:
        bench.shell(member, "grep -q 'active raid10' /proc/mdstat && ! grep -q '(F)' /proc/mdstat")


@pytest.mark.parametrize("write_cache", [True, False], ids=["on", "off"])
def test_a_members_power_loss_loses_its_write_cache(
    bench: Bench, tmp_path: Path, write_cache: bool
) -> None:
    """With the cache, acknowledged blocks without a flush are lost and named; without it,
    none is lost. Flushed blocks survive in both cases.
    """
    study = parse_study(text_of(array_group(write_cache=write_cache)), tmp_path / "study.yaml")
    solution = load_solution(study, emulated.site(study))
    assert isinstance(solution, Gfs2Iscsi)
    apply_plan(solution.plan({}), bench.ssh)
    volume, *_ = solution.group.member("ps2").raw
    place = f"{volume.device}-part1"
    ones = (
        "tr '\\0' '\\377' </dev/zero | dd of={} bs=4k count=64 iflag=fullblock oflag=direct seek={}"
        " conv=notrunc{} 2>&1"
    )
    bench.shell(
        "c2", f"dd if=/dev/zero of={place} bs=4k count=128 oflag=direct conv=notrunc,fsync 2>&1"
    )
    bench.shell("c2", ones.format(place, 0, ",fsync"))
    took = bench.shell("c2", ones.format(place, 64, ""))
    bench.lab.power("ps2", "off")
    time.sleep(1)
    bench.lab.power("ps2", "on")
    bench.lab.wait_for_ssh("ps2")
    bench.wait_for("ps2")
    read = (
        f"dd if={place} bs=4k count=128 iflag=direct 2>/dev/null | od -An -v -tx1 -w4096 | cut"
        " -c1-3"
    )
    found = bench.shell("c2", read, timeout_s=120).split()
    lost = [number for number, byte in enumerate(found) if byte != "ff"]
    assert lost == (list(range(64, 128)) if write_cache else []), took
