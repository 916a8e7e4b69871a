"""Slower processors: a node's kernel is stopped for the time that it has run beyond its share.

A User-Mode-Linux kernel is one process, which traces those of its guest's programs. While it is
stopped, no system call completes, and no kernel code runs. Clock signals arrive afterwards.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

PERIOD_S = 0.01
CREDIT_S = 0.02
"""seconds that an idle node may run at once, at most"""
Kernel = Callable[[str], int | None]
"""name of a node -> the process of its kernel, or None when it must not be stopped"""


class Throttle:
    """The nodes with a limited share of a processor."""

    def __init__(self, kernel: Kernel, proc: Path = Path("/proc")) -> None:
        self._shares: dict[str, float] = {}
        self._kernel = kernel
        self._proc = proc
        self._credit_s: dict[str, float] = {}
        self._ran: dict[str, tuple[int, float]] = {}
        self._stopped: dict[str, int] = {}

    def set(self, name: str, share: float | None) -> None:
        """Set a node's share; None: no limit. Time that it ran without a limit is not charged."""
        if self._shares.pop(name, None) is None:
            self._ran.pop(name, None)
            self._credit_s.pop(name, None)
        if share is None:
            self._go_on(name)
        else:
            self._shares[name] = share

    async def run(self) -> None:
        """Check every limited node periodically."""
        loop = asyncio.get_running_loop()
        then = loop.time()
        while True:
            await asyncio.sleep(PERIOD_S if self._shares else 0.5)
            now = loop.time()
            for name in self._shares:
                self.charge(name, now - then)
            then = now

    def charge(self, name: str, passed_s: float) -> None:
        """Charge a node for its run time; stop it while it owes time, and then continue it."""
        pid = self._kernel(name)
        ran_s = None if pid is None else self._ran_s(pid)
        if pid is None or ran_s is None:
            self._stopped.pop(name, None)
            return
        before_pid, before_s = self._ran.get(name, (pid, ran_s))
        self._ran[name] = pid, ran_s
        used_s = ran_s - before_s if before_pid == pid else 0.0
        credit_s = self._credit_s.get(name, 0.0) + passed_s * self._shares[name] - used_s
        self._credit_s[name] = min(credit_s, CREDIT_S)
        if credit_s < 0 and self._stopped.get(name) != pid:
            self._send(pid, signal.SIGSTOP)
            self._stopped[name] = pid
        elif credit_s >= 0:
            self._go_on(name)

    def _go_on(self, name: str) -> None:
        pid = self._stopped.pop(name, None)
        if pid is not None:
            self._send(pid, signal.SIGCONT)

    def _ran_s(self, pid: int) -> float | None:
        """Run time in s of the kernel's thread (first field of schedstat); None after its end."""
        with contextlib.suppress(OSError):
            return int((self._proc / str(pid) / "schedstat").read_text().split()[0]) / 1e9
        return None

    @staticmethod
    def _send(pid: int, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
