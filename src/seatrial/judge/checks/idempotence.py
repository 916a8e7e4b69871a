"""`check: idempotence`: a second deploy of the same plan changes nothing.

Neither by its steps' own word, nor by a look at every node before and after it (`service/fingerprint.py`).
"""

from seatrial.basics.schema import Model
from seatrial.basics.units import counted
from seatrial.judge.base import Answer
from seatrial.judge.flaws import Evidence
from seatrial.record.record import Record

TITLE = "a second deploy changes nothing"
RESTS_ON = frozenset({Evidence.DEPLOYS, Evidence.FINGERPRINTS})
Options = Model


def check(record: Record, _options: Options) -> Answer:
    """Judge every deploy that is titled `second deploy`: a run that was gone on with has one for each part."""
    second = [item for line in record.of("deploy") if line["title"] == "second deploy" for item in line["results"]]
    if not second:
        return Answer("unknown", "there was no second deploy of any step")
    looks = list(record.of("fingerprint"))
    changed = [item for item in second if item["result"] != "ok"]
    if changed:
        steps = "; ".join(f"{item['node']}: {item['step']}" for item in changed[:5])
        return Answer("fail", f"{len(changed)} of {counted(len(second), 'step')} changed something: {steps}")
    if not looks:
        return Answer("pass", f"{counted(len(second), 'step')}, none changed anything, by their own word")
    differs = [f"{item['node']}: {item['what']}" for look in looks for item in look["differences"]]
    if differs:
        told = f"{counted(len(differs), 'difference')} behind steps that changed nothing"
        return Answer("fail", f"{told}: {'; '.join(differs[:5])}")
    untold = sorted({node for look in looks for node in look["untold"]})
    if untold:
        return Answer("unknown", f"nobody looked whether a second deploy changed something on {', '.join(untold)}")
    nodes = len({node for look in looks for node in look["nodes"]})
    none = f"{counted(len(second), 'step')}, none changed anything"
    return Answer("pass", f"{none}, and nothing differs on {counted(nodes, 'node')}")
