"""A controller that is really killed, in the middle of a deploy and of a removal, on real kernels: the next finishes.

The fast form, after every script of a plan, is `tests/test_interrupted.py`.
"""

import os
import signal
import subprocess

import pytest

from seatrial.labs.kinds import uml
from seatrial.service.deploy import apply_plan
from seatrial.solutions.look import deployment, removal
from tests.lab.conftest import SEATRIAL, Bench

pytestmark = pytest.mark.lab

STATE = (
    "find /etc /var/lib/seatrial/made /usr/local/sbin -xdev -type f ! -path '/etc/lvm/*' ! -name '*.cache' "
    "-exec md5sum {} + | sort -k2\ngrep -E ' /(mnt|srv)/' /proc/mounts | cut -d ' ' -f 1-3\n"
    "ls /dev/md 2>/dev/null || true"
)


def state(bench: Bench) -> dict[str, str]:
    """Files, mounts and arrays of every node."""
    nodes = ("nas", *bench.solution.clients)
    return {node: bench.ssh.run(node, STATE).stdout for node in nodes}


def killed(bench: Bench, verb: str, stage: int) -> None:
    """The command itself, ended without a word to it as soon as it says that it has begun the stage."""
    process = subprocess.Popen(
        [str(SEATRIAL), verb, str(bench.path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "300"},
    )
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line)
        if f"stage {stage} of" in line:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "".join(seen)


@pytest.mark.parametrize("stage", [4, 7])
def test_a_controller_that_is_killed_leaves_what_the_next_one_finishes(bench: Bench, stage: int) -> None:
    """Files, mounts and arrays are those of one deploy, and of one removal."""
    site = uml.site(bench.study)
    plan, undo = deployment(bench.solution, site, {}), removal(bench.solution, {})
    apply_plan(plan, bench.ssh)
    whole = state(bench)
    apply_plan(undo, bench.ssh)
    clean = state(bench)
    killed(bench, "deploy", stage)
    apply_plan(plan, bench.ssh)
    assert state(bench) == whole
    killed(bench, "remove", min(stage, len(undo.stages)))
    apply_plan(undo, bench.ssh)
    assert state(bench) == clean
    assert "changed" not in apply_plan(undo, bench.ssh).summary()
