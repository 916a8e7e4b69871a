"""When the machine that runs a lab was short of processors: a cause of slow answers, as well as the
storage.

A lab's nodes share the machine's processors. While some process waits for one, any node, the
controller or a monitor of the cluster may be the one that waits: a long wait then shows nothing
about the storage.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SHORT_SHARE = 0.5
"""an interval counts in which some process waited for a processor for a larger share of the time"""
SHORT_OF_WINDOW = 0.2
"""a window is limited in which so large a share was short: a timer that one late answer lets pass
costs more time than the answer was late"""

SHORT_OF_SILENCE = 0.5
"""an outage without an end is limited where the processors were short for at least this share of
the time of its monitoring: a client that had processors for longer could have recovered"""


@dataclass(frozen=True)
class Interval:
    """One look at the processors."""

    end_unix_s: float
    length_s: float
    share: float
    """of it, in which some process waited for a processor or its time was taken by a hypervisor: 0
    to 1"""


def read_intervals(lines: Iterable[Mapping[str, float]]) -> tuple[Interval, ...]:
    """The inverse of the result's entry."""
    return tuple(Interval(**line) for line in lines)


def short_s(intervals: Iterable[Interval], from_unix_s: float, until_unix_s: float) -> float:
    """For how many seconds of a window the processors were short."""
    total_s = 0.0
    for item in intervals:
        if item.share > SHORT_SHARE:
            start_s = max(item.end_unix_s - item.length_s, from_unix_s)
            total_s += max(min(item.end_unix_s, until_unix_s) - start_s, 0.0)
    return total_s


def limited(
    intervals: Iterable[Interval],
    from_unix_s: float,
    until_unix_s: float,
    excess_s: float | None = None,
) -> str | None:
    """Why a delay in a window may come from the machine's processors; None where it does not.

    `excess_s`: the length of the delay in seconds. A shortage as long as that explains the whole
    delay, however small its share of the window.
    """
    found_s = short_s(intervals, from_unix_s, until_unix_s)
    window_s = until_unix_s - from_unix_s
    if window_s <= 0 or found_s == 0:
        return None
    is_explained = excess_s is not None and found_s >= excess_s
    if not is_explained and found_s < SHORT_OF_WINDOW * window_s:
        return None
    return _words(found_s, window_s)


def limited_silence(
    intervals: Iterable[Interval], from_unix_s: float, until_unix_s: float
) -> str | None:
    """Why an outage that did not end may come from the machine's processors; None where it does
    not. The window is the time of its monitoring.
    """
    found_s = short_s(intervals, from_unix_s, until_unix_s)
    window_s = until_unix_s - from_unix_s
    if window_s <= 0 or found_s < SHORT_OF_SILENCE * window_s:
        return None
    return _words(found_s, window_s)


def _words(found_s: float, window_s: float) -> str:
    return f"this machine was short of processors for {found_s:.0f} of these {window_s:.0f} s"
