"""Lines of a node's journal with the time since its boot, as the wall clock may have been set."""

import re
from collections.abc import Iterator, Sequence

SET_S_MAX = 86400
"""seconds by which a clock is at most set during a fault; older entries are not searched"""


def command(since_boot_s: float, patterns: Sequence[str], *, kernel_only: bool = False) -> str:
    """The command that prints this boot's lines with one of `words` (extended regular expressions).

    Lines from about `since_boot_s` on are printed.
    """
    source = "--dmesg" if kernel_only else "--boot"
    return (
        f"since=$(($(cut -d. -f1 /proc/uptime) - {int(since_boot_s)} + {SET_S_MAX}))\n"
        f'journalctl {source} --no-pager --output=short-monotonic --since="-${{since}}s"'
        " 2>/dev/null | "
        f"grep -E '{'|'.join(patterns)}' | cut -c1-300 || true"
    )


_LINE = re.compile(r"^\[ *(\d+\.\d+)\] \S+ [^:\[]+(?:\[\d+\])?: (.*)$")


def lines(answer: str) -> Iterator[tuple[float, str]]:
    """(seconds since boot, message) of each line; unreadable lines are left out.

    The kernel uses CLOCK_MONOTONIC, which stops during a suspend; servers do not suspend.
    """
    for line in answer.splitlines():
        if match := _LINE.match(line):
            yield float(match[1]), match[2].strip()
