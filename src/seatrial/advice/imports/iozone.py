"""IOzone's output as text: throughput mode (`-t`, `-l` and `-u`), and the tables of automatic and
single-process runs.

Each figure has its own unit: kilobytes of 1024 B or, with `-O`, operations per second. Microseconds
per operation (`-N`) are left out: of several processes they are no rate.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from seatrial.advice.foreign import (
    KIB,
    Foreign,
    Line,
    ReaderError,
    Reading,
    Section,
    number,
    sections,
)

_BANNER = re.compile(r"Iozone: Performance Test of File I/O")
_VERSION = re.compile(r"Version \$?Revision: *([\d.]+)")
_RECORD = re.compile(r"Record Size (\d+) kB", re.IGNORECASE)
_FILE = re.compile(r"File size set to (\d+) kB", re.IGNORECASE)
_SIZES = re.compile(
    r"Each (?:process|thread) writes a (\d+) kByte file in (\d+) kByte records", re.IGNORECASE
)
_GROUP = re.compile(r"Throughput test with (\d+) (?:process|thread)")
_SUM = re.compile(r"(Children|Parent) sees? throughput for\s+(\d+) ([a-z -]+?)\s*=\s*(\S+) (\S+)")
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
_NOT_COMPARED = ("re-readers", "pwrite writers", "pread readers", "fwriters", "freaders")
"""a second read of the same data measures caches; the remaining ones are calls that no phase here
makes
"""
_TABLE = (
    "reclen",
    "write",
    "rewrite",
    "read",
    "reread",
    "read",
    "write",
    "read",
    "rewrite",
    "read",
)
_COLUMNS = ("initial writers", "rewriters", "readers", "", "random readers", "random writers",
"reverse readers", "",
            "stride readers")  # fmt: skip
_MODES = {
    "O_DIRECT feature enabled": "direct",
    "O_DIRECTIO feature enabled": "direct",
    "VxFS advanced feature SET_CACHE, VX_DIRECT enabled": "direct",
    "Include fsync in write timing": "fsync in timing",
    "Include close in write timing": "close in timing",
    "SYNC Mode.": "O_SYNC",
    ">>> O_DSYNC mode enabled. <<<": "O_DSYNC",
    "Read & Write sync mode active.": "O_RSYNC",
    "Using mmap files": "mmap",
    "Using msync(MS_ASYNC) on mmap files": "msync asynchronous",
    "Using msync(MS_SYNC) on mmap files": "msync",
    "Enable mmap & file I/O mixing.": "mmap and file",
    ">>> Record locking mode enabled. <<<": "record locks",
    "Lock file when reading/writing.": "file lock",
    ">>> Sequential Mixed workload. <<<": "sequential mix",
    ">>> Think time is included in throughput cal. <<<": "think time",
    "Stonewall disabled": "no stonewall",
    "Disrupted read patterns selected.": "disrupted reads",
    "Using old data sets.": "old data",
    "Purge Mode On": "purged caches",
}
_SHARED = (">>> Shared file mode enabled. <<<", ">>> Record locking, shared file mode enabled. <<<")
_COUNTED = {
    "mix percent read": re.compile(r"Percent read in mix test is (\d+)"),
    "rate limit ops/s": re.compile(r"Rate control active (\d+) Ops/sec"),
    "madvise": re.compile(r"Madvise enabled: (\d+)"),
    "dedup percent": re.compile(r"Dedup activated (\d+) percent"),
    "multi buffer bytes": re.compile(r"Multi_buffer\. Work area (\d+) bytes"),
}
_ASYNC = re.compile(r"POSIX [Aa]sync I/O \((no|with) bcopy\)\. Depth (\d+)")
_INVALID = re.compile(r"\s*Performance measurements (?:are|may be) invalid in this")
_BROKEN_ROW = re.compile(r"\s*\d+\s+\d+\s+(?:[\d.]+\s+)*[^\d\s]")
"""a row of a table, by its two sizes, with something among its figures that is none"""
_CALLS = "write|read|pwrite|pread|fsync|open|close|lseek|fdopen|fclose"
_ERROR = re.compile(
    rf"\s*(?:Error in file:|Error \w*(?:writing|reading) block|Unable to |Can not f?d?open"
    rf" temp|File lock for "
    rf"|(?:Read|Write) unlock failed|iozone: interrupted|(?:{_CALLS})(?: failed)?: )"
)
"""wrong data that it read, calls that failed, and its end by a signal, as iozone.c prints them"""
_RATE = "bytes"
_OPERATIONS = "operations"
_TIME = "time"


def recognises(text: str) -> bool:
    """Whether a text is output of IOzone: it has the banner."""
    return _BANNER.search(text) is not None


def version(text: str) -> str:
    """The versions in the banners; of several, all different ones."""
    return ", ".join(dict.fromkeys(_VERSION.findall(text)))


@dataclass
class _Run:
    """The state of a run while its lines are read."""

    number: int
    unit: str = _RATE
    """unit of the tables, which have none next to their figures"""
    file_bytes: int | None = None
    transfer_bytes: int | None = None
    modes: set[str] = field(default_factory=set)
    counted: dict[str, str] = field(default_factory=dict)
    """settings with a number"""
    queue_depth: int | None = None
    is_shared: bool = False
    ends: list[int] = field(default_factory=list)
    """columns in which the heads of a table end"""
    sums: list[tuple[str, Foreign]] = field(default_factory=list)
    """who saw it, and the result"""
    cells: list[Foreign] = field(default_factory=list)
    times: int = 0
    error: Line | None = None
    """the first that it printed"""


def read(text: str) -> Reading:
    """Sums of all processes over the parent's time, and each cell of a table.

    Raises ReaderError where all figures are times of one operation.
    """
    results: list[Foreign] = []
    not_understood: list[Line] = []
    notes: list[str] = []
    times = 0
    for section in sections(text, _BANNER):
        run = _read_section(section, not_understood)
        of_run = [*_of_parent(run.sums), *run.cells]
        if run.error is not None:
            problem = f"IOzone reports: {run.error.text.strip()}"
            if not of_run:
                notes.append(
                    f"line {run.error.number}: a run without a result: {run.error.text.strip()}"
                )
            of_run = [replace(item, problem=problem) for item in of_run]
        results += of_run
        times += run.times
        if run.times:
            notes.append(f"{run.times} figures in microseconds per operation (-N) are left out")
    if times and not results:
        raise ReaderError(
            "its figures are microseconds per operation (-N), which are no rates; run it without -N"
        )
    return Reading(tuple(results), tuple(not_understood), tuple(notes))


def _read_section(section: Section, not_understood: list[Line]) -> _Run:
    run = _Run(section.number, unit=_unit_of_tables(section.text))
    for line in section.lines():
        _read_settings(run, line.text)
        if match := _SUM.search(line.text):
            if not _take_sum(run, match, line.number):
                not_understood.append(line)
        elif _ERROR.match(line.text) or _INVALID.match(line.text):
            run.error = run.error or line
        elif run.ends and _BROKEN_ROW.match(line.text):
            not_understood.append(line)
        else:
            run.cells += _row_of_table(run, line)
    return run


def _unit_of_tables(text: str) -> str:
    if re.search(r"operations per second|Output is in ops/sec", text, re.IGNORECASE):
        return _OPERATIONS
    return _TIME if re.search(r"microseconds per operation", text, re.IGNORECASE) else _RATE


def _read_settings(run: _Run, text: str) -> None:
    if record := _RECORD.search(text):
        run.transfer_bytes = int(record[1]) * KIB
    if file := _FILE.search(text):
        run.file_bytes = int(file[1]) * KIB
    if sizes := _SIZES.search(text):
        run.file_bytes = int(sizes[1]) * KIB
        run.transfer_bytes = int(sizes[2]) * KIB
    setting = text.strip()
    if mode := _MODES.get(setting):
        run.modes.add(mode)
    run.is_shared = run.is_shared or setting in _SHARED
    for name, pattern in _COUNTED.items():
        if counted := pattern.search(setting):
            run.counted[name] = counted[1]
    if depth := _ASYNC.search(setting):
        run.queue_depth = int(depth[2])
        run.modes.add(f"POSIX async I/O, {depth[1]} bcopy")


def _take_sum(run: _Run, match: re.Match[str], line: int) -> bool:
    """Record the parent's or the children's figure; returns whether the line was understood."""
    test = match[3]
    unit = _unit(match[5])
    value = number(match[4])
    if unit is None or value is None:
        return False
    if test in _NOT_COMPARED:
        return True
    if test not in _PHASES:
        return False
    if unit == _TIME:
        run.times += 1
        return True
    run.sums.append(
        (
            match[1],
            _result(
                run,
                test,
                value,
                unit,
                transfer_bytes=run.transfer_bytes,
                tasks=int(match[2]),
                line=line,
            ),
        )
    )
    return True


def _unit(text: str) -> str | None:
    """The unit of `kB/sec`, `KB/sec`, `ops/sec` or `microsec/op`; None for any other text."""
    return {"kb/sec": _RATE, "kbytes/sec": _RATE, "ops/sec": _OPERATIONS, "microsec/op": _TIME}.get(
        text.lower()
    )


def _of_parent(sums: list[tuple[str, Foreign]]) -> Iterator[Foreign]:
    """The parent's time ends with the last process, while each child's rate is over its own time:
    the parent's counts.

    The children's figures come first, and are used where the parent's line is missing.
    """
    for position, (who, item) in enumerate(sums):
        following = sums[position + 1] if position + 1 < len(sums) else None
        has_parent = (
            following is not None and following[0] == "Parent" and following[1].point == item.point
        )
        if who == "Parent" or not has_parent:
            yield item


def _result(
    run: _Run,
    test: str,
    figure: float,
    unit: str,
    *,
    transfer_bytes: int | None,
    tasks: int,
    line: int,
) -> Foreign:
    phase, pattern = _PHASES[test]
    if unit == _OPERATIONS:
        operations_per_s: float | None = figure
        bytes_per_s = figure * transfer_bytes if transfer_bytes else None
    else:
        bytes_per_s = figure * KIB
        operations_per_s = bytes_per_s / transfer_bytes if transfer_bytes else None
    return Foreign(
        phase,
        test,
        bytes_per_s,
        operations_per_s,
        pattern,
        transfer_bytes,
        tasks=tasks,
        file_bytes=run.file_bytes,
        direct=True if "direct" in run.modes else None,
        queue_depth=run.queue_depth,
        access="shared file" if run.is_shared else None,
        settings={**dict.fromkeys(sorted(run.modes - {"direct"}), "yes"), **run.counted},
        section=run.number,
        line=line,
    )


def _row_of_table(run: _Run, line: Line) -> Iterator[Foreign]:
    """Cells end where their heads do, give or take one column: tests that were not requested leave
    theirs empty.
    """
    words = [(match[0], match.end()) for match in re.finditer(r"\S+", line.text.expandtabs())]
    heads = [word for word, _ in words]
    if (
        len(heads) > 2
        and heads[0].lower() == "kb"
        and tuple(heads[1 : len(_TABLE) + 1]) == _TABLE[: len(heads) - 1]
    ):
        run.ends = [end for _, end in words]
        return
    figures = [number(word) for word in heads]
    if not run.ends or len(words) < 3 or None in figures:
        return
    if run.unit == _TIME:
        run.times += len(words) - 2
        return
    by_column = {_nearest(run.ends, end): number(word) for word, end in words}
    file_kib = by_column.get(0)
    record_kib = by_column.get(1)
    if file_kib is None or record_kib is None or not math.isfinite(file_kib + record_kib):
        return
    run.file_bytes = int(file_kib) * KIB
    for column, test in enumerate(_COLUMNS, start=2):
        figure = by_column.get(column)
        if test and figure is not None and column < len(run.ends):
            transfer_bytes = int(record_kib) * KIB
            yield _result(
                run,
                test,
                figure,
                run.unit,
                transfer_bytes=transfer_bytes,
                tasks=1,
                line=line.number,
            )


def _nearest(ends: list[int], end: int) -> int:
    return min(range(len(ends)), key=lambda column: abs(ends[column] - end))
