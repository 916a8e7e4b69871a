"""The storage check of the lightweight agent: paths that are gone, and a busy storage."""

import os
import subprocess
from pathlib import Path

import pytest

from seatrial.solutions.parts.nfs_service import AGENT


def answers(tmp_path: Path, device: str) -> subprocess.CompletedProcess[str]:
    """The agent's report on a storage: 1 s without any path, 3 s for an answer."""
    body = AGENT.read_text()
    functions = (
        body[body.index("paths_below() {") : body.index("monitor() {")]
        .replace("/run/", f"{tmp_path}/")
        .replace("/sys/class/block", f"{tmp_path}/block")
    )
    script = (
        'say() { echo "$*" >&2; }\n'
        f"patience=3 pathless=1 state=/folder device={device}\n{functions}"
        "\nstorage_answers\nstatus=$?\n"
        # The agent stores the list of connections in this folder after the check.
        '[ "$state" = /folder ] || say "state is $state"\nexit $status'
    )
    return subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, check=False, timeout=60
    )


def end_read(fifo: Path) -> None:
    """Release the abandoned thread."""
    descriptor = os.open(fifo, os.O_RDWR)
    os.write(descriptor, bytes(4096))
    os.close(descriptor)


def test_a_silent_storage_differs_from_one_that_answers(tmp_path: Path) -> None:
    """The waiting thread is abandoned: a read that hangs in the kernel cannot be ended."""
    os.mkfifo(tmp_path / "gone")
    silent = answers(tmp_path, f"{tmp_path}/gone")
    assert (silent.returncode, silent.stderr) == (1, f"no answer of {tmp_path}/gone within 3 s\n")
    unreadable = answers(tmp_path, f"{tmp_path}/none")
    assert (unreadable.returncode, unreadable.stderr) == (1, f"{tmp_path}/none cannot be read\n")
    (tmp_path / "there").write_bytes(bytes(8192))
    assert answers(tmp_path, f"{tmp_path}/there").returncode == 0
    end_read(tmp_path / "gone")


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (("blocked", "transport-offline"), "no path to {device} for 1 s"),
        (("running", "blocked"), "no answer of {device} within 3 s"),
        ((None,), "no answer of {device} within 3 s"),
    ],
)
def test_a_server_without_a_path_waits_for_less_time_than_for_a_busy_storage(
    tmp_path: Path, states: tuple[str | None, ...], message: str
) -> None:
    """The paths of an LVM volume are two layers of device mapper below it."""
    block = tmp_path / "block"
    (block / "volume/slaves/multipath").mkdir(parents=True)
    for number, state in enumerate(states):
        (block / f"multipath/slaves/sd{number}").mkdir(parents=True)
        (block / f"sd{number}/device").mkdir(parents=True)
        if state:
            (block / f"sd{number}/device/state").write_text(f"{state}\n")
    os.mkfifo(tmp_path / "volume")
    silent = answers(tmp_path, f"{tmp_path}/volume")
    assert silent.stderr == message.format(device=tmp_path / "volume") + "\n"
    assert silent.returncode == 1
    end_read(tmp_path / "volume")
