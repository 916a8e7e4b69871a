"""The parts of a result: each start of a run, and each resume, begins one."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.result.result import Result

Line = dict[str, Any]
MEASURED = frozenset({"baselines", "experiment", "phase", "comparison", "fault"})


@dataclass(frozen=True)
class Part:
    """The lines from one beginning to the next."""

    number: int
    """from 1"""
    lines: tuple[Line, ...]

    @property
    def is_again(self) -> bool:
        """Whether the same session tried something again: nothing was redeployed for it."""
        return bool(self.lines) and "again" in self.lines[0]

    @property
    def has_measured(self) -> bool:
        """Whether it was not interrupted before it measured anything."""
        return any(line["type"] in MEASURED for line in self.lines)


def parts_of(result: Result) -> tuple[Part, ...]:
    """All parts, in order; a run that was never interrupted has one."""
    lines_of_parts: list[list[Line]] = [[]]
    for line in result.lines:
        if line["type"] == "resumed":
            lines_of_parts.append([])
        lines_of_parts[-1].append(line)
    return tuple(Part(number, tuple(lines)) for number, lines in enumerate(lines_of_parts, start=1))


def part_words(part: Part, parts: Sequence[Part]) -> str:
    """The part in words, where there are several."""
    return f" of part {part.number}" if len(parts) > 1 else ""


def newest(parts: Sequence[Part], kind: str, *keys: str) -> dict[str, list[Line]]:
    """The lines of a kind by some of their keys, each from the last part that has it: a repetition
    replaces the lines before it.
    """
    latest: dict[str, list[Line]] = {}
    for part in parts:
        here: dict[str, list[Line]] = {}
        for line in part.lines:
            if line["type"] == kind:
                here.setdefault(line_key(*(line.get(key) for key in keys)), []).append(line)
        latest |= here
    return latest


def line_key(*values: Any) -> str:
    """The key of `newest`."""
    return json.dumps(values, sort_keys=True)
