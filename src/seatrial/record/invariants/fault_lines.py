"""The line of a fault: its times are in order, its counts cover what it lists, and its flags follow from its facts."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from seatrial.record.faults import FaultResult
from seatrial.record.invariants.contradiction import Code, Contradiction, Subject
from seatrial.record.invariants.phase_lines import CLOCK_ERROR_MAX_S

ROUNDING_S = 0.1
"""times of one clock, of which some are rounded"""
COPY_BLOCK_BYTES = 4096
LISTS = ("violations", "unknowns", "lost_locks", "unasked")
Found = Iterator[tuple[Code, str]]


def of_fault(fault: FaultResult) -> Iterator[Contradiction]:
    """What cannot be true of a fault."""
    for code, detail in (
        *_times(fault),
        *_streams(fault),
        *_compared(fault),
        *_consistency(fault),
        *_copies(fault),
        *_course(fault),
    ):
        yield Contradiction(code, Subject.FAULT, fault.name, detail)


def _times(fault: FaultResult) -> Found:
    named = (
        ("started_unix_s", fault.started_unix_s),
        ("injected_unix_s", fault.injected_unix_s),
        ("repaired_unix_s", fault.repaired_unix_s),
        ("recovered_unix_s", fault.recovered_unix_s),
        ("ended_unix_s", fault.ended_unix_s),
    )
    known = [(name, at_s) for name, at_s in named if at_s is not None]
    for (name, at_s), (later, later_s) in pairwise(known):
        if later_s < at_s - ROUNDING_S:
            yield Code.TIMES_OUT_OF_ORDER, f"{later} is {at_s - later_s:.1f} s before {name}"
    for action in fault.actions:
        if float(action["ended_unix_s"]) < float(action["started_unix_s"]) - ROUNDING_S:
            yield Code.TIMES_OUT_OF_ORDER, f"{action['what']} ended before it began"
    for who, items in (*fault.writers.items(), *fault.refused.items()):
        if any(float(item["end_unix_s"]) < float(item["start_unix_s"]) - ROUNDING_S for item in items):
            yield Code.TIMES_OUT_OF_ORDER, f"a time in which {who} wrote ends before it begins"
    if fault.clock_error_s > CLOCK_ERROR_MAX_S:
        yield Code.CLOCK_ERROR_TOO_LARGE, f"its clocks lie up to {fault.clock_error_s:.3g} s apart"
    if fault.skipped is not None and fault.injected_unix_s is not None:
        yield Code.FAILED_AND_SKIPPED, "it was skipped, and injected"


def _streams(fault: FaultResult) -> Found:
    for item in fault.streams:
        name = f"{item.client} {item.stream}"
        for outage in item.outages:
            if float(outage["end_unix_s"]) < float(outage["start_unix_s"]):
                yield Code.OUTAGE_BACKWARDS, f"an outage of {name} ends before it begins"
        if item.recovered and any(outage["open"] for outage in item.outages):
            yield Code.RECOVERED_WHILE_SILENT, f"{name} recovered, and an outage of it did not end"
        told = sum(second[3] for second in item.seconds)
        if item.seconds and told > 0 and item.operations == 0:
            yield Code.SECONDS_DO_NOT_ADD_UP, f"{name} did {told} operations in its seconds, and none in all"


def _compared(fault: FaultResult) -> Found:
    for name, found in fault.compared.items():
        yield from of_counts(name, found)
        writes = [item for item in fault.streams if item.stream == name and item.phase == "write"]
        if found["must"] == 0 and found.get("may", 0) > 0 and any(item.operations for item in writes):
            yield Code.NOTHING_HAD_TO_BE_THERE, f"{name} wrote, and none of it had to be there"


def of_counts(name: str, found: dict[str, Any]) -> Found:
    """The counts of a comparison against what it lists."""
    wrong = found.get("lost", 0) + found.get("wrong", 0)
    if found.get("extents") and not wrong:
        yield Code.LISTED_NOT_COUNTED, f"{name} lists {found['extents'][0].get('class')} extents, and counts none"
    names_wrong = found.get("names_wrong", len(found.get("names", ())))
    if found.get("names") and not names_wrong:
        yield Code.LISTED_NOT_COUNTED, f"{name} lists names that are wrong, and counts none"
    if found["must"] + found.get("may", 0) > found["blocks"]:
        more = found["must"] + found.get("may", 0)
        yield Code.COUNTED_MORE_THAN_THERE, f"{name} compared {more} blocks of {found['blocks']}"


def _consistency(fault: FaultResult) -> Found:
    for name, found in fault.consistency.items():
        for key in LISTS:
            listed, counted = len(found.get(key, ())), found.get(f"{key}_count", 0)
            if listed > counted:
                yield Code.LISTED_NOT_COUNTED, f"{name} lists {listed} {key}, and counts {counted}"


def _copies(fault: FaultResult) -> Found:
    for name, found in fault.copies.items():
        spoilt = [kind for kind, item in found["extents"].items() if kind != "valid" and item["number"]]
        if bool(spoilt) != bool(found["damage"]):
            yield Code.LISTED_NOT_COUNTED, f"{name}: its damage and its classes of extents differ"
        sizes = sum(item["size_bytes"] for item in found["extents"].values())
        if found["unknown"] is None and not found["error"] and sizes != found["blocks"] * COPY_BLOCK_BYTES:
            yield Code.COPY_NOT_WHOLE, f"{name}: {found['blocks']} blocks were looked at, and {sizes} bytes classed"


def _course(fault: FaultResult) -> Found:
    """Where the service was, and whether it was well."""
    if fault.skipped is not None or fault.failed is not None:
        return
    named = [name for name in fault.roles_before if name]
    if fault.moved is not None and fault.roles_before:
        moved = any(fault.roles_after.get(name) != node for name, node in fault.roles_before.items())
        if moved != fault.moved:
            said = "moved" if fault.moved else "stayed"
            yield Code.MOVED_NOT_FROM_ROLES, f"the service is said to have {said}, and its servers say otherwise"
    elif fault.moved or (fault.moved is not None and fault.expect.get("moves")):
        yield Code.ROLES_GONE, "it is not said where the service was before"
    if named and fault.healthy is None and fault.recovered_unix_s is not None:
        yield Code.HEALTH_NOT_SAID, "all was well again, and it is not said whether the cluster was healthy"
