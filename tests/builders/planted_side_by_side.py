"""Defects planted into histories of clients that work at the same time."""

from tests.builders.side_by_side import (
    CLIENTS,
    TURN_S,
    Event,
    Recorded,
    Times,
    content_of,
    result_of,
)

TURNS = 12


def _middle(events: list[Event]) -> Event:
    return events[len(events) // 2]


def second_holder(reported: Recorded) -> None:
    """A client is granted a range right after another's last look, before that one begins its
    unlock.
    """
    unlock = _middle(reported.of("unlock", range=0))
    owner = next(client for client in range(CLIENTS) if unlock in reported.events[client])
    other = (owner + 1) % CLIENTS
    at_s = unlock["begin_s"] - 0.003
    unlock["begin_s"] = at_s + 1.0
    unlock["end_s"] = at_s + 1.1
    name: Event = {"range": 0, "token": "second"}
    reported.add(other, "lock", Times(at_s, at_s + 0.1, at_s), kept=False, **name)
    reported.add(other, "unlock", Times(at_s + 0.3, at_s + 0.4, at_s), **name)


def foreign_token(reported: Recorded) -> None:
    """Another wrote under the lock."""
    _middle(reported.of("held", range=0)).update(outcome="foreign", seen="another")


def reads_less(reported: Recorded) -> None:
    """A look shows none of the acknowledged data."""
    read = reported.of("read")[-1]
    if reported.kind == "append":
        read.update(highest=None, missing=[], missing_count=0)
    else:
        read.update(outcome="ok", generation=-1)
    read["begin_s"] = read["begin_s"] + 9
    read["end_s"] = read["end_s"] + 9


def _ahead_of_all(reported: Recorded, key: str) -> None:
    """A writer fails at one more record, which arrives; one look shows it, and no later one,
    nor the end.
    """
    for client in range(CLIENTS):
        reported.events[client] = [
            event for event in reported.events[client] if event["op"] != "read"
        ]
    begin_s = 1000.0 + (TURNS + 1) * TURN_S
    op = "append" if key == "number" else "overwrite"
    reported.add(0, op, Times(begin_s, begin_s + 0.1, begin_s), "error", **{key: TURNS})
    for later in (1, 2):
        times = Times(begin_s + later, begin_s + later + 0.1, begin_s)
        shown = TURNS if later == 1 else TURNS - 1
        acknowledged: Event = {
            "missing": [],
            "missing_count": 0,
            "torn": 0,
            "highest": shown,
            "generation": shown,
        }
        reported.add(2, "read", times, of=0, **acknowledged)
    if key == "number":
        whole = [result_of(0, number) for number in range(TURNS)]
        reported.files["append-0"] = b"".join(whole)
    else:
        reported.files["generation-0"] = content_of(0, TURNS - 1)


def goes_back(reported: Recorded) -> None:
    """A reader does not see a record again."""
    _ahead_of_all(reported, "number" if reported.kind == "append" else "generation")


def seen_and_gone_in_the_end(reported: Recorded) -> None:
    """The last seen record is missing at the end."""
    goes_back(reported)
    reported.events[2].remove(reported.of("read")[-1])


def not_begun(reported: Recorded) -> None:
    """A look shows a record that is written later, or never."""
    read = reported.of("read")[-1]
    if reported.kind == "append":
        read.update(highest=TURNS, missing=[], missing_count=0)
    else:
        read.update(outcome="ok", generation=TURNS)


def not_begun_in_the_end(reported: Recorded) -> None:
    """The end shows a record that no client began."""
    if reported.kind == "append":
        reported.files["append-0"] += result_of(0, TURNS)
    else:
        reported.files["generation-0"] = content_of(0, TURNS)


def torn_look(reported: Recorded) -> None:
    """A look shows parts, long after the last writing."""
    for op in ("append", "overwrite"):
        for event in reported.of(op, outcome="error"):
            event["outcome"] = "ok"
    read = reported.of("read")[-1]
    read.update(begin_s=read["begin_s"] + 9, end_s=read["end_s"] + 9)
    read.update(
        {"torn": 1} if reported.kind == "append" else {"outcome": "torn", "generation": None}
    )


def record_lost(reported: Recorded) -> None:
    """The last acknowledged record is not there in the end."""
    number = reported.of("append", outcome="ok")[-1]
    client = next(client for client in range(CLIENTS) if number in reported.events[client])
    lost = result_of(client, number["number"])
    reported.files[f"append-{client}"] = reported.files[f"append-{client}"].replace(lost, b"")


def generation_lost(reported: Recorded) -> None:
    """A file that was closed is not there in the end."""
    reported.files.clear()


def record_twice(reported: Recorded) -> None:
    """A record is present twice."""
    reported.files["append-0"] += reported.files["append-0"][-64:]


def won_twice(reported: Recorded) -> None:
    """Two clients make one name."""
    _middle(reported.of("create", outcome="exists"))["outcome"] = "won"


def won_by_none(reported: Recorded) -> None:
    """All get EEXIST."""
    _middle(reported.of("create", outcome="won"))["outcome"] = "exists"


def existed_too_early(reported: Recorded) -> None:
    """EEXIST ten seconds before the only create that succeeded."""
    event = _middle(reported.of("create", outcome="exists"))
    event.update(begin_s=event["begin_s"] - 10, end_s=event["end_s"] - 10)


def name_lost(reported: Recorded) -> None:
    """A name that was made is not there."""
    reported.names.discard(sorted(reported.names)[0])


def stranger(reported: Recorded) -> None:
    """A name that no client created."""
    reported.names.add({"exclusive": "x4711", "rename": "b0.4711"}.get(reported.kind, "other"))


def two_names(reported: Recorded) -> None:
    """An item has both."""
    name = sorted(reported.names)[0]
    reported.names.add(("a" if name[0] == "b" else "b") + name[1:])


def old_name(reported: Recorded) -> None:
    """An item that was renamed has its old name."""
    item = reported.of("rename", outcome="ok")[0]["item"]
    reported.names.discard(f"b{item}")
    reported.names.add(f"a{item}")


def unexplained(reported: Recorded) -> None:
    """ENOENT of an existing name without a lost answer."""
    reported.of("rename", outcome="ok")[0]["outcome"] = "missing"
