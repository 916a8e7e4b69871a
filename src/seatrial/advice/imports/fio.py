"""fio's JSON of versions 2 to 3 (`--output-format=json` or `json+`), also of `--client`, with any
text around it.

Jobs that ran together under one name are one result: their total bytes over the time of the
slowest.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seatrial.advice.fio_job import Amount, Job, Options, in_common
from seatrial.advice.foreign import Foreign, JsonObject, ReaderError, Reading, json_objects

_TOTAL = "All clients"
_VERSION = re.compile(r'"fio version"\s*:\s*"(?:fio-)?([^"]*)"')
_MARK = '"fio version"'
_BOTH = ("rw", "readwrite", "randrw")
_ERROR_TEXT = re.compile(
    r"^(?:fio: .*(?:io_u error|\berr(?:or)?=\s*-?[1-9]).*|verify: .*|.*: verify failed.*|fio:"
    r" .*verif.*fail.*)$",
    re.MULTILINE,
)
_KIB = 1024


def recognises(text: str) -> bool:
    """Whether a text is JSON of fio, also if it is cut off: it has the version of fio."""
    return _MARK in text


def version(text: str) -> str:
    """The version as fio prints it, without its name: `3.33`; for several runs, all
    different ones.
    """
    return ", ".join(dict.fromkeys(_VERSION.findall(text)))


def refuses(text: str) -> str | None:
    """Why a text of another format of fio cannot be read; None for any other text."""
    if re.match(r"[2-5];(?:fio-)?", text) and ";fio-" in text[:200]:
        return "this is fio's terse output; use fio --output-format=json"
    if re.search(r"^\S.*: \(groupid=\d+, jobs=\d+\): err=", text, re.MULTILINE):
        return "this is fio's normal output; use fio --output-format=json"
    return None


def read(text: str) -> Reading:
    """Each group of jobs that ran together, and each direction of it."""
    objects = json_objects(text)
    reports = [part for item in objects.objects for part in _reports_in(item)] or _reports_of_list(
        text
    )
    if not reports:
        raise ReaderError("its JSON is cut off or damaged", objects.cut_off_line)
    notes = []
    if objects.cut_off_line is not None:
        notes.append(f"line {objects.cut_off_line}: an object of JSON is cut off, and was left out")
    results: list[Foreign] = []
    runs = _runs(reports)
    for number, run in enumerate(runs, start=1):
        if len(run) > 1:
            notes.append(
                f"line {run[-1].line}: the last of {len(run)} reports of one run counts"
                " (--status-interval)"
            )
        printed = "\n".join(item.before for item in run)
        if number == len(runs):
            printed += objects.behind
        for group in _groups(run[-1]):
            results += _results(group, number, _errors_in(printed), notes)
    return Reading(tuple(results), (), tuple(notes))


@dataclass(frozen=True)
class Direction:
    """Reads, writes or both of one entry, in SI units; None: fio did not print it."""

    amount: Amount
    runtime_s: float
    bytes_per_s: float | None
    operations_per_s: float | None
    latency_ms: Mapping[str, float]


@dataclass(frozen=True)
class Group:
    """Entries of one run that ran together under one name."""

    name: str
    job: Job
    members: Sequence[Mapping[str, Any]]
    total: Mapping[str, Any] | None
    """fio's own total of all clients, where the run has no other group"""
    line: int
    kib: bool
    """`io_bytes` counts KiB, as before version 3.0"""
    hosts: frozenset[str] = field(default=frozenset())
    servers: int = 1
    """by host and port"""


def _reports_in(item: JsonObject) -> Iterator[JsonObject]:
    """Fio's objects in an object: itself, or those that another program has embedded."""
    for value in _with_version(item.value):
        yield replace(item, value=value)


def _with_version(value: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict) and "fio version" in value:
        yield value
        return
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _with_version(inner)


def _reports_of_list(text: str) -> list[JsonObject]:
    """Fio's objects in a list of JSON that begins the text."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return []
    return [JsonObject(report, 1, "") for report in _with_version(value)]


def _runs(objects: Sequence[JsonObject]) -> list[list[JsonObject]]:
    """Reports that belong to one run (`--status-interval`), the last one last."""
    runs: list[list[JsonObject]] = []
    for item in objects:
        if runs and _goes_on(runs[-1][-1].value, item.value):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def _goes_on(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether the second object is a later report of the same run.

    A run that began after the first report cannot have lasted longer than the time between both.
    """
    jobs = _entries(first)
    later = _entries(second)
    if [_identity(job) for job in jobs] != [_identity(job) for job in later]:
        return False
    if first.get("global options") != second.get("global options"):
        return False
    if any(_moved(new) < _moved(old) for old, new in zip(jobs, later, strict=True)):
        return False
    if not {"timestamp_ms", "timestamp"} & first.keys() & second.keys():
        return False
    between_s = _time_s(second) - _time_s(first)
    ran_s = _longest_s(jobs)
    ran_longer_s = _longest_s(later)
    if between_s >= 0 and ran_longer_s >= between_s + ran_s / 2 and ran_longer_s > 0:
        return True
    began_s = [
        _time_s(item) - _elapsed_s(entries) for item, entries in ((first, jobs), (second, later))
    ]
    return _elapsed_s(later) > _elapsed_s(jobs) > 0 and abs(began_s[1] - began_s[0]) < 1


def _identity(job: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        job.get("jobname"),
        job.get("groupid"),
        job.get("hostname"),
        job.get("port"),
        repr(job.get("job options")),
    )


def _moved(job: Mapping[str, Any]) -> float:
    return sum(
        _figure(job[key].get("io_bytes"))
        for key in ("read", "write", "mixed")
        if isinstance(job.get(key), dict)
    )


def _longest_s(jobs: Sequence[Mapping[str, Any]]) -> float:
    times = [_figure(part.get("runtime")) for job in jobs for part in _parts(job)]
    return max(times, default=0.0) / 1000


def _elapsed_s(jobs: Sequence[Mapping[str, Any]]) -> float:
    return max((_figure(job.get("elapsed")) for job in jobs), default=0.0)


def _time_s(item: Mapping[str, Any]) -> float:
    return (
        float(item["timestamp_ms"]) / 1000
        if "timestamp_ms" in item
        else float(item.get("timestamp", 0))
    )


def _figure(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _entries(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = item.get("client_stats") or item.get("jobs") or []
    if not isinstance(entries, list) or not all(isinstance(job, dict) for job in entries):
        raise ReaderError("its jobs are not a list of objects")
    return entries


def _groups(item: JsonObject) -> Iterator[Group]:
    if not {"jobs", "client_stats"} & item.value.keys():
        raise ReaderError("the object has neither jobs nor client_stats", item.line)
    entries = _entries(item.value)
    jobs = [job for job in entries if not _is_total(job)]
    total = next((job for job in entries if _is_total(job)), None)
    kib = not any(
        "io_kbytes" in part or "clat_ns" in part for job in entries for part in _parts(job)
    )
    members: dict[tuple[Any, str, str], list[Mapping[str, Any]]] = {}
    options_of: dict[int, Options | None] = {}
    for job in jobs:
        options = _options(item.value.get("global options"), job)
        options_of[id(job)] = options
        how = Job(options, has_options=True).how or "" if options else ""
        members.setdefault((job.get("groupid"), str(job.get("jobname", "")), how), []).append(job)
    for (_, name, _), jobs_of_group in members.items():
        job_options = [options_of[id(job)] for job in jobs_of_group]
        known_options = [options for options in job_options if options is not None]
        whole = len(known_options) == len(job_options)
        yield Group(
            name=name or "fio",
            job=Job(
                known_options[0] if whole else in_common(known_options),
                whole,
                known_options[1:] if whole else (),
            ),
            members=jobs_of_group,
            total=total if len(members) == 1 else None,
            line=item.line,
            kib=kib,
            hosts=frozenset(str(job["hostname"]) for job in jobs_of_group if "hostname" in job),
            servers=len({(job.get("hostname"), job.get("port")) for job in jobs_of_group}),
        )


def _is_total(job: Mapping[str, Any]) -> bool:
    return job.get("jobname") == _TOTAL and "hostname" in job


def _parts(job: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (job[key] for key in ("read", "write", "mixed") if isinstance(job.get(key), dict))


def _options(common: object, job: Mapping[str, Any]) -> Options | None:
    """The valid options of this entry; None where fio did not print it.

    With several servers fio 3.39 and later print a list of global options, one object for each
    server. An entry for several sections (`group_reporting`) has the options of the last one only,
    which are not used.
    """
    job_options = job.get("job options")
    if isinstance(common, list):
        objects = [item for item in common if isinstance(item, dict)]
        here = [
            item
            for item in objects
            if (item.get("hostname"), item.get("port")) == (job.get("hostname"), job.get("port"))
        ]
        common = here[0] if here else in_common(objects)
    if not isinstance(common, dict) and not isinstance(job_options, dict):
        return None
    job_options = job_options if isinstance(job_options, dict) else {}
    if "name" in job_options and job_options["name"] != job.get("jobname"):
        return None
    both = {**(common if isinstance(common, dict) else {}), **job_options}
    return {str(key): str(value) for key, value in both.items() if key not in ("hostname", "port")}


def _results(group: Group, section: int, errors: str | None, notes: list[str]) -> Iterator[Foreign]:
    where = f"line {group.line}: {group.name}"
    problem = _problem(group) or errors
    notes += (f"{where}: {text}" for text in _remarks(group))
    counted = [group.total] if group.total is not None else group.members
    if "trim" in (group.job.how or "") or any(_trimmed(job) for job in counted):
        notes.append(
            f"{where}: it discarded blocks (trim), which has no name here, and was left out"
        )
        return
    phases = list(_phases(group.job.how, counted))
    if not phases:
        reason = f" ({problem})" if problem else ""
        notes.append(f"{where}: it moved no bytes, and was left out{reason}")
    for phase, keys in phases:
        directions = [
            _direction(job[key], group.kib) for job in counted for key in keys if key in job
        ]
        yield _result(group, phase, directions, section, problem)


def _phases(
    how: str | None, jobs: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each phase, and the keys of an entry that belong to it."""
    moved = [key for key in ("read", "write", "mixed") if any(_has_moved(job, key) for job in jobs)]
    directions = [key for key in moved if key != "mixed"]
    if moved == ["mixed"]:
        # unified_rw_reporting=1: one figure, also of jobs that only read or only wrote.
        one = next((key for key in ("read", "write") if how in (key, f"rand{key}")), "mixed")
        yield one, ("mixed",)
    elif len(directions) == 2 and (how is None or how in _BOTH):
        # Two directions of one job share its time: their total is one figure.
        yield "mixed", ("mixed",) if "mixed" in moved else ("read", "write")
    else:
        for key in directions:
            yield key, (key,)


def _has_moved(job: Mapping[str, Any], key: str) -> bool:
    part = job.get(key)
    return isinstance(part, dict) and _moved_amount(part) > 0


def _moved_amount(part: Mapping[str, Any]) -> float:
    return _figure(part.get("io_bytes", part.get("io_kbytes")))


def _trimmed(job: Mapping[str, Any]) -> bool:
    trim = job.get("trim")
    return isinstance(trim, dict) and _figure(trim.get("io_bytes")) > 0


def _direction(part: Mapping[str, Any], kib: bool) -> Direction:
    """One part of an entry, in the units of its version."""
    unit = _KIB if kib or "io_bytes" not in part else 1
    moved_bytes = (part["io_bytes"] if "io_bytes" in part else part["io_kbytes"]) * unit
    # `bw_bytes` came with version 3.2; `bw` is in KiB/s in all versions.
    bytes_per_s = part.get("bw_bytes")
    if bytes_per_s is None and "bw" in part:
        bytes_per_s = part["bw"] * _KIB
    return Direction(
        amount=Amount(int(moved_bytes), _operations(part, moved_bytes)),
        runtime_s=_figure(part.get("runtime")) / 1000,
        bytes_per_s=bytes_per_s,
        operations_per_s=part.get("iops"),
        latency_ms=_latency_ms(part),
    )


def _operations(part: Mapping[str, Any], moved_bytes: float) -> int:
    """How many it did; 0 where that is not known.

    Versions before 2.2 print no `total_ios`, and whole `iops`: the power of two counts as the
    transfer size that alone gives just that many operations a second.
    """
    if "total_ios" in part:
        return int(part["total_ios"])
    runtime_s = _figure(part.get("runtime")) / 1000
    if not runtime_s or not part.get("iops"):
        return 0
    sizes = (2**shift for shift in range(9, 27))
    counts = [
        moved_bytes / size
        for size in sizes
        if int(moved_bytes / size / runtime_s) == int(part["iops"])
    ]
    return int(counts[0]) if len(counts) == 1 and counts[0].is_integer() else 0


def _latency_ms(part: Mapping[str, Any]) -> dict[str, float]:
    """The completion latency; the whole latency where percentiles were asked of that one
    (`lat_percentiles`).
    """
    tried = (("clat_ns", 1e6), ("lat_ns", 1e6), ("clat", 1e3), ("lat", 1e3))
    blocks = [(part[key], divisor) for key, divisor in tried if isinstance(part.get(key), dict)]
    if not blocks:
        return {}
    block, divisor = next(
        (item for item in blocks if isinstance(item[0].get("percentile"), dict)), blocks[0]
    )
    percentiles = block.get("percentile") or {}
    figures = {
        "p50": percentiles.get("50.000000"),
        "p99": percentiles.get("99.000000"),
        "max": block.get("max"),
    }
    return {key: value / divisor for key, value in figures.items() if value is not None}


def _result(
    group: Group, phase: str, directions: Sequence[Direction], section: int, problem: str | None
) -> Foreign:
    job = group.job
    amount = Amount(
        sum(item.amount.moved_bytes for item in directions),
        sum(item.amount.operations for item in directions),
    )
    elapsed_s = max(item.runtime_s for item in directions)
    if len(directions) == 1:
        bytes_per_s = directions[0].bytes_per_s
        operations_per_s = directions[0].operations_per_s
    else:
        # The aggregate rate follows from the time of the slowest only.
        bytes_per_s = amount.moved_bytes / elapsed_s if elapsed_s else None
        operations_per_s = amount.operations / elapsed_s if elapsed_s else None
    if not elapsed_s and not bytes_per_s:
        bytes_per_s = operations_per_s = None  # less than 1 ms: fio prints 0, which is not a rate
    return Foreign(
        phase=phase,
        test=group.name,
        bytes_per_s=bytes_per_s,
        operations_per_s=operations_per_s,
        pattern=job.pattern,
        transfer_bytes=job.transfer_bytes(phase, amount),
        clients=max(len(group.hosts), 1),
        tasks=_tasks(group),
        # Percentiles cannot be added: they are known only where one entry represents all.
        latency_ms=directions[0].latency_ms if len(directions) == 1 else {},
        queue_depth=job.queue_depth,
        api=job.api,
        file_bytes=job.file_bytes,
        direct=job.direct,
        access=job.access,
        settings=job.settings,
        moved_bytes=amount.moved_bytes,
        moved_operations=amount.operations,
        elapsed_s=elapsed_s or None,
        section=section,
        problem=problem,
        line=group.line,
    )


def _tasks(group: Group) -> int | None:
    """With `group_reporting`, one entry covers all tasks of its section; without, each task has an
    entry.
    """
    if group.job.numjobs is None:
        return len(group.members) if len(group.members) > 1 else None
    return max(len(group.members), group.job.numjobs * group.servers)


def _problem(group: Group) -> str | None:
    """The error that fio reports of an entry."""
    for job in [*group.members, *([group.total] if group.total is not None else [])]:
        for key in ("error", "first_error"):
            code = job.get(key, 0)
            if code:
                text = os.strerror(code) if isinstance(code, int) and 0 < code < 200 else "unknown"
                return f"fio reports error {code} ({text})"
        if job.get("total_err"):
            return f"fio reports {job['total_err']} errors"
    return None


def _errors_in(text: str) -> str | None:
    """The first line in which fio reports a failure."""
    match = _ERROR_TEXT.search(text)
    return f"fio printed: {match[0].strip()[:200]}" if match else None


def _remarks(group: Group) -> Iterator[str]:
    if not group.job.has_options:
        yield "fio did not print its options, or those of another section: their values are unknown"
    for job in group.members:
        steady = job.get("steadystate")
        if isinstance(steady, dict) and not steady.get("attained", 1):
            yield "fio did not reach the steady state that was asked for"
