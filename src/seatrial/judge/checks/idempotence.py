"""`check: idempotence`: a second deploy of the same plan changes nothing."""

from seatrial.basics.schema import Model
from seatrial.judge.base import Answer
from seatrial.record.record import Record

TITLE = "a second deploy changes nothing"


class Options(Model):
    """No options."""


def check(record: Record, _options: Options) -> Answer:
    """Judge every deploy that is titled `second deploy`: a run that was gone on with has one for each part."""
    second = [item for line in record.of("deploy") if line["title"] == "second deploy" for item in line["results"]]
    if not second:
        return Answer("unknown", "there was no second deploy of any step")
    changed = [item for item in second if item["result"] != "ok"]
    if changed:
        steps = "; ".join(f"{item['node']}: {item['step']}" for item in changed[:5])
        return Answer("fail", f"{len(changed)} of {len(second)} steps changed something: {steps}")
    return Answer("pass", f"{len(second)} steps, none changed anything")
