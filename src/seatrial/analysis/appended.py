"""Histories of `append`: numbered records at the end of a file, which a neighbour reads.

The rules are those of `views`. A record that was synced stays, each occurs once, and in its order:
O_APPEND puts each write at the end of the file (open(2)), and only one client writes to a file.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.reasons import Unknown, Wrong
from seatrial.analysis.views import (
    UNASKED,
    Look,
    Numbered,
    Sightings,
    is_unasked,
    looks,
    missing_at_end,
    never_written,
    require_tested,
    unknown_names,
    went_back,
)

RECORD_BYTES = 64
OLD_MISSING_MAX = 16
"""the highest number of missing records that an agent listed without their total"""
RECORDS = Numbered("append", "number")


def judge_append(
    histories: Sequence[History], circumstances: Circumstances, findings: Findings
) -> None:
    """Judge numbered records at the end of a file: each is seen once it was acknowledged, and
    stays.
    """
    seen: dict[int, Sightings] = {}
    for item in histories:
        findings.count("appended", sum(event["outcome"] == "ok" for event in item.of("append")))
    for look in looks(histories, RECORDS):
        findings.count("reads")
        shown = _records_of(look.event)
        _read_records(look, shown, findings)
        sightings = seen.setdefault(look.reader.index, Sightings())
        acknowledged = frozenset(look.acknowledged())
        missing = sorted(
            number
            for number in sightings.at
            if shown.is_known(number) and number not in shown.numbers
        )
        went_back(
            look,
            sightings,
            [number for number in missing if number not in acknowledged],
            circumstances,
            findings,
        )
        sightings.note(look, shown.numbers)
    require_tested(histories, RECORDS, _highest, findings)
    if circumstances.final is not None:
        for item in histories:
            numbers = records(
                circumstances.run_id,
                item.index,
                circumstances.final.files.get(f"append-{item.index}", b""),
            )
            of_writer = [sightings for sightings in seen.values() if sightings.writer is item]
            _final_records(item, numbers, of_writer, circumstances, findings)
        unknown_names("append-", histories, circumstances, findings)


@dataclass(frozen=True)
class Shown:
    """The numbers that a look showed."""

    numbers: frozenset[int]
    listed_max: int | None
    """missing records above this number are unknown; None: the list is complete"""

    def is_known(self, number: int) -> bool:
        """Whether the look shows if this record was in the file."""
        return self.listed_max is None or number <= self.listed_max


def _records_of(event: Event) -> Shown:
    if event["outcome"] == "missing" or event["highest"] is None:
        return Shown(frozenset(), None)
    missing = event["missing"]
    count = event.get("missing_count")
    all_listed = len(missing) != OLD_MISSING_MAX if count is None else len(missing) == count
    highest = int(event["highest"])
    listed_max = highest if all_listed else max(missing, default=-1)
    numbers = frozenset(range(listed_max + 1)) - frozenset(missing) | {highest}
    return Shown(numbers, None if all_listed else listed_max)


def _read_records(look: Look, shown: Shown, findings: Findings) -> None:
    read = look.event
    acknowledged = look.acknowledged()
    if read["outcome"] == "missing":
        if acknowledged:
            text = (
                f"{look.text} and it was missing; {max(acknowledged)} had been acknowledged before"
            )
            findings.violate(Wrong.STALE, text)
        return
    highest = -1 if read["highest"] is None else int(read["highest"])
    if acknowledged and highest < max(acknowledged):
        less = (
            f"{look.text}: it ended with {highest}; "
            f"{max(acknowledged)} had been acknowledged before"
        )
        if is_unasked(look, RECORD_BYTES * len(acknowledged)):
            findings.unasked.append(f"{less}; {UNASKED}")
        else:
            findings.violate(Wrong.STALE, less)
    holes = sorted(
        number
        for number in set(acknowledged) - shown.numbers
        if number < highest and shown.is_known(number)
    )
    if holes:
        text = f"{look.text}: it was without {holes[0]}, which had been acknowledged before"
        findings.violate(Wrong.STALE, text)
    if any(not shown.is_known(number) and number < highest for number in acknowledged):
        text = (
            f"{look.text}: more records are missing than were listed, the last {shown.listed_max}"
        )
        findings.doubt(Unknown.NOT_LISTED, text)
    if highest > look.begun_max():
        text = f"{look.text} and saw record {highest}, which had not been begun"
        findings.violate(Wrong.NOT_WRITTEN, text)
    if read["torn"] and not look.is_disturbed_by_writer():
        findings.violate(Wrong.TORN, f"{look.text} and found {read['torn']} torn records")


def records(run_id: str, index: int, content: bytes) -> list[int | None]:
    """The numbers in a client's file, in their order; None for a piece that is no record of
    this client.
    """
    numbers: list[int | None] = []
    for at in range(0, len(content), RECORD_BYTES):
        piece = content[at : at + RECORD_BYTES]
        head = f"{run_id} {index:05} ".encode()
        digits = piece[len(head) : len(head) + 12]
        whole = head + digits + b" "
        valid = digits.isdigit() and piece == whole + b"." * (RECORD_BYTES - 1 - len(whole)) + b"\n"
        numbers.append(int(digits) if valid else None)
    return numbers


def _final_records(
    item: History,
    numbers: Sequence[int | None],
    seen: Sequence["Sightings"],
    circumstances: Circumstances,
    findings: Findings,
) -> None:
    present = [number for number in numbers if number is not None]
    appended = item.of("append")
    acknowledged = [event["number"] for event in appended if event["outcome"] == "ok"]
    failed = item.cut or any(event["outcome"] != "ok" for event in appended)
    missing = sorted(set(acknowledged) - set(present))
    if missing:
        text = (
            f"{item.client}: {len(missing)} acknowledged records are missing, the first "
            f"{missing[0]}"
        )
        findings.violate(Wrong.LOST, text)
    missing_at_end(
        item, frozenset(present) | frozenset(acknowledged), seen, circumstances, findings
    )
    never_written(item, present, RECORDS, findings)
    if any(later <= number for number, later in itertools.pairwise(present)):
        findings.violate(
            Wrong.OUT_OF_ORDER, f"{item.client}: records are out of order, or there twice"
        )
    torn = len(numbers) - len(present)
    if torn:
        text = f"{item.client}: {torn} pieces are no records"
        if failed:
            findings.doubt(
                Unknown.WRITER_FAILED, f"{text}; an append failed, or was not noted to its end"
            )
        else:
            findings.violate(Wrong.TORN, text)


def _highest(event: Event) -> int | None:
    return (
        -1 if event["outcome"] == "missing" or event["highest"] is None else int(event["highest"])
    )
