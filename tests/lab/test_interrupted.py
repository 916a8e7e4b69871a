"""A controller that is really killed, in the middle of a deploy and of a removal, on real kernels:
the next finishes.

The fast profile, after every script of a plan, is `tests/test_interrupted.py`. The long profile
here kills it at the begin of every stage of every kind of solution.
"""

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.labs.kinds import emulated
from seatrial.service.deploy import apply_plan
from seatrial.solutions.look import deployment, removal
from tests.builders.labs import (
    SEATRIAL,
    Bench,
    array_group,
    booted,
    lab_study,
    nfs_ha_pair,
    three_servers,
)

pytestmark = pytest.mark.lab


STATE = (
    "find /etc /var/lib/seatrial/made /usr/local/sbin -xdev -type f ! -path '/etc/lvm/*' ! -name"
    " '*.cache' ! -path '*/before/units' -exec md5sum {} + | sort -k2\ngrep -E ' /(mnt|srv)/'"
    " /proc/mounts | cut -d ' ' -f 1-3\nls /dev/md 2>/dev/null\nsed 's/^/kept unit: /'"
    " /var/lib/seatrial/made/*/before/units 2>/dev/null || true"
)


SECRET = re.compile(
    r"^[0-9a-f]{32}(  .*(?:key|known-hosts|chap|secret|/etc/iscsi/nodes/|/etc/iscsi/seatrial-).*)$"
)
"""created again by every first deploy: the test compares its existence, and not its content"""


def state(bench: Bench) -> set[tuple[str, str]]:
    """Files, mounts and arrays of every node: (node, line)."""
    found = {
        node: bench.ssh.run(node, STATE).stdout.splitlines() for node in bench.study.node_names()
    }
    return {(node, SECRET.sub(r"\1", line)) for node, lines in found.items() for line in lines}


def killed(bench: Bench, verb: str, stage: int) -> None:
    """The command, killed without a signal handler as soon as it reports the start of the stage."""
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
def test_the_next_controller_finishes_after_a_killed_one(bench: Bench, stage: int) -> None:
    """Files, mounts and arrays are those of one deploy, and of one removal."""
    site = emulated.site(bench.study)
    plan = deployment(bench.solution, site, {})
    undo = removal(bench.solution, {})
    apply_plan(plan, bench.ssh)
    whole = state(bench)
    apply_plan(undo, bench.ssh)
    clean = state(bench)
    killed(bench, "deploy", stage)
    apply_plan(plan, bench.ssh)
    assert state(bench) == whole
    killed(bench, "undeploy", min(stage, len(undo.stages)))
    apply_plan(undo, bench.ssh)
    assert state(bench) == clean
    assert "changed" not in apply_plan(undo, bench.ssh).summary()


def test_a_foreign_file_system_is_not_removed(bench: Bench) -> None:
    """A foreign file system with the study's name is neither removed nor used: the UUID
    identifies it.
    """
    plan = deployment(bench.solution, emulated.site(bench.study), {})
    undo = removal(bench.solution, {})
    apply_plan(plan, bench.ssh)
    made = f"/var/lib/seatrial/made/{bench.study.id}/volumes"
    noted = bench.ssh.run("nas", f"cat {made}").stdout.split()
    *spans, volume = sorted(
        (device for device in noted if device.startswith("/dev/md/")), reverse=True
    )
    own = noted[noted.index(volume) + 1]
    assert {*noted[::2]} == {*spans, volume, *emulated.site(bench.study).nodes["nas"].devices}

    def named(uuid: str) -> None:
        """As if mkfs had made another one."""
        unmounted = (
            "while mountpoint -q $path; do umount $path || sleep 0.2; done; e2fsck -fy $device"
            " >/dev/null"
        )
        words = (
            f"path=/srv/{bench.study.id} device={volume}; exportfs -ua; {unmounted}; tune2fs -U"
            f" {uuid} $device"
        )
        done = bench.ssh.run("nas", words)
        assert done.exit_code == 0, done.stderr

    named("99999999-2222-3333-4444-555555555555")
    for changes in (plan, undo):
        with pytest.raises(
            RunError, match="holds 99999999-2222-3333-4444-555555555555, which .* did not create"
        ):
            apply_plan(changes, bench.ssh)
    named(own)
    apply_plan(undo, bench.ssh)
    apply_plan(plan, bench.ssh)
    assert bench.ssh.run("nas", f"cat {made}").stdout.split() == noted
    assert "changed" not in apply_plan(plan, bench.ssh).summary()


def single(**solution: Any) -> dict[str, Any]:
    """One server with one disk."""
    data = lab_study("killed")
    data["nodes"]["nas"]["disks"]["count"] = 1
    return {**data, "solution": solution}


EVERY = {
    "smb": lambda: single(kind="smb"),
    "sshfs": lambda: single(kind="sshfs"),
    "nfs": lambda: lab_study("killed"),
    "nfs-ha": nfs_ha_pair,
    "gfs2-iscsi": array_group,
    "cephfs": three_servers,
}


@pytest.mark.skipif(
    "SEATRIAL_SOAK" not in os.environ, reason="long: at every stage of every kind; SEATRIAL_SOAK=1"
)
@pytest.mark.parametrize("kind", EVERY)
def test_at_every_stage_of_every_kind(kind: str, tmp_path: Path) -> None:
    """Killed at the start of each stage in turn; a final deploy completes the last one."""
    with booted({**EVERY[kind](), "id": f"killed-{kind}"}, tmp_path) as bench:
        site = emulated.site(bench.study)
        plan = deployment(bench.solution, site, {})
        undo = removal(bench.solution, {})
        apply_plan(plan, bench.ssh)
        whole = state(bench)
        apply_plan(undo, bench.ssh)
        clean = state(bench)
        for stage in range(1, len(plan.stages) + 1):
            killed(bench, "deploy", stage)
        apply_plan(plan, bench.ssh)
        assert sorted(state(bench) ^ whole) == []
        assert "changed" not in apply_plan(plan, bench.ssh).summary()
        for stage in range(1, len(undo.stages) + 1):
            killed(bench, "undeploy", stage)
        apply_plan(undo, bench.ssh)
        assert sorted(state(bench) ^ clean) == []
