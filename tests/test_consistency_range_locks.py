"""`range-locks`: legal histories pass, and each planted defect is a violation."""

from typing import Any

import pytest
from hypothesis import given

from tests.builders import model_histories as tools
from tests.builders.model_histories import ERRORS_S, SHARES, TURNS, Recorded

NUMBERS = [0, 1, 2, 0, 1, 2, 0, 1]


def page_of(client: int) -> int:
    """The first page that a client keeps."""
    return 1 + 3 * (client % 3)


def model(turns: list[int]) -> Recorded:
    """Each keeps a split lock; in every turn one makes a write lock of the page that all had for
    reading.
    """
    reported = Recorded("range-locks")
    for client in range(3):
        reported.add(client, "lock", first=page_of(client), pages=3, mode="write")
        reported.add(client, "unlock", first=page_of(client) + 1, pages=1)
    for asks in turns:
        for client in range(3):
            reported.add(client, "lock", first=0, pages=1, mode="read")
        reported.add(asks, "lock", "refused", first=0, pages=1, mode="write")
        for shift in (1, 2):
            reported.add((asks + shift) % 3, "unlock", first=0, pages=1)
        reported.add(asks, "lock", first=0, pages=1, mode="write")
        reported.now_s += tools.STEP_S
        reported.add(asks, "unlock", first=0, pages=1)
        for client in range(3):
            reported.add(client, "held", first=page_of(client), pages=3)
            knock(reported, client)
    for client in range(3):
        reported.add(client, "held", first=page_of(client), pages=3)
    for client in range(3):
        reported.add(client, "unlock", first=page_of(client), pages=3)
    return reported


def knock(reported: Recorded, client: int) -> None:
    """At all three pages of the next."""
    first = page_of(client + 1)
    reported.add(client, "lock", "refused", first=first, pages=1, mode="write")
    reported.add(client, "lock", first=first + 1, pages=1, mode="write")
    reported.add(client, "unlock", first=first + 1, pages=1)
    reported.add(client, "lock", "refused", first=first + 2, pages=1, mode="write")


def granted(reported: Recorded, first: int) -> None:
    """The second client is granted a page that the third keeps."""
    event = reported.last("lock", first=first, outcome="refused")
    event["outcome"] = "ok"
    after = {
        **event,
        "op": "unlock",
        "begin_ns": event["end_ns"],
        "end_ns": event["end_ns"] + tools.STEP_S / 20,
    }
    events = reported.events[1]
    events.insert(events.index(event) + 1, after)


def split_is_lost(reported: Recorded) -> None:
    """To give the middle back gave the end back, too."""
    granted(reported, page_of(2) + 2)


def start_is_lost(reported: Recorded) -> None:
    """To give the middle back gave the start back, too."""
    granted(reported, page_of(2))


def middle_is_kept(reported: Recorded) -> None:
    """The middle was unlocked, but is refused."""
    event = reported.last("lock", first=page_of(2) + 1, outcome="ok")
    event["outcome"] = "refused"
    reported.events[1].remove(reported.last("unlock", first=page_of(2) + 1))


def upgraded_with_a_reader(reported: Recorded) -> None:
    """A write lock is granted while other clients read."""
    reported.last("lock", first=0, outcome="refused")["outcome"] = "ok"


def read_refused(reported: Recorded) -> None:
    """A read lock is refused, and all others read."""
    event = reported.last("lock", first=0, mode="read")
    event["outcome"] = "refused"


@given(turns=TURNS, errors_s=ERRORS_S, share=SHARES)
def test_a_true_storage_is_never_accused(
    turns: list[int], errors_s: list[float], share: float
) -> None:
    """With any clocks within their errors."""
    tools.require_true(model, turns, errors_s, share)


@tools.named(
    [
        (split_is_lost, "both-held"),
        (start_is_lost, "both-held"),
        (middle_is_kept, "refused-for-nothing"),
        (upgraded_with_a_reader, "both-held"),
        (read_refused, "refused-for-nothing"),
    ]
)
def test_each_planted_defect_is_found(plant: tools.Plant, reason: str) -> None:
    """And named by its reason."""
    tools.require_found(model, plant, reason, NUMBERS)


def test_a_clock_that_may_be_wrong_by_more_than_is_tested_leaves_it_unknown() -> None:
    """No upgrade shows anything then."""
    tools.require_clocks_matter(model, upgraded_with_a_reader, NUMBERS)
    assert "clocks" in model(NUMBERS).judged([30.0] * 3, 0.0).reasons


def test_a_page_that_is_kept_for_long_needs_no_good_clock() -> None:
    """Its whole time includes every time in which another client may have held a lock."""
    reported = model(NUMBERS * 3)
    assert reported.judged([0.2] * 3).violations == []
    first = page_of(2) + 2
    knocks = [event for event in reported.events[1] if event.get("first") == first]
    event = knocks[len(knocks) // 2]
    event["outcome"] = "ok"
    at = reported.events[1].index(event)
    times = {"begin_ns": event["end_ns"], "end_ns": event["end_ns"] + tools.STEP_S / 20}
    reported.events[1].insert(at + 1, {**event, "op": "unlock", **times})
    assert reported.judged([0.2] * 3).reasons.get("both-held") == 1


@pytest.mark.parametrize("settled", [False, True])
def test_a_refusal_while_a_server_recovers_is_none(settled: bool) -> None:
    """The refusal may be its grace period; once the server is healthy, it is not."""
    reported = model(NUMBERS)
    middle_is_kept(reported)
    reported.disturbed = (1000.0, 1001.0 if settled else reported.now_s)
    about: dict[str, Any] = {"settled_s": 1001.0} if settled else {}
    found = reported.judged(**about)
    assert ("refused-for-nothing" in found.reasons) == settled


def test_a_reader_under_a_lost_lock_gets_an_error() -> None:
    """It is reported as lost, and another client may have it."""
    reported = model(NUMBERS)
    split_is_lost(reported)
    knocked = reported.last("lock", first=page_of(2) + 2, outcome="ok")
    for event in reported.events[2]:
        if event["op"] == "held" and event["begin_ns"] > knocked["begin_ns"]:
            event.update(outcome="error", errno="EIO")
    found = reported.judged()
    assert (found.violations, len(found.lost_locks)) == ([], 1)
    assert "EIO of a read under the lock" in found.lost_locks[0]
