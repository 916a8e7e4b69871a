"""The run matrix: every case and every planned fault of one run of a study."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seatrial.cases import Case, Changes, ExperimentCases, Variant
from seatrial.faults.base import FaultCase
from seatrial.plan.site import Site
from seatrial.solutions.base import Solution
from seatrial.study.experiment import Experiment
from seatrial.study.faults import Fault, Stream
from seatrial.study.profiles import Profile
from seatrial.study.study import Study


@dataclass(frozen=True)
class RunMatrix:
    """What one run measures and breaks; `resolve` makes it."""

    study: Study
    """with the nodes of the profile"""
    profile: Profile
    only: tuple[str, ...]
    """the experiments and faults that the operator asks for; empty for all of the profile"""
    base: Variant
    """the study's own values"""
    planned_experiments: tuple[ExperimentCases, ...]
    """in the order of the study"""
    planned_faults: tuple[FaultCase, ...]
    background_load: Mapping[str, Stream]
    """the streams on clients during the faults"""

    @property
    def site(self) -> Site:
        """The site with the study's own values."""
        return self.base.site

    @property
    def solution(self) -> Solution:
        """The solution with the study's own values."""
        return self.base.solution

    @property
    def cases(self) -> tuple[Case, ...]:
        """Every case of every experiment."""
        return tuple(case for item in self.planned_experiments for case in item.cases)

    @property
    def experiments(self) -> dict[str, Experiment]:
        """The experiments by name."""
        return {item.name: item.experiment for item in self.planned_experiments}

    @property
    def faults(self) -> dict[str, Fault]:
        """The faults by name, each repetition by its own."""
        return {item.name: item.fault for item in self.planned_faults}

    def variants(self) -> Iterator[Variant]:
        """The study's own values, then every other variant that the run deploys, each once."""
        seen: list[Changes] = []
        for variant in (
            self.base,
            *(case.variant for case in self.cases),
            *(item.variant for item in self.planned_faults),
        ):
            if variant.changes not in seen:
                seen.append(variant.changes)
                yield variant
