"""IOzone's output as text: throughput mode (`-t`), and the tables of automatic and single-process runs."""

import re
from collections.abc import Iterator

from seatrial.advice.foreign import KIB, Foreign, first_of, number

_VERSION = re.compile(r"Version \$?Revision: *([\d.]+)")
_RECORD = re.compile(r"in (\d+) kByte records|Record Size (\d+) [kK]B", re.IGNORECASE)
_SUM = re.compile(r"(Children|Parent) sees? throughput for\s+(\d+) ([a-z -]+?)\s*=\s*([\d.]+) (\S+)")
_PHASES = {
    "initial writers": ("write", "sequential"),
    "rewriters": ("write", "rewrite"),
    "readers": ("read", "sequential"),
    "random readers": ("read", "random"),
    "random writers": ("write", "random"),
    "mixed workload": ("mixed", "random"),
    "reverse readers": ("read", "backward"),
    "stride readers": ("read", "strided"),
}
"""a second read of the same data tells of caches, and has no phase here; nor have IOzone's calls of the C library"""
_TABLE = ("kB", "reclen", "write", "rewrite", "read", "reread", "read", "write", "read", "rewrite", "read")
_COLUMNS = ("initial writers", "rewriters", "readers", "", "random readers", "random writers", "reverse readers", "",
            "stride readers")  # fmt: skip


def recognises(text: str) -> bool:
    """Its banner."""
    return "Iozone: Performance Test of File I/O" in text


def version(text: str) -> str:
    """Of the banner."""
    return first_of(_VERSION, text)


def results(text: str) -> Iterator[Foreign]:
    """Sums of all processes over the parent's time, and each cell of a table."""
    operations = "Output is in Ops/sec" in text
    yield from _throughput(text, operations)
    yield from _tables(text, operations)


def _throughput(text: str, operations: bool) -> Iterator[Foreign]:
    record = _RECORD.search(text)
    size = int(record[1] or record[2]) * KIB if record else None
    sums: dict[str, tuple[int, float]] = {}
    for line in text.splitlines():
        found = _SUM.search(line)
        # The parent's time ends with the last process, the children's rates are each over its own: the parent's counts.
        if found and (found[1] == "Parent" or found[3] not in sums):
            sums[found[3]] = int(found[2]), float(found[4])
    for test, (tasks, rate) in sums.items():
        if test in _PHASES:
            yield _result(test, rate, size, tasks, operations)


def _result(test: str, rate: float, size: int | None, tasks: int, operations: bool) -> Foreign:
    phase, pattern = _PHASES[test]
    per_s = rate if operations else rate * KIB / size if size else None
    total = rate * KIB if not operations else rate * size if size else None
    return Foreign(phase, test, total, per_s, pattern, size, None, tasks)


def _tables(text: str, operations: bool) -> Iterator[Foreign]:
    """Cells end where their heads do, or a column beside: tests that were not asked for leave theirs empty."""
    ends: list[int] = []
    for line in text.expandtabs().splitlines():
        words = [(match[0], match.end()) for match in re.finditer(r"\S+", line)]
        if tuple(word for word, _ in words)[: len(_TABLE)] == _TABLE:
            ends = [end for _, end in words]
        elif ends and len(words) > 2 and all(number(word) is not None for word, _ in words):
            cells = {_nearest(ends, end): word for word, end in words}
            for column, test in enumerate(_COLUMNS, start=2):
                if test and column in cells:
                    yield _result(test, float(cells[column]), int(cells[1]) * KIB, 1, operations)


def _nearest(ends: list[int], end: int) -> int:
    return min(range(len(ends)), key=lambda column: abs(ends[column] - end))
