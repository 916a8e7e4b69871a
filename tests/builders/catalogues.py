"""Result summaries for the tests of the catalogue: made from real results, then changed by key."""

import copy
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seatrial.catalogue.page import render
from seatrial.catalogue.sources import Inputs, read_inputs
from seatrial.result.outages import Outage
from seatrial.result.phases import PhaseResult
from seatrial.summary.fault_results import fault_outcome
from seatrial.summary.results import FILE
from seatrial.summary.summarise import json_document, summary_of
from tests.builders.fault_results import fault, stream
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL

DAY_S = 86_400.0
FIRST_S = 1_790_000_000.0
"""2026-09-21"""
Data = dict[str, Any]


def repeats(rates: dict[int, Sequence[float]], **more: Any) -> list[PhaseResult]:
    """Repeats in MB/s by number of clients."""
    return [
        phase(rate * 1e6, point={"clients": clients}, repeat=number, **more)
        for clients, values in rates.items()
        for number, rate in enumerate(values, start=1)
    ]


@cache
def _text(rates: tuple[tuple[int, tuple[float, ...]], ...]) -> str:
    with TemporaryDirectory() as folder:
        phases = repeats(dict(rates))
        summary = summary_of(result_of(Path(folder) / "run", MINIMAL, *phases))
    return json_document(summary)


STEADY: dict[int, Sequence[float]] = {1: (10.0, 10.1, 9.9), 2: (20.0, 20.2, 19.8)}


def summary(number: int, rates: dict[int, Sequence[float]] | None = None, **changes: Any) -> Data:
    """The data of run `number`, one per day. `changes`: `run__profile="full"` and the like."""
    pairs = tuple((clients, tuple(values)) for clients, values in (rates or STEADY).items())
    data: Data = json.loads(_text(pairs))
    data["run"] |= {
        "result": f"small-{number}",
        "sha256": f"{number:064x}",
        "started_unix_s": FIRST_S + number * DAY_S,
        "seal": "intact",
    }
    for path, value in changes.items():
        *parents, last = path.split("__")
        target = data
        for key in parents:
            target = target[key]
        target[last] = value
    return data


OPEN = Outage(None, 100.0, 165.0, open=True)
LOST = stream(outages=(OPEN,))
"""a stream that never got an answer again"""


def fault_data(longest_s: float = 40.0, **changes: Any) -> Data:
    """A fault of a summary."""
    data: Data = json.loads(json.dumps(asdict(fault_outcome(fault(longest_s, **changes)))))
    return data


def write(folder: Path, *runs: Data) -> Path:
    """Write each run into its own result folder; returns the folder of all."""
    for data in runs:
        place = folder / data["run"]["result"]
        place.mkdir(parents=True)
        (place / FILE).write_text(json.dumps(data))
    return folder


def inputs(folder: Path, *runs: Data) -> Inputs:
    """The runs as they are read."""
    return read_inputs([write(folder, *runs)])


HOSTILE = (
    "\"'><img src=x onerror=document.title='hit'></script><script>alert(1)</script><!--&amp;{{7*7}}"
)
WAIVER = {
    "criterion": "intact",
    "key": "stale_reads",
    "kind": "violation",
    "number": 3,
    "subject": "it",
    "example": "x",
    "where": "study.yaml:1",
    "reason": "known",
}
PEAK = {
    "experiment": "one",
    "variant": None,
    "values": {"clients": 2},
    "phase": "read",
    "quantity": "rate",
    "value": 2e7,
    "unit": "bytes/s",
    "bound": None,
    "words": "20 MB/s",
}


def whole(number: int, **changes: Any) -> Data:
    """A run with everything that the page shows."""
    faults = [fault_data(42.0 + number), fault_data(0.0, name="none")]
    more: Data = {"faults": faults, "peaks": [PEAK], "waivers": [WAIVER], **changes}
    return copy.deepcopy(summary(number, **more))


def page_of(folder: Path, *runs: Data) -> str:
    """The page of these runs."""
    return render(inputs(folder, *runs), folder / "catalogue.html")


PATHS = (
    ("study", "id"),
    ("study", "title"),
    ("run", "result"),
    ("run", "profile"),
    ("run", "outcome"),
    ("run", "versions", "seatrial"),
    ("run", "versions", "kernel"),
    ("criteria", 0, "id"),
    ("points", 0, "experiment"),
    ("points", 0, "variant"),
    ("points", 0, "phase"),
    ("points", 0, "values", "clients"),
    ("peaks", 0, "phase"),
    ("peaks", 0, "unit"),
    ("faults", 0, "name"),
)
"""every text of another person that the page shows"""


def put(data: Data, path: tuple[str | int, ...], text: str) -> Data:
    """The same data with this text at a path."""
    target: Any = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = text
    return data
