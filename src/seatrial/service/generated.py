"""Secrets that a deploy makes for its nodes, such as the key of a cluster: one value for all, and known to no one.

A plan has a placeholder in its place, in what is printed, kept and reported. The value is put in when a script is
piped, over standard input. It is kept on the nodes alone (mode 0600), which are asked for it first: so a second deploy
changes nothing, also from another machine.
"""

import re
import secrets
import shlex

from seatrial.basics.errors import RunError
from seatrial.plan.plan import Generated, Plan
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
        if any(
            item.placeholder in step.apply for stage in plan.stages for steps in stage.steps.values() for step in steps
        )
    }


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
