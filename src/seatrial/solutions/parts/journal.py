"""Lines of a node's journal, timed since its boot: the wall clock, by which one searches, may have been set."""

import re
from collections.abc import Iterator, Sequence

SET_S_MAX = 86400
"""nobody sets a clock by more than a day while a fault lasts: older entries are not searched"""


def command(since_boot_s: float, words: Sequence[str], *, kernel_only: bool = False) -> str:
    """The lines of this boot with one of these words (extended regular expressions), from about then on."""
    source = "--dmesg" if kernel_only else "--boot"
    return (
        f"since=$(($(cut -d. -f1 /proc/uptime) - {int(since_boot_s)} + {SET_S_MAX}))\n"
        f'journalctl {source} --no-pager --output=short-monotonic --since="-${{since}}s" 2>/dev/null | '
        f"grep -E '{'|'.join(words)}' | cut -c1-300 || true"
    )


_LINE = re.compile(r"^\[ *(\d+\.\d+)\] \S+ [^:\[]+(?:\[\d+\])?: (.*)$")


def lines(answer: str) -> Iterator[tuple[float, str]]:
    """(seconds since boot, what was said); what cannot be read is left out.

    The kernel times by CLOCK_MONOTONIC, which stands still while a machine is suspended: no server is.
    """
    for line in answer.splitlines():
        if match := _LINE.match(line):
            yield float(match[1]), match[2].strip()
