"""Monitors once a second whether the machine that runs a lab is short of processors.

Linux reports the time in which some runnable process waited for a processor (/proc/pressure/cpu,
"some", see psi(7) of the kernel's documentation), and the time stolen by a hypervisor (`steal` in
/proc/stat). Without pressure data, a processor without idle time is used instead.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import sleep as sleep_s
from typing import Any

from seatrial.basics.clock import boottime_s, unix_s
from seatrial.labs.base import traits_named
from seatrial.load.cpus import BusyMeter
from seatrial.result.phases import LAB_BUSY_SHARE_MAX
from seatrial.result.shortage import Interval

LOOK_S = 1.0
PRESSURE = Path("/proc/pressure/cpu")
STAT = Path("/proc/stat")
FULL_SHARE = 0.98
"""a processor this busy has waiting work, where no better data exist"""
CALM_SHARE = 0.3
"""below this share of waiting time in the last interval, the machine is quiet enough to measure
again
"""
CALM_LOOK_S = 3.0
CALM_WAIT_S = 30.0


def waited_s(pressure: Path = PRESSURE) -> float | None:
    """Time in s, since boot, in which some process waited for a processor; None where the kernel
    does not report it.
    """
    with contextlib.suppress(OSError, ValueError, StopIteration):
        some = next(line for line in pressure.read_text().splitlines() if line.startswith("some"))
        return int(some.rpartition("total=")[2]) / 1e6
    return None


class ShortageMeter:
    """The share of the time, since the meter was created, in which some process waited for a
    processor.
    """

    def __init__(self, pressure: Path = PRESSURE, stat: Path = STAT) -> None:
        self._pressure = pressure
        self._began_s = boottime_s()
        self._waited_s = waited_s(pressure)
        self._busy = BusyMeter(stat)

    @property
    def elapsed_s(self) -> float:
        """Since the meter was created."""
        return boottime_s() - self._began_s

    def share(self) -> float:
        """0 to 1."""
        return self._share(self.elapsed_s)

    def _share(self, elapsed_s: float) -> float:
        stolen = self._busy.stolen_share()
        now_s = waited_s(self._pressure)
        if now_s is None or self._waited_s is None:
            is_full = self._busy.share() >= FULL_SHARE
            return 1.0 if is_full else stolen
        waited = (now_s - self._waited_s) / elapsed_s if elapsed_s > 0 else 0.0
        return min(max(waited, stolen), 1.0)


def wait_until_calm(
    meter: Callable[[], ShortageMeter] = ShortageMeter, sleep: Callable[[float], None] = sleep_s
) -> float:
    """Wait until the processors were not short for some seconds, at most `CALM_WAIT_S`; returns the
    waited seconds.
    """
    passed_s = 0.0
    while passed_s < CALM_WAIT_S:
        meter_now = meter()
        sleep(CALM_LOOK_S)
        passed_s += CALM_LOOK_S
        if meter_now.share() <= CALM_SHARE:
            break
    return passed_s


@dataclass(frozen=True)
class Processors:
    """The state of the machine's processors during a measurement."""

    busy_share: float
    """of the busiest, as `BusyMeter`"""
    short_share: float
    """as `ShortageMeter`"""
    busy_processors: float = 0.0
    """the sum of the busy shares of all processors"""

    @property
    def limited_chain(self) -> bool:
        """The processors may have been the bottleneck of a single chain of nodes.

        The nodes of a chain, such as a sender and a receiver, partly wait for each other. They can
        use the time of one processor while each processor is partly idle.
        """
        return self.limited or self.busy_processors > LAB_BUSY_SHARE_MAX

    @property
    def limited(self) -> bool:
        """The processors, and not the measured system, may have been the bottleneck."""
        return self.busy_share > LAB_BUSY_SHARE_MAX or self.short_share > CALM_SHARE


class ProcessorMeter:
    """Both meters over the same time."""

    def __init__(self) -> None:
        self._busy = BusyMeter()
        self._shortage = ShortageMeter()

    def reading(self, requested: float = 0.0) -> Processors:
        """Since the meter was created; `requested` as in `BusyMeter.share`."""
        busy = self._busy
        short_share = self._shortage.share()
        return Processors(busy.share(requested), short_share, busy.busy_processors())


class ShortageWatch:
    """A thread that measures the shortage of every second; its own late wake-up is part of the
    interval.
    """

    def __init__(self) -> None:
        self._over = threading.Event()
        self._intervals: list[Interval] = []
        self._busy = BusyMeter()
        self._thread = threading.Thread(target=self._monitor, name="shortage", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; the last interval is recorded, too."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _monitor(self) -> None:
        is_over = False
        while not is_over:
            meter = ShortageMeter()
            is_over = self._over.wait(LOOK_S)
            elapsed_s = meter.elapsed_s
            late_share = max(elapsed_s - 2 * LOOK_S, 0.0) / elapsed_s if elapsed_s > 0 else 0.0
            share = max(meter.share(), late_share)
            self._intervals.append(
                Interval(round(unix_s(), 3), round(elapsed_s, 3), round(share, 3))
            )

    def result_fields(self) -> dict[str, Any]:
        """The fields of a fault's line; empty without monitoring. Ends the recording."""
        if self._thread.ident is None:
            return {}
        self.stop()
        return {"cpus_busy_share": self._busy.share(), "shortage": tuple(self._intervals)}


@contextlib.contextmanager
def watching_processors(lab: str) -> Iterator[ShortageWatch]:
    """Monitor inside the block; not for separate hosts, where this machine's processors do not
    matter.
    """
    watch = ShortageWatch()
    if traits_named(lab).shares_processors:
        watch.start()
    try:
        yield watch
    finally:
        watch.stop()
