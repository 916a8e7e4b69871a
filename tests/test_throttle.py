"""Slower processors: a node runs for its share of the time, and is stopped in between."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seatrial.labs.emulation.throttle import CREDIT_S, Throttle


class Kernel:
    """A kernel of a node: it runs whenever it may."""

    def __init__(self, proc: Path) -> None:
        self.proc = proc
        self.ran_ns = 0
        self.stopped = False
        (proc / "7").mkdir()

    def pass_time(self, time_s: float) -> None:
        """Run, if that is allowed."""
        self.ran_ns += 0 if self.stopped else round(time_s * 1e9)
        (self.proc / "7" / "schedstat").write_text(f"{self.ran_ns} 0 0\n")


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """With the signals that it gets taken as they are meant."""
    found = Kernel(tmp_path)

    def send(_pid: int, number: int) -> None:
        found.stopped = number == signal.SIGSTOP

    monkeypatch.setattr(os, "kill", send)
    return found


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_a_kernel_that_could_run_always_gets_its_share(kernel: Kernel, share: float) -> None:
    """Over a second, to within one look."""
    throttle = Throttle(lambda _name: 7, kernel.proc)
    throttle.set("a", share)
    for _ in range(100):
        kernel.pass_time(0.01)
        throttle.charge("a", 0.01)
    assert kernel.ran_ns / 1e9 == pytest.approx(share, abs=CREDIT_S + 0.01)


def test_without_a_share_it_continues(kernel: Kernel) -> None:
    """Also when it was stopped just then."""
    throttle = Throttle(lambda _name: 7, kernel.proc)
    throttle.set("a", 0.1)
    for _ in range(5):
        kernel.pass_time(0.01)
        throttle.charge("a", 0.01)
    assert kernel.stopped
    throttle.set("a", None)
    assert not kernel.stopped


def test_time_without_a_share_is_not_charged(kernel: Kernel) -> None:
    """A deploy between two measured phases runs at full speed: the next phase must not begin by
    paying for it.
    """
    throttle = Throttle(lambda _name: 7, kernel.proc)
    throttle.set("a", 0.5)
    kernel.pass_time(0.01)
    throttle.charge("a", 0.01)
    throttle.set("a", None)
    kernel.pass_time(4.0)
    throttle.set("a", 0.5)
    kernel.pass_time(0.0)
    throttle.charge("a", 0.01)
    assert not kernel.stopped


def test_a_stopped_service_is_left_alone(kernel: Kernel) -> None:
    """A node without power, or one that the operator has stopped."""
    throttle = Throttle(lambda _name: None, kernel.proc)
    throttle.set("a", 0.1)
    throttle.charge("a", 0.01)
    assert not kernel.stopped


@pytest.fixture
def busy() -> Iterator[int]:
    """A real process that computes without end."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield process.pid
    process.kill()
    process.wait()


def test_a_real_process_is_stopped_and_released(busy: int) -> None:
    """It owes time after its first measurement, and pays it while it is stopped."""
    throttle = Throttle(lambda _name: busy)
    throttle.set("a", 0.01)
    limit = time.monotonic() + 20

    def state() -> str:
        return Path(f"/proc/{busy}/stat").read_text().rpartition(")")[2].split()[0]

    while state() != "T" and time.monotonic() < limit:
        time.sleep(0.01)
        throttle.charge("a", 0.0001)
    assert state() == "T"
    throttle.charge("a", 1e6)
    assert state() in "RS"
