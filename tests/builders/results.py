"""Records for tests: written through the real writer, with figures that the test chooses."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seatrial.analysis.aggregates import TaskTime
from seatrial.result.phases import ClientResult, ClientSecond, PhaseResult
from seatrial.result.result import SCHEMA, Result, read_result
from seatrial.result.writer import Writer
from tests.builders.manifests import fit
from tests.builders.strategies import text_of

STARTED = itertools.count()
"""milliseconds: a later result of a test began later, and before the times of its lines"""


def client(**changes: Any) -> ClientResult:
    """One client's result."""
    fields: dict[str, Any] = {
        "client": "c1",
        "size_bytes": 1000,
        "operations": 10,
        "elapsed_s": 1.0,
        "tasks": ((1000, 1.0, 10),),
        "start_late_s": 0.0,
        "latency_ms": {"read": {"count": 10, "p50": 1.0}},
        "seconds": ((1.0, 1000, 10),),
        "blocks_checked": 4,
        "damage": (),
        "errors": (),
        "cpu_s": 0.1,
    }
    given = {**fields, **changes}
    given["tasks"] = tuple(TaskTime(*task) for task in given["tasks"])
    given["seconds"] = tuple(ClientSecond(*second) for second in given["seconds"])
    return ClientResult(**given)


def phase(rate: float = 1e6, **changes: Any) -> PhaseResult:
    """One phase with an aggregate throughput of `rate` bytes per second, of one task in one
    second.
    """
    moved = round(rate)
    one = client(size_bytes=moved, tasks=((moved, 1.0, 10),), seconds=((1.0, moved, 10),))
    fields: dict[str, Any] = {
        "experiment": "one",
        "point": {"clients": 1},
        "repeat": 1,
        "phase": "read",
        "started_unix_s": 0.0,
        "clients": (one,),
        "natural_bytes_per_s": rate,
        "harmonic_mean_bytes_per_s": rate,
        "harmonic_aggregate_bytes_per_s": rate,
        "fairness": 1.0,
        "operations_per_s": 10.0,
        "cpus_busy_share": 0.5,
        "lab_limited": False,
        "bottleneck": "client links",
        "predicted_bytes_per_s": 12.5e6,
        "bound": "client links",
        "bound_bytes_per_s": 12.5e6,
        "clock_error_s": 0.001,
        "partial": False,
    }
    return PhaseResult(**{**fields, **changes})


def result_of(
    folder: Path,
    study: dict[str, Any],
    *phases: PhaseResult,
    published: str | None = None,
    complete: bool = True,
    profile: str = "quick",
    lines: Sequence[tuple[str, Mapping[str, Any]]] = (),
    scale: float = 0.025,
) -> Result:
    """A record with these phases, and a manifest that asks for no more.

    `lines`: further lines before the phases, each with its type.
    """
    writer = Writer(folder)
    writer.line(
        "run",
        unix_s=next(STARTED) / 1000,
        schema=SCHEMA,
        study=study["id"],
        profile=profile,
        seatrial="0",
    )
    writer.keep("study.yaml", text_of(study))
    if published is not None:
        writer.keep("published.yaml", published)
    writer.line("system", site={"scale": scale})
    for kind, fields in lines:
        writer.line(kind, **fields)
    for item in phases:
        writer.phase(item)
    writer.line("end", complete=complete)
    fit(folder)
    writer.close()
    return read_result(folder)
