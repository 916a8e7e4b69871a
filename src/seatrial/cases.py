"""The systems that a study describes, before any node exists: its variants, and the cases of its
experiments.

A variant is the study with some changed values. A case is one point of an experiment, with the
variant that it measures. All of them are pure: they come from the study alone.
"""

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from seatrial.labs.base import lab_kind
from seatrial.plan.data_path import DataPath
from seatrial.plan.site import Site
from seatrial.solutions.base import Solution, client_groups_of, client_kinds_of, load_solution
from seatrial.study.experiment import Experiment
from seatrial.study.points import Point, points
from seatrial.study.study import Study
from seatrial.study.workload import Workload

Changes = Mapping[str, Any]
"""changed values of a study: `{"solution.export.threads": 64}`"""


@dataclass(frozen=True)
class Variant:
    """A study with changed values, its site and its solution."""

    study: Study
    site: Site
    solution: Solution
    changes: Changes = field(default_factory=dict)
    """the differences from the study as it is written"""


def vary(study: Study, changes: Changes | None = None) -> Variant:
    """The study with replaced values; without changes, the study itself.

    InputError, Refused or ValidationError when the study, its lab or its solution rejects a value.
    """
    changed = study.with_values(changes) if changes else study
    site = lab_kind(changed).site(changed)
    return Variant(changed, site, load_solution(changed, site), changes or {})


class Variants:
    """The variants of one study; each is built when it is first needed, and once."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._built: dict[str, Variant] = {}

    @property
    def base(self) -> Variant:
        """The study without changes."""
        return self.of({})

    def of(self, changes: Changes) -> Variant:
        """The study with these changes; raises the errors of `vary`."""
        key = json.dumps(changes, sort_keys=True, default=repr)
        if key not in self._built:
            self._built[key] = vary(self.study, changes)
        return self._built[key]


class ClientGroup(NamedTuple):
    """The clients of one tree, and their workload."""

    workload: Workload
    clients: tuple[str, ...]

    def phase_bytes(self, phase: str) -> int:
        """The bytes of all clients in a phase."""
        return self.workload.phase_bytes(phase) * self.workload.tasks * len(self.clients)

    @property
    def operations(self) -> int:
        """The metadata operations of all clients in a phase."""
        return self.workload.items * self.workload.tasks * len(self.clients)


@dataclass(frozen=True)
class Case:
    """One point of an experiment, with the system that it measures."""

    name: str
    """the experiment"""
    experiment: Experiment
    point: Point
    variant: Variant

    @property
    def site(self) -> Site:
        """The nodes and networks at this point."""
        return self.variant.site

    @property
    def solution(self) -> Solution:
        """The system under test at this point."""
        return self.variant.solution

    @property
    def layout(self) -> Hashable:
        """The layout of the storage; another one than the study's recreates the storage."""
        return self.solution.layout

    @property
    def clients(self) -> tuple[str, ...]:
        """The nodes of the tasks: the point's clients, or the server itself."""
        return task_nodes(self.solution, self.point)

    @property
    def workloads(self) -> Mapping[str, Workload]:
        """Kind of clients -> its workload, for each kind that has another one than the point."""
        return self.point.kinds

    @property
    def groups(self) -> list[ClientGroup]:
        """The clients of each tree."""
        return groups_of(self.solution, self.point, self.clients)

    @property
    def data_path(self) -> DataPath:
        """The resources between the clients and the storage at this point."""
        return self.solution.data_path(self.point.clients, local=self.point.workload.local)


@dataclass(frozen=True)
class ExperimentCases:
    """An experiment and its cases, the last key of the sweep varying fastest."""

    name: str
    experiment: Experiment
    cases: tuple[Case, ...]
    clients_max: int
    """the clients of the study's own solution"""

    @property
    def points(self) -> tuple[Point, ...]:
        """The points of its cases."""
        return tuple(case.point for case in self.cases)


def experiment_cases(
    variants: Variants, experiments: Mapping[str, Experiment]
) -> tuple[ExperimentCases, ...]:
    """Every case of these experiments; raises the errors of `vary`.

    The study's own solution decides how many clients a point has where neither its sweep nor its
    variant does.
    """
    clients_max = len(variants.base.solution.clients)
    return tuple(
        ExperimentCases(
            name, experiment, _cases(variants, name, experiment, clients_max), clients_max
        )
        for name, experiment in experiments.items()
    )


def _cases(
    variants: Variants, name: str, experiment: Experiment, clients_max: int
) -> tuple[Case, ...]:
    return tuple(
        Case(name, experiment, point, variants.of(point.changes))
        for point in points(experiment, clients_max)
    )


def task_nodes(solution: Solution, point: Point) -> tuple[str, ...]:
    """The nodes of a point's tasks: its clients, or the server itself."""
    return solution.servers[:1] if point.workload.local else solution.clients[: point.clients]


def groups_of(solution: Solution, point: Point, nodes: Sequence[str]) -> list[ClientGroup]:
    """The clients of each tree that these nodes see; clients of one kind share a tree."""
    if point.workload.local:
        return [ClientGroup(point.workload, tuple(nodes))]
    kinds = client_kinds_of(solution)
    groups = []
    for clients in client_groups_of(solution, nodes):
        kind = kinds.get(clients[0], "")
        groups.append(ClientGroup(point.kinds.get(kind, point.workload), clients))
    return groups
