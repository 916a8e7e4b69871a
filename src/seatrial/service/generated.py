"""What takes the place of a plan's placeholders: secrets that a deploy makes, and what one node tells all others.

Of a secret, such as the key of a cluster, there is one value for all nodes, and nobody else knows it. A plan has a
placeholder in its place, in what is printed, kept and reported. The value is put in when a script is piped, over
standard input. It is kept on the nodes alone (mode 0600), which are asked for it first: so a second deploy changes
nothing, also from another machine.
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
    """Placeholder -> value of what the plan's scripts name: that of the nodes, else a new one.

    Without `make` nothing is made: where the nodes have none, the value is one that fits none. RunError where nodes
    have different ones, or where a node that might have one cannot be asked.
    """
    return {
        item.placeholder: _value(item, transport, make=make)
        for item in plan.generated
        if _is_named(item.placeholder, plan.stages)
    }


def learned(plan: Plan, stage: Stage, transport: Transport, *, need: bool) -> dict[str, str]:
    """Placeholder -> what its node says, of what the stage's scripts name.

    With `need` it has to say it. RunError where it does not, or says something of another form.
    """
    return {
        item.placeholder: _said(item, transport, need=need)
        for item in plan.learned
        if _is_named(item.placeholder, [stage])
    }


def _is_named(placeholder: str, stages: Iterable[Stage]) -> bool:
    return any(placeholder in step.apply for stage in stages for steps in stage.steps.values() for step in steps)


def _said(item: Learned, transport: Transport, *, need: bool) -> str:
    done = transport.run(item.node, item.command, timeout_s=ASK_TIMEOUT_S)
    said = done.stdout.strip()
    if re.fullmatch(item.form, said):
        return said
    if said or need:
        raise RunError(f"{item.node} does not tell its {item.name}: {(done.stderr.strip() or said)[:200]!r}")
    return NOT_MADE


def _value(item: Generated, transport: Transport, *, make: bool) -> str:
    def ask(node: str) -> str | None:
        try:
            done = transport.run(node, f"cat {shlex.quote(item.path)}", timeout_s=ASK_TIMEOUT_S)
        except RunError:
            return None
        return done.stdout.strip() if done.exit_code == 0 else ""

    said = on_every(item.nodes, ask)
    values = {value for value in said.values() if value}
    if len(values) > 1:
        raise RunError(
            f"{', '.join(node for node, value in said.items() if value)} keep different secrets in {item.path}",
            "remove the study from the nodes, and deploy it again",
        )
    if values:
        (value,) = values
        if not _HEX.fullmatch(value):  # it would become part of the scripts of all other nodes
            raise RunError(f"{item.path} does not hold what a deploy has made", "remove that file, and deploy again")
        return value
    silent = [node for node, value in said.items() if value is None]
    if silent and make:
        raise RunError(f"{', '.join(silent)} cannot be asked for the secret in {item.path}", "no new one was made")
    return secrets.token_hex(item.size_bytes) if make else NOT_MADE
