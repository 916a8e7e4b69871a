"""The summary of a plan: for each stage and set of nodes the number and the titles of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from seatrial.basics.node_sets import fold
from seatrial.basics.units import counted
from seatrial.plan.plan import Plan

WIDTH = 100
"""columns of a line: a title that is longer is cut"""


@dataclass(frozen=True)
class StepsOfNodes:
    """The steps that a stage has on nodes with the same titles."""

    nodes: str
    """a node set"""
    steps: tuple[str, ...]
    """their titles, in order"""


@dataclass(frozen=True)
class StageSummary:
    """One stage; every node finishes it before any node begins the next."""

    number: int
    title: str
    on_nodes: tuple[StepsOfNodes, ...]


@dataclass(frozen=True)
class PlanSummary:
    """A whole plan; `steps` and `nodes` are numbers."""

    study: str
    title: str
    steps: int
    """on all nodes together"""
    nodes: int
    stages: tuple[StageSummary, ...]


def summary(plan: Plan) -> PlanSummary:
    """What a plan does, without its scripts."""
    names = {node for stage in plan.stages for node in stage.steps}
    steps = sum(len(steps) for stage in plan.stages for steps in stage.steps.values())
    return PlanSummary(plan.study_id, plan.title, steps, len(names), tuple(_stages(plan)))


def _stages(plan: Plan) -> Iterator[StageSummary]:
    for number, stage in enumerate(plan.stages, start=1):
        alike: dict[tuple[str, ...], list[str]] = {}
        for node, steps in stage.steps.items():
            titles = tuple(plan.masked(step.title) for step in steps)
            alike.setdefault(titles, []).append(node)
        on_nodes = tuple(StepsOfNodes(fold(nodes), titles) for titles, nodes in alike.items())
        yield StageSummary(number, stage.title, on_nodes)


def summary_text(summary: PlanSummary) -> str:
    """Text for the operator: one line for each step."""
    where = f"{counted(len(summary.stages), 'stage')} on {counted(summary.nodes, 'node')}"
    lines = [f"{summary.study}: {summary.title}: {counted(summary.steps, 'step')} in {where}"]
    for stage in summary.stages:
        lines.append(f"stage {stage.number} of {len(summary.stages)}: {stage.title}")
        for group in stage.on_nodes:
            lines.append(f"  {group.nodes}: {counted(len(group.steps), 'step')}")
            lines += [_cut(f"    {title}") for title in group.steps]
    return "\n".join(lines)


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."
