"""The measurements of an interrupted run, from which another one continues."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from seatrial.basics.errors import InputError
from seatrial.basics.withheld import without_secrets
from seatrial.labs.base import lab_kind
from seatrial.result.manifest import point_key
from seatrial.result.opened import unedited
from seatrial.result.result import Result
from seatrial.service.session import files_of
from seatrial.study.points import Point
from seatrial.study.profiles import Profile
from seatrial.study.study import Study

Repeat = tuple[str, str, int]
"""(experiment, `point_key` of its point, number of the repeat)"""


@dataclass(frozen=True)
class EarlierMeasurements:
    """The existing measurements; empty by default."""

    phases: dict[Repeat, set[str]] = field(default_factory=dict)
    faults: frozenset[str] = frozenset()
    baselines: bool = False

    def has(self, experiment: str, point: Point, repeat: int) -> bool:
        """Whether every phase of a repeat was measured completely: incomplete repeats
        are re-run.
        """
        measured = self.phases.get((experiment, point_key(point.values), repeat), set())
        return set(point.workload.phases) <= measured

    def has_fault(self, name: str) -> bool:
        """Whether a fault was injected and completed."""
        return name in self.faults


@dataclass(frozen=True)
class Selection:
    """The part of a study that a run measures."""

    profile: Profile
    only: tuple[str, ...]
    """names of experiments and faults; empty for all of the profile"""
    done: EarlierMeasurements | None = None
    """measurements of an interrupted run, which are not repeated"""


def before(folder: Path, study: Study) -> Selection:
    """The selection of the interrupted run in `folder`, with its measurements.

    Raises InputError when it is of another study, or complete; BrokenSeal when it was edited.
    """
    result = unedited(folder)  # the end of the run would seal an edit
    files = {
        "study.yaml": without_secrets(study.source.text),
        **files_of(study, lab_kind(study).site(study)),
    }
    if any(result.text(path) != text for path, text in files.items()):
        raise InputError(
            f"{folder}: its study differs from {study.source.path}",
            "resume with the study as it was (it is in the result), or begin a new run",
        )
    if result.complete:
        raise InputError(f"{folder}: this run is complete; there is nothing to resume")
    run = result.first("run")
    return Selection(run["profile"], tuple(run.get("only", ())), measured(result))


def measured(result: Result) -> EarlierMeasurements:
    """The measurements of a result that need not be repeated."""
    phases: dict[Repeat, set[str]] = {}
    for phase in result.phases:
        if not phase.partial:
            repeat = (phase.experiment, point_key(phase.point), phase.repeat)
            phases.setdefault(repeat, set()).add(phase.phase)
    faults = {fault.name for fault in result.faults if fault.failed is None}
    return EarlierMeasurements(phases, frozenset(faults), bool(result.baselines))


def matching_line(error: str, part: str) -> str:
    """The line of an error that contains this text, without the shell's prefix."""
    line = next((line for line in error.splitlines() if part in line), error)
    return re.sub(r"^\s*", "", line)
