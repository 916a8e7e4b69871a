"""Figures of any line: every number is finite, and counts and durations are not negative."""

import math
from collections.abc import Iterator
from typing import Any

from seatrial.result.invariants.contradiction import Code, Contradiction, Subject

COUNTS = frozenset(
    {
        *("size_bytes", "operations", "blocks", "blocks_checked", "bytes", "requests", "unserved"),
        *(
            "must",
            "may",
            "lost",
            "wrong",
            "files",
            "names_checked",
            "names_wrong",
            "count",
            "number",
        ),
        *(
            "extents_omitted",
            "names_omitted",
            "retransmitted_segments",
            "processes_started",
            "second",
            "parts",
        ),
        *(
            "value",
            "expected",
            "lowest",
            "elapsed_s",
            "duration_s",
            "longest_s",
            "cpu_s",
            "fairness",
        ),
        *("first_done_s", "last_done_s", "first_completion_unix_s"),
    }
)
"""keys of figures that count, or last"""
COUNTING_ENDS = (
    "_bytes_per_s",
    "operations_per_s",
    "_bytes",
    "_count",
    "_share",
    "_ms",
    "_error_s",
)
GROUPS = frozenset({"seconds", "tasks", "checked", "processes_started"})
"""keys of rows or groups of figures that are never below zero"""
GROUP_ENDS = ("_ms",)


def of_figures(line: dict[str, Any], subject: Subject, where: str) -> Iterator[Contradiction]:
    """Numbers of a line that cannot be: each kind of defect once, by the place of the first."""
    by_code: dict[Code, Contradiction] = {}
    for place, counts, value in _numbers(line, "", counts=False):
        code = _code(value, counts=counts)
        if code is not None and code not in by_code:
            by_code[code] = Contradiction(code, subject, where, f"{place} is {value}")
    return iter(by_code.values())


def _numbers(data: Any, place: str, *, counts: bool) -> Iterator[tuple[str, bool, float]]:
    """(place, whether it cannot be negative, value) of every number; true and false are none."""
    if isinstance(data, bool):
        return
    if isinstance(data, int | float):
        yield place, counts, data
    elif isinstance(data, dict):
        for key, value in data.items():
            within = f"{place}.{key}" if place else str(key)
            yield from _numbers(value, within, counts=_counts(str(key), value, counts=counts))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from _numbers(value, f"{place}[{index}]", counts=counts)


def _counts(key: str, value: Any, *, counts: bool) -> bool:
    """Whether no figure under a key is negative; `counts`: none of the group that the key belongs
    to is.
    """
    if isinstance(value, dict | list | tuple):
        return counts or key in GROUPS or key.endswith(GROUP_ENDS)
    return counts or key in COUNTS or key.endswith(COUNTING_ENDS)


def _code(value: float, *, counts: bool) -> Code | None:
    if not math.isfinite(value):
        return Code.NOT_FINITE
    return Code.NEGATIVE if counts and value < 0 else None
