"""elbencho's results as CSV (`--csvfile`), with its line of labels, or as JSON (`--jsonfile`, or a
converted CSV).

Times are those until the last worker had finished.
"""

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.advice.foreign import MIB, Foreign, Line, ReaderError, Reading, json_objects, number

_NAMES = {
    "MKDIRS": "mkdir",
    "RMDIRS": "rmdir",
    "RMFILES": "remove",
    "STAT": "stat",
    "STATDIRS": "directory-stat",
}
_DATA = {"WRITE": "write", "READ": "read"}
_MIXED = re.compile(r"RWMIX\d*|MIX-T\d*")
_SETTINGS = ("paths", "dirs", "files", "random aligned", "shared paths", "truncate")
_MEASURES_NOTHING = ("SYNC", "DROPCACHE")
_LABELS = ("ISO date", "operation", "MiB/s [last]")
_ROW_WITHOUT_LABELS = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.+-]+,.*,(?:WRITE|READ|MKDIRS|STAT|RMFILES|RMDIRS|RWMIX\d+),"
)


@dataclass(frozen=True)
class Row:
    """One phase of one run. None: elbencho did not print it."""

    line: int
    operation: str
    label: str
    path_type: str
    version: str
    hosts: int
    threads: int | None
    """of each host"""
    file_bytes: int | None
    block_bytes: int | None
    direct: bool | None
    random: bool | None
    queue_depth: int | None
    settings: Mapping[str, str]
    entries_per_s: float | None
    rates: "Rates"
    read_rates: "Rates"
    """the simultaneous reads of a mixed phase"""
    operation_latency_ms: float | None
    """the longest"""
    entry_latency_ms: float | None


@dataclass(frozen=True)
class Rates:
    """The rates in one direction."""

    bytes_per_s: float | None
    operations_per_s: float | None


def recognises(text: str) -> bool:
    """Whether a text is output of elbencho: its labels, or the keys of its JSON."""
    head = text.lstrip("\n").partition("\n")[0]
    return _is_labels(head.split(",")) or _is_json(text) or bool(_labelled_objects(text))


def refuses(text: str) -> str | None:
    """CSV without labels, and JSON of another format."""
    if _ROW_WITHOUT_LABELS.match(text):
        return (
            "this is elbencho's CSV without its line of labels: leave --nocsvlabels out, or put the"
            " labels first"
        )
    if text.lstrip().startswith(("{", "[")) and '"ISO date"' in text:
        return (
            "this is JSON with elbencho's labels, but not a row for each phase: import the CSV file"
        )
    return None


def version(text: str) -> str:
    """The versions of all rows, each once."""
    rows, _ = _rows(text)
    return ", ".join(dict.fromkeys(row.version for row in rows if row.version))


def read(text: str) -> Reading:
    """Each phase of each run of the file."""
    rows, not_understood = _rows(text)
    if not rows and not not_understood:
        raise ReaderError("it has its line of labels, and no row of results")
    results: list[Foreign] = []
    for row in rows:
        foreign = _result(row)
        if foreign is not None:
            results.append(foreign)
        elif row.operation not in _MEASURES_NOTHING:
            not_understood.append(Line(row.line, f"operation {row.operation}"))
    return Reading(tuple(results), tuple(sorted(not_understood, key=lambda line: line.number)))


def _rows(text: str) -> tuple[list[Row], list[Line]]:
    if _is_json(text):
        return [_of_json(item.value, item.line) for item in json_objects(text).objects], _cut_off(
            text
        )
    labelled = _labelled_objects(text)
    if labelled:
        fields = [
            {key: "" if value is None else str(value) for key, value in item.items()}
            for item in labelled
        ]
        return [_of_fields(row, 1) for row in fields], _cut_off(text)
    return _of_csv(text)


def _labelled_objects(text: str) -> list[Mapping[str, Any]]:
    """Rows of the CSV that another program has made objects of, with elbencho's labels as keys."""
    if not text.lstrip().startswith(("{", "[")) or '"ISO date"' not in text:
        return []
    candidates: list[object] = [item.value for item in json_objects(text).objects]
    with contextlib.suppress(ValueError, RecursionError):
        whole = json.loads(text)
        candidates = whole if isinstance(whole, list) else candidates
    return [item for item in candidates if isinstance(item, dict) and set(_LABELS) <= item.keys()]


def _cut_off(text: str) -> list[Line]:
    line = json_objects(text).cut_off_line
    return [] if line is None else [Line(line, text.split("\n")[line - 1])]


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{") and '"phase_type"' in text and '"last_done"' in text


def _is_labels(fields: Sequence[str]) -> bool:
    return set(_LABELS) <= {field.strip() for field in fields}


def _of_csv(text: str) -> tuple[list[Row], list[Line]]:
    """Elbencho joins its fields by commas and quotes none; the last one, the command, may contain
    commas.
    """
    rows: list[Row] = []
    not_understood: list[Line] = []
    labels: list[str] = []
    for line_number, line in enumerate(text.split("\n"), start=1):
        fields = line.split(",")
        if _is_labels(fields):
            # A file that was appended to may repeat its labels, and those of another version.
            labels = [field.strip() for field in fields]
            continue
        if labels and labels[-1] == "command":
            fields = line.split(",", len(labels) - 1)
        if len(fields) == len(labels) and "" not in (
            fields[0],
            _field(fields, labels, "operation"),
        ):
            rows.append(_of_fields(dict(zip(labels, fields, strict=True)), line_number))
        elif line.strip():
            not_understood.append(Line(line_number, line))
    return rows, not_understood


def _field(fields: Sequence[str], labels: Sequence[str], name: str) -> str:
    return fields[labels.index(name)].strip()


def _of_fields(row: Mapping[str, str], line: int) -> Row:
    block_bytes = _count(row.get("block size"))
    return Row(
        line=line,
        operation=row["operation"].strip().upper(),
        label=row.get("label", ""),
        path_type=row.get("path type", ""),
        version=row.get("version", ""),
        hosts=_count(row.get("hosts")) or 1,
        threads=_count(row.get("threads")),
        file_bytes=_count(row.get("file size")),
        block_bytes=block_bytes,
        direct=_flag(row.get("direct IO")),
        random=_flag(row.get("random")),
        queue_depth=_count(row.get("IO depth")),
        settings=_settings({key: row.get(key) for key in _SETTINGS}),
        entries_per_s=number(row.get("entries/s [last]", "")),
        rates=_rates(row, "", block_bytes),
        read_rates=_rates(row, "rwmix read ", block_bytes),
        operation_latency_ms=_latency_ms(row.get("IO lat us [max]")),
        entry_latency_ms=_latency_ms(row.get("Ent lat us [max]")),
    )


def _rates(row: Mapping[str, str], prefix: str, block_bytes: int | None) -> Rates:
    """Elbencho prints whole MiB/s: operations of a known size are more exact, also
    below 1 MiB/s.
    """
    mib_per_s = number(row.get(f"{prefix}MiB/s [last]", ""))
    operations_per_s = number(row.get(f"{prefix}IOPS [last]", ""))
    if mib_per_s is None:
        return Rates(None, operations_per_s)
    if operations_per_s and block_bytes:
        by_operations = operations_per_s * block_bytes
        if mib_per_s * MIB <= by_operations < (mib_per_s + 1) * MIB:
            return Rates(by_operations, operations_per_s)
    return Rates(mib_per_s * MIB, operations_per_s)


def _of_json(item: Mapping[str, Any], line: int) -> Row:
    """One line of `--jsonfile`; all its values are texts."""
    config = item["config"]
    last = item["last_done"]
    latency = last.get("latency", {})
    return Row(
        line=line,
        operation=str(item["phase_type"]).strip().upper(),
        label=str(item.get("label", "")),
        path_type=str(config.get("path_type", "")),
        version=str(config.get("version", "")),
        hosts=_count(config.get("hosts")) or 1,
        threads=_count(config.get("threads")),
        file_bytes=_count(config.get("file_size")),
        block_bytes=_count(config.get("block_size")),
        direct=_flag(config.get("direct_io")),
        random=_flag(config.get("random_offsets")),
        queue_depth=_count(config.get("io_depth")),
        settings=_settings({key: config.get(key.replace(" ", "_")) for key in _SETTINGS}),
        entries_per_s=number(str(last.get("entries/s", ""))),
        rates=_json_rates(last),
        read_rates=_json_rates(last.get("rwmix_read", {})),
        operation_latency_ms=_latency_ms(latency.get("IO", {}).get("max_us")),
        entry_latency_ms=_latency_ms(latency.get("entries", {}).get("max_us")),
    )


def _json_rates(part: Mapping[str, Any]) -> Rates:
    return Rates(number(str(part.get("bytes/s", ""))), number(str(part.get("iops", ""))))


def _result(row: Row) -> Foreign | None:
    """None where the operation has no name here."""
    # `WRITE+s` and `READ+s` also ask for each file's attributes.
    operation, _, inline = row.operation.partition("+")
    if operation in _NAMES:
        return _of_names(row, _NAMES[operation], {})
    settings = {"inline": inline} if inline else {}
    if _MIXED.fullmatch(operation):
        both = Rates(
            _sum(row.rates.bytes_per_s, row.read_rates.bytes_per_s),
            _sum(row.rates.operations_per_s, row.read_rates.operations_per_s),
        )
        return _of_data(row, "mixed", both, {**settings, "mix": operation})
    if operation not in _DATA:
        return None
    if row.rates.bytes_per_s or row.rates.operations_per_s:
        return _of_data(row, _DATA[operation], row.rates, settings)
    if not row.entries_per_s:
        return _of_data(row, _DATA[operation], row.rates, settings)
    # Files of no bytes: writing them creates them, reading them opens and closes them, and nothing
    # else.
    return _of_names(row, "create" if operation == "WRITE" else "open-close", settings)


def _of_data(row: Row, phase: str, rates: Rates, settings: Mapping[str, str]) -> Foreign:
    latency_ms = None if phase == "mixed" else row.operation_latency_ms
    pattern = None
    if row.random is not None:
        pattern = "random" if row.random else "sequential"
    return Foreign(
        phase=phase,
        test=row.label or row.path_type or phase,
        bytes_per_s=rates.bytes_per_s,
        operations_per_s=rates.operations_per_s,
        pattern=pattern,
        transfer_bytes=row.block_bytes,
        clients=row.hosts,
        tasks=_tasks(row),
        latency_ms={} if latency_ms is None else {"max": latency_ms},
        queue_depth=row.queue_depth,
        file_bytes=row.file_bytes,
        direct=row.direct,
        access="file per process" if row.path_type == "dir" else None,
        settings={**row.settings, **settings},
        line=row.line,
    )


def _of_names(row: Row, phase: str, settings: Mapping[str, str]) -> Foreign:
    return Foreign(
        phase=phase,
        test=row.label or row.path_type or phase,
        operations_per_s=row.entries_per_s,
        clients=row.hosts,
        tasks=_tasks(row),
        latency_ms={} if row.entry_latency_ms is None else {"max": row.entry_latency_ms},
        settings={**row.settings, **settings},
        line=row.line,
    )


def _tasks(row: Row) -> int | None:
    return None if row.threads is None else row.threads * row.hosts


def _sum(first: float | None, second: float | None) -> float | None:
    return first + second if first is not None and second is not None else first or second


def _settings(labelled: Mapping[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in labelled.items() if value not in (None, "")}


def _count(value: object) -> int | None:
    text = str(value).strip()
    return int(text) if re.fullmatch(r"\d{1,19}", text) else None


def _flag(value: object) -> bool | None:
    return {"1": True, "true": True, "0": False, "false": False}.get(str(value).strip().lower())


def _latency_ms(value: object) -> float | None:
    microseconds = number(str(value))
    return None if microseconds is None else microseconds / 1000
