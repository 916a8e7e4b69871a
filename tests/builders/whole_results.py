"""Kept results with every line, for tests that change one of them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seatrial.judge.base import checker_names, run_checkers
from seatrial.judge.judge import study_of
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.result.result import Result
from seatrial.result.sealed import LINES
from tests.builders.stored import WHOLE, stored

Line = dict[str, Any]
RESULTS = WHOLE
"""results of quick profiles as their runs have written them, without the parts that the judge
does not read; only the file names of the agents' output
"""
OF_RATES = frozenset({"throughput", "iops", "metadata-rate", "latency", "scaling", "variation"})
STUDIED = frozenset({"integrity", "bound", "spread"})
"""checks of phases that the study of a kept result has"""
OF_PHASES = STUDIED | OF_RATES
OF_FAULTS = frozenset({"integrity", "fencing", "outage", "faults", "consistency"})
ALL = frozenset(checker_names())
RESTED_ON: dict[str, frozenset[str]] = {
    "manifest": ALL,
    "run": ALL,
    "end": ALL,
    "deploy": frozenset({"idempotence"}),
    "deploy.results": frozenset({"idempotence"}),
    "fingerprint": frozenset({"idempotence"}),
    "fingerprint.nodes": frozenset({"idempotence"}),
    "baselines": frozenset({"baselines"}),
    "baselines.found": frozenset({"baselines"}),
    "phase": OF_PHASES,
    "phase.clients": OF_PHASES,
    "comparison": frozenset({"integrity"}),
    "fault": OF_FAULTS,
    "fault.streams": frozenset({"outage", "faults", "integrity"}),
    "fault.compared": frozenset({"integrity"}),
    "fault.consistency": frozenset({"consistency"}),
    "fault.copies": frozenset({"integrity"}),
    "fault.roles_before": frozenset({"fencing"}),
    "fault.roles_after": frozenset({"fencing"}),
}
"""by line, or list of a line, the checks that depend on it; an element without a check
decides nothing
"""


@dataclass(frozen=True)
class Whole:
    """One good result."""

    folder: Path
    lines: tuple[Line, ...]

    def result(self, lines: list[Line] | tuple[Line, ...]) -> Result:
        """The same with other lines."""
        return Result(self.folder, tuple(lines))

    def passed(self, lines: list[Line] | tuple[Line, ...], among: frozenset[str] = ALL) -> set[str]:
        """The checks, among some, of the claims that pass with these lines."""
        result = self.result(lines)
        study = study_of(result)
        claims = tuple(claim for claim in study.criteria if claim.check in among)
        checks = {claim.id: claim.check for claim in claims}
        judged = run_checkers(study.replaced(criteria=claims), result)
        passed = ("pass", PASS_WITH_WAIVERS)
        return {checks[item.claim] for item in judged if item.verdict in passed}


def whole_result(name: str, folder: Path) -> Whole:
    """A kept result, laid out in a folder as its run has left it."""
    result = stored(f"whole-{name}", folder)
    text = (result.folder / LINES).read_text()
    return Whole(result.folder, tuple(json.loads(line) for line in text.splitlines()))
