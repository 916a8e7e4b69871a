"""`attributes`: the size of a file that only grows, and its time of change, never go back.

The promised semantics are as follows. A write that was synced survives, with the size that it made
(POSIX.1-2017, fsync(); RFC 1813, section 3.3.21; RFC 8881, section 18.3). A write sets the time of
the last change from the clock of the node that applies it: the server for NFS, the client for
CephFS and GFS2 (POSIX.1-2017, write()). The server is asked for both, around all caches. A crash of
the server may only take back the part of a size that was not synced. A later write may get its time
from another server with a slower clock: no standard forbids it, but make(1) and backups depend on
it. It is reported as an unknown, `clock-behind`. With no write between two looks the time may not
go back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.looks import enough_looks, evidence

NEEDED = ("grown", "reads")
FILES = ()
STEP_BYTES = 100


class Reason(StrEnum):
    """The violations."""

    MISSING = "missing"
    TOO_SMALL = "size-too-small"
    """less than the synced size"""
    TOO_LARGE = "size-too-large"
    """more than the size of the begun writes"""
    SIZE_WENT_BACK = "size-went-back"
    MTIME_WENT_BACK = "mtime-went-back"
    CLOCK_BEHIND = "clock-behind"
    """a later write has an earlier time: an unknown"""


@dataclass(frozen=True)
class Bounds:
    """The sizes that a look may show."""

    synced_bytes: int
    begun_bytes: int


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Every look of every client at its own file and at its neighbour's, and the sizes in the
    end.
    """
    findings = evidence(histories, circumstances)
    by_index = {item.index: item for item in histories}
    judged = 0
    for reader in histories:
        findings.count("grown", sum(event["outcome"] == "ok" for event in reader.of("grow")))
        before: dict[int, Event] = {}
        for look in reader.of("read"):
            writer = by_index.get(look["of"])
            if writer is None or look["outcome"] == "error":
                continue
            bounds = _bounds(writer, reader, look)
            judged += bounds.synced_bytes > 0
            if look["outcome"] == "missing":
                _judge_missing(reader, writer, bounds, findings)
                continue
            _judge_size(reader, writer, look, bounds, findings)
            if writer.index in before:
                _judge_order(reader, writer, (before[writer.index], look), circumstances, findings)
            before[writer.index] = look
        if circumstances.final is not None:
            _judge_end(reader, circumstances, findings)
    findings.count("reads", judged)
    enough_looks(histories, findings, judged)
    return findings


def _bounds(writer: History, reader: History, look: Event) -> Bounds:
    """The bytes that had certainly been synced before the look, and those that may have been begun
    before it ended.
    """
    error_s = 0.0 if writer is reader else writer.error_s + reader.error_s
    from_s = reader.begin_s(look) - error_s
    until_s = reader.end_s(look) + error_s
    grown = writer.of("grow")
    synced = sum(event["outcome"] == "ok" and writer.end_s(event) <= from_s for event in grown)
    begun_count = sum(writer.begin_s(event) <= until_s for event in grown)
    # The writer may have begun one more write without an entry in its log.
    more = int(writer.cut and begun_count == len(grown))
    return Bounds(synced * STEP_BYTES, (begun_count + more) * STEP_BYTES)


def _judge_missing(reader: History, writer: History, bounds: Bounds, findings: Findings) -> None:
    if bounds.synced_bytes:
        text = f"{reader.client}: the file of {writer.client} is missing"
        findings.violate(Reason.MISSING, f"{text}; {bounds.synced_bytes} bytes had been synced")


def _judge_size(
    reader: History, writer: History, look: Event, bounds: Bounds, findings: Findings
) -> None:
    size = look["size_bytes"]
    text = f"{reader.client}: the file of {writer.client} has"
    if size < bounds.synced_bytes:
        findings.violate(
            Reason.TOO_SMALL, f"{text} {size} bytes; {bounds.synced_bytes} had been synced"
        )
    elif size > bounds.begun_bytes:
        findings.violate(
            Reason.TOO_LARGE, f"{text} {size} bytes; only {bounds.begun_bytes} had been begun"
        )


def _judge_order(
    reader: History,
    writer: History,
    looks: tuple[Event, Event],
    circumstances: Circumstances,
    findings: Findings,
) -> None:
    """Two looks, one after the other, by one client: no clock is between them."""
    before, look = looks
    text = f"{reader.client}: of the file of {writer.client}"
    crashed = _may_have_crashed_between(reader, before, look, circumstances)
    if look["size_bytes"] < before["size_bytes"]:
        if crashed:
            findings.count("sizes that were not synced and taken back")
        else:
            sizes = f"{before['size_bytes']} bytes, and then {look['size_bytes']}"
            findings.violate(Reason.SIZE_WENT_BACK, f"{text} {sizes}")
    elif look["mtime_ns"] < before["mtime_ns"]:
        back_s = (before["mtime_ns"] - look["mtime_ns"]) / 1e9
        problem = f"{text} the time of change went back by {back_s:.6f} s"
        if look["size_bytes"] > before["size_bytes"]:
            findings.doubt(
                Reason.CLOCK_BEHIND,
                f"{problem} with a later write: the clocks that stamp writes differ",
            )
        elif crashed and before["size_bytes"] > _bounds(writer, reader, before).synced_bytes:
            findings.doubt(
                Reason.CLOCK_BEHIND, f"{problem}; the write had not been synced, and was sent again"
            )
        else:
            findings.violate(Reason.MTIME_WENT_BACK, f"{problem}, and nothing was written")


def _may_have_crashed_between(
    reader: History, before: Event, look: Event, circumstances: Circumstances
) -> bool:
    """Whether answers may have been lost between two looks."""
    if circumstances.disturbed is None:
        return False
    from_s, to_s = circumstances.disturbed
    return (
        reader.begin_s(before) - reader.error_s <= to_s
        and reader.end_s(look) + reader.error_s >= from_s
    )


def _judge_end(item: History, circumstances: Circumstances, findings: Findings) -> None:
    """The size in the end: at least every synced write, and no more than was begun."""
    grown = item.of("grow")
    synced_bytes = STEP_BYTES * sum(event["outcome"] == "ok" for event in grown)
    begun_bytes = STEP_BYTES * (len(grown) + int(item.cut))
    inode = (
        circumstances.final.inodes.get(f"attributes-{item.index}") if circumstances.final else None
    )
    size = inode.size_bytes if inode else 0
    if size < synced_bytes:
        findings.violate(
            Reason.TOO_SMALL,
            f"{item.client}: {size} bytes in the end; {synced_bytes} had been synced",
        )
    elif size > begun_bytes:
        findings.violate(
            Reason.TOO_LARGE,
            f"{item.client}: {size} bytes in the end; only {begun_bytes} had been begun",
        )
