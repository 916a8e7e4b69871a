"""`check: integrity`: every block that was read back was the one that had been written there.

Passes when blocks were checked and none was damaged; fails when one was, and names where; unknown when nothing
was checked or a client's part is missing.
"""

from collections import Counter

from seatrial.checkers.base import Answer, named
from seatrial.record import Record
from seatrial.schema import Model

TITLE = "every block read back is the one that was written"
NAMED_MAX = 5


class Options(Model):
    """No options."""


def check(record: Record, _options: Options) -> Answer:
    """Judge all phases that read."""
    phases = record.phases()
    checked = sum(client.blocks_checked for phase in phases for client in phase.clients)
    damage = [(phase, client, extent) for phase in phases for client in phase.clients for extent in client.damage]
    if damage:
        kinds = Counter(str(extent.get("class")) for _, _, extent in damage)
        places = [
            f"{extent.get('class')} in {extent.get('file')} at {extent.get('offset')}+{extent.get('length')} "
            f"({named(phase)}, {client.client})"
            for phase, client, extent in damage[:NAMED_MAX]
        ]
        found = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        return Answer("fail", f"{found} among {checked} blocks: {'; '.join(places)}")
    if not checked:
        return Answer("unknown", "no block was read back")
    partial = [named(phase) for phase in phases if phase.partial]
    if partial:
        return Answer("unknown", f"{checked} blocks valid, but incomplete: {'; '.join(partial)}")
    return Answer("pass", f"{checked} blocks read back, all valid")
