"""Locks of NFSv3 across planned moves: each holder is notified to reclaim, by both kinds of
agents.
"""

import contextlib
import os
import shlex
from pathlib import Path

import pytest

from seatrial.basics.errors import RunError
from seatrial.solutions.base import directories_of
from seatrial.transport import on_every
from tests.builders.labs import Bench, booted
from tests.builders.places import STUDIES
from tests.builders.yaml_texts import loaded

pytestmark = pytest.mark.lab
MOVED_TIMEOUT_S = 120
ADDRESS = "10.10.200.1"
ADDRESSES = "ip netns exec data ip -4 -o addr 2>/dev/null; ip -4 -o addr"
"""sh: the locks of a server, also of a service in a separate network"""


def owner(bench: Bench) -> str:
    """The server that has the service's address."""
    found = [
        server
        for server in bench.solution.servers
        if f" {ADDRESS}/" in bench.ssh.run(server, ADDRESSES).stdout
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.skipif(
    "SEATRIAL_SOAK" not in os.environ, reason="two pairs and six takeovers take six minutes"
)
@pytest.mark.parametrize("study", ["nss-ha-xl", "nss-ha-distribution"])
def test_the_holder_of_an_nfs3_lock_keeps_it(study: str, tmp_path: Path) -> None:
    """A client that only holds a lock; the new server records any client that requests a lock
    meanwhile.
    """
    data = loaded((STUDIES / study / "study.yaml").read_text())
    data["id"] = f"locks-{os.getpid()}"
    with booted(data, tmp_path) as bench:
        assert bench.seatrial("deploy").returncode == 0
        mounts = directories_of(bench.solution)
        folder = mounts.get("3") or mounts["data-3"]
        clients = bench.solution.clients
        hold = (
            "(flock {0}/{1} sleep 600 & echo $! >/tmp/holder) >/dev/null 2>&1 </dev/null; sleep 1"
        )
        on_every(clients, lambda node: bench.ssh.run(node, hold.format(folder, node)))
        # After the second takeover no client may be left to notify.
        for change in (move, move, crash):
            change(bench)
            free = [
                node
                for asking, node in zip((*clients[1:], clients[0]), clients, strict=True)
                if bench.ssh.run(
                    asking, f"flock -n {folder}/{node} true", timeout_s=MOVED_TIMEOUT_S
                ).exit_code
                == 0
            ]
            assert free == []


def move(bench: Bench) -> None:
    """To the other server; returns when the grace of 20 s at most is over there."""
    before = owner(bench)
    to = next(server for server in bench.solution.servers if server != before)
    resource = "crm_resource -r data"
    command = (
        f"{resource} --move -N {to} && crm_resource --wait -T {MOVED_TIMEOUT_S} && {resource}"
        " --clear"
    )
    moved = bench.ssh.run(before, command, timeout_s=MOVED_TIMEOUT_S + 10)
    assert moved.exit_code == 0, moved.stderr
    assert owner(bench) == to
    bench.ssh.run(to, "sleep 22")


def crash(bench: Bench) -> None:
    """The server that serves panics, and is fenced by the other."""
    before = owner(bench)
    other = next(server for server in bench.solution.servers if server != before)
    with contextlib.suppress(RunError):
        bench.ssh.run(before, "echo c >/proc/sysrq-trigger", timeout_s=5)
    taken = f"until ({ADDRESSES}) | grep -q ' {ADDRESS}/'; do sleep 1; done"
    assert (
        bench.ssh.run(other, f"timeout 150 sh -c {shlex.quote(taken)}", timeout_s=160).exit_code
        == 0
    )
    bench.ssh.run(other, "sleep 22")
