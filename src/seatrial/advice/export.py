"""A result's figures for other programs: CSV for spreadsheets, JSON, OpenMetrics for a time series
database.

One row for each phase of each repeat, and one for each fault. Names end with their unit. An unknown
figure is empty in CSV, null in JSON, and missing in OpenMetrics.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from seatrial.advice.foreign import PROFILE
from seatrial.basics.finite import json_text, only_finite
from seatrial.result.phases import PhaseResult
from seatrial.result.result import NOT_COMPLETED, Result

Format = Literal["csv", "json", "openmetrics"]
PERCENTILES = ("p50", "p99", "max")
FIGURES: dict[str, str] = {
    "rate_bytes_per_s": "Bytes of all clients over the time of the slowest task",
    "harmonic_aggregate_bytes_per_s": "Harmonic mean of the tasks' rates, times the tasks",
    "operations_per_s": "Operations of all clients over the time of the slowest task",
    "latency_p50_ms": "Median time of one operation of the phase's own kind",
    "latency_p99_ms": "99th percentile of the same",
    "latency_max_ms": "The longest of the same",
    "fairness": "Jain's index of the tasks' rates: 1 is all alike",
    "predicted_bytes_per_s": "Rate of the slowest part of the data path",
    "bound_bytes_per_s": "Upper bound of any result",
    "longest_outage_s": "The longest time for which a client got no answer",
}
"""column -> its description, for OpenMetrics' HELP"""


def rows(result: Result) -> Iterator[dict[str, Any]]:
    """A flat row for each phase of each repeat, then for each fault that was injected."""
    run = result.first("run")
    head = {"study": run.get("study"), "profile": run.get("profile")}
    for phase in result.phases:
        row = {**head, "kind": "phase", **_phase(phase)}
        yield only_finite(_without_zeros(row) if run.get("profile") == PROFILE else row)
    for fault in result.faults:
        if fault.skipped is None:
            yield {
                **head,
                "kind": "fault",
                "fault": fault.name,
                "started_unix_s": fault.injected_unix_s,
                "moved": fault.moved,
                "failed": fault.failed,
                "longest_outage_s": None if fault.unrecovered else fault.longest_s,
                "recovered": fault.unrecovered is None and fault.recovered_unix_s is not None,
            }


def _without_zeros(row: Mapping[str, Any]) -> dict[str, Any]:
    """Of another program's result: a figure of 0 is one that the program did not print."""
    unknown = {figure: None for figure in FIGURES if row.get(figure) == 0}
    return {**row, **unknown, "started_unix_s": None}


def _phase(phase: PhaseResult) -> dict[str, Any]:
    latency = phase.latency_ms.get(phase.phase, {})
    is_open = any(outage["open"] for outage in phase.outages)
    longest_s = max((it["end_unix_s"] - it["start_unix_s"] for it in phase.outages), default=0.0)
    return {
        "experiment": phase.experiment,
        **{f"point.{key}": value for key, value in phase.point.items()},
        "phase": phase.phase,
        "repeat": phase.repeat,
        "started_unix_s": phase.started_unix_s,
        "rate_bytes_per_s": phase.natural_bytes_per_s,
        "harmonic_aggregate_bytes_per_s": phase.harmonic_aggregate_bytes_per_s,
        "operations_per_s": phase.operations_per_s,
        **{f"latency_{name}_ms": latency.get(name) for name in PERCENTILES},
        "fairness": phase.fairness,
        "predicted_bytes_per_s": phase.predicted_bytes_per_s,
        "bound_bytes_per_s": phase.bound_bytes_per_s,
        "longest_outage_s": None if is_open else longest_s,
        "recovered": not is_open,
        "partial": phase.partial,
        "lab_limited": phase.lab_limited,
        "out_of_caches": phase.out_of_caches,
        "cached": phase.cached,
    }


COLUMNS = ("study", "profile", "kind", "experiment", "phase", "repeat", "started_unix_s", *FIGURES)
"""columns of a result without rows: those that every result has"""


def nothing_there(result: Result) -> str:
    """Why there is no row, as text; empty where there is one."""
    if any(True for _ in rows(result)):
        return ""
    return f"{result.folder}: no phase and no fault was measured{'' if result.complete else ', ' + NOT_COMPLETED}"


def as_csv(result: Result) -> str:
    """All rows under one header: every column that some row has, in the order of appearance."""
    found = list(rows(result))
    columns = list(dict.fromkeys(key for row in found for key in row)) or COLUMNS
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue()


def as_json(result: Result) -> str:
    """`{"rows": [...], "verdicts": [...]}`."""
    text = result.text("verdicts.json")
    return json_text({"rows": list(rows(result)), "verdicts": json.loads(text) if text else []}) + "\n"


def as_openmetrics(result: Result) -> str:
    """A gauge for each figure, with the start time of its phase or fault; other values become
    labels.
    """
    found = list(rows(result))
    lines: list[str] = []
    for figure, what in FIGURES.items():
        samples = [row for row in found if isinstance(row.get(figure), (int, float))]
        if samples:
            name = f"seatrial_{figure}"
            lines += [f"# TYPE {name} gauge", f"# HELP {name} {_escaped(what)}"]
            lines += [f"{name}{{{_labels(row)}}} {row[figure]!r}{_time(row)}" for row in samples]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _time(row: Mapping[str, Any]) -> str:
    """When it began; an imported result does not contain it."""
    return "" if row["started_unix_s"] is None else f" {row['started_unix_s']!r}"


def _labels(row: Mapping[str, Any]) -> str:
    labels = []
    for key, value in row.items():
        if key not in (*FIGURES, "started_unix_s") and value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            labels.append(f'{re.sub("[^a-zA-Z0-9_]", "_", key)}="{_escaped(text)}"')
    return ",".join(labels)


def _escaped(text: str) -> str:
    """OpenMetrics 1.0, 3.1: backslash, quote and line feed."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


FORMATS: dict[Format, Callable[[Result], str]] = {"csv": as_csv, "json": as_json, "openmetrics": as_openmetrics}
