"""From the clients' logs of their locks to the times in which each certainly held one, and to the
findings.

POSIX promises mutual exclusion: an exclusive lock is refused while another open file holds it
(fcntl(2), F_OFD_SETLK). NFSv4 keeps it over a restart of the server by reclaims in the grace period
(RFC 8881, section 8.4.2), NFSv3 by NLM and NSM. A client may lose a lock when its lease expires
(section 8.4.3); it then gets an error.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.reasons import Unknown, Wrong

NS = 1e9
NO_ROOM = ("ENOSPC", "EDQUOT")
"""errors of a full file system for the write of a token; they show nothing about the lock"""
ASKED_MIN = 5
"""this number of consecutive refusals means that no client gets a lock"""
DECISIVE_MIN = 0.5
"""share of the refusals for which a grant would have been a certain violation; below it the clocks
decide nothing"""
APPARENT_S = 1.0
"""An overlap of the recorded times that lasts longer, and that only clock errors excuse, is not
taken for excused: clocks that are set by NTP differ by far less"""


@dataclass
class Hold:
    """A range that one client held, from the answer to its lock to the last that proves it; on the
    common clock.
    """

    client: str
    range: int
    token: str
    is_lasting: bool
    """taken before the start, to be held to the end"""
    start_s: float
    end_s: float
    error_s: float
    looks: int = 0
    foreign: str | None = None
    unwritten: bool = False
    """there was no room for its token: the file has an earlier one, and looks at it prove
    nothing"""
    lost: str | None = None
    released: bool = False

    @property
    def name(self) -> str:
        """The hold in words."""
        return f"{self.client}, range {self.range} from {self.start_s:.3f} s"


@dataclass(frozen=True)
class Overlap:
    """Two clients that held one range at once, if the clocks were right."""

    first: Hold
    second: Hold
    error_s: float
    """both clocks together may be wrong by this time"""

    @property
    def lasted_s(self) -> float:
        """Its length in seconds, by the clocks without their error."""
        return min(self.first.end_s, self.second.end_s) - self.second.start_s

    @property
    def is_certain(self) -> bool:
        """Whether the clocks' errors cannot explain it."""
        return (
            self.first.end_s - self.second.start_s > self.error_s
            and self.second.end_s - self.first.start_s > self.error_s
        )

    @property
    def text(self) -> str:
        """The overlap in words."""
        first = self.first
        second = self.second
        long = self.lasted_s > self.error_s
        lasting = f"for {self.lasted_s:.3f} s" if long else f"when {second.client} was granted it"
        return (
            f"{first.client} and {second.client} both held range {first.range} {lasting}, "
            f"from {second.start_s:.3f} s (clocks: {self.error_s:.3f} s)"
        )


def judge_locks(
    histories: Sequence[History], circumstances: Circumstances, findings: Findings
) -> None:
    """Everything that the histories show of locks."""
    held = [
        hold
        for item in histories
        for hold in holds(item.events, item.client, item.ahead_s, item.error_s)
    ]
    findings.count("holds", len(held))
    findings.count(
        "refused",
        sum(event["outcome"] == "refused" for item in histories for event in item.of("lock")),
    )
    findings.count("looks", sum(hold.looks for hold in held))
    for overlap in overlaps(held):
        if overlap.is_certain:
            findings.violate(Wrong.TWO_HOLDERS, overlap.text)
        elif overlap.lasted_s > APPARENT_S:
            findings.doubt(Unknown.CLOCKS, f"{overlap.text}: the clocks are too far apart to tell")
    if circumstances.settled_s is not None:
        _granted_again(histories, held, circumstances, circumstances.settled_s, findings)
    _contention(histories, held, findings)
    _progress(histories, findings)
    for hold in held:
        if hold.foreign is not None and not hold.lost:
            findings.violate(
                Wrong.FOREIGN_TOKEN,
                f"{hold.name}: the file had the token {hold.foreign!r} of another client",
            )
        if hold.lost:
            findings.lost_locks.append(f"{hold.name}: {hold.lost}")
    at_s = circumstances.disturbed[1] if circumstances.disturbed else None
    with_power = [item for item in histories if item.client not in circumstances.lost_power]
    for item in with_power:
        findings.kept_locks[item.client] = lasting_lock_state(
            [hold for hold in held if hold.client == item.client], at_s
        )


# ---- the holders


def holds(
    events: Iterable[Mapping[str, Any]], client: str, ahead_s: float, error_s: float
) -> list[Hold]:
    """Every hold of one client.

    It is certain from the answer to its lock until its unlock began; without one, until the
    beginning of the last look that showed its own token. A lock is lost when its holder gets an
    error of the storage: until then it could not know, and only its last good look counts.
    """
    by_token: dict[str, Hold] = {}
    for event in events:
        op = event.get("op")
        token = str(event.get("token"))
        if op == "lock" and event["outcome"] == "ok":
            start_s = event["end_ns"] / NS - ahead_s
            is_kept = bool(event["kept"]) and not any(item.is_lasting for item in by_token.values())
            by_token[token] = Hold(
                client, event["range"], token, is_kept, start_s, start_s, error_s
            )
        elif op in ("held", "unlock") and token in by_token:
            _follow(by_token[token], event, ahead_s)
    return list(by_token.values())


def _follow(hold: Hold, event: Mapping[str, Any], ahead_s: float) -> None:
    begin_s = event["begin_ns"] / NS - ahead_s
    if event["outcome"] == "error" and event["op"] == "held" and event.get("errno") in NO_ROOM:
        hold.unwritten = True
    elif event["outcome"] == "error":
        hold.lost = hold.lost or f"{event.get('errno')} of {event['op']}"
    elif event["op"] == "unlock":
        hold.released = True
        if not hold.lost:
            hold.end_s = max(hold.end_s, begin_s)
    elif hold.unwritten:
        return
    elif event["outcome"] == "foreign":
        hold.looks += 1
        hold.foreign = hold.foreign or str(event.get("seen"))
    elif not hold.lost:
        hold.looks += 1
        hold.end_s = max(hold.end_s, begin_s)


def overlaps(holds: Sequence[Hold]) -> Iterator[Overlap]:
    """Two holders of one range at once, by the recorded times."""
    ordered = sorted(holds, key=lambda item: (item.range, item.start_s))
    for index, first in enumerate(ordered):
        for second in ordered[index + 1 :]:
            if second.range != first.range or second.start_s > first.end_s:
                break
            if first.client != second.client:
                yield Overlap(first, second, first.error_s + second.error_s)


def lasting_lock_state(client_holds: Sequence[Hold], at_s: float | None) -> str:
    """For one client: whether the lock that it held before the fault was still its own at a look
    after it.
    """
    lasting = [hold for hold in client_holds if hold.is_lasting]
    if not lasting:
        return "unknown"
    hold = lasting[0]
    if hold.lost:
        return "lost"
    return "held" if hold.looks and (at_s is None or hold.end_s > at_s) else "unknown"


# ---- whether anything was tested


def _granted_again(
    histories: Sequence[History],
    held: Sequence[Hold],
    circumstances: Circumstances,
    settled_s: float,
    findings: Findings,
) -> None:
    """A range that no client holds is granted to a client that requests it, also a range that a
    client without power had held.
    """
    attempts: dict[int, list[Event]] = {}
    for item in histories:
        for event in item.of("lock"):
            if item.begin_s(event) - item.error_s > settled_s and event["outcome"] in (
                "ok",
                "refused",
            ):
                attempts.setdefault(event["range"], []).append(event)
    granted = sum(event["outcome"] == "ok" for events in attempts.values() for event in events)
    findings.count("granted after the fault", granted)
    busy = {
        hold.range
        for hold in held
        if hold.client not in circumstances.lost_power and hold.end_s >= settled_s
    }
    for number, events in sorted(attempts.items()):
        if (
            len(events) >= ASKED_MIN
            and number not in busy
            and all(event["outcome"] == "refused" for event in events)
        ):
            text = (
                f"range {number} was refused to all {len(events)} who asked, and no client held it"
            )
            findings.violate(Wrong.NEVER_FREED, text)


def _contention(histories: Sequence[History], held: Sequence[Hold], findings: Findings) -> None:
    """Exclusion is shown by refusals while another client held the range, and by ranges that change
    hands.
    """
    apparent = 0
    decisive = 0
    by_range: dict[int, list[Hold]] = {}
    for hold in held:
        by_range.setdefault(hold.range, []).append(hold)
    for item in histories:
        for event in item.of("lock"):
            if event["outcome"] == "refused":
                others = [
                    hold for hold in by_range.get(event["range"], ()) if hold.client != item.client
                ]
                apparent += any(_within(hold, item.end_s(event), 0.0) for hold in others)
                decisive += any(
                    _within(hold, item.end_s(event), hold.error_s + item.error_s) for hold in others
                )
    shared = sorted(
        (hold for hold in held if not hold.is_lasting), key=lambda hold: (hold.range, hold.start_s)
    )
    passed = sum(
        one.range == next_.range and one.client != next_.client for one, next_ in pairwise(shared)
    )
    findings.count("passed on", passed)
    if not apparent:
        findings.doubt(Unknown.NO_CONTENTION, "no client was refused a range while another held it")
    elif decisive < DECISIVE_MIN * apparent:
        error_s = max(item.error_s for item in histories)
        text = (
            f"only {decisive} of {apparent} refusals are certain to have come while another client "
            "held the range"
        )
        findings.doubt(Unknown.CLOCKS, f"{text}: a clock may be wrong by {error_s:.3g} s")
    if not passed:
        findings.doubt(Unknown.NO_CONTENTION, "no range passed from one client to another")


def _within(hold: Hold, at_s: float, error_s: float) -> bool:
    """Whether a lock that was granted at this time would have been a second holder."""
    return hold.end_s - at_s > error_s and at_s - hold.start_s > error_s


@dataclass(frozen=True)
class Attempt:
    """At a range for which all contend."""

    at_s: float
    is_granted: bool


def _progress(histories: Sequence[History], findings: Findings) -> None:
    """Some client gets one of the ranges for which all contend, to the end."""
    attempts = [
        Attempt(item.end_s(event), event["outcome"] == "ok")
        for item in histories
        for event in item.of("lock")
        if not event["kept"] and event["outcome"] in ("ok", "refused")
    ]
    last_s = max((attempt.at_s for attempt in attempts if attempt.is_granted), default=None)
    refused = sum(last_s is None or attempt.at_s > last_s for attempt in attempts)
    # All clients that wait for one holder may be refused at once.
    turns = 1 if last_s is None else len(histories)
    if refused >= ASKED_MIN * turns:
        findings.doubt(
            Unknown.NO_PROGRESS,
            f"the last {refused} attempts at the common ranges were all refused",
        )
