"""What a run that was interrupted has measured already, so that another one goes on where it stopped."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seatrial.basics.errors import InputError
from seatrial.basics.withheld import without_secrets
from seatrial.labs.base import lab_kind
from seatrial.record.opened import unedited
from seatrial.record.record import Record
from seatrial.service.session import files_of
from seatrial.study.forms import Form
from seatrial.study.points import Point
from seatrial.study.study import Study

Repeat = tuple[str, tuple[tuple[str, Any], ...], int]
"""(experiment, what varies, number of the repeat)"""


@dataclass(frozen=True)
class Before:
    """What is there; by default nothing."""

    phases: dict[Repeat, set[str]] = field(default_factory=dict)
    faults: frozenset[str] = frozenset()
    baselines: bool = False

    def has(self, experiment: str, point: Point, repeat: int) -> bool:
        """Whether every phase of a repeat was measured, and whole: half a repeat is measured again."""
        measured = self.phases.get((experiment, _key(point.values), repeat), set())
        return set(point.workload.phases) <= measured

    def has_fault(self, name: str) -> bool:
        """Whether a fault was injected and carried through."""
        return name in self.faults


def before(folder: Path, study: Study) -> tuple[Before, Form, tuple[str, ...]]:
    """What the record in `folder` has, the form that it is of, and what of it was asked for (nothing: all).

    InputError when it is not of this study, or came to its end; BrokenSeal when it was edited.
    """
    record = unedited(folder)  # the end of the run would seal an edit
    files = {"study.yaml": without_secrets(study.source.text), **files_of(study, lab_kind(study).site(study))}
    if any(record.text(path) != text for path, text in files.items()):
        raise InputError(
            f"{folder}: its study is not {study.source.path} as it is now",
            "resume with the study as it was (it is kept in the record), or begin a new run",
        )
    if record.complete:
        raise InputError(f"{folder}: this run came to its end; there is nothing to go on with")
    run = record.first("run")
    return measured(record), run["form"], tuple(run.get("only", ()))


def measured(record: Record) -> Before:
    """What of a record need not be done again."""
    phases: dict[Repeat, set[str]] = {}
    for phase in record.phases:
        if not phase.partial:
            phases.setdefault((phase.experiment, _key(phase.point), phase.repeat), set()).add(phase.phase)
    faults = {fault.name for fault in record.faults if fault.failed is None}
    return Before(phases, frozenset(faults), bool(record.baselines))


def _key(values: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Values as JSON gives them back."""
    return tuple((key, tuple(value) if isinstance(value, list | tuple) else value) for key, value in values.items())


def said_of(error: str, words: str) -> str:
    """The line of an error that has these words, without what the shell puts before it."""
    line = next((line for line in error.splitlines() if words in line), error)
    return re.sub(r"^\s*", "", line)
