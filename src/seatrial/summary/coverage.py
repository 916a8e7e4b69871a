"""The coverage of a run: the part of the study's experiments and faults that it measured."""

from dataclasses import dataclass

from seatrial.basics.units import counted
from seatrial.result.result import Result
from seatrial.study.study import Study
from seatrial.summary.described import DESCRIBED

NAMED_MAX = 3
"""at most this many experiments are named; more are counted"""


@dataclass(frozen=True)
class NotDone:
    """A fault that the run did not inject, or could not complete."""

    __pydantic_config__ = DESCRIBED

    name: str
    reason: str


@dataclass(frozen=True)
class Coverage:
    """Counts of the study and of the run. The study's counts include every profile."""

    __pydantic_config__ = DESCRIBED

    faults_of_study: int
    faults_injected: int
    faults_skipped: tuple[NotDone, ...]
    faults_not_completed: tuple[NotDone, ...]
    faults_left_out: tuple[str, ...]
    """the faults of the study that this run did not inject: another profile, or `--only`"""
    experiments_of_study: int
    experiments_begun: int
    experiments_left_out: tuple[str, ...]
    """the experiments that the run did not begin"""
    words: str
    """`11 of 56 faults, 1 skipped; 2 of 3 experiments`; empty without either"""


def coverage(result: Result, study: Study | None) -> Coverage:
    """The coverage of a result; a study that cannot be read counts as the content of the run."""
    skipped = [
        NotDone(fault.name, fault.skipped) for fault in result.faults if fault.skipped is not None
    ]
    broken_off = [
        NotDone(fault.name, fault.failed) for fault in result.faults if fault.failed is not None
    ]
    faults_injected = len(result.faults) - len(skipped)
    faults_of_study = max(len(study.faults) if study else 0, len(result.faults))
    names = {fault.name for fault in result.faults}
    faults_left_out = tuple(name for name in study.faults if name not in names) if study else ()
    started = {line["name"] for line in result.of("experiment")}
    planned = list(study.experiments) if study else []
    left_out = tuple(name for name in planned if name not in started)
    experiments_of_study = max(len(planned), len(started))
    parts = []
    if faults_of_study:
        parts.append(f"{faults_injected} of {counted(faults_of_study, 'fault')}")
    if skipped:
        parts[-1] += f", {len(skipped)} skipped"
    if experiments_of_study:
        parts.append(f"{len(started)} of {counted(experiments_of_study, 'experiment')}")
    return Coverage(
        faults_of_study=faults_of_study,
        faults_injected=faults_injected,
        faults_skipped=tuple(skipped),
        faults_not_completed=tuple(broken_off),
        faults_left_out=faults_left_out,
        experiments_of_study=experiments_of_study,
        experiments_begun=len(started),
        experiments_left_out=left_out,
        words="; ".join(parts),
    )


def left_out_words(parts_covered: Coverage) -> str:
    """The number of the study's experiments that the run did not begin, as text; empty for none."""
    left_out = parts_covered.experiments_left_out
    if not left_out:
        return ""
    are = "is" if len(left_out) == 1 else "are"
    names = f" ({', '.join(left_out)})" if len(left_out) <= NAMED_MAX else ""
    total = counted(parts_covered.experiments_of_study, "experiment")
    return f"{len(left_out)} of {total} {are} not in this run{names}"
