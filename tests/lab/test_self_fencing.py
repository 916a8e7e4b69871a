"""The self-fencing watchdog on a real kernel: it reboots a server with a hanging service, and
no other.
"""

import contextlib
import os
import time
from collections.abc import Iterator

import pytest

from seatrial.basics.errors import RunError
from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.emulated import EmulatedLab
from seatrial.plan.plan import Plan, Stage
from seatrial.service.deploy import apply_plan
from seatrial.solutions.parts import self_fencing
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

PLACE = "/srv/service"
LIMIT_S = 5
REBOOT_TIMEOUT_S = 240
STUDY = {
    "schema": "study/1",
    "id": f"self-fencing-{os.getpid()}",
    "environment": {"kind": "emulated"},
    "networks": {"data": {}},
    "nodes": {
        "srv1": {"memory": "192MiB", "disks": {"count": 1, "size": "64MiB", "rate": "100MB/s"}}
    },
    "solution": {"kind": "nfs"},
}


class Server:
    """A node with the self-fencing watchdog, and the way to it."""

    def __init__(self, lab: EmulatedLab) -> None:
        self.lab = lab
        self.ssh = OpenSsh(lab.ssh_config)

    def deploy(self) -> str:
        """The changes that a deploy reports."""
        steps = tuple(self_fencing.steps([PLACE], ["st-service"], LIMIT_S))
        return apply_plan(
            Plan("self-fencing", "the self-fencing watchdog", (Stage("server", {"srv1": steps}),)),
            self.ssh,
        ).summary()

    def shell(self, command: str) -> str:
        """The output of a command, which must succeed."""
        done = self.ssh.run("srv1", command, timeout_s=60)
        assert done.exit_code == 0, f"{command}: {done.stderr}"
        return done.stdout

    def boot(self) -> str:
        """The number of the kernel's life."""
        return self.shell("cat /proc/sys/kernel/random/boot_id")

    def is_another_boot(self, boot: str) -> bool:
        """Whether the node has rebooted soon."""
        deadline = time.monotonic() + REBOOT_TIMEOUT_S
        while time.monotonic() < deadline:
            with contextlib.suppress(RunError):  # while it boots
                done = self.ssh.run("srv1", "cat /proc/sys/kernel/random/boot_id", timeout_s=10)
                if done.exit_code == 0 and done.stdout != boot:
                    return True
            self.ssh.forget("srv1")
            time.sleep(1)
        return False


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Up once, deployed; down at the end."""
    study = parse_study(text_of(STUDY), tmp_path_factory.mktemp("self-fencing") / "study.yaml")
    console = tmp_path_factory.mktemp("console")
    lab = emulated.up(
        study,
        systemd_nodes=["srv1"],
        name=study.id,
        console=console,
        detached=False,
        say=lambda _: None,
    )
    try:
        server = Server(lab)
        server.deploy()
        yield server
    finally:
        lab.down()


def test_a_healthy_server_is_not_rebooted(server: Server) -> None:
    """A service runs for longer than the limit: first with its cluster manager, then both are
    stopped.
    """
    boot = server.boot()
    server.shell(
        f"mkdir -p {PLACE}; mount -t tmpfs service {PLACE}; cp /usr/bin/sleep /tmp/pacemakerd"
    )
    server.shell("nohup /tmp/pacemakerd 30 >/dev/null 2>&1 </dev/null &")
    server.shell(f"sleep {LIMIT_S + 2 * self_fencing.LOOK_S}; umount {PLACE}; pkill pacemakerd")
    server.shell(f"sleep {LIMIT_S + self_fencing.LOOK_S}")
    assert server.boot() == boot
    cib = "/var/lib/pacemaker/cib"
    server.shell(
        f'mkdir -p {cib}; echo \'<nvpair id="x" name="maintenance" value="true"/>\' >{cib}/cib.xml'
    )
    server.shell(f"mount -t tmpfs service {PLACE}; sleep {LIMIT_S + 2 * self_fencing.LOOK_S}")
    server.shell(f"umount {PLACE}; rm {cib}/cib.xml")
    assert server.boot() == boot, (
        "the server is in maintenance, and its daemons were stopped for it"
    )
    assert "changed" not in server.deploy()


def test_a_service_without_a_cluster_manager_ends_in_a_reboot(server: Server) -> None:
    """Its file system is mounted, and no cluster manager can stop it. The watchdog runs after
    the reboot, too.
    """
    boot = server.boot()
    server.shell(f"mkdir -p {PLACE}; mount -t tmpfs service {PLACE}")
    assert server.is_another_boot(boot)
    server.shell("until systemctl -q is-active seatrial-self-fencing; do sleep 0.5; done")


def test_a_stop_that_hangs_ends_in_a_reboot(server: Server) -> None:
    """The unmount waits for a suspended device: no signal ends it."""
    boot = server.boot()
    server.shell(
        "echo 0 131072 linear /dev/ubdb 0 | dmsetup create held && mkfs.ext4 -q /dev/mapper/held"
        f" && mkdir -p {PLACE} && mount /dev/mapper/held {PLACE} && cp /usr/bin/sleep"
        " /tmp/pacemakerd"
    )
    server.shell("nohup /tmp/pacemakerd 300 >/dev/null 2>&1 </dev/null &")
    server.shell(
        f"dd if=/dev/zero of={PLACE}/dirty bs=64k count=16 2>/dev/null; dmsetup suspend --nolockfs"
        f" --noflush held; nohup umount {PLACE} >/dev/null 2>&1 </dev/null & sleep 2; pkill -9"
        " umount; sleep 1; pgrep umount"
    )
    assert server.is_another_boot(boot)
