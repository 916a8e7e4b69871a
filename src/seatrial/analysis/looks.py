"""Common parts of several kinds: the numbers that a look must, may and cannot have seen, and the
explanations of an error.

A writer numbers its operations; a reader notes which number it saw. On the common clock each client
is wrong by at most its clock error: only observations that are certain in spite of both errors
count. Where the errors are larger than the time between the operations nothing is certain, no look
is judged, and the answer is `unknown` (`clocks`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History, in_doubt
from seatrial.analysis.naming import UNDONE_S
from seatrial.analysis.neighbours import AnsweredLook, answered_looks
from seatrial.analysis.reasons import Unknown

SHOWN_MIN = 0.5
"""share of a reader's looks that must have an answer: below it, its view is unknown"""
LEFT_TO_JUDGE_MIN = 5
"""this number of answered looks without a certain one means that the clocks are too far apart"""


@dataclass(frozen=True)
class Certainty:
    """The certain facts about a writer's operations at the time of one look."""

    closed: int | None
    """the highest number that had certainly been acknowledged before the look began"""
    begun_max: int | None
    """the highest number that may have begun before it ended"""
    quiet: bool
    """no operation may have been under way, and none had failed that may still be done"""
    failed: frozenset[int]
    """numbers of operations that may have begun, and ended in an error"""

    def may_show(self, number: int) -> bool:
        """Whether the look may show this number."""
        lowest = -1 if self.closed is None else self.closed
        return number in self.failed or (
            self.begun_max is not None and lowest <= number <= self.begun_max
        )


def certainty(writer: History, op: str, key: str, reader: History, look: Event) -> Certainty:
    """The certainty for one look; the operations `op` of the writer are numbered upwards by their
    field `key`.
    """
    error_s = writer.error_s + reader.error_s
    from_s = reader.begin_s(look) - error_s
    until_s = reader.end_s(look) + error_s
    events = writer.of(op)
    begun_events = [event for event in events if writer.begin_s(event) <= until_s]
    closed = [
        event[key]
        for event in begun_events
        if event["outcome"] == "ok" and writer.end_s(event) < from_s
    ]
    failed = frozenset(event[key] for event in begun_events if event["outcome"] != "ok")
    highest = max((event[key] for event in begun_events), default=None)
    cut = writer.cut and len(begun_events) == len(events)
    if cut:  # one more operation may have begun without an entry in the log
        highest = 0 if highest is None else highest + 1
    under_way = any(
        event["outcome"] == "ok" and writer.end_s(event) >= from_s for event in begun_events
    )
    return Certainty(max(closed, default=None), highest, not (under_way or failed or cut), failed)


@dataclass(frozen=True)
class Look(AnsweredLook):
    """A look at the file of a neighbour, and the certain state of that file then."""

    facts: Certainty


def looks(histories: Sequence[History], op: str, key: str) -> Iterator[Look]:
    """Every look that was answered; the operations `op` of a writer are numbered by their field
    `key`.
    """
    for look in answered_looks(histories):
        facts = certainty(look.writer, op, key, look.reader, look.event)
        yield Look(look.reader, look.writer, look.before, look.event, facts)


def asked_nothing(look: Look, shown: Sequence[str], *, server_had_it: bool) -> bool:
    """Whether a look that saw too little is the one open that Linux 5.16 and later may answer
    without the server.

    The history has to contain each of these facts (docs/nfs3-reader/README.md). The protocol is
    NFSv3. The look before found the name by a LOOKUP. Since then this look is the first, and its
    mount sent neither GETATTR nor LOOKUP. It showed the same as the look before (the fields
    `shown`). A request right after showed that the server had the missing data.
    """
    before = look.before
    event = look.event
    return (
        before is not None
        and event.get("nfs_version") == "3"
        and event.get("getattr_calls") == 0
        and event.get("lookup_calls") == 0
        and (before.get("lookup_calls") or 0) > 0
        and before["outcome"] == event["outcome"]
        and all(before.get(key) == event.get(key) for key in shown)
        and server_had_it
    )


def unexplained(findings: Findings, reason: StrEnum, text: str, *, sent_again: bool) -> None:
    """An answer that only a request that was done twice explains: a doubt where it may have been
    sent again.

    NFSv4.1 sessions do each request once as long as the server keeps its reply cache (RFC 8881,
    section 2.10.6); NFSv3 has only the duplicate request cache, which no restart survives (RFC
    1813, section 4.5).
    """
    if sent_again:
        findings.doubt(Unknown.SENT_AGAIN, f"{text}; it may answer a request that was sent again")
    else:
        findings.violate(reason, text)


def own_name_exists(
    findings: Findings,
    reason: StrEnum,
    text: str,
    item: History,
    event: Event,
    *,
    circumstances: Circumstances,
) -> None:
    """EEXIST of a name that only this client makes: a doubt where the request may have been sent
    again. Any other outcome is no finding.
    """
    if event["outcome"] == "exists":
        problem = f"{text}: EEXIST of a name that only this client makes"
        unexplained(findings, reason, problem, sent_again=in_doubt(item, event, circumstances))


def unknown_names(
    findings: Findings,
    reason: StrEnum,
    histories: Sequence[History],
    circumstances: Circumstances,
    created: set[str],
) -> None:
    """Names in the end that no client created; one more operation of a history that is cut may have
    made them.
    """
    cut = any(item.cut for item in histories)
    for name in sorted(
        (circumstances.final.names if circumstances.final else frozenset()) - created
    ):
        if cut:
            findings.count("made by what was not noted")
        else:
            findings.violate(reason, f"{name} exists in the end, and no client created it")


def may_be_undone(item: History, event: Event, circumstances: Circumstances) -> bool:
    """Whether a crash may have taken back a change of names, not synced, of a client that keeps the
    journal itself.
    """
    if item.client not in circumstances.forgetful or circumstances.disturbed is None:
        return False
    return item.end_s(event) + item.error_s > circumstances.disturbed[0] - UNDONE_S


def evidence(
    histories: Sequence[History], circumstances: Circumstances, *, looks_at_end: bool = True
) -> Findings:
    """The initial findings: the missing facts without which no judgement is possible."""
    findings = Findings()
    if looks_at_end and circumstances.final is None:
        findings.doubt(Unknown.NO_END, "what the storage holds in the end could not be looked at")
    for item in histories:
        if not item.events:
            findings.doubt(Unknown.NO_HISTORY, f"the history of {item.client} is not there")
        elif item.cut and item.client not in circumstances.lost_power:
            findings.doubt(Unknown.CUT_HISTORY, f"the history of {item.client} is cut")
    return findings


def enough_looks(histories: Sequence[History], findings: Findings, judged: int) -> None:
    """Doubt findings that rest on too few looks: most looks of a reader failed, or the clocks are
    too far apart to judge any.
    """
    answered = 0
    for item in histories:
        tried = item.of("read")
        shown = sum(look["outcome"] != "error" for look in tried)
        answered += shown
        if shown < SHOWN_MIN * len(tried):
            text = f"{item.client}: only {shown} of {len(tried)} looks were answered"
            findings.doubt(Unknown.FEW_ANSWERS, text)
    if answered >= LEFT_TO_JUDGE_MIN and judged == 0:
        error_s = max(item.error_s for item in histories)
        text = f"none of {answered} looks can be judged: a clock may be wrong by {error_s:.3g} s"
        findings.doubt(Unknown.CLOCKS, text)
