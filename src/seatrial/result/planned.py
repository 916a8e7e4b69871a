"""From a study to the manifest of one run of it: the same code for a run and for an older result
without a manifest.

Facts that only a solution or only a result has come in as `Facts`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from seatrial.result.manifest import (
    BaselinePlan,
    CriterionPlan,
    DeployPlan,
    ExperimentPlan,
    FaultPlan,
    Manifest,
    OutageLimit,
    PointPlan,
    StreamKind,
    StreamPlan,
    plain,
)
from seatrial.study.experiment import VARIANT, Experiment, VariantChanges
from seatrial.study.faults import Fault, Stream
from seatrial.study.points import Point
from seatrial.study.profiles import Profile
from seatrial.study.study import Study
from seatrial.study.timers import HANDSHAKES, PROCESSES, Limit, Timer

EXPECTED = ("fails_over", "target", "min_stall", "errors", "blocks", "detected_by")
"""a fault line's keys for the expectations of the study; `outage` is a sum that the run makes"""


@dataclass(frozen=True)
class PlannedPoint:
    """A point with the nodes of its tasks."""

    point: Point
    nodes: tuple[str, ...] | None
    """None where they are unknown"""


@dataclass(frozen=True)
class FaultSystem:
    """The facts of the solution into which a fault is injected; None where they are unknown."""

    clients: tuple[str, ...] | None
    services: tuple[str, ...] | None
    timers: Mapping[str, Timer]


@dataclass(frozen=True)
class Parts:
    """The experiments and faults of a run."""

    experiments: tuple[ExperimentPlan, ...]
    faults: tuple[FaultPlan, ...]


@dataclass(frozen=True)
class Facts:
    """The facts of a whole run that the manifest needs and the study does not contain; for a
    derived manifest, from the result's line `system`.
    """

    fingerprinted: tuple[str, ...]
    deploys: tuple[DeployPlan, ...] = ()
    baselines: tuple[BaselinePlan, ...] | None = None
    keeps_agent_lines: bool = True
    logs_power: bool = False
    members: tuple[str, ...] = ()
    watches_writers: bool = False
    study_sha256: str | None = None
    published_sha256: str | None = None
    is_derived: bool = False


@dataclass(frozen=True)
class Selected:
    """The part of a profile that is run."""

    experiments: dict[str, Experiment]
    faults: dict[str, Fault]


def selected(study: Study, profile: Profile, only: tuple[str, ...]) -> Selected:
    """Everything of the profile, or the requested experiments and faults, in the study's order.

    One that is requested and that the profile leaves out is run as it is written.
    """
    experiments = study.experiments_in(profile)
    faults = study.faults_in(profile)
    if not only:
        return Selected(experiments, faults)
    return Selected(
        {
            name: experiments.get(name, item)
            for name, item in study.experiments.items()
            if name in only
        },
        {
            name: faults.get(name, item)
            for name, item in study.faults.items()
            if study.repetitions.is_chosen(name, only)
        },
    )


def planned(
    study: Study, profile: Profile, only: tuple[str, ...], parts: Parts, facts: Facts
) -> Manifest:
    """The manifest of a run with this profile of a study, limited to the parts `only`."""
    return Manifest(
        profile=profile,
        only=only,
        criteria=tuple(
            CriterionPlan(item.id, item.check, plain(item.options())) for item in study.criteria
        ),
        experiments=parts.experiments,
        faults=parts.faults,
        deploys=facts.deploys,
        fingerprinted=facts.fingerprinted,
        baselines=facts.baselines,
        keeps_agent_lines=facts.keeps_agent_lines,
        logs_power=facts.logs_power,
        members=facts.members,
        watches_writers=facts.watches_writers,
        study_sha256=facts.study_sha256,
        published_sha256=facts.published_sha256,
        is_derived=facts.is_derived,
    )


def experiment_plan(
    name: str, experiment: Experiment, points: Iterable[PlannedPoint]
) -> ExperimentPlan:
    """The plan of an experiment with these points."""
    return ExperimentPlan(
        name=name,
        repeats=experiment.repeats,
        points=tuple(_point(experiment, item) for item in points),
        has_more_repeats=experiment.repeats_until is not None,
        searches=experiment.saturation_search is not None,
    )


def _point(experiment: Experiment, planned_point: PlannedPoint) -> PointPlan:
    point = planned_point.point
    row = experiment.variants.get(point.values.get(VARIANT, ""), VariantChanges())
    return PointPlan(
        name=point.name,
        values=plain(point.values),
        phases=tuple(point.workload.phases),
        clients=planned_point.nodes,
        compares_tree=point.workload.verify_tree,
        may_be_skipped=row.unsupported is not None,
    )


def fault_plan(
    name: str, fault: Fault, load: Mapping[str, Stream], system: FaultSystem
) -> FaultPlan:
    """The plan of a fault, with the streams of the background load."""
    limit = fault.expect.outage
    return FaultPlan(
        name=name,
        kind=fault.kind,
        published=fault.published,
        expect=plain({key: getattr(fault.expect, key) for key in EXPECTED}),
        outage=_limit(limit, system.timers) if limit is not None else None,
        services=system.services,
        streams=tuple(_stream(key, item, system.clients) for key, item in load.items()),
    )


def _stream(name: str, stream: Stream, everyone: tuple[str, ...] | None) -> StreamPlan:
    kind: StreamKind = "load"
    if stream.copy_of is not None:
        kind = "copy"
    elif stream.consistency_test is not None:
        kind = "consistency"
    clients = stream.runs_on(everyone or ())
    return StreamPlan(name, kind, stream.phase, clients or None)


def _limit(limit: Limit, timers: Mapping[str, Timer]) -> OutageLimit | None:
    """None where a timer of it is not known."""
    if limit.unknown(timers):
        return None
    return OutageLimit(
        text=limit.text,
        timers_s=sum(seconds for _, seconds in limit.parts(timers, {})),
        process_starts=_work(limit, PROCESSES),
        handshakes=_work(limit, HANDSHAKES),
    )


def _work(limit: Limit, kind: str) -> int:
    return sum(term.count for term in limit.terms if term.name == kind)
