"""The manifest of a run: the solution, the site and the lab before any node exists."""

import hashlib
from collections.abc import Mapping

from seatrial.cases import ExperimentCases, Variant
from seatrial.faults.base import FaultCase
from seatrial.load.baseline_run import kinds_in
from seatrial.load.baselines import Probe, probes
from seatrial.matrix.matrix import RunMatrix
from seatrial.plan.plan import Plan
from seatrial.result.manifest import (
    BaselinePlan,
    DeployPlan,
    ExperimentPlan,
    FaultPlan,
    Manifest,
    StagePlan,
)
from seatrial.result.planned import (
    Facts,
    FaultSystem,
    Parts,
    PlannedPoint,
    experiment_plan,
    fault_plan,
    planned,
)
from seatrial.result.result import FIRST_DEPLOY, SECOND_DEPLOY
from seatrial.service.fingerprint import inspected_nodes
from seatrial.solutions.base import Fences, Wipe, WritesLogged, services_of, timers_of
from seatrial.solutions.look import deployment
from seatrial.study.faults import Stream


def manifest_of(
    matrix: RunMatrix, wipe: Wipe, *, study_text: str, published_text: str | None
) -> Manifest:
    """The planned measurements of a run; `study_text` and `published_text` are the files in the
    result.
    """
    study = matrix.study
    solution = matrix.solution
    facts = Facts(
        fingerprinted=tuple(inspected_nodes(solution)),
        deploys=_deploys(matrix.base, wipe),
        baselines=None if matrix.only or not study.baselines else _baselines(matrix),
        # The lab will be a `PowerLog`; it does not exist yet.
        logs_power=matrix.site.traits.logs_power,
        members=tuple(solution.fenced_nodes) if isinstance(solution, Fences) else (),
        watches_writers=isinstance(solution, WritesLogged),
        study_sha256=_sum(study_text),
        published_sha256=None if published_text is None else _sum(published_text),
    )
    return planned(study, matrix.profile, matrix.only, _parts(matrix), facts)


def _parts(matrix: RunMatrix) -> Parts:
    return Parts(
        tuple(_experiment(item) for item in matrix.planned_experiments),
        tuple(_fault(item, matrix.background_load) for item in matrix.planned_faults),
    )


def _experiment(planned_experiment: ExperimentCases) -> ExperimentPlan:
    points = [
        PlannedPoint(case.point, tuple(case.clients) or None) for case in planned_experiment.cases
    ]
    return experiment_plan(planned_experiment.name, planned_experiment.experiment, points)


def _fault(case: FaultCase, load: Mapping[str, Stream]) -> FaultPlan:
    solution = case.variant.solution
    system = FaultSystem(tuple(solution.clients), tuple(services_of(solution)), timers_of(solution))
    return fault_plan(case.name, case.fault, load, system)


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _deploys(base: Variant, wipe: Wipe) -> tuple[DeployPlan, ...]:
    """The two deploys.

    The first one may erase the devices named by --wipe, the second none; most steps are the same.
    """
    first = _stages(deployment(base.solution, base.site, wipe))
    second = _stages(deployment(base.solution, base.site, {}))
    if first == second:
        return (DeployPlan((FIRST_DEPLOY, SECOND_DEPLOY), first),)
    return DeployPlan((FIRST_DEPLOY,), first), DeployPlan((SECOND_DEPLOY,), second)


def _stages(plan: Plan) -> tuple[StagePlan, ...]:
    return tuple(
        StagePlan(
            stage.title,
            {node: tuple(step.title for step in steps) for node, steps in stage.steps.items()},
        )
        for stage in plan.stages
    )


def _baselines(matrix: RunMatrix) -> tuple[BaselinePlan, ...]:
    study = matrix.study
    kinds = kinds_in(study, matrix.profile)
    return tuple(_baseline(item) for item in probes(kinds, study, matrix.site, matrix.solution))


def _baseline(probe: Probe) -> BaselinePlan:
    names = probe.figures()
    return BaselinePlan(
        probe.kind, probe.group, probe.node, names, max(probe.count, 1) if not names else 0
    )
