"""How long a run will take: as long as the newest one of its study and form did, or what its plan adds up to.

Both say what they rest on. A record tells each experiment and fault by the times of its lines. The plan knows the bytes
of each phase and the slowest part on their way; it does not know how long nodes boot, and what a deploy takes.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.withheld import without_secrets
from seatrial.check import chosen, prepare
from seatrial.faults.trial import BESIDE_A_FAULT_S, expected_fault_s
from seatrial.load.phases import OVERHEAD_S, expected_experiment_s, has_rates
from seatrial.plan.site import Site
from seatrial.record.record import Record, whole_records
from seatrial.solutions.base import Solution
from seatrial.study.forms import FORMS, Form
from seatrial.study.study import Study

OF_THE_PLAN = (
    "a guess (~), as there is no record of such a run: the bytes of each phase over the slowest part on their way, and "
    f"{OVERHEAD_S:g} s; of each fault its own times, and {BESIDE_A_FAULT_S:g} s; {{}}"
)

NODE_S = (5.0, 45.0)
"""to boot and deploy, for each node of a lab: from two idle cores to one beside another lab, as runs showed"""


@dataclass(frozen=True)
class Measured:
    """What a run took, by the times of its record's lines."""

    folder: Path
    when_unix_s: float
    setup_s: float
    """until the first experiment or fault began: booting, deploying, baselines"""
    items_s: Mapping[str, float]
    """experiment or fault -> its time"""
    same_study: bool
    """its study is, letter for letter, the one that is there now"""

    @property
    def basis(self) -> str:
        """For people: which run it was."""
        day = time.strftime("%Y-%m-%d", time.gmtime(self.when_unix_s))
        changed = "" if self.same_study else "; the study was changed since"
        return f"as the run of {day} did ({self.folder.name}{changed})"


@dataclass(frozen=True)
class Times:
    """What the parts of one form should take."""

    items_s: Mapping[str, float]
    measured: Measured | None = None
    """the run that took so long; None where they are a guess"""
    setup: Measured | None = None
    """a run of any form, which tells what comes before them; None where there was none"""
    booted: int = 0
    """how many nodes a lab has to boot; hosts run already"""
    lacks_rates: bool = False
    """of some phase no part of the way has a known rate, so that its bytes are not in it"""

    @property
    def basis(self) -> str:
        """What it rests on."""
        if self.measured:
            return self.measured.basis
        unknown = "; how fast the storage is nobody knows yet, so that the time for moving the data comes on top"
        before = f"{'booting and ' if self.booted else ''}deploying"
        least, most = (rough(each_s * self.booted) for each_s in NODE_S)
        nodes = f"come on top, {least} on two idle cores and up to {most} on a busy one"
        on_top = self.setup.basis if self.setup else nodes if self.booted else "comes on top"
        return f"{OF_THE_PLAN.format(before)} {on_top}{unknown if self.lacks_rates else ''}"

    @property
    def total_s(self) -> float:
        """All of them, and what comes before them where a run has told it."""
        return sum(self.items_s.values()) + (self.setup.setup_s if self.setup else 0.0)

    def text(self, name: str | None = None) -> str:
        """Of one part or of all, `4 min`; `~4 min` by the plan alone; `-`: no part."""
        if name is not None and name not in self.items_s:
            return "-"
        duration_s = self.total_s if name is None else self.items_s[name]
        return f"{'' if self.measured else '~'}{rough(duration_s)}"


def times_of(prepared: tuple[Study, Site, Solution], form: Form, records: Path, only: tuple[str, ...] = ()) -> Times:
    """What a form of a study should take, or some experiments and faults of it."""
    study, _, solution = prepared
    experiments, faults = chosen(study, form, only)
    names = [*experiments, *faults]
    measured = newest(records, study, form, names)
    if measured is not None:
        return Times({name: measured.items_s[name] for name in names}, measured, measured)
    items = {name: expected_experiment_s(solution, item) for name, item in experiments.items()}
    items |= {name: expected_fault_s(study, name, item) for name, item in faults.items()}
    lacks_rates = not all(has_rates(solution, item) for item in experiments.values())
    booted = len(study.node_names()) if study.lab.kind == "uml" else 0
    return Times(items, setup=newest(records, study), booted=booted, lacks_rates=lacks_rates)


def all_times(study: Study, records: Path) -> dict[Form, Times]:
    """The same of every form, with the nodes that it has."""
    forms = {form: study.in_form(form) for form in FORMS}
    return {form: times_of((item, *prepare(item)), form, records) for form, item in forms.items()}


def newest(records: Path, study: Study, form: Form | None = None, names: Sequence[str] = ()) -> Measured | None:
    """The newest run of this study (and form) that came to its end at one go and had all these parts, or None."""
    for record in whole_records(records, study.id, form):
        if not record.first("resumed"):
            measured = _measured(record, study)
            if set(names) <= set(measured.items_s):
                return measured
    return None


def _measured(record: Record, study: Study) -> Measured:
    began_s = record.first("run")["unix_s"]
    items = dict(_items(record))
    first = next((line["unix_s"] for line in record.lines if line["type"] == "experiment"), None)
    setup_s = (first if first is not None else began_s) - began_s
    same_study = record.text("study.yaml") == without_secrets(study.source.text)
    return Measured(record.folder, began_s, setup_s, items, same_study)


def _items(record: Record) -> Iterator[tuple[str, float]]:
    """Every experiment from its line to its last one, every fault from the end of what was before it to its line.

    What was compared after a fault comes before its line: it is the fault's, which says when it began.
    """
    since_s = record.first("run")["unix_s"]
    current, passed_s = None, [since_s]
    for line in record.lines:
        kind, now_s = line["type"], line["unix_s"]
        if current is not None and kind in ("experiment", "fault", "end"):
            began_s = line.get("started_unix_s") or now_s
            ended_s = max((at_s for at_s in passed_s if at_s <= began_s), default=since_s)
            yield current, ended_s - since_s
            current, since_s = None, ended_s
        if kind == "experiment":
            current, since_s, passed_s = line["name"], now_s, []
        elif kind == "fault":
            yield line["name"], now_s - since_s
            since_s = now_s
        passed_s.append(now_s)


def rough(duration_s: float) -> str:
    """A time that is not known to the second: `40 s`, `4 min`, `2.5 h`."""
    if duration_s < 100:
        return f"{duration_s:.0f} s"
    return f"{duration_s / 60:.0f} min" if duration_s < 6000 else f"{duration_s / 3600:.1f} h"
