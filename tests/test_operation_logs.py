"""Whether a missing tree is lost or unknown."""

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from seatrial.load.operation_logs import _FOLDER_MAY_BE_GONE, owner_of

STORAGE = Path("/dev/shm")
"""a separate file system on any Linux machine"""


def test_the_longest_name_owns_a_log() -> None:
    """The name of one client may begin with that of another."""
    labels = {name: name for name in ("rack1", "rack1-b", "rack2")}
    assert owner_of("rack1-b-operations.log", labels, "first") == "rack1-b"
    assert owner_of("rack1-operations.log", labels, "first") == "rack1"
    assert owner_of("operations.log", labels, "first") == "first"


@pytest.fixture
def mounted() -> Iterator[Path]:
    """A folder of a file system other than the machine's own."""
    if not STORAGE.is_mount():
        pytest.skip(f"{STORAGE} is no file system of its own")
    with TemporaryDirectory(dir=STORAGE) as folder:
        yield Path(folder)


def reported(directory: Path) -> str:
    """The program's error for a directory."""
    script = f'{_FOLDER_MAY_BE_GONE.format(shlex.quote(str(directory)))}\necho "$gone"'
    return subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_missing_data_of_present_storage_are_lost(mounted: Path) -> None:
    """With the directories above it, too."""
    assert reported(mounted) == ""
    assert (
        reported(mounted / "it's gone")
        == reported(mounted / "seatrial" / "run" / "small")
        == "--may-be-gone"
    )


def test_without_a_mount_it_is_unknown() -> None:
    """A path that is missing on the node's own file system never existed."""
    assert reported(Path("/no-such-mount/seatrial/run")) == ""
