"""Values of a plan's placeholders: generated secrets, and public values that one node reports.

A secret, such as a cluster's key, has one value for all nodes and is known to them alone. Printed,
stored and reported plans have a placeholder instead. The value is inserted when a script is piped
over standard input. The nodes keep it (mode 0600), and each deployment reads it from them first. So
a second deployment changes nothing, also from another machine.
"""

import re
import secrets
import shlex
from collections.abc import Iterable

from seatrial.basics.errors import RunError
from seatrial.plan.plan import Generated, Learned, Plan, Stage
from seatrial.transport import Transport, on_every

ASK_TIMEOUT_S = 60.0
NOT_MADE = "(not made yet)"
_HEX = re.compile(r"(?:[0-9a-f]{2})+")


def generated(plan: Plan, transport: Transport, *, make: bool) -> dict[str, str]:
    """Placeholder -> secret for all placeholders in the plan's scripts: an existing or a new one.

    Without `make` none is created, and an impossible value replaces a missing one. RunError when
    nodes have different secrets, or when a node that may have one does not answer.
    """
    return {
        item.placeholder: _value(item, transport, make=make)
        for item in plan.generated
        if _is_named(item.placeholder, plan.stages)
    }


def learned(plan: Plan, stage: Stage, transport: Transport, *, need: bool) -> dict[str, str]:
    """Placeholder -> the value that a node reports, for all placeholders in the stage's scripts.

    RunError when a node reports a malformed value, or none although `need` is set.
    """
    return {
        item.placeholder: _reported(item, transport, need=need)
        for item in plan.learned
        if _is_named(item.placeholder, [stage])
    }


def _is_named(placeholder: str, stages: Iterable[Stage]) -> bool:
    return any(
        placeholder in f"{step.shell.content}{step.apply}"
        for stage in stages
        for steps in stage.steps.values()
        for step in steps
    )


def _reported(item: Learned, transport: Transport, *, need: bool) -> str:
    done = transport.run(item.node, item.command, timeout_s=ASK_TIMEOUT_S)
    value = done.stdout.strip()
    if re.fullmatch(item.form, value):
        return value
    if value or need:
        output = (done.stderr.strip() or value)[:200]
        raise RunError(f"{item.node} does not report its {item.name}: {output!r}")
    return NOT_MADE


def _value(item: Generated, transport: Transport, *, make: bool) -> str:
    def ask(node: str) -> str | None:
        try:
            done = transport.run(node, f"cat {shlex.quote(item.path)}", timeout_s=ASK_TIMEOUT_S)
        except RunError:
            return None
        return done.stdout.strip() if done.exit_code == 0 else ""

    answers = on_every(item.nodes, ask)
    values = {value for value in answers.values() if value}
    if len(values) > 1:
        holders = ", ".join(node for node, value in answers.items() if value)
        raise RunError(
            f"{holders} keep different secrets in {item.path}",
            "undeploy the study, and deploy it again",
        )
    if values:
        (value,) = values
        if not _HEX.fullmatch(value):  # it becomes part of the scripts of all nodes
            problem = f"{item.path} does not hold a secret of a deployment"
            raise RunError(problem, "remove that file, and deploy again")
        return value
    silent = [node for node, value in answers.items() if value is None]
    if silent and make:
        problem = f"cannot read the secret {item.path} on {', '.join(silent)}"
        raise RunError(problem, "no new one was created")
    return secrets.token_hex(item.size_bytes) if make else NOT_MADE
