"""`check: integrity`: every block that was read back was the one that had been written there.

Where a tree was compared with the operation logs afterwards, also: all that was acknowledged and synced is there, and
nothing that nobody wrote. Passes when blocks were checked and none was damaged; fails when one was, and names where;
unknown when nothing was checked or a client's part is missing.
"""

from collections import Counter
from typing import Any

from seatrial.checkers.base import Answer, named
from seatrial.record import ClientResult, Record, point_text
from seatrial.record_faults import StreamResult, faults_of
from seatrial.schema import Model

TITLE = "every block read back is the one that was written"
NAMED_MAX = 5


class Options(Model):
    """No options."""


def check(record: Record, _options: Options) -> Answer:
    """Judge all phases and all streams that read."""
    phases = record.phases()
    parts: list[tuple[str, ClientResult | StreamResult]] = []
    parts += [(named(phase), client) for phase in phases for client in phase.clients]
    parts += [(f"{fault.name} {item.stream}", item) for fault in faults_of(record) for item in fault.streams]
    checked = sum(part.blocks_checked for _, part in parts)
    damage = [(name, part.client, extent) for name, part in parts for extent in part.damage]
    if damage:
        kinds = Counter(str(extent.get("class")) for _, _, extent in damage)
        places = [
            f"{extent.get('class')} in {extent.get('file')} at {extent.get('offset')}+{extent.get('length')} "
            f"({name}, {client})"
            for name, client, extent in damage[:NAMED_MAX]
        ]
        found = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        return Answer("fail", f"{found} among {checked} blocks: {'; '.join(places)}")
    lost = [text for line in record.of("comparison") for text in _lost(line)]
    if lost:
        more = f" and {len(lost) - NAMED_MAX} more" if len(lost) > NAMED_MAX else ""
        return Answer("fail", f"against the operation logs: {'; '.join(lost[:NAMED_MAX])}{more}")
    unlogged = [f"{named(phase)}, {client.client}" for phase in phases for client in phase.clients if client.log_error]
    unlogged += [text for line in record.of("comparison") for text in line.get("unfinished", ())]
    compared = sum(line["must"] + line["names_checked"] for line in record.of("comparison"))
    if not checked and not compared:
        return Answer("unknown", "no block was read back")
    partial = [named(phase) for phase in phases if phase.partial]
    partial += [f"{fault.name}: {fault.not_compared}" for fault in faults_of(record) if fault.not_compared]
    if partial:
        return Answer("unknown", f"{checked} blocks valid, but incomplete: {'; '.join(partial)}")
    if compared and unlogged:
        return Answer("unknown", f"{checked} blocks valid, but operation logs are incomplete: {'; '.join(unlogged)}")
    logged = f"; {compared} blocks and names are as the operation logs say" if compared else ""
    return Answer("pass", f"{checked} blocks read back, all valid{logged}")


def _lost(line: dict[str, Any]) -> list[str]:
    """What a comparison found lost or wrong, in words."""
    where = f"{line['experiment']} {point_text(line['point'])} repeat {line['repeat']}"
    blocks = [
        f"{item['class']} in {item['file']} at {item['offset']}+{item['length']}: {item['detail']} ({where})"
        for item in line["extents"]
    ]
    return [*blocks, *(f"{item['class']}: {item['file']}: {item['detail']} ({where})" for item in line["names"])]
