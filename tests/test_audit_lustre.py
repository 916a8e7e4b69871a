"""The rule for Lustre mounts, with its script over the lines of /proc/mounts."""

import subprocess
from pathlib import Path

import pytest

from seatrial.advice.audit_base import every_finding, facts_of, probe

LINE = "10.0.0.1@tcp:/scratch /mnt/scratch\\040a lustre rw,{},user_xattr,lazystatfs 0 0\n"


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ("localflock", ["unsafe: /mnt/scratch\\040a has localflock"]),
        ("noflock", ["fragile: /mnt/scratch\\040a has noflock"]),
        ("flock", []),
    ],
)
def test_locks_of_one_client_are_found(tmp_path: Path, option: str, found: list[str]) -> None:
    """The options are those that the kernel lists."""
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sda / ext4 rw 0 0\n" + LINE.format(option))
    script = probe().replace("/proc/mounts", str(mounts))
    done = subprocess.run(
        ["dash", "-s"], input=script, capture_output=True, text=True, timeout=60, check=True
    )
    facts = facts_of("n", done.stdout)
    reported = [f"{it.level}: {it.what}" for it in every_finding([facts])]
    assert [item for item in reported if "scratch" in item] == found
