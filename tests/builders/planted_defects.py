"""Defects planted into the histories of one true storage."""

from typing import Any

from tests.builders.histories import STEP_S, Storage
from tests.builders.side_by_side import Event, content_of


def last(storage: Storage, op: str, **wanted: Any) -> Event:
    """The last event of a kind."""
    events = [event for each in storage.events.values() for event in each if event["op"] == op]
    return max(
        (
            event
            for event in events
            if all(event.get(key) == value for key, value in wanted.items())
        ),
        key=lambda event: float(event["begin_ns"]),
    )


def two_holders(storage: Storage) -> None:
    """A second lock is granted inside a hold."""
    hold = last(storage, "held", range=0)
    other = (int(str(hold["token"])[0]) + 1) % 3
    inside_s = hold["begin_ns"] - STEP_S / 2
    for op, at_s in (
        ("lock", inside_s - STEP_S / 4),
        ("held", inside_s + STEP_S),
        ("unlock", inside_s + 2 * STEP_S),
    ):
        times = {"begin_ns": at_s, "end_ns": at_s + STEP_S / 8}
        event = {"op": op, "outcome": "ok", "range": 0, "token": "second", "kept": False, **times}
        storage.events[other].append(event)


def opened_door(storage: Storage) -> None:
    """The neighbour gets a lock that its owner keeps."""
    knock = next(
        event for each in storage.events.values() for event in each if event.get("token") == "p"
    )
    knock.update(outcome="ok", token="granted")


def winner_twice(storage: Storage) -> None:
    """Two clients win one name."""
    last(storage, "create", outcome="exists")["outcome"] = "won"


def no_winner(storage: Storage) -> None:
    """No client won a name that exists."""
    last(storage, "create", outcome="won")["outcome"] = "exists"


def winner_gone(storage: Storage) -> None:
    """A name that was won is not there."""
    storage.names.discard(last(storage, "create", outcome="won")["name"])


def from_nowhere(storage: Storage) -> None:
    """A name that no client requested."""
    storage.names.add("x4711")


def foreign_token(storage: Storage) -> None:
    """Another wrote under the lock."""
    last(storage, "held", range=0).update(outcome="foreign", seen="another")


def record_gone(storage: Storage) -> None:
    """The end of a file is lost."""
    name = next(iter(storage.files))
    storage.files[name] = storage.files[name][:-64]


def record_twice(storage: Storage) -> None:
    """The last record is present twice."""
    name = next(iter(storage.files))
    storage.files[name] += storage.files[name][-64:]


def record_torn(storage: Storage) -> None:
    """Zeros where no client wrote."""
    name = next(iter(storage.files))
    storage.files[name] += b"\0" * 64


def reads_less(storage: Storage) -> None:
    """A reader does not see the last record."""
    read = last(storage, "read")
    read["highest"] = read["highest"] - 1 if read["highest"] else None


def reads_holes(storage: Storage) -> None:
    """A reader sees a hole."""
    read = last(storage, "read")
    read.update(highest=read["highest"] + 1, missing=[read["highest"]])


def reads_torn(storage: Storage) -> None:
    """A reader sees half a record."""
    last(storage, "read")["torn"] = 1


def file_missing(storage: Storage) -> None:
    """A reader does not see the file at all."""
    read = last(storage, "read")
    storage.events[(read["of"] + 2) % 3][-1] = {
        key: read[key] for key in ("op", "of", "begin_ns", "end_ns")
    } | {"outcome": "missing"}


def lost_item(storage: Storage) -> None:
    """Neither name exists."""
    storage.names.discard(f"b{last(storage, 'rename')['item']}")


def two_names(storage: Storage) -> None:
    """Both names exist."""
    storage.names.add(f"a{last(storage, 'rename')['item']}")


def old_name(storage: Storage) -> None:
    """The old name exists again."""
    lost_item(storage)
    two_names(storage)


def not_found(storage: Storage) -> None:
    """The source was not there."""
    last(storage, "rename")["outcome"] = "missing"


def done_all_the_same(storage: Storage) -> None:
    """The rename asked to be called again, and had done its work."""
    last(storage, "rename")["outcome"] = "again"


def asked_again(storage: Storage) -> None:
    """The rename asked to be called again, as GFS2's does, and had done nothing."""
    done_all_the_same(storage)
    old_name(storage)


def stale(storage: Storage) -> None:
    """A reader sees the earlier content."""
    last(storage, "read")["generation"] -= 1


def closed_and_missing(storage: Storage) -> None:
    """A reader does not see the file."""
    last(storage, "read").update(outcome="missing", generation=None)


def mixed(storage: Storage) -> None:
    """A reader sees parts of two generations."""
    last(storage, "read").update(outcome="torn", generation=None)


def old_in_the_end(storage: Storage) -> None:
    """The file has its earlier content."""
    name = next(iter(storage.files))
    storage.files[name] = content_of(int(name[-1]), 0)
