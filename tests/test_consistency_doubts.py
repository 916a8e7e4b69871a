"""Histories that leave something open: lost answers, wrong clocks, crashes, and histories that end
early.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.histories import Circumstances, Final, History
from seatrial.faults.consistency_tests import events_of
from seatrial.judge.checks.consistency import Options, judge_consistency_test
from tests.builders.histories import (
    MODELS,
    STEP_S,
    TURNS,
    Storage,
    append,
    exclusive,
    locks,
    rename,
    without_request,
)
from tests.builders.planted_defects import asked_again, last, no_winner, not_found, two_holders
from tests.builders.side_by_side import RUN, Event, judge, result_of


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
    ("consistency_test", "plant", "printed"),
    [("exclusive", no_winner, "EEXIST"), ("rename", not_found, "ENOENT")],
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
    histories = [
        replace(item, events=[lasting(event, 0.3) for event in item.events]) for item in quick
    ]
    found = judge(consistency_test, histories, outage)
    assert found.violations == []
    assert [
        printed in words and "RFC 8881, section 2.10.6" in words for words in found.unknowns
    ] == [True]
    assert judge_consistency_test(found.to_json()).verdict == "unknown"
    reported = judge_consistency_test(found.to_json(), Options(ambiguous_errors="waive"))
    assert (reported.verdict, "1 of them may answer" in reported.evidence) == (
        "pass with waivers",
        True,
    )
    assert judge(
        consistency_test, histories, storage.about((storage.now_s + 1, storage.now_s + 9))
    ).violations
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
        event["name"]
        for events in storage.events.values()
        for event in events
        if event["outcome"] == "won"
    }
    storage.names.discard(name)
    histories = storage.histories([0.001] * 3)
    slow = [
        replace(item, events=[lasting(event, 0.3) for event in item.events]) for item in histories
    ]
    found = judge("exclusive", slow, storage.about((storage.now_s - 0.1, storage.now_s)))
    assert [words.endswith("and it is not there") for words in found.violations] == [True]


@pytest.mark.parametrize(
    ("granted", "asked", "holder", "violations"),
    [(False, 5, False, 1), (False, 4, False, 0), (True, 9, False, 0), (False, 9, True, 0)],
)
def test_a_free_range_is_granted_again(
    granted: bool, asked: int, holder: bool, violations: int
) -> None:
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
    assert judge("rename", [History("c0", 0, [])], about).unknowns == [
        "the history of c0 is not there"
    ]


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
    assert (answer.verdict, "1 of them show nothing" in answer.evidence) == (
        "pass with waivers",
        True,
    )
    assert [(item.key, item.number) for item in answer.waivers] == [("stale_reads", 1)]
    older: Any = {
        key: value for key, value in found.to_json().items() if not key.startswith("unasked")
    }
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
        RUN,
        Final(frozenset(names)),
        (crash_s, 99.0),
        None,
        crashed,
        crashed if forgetful else frozenset(),
    )
    found = judge("rename", [renamed("c0", "0.1", 1.0)], about)
    assert (len(found.violations), found.checked.get("undone by a crash", 0)) == (
        violations,
        undone,
    )


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
        return {
            "op": "create",
            "name": "x",
            "outcome": "won",
            "begin_ns": at_s * 1e9,
            "end_ns": (at_s + 0.1) * 1e9,
        }

    histories = [
        History(client, number, [won(at_s), {"op": "end"}])
        for number, (client, at_s) in enumerate(winners.items())
    ]
    about = Circumstances(
        RUN, Final(frozenset(names)), (4.0, 9.0), None, frozenset({"c0"}), frozenset({"c0"})
    )
    assert len(judge("exclusive", histories, about).violations) == violations
