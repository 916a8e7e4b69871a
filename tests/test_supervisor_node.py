"""The environment of a node's kernel other than its command line: its priority among the others."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.labs.emulation.supervisor_node import CLIENT_NICENESS, make_way

CLIENT: Any = SimpleNamespace(systemd=False)
SERVER: Any = SimpleNamespace(systemd=True)


@pytest.fixture
def pid() -> Iterator[int]:
    """A process in place of a kernel, in a separate session."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        yield process.pid
        process.kill()


def test_a_clients_kernel_makes_way_and_a_servers_does_not(pid: int) -> None:
    """And its session does, where the host groups by session."""
    before = os.getpriority(os.PRIO_PROCESS, pid)
    assert make_way(SERVER, pid)
    assert os.getpriority(os.PRIO_PROCESS, pid) == before
    while not make_way(CLIENT, pid):
        pass
    assert os.getpriority(os.PRIO_PROCESS, pid) == CLIENT_NICENESS
    group = Path(f"/proc/{pid}/autogroup")
    if group.exists() and "nice" in group.read_text():
        assert group.read_text().endswith(f"nice {CLIENT_NICENESS}\n")


@pytest.mark.parametrize(("error", "settled"), [(BlockingIOError, False), (PermissionError, True)])
def test_a_host_that_is_asked_too_often_is_asked_again(
    pid: int, error: type[OSError], settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group without permission is left unchanged."""

    def refuse(_path: Path, _text: str) -> int:
        raise error

    monkeypatch.setattr(Path, "write_text", refuse)
    assert make_way(CLIENT, pid) is settled
