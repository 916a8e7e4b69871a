"""The points of an experiment: every combination of the varied values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from seatrial.study.experiment import VARIANT, Experiment, VariantChanges
from seatrial.study.workload import Workload


def point_text(point: Mapping[str, Any]) -> str:
    """A short name of a point: `clients=4,threads=8`; empty where nothing varies."""
    return ",".join(f"{key.rpartition('.')[2]}={value}" for key, value in point.items())


def point_name(point: Mapping[str, Any]) -> str:
    """The name of a point in results and predictions; `only` where nothing varies. Messages have
    `phase_text`.
    """
    return point_text(point) or "only"


def phase_text(experiment: str, point: Mapping[str, Any], *rest: object) -> str:
    """The name of a measurement: `fig7 clients=4 repeat 2 read`; without a gap where nothing
    varies.
    """
    return " ".join(word for word in (experiment, point_text(point), *map(str, rest)) if word)


@dataclass(frozen=True)
class Point:
    """One combination of the varied values."""

    values: dict[str, Any]
    clients: int
    workload: Workload
    solution: dict[str, Any]
    """changed values of the study's solution: {"solution.export.threads": 8}"""
    site: dict[str, Any] = field(default_factory=dict)
    """changed values of its nodes and networks: {"nodes.nas.disks.paths.cabling": "single"}"""
    kinds: dict[str, Workload] = field(default_factory=dict)
    """the workload of each kind of clients that has another one"""

    @property
    def name(self) -> str:
        """Its name in results and predictions."""
        return point_name(self.values)

    @property
    def changes(self) -> dict[str, Any]:
        """Every changed value of the study, of the solution and of the site."""
        return {**self.solution, **self.site}


def points(experiment: Experiment, clients_max: int) -> list[Point]:
    """Every point of an experiment, the last key varying fastest; all clients where their number
    does not vary.

    With variants, each one that the profile measures is combined with each point of the sweep.
    """
    axes: dict[str, tuple[Any, ...]] = (
        {VARIANT: experiment.measured_variants} if experiment.variants else {}
    )
    axes |= experiment.sweep
    result = []
    for combination in product(*axes.values()):
        values = dict(zip(axes, combination, strict=True))
        row = experiment.variants.get(values.get(VARIANT, ""), VariantChanges())
        changes = {
            key: value
            for key, value in {**row.workload, **values}.items()
            if key in Workload.model_fields
        }
        workload = experiment.workload.changed(changes)
        paths = {**experiment.overrides, **row.overrides, **values}
        solution = {
            key: value for key, value in paths.items() if key.partition(".")[0] == "solution"
        }
        site = {
            key: value for key, value in paths.items() if key.startswith(("nodes.", "networks."))
        }
        clients = 1 if workload.local else int(values.get("clients", row.clients or clients_max))
        workload = workload.shared_out(clients)
        kinds = {kind: workload.changed(other) for kind, other in experiment.kinds.items()}
        result.append(Point(values, clients, workload, solution, site, kinds))
    return result
