"""The stored result of the tests of the report, and judgements of it."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seatrial.judge.base import Judgement
from seatrial.report.html import render
from seatrial.report.tables import Table
from seatrial.result.outages import ClientOutage
from seatrial.result.phases import PhaseResult, Second
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES
from tests.builders.places import DATA
from tests.builders.results import client, phase, result_of

SAMPLE = DATA / "report"
JUDGEMENTS = [
    Judgement("intact", "acceptance", "every block is intact", "pass", "48 blocks read back"),
    Judgement(
        "steady", "acceptance", "the repeats of each point agree", "fail", "fig7 differs by 40 %"
    ),
    Judgement(
        "within-bounds", "acceptance", "no rate exceeds its bound", "unknown", "no bound is known"
    ),
    Judgement(
        "C6",
        "published",
        "write reaches about 600 MB/s",
        "better",
        "65 % of the link",
        {"write": {"2": [20.35]}},
    ),
    Judgement("C7", "published", "read reaches about 450 MB/s", "agrees", "36 % of the link"),
    Judgement(
        "C9", "published", "a shared file is slower", "inconclusive", "it is not measured yet"
    ),
]


def copied(folder: Path, lines: Iterable[dict[str, Any]] | None = None) -> Result:
    """The sample in a separate folder, with other lines if they are given."""
    shutil.copytree(SAMPLE, folder)
    if lines is not None:
        (folder / LINES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read_result(folder)


def sample_lines() -> list[dict[str, Any]]:
    """The lines of the sample."""
    return [json.loads(line) for line in (SAMPLE / LINES).read_text().splitlines()]


def sample_phases(experiment: str = "fig7") -> list[PhaseResult]:
    """The phases of one experiment of the sample."""
    return [phase for phase in read_result(SAMPLE).phases if phase.experiment == experiment]


STUDY: dict[str, Any] = {
    "schema": "study/1",
    "id": "one",
    "environment": {"kind": "emulated", "scale": "1/40"},
    "nodes": {
        "nas": {
            "memory": "512MiB",
            "link": "10Gbit/s",
            "disks": {"count": 4, "size": "64MiB", "rate": "130MB/s"},
        },
        "c[1-2]": {"memory": "128MiB", "link": "4Gbit/s"},
    },
    "solution": {"kind": "nfs", "raid": {"level": 0}},
    "experiments": {
        "one": {
            "workload": {"transfer_size": "4KiB", "file_size": "1MiB", "outage_threshold": "200ms"}
        }
    },
    "criteria": [{"id": "intact", "check": "integrity"}],
}


def cells(table: Table, row: int = 0) -> dict[str, str]:
    """A row by the titles of its columns."""
    return dict(zip([column.title for column in table.columns], table.rows[row], strict=True))


def outage(
    name: str, task: int | None, start_s: float, end_s: float, *, is_open: bool = False
) -> ClientOutage:
    """One outage of a result."""
    return ClientOutage(task, start_s, end_s, open=is_open, client=name)


def silent(*items: ClientOutage, **changes: Any) -> PhaseResult:
    """A phase of 10 s of one client with two tasks and these outages."""
    tasks = ((500, 10.0, 5), (500, 10.0, 5))
    return phase(
        clients=(client(engine="plain", tasks=tasks, elapsed_s=10.0, outages=items),), **changes
    )


def shown(folder: Path, *phases: PhaseResult) -> str:
    """The report of a result of these phases."""
    return render(result_of(folder, STUDY, *phases), [])


def ticking(*values: tuple[float, float] | None) -> PhaseResult:
    """A phase with these (median, longest) in ms of its seconds; None: nothing ended in one."""
    reported = tuple(
        Second(second, 1000, 1, {"p50": value[0], "max": value[1]} if value else {})
        for second, value in enumerate(values)
    )
    lines = tuple((float(second + 1), 1000, 1) for second in range(len(values)))
    return phase(clients=(client(seconds=lines),), seconds=reported)
