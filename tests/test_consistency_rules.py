"""Each rule by which histories are judged: its doubts, and the rows of its table."""

from random import Random
from typing import Any

import pytest

from seatrial.analysis.histories import Circumstances, Final, Findings, History
from seatrial.analysis.reasons import Unknown, Wrong
from seatrial.judge.checks.consistency import Options
from tests.builders.planted_side_by_side import not_begun_in_the_end, stranger
from tests.builders.side_by_side import (
    CLIENTS,
    KINDS,
    RUN,
    TURN_S,
    Event,
    Recorded,
    Times,
    content_of,
    found_in,
    judge,
    result_of,
    verdict,
)

TURNS = 12


# ---- the clocks


def stale_for_ever(reported: Recorded) -> None:
    """Every look shows generation 0."""
    for read in reported.of("read"):
        read.update(outcome="ok", generation=0)


def test_row_every_read_stale_is_unknown_where_a_clock_may_be_wrong_by_half_a_minute() -> None:
    """And a violation by good clocks."""
    reported = KINDS["close-to-open"](Random(1), TURNS)
    stale_for_ever(reported)
    found = found_in(reported, 30.0)
    assert found.violations == []
    assert Unknown.CLOCKS in found.reasons
    assert verdict(reported.kind, found) == "unknown"
    assert Wrong.STALE in found_in(reported).reasons


def holds_of(spans: list[tuple[int, float, float]], number: int = 0) -> list[tuple[int, Event]]:
    """Of one range: (client, granted, unlocked), with a look right after the grant."""
    reported = []
    for client, from_s, to_s in spans:
        name = {"range": number, "token": f"{client}.{from_s}"}
        events: list[Event] = [
            {
                "op": "lock",
                "outcome": "ok",
                "kept": False,
                "begin_s": from_s - 0.01,
                "end_s": from_s,
                **name,
            },
            {
                "op": "held",
                "outcome": "ok",
                "begin_s": from_s + 0.01,
                "end_s": from_s + 0.02,
                **name,
            },
            {"op": "unlock", "outcome": "ok", "begin_s": to_s, "end_s": to_s + 0.01, **name},
        ]
        reported += [(client, event) for event in events]
    return reported


def with_holds(spans: list[tuple[int, float, float]], number: int = 0) -> Recorded:
    """Additional holds next to those of a correct storage."""
    reported = KINDS["locks"](Random(1), TURNS)
    for client, event in holds_of(spans, number):
        reported.events[client].append(event)
    return reported


def test_row_two_holders_for_20_s_are_unknown_where_a_clock_may_be_wrong_by_half_a_minute() -> None:
    """The overlap is in the histories, and only the clocks' errors excuse it."""
    reported = with_holds([(0, 1100.0, 1130.0), (1, 1105.0, 1125.0)])
    for number in range(20):
        knock = Times(1110.0 + number / 10, 1110.05 + number / 10, 0.0)
        reported.add(2, "lock", knock, "refused", range=0, token=f"z{number}", kept=False)
    found = found_in(reported, 30.0)
    assert found.violations == []
    # The overlap itself, and refusals that are not certain.
    assert found.reasons[Unknown.CLOCKS] >= 2
    assert verdict("locks", found, Options(lost_locks="waive")) == "unknown"
    assert Wrong.TWO_HOLDERS in found_in(reported).reasons


@pytest.mark.parametrize(("error_s", "reasons"), [(0.5, set()), (2.0, {Unknown.CLOCKS})])
def test_a_view_of_three_seconds_must_differ_from_a_new_one(
    error_s: float, reasons: set[Unknown]
) -> None:
    """With four turns per second, the view of the previous look is too recent; the errors of
    two clocks add up.
    """
    for kind in ("append", "close-to-open"):
        assert set(found_in(KINDS[kind](Random(1), 80), error_s).reasons) == reasons


def test_refusals_that_the_clocks_make_uncertain_show_nothing() -> None:
    """Each came while another held the range, if the clocks were right; a grant would have been no
    violation.
    """
    found = found_in(KINDS["locks"](Random(1), TURNS), 30.0)
    assert (found.violations, set(found.reasons)) == ([], {Unknown.CLOCKS})


# ---- locks


def test_row_clients_that_never_compete_show_nothing_of_locks() -> None:
    """Each alone in its ranges: four holds, four looks."""
    reported = Recorded("locks")
    for client in range(2):
        for number in range(2):
            own = client * 2 + number
            for owner, event in holds_of([(client, 1000.0 + number, 1000.5 + number)], own):
                reported.events[owner].append(event)
    found = found_in(reported)
    assert (found.checked["holds"], found.checked["looks"]) == (4, 4)
    assert found.reasons == {Unknown.NO_CONTENTION: 2}
    assert verdict("locks", found) == "unknown"


@pytest.mark.parametrize("disturbed", [None, (1100.5, 1140.0)])
@pytest.mark.parametrize(
    ("granted_s", "slow"), [(1106.0, False), (1106.0, True)], ids=["after-look", "slow-look"]
)
def test_row_a_grant_before_the_holder_unlocks_is_a_violation(
    granted_s: float, slow: bool, disturbed: tuple[float, float] | None
) -> None:
    """Four seconds before: between its last look and its unlock, or while the look is slow; over a
    failover too.
    """
    reported = with_holds([(0, 1100.0, 1110.0), (1, granted_s, granted_s + 0.5)])
    if slow:
        reported.of("held", token="0.1100.0")[0]["end_s"] = 1109.9
    found = found_in(reported, disturbed=disturbed)
    assert found.reasons == {Wrong.TWO_HOLDERS: 1}
    assert verdict("locks", found, Options(lost_locks="waive")) == "fail"


def test_a_hold_without_an_unlock_ends_with_its_last_look() -> None:
    """Its holder could not know; so a grant after that is no violation."""
    for change in ("lost", "no unlock"):
        reported = with_holds([(0, 1100.0, 1110.0), (1, 1106.0, 1106.5)])
        unlock = reported.of("unlock", token="0.1100.0")[0]
        if change == "lost":
            unlock.update(outcome="error", errno="EIO")
        else:
            reported.events[0].remove(unlock)
        assert found_in(reported).violations == []


def test_row_a_server_that_refuses_every_lock_shows_nothing() -> None:
    """From the beginning, or from some time on until the end."""
    for granted in (True, False):
        reported = KINDS["locks"](Random(1), TURNS)
        if not granted:
            for client in range(CLIENTS):
                reported.events[client] = [
                    event for event in reported.events[client] if event.get("range") != 0
                ]
        for number in range(30):
            knock = Times(1100.0 + number, 1100.1 + number, 0.0)
            reported.add(
                number % CLIENTS, "lock", knock, "refused", range=0, token=f"z{number}", kept=False
            )
        found = found_in(reported)
        assert found.violations == []
        assert Unknown.NO_PROGRESS in found.reasons
        assert verdict("locks", found) == "unknown"


# ---- the answers


def test_row_one_look_and_49_failed_ones_show_nothing() -> None:
    """One look at generation 0, or one early look and errors of append."""
    for kind, op in (("close-to-open", "read"), ("append", "append")):
        reported = KINDS[kind](Random(1), 50)
        for client in range(CLIENTS):
            for event in [event for event in reported.events[client] if event["op"] == op][1:]:
                event["outcome"] = "error"
        found = found_in(reported)
        assert found.reasons.get(Unknown.FEW_ANSWERS) == CLIENTS, found
        assert found.violations == []
        assert verdict(kind, found) == "unknown"


def test_errors_of_the_fault_count_less_and_not_nothing() -> None:
    """Where the fault explains them, a tenth has to be answered; of a client without power nothing
    is asked.
    """
    reported = KINDS["close-to-open"](Random(3), 40)
    for event in reported.of("overwrite"):
        event["outcome"] = "ok"
    about: dict[str, Any] = {"disturbed": (1001.9, 1000.0 + 39 * TURN_S)}
    for read in reported.of("read"):
        if read["begin_s"] > 1002.0:
            read["outcome"] = "error"
    assert Unknown.FEW_ANSWERS not in found_in(reported, **about).reasons
    assert Unknown.FEW_ANSWERS in found_in(reported).reasons
    for read in reported.of("read")[3 * CLIENTS :]:
        read["outcome"] = "error"
    assert found_in(reported, disturbed=(1000.0, 1099.0)).reasons[Unknown.FEW_ANSWERS] == CLIENTS
    lost = frozenset(f"c{client}" for client in range(CLIENTS))
    assert Unknown.FEW_ANSWERS not in found_in(reported, lost_power=lost).reasons


def test_a_lock_that_is_lost_is_one_error_however_often_its_holder_looks() -> None:
    """`lost_locks: waive` states its effect on the criterion."""
    reported = KINDS["locks"](Random(1), TURNS)
    for number in range(200):
        times = Times(1020.0 + number / 10, 1020.01 + number / 10, 0.0)
        reported.add(0, "held", times, "error", errno="EIO", range=2, token="k0")
    found = found_in(reported)
    assert Unknown.FEW_ANSWERS not in found.reasons
    assert len(found.lost_locks) == 1


def test_looks_without_anything_new_show_nothing() -> None:
    """A writer that writes once, and is read a hundred times."""
    reported = Recorded("close-to-open")
    for number in range(100):
        reported.add(
            1, "read", Times(990 + number / 100, 990.001 + number / 100, 0.0), "missing", of=0
        )
    reported.add(0, "overwrite", Times(1000.0, 1000.1, 1000.0), generation=0)
    reported.files["generation-0"] = content_of(0, 0)
    found = found_in(reported)
    assert (found.violations, found.reasons) == ([], {Unknown.NOTHING_NEW: 1})


# ---- exclusive create


def test_row_eexist_before_any_create_had_begun_is_a_violation() -> None:
    """Ten seconds before, undisturbed."""
    reported = Recorded("exclusive")
    reported.add(0, "create", Times(1000.0, 1000.01, 0.0), "exists", name="x0")
    reported.add(1, "create", Times(1010.0, 1010.01, 0.0), "won", name="x0")
    reported.names.add("x0")
    found = found_in(reported)
    assert found.reasons == {Wrong.EXISTED_TOO_EARLY: 1}
    assert verdict("exclusive", found) == "fail"
    assert found_in(reported, 6.0).violations == []


def test_eexist_before_a_create_that_failed_had_begun_is_a_violation() -> None:
    """No client can have created the name by then, unless the request itself was retransmitted."""
    reported = Recorded("exclusive")
    reported.add(0, "create", Times(1000.0, 1000.5, 0.0), "exists", name="x0")
    reported.add(1, "create", Times(1010.0, 1010.01, 0.0), "error", name="x0")
    reported.names.add("x0")
    assert found_in(reported).reasons.get(Wrong.EXISTED_TOO_EARLY) == 1
    assert found_in(reported, disturbed=(999.0, 1001.0)).violations == []
    reported.cut = {2}
    assert found_in(reported).violations == []


@pytest.mark.parametrize("noted", [True, False])
def test_eexist_of_a_name_that_a_crash_took_back_is_no_violation(noted: bool) -> None:
    """A client that keeps the journal made it, lost its power, and another made it again; its
    history may lack that.
    """
    reported = Recorded("exclusive", cut={0})
    reported.add(0, "create", Times(990.0, 990.01, 0.0), "won", name="x0")
    reported.add(1, "create", Times(990.0, 990.02, 0.0), "exists", name="x0")
    if noted:
        reported.add(0, "create", Times(1000.0, 1000.01, 0.0), "won", name="x1")
    reported.add(1, "create", Times(1000.1, 1000.11, 0.0), "exists", name="x1")
    reported.add(2, "create", Times(1010.0, 1010.01, 0.0), "won", name="x1")
    reported.names |= {"x0", "x1"}
    crashed = frozenset({"c0"})
    about: dict[str, Any] = {"disturbed": (1005.0, 1009.0), "lost_power": crashed}
    assert found_in(reported, forgetful=crashed, **about).violations == []
    reason = Wrong.WON_TWICE if noted else Wrong.EXISTED_TOO_EARLY
    assert found_in(reported, **about).reasons == {reason: 1}


# ---- append and close-to-open


def opened(generations: list[tuple[int, str]], seen: list[int]) -> Recorded:
    """A writer that is done before a reader begins: (generation, outcome), and the looks."""
    reported = Recorded("close-to-open")
    for number, (generation, outcome) in enumerate(generations):
        begin_s = 1000.0 + number
        reported.add(
            0, "overwrite", Times(begin_s, begin_s + 0.1, 0.0), outcome, generation=generation
        )
    for number, shown in enumerate(seen):
        begin_s = 1100.0 + number
        reported.add(1, "read", Times(begin_s, begin_s + 0.1, 0.0), of=0, generation=shown)
    reported.files["generation-0"] = content_of(0, seen[-1])
    return reported


@pytest.mark.parametrize(
    ("failed_from", "seen", "times"),
    [(1, [1, 0, 0, 0, 0], 1), (1, [5, 3, 0], 2)],
    ids=["1-then-0", "5-3-0"],
)
def test_row_a_reader_that_sees_an_older_generation_than_before_is_a_violation(
    failed_from: int, seen: list[int], times: int
) -> None:
    """Also where no close had succeeded: each step back once."""
    written = [(number, "ok" if number < failed_from else "error") for number in range(6)]
    found = found_in(opened(written, seen))
    assert found.reasons.get(Wrong.WENT_BACK) == times, found
    assert verdict("close-to-open", found) == "fail"


@pytest.mark.parametrize(("outcome", "reason"), [("ok", None), ("error", Unknown.UNSTABLE)])
def test_data_in_a_servers_memory_may_be_lost_with_it(outcome: str, reason: Unknown | None) -> None:
    """Seen before its acknowledgement, it disappears with the server; its writer writes it
    again, or gets an error.
    """
    reported = Recorded("close-to-open")
    reported.add(0, "overwrite", Times(1000.0, 1000.1, 0.0), generation=0)
    reported.add(0, "overwrite", Times(1001.0, 1030.0, 0.0), outcome, generation=1)
    for begin_s, shown in ((1000.5, 0), (1001.1, 1), (1029.0, 0), (1029.5, 0)):
        reported.add(1, "read", Times(begin_s, begin_s + 0.1, 0.0), of=0, generation=shown)
    reported.files["generation-0"] = content_of(0, 1 if outcome == "ok" else 0)
    found = found_in(reported, disturbed=(1002.0, 1029.0))
    assert found.violations == []
    assert set(found.reasons) - {Unknown.FEW_ANSWERS} == ({reason} if reason else set())
    assert found.checked.get("seen before they were stable", 0) == int(outcome == "ok")
    assert Wrong.WENT_BACK in found_in(reported).reasons  # without a fault
    assert Wrong.WENT_BACK in found_in(reported, disturbed=(900.0, 950.0)).reasons  # it was over
    reported.of("overwrite", generation=1)[0].update(end_s=1001.2, outcome="ok")
    # It had been acknowledged.
    assert Wrong.STALE in found_in(reported, disturbed=(1002.0, 1029.0)).reasons


def test_row_a_generation_that_is_seen_before_it_was_begun_is_a_violation() -> None:
    """By more than the clocks may be wrong."""
    reported = Recorded("close-to-open")
    reported.add(0, "overwrite", Times(1000.0, 1000.1, 0.0), generation=0)
    reported.add(0, "overwrite", Times(1010.0, 1010.1, 0.0), generation=1)
    reported.add(1, "read", Times(1005.0, 1005.1, 0.0), of=0, generation=1)
    reported.files["generation-0"] = content_of(0, 1)
    assert found_in(reported).reasons == {Wrong.NOT_WRITTEN: 1}
    assert found_in(reported, 6.0).violations == []


@pytest.mark.parametrize("kind", ["append", "close-to-open"])
def test_row_final_content_that_no_client_wrote_is_a_violation(kind: str) -> None:
    """The next operation of a history that was cut may have happened, but not a second one."""
    reported = KINDS[kind](Random(1), TURNS)
    not_begun_in_the_end(reported)
    assert found_in(reported).reasons == {Wrong.NOT_WRITTEN: 1}
    reported.cut = {0}
    assert found_in(reported, lost_power=frozenset({"c0"})).violations == []
    if kind == "append":
        reported.files["append-0"] += result_of(0, TURNS + 1)
    else:
        reported.files["generation-0"] = content_of(0, TURNS + 1)
    assert found_in(reported, lost_power=frozenset({"c0"})).reasons == {Wrong.NOT_WRITTEN: 1}


@pytest.mark.parametrize("kind", ["append", "close-to-open", "exclusive", "rename"])
def test_row_names_in_the_end_that_no_client_made_are_a_violation(kind: str) -> None:
    """One each."""
    reported = KINDS[kind](Random(1), TURNS)
    stranger(reported)
    found = found_in(reported)
    assert found.reasons == {Wrong.NOT_MADE: 1}
    assert verdict(kind, found) == "fail"


def test_of_a_cut_history_one_more_item_may_be_missing() -> None:
    """Its own, and no other client's."""
    reported = KINDS["rename"](Random(1), TURNS)
    stranger(reported)
    reported.cut = {0}
    assert found_in(reported, lost_power=frozenset({"c0"})).reasons == {Unknown.WRITER_FAILED: 1}
    reported.cut = {1}
    assert found_in(reported, lost_power=frozenset({"c1"})).reasons == {Wrong.NOT_MADE: 1}


def looked(missing: list[int], count: int | None, highest: int, failed: int = 20) -> Recorded:
    """A writer with its first `failed` records failed, and one look."""
    reported = Recorded("append")
    for number in range(highest + 1):
        begin_s = 1000.0 + number
        outcome = "error" if number < failed else "ok"
        reported.add(0, "append", Times(begin_s, begin_s + 0.1, 0.0), outcome, number=number)
    shown: Event = {} if count is None else {"missing_count": count}
    reported.add(
        1,
        "read",
        Times(1100.0, 1100.1, 0.0),
        of=0,
        highest=highest,
        missing=missing,
        torn=0,
        **shown,
    )
    reported.files["append-0"] = b"".join(
        result_of(0, number) for number in range(failed, highest + 1)
    )
    return reported


def test_row_failed_records_do_not_hide_a_later_loss() -> None:
    """Twenty failed, and the look misses an acknowledged one as well: it is listed, or it is known
    that it may be.
    """
    lost = looked([*range(20), 30], 21, 60)
    assert found_in(lost).reasons == {Wrong.STALE: 1}
    whole = looked([*range(20)], 20, 60)
    assert found_in(whole).reasons == {}
    older = looked([*range(16)], None, 60)
    assert found_in(older).reasons == {Unknown.NOT_LISTED: 1}
    assert verdict("append", found_in(older)) == "unknown"
    many = looked([*range(16)], 21, 60)
    assert found_in(many).reasons == {Unknown.NOT_LISTED: 1}


def test_row_a_record_that_disappears_is_a_violation() -> None:
    """Although its append had failed: a later look misses it, or the end does."""
    for ends_with_look in (True, False):
        reported = looked([*range(19)], 19, 60)
        reported.files["append-0"] = result_of(0, 19) + reported.files["append-0"]
        if ends_with_look:
            shown: Event = {"highest": 60, "missing": [*range(20)], "missing_count": 20, "torn": 0}
            reported.add(1, "read", Times(1101.0, 1101.1, 0.0), of=0, **shown)
            assert found_in(reported).reasons == {Wrong.WENT_BACK: 1}
        else:
            reported.files["append-0"] = reported.files["append-0"].removeprefix(result_of(0, 19))
            assert found_in(reported).reasons == {Wrong.LOST: 1}


# ---- a crash of a client that keeps the journal itself


def renamed_before_a_crash(ages_s: list[float], undone: set[int]) -> Findings:
    """A client made names at 900 s, renamed each at an age before the crash at 1000 s; of some the
    rename is undone.
    """
    events: list[Event] = []
    names = set()
    for number, age_s in enumerate(ages_s):
        item = f"0.{number}"
        times = {"begin_ns": 900e9, "end_ns": 900.01e9}
        events.append({"op": "create", "item": item, "outcome": "won", **times})
        at = {"begin_ns": (1000.0 - age_s - 0.01) * 1e9, "end_ns": (1000.0 - age_s) * 1e9}
        events.append({"op": "rename", "item": item, "outcome": "ok", **at})
        names.add(f"{'a' if number in undone else 'b'}{item}")
    crashed = frozenset({"c0"})
    about = Circumstances(RUN, Final(frozenset(names)), (1000.0, 1050.0), None, crashed, crashed)
    return judge("rename", [History("c0", 0, events)], about)


def test_row_a_crash_reverts_at_most_a_sync_interval() -> None:
    """Of 50 renames that are all undone, up to 59 s old, those of more than 35 s are violations."""
    ages_s = [59.0 - number * 1.17 for number in range(50)]
    found = renamed_before_a_crash(ages_s, set(range(50)))
    too_old = sum(age_s > 35.0 for age_s in ages_s)
    assert found.reasons == {Wrong.UNDONE_TOO_OLD: too_old}
    assert found.checked["undone by a crash"] == 50 - too_old
    young = renamed_before_a_crash([29.0, 10.0, 1.0], {0, 1, 2})
    assert (young.violations, young.checked["undone by a crash"]) == ([], 3)


def test_a_crash_takes_the_last_changes_of_a_journal_and_none_before() -> None:
    """A journal is written in the order of its changes."""
    assert renamed_before_a_crash([20.0, 10.0, 1.0], {1, 2}).violations == []
    assert renamed_before_a_crash([20.0, 10.0, 1.0], {1}).reasons == {Wrong.UNDONE_BETWEEN: 1}


# ---- the missing information


def test_each_doubt_has_its_code() -> None:
    """The rest of them: no end, no history, one that is cut, a writer that failed."""
    reported = KINDS["exclusive"](Random(1), TURNS)
    assert found_in(reported, final=None).reasons == {Unknown.NO_END: 1}
    reported.events[2].clear()
    reported.cut = {1, 2}
    reasons = found_in(reported).reasons
    assert (reasons[Unknown.NO_HISTORY], reasons[Unknown.CUT_HISTORY]) == (1, 1)
