"""The common time: the time since this machine was booted, anchored once to the time of day when
the process begins.

Unlike the wall clock, no operator and no chrony sets it, so that two events never change their
order.
"""

import time


def boottime_s() -> float:
    """Seconds since this machine was booted (CLOCK_BOOTTIME)."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


_BOOTED_UNIX_S = time.time() - boottime_s()


def unix_s(since_boot_s: float | None = None) -> float:
    """Unix time now, or at a time since this machine's boot; steady while this process lives."""
    return _BOOTED_UNIX_S + (boottime_s() if since_boot_s is None else since_boot_s)


def wall_ahead_s() -> float:
    """How far the wall clock is ahead of it, in seconds, which changes only when the wall clock is
    set.
    """
    return time.time() - unix_s()
