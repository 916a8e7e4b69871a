"""The manifest of a run: the solution, the site and the lab before any node exists."""

import hashlib
from collections.abc import Mapping, Sequence

from seatrial.load.baseline_run import kinds_in
from seatrial.load.baselines import Probe, probes
from seatrial.plan.plan import Plan
from seatrial.result.manifest import BaselinePlan, DeployPlan, Manifest, StagePlan
from seatrial.result.planned import Changes, Facts, planned
from seatrial.service.fingerprint import inspected_nodes
from seatrial.service.variants import Variant, vary
from seatrial.solutions.base import Fences, Solution, Wipe, WritesLogged, services_of, timers_of
from seatrial.solutions.look import deployment
from seatrial.study.profiles import Profile
from seatrial.study.study import Study
from seatrial.study.timers import Timer


def manifest_of(
    study: Study, profile: Profile, only: Sequence[str], wipe: Wipe, *, study_text: str, published_text: str | None
) -> Manifest:
    """The planned measurements of a run; `study_text` and `published_text` are the files in the
    result.
    """
    base = vary(study)
    solution = base.solution

    def varied(changes: Changes) -> Solution:
        return vary(study, changes).solution

    def clients(changes: Changes) -> tuple[str, ...]:
        return tuple(varied(changes).clients)

    def services(changes: Changes) -> tuple[str, ...]:
        return tuple(services_of(varied(changes)))

    def timers(changes: Changes) -> Mapping[str, Timer]:
        return timers_of(varied(changes))

    facts = Facts(
        clients=clients,
        servers=tuple(solution.servers),
        services=services,
        timers=timers,
        fingerprinted=tuple(inspected_nodes(solution)),
        deploys=_deploys(base, wipe),
        baselines=None if only or not study.baselines else _baselines(base, profile),
        logs_power=_logs_power(study),
        members=tuple(solution.fenced_nodes) if isinstance(solution, Fences) else (),
        watches_writers=isinstance(solution, WritesLogged),
        study_sha256=_sum(study_text),
        published_sha256=None if published_text is None else _sum(published_text),
    )
    return planned(study, profile, tuple(only), facts)


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _logs_power(study: Study) -> bool:
    """Whether its lab will be a `PowerLog`; the lab does not exist yet."""
    return vary(study).site.kind == "emulated"


def _deploys(base: Variant, wipe: Wipe) -> tuple[DeployPlan, ...]:
    """The two deploys.

    The first one may erase the devices named by --wipe, the second none; most steps are the same.
    """
    first = _stages(deployment(base.solution, base.site, wipe))
    second = _stages(deployment(base.solution, base.site, {}))
    if first == second:
        return (DeployPlan(("first deploy", "second deploy"), first),)
    return DeployPlan(("first deploy",), first), DeployPlan(("second deploy",), second)


def _stages(plan: Plan) -> tuple[StagePlan, ...]:
    return tuple(
        StagePlan(stage.title, {node: tuple(step.title for step in steps) for node, steps in stage.steps.items()})
        for stage in plan.stages
    )


def _baselines(base: Variant, profile: Profile) -> tuple[BaselinePlan, ...]:
    return tuple(
        _baseline(item) for item in probes(kinds_in(base.study, profile), base.study, base.site, base.solution)
    )


def _baseline(probe: Probe) -> BaselinePlan:
    names = probe.figures()
    return BaselinePlan(probe.kind, probe.group, probe.node, names, max(probe.count, 1) if not names else 0)
