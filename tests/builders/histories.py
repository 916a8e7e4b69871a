"""Histories of consistency tests."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from seatrial.analysis.histories import Circumstances, Final, History
from tests.builders.side_by_side import RUN, Event, content_of, result_of

STEP_S = 0.010
"""between two events of the true storage"""


@dataclass
class Storage:
    """One storage, and three clients that ask it one after the other: its time is the true one."""

    clients: int = 3
    now_s: float = 1000.0
    events: dict[int, list[Event]] = field(default_factory=lambda: {0: [], 1: [], 2: []})
    names: set[str] = field(default_factory=set)
    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, client: int, op: str, outcome: str, **fields: Any) -> Event:
        """An operation with its times: the effect is in the middle."""
        begin_s, self.now_s = self.now_s, self.now_s + STEP_S
        times = {"begin_ns": begin_s, "end_ns": begin_s + STEP_S * 0.9}
        event = {"op": op, "outcome": outcome, **times, **fields}
        self.events[client].append(event)
        return event

    def histories(self, errors_s: list[float], share: float = 1.0) -> list[History]:
        """The histories by clocks that are wrong by up to this error, in alternating directions."""
        reported = []
        for client, events in self.events.items():
            error_s = errors_s[client]
            wrong_s = error_s * share * (1 if client % 2 else -1)
            moved = [
                {
                    **event,
                    **{
                        key: round((event[key] + 5 + wrong_s) * 1e9)
                        for key in ("begin_ns", "end_ns")
                    },
                }
                for event in events
            ]
            reported.append(History(f"c{client}", client, [*moved, {"op": "end"}], 5.0, error_s))
        return reported

    def about(self, disturbed: tuple[float, float] | None = None) -> Circumstances:
        """With the content of the storage at the end."""
        return Circumstances(RUN, Final(frozenset(self.names), dict(self.files)), disturbed)


def without_request(consistency_test: str, **changed: Any) -> Storage:
    """By NFSv3: a first look finds the name; a second, `changed`, sends no request; a third
    asks again.
    """
    storage = Storage()
    calls = {"nfs_version": "3", "getattr_calls": 1, "lookup_calls": 0, "of": 0}
    first = {**calls, "getattr_calls": 0, "lookup_calls": 1}
    second = {**calls, "getattr_calls": 0}
    if consistency_test == "append":
        for number in range(4):
            storage.add(0, "append", "ok", number=number)
            shown = {"highest": 0, "missing": [], "torn": 0, "size_bytes": 64}
            if number == 0:
                storage.add(1, "read", "ok", **{**first, **shown, "size_at_server_bytes": 64})
        storage.files["append-0"] = b"".join(result_of(0, number) for number in range(4))
        storage.add(1, "read", "ok", **{**second, **shown, "size_at_server_bytes": 256, **changed})
        storage.add(
            1,
            "read",
            "ok",
            **{**calls, **shown, "highest": 3, "size_bytes": 256, "size_at_server_bytes": 256},
        )
        return storage
    for generation_ in (0, 1):
        storage.add(0, "overwrite", "ok", generation=generation_)
        shown = {"generation": 0, "size_bytes": 36}
        if generation_ == 0:
            storage.add(1, "read", "ok", **{**first, **shown, "size_at_server_bytes": 36})
    storage.files["generation-0"] = content_of(0, 1)
    storage.add(1, "read", "ok", **{**second, **shown, "size_at_server_bytes": 37, **changed})
    storage.add(
        1, "read", "ok", **{**calls, "generation": 1, "size_bytes": 37, "size_at_server_bytes": 37}
    )
    return storage


def locks(turns: list[int]) -> Storage:
    """Each keeps a range; then one after the other holds the same one."""
    storage = Storage()
    for client in range(3):
        storage.add(client, "lock", "ok", range=2 + client, token=f"k{client}", kept=True)
    for number, client in enumerate(turns):
        name = {"range": 0, "token": f"{client}-{number}"}
        storage.add(client, "held", "ok", range=2 + client, token=f"k{client}")
        storage.add(client, "lock", "refused", range=2 + (client + 1) % 3, token="p", kept=True)
        storage.add(client, "lock", "ok", **name, kept=False)
        storage.add((client + 1) % 3, "lock", "refused", range=0, token="p", kept=False)
        storage.add(client, "held", "ok", **name)
        storage.add(client, "unlock", "ok", **name)
    for client in range(3):
        storage.add(client, "held", "ok", range=2 + client, token=f"k{client}")
        storage.add(client, "unlock", "ok", range=2 + client, token=f"k{client}")
    return storage


def append(turns: list[int]) -> Storage:
    """One appends, another reads."""
    storage = Storage()
    counts = [0, 0, 0]
    for client in turns:
        name = f"append-{client}"
        storage.add(client, "append", "ok", number=counts[client])
        storage.files[name] = storage.files.get(name, b"") + result_of(client, counts[client])
        highest = counts[client]
        counts[client] = counts[client] + 1
        storage.add((client + 2) % 3, "read", "ok", of=client, highest=highest, missing=[], torn=0)
    return storage


def exclusive(turns: list[int]) -> Storage:
    """All try one name after the other; the first wins."""
    storage = Storage()
    for number, first in enumerate(turns):
        storage.names.add(f"x{number}")
        for shift in range(3):
            storage.add(
                (first + shift) % 3, "create", "exists" if shift else "won", name=f"x{number}"
            )
    return storage


def rename(turns: list[int]) -> Storage:
    """Each renames its own."""
    storage = Storage()
    for number, client in enumerate(turns):
        storage.add(client, "create", "won", item=f"{client}.{number}")
        storage.add(client, "rename", "ok", item=f"{client}.{number}")
        storage.names.add(f"b{client}.{number}")
    return storage


def close_to_open(turns: list[int]) -> Storage:
    """One writes, another opens."""
    storage = Storage()
    counts = [0, 0, 0]
    for client in turns:
        counts[client] += 1
        storage.add(client, "overwrite", "ok", generation=counts[client])
        storage.files[f"generation-{client}"] = content_of(client, counts[client])
        storage.add((client + 2) % 3, "read", "ok", of=client, generation=counts[client])
    return storage


MODELS: dict[str, Callable[[list[int]], Storage]] = {
    "locks": locks,
    "append": append,
    "exclusive": exclusive,
    "rename": rename,
    "close-to-open": close_to_open,
}
TURNS = st.lists(st.integers(0, 2), min_size=1, max_size=20)
