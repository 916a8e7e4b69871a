"""`truncate`: the part that was cut off reads as zeros, so does a hole, and a client that opens
after a close sees the size.

The promised semantics are as follows. POSIX.1-2017, ftruncate(): a file that was smaller grows to
this size, and "the extended area shall appear as if it were zero-filled"; lseek(): a gap without a
write reads as zeros. NFS keeps both (SETATTR of the size, RFC 1813, section 3.3.2; RFC 8881,
section 18.30). The zeros also have to be seen after a failover, where an old SETATTR or WRITE that
is sent again must not be done twice. Another client sees them when it opens after the close, by
close-to-open cache consistency (nfs(5)); CephFS and GFS2 promise more, coherent caches.

Nothing is promised while a writer is at work: looks that meet an operation are not judged. Each
generation is synced before its close, so that a crash loses none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from seatrial.analysis import generations
from seatrial.analysis.histories import Circumstances, Findings, History
from seatrial.analysis.looks import Certainty, Look, asked_nothing, enough_looks, evidence, looks
from seatrial.analysis.reasons import Unknown as Open
from seatrial.analysis.views import UNASKED

NEEDED = ("rewrites", "reads")
FILES = ("truncate-*",)
EXTENDED_BYTES = 16_384
TAIL_AT = 20_480
_SHOWN = ("size_bytes", "generation", "dirty_bytes")
"""the fields with the content that a look showed"""


class Reason(StrEnum):
    """Possible errors, in addition to the generation that a reader sees."""

    WRONG_SIZE = "wrong-size"
    NOT_ZERO = "not-zero"
    """bytes that were cut off, or never written, are not zero"""
    HEAD_LOST = "head-lost"
    """bytes that were not cut off are gone"""
    LOST = "lost"
    """in the end an older generation than one that had been closed"""


@dataclass(frozen=True)
class Shown:
    """The content of a file that a reader saw."""

    generation: int | None
    size_bytes: int
    head_whole: bool
    dirty_bytes: int


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Every look of every client, and the files in the end."""
    findings = evidence(histories, circumstances)
    judged = 0
    for look in looks(histories, "rewrite", "generation"):
        if look.facts.quiet and look.facts.closed is not None:
            judged += 1
            _judge_look(look, findings)
    for item in histories:
        findings.count("rewrites", sum(event["outcome"] == "ok" for event in item.of("rewrite")))
        if circumstances.final is not None:
            _judge_end(
                item,
                circumstances.final.files.get(f"truncate-{item.index}"),
                circumstances.run_id,
                findings,
            )
    findings.count("reads", judged)
    enough_looks(histories, findings, judged)
    return findings


def _judge_look(look: Look, findings: Findings) -> None:
    """A look at a file without a writer: it shows the last generation as a whole."""
    event = look.event
    closed = look.facts.closed or 0
    if event["outcome"] == "missing":
        findings.violate(
            generations.Reason.MISSING,
            f"{look.text} and it was missing; generation {closed} had been closed",
        )
        return
    shown = Shown(
        event["generation"], event["size_bytes"], event["head_whole"], event["dirty_bytes"]
    )
    wrong = _wrong(shown, look.facts)
    if wrong is None:
        return
    reason, what = wrong
    server_had_it = event.get("size_at_server_bytes") == size_bytes(closed)
    if reason is generations.Reason.STALE and asked_nothing(
        look, _SHOWN, server_had_it=server_had_it
    ):
        findings.unasked.append(f"{look.text} and {what}; {UNASKED}")
    else:
        findings.violate(reason, f"{look.text} and {what}")


def _wrong(shown: Shown, facts: Certainty) -> tuple[StrEnum, str] | None:
    """The differences of a look from the last generation; None where it is correct."""
    return generations.wrong(shown.generation, facts) or _broken(shown)


def _broken(shown: Shown) -> tuple[StrEnum, str] | None:
    """The error within a generation that may be seen."""
    number = shown.generation
    if number is None:
        return generations.Reason.NO_GENERATION, "holds no generation"
    if shown.dirty_bytes:
        return (
            Reason.NOT_ZERO,
            f"found {shown.dirty_bytes} bytes that are not zero, in generation {number}",
        )
    if not shown.head_whole:
        return Reason.HEAD_LOST, f"missed bytes before the cut, in generation {number}"
    if shown.size_bytes != size_bytes(number):
        right = size_bytes(number)
        return (
            Reason.WRONG_SIZE,
            f"found {shown.size_bytes} bytes instead of {right}, in generation {number}",
        )
    return None


def _judge_end(item: History, content: bytes | None, run_id: str, findings: Findings) -> None:
    """The content of a file in the end: the last generation that was closed, or a later one that
    had begun.
    """
    rewrites = item.of("rewrite")
    closed = max(
        (event["generation"] for event in rewrites if event["outcome"] == "ok"), default=None
    )
    if closed is None:
        return
    text = f"{item.client}: in the end the file"
    if content is None:
        findings.violate(Reason.LOST, f"{text} is missing; generation {closed} had been closed")
        return
    shown = examine(run_id, item.index, content)
    later = item.cut or any(event["outcome"] != "ok" for event in rewrites)
    if shown.generation is not None and shown.generation < closed and not later:
        findings.violate(
            Reason.LOST, f"{text} holds generation {shown.generation}; {closed} had been closed"
        )
        return
    broken = (
        _broken(shown)
        if shown.generation is not None
        else (generations.Reason.NO_GENERATION, "holds no generation")
    )
    if broken is None:
        return
    reason, what = broken
    if later:
        findings.doubt(
            Open.WRITER_FAILED,
            f"{text}: {what}; a later generation failed, or was not noted to its end",
        )
    else:
        findings.violate(reason, f"{text}: {what}")


def head_bytes(generation: int) -> int:
    """Bytes of a generation that are not cut off."""
    return 1000 + generation * 37 % 3000


def size_bytes(generation: int) -> int:
    """Size of a file that holds a generation."""
    return TAIL_AT + generations.STAMP_BYTES + generation % 1000


def examine(run_id: str, index: int, content: bytes) -> Shown:
    """The content of a client's file."""
    tail = content[TAIL_AT : TAIL_AT + generations.STAMP_BYTES]
    generation = generations.stamped(run_id, index, tail)
    if generation is None:
        return Shown(None, len(content), False, 0)
    cut = head_bytes(generation)
    letter = b"abcdefghijklmnopqrstuvwxyz"[generation % 26]
    empty = content[cut:TAIL_AT] + content[TAIL_AT + generations.STAMP_BYTES :]
    return Shown(
        generation,
        len(content),
        content[:cut] == bytes([letter]) * cut,
        len(empty) - empty.count(0),
    )
