"""Checks of mounts and exports with made-up kernel tables: they inspect the present state,
not the written text.
"""

import os
import subprocess
from pathlib import Path

import pytest

from seatrial.check import prepare
from seatrial.plan.library import functions_for
from seatrial.solutions.parts.steps import is_mounted, note_mount, show_mount
from tests.builders.strategies import study

NFS = "nas:/srv/x /mnt/x nfs4 rw,vers=4.2,rsize=65536,hard 0 0\n"


def on(mounts: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run sh where this file is /proc/mounts."""
    script = f"{functions_for(script)}{script}".replace("/proc/mounts", str(mounts))
    return subprocess.run(
        ["sh", "-e"], input=script, capture_output=True, text=True, timeout=20, check=False
    )


CHANGES: list[tuple[str, list[str]]] = [
    (NFS, []),
    (NFS.replace("65536", "8192"), ["now: rsize=8192", "deployed: rsize=65536"]),
    (NFS.replace(",hard", ",noac,hard"), ["now: noac"]),
    (NFS + NFS, ["now: two mounts at this path"]),
    ("", ["now: nothing"]),
]


@pytest.mark.parametrize(
    ("now", "reported"), CHANGES, ids=["same", "value", "more", "twice", "nothing"]
)
def test_a_mount_is_compared_with_its_earlier_state(
    tmp_path: Path, now: str, reported: list[str]
) -> None:
    """As the kernel reports it, option by option; the requested options would prove nothing."""
    mounts = tmp_path / "mounts"
    noted = tmp_path / "noted"
    mounts.write_text(f"proc /proc proc rw 0 0\n{NFS}")
    assert on(mounts, note_mount("/mnt/x", "nas:/srv/x hard", str(noted))).returncode == 0
    mounts.write_text(f"proc /proc proc rw 0 0\n{now}")
    assert (on(mounts, is_mounted("/mnt/x", "nas:/srv/x hard", str(noted))).returncode == 0) == (
        now == NFS
    )
    assert on(mounts, is_mounted("/mnt/x", "nas2:/srv/x hard", str(noted))).returncode != 0
    shown = on(mounts, show_mount("/mnt/x", str(noted)))
    assert (shown.stdout.splitlines(), shown.stderr) == (reported, "")


def test_an_unrecorded_mount_is_shown_completely(tmp_path: Path) -> None:
    """After a boot, for example."""
    mounts = tmp_path / "mounts"
    mounts.write_text(NFS)
    shown = on(mounts, show_mount("/mnt/x", str(tmp_path / "noted")))
    assert shown.stdout == f"now: {NFS.strip().replace(' ', ',')},\n"


@pytest.mark.parametrize(
    "other",
    [
        "rw,sync,root_squash",
        "ro,sync,root_squash",
        "rw,async,root_squash",
        "rw,sync,no_root_squash",
    ],
)
def test_an_export_matches_the_study_for_every_client(tmp_path: Path, other: str) -> None:
    """The server's own table decides, not the file."""
    stages = prepare(study())[1].plan({}).stages
    step = next(
        step for stage in stages for step in stage.steps.get("nas", ()) if " with rw" in step.title
    )
    lines = [f"/srv/small\tc{number}(rw,sync,root_squash,sec=sys)\n" for number in range(1, 5)]
    etab = tmp_path / "etab"
    etab.write_text("".join(lines).replace("c4(rw,sync,root_squash", f"c4({other}"))
    exports = tmp_path / "seatrial-small.exports"
    check = (
        str(step.check)
        .replace("/var/lib/nfs", str(tmp_path))
        .replace("/etc/exports.d", str(tmp_path))
    )
    exports.touch()
    os.utime(exports, (1000, 1000))
    assert (on(tmp_path, check).returncode == 0) == (other == "rw,sync,root_squash")
    # As many clients as before, but with the names of another network: the server has not reloaded
    # yet.
    os.utime(exports, (etab.stat().st_mtime + 1,) * 2)
    assert on(tmp_path, check).returncode != 0
