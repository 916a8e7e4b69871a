"""The line of a fault: its times are in order, its counts cover its lists, and its flags follow
from its facts.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from seatrial.result.faults import FaultResult, StreamInterval, StreamResult
from seatrial.result.invariants.contradiction import Code, Contradiction, Subject
from seatrial.result.invariants.phase_lines import CLOCK_ERROR_MAX_S
from seatrial.study.consistency_kinds import holds_locks, kind_names

SLACK_S = 5.0
"""times of other machines, and of seconds that are cut"""
SILENT_S = 8.0
TIMES_BEFORE = 3.0
"""an open loop may be idle for a while: as long before the fault as in it"""
OPERATIONS_APART_MAX = 0.01
"""relative: the operations in progress when a second, or the stream, ended"""
LEAST_WRITTEN_BYTES = 512
"""less in a look at the array is not counted"""
LOCK_WORDS = frozenset({"held", "lost", "unknown"})
SHARE_ROUNDING = 1e-6
ROUNDING_S = 0.1
"""tolerance for times of one clock, where some of the times are rounded"""
COPY_BLOCK_BYTES = 4096
LISTS = ("violations", "unknowns", "lost_locks", "unasked")
Problems = Iterator[tuple[Code, str]]


def of_fault(fault: FaultResult) -> Iterator[Contradiction]:
    """The contradictions of a fault."""
    for code, detail in (
        *_times(fault),
        *_streams(fault),
        *_compared(fault),
        *_consistency(fault),
        *_writers(fault),
        *_limits(fault),
        *_copies(fault),
        *_course(fault),
    ):
        yield Contradiction(code, Subject.FAULT, fault.name, detail)


def _times(fault: FaultResult) -> Problems:
    times = (
        ("started_unix_s", fault.started_unix_s),
        ("injected_unix_s", fault.injected_unix_s),
        ("repaired_unix_s", fault.repaired_unix_s),
        ("recovered_unix_s", fault.recovered_unix_s),
        ("ended_unix_s", fault.ended_unix_s),
    )
    known_times = [(name, at_s) for name, at_s in times if at_s is not None]
    for (name, at_s), (later, later_s) in pairwise(known_times):
        if later_s < at_s - ROUNDING_S:
            yield Code.TIMES_OUT_OF_ORDER, f"{later} is {at_s - later_s:.1f} s before {name}"
    for action in fault.actions:
        if float(action["ended_unix_s"]) < float(action["started_unix_s"]) - ROUNDING_S:
            yield Code.TIMES_OUT_OF_ORDER, f"{action['what']} ended before it began"
    if fault.cpus_busy_share is not None and fault.cpus_busy_share > 1 + SHARE_ROUNDING:
        yield Code.SHARE_ABOVE_ONE, f"cpus_busy_share is {fault.cpus_busy_share:g}"
    if fault.clock_error_s > CLOCK_ERROR_MAX_S:
        yield Code.CLOCK_ERROR_TOO_LARGE, f"its clocks differ by up to {fault.clock_error_s:.3g} s"
    if fault.skipped is not None and fault.injected_unix_s is not None:
        yield Code.FAILED_AND_SKIPPED, "it was skipped, and injected"


def _streams(fault: FaultResult) -> Problems:
    for item in fault.judged:
        name = f"{item.client} {item.stream}"
        for outage in item.outages:
            if outage.end_unix_s < outage.start_unix_s:
                yield Code.OUTAGE_BACKWARDS, f"an outage of {name} ends before it begins"
        is_silent = any(outage.open for outage in item.outages)
        if item.recovered is not None and item.recovered == is_silent:
            silence = (
                "recovered, and an outage of it did not end"
                if is_silent
                else "never recovered, and no outage is open"
            )
            yield Code.RECOVERED_WHILE_SILENT, f"{name} {silence}"
        counted_operations = sum(interval.operations for interval in item.seconds)
        if (
            item.seconds
            and item.lost is None
            and abs(counted_operations - item.operations)
            > OPERATIONS_APART_MAX * counted_operations + 10
        ):
            detail = (
                f"{name} did {counted_operations} operations in its seconds, "
                f"and {item.operations} in all"
            )
            yield Code.SECONDS_DO_NOT_ADD_UP, detail
        answered_s = item.first_completion_unix_s
        last_s = fault.ended_unix_s
        if answered_s is not None and last_s is not None and answered_s > last_s + SLACK_S:
            yield Code.OUTSIDE_THE_RUN, f"{name} got its first answer after the streams had ended"
        yield from _silent(fault, item, name)


def _silent(fault: FaultResult, item: StreamResult, name: str) -> Problems:
    """The outages against the seconds: a client that reported no operation for long had an outage.

    The clients of a consistency test take turns, so that each may be idle for long.
    """
    injected_s = fault.injected_unix_s
    if injected_s is None or item.lost is not None or item.errors:
        return  # a permitted error is an answer, and no operation
    if item.phase in kind_names():
        return
    before_s = _longest_silence_s(
        interval for interval in item.seconds if interval.ended_unix_s <= injected_s
    )
    after_s = _longest_silence_s(
        interval for interval in item.seconds if interval.started_unix_s >= injected_s
    )
    reported_s = max(
        (outage.length_s for outage in item.outages if outage.is_of_whole_client), default=0.0
    )
    if after_s > max(SILENT_S, TIMES_BEFORE * before_s) and reported_s < after_s - SLACK_S:
        yield (
            Code.OUTAGE_UNSAID,
            f"{name} did nothing for {after_s:.1f} s, and its longest outage has "
            f"{reported_s:.1f} s",
        )


def _longest_silence_s(intervals: Iterable[StreamInterval]) -> float:
    """The longest time in seconds of consecutive intervals without an operation."""
    longest_s = silence_s = 0.0
    for interval in intervals:
        silence_s = 0.0 if interval.operations else silence_s + interval.length_s
        longest_s = max(longest_s, silence_s)
    return longest_s


def _compared(fault: FaultResult) -> Problems:
    for name, comparison in fault.compared.items():
        yield from of_counts(name, comparison)
        writes = [item for item in fault.streams if item.stream == name and item.phase == "write"]
        if (
            comparison["must"] == 0
            and comparison.get("may", 0) > 0
            and any(item.operations for item in writes)
        ):
            yield Code.NOTHING_HAD_TO_BE_THERE, f"{name} wrote, and none of its data had to exist"


def of_counts(name: str, comparison: Mapping[str, Any]) -> Problems:
    """The counts of a comparison against its lists."""
    wrong = comparison.get("lost", 0) + comparison.get("wrong", 0)
    if comparison.get("extents") and not wrong:
        yield (
            Code.LISTED_NOT_COUNTED,
            f"{name} lists {comparison['extents'][0].get('class')} extents, and counts none",
        )
    names_wrong = comparison.get("names_wrong", len(comparison.get("names", ())))
    if comparison.get("names") and not names_wrong:
        yield Code.LISTED_NOT_COUNTED, f"{name} lists names that are wrong, and counts none"
    if comparison["must"] > comparison["blocks"] + wrong:
        yield (
            Code.COUNTED_MORE_THAN_THERE,
            f"{name} compared {comparison['must']} blocks of {comparison['blocks']}",
        )


def _consistency(fault: FaultResult) -> Problems:
    for name, judgement in fault.consistency.items():
        entries: Mapping[str, Any] = judgement
        for key in LISTS:
            listed = len(entries.get(key, ()))
            counted = entries.get(f"{key}_count", 0)
            if listed > counted:
                yield Code.LISTED_NOT_COUNTED, f"{name} lists {listed} {key}, and counts {counted}"
        test = judgement.get("consistency_test")
        if test is not None and test not in kind_names():
            yield Code.WORD_NOT_KNOWN, f"{name}: {test!r} is not a consistency test"
        states = [
            state for state in judgement.get("kept_locks", {}).values() if state not in LOCK_WORDS
        ]
        if states:
            yield Code.WORD_NOT_KNOWN, f"{name}: a lock is {states[0]!r}"
        for client in _without_lock(fault, name):
            yield Code.LOCK_NOT_SAID, f"{name} does not say whether {client} kept its lock"


def _without_lock(fault: FaultResult, name: str) -> list[str]:
    """The clients of a test of locks that kept their power, and that its locks do not name.

    Each of them held a lock from before the fault. Where nothing could be compared, no history was
    judged, and the fault states it.
    """
    judgement = fault.consistency[name]
    if not holds_locks(str(judgement.get("consistency_test"))) or fault.not_compared is not None:
        return []
    clients = [item.client for item in fault.judged if item.stream == name]
    return [client for client in clients if client not in judgement.get("kept_locks", {})]


def _writers(fault: FaultResult) -> Problems:
    """The array's report of the writers: within the time of the polling, and more than zero
    bytes.
    """
    watched = fault.writers_watched
    for server, items in fault.writers.items():
        for item in items:
            start_s = float(item["start_unix_s"])
            end_s = float(item["end_unix_s"])
            if end_s < start_s - ROUNDING_S:
                yield (
                    Code.TIMES_OUT_OF_ORDER,
                    f"a time in which {server} wrote ends before it begins",
                )
            if (
                watched is not None
                and not watched[0] - SLACK_S <= start_s <= end_s <= watched[1] + SLACK_S
            ):
                yield Code.WRITER_OUTSIDE_WATCH, f"{server} wrote when the array was not asked"
            if "bytes" in item and item["bytes"] < LEAST_WRITTEN_BYTES:
                yield (
                    Code.LISTED_NOT_COUNTED,
                    f"{server} is listed as a writer, and wrote {item['bytes']} bytes",
                )


def _limits(fault: FaultResult) -> Problems:
    """The outage that is allowed is the sum of its parts."""
    limit_s = fault.expect.get("outage")
    parts = fault.expect.get("outage_parts")
    if limit_s is None or not parts:
        return
    sum_s = sum(float(seconds) for _, seconds in parts)
    if abs(sum_s - limit_s) > ROUNDING_S:
        yield (
            Code.LIMIT_NOT_ITS_SUM,
            f"{limit_s:.1f} s are allowed, and its parts add up to {sum_s:.1f} s",
        )


def _copies(fault: FaultResult) -> Problems:
    for name, copied in fault.copies.items():
        spoilt = [
            kind for kind, item in copied["extents"].items() if kind != "valid" and item["number"]
        ]
        if bool(spoilt) != bool(copied["damage"]):
            yield Code.LISTED_NOT_COUNTED, f"{name}: its damage and its classes of extents differ"
        sizes = sum(item["size_bytes"] for item in copied["extents"].values())
        if (
            copied["unknown"] is None
            and not copied["error"]
            and sizes != copied["blocks"] * COPY_BLOCK_BYTES
        ):
            yield (
                Code.COPY_NOT_WHOLE,
                f"{name}: {copied['blocks']} blocks were read, and {sizes} bytes classed",
            )
        elif copied["unknown"] is None and not copied["error"] and copied["size_bytes"] != sizes:
            yield (
                Code.COPY_NOT_WHOLE,
                f"{name}: {copied['size_bytes']} bytes were copied, and {sizes} read",
            )


def _course(fault: FaultResult) -> Problems:
    """The place of the service, and whether it was healthy."""
    if fault.skipped is not None or fault.failed is not None:
        return
    role_names = [name for name in fault.roles_before if name]
    if fault.moved is not None and fault.roles_before:
        moved = any(
            fault.roles_after.get(name) != node for name, node in fault.roles_before.items()
        )
        if moved != fault.moved:
            movement = "moved" if fault.moved else "stayed"
            yield (
                Code.MOVED_NOT_FROM_ROLES,
                f"the service is recorded as {movement}, and its servers contradict that",
            )
    elif fault.moved or (fault.moved is not None and fault.expect.get("fails_over")):
        yield Code.ROLES_GONE, "the server before the fault is not recorded"
    if fault.recovered_unix_s is not None and set(fault.roles_before) - set(fault.roles_after):
        yield Code.ROLES_GONE, "the server after the fault is not recorded"
    if (
        (role_names or fault.status is not None)
        and fault.healthy is None
        and fault.recovered_unix_s is not None
    ):
        yield (
            Code.HEALTH_NOT_SAID,
            "the system recovered, and the health of the cluster is not recorded",
        )
