"""IOR's output as text (versions 2.10 to 4), or its summary as JSON or CSV (`-O
summaryFormat=JSON`, `=CSV`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seatrial.advice.foreign import (
    KIB,
    MIB,
    Access,
    Foreign,
    Line,
    ReaderError,
    Reading,
    Section,
    first_of,
    json_objects,
    json_of,
    number,
    sections,
    size_bytes,
)

_BANNER = re.compile(r"^IOR-(\S+): MPI Coordinated Test", re.MULTILINE)
_CSV_HEAD = re.compile(r"^access,bw\(MiB/s\),.*$", re.MULTILINE)
_OPTION = re.compile(r"^\s*([a-z][a-zA-Z ]*?)\s*[:=]\s+(\S.*?)\s*$")
_COMMAND = re.compile(r"^Command line(?: used)?\s*:\s*(.*)$", re.MULTILINE)
_FLAGS = {
    "-e": "fsync",
    "-Y": "fsync per write",
    "-m": "multi file",
    "-p": "preallocate",
    "-V": "file view",
}
"""options that IOR prints in its command line alone"""
_DIRECT = ("-B", "--posix.odirect")
_LONG_PLACES = re.compile(r"pool|cont|group|prefix|path|file|dir|details|conf", re.IGNORECASE)
"""parts of the names of long options for places"""
_PHASES = ("write", "read")
_ROUNDED = 0.005
"""the share by which two digits after the point may be off, from 1.00 on"""
_ERROR = re.compile(
    r"errors? found|incorrect data|^(?:\S+: )?(?:ior )?ERROR\b|\*\* error \*\*|\bMPI_ABORT\b"
    r"|: Process \d+: FAILED in ",
    re.IGNORECASE,
)
"""IOR's messages on wrong data and failed calls"""
_ACCESS: dict[str, Access] = {
    "single-shared-file": "shared file",
    "file-per-process": "file per process",
}


def recognises(text: str) -> bool:
    """Whether a text is output of IOR: its banner, or the keys of its CSV or JSON."""
    return _BANNER.search(text) is not None or _CSV_HEAD.search(text) is not None or _is_json(text)


def version(text: str) -> str:
    """The versions in the banners or the summary; of several, all different ones."""
    versions = _BANNER.findall(text)
    return ", ".join(dict.fromkeys(versions)) or str(json_of(text).get("Version", ""))


def read(text: str) -> Reading:
    """A result for each write and read of each repetition of each test.

    A message on wrong data marks all results of its test. Raises ReaderError where a run ended
    without a result.
    """
    if _is_json(text):
        return _of_json(text)
    if _CSV_HEAD.search(text):
        return _of_csv(text)
    results: list[Foreign] = []
    not_understood: list[Line] = []
    notes: list[str] = []
    for section in sections(text, _BANNER):
        of_section, errors = _of_section(section, not_understood)
        results += of_section
        if not of_section and errors:
            notes.append(f"a run without a result: {errors[0].text.strip()}")
    if not results and notes:
        raise ReaderError(notes[0])
    return Reading(tuple(results), tuple(not_understood), tuple(notes))


def _is_json(text: str) -> bool:
    return '"tests"' in text and '"Command line"' in text and "tests" in json_of(text)


@dataclass
class _Test:
    """The state of a test while its lines are read."""

    options: dict[str, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    rows: list[tuple[dict[str, str], int]] = field(default_factory=list)
    """with the number of the line"""
    errors: list[Line] = field(default_factory=list)


def _of_section(section: Section, not_understood: list[Line]) -> tuple[list[Foreign], list[Line]]:
    """The results of all tests of a run, and IOR's error messages."""
    results: list[Foreign] = []
    errors: list[Line] = []
    command = first_of(_COMMAND, section.text)
    test = _Test({"Command line": command})
    for line in section.lines():
        words = line.text.split()
        if line.text.strip() in ("Options:", "Summary:"):
            results += _results(test, section.number)
            test = _Test({"Command line": command})
        elif words[:1] == ["access"] and "bw(MiB/s)" in words:
            test.columns = words
        elif line.text.startswith("Summary of all tests"):
            test.columns = []
        elif _ERROR.search(line.text):
            test.errors.append(line)
            errors.append(line)
        elif test.columns and words[:1] and words[0] in _PHASES:
            if len(words) == len(test.columns):
                test.rows.append((dict(zip(test.columns, words, strict=True)), line.number))
            else:
                not_understood.append(line)
        elif not test.columns and (option := _OPTION.match(line.text)):
            test.options[option[1]] = option[2]
    results += _results(test, section.number)
    return results, errors


def _results(test: _Test, section: int) -> Iterator[Foreign]:
    problem = f"IOR reports: {test.errors[0].text.strip()}" if test.errors else None
    for row, line in test.rows:
        yield _result(test.options, _figures_of(row), section=section, line=line, problem=problem)


def _of_json(text: str) -> Reading:
    """`Results` is a list of repetitions in 3.2 and 3.3, each a list, and one flat list in 4."""
    results: list[Foreign] = []
    not_understood: list[Line] = []
    for place, item in enumerate(json_objects(text).objects, start=1):
        for test in item.value.get("tests", []):
            options = {key: str(value) for key, value in test.get("Options", {}).items()}
            options["Command line"] = str(item.value.get("Command line", ""))
            direct = test.get("Parameters", {}).get("useO_DIRECT")
            for iteration, line in _repetitions(test.get("Results", [])):
                if line.get("access") not in _PHASES:
                    continue
                if "bwMiB" not in line:
                    not_understood.append(Line(item.line, f"a result without bwMiB: {line}"))
                    continue
                figures = _Figures(
                    phase=str(line["access"]),
                    rate_mib_per_s=number(str(line["bwMiB"])),
                    operations_per_s=number(str(line.get("iops", ""))),
                    transfer_kib=number(str(line.get("xferKiB", ""))),
                    iteration=iteration,
                    direct=None if direct is None else bool(int(direct)),
                )
                results.append(_result(options, figures, section=place, line=item.line))
    return Reading(tuple(results), tuple(not_understood))


def _repetitions(entries: Sequence[Any]) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    for number_of_list, item in enumerate(entries):
        if isinstance(item, Mapping):
            iteration = item.get("iter", item.get("iteration"))
            yield (iteration if isinstance(iteration, int) else None), item
        else:
            for line in item:
                yield number_of_list, line


def _of_csv(text: str) -> Reading:
    results: list[Foreign] = []
    not_understood: list[Line] = []
    columns: list[str] = []
    for place, raw in enumerate(text.split("\n"), start=1):
        fields = [word.strip() for word in raw.split(",")]
        if _CSV_HEAD.match(raw):
            columns = fields
        elif columns and len(fields) == len(columns):
            row = dict(zip(columns, fields, strict=True))
            if row["access"] in _PHASES:
                options = {"tasks": row.get("numTasks", "")}
                results.append(_result(options, _figures_of(row), section=1, line=place))
        elif raw.strip() and columns:
            not_understood.append(Line(place, raw))
    return Reading(tuple(results), tuple(not_understood))


@dataclass(frozen=True)
class _Figures:
    """A row of IOR's table, or an entry of its summary."""

    phase: str
    rate_mib_per_s: float | None
    operations_per_s: float | None
    transfer_kib: float | None
    iteration: int | None
    direct: bool | None = None
    """None where the row does not state it"""


def _figures_of(row: Mapping[str, str]) -> _Figures:
    """The figures of a row of the text or of the CSV; the columns have the same names."""
    return _Figures(
        phase=row["access"],
        rate_mib_per_s=number(row["bw(MiB/s)"]),
        operations_per_s=number(row.get("IOPS", "")),
        transfer_kib=number(row.get("xfer(KiB)", "")),
        iteration=_leading(row.get("iter", "")),
    )


def _tasks(options: Mapping[str, str]) -> int | None:
    """Versions before 3.1 print `clients = 16 (8 per node)` and mean tasks."""
    return _leading(options.get("tasks", options.get("clients", "")))


def _nodes(options: Mapping[str, str]) -> int | None:
    """The printed number of nodes, or else the tasks over the tasks of a node, rounded up."""
    if nodes := _leading(options.get("nodes", "")):
        return nodes
    per_node = _leading(options.get("clients per node", ""))
    if match := re.search(r"\((\d+) per node\)", options.get("clients", "")):
        per_node = int(match[1])
    tasks = _tasks(options)
    return -(-tasks // per_node) if tasks and per_node else None


def _result(
    options: Mapping[str, str],
    figures: _Figures,
    *,
    section: int,
    line: int,
    problem: str | None = None,
) -> Foreign:
    # Versions before 3.1 print `access = single-shared-file, collective`.
    access_text, _, type_of_access = options.get("access", "").partition(", ")
    access = _ACCESS.get(access_text)
    ordering = options.get("ordering in a file")
    pattern = None
    if ordering is not None:
        pattern = "random" if ordering.startswith("random") else "sequential"
    return Foreign(
        phase=figures.phase,
        test=options.get("access", "").partition(",")[0] or "ior",
        bytes_per_s=None if figures.rate_mib_per_s is None else figures.rate_mib_per_s * MIB,
        operations_per_s=figures.operations_per_s,
        pattern=pattern,
        transfer_bytes=_transfer_bytes(options, figures.transfer_kib),
        clients=_nodes(options),
        tasks=_tasks(options),
        api=_api(options.get("api", "")),
        file_bytes=_file_bytes(options, access),
        direct=_is_direct(options, figures.direct),
        access=access,
        settings=_settings(options, type_of_access),
        iteration=figures.iteration,
        section=section,
        problem=problem,
        line=line,
    )


def _transfer_bytes(options: Mapping[str, str], transfer_kib: float | None) -> int | None:
    """The option is rounded to two digits (`1.91 MiB`) where it is no whole power; the table is
    exacter.
    """
    option = options.get("xfersize", "")
    if option.endswith("bytes") or transfer_kib is None:
        return size_bytes(option)
    exact = size_bytes(option)
    by_table = round(transfer_kib * KIB)
    # Two digits of the table are no better than the option where both mean the same.
    return exact if exact is not None and abs(exact - by_table) <= 0.005 * KIB else by_table


def _file_bytes(options: Mapping[str, str], access: Access | None) -> int | None:
    """Size of a file: all blocks where all tasks share it, else those of one task.

    The aggregate is rounded to two digits (`136.81 TiB`); with the blocks of all tasks it is exact.
    """
    block = size_bytes(options.get("blocksize", ""))
    segments = _segments(options)
    of_task = block * segments if block and segments else None
    if access != "shared file":
        return of_task if access else None
    aggregate = size_bytes(options.get("aggregate filesize", ""))
    tasks = _tasks(options)
    if of_task is None or tasks is None or aggregate is None:
        return aggregate
    exact = of_task * tasks
    return exact if abs(exact - aggregate) <= _ROUNDED * aggregate else aggregate


def _is_direct(options: Mapping[str, str], by_summary: bool | None) -> bool | None:
    """Whether it used O_DIRECT; None where neither the summary nor the command line shows it."""
    words = options.get("Command line", "").split()
    return True if any(word in _DIRECT for word in words) else by_summary


def _segments(options: Mapping[str, str]) -> int | None:
    """Versions before 3.1 print `pattern = strided (32 segments)`."""
    if match := re.search(r"\((\d+) segments?\)", options.get("pattern", "")):
        return int(match[1])
    return _leading(options.get("segments", "1"))


def _api(text: str) -> str | None:
    """Without the version of its library: `MPIIO (version=3, subversion=1)`, `HDF5-1.8.14
    (Parallel)`.
    """
    match = re.match(r"[A-Za-z]\w*", text)
    return match[0].upper() if match else None


def _settings(options: Mapping[str, str], type_of_access: str) -> dict[str, str]:
    """All other settings that identify a point. The order of tasks decides whether a client reads
    its own cache.
    """
    settings = {}
    if "collective" in (type_of_access, options.get("type")):
        settings["type"] = "collective"
    order = options.get("ordering inter file", "no").split()[0]
    if order != "no":
        settings["ordering inter file"] = order
    for key, name in (("blocksize", "blocksize"), ("stonewallingTime", "stonewalling time")):
        if options.get(key, "0") != "0":
            settings[name] = options[key]
    segments = _segments(options)
    if segments is not None and segments > 1:
        settings["segments"] = str(segments)
    return {**settings, **_of_command(options.get("Command line", ""))}


def _of_command(command: str) -> dict[str, str]:
    """Settings that are printed nowhere else; the names of long options as IOR has them."""
    settings = {}
    for word in command.split():
        key, _, value = word.partition("=")
        if word in _FLAGS:
            settings[_FLAGS[word]] = "yes"
        elif key.startswith("--") and key not in _DIRECT and not _LONG_PLACES.search(key):
            settings[key.removeprefix("--")] = value or "yes"
    return settings


def _leading(text: str) -> int | None:
    match = re.match(r"\d+", text)
    return int(match[0]) if match else None
