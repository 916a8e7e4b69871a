"""The stored results of tests/data, as folders that can be read and judged."""

import gzip
import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from seatrial.predict.recorded import steps_of
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES, seal
from seatrial.summary.results import ResultSummary
from seatrial.summary.summarise import summary_of
from tests.builders.places import DATA, PUBLISHED

PLAIN = ("md1200-quick", "report", "nss-ha-quick")
WHOLE = ("md1200-nfs-quick", "nss-ha-quick")
NAMES = (*PLAIN, *(f"whole-{name}" for name in WHOLE))


def stored(name: str, folder: Path) -> Result:
    """A stored result, copied into a folder."""
    target = folder / name
    if name in PLAIN:
        shutil.copytree(DATA / name, target)
        if name == "md1200-quick":  # stored without the facts that its study is compared with
            shutil.copy(PUBLISHED / "md1200-nfs.yaml", target / "published.yaml")
        return read_result(target)
    kept = DATA / "whole" / name.removeprefix("whole-")
    (target / "agent").mkdir(parents=True)
    (target / LINES).write_bytes(gzip.decompress((kept / f"{LINES}.gz").read_bytes()))
    for file in ("study.yaml", "published.yaml"):
        shutil.copy(kept / file, target / file)
    for file in (kept / "agent-files.txt").read_text().split("\n")[:-1]:
        (target / "agent" / file).write_text("{}\n")
    seal(target)
    return read_result(target)


@cache
def summary_named(name: str, folder: Path) -> ResultSummary:
    """The summary of a stored result; `folder` is the same in all calls of a session."""
    result = stored(name, folder)
    return summary_of(result, steps_of(result))


KEPT = DATA / "nss-ha-quick"
"""the quick profile of nss-ha on one processor: baselines, a phase, faults with their streams and
consistency tests
"""


Line = dict[str, Any]


def lines_of(folder: Path) -> list[Line]:
    """The lines of a result, which a test may change."""
    return [json.loads(line) for line in (folder / LINES).read_text().splitlines()]
