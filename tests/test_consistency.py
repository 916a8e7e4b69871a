"""Histories with known answers: one true storage never gives a violation, and each planted
defect gives one.
"""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.appended import records
from seatrial.analysis.consistency import judge
from seatrial.analysis.histories import Circumstances, Final, Findings, History
from seatrial.analysis.overwritten import generation
from seatrial.basics.errors import InputError
from seatrial.faults.consistency_tests import events_of
from seatrial.judge.answer import Answer, Reason, passed, unknown
from seatrial.judge.checks.consistency import Options, judge_consistency_test, judge_fault
from seatrial.report.fault_tables import consistency as table
from seatrial.result.faults import FaultResult
from tests.side_by_side import RUN, Event, content_of, result_of
from tests.strategies import study
from tests.test_faults import STREAM, broken

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
                {**event, **{key: round((event[key] + 5 + wrong_s) * 1e9) for key in ("begin_ns", "end_ns")}}
                for event in events
            ]
            reported.append(History(f"c{client}", client, [*moved, {"op": "end"}], 5.0, error_s))
        return reported

    def about(self, disturbed: tuple[float, float] | None = None) -> Circumstances:
        """With the content of the storage at the end."""
        return Circumstances(RUN, Final(frozenset(self.names), dict(self.files)), disturbed)


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
    storage, counts = Storage(), [0, 0, 0]
    for client in turns:
        name = f"append-{client}"
        storage.add(client, "append", "ok", number=counts[client])
        storage.files[name] = storage.files.get(name, b"") + result_of(client, counts[client])
        highest, counts[client] = counts[client], counts[client] + 1
        storage.add((client + 2) % 3, "read", "ok", of=client, highest=highest, missing=[], torn=0)
    return storage


def exclusive(turns: list[int]) -> Storage:
    """All try one name after the other; the first wins."""
    storage = Storage()
    for number, first in enumerate(turns):
        storage.names.add(f"x{number}")
        for shift in range(3):
            storage.add((first + shift) % 3, "create", "exists" if shift else "won", name=f"x{number}")
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
    storage, counts = Storage(), [0, 0, 0]
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
ERRORS = st.lists(st.floats(0, 1.0), min_size=3, max_size=3)


@pytest.mark.parametrize("consistency_test", list(MODELS))
@given(turns=TURNS, errors_s=ERRORS, share=st.floats(-1, 1))
def test_a_true_storage_is_never_accused(
    consistency_test: str, turns: list[int], errors_s: list[float], share: float
) -> None:
    """With any clocks within their known errors; with good clocks, it passes."""
    storage = MODELS[consistency_test]([*turns, 0, 1, 2])
    found = judge(consistency_test, storage.histories(errors_s, share), storage.about())
    assert (found.violations, found.lost_locks) == ([], [])
    assert set(found.reasons) <= {"clocks", "no-contention", "nothing-new"}
    sharp = judge(consistency_test, storage.histories([STEP_S / 100] * 3, share), storage.about())
    assert (sharp.violations, sharp.unknowns, sharp.lost_locks) == ([], [], [])
    assert all(sharp.checked.values())
    assert judge_consistency_test(sharp.to_json()).verdict == "pass"


def last(storage: Storage, op: str, **wanted: Any) -> Event:
    """The last event of a kind."""
    events = [event for each in storage.events.values() for event in each if event["op"] == op]
    return max(
        (event for event in events if all(event.get(key) == value for key, value in wanted.items())),
        key=lambda event: float(event["begin_ns"]),
    )


def two_holders(storage: Storage) -> None:
    """A second lock is granted inside a hold."""
    hold = last(storage, "held", range=0)
    other = (int(str(hold["token"])[0]) + 1) % 3
    inside_s = hold["begin_ns"] - STEP_S / 2
    for op, at_s in (("lock", inside_s - STEP_S / 4), ("held", inside_s + STEP_S), ("unlock", inside_s + 2 * STEP_S)):
        times = {"begin_ns": at_s, "end_ns": at_s + STEP_S / 8}
        event = {"op": op, "outcome": "ok", "range": 0, "token": "second", "kept": False, **times}
        storage.events[other].append(event)


def opened_door(storage: Storage) -> None:
    """The neighbour gets a lock that its owner keeps."""
    knock = next(event for each in storage.events.values() for event in each if event.get("token") == "p")
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
    storage.events[(read["of"] + 2) % 3][-1] = {key: read[key] for key in ("op", "of", "begin_ns", "end_ns")} | {
        "outcome": "missing"
    }


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


DEFECTS: list[tuple[str, Callable[[Storage], None], str]] = [
    ("locks", two_holders, "both held range 0"),
    ("locks", opened_door, "both held range"),
    ("locks", foreign_token, "'another' of another"),
    ("exclusive", winner_twice, "was won by c"),
    ("exclusive", no_winner, "EEXIST for all"),
    ("exclusive", winner_gone, "is not there"),
    ("exclusive", from_nowhere, "no client tried"),
    ("append", record_gone, "acknowledged records are missing"),
    ("append", record_twice, "out of order, or there twice"),
    ("append", record_torn, "are no records"),
    ("append", reads_less, "had been acknowledged before"),
    ("append", reads_holes, "without"),
    ("append", reads_torn, "torn records"),
    ("append", file_missing, "it was missing"),
    ("rename", lost_item, "under neither name"),
    ("rename", two_names, "under both names"),
    ("rename", old_name, "has its old name"),
    ("rename", not_found, "ENOENT of an existing name"),
    ("rename", done_all_the_same, "the rename reported that nothing was done"),
    ("close-to-open", stale, "had been closed before"),
    ("close-to-open", closed_and_missing, "was missing"),
    ("close-to-open", mixed, "parts of generations"),
    ("close-to-open", old_in_the_end, "in the end"),
]


@pytest.mark.parametrize(
    ("consistency_test", "plant", "printed"), DEFECTS, ids=[f"{item[0]}-{item[1].__name__}" for item in DEFECTS]
)
@given(turns=TURNS, share=st.floats(-1, 1))
def test_each_planted_defect_is_found(
    consistency_test: str, plant: Callable[[Storage], None], printed: str, turns: list[int], share: float
) -> None:
    """And named, with clocks that are good enough to tell."""
    storage = MODELS[consistency_test](turns)
    plant(storage)
    found = judge(consistency_test, storage.histories([STEP_S / 100] * 3, share), storage.about())
    assert any(printed in words for words in found.violations), (found.violations, found.unknowns)
    assert judge_consistency_test(found.to_json()).verdict == "fail"


@given(turns=TURNS, share=st.floats(-1, 1))
def test_a_rename_that_is_to_be_called_again_is_counted(turns: list[int], share: float) -> None:
    """It is no violation; but where no rename of a client was ever done, nothing was shown."""
    storage = rename(turns)
    asked_again(storage)
    found = judge("rename", storage.histories([STEP_S / 100] * 3, share), storage.about())
    assert (found.violations, found.checked["renames to be asked again"]) == ([], 1)
    client = int(last(storage, "rename")["item"][0])
    assert bool(found.unknowns) == (turns.count(client) == 1)


def test_an_overlap_within_the_clock_error_is_no_violation() -> None:
    """Two holders at once, if the clocks were right; they may be wrong by more."""
    storage = locks([0, 1, 2])
    two_holders(storage)
    assert judge("locks", storage.histories([1.0] * 3, 0), storage.about()).violations == []


@pytest.mark.parametrize(
    ("consistency_test", "plant", "printed"), [("exclusive", no_winner, "EEXIST"), ("rename", not_found, "ENOENT")]
)
def test_the_effect_of_a_lost_answer_is_unknown(
    consistency_test: str, plant: Callable[[Storage], None], printed: str
) -> None:
    """During the outage it is unknown, as the RFCs explain; well before it there is no such
    excuse.
    """
    storage = MODELS[consistency_test]([0, 1, 2])
    plant(storage)
    quick = storage.histories([0.001] * 3)
    outage = storage.about((storage.now_s - 0.1, storage.now_s))
    histories = [replace(item, events=[lasting(event, 0.3) for event in item.events]) for item in quick]
    found = judge(consistency_test, histories, outage)
    assert found.violations == []
    assert [printed in words and "RFC 8881, section 2.10.6" in words for words in found.unknowns] == [True]
    assert judge_consistency_test(found.to_json()).verdict == "unknown"
    reported = judge_consistency_test(found.to_json(), Options(ambiguous_errors="waive"))
    assert (reported.verdict, "1 of them may answer" in reported.evidence) == ("pass with waivers", True)
    assert judge(consistency_test, histories, storage.about((storage.now_s + 1, storage.now_s + 9))).violations
    # What was answered within a millisecond was not sent again.
    assert judge(consistency_test, quick, outage).violations


def lasting(event: Mapping[str, Any], more_s: float) -> Event:
    """The same with a later end."""
    return {**event, **({"end_ns": event["end_ns"] + more_s * 1e9} if "end_ns" in event else {})}


def test_a_missing_name_that_no_client_won_is_no_lost_answer() -> None:
    """A request with a lost first answer has had its effect: the name would exist."""
    storage = exclusive([0, 1, 2])
    no_winner(storage)
    (name,) = {event["name"] for events in storage.events.values() for event in events} - {
        event["name"] for events in storage.events.values() for event in events if event["outcome"] == "won"
    }
    storage.names.discard(name)
    histories = storage.histories([0.001] * 3)
    slow = [replace(item, events=[lasting(event, 0.3) for event in item.events]) for item in histories]
    found = judge("exclusive", slow, storage.about((storage.now_s - 0.1, storage.now_s)))
    assert [words.endswith("and it is not there") for words in found.violations] == [True]


@pytest.mark.parametrize(
    ("granted", "asked", "holder", "violations"),
    [(False, 5, False, 1), (False, 4, False, 0), (True, 9, False, 0), (False, 9, True, 0)],
)
def test_a_free_range_is_granted_again(granted: bool, asked: int, holder: bool, violations: int) -> None:
    """A server that refuses every lock forever after a failover prevents overlaps, and all work."""
    storage = locks([0, 1, 2])
    settled_s = storage.now_s
    if holder:
        storage.add(0, "lock", "ok", range=9, token="h", kept=False)
        storage.add(0, "held", "ok", range=9, token="h")
    for _ in range(asked):
        storage.add(1, "lock", "refused", range=9, token="p", kept=False)
    if granted:
        storage.add(2, "lock", "ok", range=9, token="g", kept=False)
        storage.add(2, "unlock", "ok", range=9, token="g")
    about = replace(storage.about((settled_s - 1, storage.now_s)), settled_s=settled_s - STEP_S / 2)
    found = judge("locks", storage.histories([0.001] * 3), about)
    assert len(found.violations) == violations, found.violations
    if violations:
        assert "refused to all 5 who asked, and no client held it" in found.violations[0]


def test_a_missing_history_is_no_evidence() -> None:
    """Also the history of a client that lost its power in the fault: it syncs each line."""
    about = Circumstances(RUN, Final(), lost_power=frozenset({"c0"}))
    assert judge("rename", [History("c0", 0, [])], about).unknowns == ["the history of c0 is not there"]


def test_a_lost_lock_is_reported_and_fails_unless_it_is_waived() -> None:
    """Its holder got an error; it could not know earlier, so that a second holder is no
    violation.
    """
    storage = locks([0, 1, 2, 0])
    last(storage, "held", token="k1").update(outcome="error", errno="EIO")
    found = judge("locks", storage.histories([0.001] * 3), storage.about())
    assert found.violations == []
    assert found.kept_locks == {"c0": "held", "c1": "lost", "c2": "held"}
    assert "EIO of held" in found.lost_locks[0]
    assert judge_consistency_test(found.to_json()).verdict == "fail"
    assert judge_consistency_test(found.to_json(), Options(lost_locks="waive")).verdict == "pass with waivers"


def test_a_token_that_a_full_file_system_refused_shows_nothing_about_its_lock() -> None:
    """It is not lost, and a token of another client in the file is no other holder's work."""
    storage = locks([0, 1, 2, 0, 1])
    last(storage, "held", token="1-4").update(outcome="error", errno="ENOSPC")
    storage.add(1, "held", "foreign", range=0, token="1-4", seen="0-3")
    whole = judge("locks", locks([0, 1, 2, 0, 1]).histories([0.001] * 3), storage.about())
    found = judge("locks", storage.histories([0.001] * 3), storage.about())
    assert (found.violations, found.lost_locks) == ([], [])
    assert found.checked["looks"] == whole.checked["looks"] - 1
    assert found.checked["holds"] == whole.checked["holds"]


def test_a_lock_counts_as_kept_only_after_the_fault() -> None:
    """An observation before the fault proves nothing."""
    storage = locks([0, 1, 2])
    late = storage.about((storage.now_s, storage.now_s + 60))
    found = judge("locks", storage.histories([0.001] * 3), late)
    assert set(found.kept_locks.values()) == {"unknown"}
    assert judge_consistency_test(found.to_json()).verdict == "unknown"


def without_request(consistency_test: str, **changed: Any) -> Storage:
    """By NFSv3: a first look finds the name; a second, `changed`, sends no request; a third
    asks again.
    """
    storage = Storage()
    calls = {"nfs_version": "3", "getattr_calls": 1, "lookup_calls": 0, "of": 0}
    first, second = {**calls, "getattr_calls": 0, "lookup_calls": 1}, {**calls, "getattr_calls": 0}
    if consistency_test == "append":
        for number in range(4):
            storage.add(0, "append", "ok", number=number)
            shown = {"highest": 0, "missing": [], "torn": 0, "size_bytes": 64}
            if number == 0:
                storage.add(1, "read", "ok", **{**first, **shown, "size_at_server_bytes": 64})
        storage.files["append-0"] = b"".join(result_of(0, number) for number in range(4))
        storage.add(1, "read", "ok", **{**second, **shown, "size_at_server_bytes": 256, **changed})
        storage.add(1, "read", "ok", **{**calls, **shown, "highest": 3, "size_bytes": 256, "size_at_server_bytes": 256})
        return storage
    for generation_ in (0, 1):
        storage.add(0, "overwrite", "ok", generation=generation_)
        shown = {"generation": 0, "size_bytes": 36}
        if generation_ == 0:
            storage.add(1, "read", "ok", **{**first, **shown, "size_at_server_bytes": 36})
    storage.files["generation-0"] = content_of(0, 1)
    storage.add(1, "read", "ok", **{**second, **shown, "size_at_server_bytes": 37, **changed})
    storage.add(1, "read", "ok", **{**calls, "generation": 1, "size_bytes": 37, "size_at_server_bytes": 37})
    return storage


@pytest.mark.parametrize("consistency_test", ["append", "close-to-open"])
def test_an_open_without_a_request_is_distinguished(consistency_test: str) -> None:
    """It fails the criterion unless the study waives it; the text names the insufficient
    evidence.
    """
    storage = without_request(consistency_test)
    found = judge(consistency_test, storage.histories([0.001] * 3), storage.about())
    assert (found.violations, found.unknowns, len(found.unasked)) == ([], [], 1)
    assert "no GETATTR and no LOOKUP" in found.unasked[0]
    answer = judge_consistency_test(found.to_json())
    assert (answer.verdict, "had been" in answer.evidence) == ("fail", True)
    answer = judge_consistency_test(found.to_json(), Options(stale_reads="waive"))
    assert (answer.verdict, "1 of them show nothing" in answer.evidence) == ("pass with waivers", True)
    assert [(item.key, item.number) for item in answer.waivers] == [("stale_reads", 1)]
    older = {key: value for key, value in found.to_json().items() if not key.startswith("unasked")}
    assert judge_consistency_test(older).verdict == "pass"


@pytest.mark.parametrize(
    "changed",
    [
        {"getattr_calls": 1},
        {"lookup_calls": 1},
        {"getattr_calls": None, "lookup_calls": None},
        {"nfs_version": "4.2"},
        {"nfs_version": None},
        {"size_at_server_bytes": 36},
        {"size_at_server_bytes": None},
        {"size_bytes": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("consistency_test", ["append", "close-to-open"])
def test_a_real_violation_still_fails(consistency_test: str, changed: dict[str, Any]) -> None:
    """Where the client asked, or it is unknown, or the server had less, or the content
    differs from before.
    """
    storage = without_request(consistency_test, **changed)
    found = judge(consistency_test, storage.histories([0.001] * 3), storage.about())
    assert (len(found.violations), found.unasked) == (1, [])
    assert judge_consistency_test(found.to_json(), Options(stale_reads="waive")).verdict == "fail"


@pytest.mark.parametrize("consistency_test", ["append", "close-to-open"])
def test_only_the_look_after_the_lookup_may_lack_a_request(consistency_test: str) -> None:
    """A mount that never asks (`nocto`) shows too little again and again."""
    storage = without_request(consistency_test)
    silent = storage.events[1][1]
    storage.events[1].insert(2, dict(silent))
    found = judge(consistency_test, storage.histories([0.001] * 3), storage.about())
    assert (len(found.violations), len(found.unasked)) == (1, 1)
    del storage.events[1][0]
    found = judge(consistency_test, storage.histories([0.001] * 3), storage.about())
    assert (len(found.violations), len(found.unasked)) == (2, 0)


def test_nothing_checked_is_never_a_pass() -> None:
    """A history without an end, or a storage that could not be inspected, is no pass either."""
    assert judge_consistency_test(Findings().to_json()) == unknown("nothing was checked", Reason.NOTHING_CHECKED)
    storage = exclusive([0, 1])
    whole = storage.histories([0.001] * 3)
    cut = [replace(whole[0], events=whole[0].events[:-1]), *whole[1:]]
    assert judge_consistency_test(judge("exclusive", cut, storage.about()).to_json()).verdict == "unknown"
    assert (
        judge_consistency_test(judge("exclusive", whole, replace(storage.about(), final=None)).to_json()).verdict
        == "unknown"
    )
    gone = replace(storage.about(), lost_power=frozenset({"c0"}))
    assert judge_consistency_test(judge("exclusive", cut, gone).to_json()).verdict == "pass"


def test_a_failed_operation_may_have_happened() -> None:
    """A record or a name with an error is neither missing nor unexpected."""
    for there in (True, False):
        storage = append([0, 0, 0])
        storage.add(0, "append", "error", number=3)
        storage.files["append-0"] += result_of(0, 3) if there else b""
        assert judge("append", storage.histories([0.001] * 3), storage.about()).violations == []
        names = exclusive([0])
        names.add(0, "create", "error", name="x1")
        names.names |= {"x1"} if there else set()
        found = judge("exclusive", names.histories([0.001] * 3), names.about())
        assert (found.violations, len(found.unknowns)) == ([], int(there))


def test_a_cut_history_is_read_to_the_cut() -> None:
    """A line that is not whole ends it."""
    assert events_of('{"op":"lock"}\n{"op":"un') == [{"op": "lock"}]
    assert events_of('{"op":"lock"}\n\0\0\0\n{"op":"end"}\n') == [{"op": "lock"}]
    assert events_of("") == []


@given(st.integers(0, 9), st.integers(0, 5000))
def test_contents_are_read_as_the_agent_writes_them(client: int, number: int) -> None:
    """And of no other agent."""
    assert records(RUN, client, result_of(client, number) * 2) == [number, number]
    assert records(RUN, client + 1, result_of(client, number)) == [None]
    assert generation(RUN, client, content_of(client, number)) == number
    assert generation(RUN, client, content_of(client, number)[:-1]) is None


STREAMS: list[tuple[dict[str, Any], str]] = [
    ({}, "one of workload, consistency_test and copy"),
    ({"consistency_test": "locks"}, "needs arrivals_per_s"),
    ({"consistency_test": "dance", "arrivals_per_s": 4}, "dance"),
    (
        {"consistency_test": "locks", "arrivals_per_s": 4, "workload": STREAM},
        "one of workload, consistency_test and copy",
    ),
    ({"workload": STREAM, "arrivals_per_s": 4}, "write arrivals_per_s of a workload in the workload"),
    ({"consistency_test": "locks", "arrivals_per_s": 0}, "greater than 0"),
]


@pytest.mark.parametrize(("stream", "printed"), STREAMS)
def test_a_stream_is_a_load_or_a_consistency_test(stream: dict[str, Any], printed: str) -> None:
    """And a mistake is reported with its place."""
    with pytest.raises(InputError) as caught:
        study(broken({"a": {"kind": "panic"}}, {"s": stream}))
    assert printed in str(caught.value)
    assert "background_load.s" in str(caught.value)


def test_the_report_has_a_row_for_each_consistency_test() -> None:
    """With its counts, and with violations in words; without consistency tests there is no
    table.
    """
    storage = exclusive([0, 1, 2])
    winner_twice(storage)
    found = judge("exclusive", storage.histories([0.001] * 3), storage.about()).to_json()
    kept = judge("locks", locks([0]).histories([0.001] * 3), locks([0]).about()).to_json()
    results = {"names": {"consistency_test": "exclusive", **found}, "locks": {"consistency_test": "locks", **kept}}
    fault = FaultResult("it", "panic", "panic", "a panic", None, {}, consistency=results)
    drawn = table([fault], [])
    assert drawn.rows[0][:5] == ("it", "names: exclusive", "3 names, 3 contended", "1", "0")
    assert "was won by" in drawn.rows[0][-1]
    assert "c0: held, c1: held, c2: held" in drawn.rows[1]
    assert table([replace(fault, consistency={})], []).rows == ()
    assert FaultResult.from_json(json.loads(json.dumps(asdict(fault)))).consistency == results


def test_the_claim_is_judged_over_all_faults() -> None:
    """One that fails decides; one that was skipped does not."""
    good = {"consistency_test": "exclusive", **judge("exclusive", *_good()).to_json()}
    bad = {**good, "violations_count": 1, "violations": ["x1 was won by c1 and c2"]}
    fine = FaultResult("fine", "panic", "panic", "a panic", None, {}, consistency={"names": good})
    (answer,) = judge_fault(fine)
    assert replace(answer, rows=()) == passed("names: 1 names, 1 contended")
    wrong = replace(fine, name="wrong", consistency={"names": bad})
    assert judge_fault(wrong)[0].verdict == "fail"
    assert judge_fault(replace(fine, skipped="no peer")) == [Answer("skipped", "skipped, no peer", Reason.SKIPPED)]
    broken = replace(fine, failed="it broke", consistency={})
    assert judge_fault(broken) == [unknown("it broke", Reason.NOT_CARRIED_THROUGH)]


def _good() -> tuple[list[History], Circumstances]:
    storage = exclusive([0])
    return storage.histories([0.001] * 3), storage.about()


def test_planting_changes_only_its_defect() -> None:
    """The models are fresh each time."""
    assert copy.deepcopy(locks([0]).events) == locks([0]).events


# ---- a client that crashes with the file system's journal in its own memory


def renamed(client: str, item: str, begin_s: float) -> History:
    """A client that made a name and gave it another, and was cut off."""
    at = {"begin_ns": begin_s * 1e9, "end_ns": (begin_s + 0.01) * 1e9}
    events = [
        {"op": "create", "item": item, "outcome": "created", **at},
        {"op": "rename", "item": item, "outcome": "ok", **at},
    ]
    return History(client, 0, events)


@pytest.mark.parametrize(
    ("names", "forgetful", "crash_s", "violations", "undone"),
    [
        ({"b0.1"}, True, 2.0, 0, 0),
        ({"a0.1"}, True, 2.0, 0, 1),
        (set(), True, 2.0, 0, 1),
        ({"a0.1", "b0.1"}, True, 2.0, 1, 0),
        ({"a0.1"}, False, 2.0, 1, 0),
        (set(), False, 2.0, 1, 0),
        ({"a0.1"}, True, 90.0, 1, 0),
        (set(), True, 90.0, 1, 0),
    ],
)
def test_a_crash_may_undo_unsynced_operations(
    names: set[str], forgetful: bool, crash_s: float, violations: int, undone: int
) -> None:
    """Only by the client that crashed; never both names; never data that its journal has
    already.
    """
    crashed = frozenset({"c0"})
    about = Circumstances(
        RUN, Final(frozenset(names)), (crash_s, 99.0), None, crashed, crashed if forgetful else frozenset()
    )
    found = judge("rename", [renamed("c0", "0.1", 1.0)], about)
    assert (len(found.violations), found.checked.get("undone by a crash", 0)) == (violations, undone)


@pytest.mark.parametrize(
    ("winners", "names", "violations"),
    [
        ({"c0": 1.0}, set(), 0),
        ({"c0": 1.0, "c1": 5.0}, {"x"}, 0),
        ({"c0": 1.0, "c1": 1.5}, {"x"}, 1),  # before the crash every client could see the name
        ({"c1": 1.0}, set(), 1),
        ({"c1": 1.0, "c2": 5.0}, {"x"}, 1),
        ({"c0": 1.0}, {"x"}, 0),
    ],
)
def test_a_name_that_a_crashed_client_won_may_be_won_again(
    winners: dict[str, float], names: set[str], violations: int
) -> None:
    """Where it was not synced, after the crash; by one that did not crash, once."""

    def won(at_s: float) -> Event:
        return {"op": "create", "name": "x", "outcome": "won", "begin_ns": at_s * 1e9, "end_ns": (at_s + 0.1) * 1e9}

    histories = [
        History(client, number, [won(at_s), {"op": "end"}]) for number, (client, at_s) in enumerate(winners.items())
    ]
    about = Circumstances(RUN, Final(frozenset(names)), (4.0, 9.0), None, frozenset({"c0"}), frozenset({"c0"}))
    assert len(judge("exclusive", histories, about).violations) == violations
