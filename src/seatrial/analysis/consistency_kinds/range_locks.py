"""`range-locks`: an unlock of the middle splits a lock, and a read lock becomes a write lock for
one client alone.

The promised semantics are as follows. fcntl(2) (POSIX.1-2017, fcntl(), F_SETLK): an unlock of a
segment within a locked one leaves two locked segments. A lock of another type on a segment replaces
the lock before. A read lock excludes write locks of other clients, and a write lock excludes every
lock of them. A lock that is not available is refused at once, and the holder keeps its locks.

NFSv4 has these rules, and as an option atomic upgrades too (RFC 8881, sections 9.1 to 9.4 and
18.10, 18.12); NFSv3 has them by the lock manager. After a server's restart holders reclaim their
locks, the split ones too, before another client gets them (RFC 8881, section 8.4.2.1). CephFS and
GFS2 (dlm) keep POSIX. A lock may be lost where the server receives nothing from its holder for
longer than the lease (section 8.4.3): a client that reads under it then gets an error, which is
reported as a lost lock.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.looks import evidence
from seatrial.analysis.reasons import Unknown as Open

NEEDED = ("granted in a split lock", "refused at a split lock", "upgrades", "looks")
FILES = None
SHARED_PAGE = 0
UPGRADES_TO_JUDGE_MIN = 5
"""this number of upgrades without a certain one means that the clocks are too far apart"""


class Reason(StrEnum):
    """The violations."""

    BOTH_HELD = "both-held"
    """two clients certainly held a page at once, and one of them for writing"""
    REFUSED_FOR_NOTHING = "refused-for-nothing"
    """a lock was refused, and no other can have held it"""


@dataclass
class Hold:
    """A page that one client held, on the common clock; the possible hold is longer than the
    certain one.
    """

    client: str
    page: int
    mode: str
    error_s: float
    begun_s: float
    """the call began: it may have held from then on"""
    start_s: float
    """the answer: it certainly held from then on"""
    end_s: float
    """it certainly held until then"""
    over_s: float = math.inf
    """it cannot have held any more"""

    @property
    def certain(self) -> bool:
        """Whether there is a moment at which it held, for any clock error."""
        return self.start_s + self.error_s < self.end_s - self.error_s

    @property
    def text(self) -> str:
        """The hold in words."""
        return f"{self.client} for {self.mode} from {self.start_s:.3f} to {self.end_s:.3f} s"

    def excludes(self, mode: str) -> bool:
        """Whether no other client can have the page in this mode."""
        return "write" in (self.mode, mode)

    def may_hold_in(self, from_s: float, to_s: float) -> bool:
        """Whether it may have held at some moment of this time."""
        return self.begun_s - self.error_s <= to_s and self.over_s + self.error_s >= from_s

    def meets(self, other: "Hold") -> bool:
        """Whether both certainly held at once: for a while, or one of them all of its time within
        the other's.
        """
        both_from_s = max(self.start_s + self.error_s, other.start_s + other.error_s)
        both_to_s = min(self.end_s - self.error_s, other.end_s - other.error_s)
        return both_from_s < both_to_s or self.contains(other) or other.contains(self)

    def contains(self, other: "Hold") -> bool:
        """Whether the possible hold of the other is inside the certain hold of this one."""
        from_s = other.begun_s - other.error_s
        to_s = other.over_s + other.error_s
        return self.start_s + self.error_s <= from_s and to_s <= self.end_s - self.error_s


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """No two clients hold locks that exclude each other, and no client is refused a lock that is
    free.
    """
    findings = evidence(histories, circumstances, looks_at_end=False)
    by_page: dict[int, list[Hold]] = {}
    for item in histories:
        for hold in _holds(item, findings):
            by_page.setdefault(hold.page, []).append(hold)
        findings.count("looks", sum(event["outcome"] == "ok" for event in item.of("held")))
        for event in item.of("lock"):
            _count(event, findings)
    for page, holds in sorted(by_page.items()):
        _judge_page(page, sorted(holds, key=lambda hold: hold.begun_s), findings)
    if all(item.events and not item.cut for item in histories):
        for item in histories:
            _judge_refusals(item, by_page, circumstances, findings)
    _judge_upgrades(by_page.get(SHARED_PAGE, []), findings)
    return findings


def _count(event: Event, findings: Findings) -> None:
    """Knocks at pages of a neighbour's split lock."""
    if event["first"] == SHARED_PAGE or event["pages"] != 1:
        return
    findings.count("granted in a split lock", int(event["outcome"] == "ok"))
    findings.count("refused at a split lock", int(event["outcome"] == "refused"))


def _pages(event: Event) -> range:
    return range(event["first"], event["first"] + event["pages"])


def _holds(item: History, findings: Findings) -> Iterator[Hold]:
    """Every hold of one client, page by page; a lock of a page again in another mode is another
    hold.
    """
    held: dict[int, Hold] = {}
    for event in item.of("lock", "unlock", "held"):
        begin_s = item.begin_s(event)
        end_s = item.end_s(event)
        went_well = event["outcome"] == "ok"
        if event["op"] == "held":
            yield from _prove(item, event, held, findings)
        elif event["op"] == "unlock" or event["outcome"] != "refused":
            for page in _pages(event):
                hold = held.pop(page, None)
                if hold is not None:
                    hold.end_s = max(hold.end_s, begin_s)
                    hold.over_s = end_s if went_well else math.inf
                    yield hold
                if event["op"] == "lock" and went_well:
                    held[page] = Hold(
                        item.client, page, event["mode"], item.error_s, begin_s, end_s, end_s
                    )
    yield from held.values()


def _prove(item: History, event: Event, held: dict[int, Hold], findings: Findings) -> list[Hold]:
    """A read under a lock: a client that has lost it gets an error. Returns the lost holds, certain
    until the read before.
    """
    pages = [page for page in _pages(event) if page in held]
    if event["outcome"] == "ok":
        for page in pages:
            held[page].end_s = item.begin_s(event)
        return []
    if pages:
        findings.lost_locks.append(
            f"{item.client}, page {event['first']}: {event.get('errno')} of a read under the lock"
        )
    return [held.pop(page) for page in pages]


def _judge_page(page: int, holds: Sequence[Hold], findings: Findings) -> None:
    """Holds of one page, in the order of their beginnings."""
    running: list[Hold] = []
    for hold in holds:
        running = [
            other for other in running if other.end_s + other.error_s >= hold.begun_s - hold.error_s
        ]
        for other in running:
            if other.client != hold.client and other.excludes(hold.mode) and other.meets(hold):
                findings.violate(
                    Reason.BOTH_HELD, f"page {page} was held by {other.text}, and by {hold.text}"
                )
        running.append(hold)


def _judge_refusals(
    item: History, by_page: dict[int, list[Hold]], circumstances: Circumstances, findings: Findings
) -> None:
    """A client is refused a lock only for the lock of another client; while answers may be lost, a
    server may also refuse for its grace period.
    """
    for event in item.of("lock"):
        begin_s = item.begin_s(event) - item.error_s
        end_s = item.end_s(event) + item.error_s
        if event["outcome"] != "refused" or _is_disturbed(begin_s, end_s, circumstances):
            continue
        others = [
            hold
            for page in _pages(event)
            for hold in by_page.get(page, [])
            if hold.client != item.client
        ]
        may_be_held = any(
            hold.excludes(event["mode"])
            and hold.begun_s - hold.error_s <= end_s
            and hold.over_s + hold.error_s >= begin_s
            for hold in others
        )
        if not may_be_held:
            text = (
                f"{item.client} was refused page {event['first']} for {event['mode']} at "
                f"{begin_s:.3f} s"
            )
            findings.violate(Reason.REFUSED_FOR_NOTHING, f"{text}, and no other can have held it")


def _is_disturbed(begin_s: float, end_s: float, circumstances: Circumstances) -> bool:
    """Whether locks may be refused for another reason than a holder: from the fault until the
    system is healthy.
    """
    if circumstances.disturbed is None:
        return False
    from_s, to_s = circumstances.disturbed
    settled_s = math.inf if circumstances.settled_s is None else max(to_s, circumstances.settled_s)
    return end_s >= from_s and begin_s <= settled_s


def _judge_upgrades(holds: Sequence[Hold], findings: Findings) -> None:
    """An upgrade shows something only where it lasted for longer than the clock may be wrong."""
    upgraded = [hold for hold in holds if hold.mode == "write"]
    certain = sum(hold.certain for hold in upgraded)
    findings.count("upgrades", certain)
    if len(upgraded) >= UPGRADES_TO_JUDGE_MIN and not certain:
        error_s = max(hold.error_s for hold in upgraded)
        findings.doubt(
            Open.CLOCKS,
            f"none of {len(upgraded)} upgrades can be judged: a clock may be wrong by "
            f"{error_s:.3g} s",
        )
