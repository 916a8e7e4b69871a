"""`torn-writes`: a write of several blocks that was acknowledged is whole; in any other write each
sector is old or new.

The promised semantics are as follows. A write with O_DSYNC has reached stable storage as a whole
when it is answered (POSIX.1-2017, open(), "synchronized I/O data integrity completion"; FILE_SYNC
and DATA_SYNC of RFC 1813, section 3.3.7, and RFC 8881, section 18.32). For a write without an
answer nothing is promised as a whole, and no order among its blocks; a disk writes a sector of 512
bytes as a whole. So each sector has the data that was acknowledged last, or data that was begun
after it, and never older data. NFS promises no atomicity towards readers: in a look that met a
writer only the generations that it shows are judged, and not that they are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from seatrial.analysis.generations import STAMP_BYTES, stamped
from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.looks import Certainty, certainty, enough_looks, evidence
from seatrial.analysis.reasons import Unknown as Open

NEEDED = ("writes", "reads")
FILES = ("torn-*",)
SLOTS = 3
RECORD_BYTES = 64 * 1024
SECTOR_BYTES = 512


class Reason(StrEnum):
    """The violations."""

    MISSING = "missing"
    STALE = "stale"
    """a sector with older data than an acknowledged write"""
    NOT_WRITTEN = "not-written"
    """a sector of a write that had not begun"""
    TORN = "torn"
    """an acknowledged write is not whole"""


@dataclass(frozen=True)
class Sectors:
    """The content of the sectors of a slot."""

    generations: tuple[int, ...]
    foreign: int
    """sectors that hold no generation"""

    @property
    def text(self) -> str:
        """The sectors in words."""
        shown = ", ".join(str(number) for number in self.generations) or "none"
        return f"generations {shown}, and {self.foreign} sectors of none"


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Every look of every client, and every slot in the end."""
    findings = evidence(histories, circumstances)
    by_index = {item.index: item for item in histories}
    judged = 0
    for reader in histories:
        for slot in range(SLOTS):
            findings.count(
                "writes", sum(event["outcome"] == "ok" for event in reader.of(f"write-{slot}"))
            )
            if circumstances.final is not None:
                content = circumstances.final.files.get(f"torn-{reader.index}", b"")
                _judge_end(
                    reader,
                    slot,
                    examine(circumstances.run_id, reader.index, slot, content),
                    findings,
                )
        for look in reader.of("read"):
            writer = by_index.get(look["of"])
            if writer is None or look["outcome"] == "error":
                continue
            facts = certainty(writer, f"write-{look['slot']}", "generation", reader, look)
            if facts.closed is not None:
                judged += facts.quiet
                _judge_look(
                    f"{reader.client} read slot {look['slot']} of {writer.client}",
                    look,
                    facts,
                    findings,
                )
    findings.count("reads", judged)
    enough_looks(histories, findings, judged)
    return findings


def _judge_look(text: str, look: Event, facts: Certainty, findings: Findings) -> None:
    """One look at a slot that had been written."""
    if look["outcome"] == "missing":
        findings.violate(
            Reason.MISSING,
            f"{text} and it was missing; record {facts.closed} had been acknowledged",
        )
        return
    sectors = Sectors(tuple(look["generations"]), look["foreign_sectors"])
    problem = f"{text} and found {sectors.text}; record {facts.closed} had been acknowledged"
    wrong = [number for number in sectors.generations if not facts.may_show(number)]
    if wrong:
        older = min(wrong) < (facts.closed or 0)
        findings.violate(Reason.STALE if older else Reason.NOT_WRITTEN, problem)
    elif facts.quiet and (sectors.foreign or len(sectors.generations) != 1):
        findings.violate(Reason.TORN, f"{problem}, and no one wrote")


def _judge_end(item: History, slot: int, sectors: Sectors, findings: Findings) -> None:
    """A slot in the end: the last write that was acknowledged, or sectors of those begun
    after it.
    """
    writes = item.of(f"write-{slot}")
    closed = max(
        (event["generation"] for event in writes if event["outcome"] == "ok"), default=None
    )
    if closed is None:
        return
    failed = {event["generation"] for event in writes if event["outcome"] != "ok"}
    under_way = {writes[-1]["generation"] + SLOTS} if item.cut else set()
    problem = (
        f"{item.client}: slot {slot} has {sectors.text} in the end; record {closed} had been "
        "acknowledged"
    )
    wrong = set(sectors.generations) - {closed} - failed - under_way
    if wrong:
        findings.violate(Reason.STALE if min(wrong) < closed else Reason.NOT_WRITTEN, problem)
    elif not sectors.foreign and len(sectors.generations) == 1:
        return
    elif not (failed or under_way):
        findings.violate(Reason.TORN, problem)
    elif sectors.foreign:
        findings.doubt(
            Open.WRITER_FAILED, f"{problem}; a later one failed, or was not noted to its end"
        )
    else:
        findings.count("torn, and not acknowledged")


def examine(run_id: str, index: int, slot: int, content: bytes) -> Sectors:
    """The content of the sectors of a slot in a client's file."""
    record = content[slot * RECORD_BYTES : (slot + 1) * RECORD_BYTES].ljust(RECORD_BYTES, b"\0")
    generations: set[int] = set()
    foreign = 0
    for number in range(RECORD_BYTES // SECTOR_BYTES):
        sector = record[number * SECTOR_BYTES : (number + 1) * SECTOR_BYTES]
        generation = stamped(run_id, index, sector[:STAMP_BYTES])
        rest = bytes([number]).ljust(SECTOR_BYTES - STAMP_BYTES, b".")
        if generation is None or generation % SLOTS != slot or sector[STAMP_BYTES:] != rest:
            foreign += 1
        else:
            generations.add(generation)
    return Sectors(tuple(sorted(generations)), foreign)
