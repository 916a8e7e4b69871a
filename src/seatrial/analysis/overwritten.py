"""Histories of `close-to-open`: generations of a file that is overwritten and closed, and that a
neighbour opens.

The rules are those of `views`. A client that opens a file sees everything that was closed before
(nfs(5), "Close-to-open cache consistency"; RFC 8881, section 10.3.1), a whole generation, and never
an older one than before.
"""

from collections.abc import Sequence

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

GENERATION_BYTES = 36
"""of generation 0; each further one is a byte longer"""
GENERATIONS = Numbered("overwrite", "generation")


def judge_close_to_open(
    histories: Sequence[History], circumstances: Circumstances, findings: Findings
) -> None:
    """Generations of a file: a client that opens it sees the last that was closed, or a later one,
    and never an earlier one.
    """
    seen: dict[int, Sightings] = {}
    for item in histories:
        findings.count(
            "generations", sum(event["outcome"] == "ok" for event in item.of("overwrite"))
        )
    for look in looks(histories, GENERATIONS):
        findings.count("reads")
        _read_generation(look, findings)
        sightings = seen.setdefault(look.reader.index, Sightings())
        shown = _generation_of(look.event)
        if shown is not None:
            closed = look.acknowledged_max()
            later = sorted(number for number in sightings.at if number > max(shown, closed))
            went_back(look, sightings, later[-1:], circumstances, findings)
            # The highest number is enough.
            sightings.forget([number for number in sightings.at if number != shown])
            sightings.note(look, frozenset({shown}) - {-1})
    require_tested(histories, GENERATIONS, _generation_of, findings)
    if circumstances.final is not None:
        for item in histories:
            of_writer = [sightings for sightings in seen.values() if sightings.writer is item]
            _final_generation(item, of_writer, circumstances, findings)
        unknown_names("generation-", histories, circumstances, findings)


def _generation_of(event: Event) -> int | None:
    """The generation that a look showed: -1 where no file existed, None where it was no whole
    generation.
    """
    if event["outcome"] == "missing":
        return -1
    shown = event.get("generation")
    return None if shown is None else int(shown)


def _read_generation(look: Look, findings: Findings) -> None:
    read = look.event
    closed = look.acknowledged_max()
    seen = read.get("generation")
    if read["outcome"] == "missing":
        if closed >= 0:
            text = f"{look.text} and it was missing, after generation {closed} had been closed"
            findings.violate(Wrong.STALE, text)
    elif seen is None:
        if not look.is_disturbed_by_writer():
            findings.violate(
                Wrong.TORN, f"{look.text} and saw parts of generations, while no client wrote"
            )
    elif seen < closed:
        less = f"{look.text} and saw generation {seen}; {closed} had been closed before"
        if is_unasked(look, GENERATION_BYTES + closed):
            findings.unasked.append(f"{less}; {UNASKED}")
        else:
            findings.violate(Wrong.STALE, less)
    elif seen > look.begun_max():
        text = f"{look.text} and saw generation {seen}, which had not been begun"
        findings.violate(Wrong.NOT_WRITTEN, text)


def _final_generation(
    item: History, seen: Sequence["Sightings"], circumstances: Circumstances, findings: Findings
) -> None:
    written = item.of("overwrite")
    closed = max((event["generation"] for event in written if event["outcome"] == "ok"), default=-1)
    failed = item.cut or any(event["outcome"] != "ok" for event in written)
    content = (
        circumstances.final.files.get(f"generation-{item.index}") if circumstances.final else None
    )
    shown = -1 if content is None else generation(circumstances.run_id, item.index, content)
    if shown is None:
        text = (
            f"{item.client}: the file holds no whole generation in the end; {closed} had been "
            "closed"
        )
        if failed:
            findings.doubt(
                Unknown.WRITER_FAILED,
                f"{text}, and a later one failed, or was not noted to its end",
            )
        elif written:
            findings.violate(Wrong.TORN, text)
        return
    if shown < closed:
        text = (
            f"{item.client}: the file holds generation {shown} in the end; {closed} had been closed"
        )
        findings.violate(Wrong.LOST, text)
    higher = frozenset(
        number for sightings in seen for number in sightings.at if number <= max(shown, closed)
    )
    missing_at_end(item, higher, seen, circumstances, findings)
    never_written(item, [shown], GENERATIONS, findings)


def generation(run_id: str, index: int, content: bytes) -> int | None:
    """The whole generation that a file holds; None for a part of one."""
    head = f"{run_id} {index:05} ".encode()
    digits = content[len(head) : len(head) + 12]
    if not digits.isdigit():
        return None
    whole = head + digits + b"\n"
    return (
        int(digits)
        if content == whole + b"." * (GENERATION_BYTES + int(digits) - len(whole))
        else None
    )
