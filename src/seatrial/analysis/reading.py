"""What clients saw of one another's files: numbered records that were appended, generations that were overwritten.

A writer numbers what it writes from 0 up; a reader opens the file and notes what it saw. Both are judged by the same
rules. What was synced and closed before an open is seen by it (close-to-open: nfs(5); RFC 8881, section 10.3.1); one
reader never sees less than before ("monotonic reads" of Jepsen); nothing is seen before its writing began, and in the
end nothing stands there that no client wrote ("G1a", "G1b" of Adya and of Elle: aborted and intermediate reads).
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.reasons import Unknown, Wrong

UNASKED = "its NFSv3 mount had sent no GETATTR and no LOOKUP for it, and right after the server had all"
RECORD_BYTES = 64
GENERATION_BYTES = 36
"""of generation 0; each further one is a byte longer"""
OLD_MISSING_MAX = 16
"""so many missing records an agent listed that did not say how many there were"""
STALE_S = 3.0
"""Attributes of a file are believed for at least so long by default (nfs(5), acregmin): a view of this age is tested"""
DECISIVE_MIN = 0.5
"""share of the looks with something new to show at which a view of that age would have been a certain violation"""
_SHOWN = ("size_bytes", "highest", "missing", "torn", "generation")
"""of a look: what it showed"""


@dataclass(frozen=True)
class Numbered:
    """How one consistency test names what it writes."""

    op: str
    key: str


RECORDS = Numbered("append", "number")
GENERATIONS = Numbered("overwrite", "generation")


@dataclass(frozen=True)
class Look:
    """A look that was answered, of one client at the file of another."""

    reader: History
    writer: History
    before: Event | None
    """the look before it by the same reader"""
    event: Event
    what: Numbered

    @property
    def error_s(self) -> float:
        """By so much both clocks together may be wrong."""
        return self.reader.error_s + self.writer.error_s

    @property
    def words(self) -> str:
        """For people."""
        return f"{self.reader.client} opened the file of {self.writer.client}"

    def acknowledged(self, error_s: float | None = None) -> list[int]:
        """The numbers that had certainly been acknowledged before it began; by other errors than the clocks' own."""
        wrong_s = self.error_s if error_s is None else error_s
        from_s = self.reader.begin_s(self.event) - wrong_s
        written = self.writer.of(self.what.op)
        return [
            event[self.what.key] for event in written if event["outcome"] == "ok" and self.writer.end_s(event) < from_s
        ]

    def begun_max(self) -> int:
        """The highest number of which the writing may have begun before it ended; -1 where none had."""
        until_s = self.reader.end_s(self.event) + self.error_s
        written = self.writer.of(self.what.op)
        begun = [event[self.what.key] for event in written if self.writer.begin_s(event) <= until_s]
        return max(begun, default=-1) + _not_noted(self.writer, all_begun=len(begun) == len(written))

    def is_disturbed_by_writer(self) -> bool:
        """Whether the writer may have been at work, or may yet be: what failed may still arrive."""
        return self.writer.cut or any(self._meets(event) for event in self.writer.of(self.what.op))

    def _meets(self, event: Event) -> bool:
        begun = self.writer.begin_s(event) - self.error_s <= self.reader.end_s(self.event)
        ended_s = self.writer.end_s(event) + self.error_s
        return begun and (event["outcome"] != "ok" or ended_s >= self.reader.begin_s(self.event))


def _not_noted(writer: History, *, all_begun: bool) -> int:
    """How many more operations there may have been than a history has: of one that is cut, one."""
    return int(writer.cut and all_begun)


def looks(histories: Sequence[History], what: Numbered) -> Iterator[Look]:
    """Every look that was answered, in the order of each reader."""
    by_index = {item.index: item for item in histories}
    for reader in histories:
        before = None
        for event in reader.of("read"):
            writer = by_index.get(event["of"])
            if event["outcome"] != "error" and writer is not None and writer.events:
                yield Look(reader, writer, before, event, what)
            before = event


# ---- append


def judge_append(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    """Numbered records at the end of a file: each is seen once it was acknowledged, and stays."""
    seen: dict[int, Sightings] = {}
    for item in histories:
        found.count("appended", sum(event["outcome"] == "ok" for event in item.of("append")))
    for look in looks(histories, RECORDS):
        found.count("reads")
        shown = _records_of(look.event)
        _read_records(look, shown, found)
        sightings = seen.setdefault(look.reader.index, Sightings())
        known = frozenset(look.acknowledged())
        gone = sorted(number for number in sightings.at if shown.is_known(number) and number not in shown.numbers)
        _went_back(look, sightings, [number for number in gone if number not in known], about, found)
        sightings.note(look, shown.numbers)
    _tested(histories, RECORDS, _highest, found)
    if about.final is not None:
        for item in histories:
            numbers = records(about.run_id, item.index, about.final.files.get(f"append-{item.index}", b""))
            own = [sightings for sightings in seen.values() if sightings.writer is item]
            _final_records(item, numbers, own, about, found)
        _strangers("append-", histories, about, found)


@dataclass(frozen=True)
class Shown:
    """Which records a look showed."""

    numbers: frozenset[int]
    listed_max: int | None
    """of what is missing above this nothing is known; None: all was listed"""

    def is_known(self, number: int) -> bool:
        """Whether the look tells if this record was there."""
        return self.listed_max is None or number <= self.listed_max


def _records_of(event: Event) -> Shown:
    if event["outcome"] == "missing" or event["highest"] is None:
        return Shown(frozenset(), None)
    missing = event["missing"]
    count = event.get("missing_count")
    all_listed = len(missing) != OLD_MISSING_MAX if count is None else len(missing) == count
    numbers = frozenset(range(int(event["highest"]) + 1)) - frozenset(missing)
    return Shown(numbers, None if all_listed else max(missing, default=-1))


def _read_records(look: Look, shown: Shown, found: Findings) -> None:
    read, known = look.event, look.acknowledged()
    if read["outcome"] == "missing":
        if known:
            words = f"{look.words} and it was missing; {max(known)} had been acknowledged before"
            found.violate(Wrong.STALE, words)
        return
    highest = -1 if read["highest"] is None else int(read["highest"])
    if known and highest < max(known):
        less = f"{look.words}: it ended with {highest}; {max(known)} had been acknowledged before"
        if _unasked(look, RECORD_BYTES * len(known)):
            found.unasked.append(f"{less}; {UNASKED}")
        else:
            found.violate(Wrong.STALE, less)
    holes = sorted(set(known) & set(range(highest)) - shown.numbers)
    if holes:
        words = f"{look.words}: it was without {holes[0]}, which had been acknowledged before"
        found.violate(Wrong.STALE, words)
    if any(not shown.is_known(number) and number <= highest for number in known):
        words = f"{look.words}: more records are missing than were listed, the last {shown.listed_max}"
        found.doubt(Unknown.NOT_LISTED, words)
    if highest > look.begun_max():
        words = f"{look.words} and saw record {highest}, which had not been begun"
        found.violate(Wrong.NOT_WRITTEN, words)
    if read["torn"] and not look.is_disturbed_by_writer():
        found.violate(Wrong.TORN, f"{look.words} and found {read['torn']} torn records")


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


def _final_records(
    item: History, numbers: Sequence[int | None], seen: Sequence["Sightings"], about: Circumstances, found: Findings
) -> None:
    there = [number for number in numbers if number is not None]
    appended = item.of("append")
    acknowledged = [event["number"] for event in appended if event["outcome"] == "ok"]
    failed = item.cut or any(event["outcome"] != "ok" for event in appended)
    missing = sorted(set(acknowledged) - set(there))
    if missing:
        words = f"{item.client}: {len(missing)} acknowledged records are missing, the first {missing[0]}"
        found.violate(Wrong.LOST, words)
    _gone_in_the_end(item, frozenset(there) | frozenset(acknowledged), seen, about, found)
    _never_written(item, there, RECORDS, found)
    if any(later <= number for number, later in itertools.pairwise(there)):
        found.violate(Wrong.OUT_OF_ORDER, f"{item.client}: records are out of order, or there twice")
    torn = len(numbers) - len(there)
    if torn:
        words = f"{item.client}: {torn} pieces are no records"
        if failed:
            found.doubt(Unknown.WRITER_FAILED, f"{words}; an append failed, or was not noted to its end")
        else:
            found.violate(Wrong.TORN, words)


# ---- close-to-open


def judge_close_to_open(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    """Generations of a file: who opens it sees the last that was closed, or a later one, and never an earlier one."""
    seen: dict[int, Sightings] = {}
    for item in histories:
        found.count("generations", sum(event["outcome"] == "ok" for event in item.of("overwrite")))
    for look in looks(histories, GENERATIONS):
        found.count("reads")
        _read_generation(look, found)
        sightings = seen.setdefault(look.reader.index, Sightings())
        shown = _generation_of(look.event)
        if shown is not None:
            closed = max(look.acknowledged(), default=-1)
            later = sorted(number for number in sightings.at if number > max(shown, closed))
            _went_back(look, sightings, later[-1:], about, found)
            sightings.forget(later)
            sightings.note(look, frozenset({shown}) - {-1})
    _tested(histories, GENERATIONS, _generation_of, found)
    if about.final is not None:
        for item in histories:
            own = [sightings for sightings in seen.values() if sightings.writer is item]
            _final_generation(item, own, about, found)
        _strangers("generation-", histories, about, found)


def _generation_of(event: Event) -> int | None:
    """What a look showed: -1 where there was no file, None where it was no whole generation."""
    if event["outcome"] == "missing":
        return -1
    shown = event.get("generation")
    return None if shown is None else int(shown)


def _read_generation(look: Look, found: Findings) -> None:
    read, closed = look.event, look.acknowledged()
    seen = read.get("generation")
    if read["outcome"] == "missing":
        if closed:
            words = f"{look.words} and it was missing, after generation {max(closed)} had been closed"
            found.violate(Wrong.STALE, words)
    elif seen is None:
        if not look.is_disturbed_by_writer():
            found.violate(Wrong.TORN, f"{look.words} and saw parts of generations, while nobody wrote")
    elif closed and seen < max(closed):
        less = f"{look.words} and saw generation {seen}; {max(closed)} had been closed before"
        if _unasked(look, GENERATION_BYTES + max(closed)):
            found.unasked.append(f"{less}; {UNASKED}")
        else:
            found.violate(Wrong.STALE, less)
    elif seen > look.begun_max():
        words = f"{look.words} and saw generation {seen}, which had not been begun"
        found.violate(Wrong.NOT_WRITTEN, words)


def _final_generation(item: History, seen: Sequence["Sightings"], about: Circumstances, found: Findings) -> None:
    written = item.of("overwrite")
    closed = max((event["generation"] for event in written if event["outcome"] == "ok"), default=-1)
    failed = item.cut or any(event["outcome"] != "ok" for event in written)
    content = about.final.files.get(f"generation-{item.index}") if about.final else None
    shown = -1 if content is None else generation(about.run_id, item.index, content)
    if shown is None:
        words = f"{item.client}: the file holds no whole generation in the end; {closed} had been closed"
        if failed:
            found.doubt(Unknown.WRITER_FAILED, f"{words}, and a later one failed, or was not noted to its end")
        elif written:
            found.violate(Wrong.TORN, words)
        return
    if shown < closed:
        words = f"{item.client}: the file holds generation {shown} in the end; {closed} had been closed"
        found.violate(Wrong.LOST, words)
    higher = frozenset(number for sightings in seen for number in sightings.at if number <= max(shown, closed))
    _gone_in_the_end(item, higher, seen, about, found)
    _never_written(item, [shown], GENERATIONS, found)


def generation(run_id: str, index: int, content: bytes) -> int | None:
    """Which generation a file holds as a whole."""
    head = f"{run_id} {index:05} ".encode()
    digits = content[len(head) : len(head) + 12]
    if not digits.isdigit():
        return None
    whole = head + digits + b"\n"
    return int(digits) if content == whole + b"." * (GENERATION_BYTES + int(digits) - len(whole)) else None


# ---- what both have in common


class Sightings:
    """What one reader has seen of one writer's file so far."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.at: dict[int, Look] = {}
        """number -> the last look that showed it"""

    @property
    def writer(self) -> History | None:
        """Of whom it saw anything."""
        return next((look.writer for look in self.at.values()), None)

    def note(self, look: Look, numbers: frozenset[int]) -> None:
        """A look showed these."""
        for number in numbers:
            self.at[number] = look

    def forget(self, numbers: Sequence[int]) -> None:
        """That they are gone has been told."""
        for number in numbers:
            self.at.pop(number, None)


def _went_back(look: Look, sightings: Sightings, gone: Sequence[int], about: Circumstances, found: Findings) -> None:
    """A reader no longer sees what it saw: each number is told once."""
    for number in gone:
        earlier = sightings.at[number]
        words = f"{look.words} and no longer saw {look.what.key} {number}, which it had seen before"
        _gone(look.reader.end_s(look.event) + look.error_s, earlier, number, words, about, found)
    sightings.forget(gone)


def _gone_in_the_end(
    item: History, still: frozenset[int], seen: Sequence[Sightings], about: Circumstances, found: Findings
) -> None:
    """What a reader saw last is there in the end."""
    for sightings in seen:
        for number in sorted(set(sightings.at) - still):
            earlier = sightings.at[number]
            words = f"{item.client}: {earlier.what.key} {number} was seen by {earlier.reader.client}"
            _gone(float("inf"), earlier, number, f"{words}, and is not there in the end", about, found)


def _gone(until_s: float, earlier: Look, number: int, words: str, about: Circumstances, found: Findings) -> None:
    """What was seen is gone: only a fault between may explain it, and only before it had been acknowledged.

    A server may show what it holds in memory alone (WRITE with UNSTABLE4, RFC 8881, section 18.32; RFC 1813, section
    3.3.7); when it crashes, the writer notices by the verifier and writes it again before it is acknowledged.
    """
    writer, key = earlier.writer, earlier.what.key
    event = next((event for event in writer.of(earlier.what.op) if event[key] == number), None)
    if about.disturbed is None or not _may_be_between(about.disturbed, earlier, until_s):
        found.violate(Wrong.WENT_BACK if until_s < float("inf") else Wrong.LOST, words)
    elif event is not None and event["outcome"] == "ok" and writer.end_s(event) + writer.error_s < about.disturbed[0]:
        found.violate(Wrong.WENT_BACK if until_s < float("inf") else Wrong.LOST, words)
    elif event is not None and event["outcome"] == "ok":
        found.count("seen before they were stable")
    else:
        found.doubt(Unknown.UNSTABLE, f"{words}; it had not been acknowledged when the fault began")


def _may_be_between(disturbed: tuple[float, float], earlier: Look, until_s: float) -> bool:
    from_s, to_s = disturbed
    return earlier.reader.begin_s(earlier.event) - earlier.reader.error_s <= to_s and until_s >= from_s


def _never_written(item: History, there: Sequence[int], what: Numbered, found: Findings) -> None:
    """In the end nothing stands there that its writer did not begin."""
    if not item.events:
        return
    begun = max((event[what.key] for event in item.of(what.op)), default=-1) + _not_noted(item, all_begun=True)
    beyond = [number for number in there if number > begun]
    if beyond:
        words = f"{item.client}: the file holds {what.key} {max(beyond)} in the end, which nobody wrote"
        found.violate(Wrong.NOT_WRITTEN, words)


def _strangers(prefix: str, histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    """Names in the end that belong to no client."""
    own = {f"{prefix}{item.index}" for item in histories}
    for name in sorted((about.final.names if about.final else frozenset()) - own):
        found.violate(Wrong.NOT_MADE, f"{name} exists, and nobody made it")


def _highest(event: Event) -> int | None:
    return -1 if event["outcome"] == "missing" or event["highest"] is None else int(event["highest"])


def _tested(
    histories: Sequence[History], what: Numbered, shown: Callable[[Event], int | None], found: Findings
) -> None:
    """Doubt looks of which none, or too few, would have shown that a reader saw an old view.

    A look tests something when there is more to see than the reader saw at its look before, or within the last 3 s. It
    is decisive when that is certain in spite of the clocks: the old view would then have been a violation.
    """
    answered, apparent, decisive = 0, 0, 0
    recent: dict[int, list[tuple[float, int]]] = {}
    for look in looks(histories, what):
        answered += 1
        begin_s, earlier = look.reader.begin_s(look.event), recent.get(look.reader.index, [])
        within = [item for item in earlier[:-1] if item[0] >= begin_s - STALE_S] + earlier[-1:]
        old = min((number for _, number in within), default=-1)
        apparent += max(look.acknowledged(0.0), default=-1) > old
        decisive += max(look.acknowledged(), default=-1) > old
        number = shown(look.event)
        recent[look.reader.index] = [*within, *([] if number is None else [(begin_s, number)])]
    found.count("reads of something new", decisive)
    if answered and not apparent:
        found.doubt(Unknown.NOTHING_NEW, f"none of {answered} looks had anything new to show")
    elif decisive < DECISIVE_MIN * apparent:
        error_s = max(item.error_s for item in histories)
        words = f"only {decisive} of {apparent} looks would have told an old view for certain"
        found.doubt(Unknown.CLOCKS, f"{words}: a clock may be wrong by {error_s:.3g} s")


def _unasked(look: Look, at_server_bytes: int) -> bool:
    """Whether a look that saw too little is the one open that Linux 5.16 and later may answer without the server.

    All of it has to be in the history: the mount is of version 3; the look before found the name by a LOOKUP; since
    then this is the first, and from before its open to behind its read the mount sent neither GETATTR nor LOOKUP; what
    it showed is what the look before had; and asked right after, the server had at least what had been acknowledged.
    """
    before, read = look.before, look.event
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
