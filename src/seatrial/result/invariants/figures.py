"""Figures of any line: every number is finite, and counts and durations are not negative."""

import math
from collections.abc import Iterable, Iterator
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
CONTAINERS = (dict, list, tuple)
NUMBERS = (int, float)


def of_figures(line: dict[str, Any], subject: Subject, where: str) -> Iterator[Contradiction]:
    """Numbers of a line that cannot be: each kind of defect once, by the place of the first."""
    by_code: dict[Code, Contradiction] = {}
    for path, value, code in _impossible(line, (), counts=False):
        if code not in by_code:
            by_code[code] = Contradiction(code, subject, where, f"{_place(path)} is {value}")
    return iter(by_code.values())


def _impossible(
    data: dict[Any, Any] | list[Any] | tuple[Any, ...], path: tuple[str | int, ...], *, counts: bool
) -> Iterator[tuple[tuple[str | int, ...], float, Code]]:
    """The place, the value and the defect of every number that cannot be; true and false are no
    numbers.

    A result has hundreds of thousands of numbers, so only containers and numbers below zero or not
    finite cost a call.
    """
    is_mapping = isinstance(data, dict)
    items: Iterable[tuple[Any, Any]] = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        step = str(key) if is_mapping else key
        if isinstance(value, CONTAINERS):
            inside = _counts(step, value, counts=counts) if is_mapping else counts
            yield from _impossible(value, (*path, step), counts=inside)
        elif isinstance(value, NUMBERS) and not 0 <= value < math.inf:
            is_count = _counts(step, value, counts=counts) if is_mapping else counts
            code = _code(value, counts=is_count)
            if code is not None:
                yield (*path, step), value, code


def _place(path: tuple[str | int, ...]) -> str:
    """The keys with dots between them, and each index in brackets."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


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
