"""`retried`: mkdir, rename, rmdir, create and unlink are done once, though their requests may be
sent twice.

The promised semantics are as follows. mkdir(2), rmdir(2), rename(2), unlink(2) and open(2) with
O_EXCL (POSIX.1-2017) fail with EEXIST only where the name exists, and with ENOENT only where it
does not. Here only one client uses a name. Either error then has one possible cause: a request was
done, its answer was lost, and it was sent again.

NFSv4.1 does each request once as long as the server keeps its reply cache (RFC 8881, section
2.10.6). NFSv3 has only a duplicate request cache, which no restart survives (RFC 1813, section
4.5): while answers may have been lost such an error is `sent-again`. CephFS's clients number their
requests, and its MDS knows the numbers that are done, over a failover too.

An acknowledged change is present in the end: NFS changes names on stable storage before it answers
(RFC 1813, section 4.8). Names that were not synced may be undone by the crash of a client that
keeps the file system's journal itself (GFS2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History, in_doubt
from seatrial.analysis.looks import evidence, may_be_undone, unexplained, unknown_names
from seatrial.analysis.reasons import Unknown as Open

NEEDED = ("made", "renamed", "removed")
FILES = ()
_DONE = ("ok", "exists", "missing")
"""answers after which a request has been done, now or by an earlier copy of it"""
_COUNTED = {
    "mkdir": "made",
    "create": "made",
    "rename": "renamed",
    "rmdir": "removed",
    "unlink": "removed",
}


class Reason(StrEnum):
    """The violations."""

    NO_CAUSE = "no-cause"
    """EEXIST or ENOENT of a name that only this client touches"""
    NOT_DONE = "not-done"
    """the state in the end does not have an acknowledged change"""


@dataclass(frozen=True)
class Chain:
    """The requests of one client for one name, in their order."""

    item: str
    events: tuple[Event, ...]

    @property
    def name(self) -> str | None:
        """The name that it has after the last answer; None where it has none."""
        letter = None
        after = {"mkdir": "d", "rename": "e", "rmdir": None, "create": "f", "unlink": None}
        for event in self.events:
            letter = after[event["op"]] if event["outcome"] in _DONE else letter
        return None if letter is None else f"{letter}{self.item}"

    @property
    def names(self) -> tuple[str, ...]:
        """All that it may have."""
        letters = "f" if self.events[0]["op"] in ("create", "unlink") else "de"
        return tuple(f"{letter}{self.item}" for letter in letters)

    @property
    def unsure(self) -> bool:
        """An operation ended in an error, and may have been done."""
        return any(event["outcome"] == "error" for event in self.events)


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Every answer of every client, and the names in the end."""
    findings = evidence(histories, circumstances)
    created: set[str] = set()
    for item in histories:
        for event in item.of(*_COUNTED):
            findings.count(_COUNTED[event["op"]], int(event["outcome"] in _DONE))
            if event["outcome"] in ("exists", "missing"):
                errno = "EEXIST" if event["outcome"] == "exists" else "ENOENT"
                text = (
                    f"{item.client}: {errno} of {event['op']}, item {event['item']}, which only "
                    "this client touches"
                )
                unexplained(
                    findings, Reason.NO_CAUSE, text, sent_again=in_doubt(item, event, circumstances)
                )
        for chain in _chains(item):
            created |= set(chain.names)
            if circumstances.final is not None:
                _judge_end(item, chain, circumstances, findings)
    unknown_names(findings, Reason.NOT_DONE, histories, circumstances, created)
    return findings


def _chains(item: History) -> list[Chain]:
    """The directory and the file of each turn apart."""
    chains: dict[tuple[str, bool], list[Event]] = {}
    for event in item.of(*_COUNTED):
        chains.setdefault((event["item"], event["op"] in ("create", "unlink")), []).append(event)
    return [Chain(name, tuple(events)) for (name, _), events in chains.items()]


def _judge_end(
    item: History, chain: Chain, circumstances: Circumstances, findings: Findings
) -> None:
    """The name that a thing has in the end is the one of the last answer."""
    names = circumstances.final.names if circumstances.final else frozenset()
    present = {name for name in chain.names if name in names}
    expected = set() if chain.name is None else {chain.name}
    last = item.cut and chain.events[-1] is item.of(*_COUNTED)[-1]
    if present == expected:
        return
    text = (
        f"{item.client}: item {chain.item} has the names {_listed(present)} in the end, and not "
        f"{_listed(expected)}"
    )
    if any(may_be_undone(item, event, circumstances) for event in chain.events):
        findings.count("undone by a crash")
    elif chain.unsure or last:
        findings.doubt(Open.WRITER_FAILED, text)
    else:
        findings.violate(Reason.NOT_DONE, text)


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names)) or "none"
