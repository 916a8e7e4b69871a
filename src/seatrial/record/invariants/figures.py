"""Figures of any line: every number is finite, and what counts or lasts is not negative."""

import math
from collections.abc import Iterator
from typing import Any

from seatrial.record.invariants.contradiction import Code, Contradiction, Subject

COUNTS = frozenset(
    {
        *("size_bytes", "operations", "blocks", "blocks_checked", "bytes", "requests", "unserved"),
        *("must", "may", "lost", "wrong", "files", "names_checked", "names_wrong", "count", "number"),
    }
)
COUNTING_ENDS = ("_bytes_per_s", "operations_per_s", "_bytes", "_count", "_share", "_ms", "_error_s")
LASTING = frozenset({"elapsed_s", "duration_s", "longest_s", "cpu_s", "first_done_s", "last_done_s", "fairness"})
ROWS = frozenset({"seconds", "tasks"})
"""lists of rows of figures without names; a row has nothing below zero"""


def of_figures(line: dict[str, Any], subject: Subject, where: str) -> Iterator[Contradiction]:
    """Numbers of a line that cannot be: each kind of defect once, by the place of the first."""
    found: dict[Code, Contradiction] = {}
    for place, name, value in _numbers(line, "", ""):
        code = _code(name, value)
        if code is not None and code not in found:
            found[code] = Contradiction(code, subject, where, f"{place} is {value}")
    return iter(found.values())


def _numbers(data: Any, place: str, name: str) -> Iterator[tuple[str, str, float]]:
    """(place, name of the nearest key, value) of every number; true and false are none."""
    if isinstance(data, bool):
        return
    if isinstance(data, int | float):
        yield place, name, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _numbers(value, f"{place}.{key}" if place else str(key), str(key))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from _numbers(value, f"{place}[{index}]", name)


def _code(name: str, value: float) -> Code | None:
    if not math.isfinite(value):
        return Code.NOT_FINITE
    counted = name in COUNTS or name in LASTING or name in ROWS or name.endswith(COUNTING_ENDS)
    return Code.NEGATIVE if counted and value < 0 else None
