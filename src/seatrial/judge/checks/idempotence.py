"""`check: idempotence`: a second deployment of the same plan changes nothing.

Passes when no step of the second deployment reports a change. Files, mounts, services, kernel
settings and exports of every node must also be equal before and after it.

Unknown when there was no second deployment, or when a node was not inspected. Also unknown when a
step changed something only while the lab machine was short of processors.
"""

from collections.abc import Sequence
from typing import Any

from seatrial.basics.schema import Model
from seatrial.basics.units import counted
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.busy import fail_unless_busy
from seatrial.judge.flaws import Evidence
from seatrial.result.result import SECOND_DEPLOY, Result

TITLE = "a second deploy changes nothing"
RESTS_ON = frozenset({Evidence.DEPLOYS, Evidence.FINGERPRINTS})
Options = Model
NAMED_MAX = 5


def check(result: Result, _options: Options) -> Answer:
    """Judge every deploy with the title `second deploy`: a resumed run has one for each part."""
    deploys = [line for line in result.of("deploy") if line["title"] == SECOND_DEPLOY]
    second = [item for line in deploys for item in line["results"]]
    if not second:
        return unknown("no second deploy ran", Reason.NOTHING_CHECKED)
    steps = counted(len(second), "step")
    inspections = list(result.of("fingerprint"))
    changed = [item for item in second if item["result"] != "ok"]
    if changed:
        examples = "; ".join(f"{item['node']}: {item['step']}" for item in changed[:NAMED_MAX])
        words = f"{len(changed)} of {steps} changed something: {examples}"
        return fail_unless_busy(words, _limited(deploys))
    if not inspections:
        return passed(f"{steps}, none reported a change")
    differs = [
        f"{item['node']}: {item['what']}"
        for inspection in inspections
        for item in inspection["differences"]
    ]
    if differs:
        words = f"{counted(len(differs), 'difference')} after steps that reported no change"
        return failed(f"{words}: {'; '.join(differs[:NAMED_MAX])}")
    not_inspected = sorted({node for inspection in inspections for node in inspection["untold"]})
    if not_inspected:
        nodes = ", ".join(not_inspected)
        words = f"no inspection shows whether a second deploy changed something on {nodes}"
        return unknown(words, Reason.INCOMPLETE)
    nodes = counted(
        len({node for inspection in inspections for node in inspection["nodes"]}), "node"
    )
    return passed(f"{steps}, none reported a change, and nothing differs on {nodes}")


def _limited(deploys: Sequence[dict[str, Any]]) -> str | None:
    """Why a change may come from the processors: each was made while they were short, and not made
    again later.
    """
    for number, line in enumerate(deploys):
        changed = _steps(line, changed=True)
        later = {step for after in deploys[number + 1 :] for step in _steps(after, changed=False)}
        if changed and not (line.get("lab_limited") and changed <= later):
            return None
    return "this machine was short of processors then, and the next deploy changed nothing"


def _steps(deploy: dict[str, Any], *, changed: bool) -> set[tuple[str, str]]:
    """(Node, step) of those that changed something, or of those that did not."""
    return {
        (item["node"], item["step"])
        for item in deploy["results"]
        if (item["result"] != "ok") == changed
    }
