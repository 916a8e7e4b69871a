"""Judge what many clients wrote down of a consistency test: whether their histories, side by side, fit one storage.

Pure. Times of a client are moved onto the common clock and may be wrong by its clock error; only what is certain in
spite of that is a violation. Whether an EEXIST or an ENOENT was the truth cannot be told while the storage did not
answer: the client may have sent its request again, and got the answer to the second while the first had done the work.
NFSv4.1 sessions give exactly-once semantics as long as the server keeps its reply cache (RFC 8881, section 2.10.6);
NFSv3 has only the duplicate request cache, which no restart survives (RFC 1813, section 4.5). Such outcomes are
`unknowns`. An open by NFSv3 of which the client asked the server for nothing is told apart, as `unasked`
(docs/nfs3-reader/README.md). What was looked at is counted in `checked`, so that nothing checked is never taken for
nothing wrong.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence

from seatrial.analysis import locking, naming
from seatrial.analysis.histories import Circumstances, Event, Findings, History

UNASKED = "its NFSv3 mount had sent no GETATTR and no LOOKUP for it, and right after the server had all"
RECORD_BYTES = 64
GENERATION_BYTES = 36
"""of generation 0; each further one is a byte longer"""
ASKED_MIN = 5
"""so often a lock is asked for before it means something that nobody got it"""
_SHOWN = ("size_bytes", "highest", "missing", "torn", "generation")
"""of a look: what it showed"""


def judge(consistency_test: str, histories: Sequence[History], about: Circumstances) -> Findings:
    """Everything that the histories of one consistency test show."""
    found = Findings()
    if about.final is None and consistency_test != "locks":
        found.unknowns.append("what the storage holds in the end could not be looked at")
    _JUDGES[consistency_test](histories, about, found)
    found.unknowns += [
        f"the history of {item.client} is {'cut' if item.events else 'not there'}"
        for item in histories
        if not item.events or (item.cut and item.client not in about.lost_power)
    ]
    return found


# ---- locks


def _locks(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    holds = [hold for item in histories for hold in locking.holds(item.events, item.client, item.ahead_s, item.error_s)]
    found.count("holds", len(holds))
    found.count("refused", sum(event["outcome"] == "refused" for item in histories for event in item.of("lock")))
    found.count("looks", sum(hold.looks for hold in holds))
    found.violations += locking.overlaps(holds)
    if about.settled_s is not None:
        _granted_again(histories, holds, about, about.settled_s, found)
    for hold in holds:
        if hold.foreign is not None and not hold.lost:
            found.violations.append(f"{hold.name}: the token {hold.foreign!r} of another stood there")
        if hold.lost:
            found.lost_locks.append(f"{hold.name}: {hold.lost}")
    at_s = about.disturbed[1] if about.disturbed else None
    for item in (item for item in histories if item.client not in about.lost_power):
        found.kept_locks[item.client] = locking.kept([hold for hold in holds if hold.client == item.client], at_s)


def _granted_again(
    histories: Sequence[History], holds: Sequence[locking.Hold], about: Circumstances, settled_s: float, found: Findings
) -> None:
    """A range that nobody holds is granted to somebody who asks for it, also what a client without power had held."""
    asked: dict[int, list[Event]] = {}
    for item in histories:
        for event in item.of("lock"):
            if item.begin_s(event) - item.error_s > settled_s and event["outcome"] in ("ok", "refused"):
                asked.setdefault(event["range"], []).append(event)
    granted = sum(event["outcome"] == "ok" for events in asked.values() for event in events)
    found.count("granted after the fault", granted)
    held = {hold.range for hold in holds if hold.client not in about.lost_power and hold.end_s >= settled_s}
    for number, events in sorted(asked.items()):
        if len(events) >= ASKED_MIN and number not in held and all(event["outcome"] == "refused" for event in events):
            found.violations.append(f"range {number} was refused to all {len(events)} who asked, and nobody held it")


# ---- append and close-to-open


def _append(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    by_index = {item.index: item for item in histories}
    for item in histories:
        found.count("appended", sum(event["outcome"] == "ok" for event in item.of("append")))
        for before, read in _looks(item):
            if read["outcome"] != "error" and read["of"] in by_index:
                found.count("reads")
                _read_records(item, before, read, by_index[read["of"]], found)
        if about.final is not None:
            content = about.final.files.get(f"append-{item.index}", b"")
            _final_records(item, records(about.run_id, item.index, content), found)


def _before(writer: History, event: Event, reader: History, read: Event) -> bool:
    """Whether the writer's operation had certainly ended before the read began."""
    return writer.end_s(event) + writer.error_s + reader.error_s < reader.begin_s(read)


def _meets(writer: History, event: Event, reader: History, read: Event) -> bool:
    """Whether the operation may have been under way during the read; one that failed may still arrive."""
    error_s = writer.error_s + reader.error_s
    begun = writer.begin_s(event) - error_s <= reader.end_s(read)
    return begun and (event["outcome"] != "ok" or writer.end_s(event) + error_s >= reader.begin_s(read))


def _looks(reader: History) -> list[tuple[Event | None, Event]]:
    """Every look, and the one before it."""
    reads = reader.of("read")
    return list(zip([None, *reads], reads, strict=False))


def _unasked(before: Event | None, read: Event, at_server_bytes: int) -> bool:
    """Whether a look that saw too little is the one open that Linux 5.16 and later may answer without the server.

    All of it has to be in the history: the mount is of version 3; the look before found the name by a LOOKUP; since
    then this is the first, and from before its open to behind its read the mount sent neither GETATTR nor LOOKUP; what
    it showed is what the look before had; and asked right after, the server had at least what had been acknowledged.
    """
    return (
        before is not None
        and read.get("nfs_version") == "3"
        and read.get("getattr_calls") == 0
        and read.get("lookup_calls") == 0
        and (before.get("lookup_calls") or 0) > 0
        and before["outcome"] == read["outcome"] == "ok"
        and all(before.get(key) == read.get(key) for key in _SHOWN)
        and (read.get("size_at_server_bytes") or 0) >= at_server_bytes
    )


def _read_records(reader: History, before: Event | None, read: Event, writer: History, found: Findings) -> None:
    appended = writer.of("append")
    known = [event["number"] for event in appended if event["outcome"] == "ok" and _before(writer, event, reader, read)]
    words = f"{reader.client} read the file of {writer.client}"
    if read["outcome"] == "missing":
        if known:
            found.violations.append(f"{words} and it was missing; {max(known)} had been acknowledged before")
        return
    highest = -1 if read["highest"] is None else int(read["highest"])
    if known and highest < max(known):
        less = f"{words} up to {highest}; {max(known)} had been acknowledged before"
        if _unasked(before, read, RECORD_BYTES * len(known)):
            found.unasked.append(f"{less}; {UNASKED}")
        else:
            found.violations.append(less)
    holes = sorted(set(read["missing"]) & set(known))
    if holes:
        found.violations.append(f"{words} without {holes[0]}, which had been acknowledged before")
    if read["torn"] and not writer.cut and not any(_meets(writer, event, reader, read) for event in appended):
        found.violations.append(f"{words} and found {read['torn']} torn records")


def records(run_id: str, index: int, content: bytes) -> list[int | None]:
    """The numbers of a client's file, in its order; None for a piece that is no record of it."""
    found: list[int | None] = []
    for at in range(0, len(content), RECORD_BYTES):
        piece, head = content[at : at + RECORD_BYTES], f"{run_id} {index:05} ".encode()
        digits = piece[len(head) : len(head) + 12]
        whole = head + digits + b" "
        valid = digits.isdigit() and piece == whole + b"." * (RECORD_BYTES - 1 - len(whole)) + b"\n"
        found.append(int(digits) if valid else None)
    return found


def _final_records(item: History, numbers: Sequence[int | None], found: Findings) -> None:
    there = [number for number in numbers if number is not None]
    acknowledged = [event["number"] for event in item.of("append") if event["outcome"] == "ok"]
    failed = item.cut or any(event["outcome"] != "ok" for event in item.of("append"))
    missing = sorted(set(acknowledged) - set(there))
    if missing:
        found.violations.append(
            f"{item.client}: {len(missing)} acknowledged records are missing, the first {missing[0]}"
        )
    if any(later <= number for number, later in itertools.pairwise(there)):
        found.violations.append(f"{item.client}: records are out of order, or there twice")
    torn = len(numbers) - len(there)
    if torn:
        words = f"{item.client}: {torn} pieces are no records"
        (found.unknowns if failed else found.violations).append(words)


def _close_to_open(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    by_index = {item.index: item for item in histories}
    for item in histories:
        found.count("generations", sum(event["outcome"] == "ok" for event in item.of("overwrite")))
        for before, read in _looks(item):
            if read["outcome"] != "error" and read["of"] in by_index:
                found.count("reads")
                _read_generation(item, before, read, by_index[read["of"]], found)
        if about.final is not None:
            _final_generation(item, about, found)


def _read_generation(reader: History, before: Event | None, read: Event, writer: History, found: Findings) -> None:
    written = writer.of("overwrite")
    closed = [e["generation"] for e in written if e["outcome"] == "ok" and _before(writer, e, reader, read)]
    seen, words = read.get("generation"), f"{reader.client} opened the file of {writer.client}"
    if read["outcome"] == "missing":
        if closed:
            found.violations.append(f"{words} and it was missing, after generation {max(closed)} had been closed")
    elif seen is None:
        if not writer.cut and not any(_meets(writer, event, reader, read) for event in written):
            found.violations.append(f"{words} and saw parts of generations, while nobody wrote")
    elif closed and seen < max(closed):
        less = f"{words} and saw generation {seen}; {max(closed)} had been closed before"
        if _unasked(before, read, GENERATION_BYTES + max(closed)):
            found.unasked.append(f"{less}; {UNASKED}")
        else:
            found.violations.append(less)


def _final_generation(item: History, about: Circumstances, found: Findings) -> None:
    closed = [event["generation"] for event in item.of("overwrite") if event["outcome"] == "ok"]
    content = about.final.files.get(f"generation-{item.index}", b"") if about.final else b""
    failed = item.cut or any(event["outcome"] != "ok" for event in item.of("overwrite"))
    seen = generation(about.run_id, item.index, content)
    if closed and (seen is None or seen < max(closed)):
        words = f"{item.client}: the file holds generation {seen} in the end; {max(closed)} had been closed"
        (found.unknowns if seen is None and failed else found.violations).append(words)


def generation(run_id: str, index: int, content: bytes) -> int | None:
    """Which generation a file holds as a whole."""
    head = f"{run_id} {index:05} ".encode()
    digits = content[len(head) : len(head) + 12]
    if not digits.isdigit():
        return None
    whole = head + digits + b"\n"
    return int(digits) if content == whole + b"." * (GENERATION_BYTES + int(digits) - len(whole)) else None


_JUDGES: Mapping[str, Callable[[Sequence[History], Circumstances, Findings], None]] = {
    "locks": _locks,
    "append": _append,
    "exclusive": naming.exclusive,
    "rename": naming.rename,
    "close-to-open": _close_to_open,
}
