"""The clients' views of one another's files: numbered records that were appended, generations that
were overwritten.

A writer numbers its writes from 0 up. A reader opens the file and notes the numbers that it saw.
Both are judged by the same rules. An open shows everything that was synced and closed before it
(close-to-open: nfs(5); RFC 8881, section 10.3.1). One reader never sees less than before
("monotonic reads" of Jepsen). No data is seen before its writing began, and in the end the file has
no data that no client wrote ("G1a", "G1b" of Adya and of Elle: aborted and intermediate reads).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.neighbours import AnsweredLook, answered_looks
from seatrial.analysis.reasons import Unknown, Wrong

UNASKED = (
    "its NFSv3 mount had sent no GETATTR and no LOOKUP for it, and right after the server had all"
)
STALE_S = 3.0
"""Attributes of files are cached at least this long by default (nfs(5), acregmin): the age of view
that is tested"""
DECISIVE_MIN = 0.5
"""share of the looks with something new to show at which a view of that age would have been a
certain violation"""
_SHOWN = ("size_bytes", "highest", "missing", "torn", "generation")
"""the fields with the content that a look showed"""


@dataclass(frozen=True)
class Numbered:
    """The names that one consistency test uses for its writes."""

    op: str
    key: str


class Writings:
    """The writes of one client, sorted once for all the looks at them."""

    def __init__(self, history: History, what: Numbered) -> None:
        """From its operations of one kind."""
        self.events = history.of(what.op)
        done = sorted(
            (history.end_s(event), event[what.key])
            for event in self.events
            if event["outcome"] == "ok"
        )
        begun_events = sorted((history.begin_s(event), event[what.key]) for event in self.events)
        self._done_s = [at_s for at_s, _ in done]
        self._done = [int(number) for _, number in done]
        self._done_max = list(accumulate(self._done, max))
        self._begun_s = [at_s for at_s, _ in begun_events]
        self._begun_max = list(accumulate((int(number) for _, number in begun_events), max))

    def acknowledged(self, before_s: float) -> list[int]:
        """The numbers that had been acknowledged before this time."""
        return self._done[: bisect_left(self._done_s, before_s)]

    def acknowledged_max(self, before_s: float) -> int:
        """The highest of them; -1 where none had."""
        done = bisect_left(self._done_s, before_s)
        return self._done_max[done - 1] if done else -1

    def begun_max(self, until_s: float) -> int:
        """The highest number that had been begun by this time; -1 for none."""
        begun = bisect_right(self._begun_s, until_s)
        return self._begun_max[begun - 1] if begun else -1

    def have_all_begun(self, until_s: float) -> bool:
        """Whether none is noted that began later."""
        return not self._begun_s or self._begun_s[-1] <= until_s


@dataclass(frozen=True)
class Look(AnsweredLook):
    """A look at the file of a neighbour, and the neighbour's writes to it."""

    what: Numbered
    written: Writings

    @property
    def error_s(self) -> float:
        """Both clocks together may be wrong by this time, in seconds."""
        return self.reader.error_s + self.writer.error_s

    def acknowledged(self) -> list[int]:
        """The numbers that had certainly been acknowledged before it began."""
        return self.written.acknowledged(self.reader.begin_s(self.event) - self.error_s)

    def acknowledged_max(self) -> int:
        """The highest of them; -1 where none had."""
        return self.written.acknowledged_max(self.reader.begin_s(self.event) - self.error_s)

    def apparent_max(self) -> int:
        """The same, if the clocks were right."""
        return self.written.acknowledged_max(self.reader.begin_s(self.event))

    def begun_max(self) -> int:
        """The highest number that may have begun to be written before it ended; -1 where
        none had.
        """
        until_s = self.reader.end_s(self.event) + self.error_s
        not_noted = _not_noted(self.writer, all_begun=self.written.have_all_begun(until_s))
        return self.written.begun_max(until_s) + not_noted

    def is_disturbed_by_writer(self) -> bool:
        """Whether the writer may have been at work, or may still be: a failed write may still
        arrive.
        """
        return self.writer.cut or any(self._meets(event) for event in self.written.events)

    def _meets(self, event: Event) -> bool:
        has_begun = self.writer.begin_s(event) - self.error_s <= self.reader.end_s(self.event)
        ended_s = self.writer.end_s(event) + self.error_s
        return has_begun and (
            event["outcome"] != "ok" or ended_s >= self.reader.begin_s(self.event)
        )


def _not_noted(writer: History, *, all_begun: bool) -> int:
    """The number of operations that a history may lack: one for a history that is cut."""
    return int(writer.cut and all_begun)


def looks(histories: Sequence[History], what: Numbered) -> Iterator[Look]:
    """Every look that was answered, in the order of each reader."""
    written = {item.index: Writings(item, what) for item in histories}
    for look in answered_looks(histories):
        if look.writer.events:
            of_writer = written[look.writer.index]
            yield Look(look.reader, look.writer, look.before, look.event, what, of_writer)


# ---- common parts


class Sightings:
    """The numbers that one reader has seen in one writer's file."""

    def __init__(self) -> None:
        """Begin without any number."""
        self.at: dict[int, Look] = {}
        """number -> the last look that showed it"""

    @property
    def writer(self) -> History | None:
        """The writer of the data that it saw."""
        return next((look.writer for look in self.at.values()), None)

    def note(self, look: Look, numbers: frozenset[int]) -> None:
        """A look showed these."""
        for number in numbers:
            self.at[number] = look

    def forget(self, numbers: Sequence[int]) -> None:
        """The loss of these numbers has been reported."""
        for number in numbers:
            self.at.pop(number, None)


def went_back(
    look: Look,
    sightings: Sightings,
    missing: Sequence[int],
    circumstances: Circumstances,
    findings: Findings,
) -> None:
    """A reader no longer sees data that it saw: each number is reported once."""
    for number in missing:
        earlier = sightings.at[number]
        text = f"{look.text} and no longer saw {look.what.key} {number}, which it had seen before"
        _judge_disappearance(
            Disappearance(earlier, number, look.reader.end_s(look.event) + look.error_s, text),
            circumstances,
            findings,
        )
    sightings.forget(missing)


def missing_at_end(
    item: History,
    still: frozenset[int],
    seen: Sequence[Sightings],
    circumstances: Circumstances,
    findings: Findings,
) -> None:
    """The last data that a reader saw exists in the end."""
    for sightings in seen:
        for number in sorted(set(sightings.at) - still):
            earlier = sightings.at[number]
            text = f"{item.client}: {earlier.what.key} {number} was seen by {earlier.reader.client}"
            _judge_disappearance(
                Disappearance(
                    earlier, number, float("inf"), f"{text}, and is not there in the end"
                ),
                circumstances,
                findings,
            )


@dataclass(frozen=True)
class Disappearance:
    """Data that a reader had seen, and that no longer exists."""

    earlier: Look
    """that showed it"""
    number: int
    until_s: float
    """when it no longer existed; infinite: in the end"""
    text: str


def _judge_disappearance(
    vanished: Disappearance, circumstances: Circumstances, findings: Findings
) -> None:
    """Data that was seen is gone: only a fault between may explain it, and only before it had been
    acknowledged.

    A server may show data that it holds in memory alone (WRITE with UNSTABLE4, RFC 8881, section
    18.32; RFC 1813, section 3.3.7). When it crashes, the writer notices by the verifier and writes
    it again before it is acknowledged.
    """
    writer = vanished.earlier.writer
    what = vanished.earlier.what
    event = next(
        (event for event in writer.of(what.op) if event[what.key] == vanished.number), None
    )
    acknowledged = event is not None and event["outcome"] == "ok"
    acknowledged_s = (
        writer.end_s(event) + writer.error_s if event is not None and acknowledged else float("inf")
    )
    disturbed = circumstances.disturbed
    if (
        disturbed is None
        or not _may_be_between(disturbed, vanished)
        or acknowledged_s < disturbed[0]
    ):
        findings.violate(
            Wrong.WENT_BACK if vanished.until_s < float("inf") else Wrong.LOST, vanished.text
        )
    elif acknowledged:
        findings.count("seen before they were stable")
    else:
        text = f"{vanished.text}; it had not been acknowledged when the fault began"
        findings.doubt(Unknown.UNSTABLE, text)


def _may_be_between(disturbed: tuple[float, float], vanished: Disappearance) -> bool:
    """Whether the fault may have come between the look and its opposite."""
    reader = vanished.earlier.reader
    event = vanished.earlier.event
    return (
        reader.begin_s(event) - reader.error_s <= disturbed[1] and vanished.until_s >= disturbed[0]
    )


def never_written(
    item: History, present: Sequence[int], what: Numbered, findings: Findings
) -> None:
    """In the end the file has no data that its writer did not begin."""
    if not item.events:
        return
    highest_begun = max((event[what.key] for event in item.of(what.op)), default=-1) + _not_noted(
        item, all_begun=True
    )
    beyond = [number for number in present if number > highest_begun]
    if beyond:
        text = (
            f"{item.client}: the file holds {what.key} {max(beyond)} in the end, which no client "
            "wrote"
        )
        findings.violate(Wrong.NOT_WRITTEN, text)


def unknown_names(
    prefix: str, histories: Sequence[History], circumstances: Circumstances, findings: Findings
) -> None:
    """Names in the end that belong to no client."""
    expected = {f"{prefix}{item.index}" for item in histories}
    for name in sorted(
        (circumstances.final.names if circumstances.final else frozenset()) - expected
    ):
        findings.violate(Wrong.NOT_MADE, f"{name} exists, and no client made it")


@dataclass(frozen=True)
class Seen:
    """The highest number that a look showed."""

    at_s: float
    number: int


def require_tested(
    histories: Sequence[History],
    what: Numbered,
    shown: Callable[[Event], int | None],
    findings: Findings,
) -> None:
    """Doubt looks that together could not, or not often enough, show that a reader saw an old view.

    A look tests something when the file has more than the reader saw at its look before, or within
    the last 3 s. It is decisive when that is certain in spite of the clocks: the old view would
    then have been a violation.
    """
    answered = 0
    apparent = 0
    decisive = 0
    recent: dict[int, list[Seen]] = {}
    for look in looks(histories, what):
        answered += 1
        begin_s = look.reader.begin_s(look.event)
        earlier = recent.get(look.reader.index, [])
        within = [item for item in earlier[:-1] if item.at_s >= begin_s - STALE_S] + earlier[-1:]
        old = min((item.number for item in within), default=-1)
        apparent += look.apparent_max() > old
        decisive += look.acknowledged_max() > old
        number = shown(look.event)
        recent[look.reader.index] = [*within, *([] if number is None else [Seen(begin_s, number)])]
    findings.count("reads of something new", decisive)
    if answered and not apparent:
        findings.doubt(Unknown.NOTHING_NEW, f"none of {answered} looks had anything new to show")
    elif decisive < DECISIVE_MIN * apparent:
        error_s = max(item.error_s for item in histories)
        undecided = f"only {decisive} of {apparent} looks could have proved an old view"
        findings.doubt(Unknown.CLOCKS, f"{undecided}: a clock may be wrong by {error_s:.3g} s")


def is_unasked(look: Look, at_server_bytes: int) -> bool:
    """Whether a look that saw too little is the one open that Linux 5.16 and later may answer
    without the server.

    The history has to contain each of these facts. The mount is of version 3. The look before found
    the name by a LOOKUP. Since then this look is the first, and from before its open to after its
    read the mount sent neither GETATTR nor LOOKUP. It showed the same as the look before. A request
    right after showed that the server had at least the acknowledged data.
    """
    before = look.before
    read = look.event
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
