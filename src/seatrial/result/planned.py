"""From a study to the manifest of one run of it: the same code for a run and for an older result
without a manifest.

Facts that only a solution or only a result has come in as `Facts`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

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
from seatrial.study.points import Point, points
from seatrial.study.profiles import Profile
from seatrial.study.study import Study
from seatrial.study.timers import HANDSHAKES, PROCESSES, Limit, Timer

EXPECTED = ("fails_over", "target", "min_stall", "errors", "blocks", "detected_by")
"""a fault line's keys for the expectations of the study; `outage` is a sum that the run makes"""
Changes = Mapping[str, Any]
"""the differences from the study: `{"solution.export.threads": 64}`"""


@dataclass(frozen=True)
class Facts:
    """The facts that the manifest needs and the study does not contain; for a derived manifest,
    from the result's line `system`.
    """

    clients: Callable[[Changes], tuple[str, ...] | None]
    """the clients of the solution with these changes; None where they are unknown"""
    servers: tuple[str, ...]
    services: Callable[[Changes], tuple[str, ...] | None]
    timers: Callable[[Changes], Mapping[str, Timer]]
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
    experiments, faults = study.experiments_in(profile), study.faults_in(profile)
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


def planned(study: Study, profile: Profile, only: tuple[str, ...], facts: Facts) -> Manifest:
    """The manifest of a run with this profile of a study, limited to the experiments `only`."""
    chosen = selected(study, profile, only)
    load = study.background_load_in(profile)
    return Manifest(
        profile=profile,
        only=only,
        criteria=tuple(
            CriterionPlan(item.id, item.check, plain(item.options())) for item in study.criteria
        ),
        experiments=tuple(
            _experiment(name, item, facts) for name, item in chosen.experiments.items()
        ),
        faults=tuple(_fault(name, item, load, facts) for name, item in chosen.faults.items()),
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


def _experiment(name: str, experiment: Experiment, facts: Facts) -> ExperimentPlan:
    everyone = facts.clients({})
    wanted = points(experiment, clients_max=len(everyone) if everyone else 1)
    return ExperimentPlan(
        name=name,
        repeats=experiment.repeats,
        points=tuple(_point(experiment, point, facts) for point in wanted),
        has_more_repeats=experiment.repeats_until is not None,
        searches=experiment.saturation_search is not None,
    )


def _point(experiment: Experiment, point: Point, facts: Facts) -> PointPlan:
    row = experiment.variants.get(point.values.get(VARIANT, ""), VariantChanges())
    return PointPlan(
        name=point.name,
        values=plain(point.values),
        phases=tuple(point.workload.phases),
        clients=_clients(point, facts),
        compares_tree=point.workload.verify_tree,
        may_be_skipped=row.unsupported is not None,
    )


def _clients(point: Point, facts: Facts) -> tuple[str, ...] | None:
    if point.workload.local:
        return facts.servers[:1] or None
    everyone = facts.clients({**point.solution, **point.site})
    return everyone[: point.clients] if everyone is not None else None


def _fault(name: str, fault: Fault, load: Mapping[str, Stream], facts: Facts) -> FaultPlan:
    everyone = facts.clients(fault.overrides)
    limit = fault.expect.outage
    return FaultPlan(
        name=name,
        kind=fault.kind,
        published=fault.published,
        expect=plain({key: getattr(fault.expect, key) for key in EXPECTED}),
        outage=_limit(limit, facts.timers(fault.overrides)) if limit is not None else None,
        services=facts.services(fault.overrides),
        streams=tuple(_stream(key, item, everyone) for key, item in load.items()),
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
