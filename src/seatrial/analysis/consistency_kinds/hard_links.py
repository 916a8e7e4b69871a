"""`hard-links`: of all clients that link a file to one name, one wins, and link counts agree.

The promised semantics are as follows. link(2) (POSIX.1-2017) makes the new name and raises the link
count in one step, and fails with EEXIST where the name exists. open(2) on O_EXCL: a client that
links its own file to a lock file, and finds its link count at 2, has won, whatever link() returned.
The count is correct where the answer to LINK was lost (RFC 1813, sections 3.3.15 and 4.5; RFC 8881,
section 2.10.6). CephFS and GFS2 keep POSIX here. A name that was not synced may be undone by the
crash of a client that keeps the file system's journal itself (GFS2); NFS syncs names before it
answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History, in_doubt
from seatrial.analysis.looks import (
    evidence,
    may_be_undone,
    own_name_exists,
    unexplained,
    unknown_names,
)
from seatrial.analysis.reasons import Unknown as Open

NEEDED = ("links", "contended")
FILES = ()


class Reason(StrEnum):
    """The violations."""

    WON_TWICE = "won-twice"
    WON_BY_NONE = "won-by-none"
    WRONG_COUNT = "wrong-count"
    """a link count that the names of the file do not explain"""
    DENIED_THOUGH_DONE = "denied-though-done"
    """EEXIST, and the link is one's own"""
    NO_CAUSE = "no-cause"
    """EEXIST or ENOENT of a name that only this client touches"""
    LOST = "lost"
    NOT_REMOVED = "not-removed"


@dataclass
class OwnFile:
    """One client's file of one turn."""

    client: History
    item: str
    name: str = ""
    events: dict[str, Event] = field(default_factory=dict)
    """by request: create, link, links, unlink"""

    def was(self, op: str, *outcomes: str) -> bool:
        """Whether the client sent this request, with one of these answers."""
        return op in self.events and self.events[op]["outcome"] in outcomes

    def in_doubt(self, op: str, circumstances: Circumstances) -> bool:
        """Whether the answer to this may be that to a request that was sent again."""
        return in_doubt(self.client, self.events[op], circumstances)

    @property
    def unsure(self) -> bool:
        """An operation failed, or it is the last file of a history that is cut."""
        failed = any(event["outcome"] == "error" for event in self.events.values())
        return failed or (self.client.cut and self.client.events[-1] in self.events.values())

    @property
    def has_won(self) -> bool | None:
        """By its link count, or else by the answer; None where neither is known."""
        if self.was("links", "ok"):
            return bool(self.events["links"]["links"] == 2)
        return True if self.was("link", "won") else None

    @property
    def text(self) -> str:
        """The file in words."""
        return f"{self.client.client}: {self.item}"


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Every file that was linked, and every name that was contended for."""
    findings = evidence(histories, circumstances)
    by_name: dict[str, list[OwnFile]] = {}
    for item in histories:
        for own_file in _own_files(item):
            if own_file.name:
                by_name.setdefault(own_file.name, []).append(own_file)
            findings.count("links", int(own_file.was("links", "ok")))
            _judge_own_file(own_file, circumstances, findings)
    findings.count("contended", sum(len(own_files) > 1 for own_files in by_name.values()))
    for name, own_files in sorted(by_name.items()):
        _judge_name(name, own_files, circumstances, findings)
    made = {event["item"] for item in histories for event in item.of("create")}
    unknown_names(findings, Reason.NO_CAUSE, histories, circumstances, made | set(by_name))
    return findings


def _own_files(item: History) -> list[OwnFile]:
    """Every file of one client, with its requests."""
    own_files: dict[str, OwnFile] = {}
    for event in item.of("create", "link", "links", "unlink"):
        own_file = own_files.setdefault(event["item"], OwnFile(item, event["item"]))
        own_file.events[event["op"]] = event
        own_file.name = event.get("name", own_file.name)
    return list(own_files.values())


def _judge_own_file(own_file: OwnFile, circumstances: Circumstances, findings: Findings) -> None:
    """The answers that one client got for its own file."""
    if "create" in own_file.events:
        created = own_file.events["create"]
        own_name_exists(
            findings,
            Reason.NO_CAUSE,
            own_file.text,
            own_file.client,
            created,
            circumstances=circumstances,
        )
    if own_file.was("link", "missing") or own_file.was("links", "missing"):
        findings.violate(Reason.LOST, f"{own_file.text}: ENOENT of an existing file")
    if own_file.was("unlink", "missing"):
        text = f"{own_file.text}: ENOENT of a name that only this client removes"
        unexplained(
            findings, Reason.NO_CAUSE, text, sent_again=own_file.in_doubt("unlink", circumstances)
        )
    if not own_file.was("links", "ok"):
        return
    links = own_file.events["links"]["links"]
    if own_file.was("link", "won") and links != 2:
        findings.violate(
            Reason.WRONG_COUNT,
            f"{own_file.text}: link count {links} after it was linked to {own_file.name}",
        )
    elif links not in (1, 2):
        findings.violate(
            Reason.WRONG_COUNT,
            f"{own_file.text}: link count {links} of a file with one or two names",
        )
    elif own_file.was("link", "exists") and links == 2:
        text = (
            f"{own_file.text}: EEXIST of {own_file.name}, "
            "and the link count shows that it was linked"
        )
        unexplained(
            findings,
            Reason.DENIED_THOUGH_DONE,
            text,
            sent_again=own_file.in_doubt("link", circumstances),
        )


def _judge_name(
    name: str, own_files: Sequence[OwnFile], circumstances: Circumstances, findings: Findings
) -> None:
    """One name that every client linked to: one won it, and in the end it is that client's file."""
    winners = [own_file for own_file in own_files if own_file.has_won]
    undone = any(_may_be_undone(own_file, circumstances) for own_file in own_files)
    unsure = any(own_file.unsure or own_file.has_won is None for own_file in own_files)
    if len(winners) > 1 and not undone:
        who = " and ".join(own_file.client.client for own_file in winners)
        findings.violate(Reason.WON_TWICE, f"{name} was won by {who}")
        return
    if not winners and not unsure and not undone:
        findings.violate(
            Reason.WON_BY_NONE,
            f"{name}: EEXIST for all {len(own_files)} who tried, and none of them has it",
        )
        return
    if circumstances.final is None:
        return
    for own_file in own_files:
        wrong = _wrong_at_end(own_file, name, circumstances, won=own_file in winners)
        if wrong is None:
            continue
        if undone:
            findings.count("undone by a crash")
        elif unsure:
            findings.doubt(Open.WRITER_FAILED, f"{wrong[1]}; some outcome is not known")
        else:
            findings.violate(*wrong)


def _wrong_at_end(
    own_file: OwnFile, name: str, circumstances: Circumstances, *, won: bool
) -> tuple[Reason, str] | None:
    """The content of the storage in the end that does not fit the answers that a client got."""
    inodes = circumstances.final.inodes if circumstances.final else {}
    removed = own_file.was("unlink", "ok", "missing")
    if removed and own_file.item in inodes:
        return Reason.NOT_REMOVED, f"{own_file.text} was removed, and exists in the end"
    if not removed and own_file.item not in inodes:
        return Reason.LOST, f"{own_file.text} does not exist in the end"
    if won and name not in inodes:
        return (
            Reason.LOST,
            f"{name} was won by {own_file.client.client}, and does not exist in the end",
        )
    names = [own_file.item] * (not removed) + [name] * won
    for entry in names:
        if inodes[entry].links != len(names):
            text = (
                f"{entry}: link count {inodes[entry].links} in the end of a file with {len(names)} "
                "names"
            )
            return Reason.WRONG_COUNT, text
    return None


def _may_be_undone(own_file: OwnFile, circumstances: Circumstances) -> bool:
    return any(
        may_be_undone(own_file.client, event, circumstances) for event in own_file.events.values()
    )
