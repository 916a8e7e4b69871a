"""The output of `deploy --dry-run` and `run --dry-run`: every step up to the first change."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seatrial.advice.preflight import Preflight
    from seatrial.plan.plan import Plan
    from seatrial.plan.site import Site
    from seatrial.plan.summary import PlanSummary
    from seatrial.service.session import Session
    from seatrial.solutions.base import Solution, Wipe
    from seatrial.study.study import Study


@dataclass(frozen=True)
class DryRun:
    """What would be done."""

    preflight: Preflight | None
    """what the nodes would refuse, use and interrupt; None for a lab that is not up"""
    pending: PlanSummary
    """the steps that would change something; all of them for a lab that is not up"""

    @property
    def exit_code(self) -> int:
        """The exit code of `preflight`: 1 when any node refuses."""
        return 0 if self.preflight is None or self.preflight.clean else 1

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)

    def text(self) -> str:
        """For people."""
        from seatrial.advice.preflight_text import preflight_text
        from seatrial.plan.summary import summary_text

        pending = f"would change:\n{summary_text(self.pending)}"
        if self.preflight is None:
            return f"the lab would be booted\n{pending}"
        return f"{preflight_text(self.preflight)}\n{pending}"


def dry_run(
    study: Study, site: Site, solution: Solution, wipe: Wipe, *, own_lab: bool = False
) -> DryRun:
    """Ask the nodes, changing nothing; RunError where one cannot be asked.

    own_lab: an emulated lab is booted for the purpose, also where one of the study is up.
    """
    from seatrial.advice.preflight import preflight
    from seatrial.labs.base import lab_kind
    from seatrial.plan.summary import summary
    from seatrial.service.session import Session
    from seatrial.solutions.look import deployment

    plan = deployment(solution, site, wipe)
    boots = own_lab and site.traits.is_temporary
    lab = None if boots else lab_kind(study).find(study, study.id)
    if lab is None:
        return DryRun(None, summary(plan))
    session = Session(study, site, solution, lab, lab.transport)
    return DryRun(preflight(session, wipe), summary(_pending(session, plan)))


def _pending(session: Session, plan: Plan) -> Plan:
    """The plan without the steps that find nothing to do, and without those that only look."""
    results = session.deploy(plan, mode="check").results
    pending = {(item.stage, item.node, item.index) for item in results if item.result == "pending"}
    stages = []
    for number, stage in enumerate(plan.stages, start=1):
        steps = {
            node: tuple(
                step
                for index, step in enumerate(of_node, start=1)
                if (number, node, index) in pending
            )
            for node, of_node in stage.steps.items()
        }
        remaining = {node: of_node for node, of_node in steps.items() if of_node}
        if remaining and not stage.is_preflight:
            stages.append(replace(stage, steps=remaining))
    return replace(plan, stages=tuple(stages))
