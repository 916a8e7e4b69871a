"""Histories of clients that work at the same time on one storage that is right: each operation
takes effect at one instant between its begin and its end, and each client writes its times down by
a clock that is wrong.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from seatrial.analysis.histories import Circumstances, Final, Findings, History
from seatrial.judge.checks.consistency import Options, judge_consistency_test
from seatrial.study.consistency_kinds import load_kind

RUN = "5ea000000000000f"
CLIENTS = 3
TURN_S = 0.25
LOOKS = 4
"""of a client in a turn"""
NEVER_S = 0.0
"""of a crash that does not come: before everything"""
END_S = 1e6
CRASH_LASTS_S = 20.0
AHEAD_S = 5.0
"""every client's clock is ahead by this known time"""
Event = dict[str, Any]


def judge(kind: str, histories: Sequence[History], about: Circumstances) -> Findings:
    """The findings of one kind of consistency test."""
    return load_kind(kind).judge(histories, about)


def result_of(client: int, number: int) -> bytes:
    """What the agent appends."""
    return f"{RUN} {client:05} {number:012} ".ljust(63, ".").encode() + b"\n"


def content_of(client: int, number: int) -> bytes:
    """What the agent overwrites a file with."""
    text = f"{RUN} {client:05} {number:012}\n".encode()
    return text + b"." * (36 + number - len(text))


@dataclass
class Recorded:
    """What the clients did, by the true time in seconds, and what the storage holds in the end."""

    kind: str
    events: list[list[Event]] = field(default_factory=lambda: [[] for _ in range(CLIENTS)])
    names: set[str] = field(default_factory=set)
    files: dict[str, bytes] = field(default_factory=dict)
    cut: set[int] = field(default_factory=set)
    """clients without the end of their histories"""

    def add(
        self, client: int, op: str, times: "Times", outcome: str = "ok", **fields: Any
    ) -> Event:
        """An operation of a client."""
        event = {
            "op": op,
            "outcome": outcome,
            "begin_s": times.begin_s,
            "end_s": times.end_s,
            **fields,
        }
        self.events[client].append(event)
        return event

    def of(self, op: str, **wanted: Any) -> list[Event]:
        """The operations of a kind, by their begin."""
        events = [event for each in self.events for event in each if event["op"] == op]
        fitting = [
            event
            for event in events
            if all(event.get(key) == value for key, value in wanted.items())
        ]
        return sorted(fitting, key=lambda event: float(event["begin_s"]))

    def histories(
        self, error_s: float = 0.001, wrong_s: tuple[float, ...] = (0.0,) * CLIENTS
    ) -> list[History]:
        """What each writes down: its clock is wrong by `wrong_s`, which is at most `error_s`."""
        reported = []
        for client, events in enumerate(self.events):
            by_s = AHEAD_S + wrong_s[client]
            moved = [
                {
                    **event,
                    "begin_ns": round((event["begin_s"] + by_s) * 1e9),
                    "end_ns": round((event["end_s"] + by_s) * 1e9),
                }
                for event in sorted(events, key=lambda event: float(event["begin_s"]))
            ]
            end = [] if client in self.cut else [{"op": "end"}]
            reported.append(History(f"c{client}", client, [*moved, *end], AHEAD_S, error_s))
        return reported

    def stall(self, at_s: float, for_s: float) -> None:
        """The server answers nothing for a time; every operation in progress, and every new
        one, is later.
        """
        for event in (event for each in self.events for event in each):
            for key in ("begin_s", "end_s"):
                event[key] += for_s if event[key] > at_s else 0.0

    def about(self, **changes: Any) -> Circumstances:
        """With the content of the storage at the end."""
        known = {"run_id": RUN, "final": Final(frozenset(self.names), dict(self.files))}
        return Circumstances(**{**known, **changes})


@dataclass(frozen=True)
class Times:
    """Of one operation."""

    begin_s: float
    end_s: float
    effect_s: float


def _takes(random: Random, begin_s: float, longest_s: float = 0.1) -> Times:
    """An operation that begins then, and takes effect at some instant."""
    end_s = begin_s + random.uniform(0.001, longest_s)
    return Times(begin_s, end_s, random.uniform(begin_s, end_s))


def locks(random: Random, turns: int) -> Recorded:
    """Each client keeps a range and requests a neighbour's; all contend for range 0, which
    the server grants once.
    """
    reported = Recorded("locks")
    free_s = 1000.0
    for client in range(CLIENTS):
        times = Times(999.0 + client / 10, 999.01 + client / 10, 999.0)
        reported.add(client, "lock", times, range=2 + client, token=f"k{client}", kept=True)
    for turn in range(turns):
        start_s = 1000.0 + turn * 4 * TURN_S
        for client in range(CLIENTS):
            knock = _takes(random, start_s + random.uniform(0, 0.05), 0.02)
            neighbour = 2 + (client + 1) % CLIENTS
            reported.add(
                client,
                "lock",
                knock,
                "refused",
                range=neighbour,
                token=f"{client}.{turn}p",
                kept=True,
            )
        order = list(range(CLIENTS))
        random.shuffle(order)
        for client in order:
            begin_s = max(start_s + 0.1, free_s + random.uniform(-0.01, 0.02))
            granted_s = max(begin_s, free_s)
            name: Event = {"range": 0, "token": f"{client}.{turn}"}
            lock = Times(begin_s, granted_s + random.uniform(0.001, 0.01), granted_s)
            reported.add(client, "lock", lock, kept=False, **name)
            look = _takes(random, lock.end_s + 0.02, 0.03)
            reported.add(client, "held", look, **name)
            unlock = _takes(random, look.end_s + 0.001, 0.02)
            reported.add(client, "unlock", unlock, **name)
            free_s = unlock.effect_s
    end_s = 1000.0 + (turns + 1) * 4 * TURN_S
    for client in range(CLIENTS):
        own: Event = {"range": 2 + client, "token": f"k{client}"}
        reported.add(client, "held", Times(end_s, end_s + 0.01, end_s), **own)
        reported.add(client, "unlock", Times(end_s + 0.02, end_s + 0.03, end_s + 0.02), **own)
    return reported


@dataclass(frozen=True)
class Change:
    """What a writer did to its file: from when on it is seen; None: it never arrived.

    What a crash finds in the server's memory alone, not acknowledged, is gone, and is written
    again.
    """

    number: int
    times: Times
    seen_from_s: float | None
    lost_at_s: float = float("inf")
    again_from_s: float = float("inf")

    def is_seen(self, at_s: float) -> bool:
        """Whether a look at this instant shows it."""
        first = self.seen_from_s is not None and self.seen_from_s <= at_s < self.lost_at_s
        return first or at_s >= self.again_from_s


def _changes(
    random: Random, reported: Recorded, client: int, turns: int, crash_s: float
) -> list[Change]:
    """A writer that writes once a turn; some of it fails, and of that some arrives all the same."""
    op, key = ("append", "number") if reported.kind == "append" else ("overwrite", "generation")
    made = []
    for turn in range(turns):
        times = _takes(random, 1000.0 + turn * TURN_S + random.uniform(0, 0.05), 0.2)
        failed = random.random() < 0.1
        arrives = not failed or random.random() < 0.5
        reported.add(client, op, times, "error" if failed else "ok", **{key: turn})
        if not arrives:
            made.append(Change(turn, times, None))
        elif times.effect_s < crash_s < times.end_s:
            again_s = random.uniform(crash_s, times.end_s) if not failed else float("inf")
            made.append(Change(turn, times, times.effect_s, crash_s, again_s))
        else:
            made.append(Change(turn, times, times.effect_s))
    return made


def _looks(random: Random, turns: int) -> list[Times]:
    """Several a turn, one after the other, so that some meet one writing twice."""
    starts_s = [
        1000.0 + (turn + number / LOOKS) * TURN_S
        for turn in range(turns)
        for number in range(LOOKS)
    ]
    return [_takes(random, start_s + random.uniform(0, 0.02), 0.04) for start_s in starts_s]


def _seen(changes: list[Change], at_s: float) -> list[int]:
    return [change.number for change in changes if change.is_seen(at_s)]


def append(random: Random, turns: int, crash_s: float = NEVER_S) -> Recorded:
    """Each client appends to an own file, and reads a neighbour's."""
    reported = Recorded("append")
    changes = [_changes(random, reported, client, turns, crash_s) for client in range(CLIENTS)]
    for client in range(CLIENTS):
        neighbour = (client + 1) % CLIENTS
        for times in _looks(random, turns):
            seen = _seen(changes[neighbour], times.effect_s)
            shown: Event = {"highest": max(seen, default=None)}
            missing = sorted(set(range(max(seen, default=0))) - set(seen))
            reported.add(
                client,
                "read",
                times,
                of=neighbour,
                missing=missing,
                missing_count=len(missing),
                torn=0,
                **shown,
            )
        kept = _seen(changes[client], END_S)
        reported.files[f"append-{client}"] = b"".join(result_of(client, number) for number in kept)
        reported.names.add(f"append-{client}")
    return reported


def close_to_open(random: Random, turns: int, crash_s: float = NEVER_S) -> Recorded:
    """Each client overwrites an own file, and opens a neighbour's; an open may meet the writer."""
    reported = Recorded("close-to-open")
    changes = [_changes(random, reported, client, turns, crash_s) for client in range(CLIENTS)]
    for client in range(CLIENTS):
        neighbour = (client + 1) % CLIENTS
        for times in _looks(random, turns):
            seen = max(_seen(changes[neighbour], times.effect_s), default=None)
            if seen is None:
                reported.add(client, "read", times, "missing", of=neighbour)
            elif any(
                it.times.begin_s <= times.effect_s <= it.times.end_s for it in changes[neighbour]
            ):
                torn = random.random() < 0.3
                outcome = "torn" if torn else "ok"
                reported.add(
                    client, "read", times, outcome, of=neighbour, generation=None if torn else seen
                )
            else:
                reported.add(client, "read", times, of=neighbour, generation=seen)
        kept = max(_seen(changes[client], END_S), default=None)
        if kept is not None:
            reported.files[f"generation-{client}"] = content_of(client, kept)
            reported.names.add(f"generation-{client}")
    return reported


def exclusive(random: Random, turns: int) -> Recorded:
    """All try each name at about the same time."""
    reported = Recorded("exclusive")
    for turn in range(turns):
        name = f"x{turn}"
        tries = [
            _takes(random, 1000.0 + turn * TURN_S + random.uniform(0, 0.05)) for _ in range(CLIENTS)
        ]
        first = min(range(CLIENTS), key=lambda client: tries[client].effect_s)
        for client, times in enumerate(tries):
            reported.add(client, "create", times, "won" if client == first else "exists", name=name)
        reported.names.add(name)
    return reported


def rename(random: Random, turns: int) -> Recorded:
    """Each makes an item and renames it; some renames fail, and of those some are done all the
    same.
    """
    reported = Recorded("rename")
    for client in range(CLIENTS):
        for turn in range(turns):
            item = f"{client}.{turn}"
            made = _takes(random, 1000.0 + turn * TURN_S)
            reported.add(client, "create", made, "won", item=item)
            failed = random.random() < 0.1
            reported.add(
                client, "rename", _takes(random, made.end_s), "error" if failed else "ok", item=item
            )
            reported.names.add(f"{'b' if not failed or random.random() < 0.5 else 'a'}{item}")
    return reported


KINDS: dict[str, Callable[[Random, int], Recorded]] = {
    "locks": locks,
    "append": append,
    "close-to-open": close_to_open,
    "exclusive": exclusive,
    "rename": rename,
}


def over_a_crash(kind: str, random: Random, turns: int, crash_s: float) -> Recorded:
    """The server crashes, loses its memory, and answers again after 20 s."""
    if kind == "append":
        reported = append(random, turns, crash_s)
    elif kind == "close-to-open":
        reported = close_to_open(random, turns, crash_s)
    else:
        reported = KINDS[kind](random, turns)
    reported.stall(crash_s, CRASH_LASTS_S)
    return reported


def found_in(reported: Recorded, error_s: float = 0.001, **about: Any) -> Findings:
    """The findings; the clocks are good by default."""
    return judge(reported.kind, reported.histories(error_s), reported.about(**about))


def verdict(kind: str, found: Findings, options: Options | None = None) -> str:
    """The verdict of the check."""
    entry: Any = {"consistency_test": kind, **found.to_json()}
    return judge_consistency_test(entry, options or Options()).verdict
