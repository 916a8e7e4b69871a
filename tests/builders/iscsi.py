"""The targets that a plan exports."""

from seatrial.plan.plan import Plan


def rows_of(plan: Plan) -> dict[str, list[list[str]]]:
    """The targets of each node, row by row."""
    return {
        node: [row.split() for row in str(step.shell.content).splitlines()]
        for stage in plan.stages
        for node, steps in stage.steps.items()
        for step in steps
        if ".targets" in step.apply and step.shell.content
    }
