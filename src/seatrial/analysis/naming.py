"""Names that many clients make and change: each is won once, and renamed once.

O_CREAT with O_EXCL is atomic: one of all clients that create a name makes it, the others get EEXIST
(open(2); RFC 8881, section 18.16, GUARDED4 and EXCLUSIVE4_1). rename(2) is atomic: at any time an
item has one of its two names. Each name is a register that is written once: EEXIST before the
create that made it had begun is no order of operations that fits one storage ("linearizability",
Herlihy and Wing).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.analysis.histories import (
    RETRANSMITTED,
    Circumstances,
    Event,
    Findings,
    History,
    in_doubt,
)
from seatrial.analysis.reasons import Unknown, Wrong

SYNC_S = 30.0
"""GFS2 writes its journal at least this often by default (gfs2(5), commit; ar_commit in
fs/gfs2/ops_fstype.c)"""
WRITTEN_S = 5.0
"""the time in which a busy disk writes a journal"""
UNDONE_S = SYNC_S + WRITTEN_S
"""older changes have survived a crash"""


# ---- exclusive


def exclusive(
    histories: Sequence[History], circumstances: Circumstances, findings: Findings
) -> None:
    """One of the clients that create a name with O_EXCL wins, and the name exists."""
    tries: dict[str, list[_Attempt]] = {}
    for item in histories:
        for event in item.of("create"):
            tries.setdefault(event["name"], []).append(_Attempt(item, event))
    findings.count("names", len(tries))
    findings.count("contended", sum(len(attempts) > 1 for attempts in tries.values()))
    cut = any(item.cut for item in histories)
    for name, attempts in tries.items():
        _one_winner(name, attempts, circumstances, findings, cut=cut)
    for name in sorted(
        (circumstances.final.names if circumstances.final else frozenset()) - set(tries)
    ):
        _unknown_name(f"{name} exists, and no client tried to create it", findings, cut=cut)


def _unknown_name(text: str, findings: Findings, *, cut: bool) -> None:
    """A name in the end that no history has; of one that is cut, an operation is missing that may
    have made it.
    """
    if cut:
        findings.doubt(Unknown.WRITER_FAILED, f"{text}; a history is cut")
    else:
        findings.violate(Wrong.NOT_MADE, text)


@dataclass(frozen=True)
class _Attempt:
    """A client's attempt to create a name."""

    history: History
    event: Event

    @property
    def client(self) -> str:
        """Its client."""
        return self.history.client

    @property
    def outcome(self) -> str:
        """`won`, `exists` or `error`."""
        return str(self.event["outcome"])

    @property
    def latest_end_s(self) -> float:
        """The time at which it had certainly ended, on the common clock."""
        return self.history.end_s(self.event) + self.history.error_s

    def is_certainly_before(self, other: "_Attempt") -> bool:
        """Whether it had ended before the other began, for any clock errors."""
        latest_end_s = self.latest_end_s + other.history.error_s
        return latest_end_s < other.history.begin_s(other.event)

    def is_in_doubt(self, circumstances: Circumstances) -> bool:
        """See `in_doubt`."""
        return in_doubt(self.history, self.event, circumstances)


def _one_winner(
    name: str,
    attempts: Sequence[_Attempt],
    circumstances: Circumstances,
    findings: Findings,
    *,
    cut: bool,
) -> None:
    exists = circumstances.final is not None and name in circumstances.final.names
    _too_early(name, attempts, circumstances, findings, cut=cut)
    winners = _winners(attempts, circumstances, findings, exists=exists)
    if winners is None:
        return
    if len(winners) > 1:
        findings.violate(Wrong.WON_TWICE, f"{name} was won by {' and '.join(winners)}")
    if winners:
        if circumstances.final is not None and not exists:
            findings.violate(Wrong.NAME_LOST, f"{name} was won by {winners[0]} and is not there")
        return
    outcomes = {attempt.outcome for attempt in attempts}
    if "error" in outcomes or cut:
        if exists or "exists" in outcomes:
            findings.doubt(Unknown.WRITER_FAILED, f"{name} exists, and some outcome is not known")
        return
    clients = ", ".join(attempt.client for attempt in attempts)
    text = f"{name}: EEXIST for all who tried, {clients}"
    if circumstances.final is not None and not exists:
        findings.violate(Wrong.WON_BY_NONE, f"{text}; and it is not there")
    elif any(attempt.is_in_doubt(circumstances) for attempt in attempts):
        findings.doubt(Unknown.SENT_AGAIN, f"{text}; it {RETRANSMITTED}")
    else:
        findings.violate(Wrong.WON_BY_NONE, text)


def _too_early(
    name: str,
    attempts: Sequence[_Attempt],
    circumstances: Circumstances,
    findings: Findings,
    *,
    cut: bool,
) -> None:
    """EEXIST that came before any create that may have made the name had begun.

    A request that was sent again does not explain it where another client made the name later: then
    it was made twice.
    """
    makers = [attempt for attempt in attempts if attempt.outcome != "exists"]
    winners = [attempt for attempt in makers if attempt.outcome == "won"]
    for attempt in attempts:
        if attempt.outcome != "exists":
            continue
        if winners:
            is_undone = bool(circumstances.forgetful) and _after_the_crash(
                winners[0], circumstances
            )
            if all(map(attempt.is_certainly_before, winners)) and not is_undone:
                maker = f"{winners[0].client}, who made it,"
                text = f"{attempt.client} got EEXIST of {name} before {maker} had begun"
                findings.violate(Wrong.EXISTED_TOO_EARLY, text)
            continue
        if not makers or cut or attempt.is_in_doubt(circumstances):
            continue
        if all(map(attempt.is_certainly_before, makers)):
            maker = "any client that may have made it"
            text = f"{attempt.client} got EEXIST of {name} before {maker} had begun"
            findings.violate(Wrong.EXISTED_TOO_EARLY, text)


def _winners(
    attempts: Sequence[_Attempt], circumstances: Circumstances, findings: Findings, *, exists: bool
) -> list[str] | None:
    """The winners of a name, without those with a crash that may have undone it; None where that
    explains every winner.

    A second winner is explained only where it came after the crash: before it, the name was visible
    to each client.
    """
    won = [attempt for attempt in attempts if attempt.outcome == "won"]
    undone = [
        attempt for attempt in won if _may_be_undone(attempt.history, attempt.event, circumstances)
    ]
    others = [attempt for attempt in won if attempt not in undone]
    needs_explanation = len(won) > 1 or not exists
    are_after_the_crash = all(_after_the_crash(attempt, circumstances) for attempt in others)
    if not undone or not needs_explanation or not are_after_the_crash:
        return [attempt.client for attempt in won]
    findings.count("undone by a crash", len(undone))
    return [attempt.client for attempt in others] or None


def _may_be_undone(item: History, event: Event | None, circumstances: Circumstances) -> bool:
    """Whether a crash may have undone a change of a client: the client has its own journal, and the
    change was recent.
    """
    if (
        event is None
        or item.client not in circumstances.forgetful
        or circumstances.disturbed is None
    ):
        return False
    return item.end_s(event) + item.error_s > circumstances.disturbed[0] - UNDONE_S


def _after_the_crash(attempt: _Attempt, circumstances: Circumstances) -> bool:
    return circumstances.disturbed is not None and attempt.latest_end_s > circumstances.disturbed[0]


# ---- rename


@dataclass(frozen=True)
class Item:
    """An item of one client: its create, and its rename."""

    owner: History
    created: Event
    renamed: Event | None
    old_is_there: bool
    """in the end"""
    new_is_there: bool

    @property
    def text(self) -> str:
        """The item in words."""
        return f"{self.owner.client}: item {self.created['item']}"

    @property
    def last_change(self) -> Event | None:
        """The change that a crash would have to undo for the name to be as it is."""
        return self.renamed if self.old_is_there else self.created


def rename(histories: Sequence[History], circumstances: Circumstances, findings: Findings) -> None:
    """An item that a client made and renamed exists, under one of its names."""
    for history in histories:
        renames = {event["item"]: event for event in history.of("rename")}
        items = [
            _item(history, created, renames.get(created["item"]), circumstances)
            for created in history.of("create")
        ]
        for item in items:
            _one_item(item, circumstances, findings)
        if history.client in circumstances.forgetful and circumstances.final is not None:
            _undone_between(items, findings)
        again = sum(_was(event, "again") for event in renames.values())
        if again:
            findings.count("renames to be asked again", again)
            if not any(_was(event, "ok") for event in renames.values()):
                text = (
                    f"{history.client}: none of {again} renames was done: each must be requested "
                    "again"
                )
                findings.doubt(Unknown.NO_PROGRESS, text)
    _unknown_names(histories, circumstances, findings)


def _item(
    history: History, created: Event, renamed: Event | None, circumstances: Circumstances
) -> Item:
    names = circumstances.final.names if circumstances.final is not None else frozenset()
    old, new = (f"{letter}{created['item']}" in names for letter in "ab")
    return Item(history, created, renamed, old, new)


def _unknown_names(
    histories: Sequence[History], circumstances: Circumstances, findings: Findings
) -> None:
    """Names in the end that no client made; of a client's history that is cut, one more item may be
    missing.
    """
    made = {
        f"{letter}{event['item']}"
        for history in histories
        for event in history.of("create")
        for letter in "ab"
    }
    cut = tuple(
        f"{letter}{history.index}." for history in histories for letter in "ab" if history.cut
    )
    for name in sorted((circumstances.final.names if circumstances.final else frozenset()) - made):
        _unknown_name(
            f"{name} exists, and no client made it",
            findings,
            cut=bool(cut) and name.startswith(cut),
        )


@dataclass(frozen=True)
class Change:
    """A change of a name by a client, and whether it is present in the end."""

    item: Item
    event: Event
    survived: bool


def _undone_between(items: Sequence[Item], findings: Findings) -> None:
    """A journal is written in the order of its changes: a crash takes the last of them, and none
    before.
    """
    changes: list[Change] = []
    for item in items:
        if item.created["outcome"] == "won":
            changes.append(Change(item, item.created, item.old_is_there or item.new_is_there))
        if _was(item.renamed, "ok") and item.renamed is not None:
            changes.append(Change(item, item.renamed, item.new_is_there))
    undone_item: Item | None = None
    for change in sorted(changes, key=lambda change: float(change.event["end_ns"])):
        if not change.survived:
            undone_item = undone_item or change.item
        elif undone_item is not None:
            later = f"the later {change.event['op']} of {change.item.text}"
            text = f"{undone_item.text} was taken back by a crash, and {later} was not"
            findings.violate(Wrong.UNDONE_BETWEEN, text)
            return


def _one_item(item: Item, circumstances: Circumstances, findings: Findings) -> None:
    violations_before = len(findings.violations)
    findings.count("items")
    if item.created["outcome"] == "exists":
        _doubt(
            f"{item.text}: EEXIST of a name that no client made",
            item.owner,
            item.created,
            circumstances,
            findings,
        )
    if (
        item.renamed is not None
        and _was(item.renamed, "missing")
        and item.created["outcome"] != "error"
    ):
        _doubt(
            f"{item.text}: ENOENT of an existing name",
            item.owner,
            item.renamed,
            circumstances,
            findings,
        )
    if circumstances.final is not None:
        _one_name(
            item,
            circumstances,
            findings,
            replies_agree=len(findings.violations) == violations_before,
        )


def _one_name(
    item: Item, circumstances: Circumstances, findings: Findings, *, replies_agree: bool
) -> None:
    """The name that an item has in the end; `replies_agree`: the replies to its requests agree."""
    old = item.old_is_there
    new = item.new_is_there
    renamed = item.renamed
    text = item.text
    is_gone = not (old or new) and item.created["outcome"] != "error"
    is_undone = not new and (not old or _was(renamed, "ok"))
    too_old = ""
    if item.owner.client in circumstances.forgetful:
        too_old = f"; a crash takes back nothing older than {UNDONE_S:g} s"
    if old and new:
        findings.violate(Wrong.TWO_NAMES, f"{text} exists under both names")
    elif is_undone and _may_be_undone(item.owner, item.last_change, circumstances):
        findings.count("undone by a crash")
    elif is_gone:
        reason = Wrong.UNDONE_TOO_OLD if too_old else Wrong.NAME_LOST
        findings.violate(reason, f"{text} is lost: it exists under neither name{too_old}")
    elif _was(renamed, "ok") and old:
        reason = Wrong.UNDONE_TOO_OLD if too_old else Wrong.WRONG_NAME
        findings.violate(reason, f"{text} was renamed and has its old name{too_old}")
    elif new and _was(renamed, "again"):
        problem = "has its new name, and the rename reported that nothing was done"
        findings.violate(Wrong.WRONG_NAME, f"{text} {problem}")
    elif new and renamed is None and not item.owner.cut:
        findings.violate(Wrong.WRONG_NAME, f"{text} has its new name, and no client renamed it")
    elif old and _was(renamed, "missing") and replies_agree:
        findings.violate(Wrong.WRONG_NAME, f"{text}: ENOENT, and it has its old name")


def _was(event: Event | None, outcome: str) -> bool:
    return event is not None and event["outcome"] == outcome


def _doubt(
    text: str, item: History, event: Event, circumstances: Circumstances, findings: Findings
) -> None:
    if in_doubt(item, event, circumstances):
        findings.doubt(Unknown.SENT_AGAIN, f"{text}; it {RETRANSMITTED}")
    else:
        findings.violate(Wrong.UNEXPLAINED, text)
