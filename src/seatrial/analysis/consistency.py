"""Judge what many clients wrote down of an exercise: whether their histories, side by side, fit one storage.

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
from dataclasses import dataclass, field
from typing import Any

from seatrial.analysis import locking

NS = 1e9
RETRANSMITTED = (
    "may be the answer to a request that was sent again (RFC 8881, section 2.10.6; RFC 1813, section 4.5: "
    "only a duplicate request cache)"
)
UNASKED = "its NFSv3 mount had sent no GETATTR and no LOOKUP for it, and right after the server had all"
RECORD_BYTES = 64
GENERATION_BYTES = 36
"""of generation 0; each further one is a byte longer"""
LISTED_MAX = 20
_SHOWN = ("size_bytes", "highest", "missing", "torn", "generation")
"""of a look: what it showed"""

Event = Mapping[str, Any]


@dataclass(frozen=True)
class History:
    """What one client wrote down, and how far its clock can be trusted."""

    client: str
    index: int
    events: Sequence[Mapping[str, Any]]
    ahead_s: float = 0.0
    error_s: float = 0.0

    @property
    def cut(self) -> bool:
        """It has no end: of one more operation nothing is known."""
        return not any(event.get("op") == "end" for event in self.events)

    def of(self, *ops: str) -> list[Mapping[str, Any]]:
        """Its events of some kinds, in their order."""
        return [event for event in self.events if event.get("op") in ops]

    def begin_s(self, event: Mapping[str, Any]) -> float:
        """When it began, on the common clock."""
        return float(event["begin_ns"] / NS - self.ahead_s)

    def end_s(self, event: Mapping[str, Any]) -> float:
        """When it had ended, on the common clock."""
        return float(event["end_ns"] / NS - self.ahead_s)


@dataclass(frozen=True)
class Final:
    """What the storage holds in the end, told by one client without its caches."""

    names: frozenset[str] = frozenset()
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass
class Findings:
    """What is wrong, what cannot be told, and how much was looked at."""

    checked: dict[str, int] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    unknowns: list[str] = field(default_factory=list)
    lost_locks: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)
    """less was seen than had been acknowledged, by an open of which the client asked nothing"""
    kept_locks: dict[str, str] = field(default_factory=dict)
    """client -> `held`, `lost` or `unknown`: the lock that it held from before the fault until after it"""

    def count(self, what: str, number: int = 1) -> None:
        """So many more were looked at."""
        self.checked[what] = self.checked.get(what, 0) + number

    def to_json(self) -> dict[str, Any]:
        """For the record: the counts, and of each list the first entries."""
        lists = {
            "violations": self.violations,
            "unknowns": self.unknowns,
            "lost_locks": self.lost_locks,
            "unasked": self.unasked,
        }
        counts = {f"{key}_count": len(items) for key, items in lists.items()}
        listed = {key: items[:LISTED_MAX] for key, items in lists.items()}
        return {"checked": self.checked, "kept_locks": self.kept_locks, **counts, **listed}


@dataclass(frozen=True)
class Circumstances:
    """What the histories alone do not say."""

    run_id: str
    final: Final | None = None
    """None: the storage could not be asked"""
    disturbed: tuple[float, float] | None = None
    """from when until when answers may have been lost, on the common clock"""
    lost_power: frozenset[str] = frozenset()
    """clients whose power the fault took: that their histories have no end is no news"""
    forgetful: frozenset[str] = frozenset()
    """those of them that keep the file system's journal themselves: names that they had changed, and not synced, may be
    as before (rename(2) promises no durability; NFS does, RFC 1813, section 3.3.14)"""


def judge(exercise: str, histories: Sequence[History], about: Circumstances) -> Findings:
    """Everything that the histories of one exercise show."""
    found = Findings()
    if about.final is None and exercise != "locks":
        found.unknowns.append("what the storage holds in the end could not be looked at")
    _JUDGES[exercise](histories, about, found)
    found.unknowns += [
        f"the history of {item.client} is cut" for item in histories if item.cut and item.client not in about.lost_power
    ]
    return found


def in_doubt(history: History, event: Mapping[str, Any], about: Circumstances) -> bool:
    """Whether the operation was under way while answers may have been lost."""
    if about.disturbed is None:
        return False
    from_s, to_s = about.disturbed
    begin_s, end_s = history.begin_s(event) - history.error_s, history.end_s(event) + history.error_s
    return begin_s <= to_s and end_s >= from_s


# ---- locks


def _locks(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    holds = [hold for item in histories for hold in locking.holds(item.events, item.client, item.ahead_s, item.error_s)]
    found.count("holds", len(holds))
    found.count("refused", sum(event["outcome"] == "refused" for item in histories for event in item.of("lock")))
    found.count("looks", sum(hold.looks for hold in holds))
    found.violations += locking.overlaps(holds)
    for hold in holds:
        if hold.foreign is not None and not hold.lost:
            found.violations.append(f"{hold.name}: the token {hold.foreign!r} of another stood there")
        if hold.lost:
            found.lost_locks.append(f"{hold.name}: {hold.lost}")
    at_s = about.disturbed[1] if about.disturbed else None
    for item in (item for item in histories if item.client not in about.lost_power):
        found.kept_locks[item.client] = locking.kept([hold for hold in holds if hold.client == item.client], at_s)


# ---- exclusive


def _exclusive(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    tries: dict[str, list[tuple[History, Mapping[str, Any]]]] = {}
    for item in histories:
        for event in item.of("create"):
            tries.setdefault(event["name"], []).append((item, event))
    found.count("names", len(tries))
    found.count("contended", sum(len(made) > 1 for made in tries.values()))
    cut = any(item.cut for item in histories)
    for name, made in tries.items():
        _one_winner(name, made, about, found, cut=cut)
    for name in sorted((about.final.names if about.final else frozenset()) - set(tries)):
        (found.unknowns if cut else found.violations).append(f"{name} exists, and nobody tried to create it")


def _one_winner(
    name: str, made: Sequence[tuple[History, Mapping[str, Any]]], about: Circumstances, found: Findings, *, cut: bool
) -> None:
    winners = [item.client for item, event in made if event["outcome"] == "won"]
    exists = about.final is not None and name in about.final.names
    undone = [client for client in winners if client in about.forgetful]
    if undone and (len(winners) > 1 or not exists):
        found.count("undone by a crash", len(undone))
        winners = [client for client in winners if client not in undone]
        if not winners:
            return
    if len(winners) > 1:
        found.violations.append(f"{name} was won by {' and '.join(winners)}")
    if winners:
        if about.final is not None and not exists:
            found.violations.append(f"{name} was won by {winners[0]} and is not there")
        return
    if any(event["outcome"] == "error" for _, event in made) or cut:
        if exists or any(event["outcome"] == "exists" for _, event in made):
            found.unknowns.append(f"{name} exists, and some outcome is not known")
        return
    words = f"{name}: EEXIST for all who tried, {', '.join(item.client for item, _ in made)}"
    if any(in_doubt(item, event, about) for item, event in made):
        found.unknowns.append(f"{words}; it {RETRANSMITTED}")
    else:
        found.violations.append(words)


# ---- rename


def _rename(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    for item in histories:
        renames = {event["item"]: event for event in item.of("rename")}
        for created in item.of("create"):
            _one_item(item, created, renames.get(created["item"]), about, found)
        again = sum(_was(event, "again") for event in renames.values())
        if again:
            found.count("renames to be asked again", again)
            if not any(_was(event, "ok") for event in renames.values()):
                found.unknowns.append(f"{item.client}: none of {again} renames was done: each was to be asked again")


def _one_item(
    item: History,
    created: Mapping[str, Any],
    renamed: Mapping[str, Any] | None,
    about: Circumstances,
    found: Findings,
) -> None:
    name, found_before = f"{item.client}: item {created['item']}", len(found.violations)
    found.count("items")
    if created["outcome"] == "exists":
        _doubt(f"{name}: EEXIST of a name that nobody made", item, created, about, found)
    if renamed is not None and renamed["outcome"] == "missing" and created["outcome"] != "error":
        _doubt(f"{name}: ENOENT of a name that was there", item, renamed, about, found)
    if about.final is not None:
        _one_name(item, created, renamed, about, found, as_told=len(found.violations) == found_before)


def _one_name(
    item: History,
    created: Mapping[str, Any],
    renamed: Mapping[str, Any] | None,
    about: Circumstances,
    found: Findings,
    *,
    as_told: bool,
) -> None:
    """The name that an item has in the end; `as_told`: what was said of it on the way fits."""
    name = f"{item.client}: item {created['item']}"
    if about.final is None:
        return
    old, new = (f"{letter}{created['item']}" in about.final.names for letter in "ab")
    if old and new:
        found.violations.append(f"{name} is there under both names")
    elif item.client in about.forgetful and not new and (not old or _was(renamed, "ok")):
        found.count("undone by a crash")
    elif not (old or new) and created["outcome"] != "error":
        found.violations.append(f"{name} is lost: it is there under neither name")
    elif _was(renamed, "ok") and old:
        found.violations.append(f"{name} was renamed and bears its old name")
    elif new and _was(renamed, "again"):
        found.violations.append(f"{name} bears its new name, and the rename said that nothing was done")
    elif new and renamed is None and not item.cut:
        found.violations.append(f"{name} bears its new name, and nobody renamed it")
    elif old and _was(renamed, "missing") and as_told:
        found.violations.append(f"{name}: ENOENT, and it bears its old name")


def _was(event: Mapping[str, Any] | None, outcome: str) -> bool:
    return event is not None and event["outcome"] == outcome


def _doubt(words: str, item: History, event: Mapping[str, Any], about: Circumstances, found: Findings) -> None:
    if in_doubt(item, event, about):
        found.unknowns.append(f"{words}; it {RETRANSMITTED}")
    else:
        found.violations.append(words)


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


def _before(writer: History, event: Mapping[str, Any], reader: History, read: Mapping[str, Any]) -> bool:
    """Whether the writer's operation had certainly ended before the read began."""
    return writer.end_s(event) + writer.error_s + reader.error_s < reader.begin_s(read)


def _meets(writer: History, event: Mapping[str, Any], reader: History, read: Mapping[str, Any]) -> bool:
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
    "exclusive": _exclusive,
    "rename": _rename,
    "close-to-open": _close_to_open,
}
