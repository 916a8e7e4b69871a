"""Names that many clients make and change: each is won once, and renamed once."""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.analysis.histories import RETRANSMITTED, Circumstances, Event, Findings, History, in_doubt

UNDONE_S = 60.0
"""GFS2 writes its journal at least this often (gfs2(5), commit): what is older has survived a crash"""


# ---- exclusive


def exclusive(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    """Of all who create a name with O_EXCL, one wins, and the name is there."""
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
    exists = about.final is not None and name in about.final.names
    winners = _winners(made, about, found, exists=exists)
    if winners is None:
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
    if about.final is not None and not exists:
        found.violations.append(f"{words}; and it is not there")
    elif any(in_doubt(item, event, about) for item, event in made):
        found.unknowns.append(f"{words}; it {RETRANSMITTED}")
    else:
        found.violations.append(words)


def _winners(
    made: Sequence[tuple[History, Event]], about: Circumstances, found: Findings, *, exists: bool
) -> list[str] | None:
    """Who won a name, without those whose crash may have taken it back; None where that explains all.

    A second winner is explained only where he came after the crash: before it, the name was there for all to see.
    """
    won = [(item, event) for item, event in made if event["outcome"] == "won"]
    undone = [(item, event) for item, event in won if _may_be_undone(item, event, about)]
    others = [(item, event) for item, event in won if (item, event) not in undone]
    needed = len(won) > 1 or not exists
    if not undone or not needed or not all(_after_the_crash(item, event, about) for item, event in others):
        return [item.client for item, _ in won]
    found.count("undone by a crash", len(undone))
    return [item.client for item, _ in others] or None


def _may_be_undone(item: History, event: Event | None, about: Circumstances) -> bool:
    """Whether a crash may have taken back what a client did: the journal is its own, and it was not long before."""
    if event is None or item.client not in about.forgetful or about.disturbed is None:
        return False
    return item.end_s(event) + item.error_s > about.disturbed[0] - UNDONE_S


def _after_the_crash(item: History, event: Event, about: Circumstances) -> bool:
    return about.disturbed is not None and item.end_s(event) + item.error_s > about.disturbed[0]


# ---- rename


def rename(histories: Sequence[History], about: Circumstances, found: Findings) -> None:
    """What a client made and renamed is there, under one of its names."""
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
    elif not new and _may_be_undone(item, renamed if old else created, about) and (not old or _was(renamed, "ok")):
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
