"""Clients that work at the same time, by simulation: a storage that is right is never accused, and
each planted defect is found by its code.
"""

import os
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.analysis.reasons import Unknown, Wrong
from seatrial.judge.checks.consistency import Options
from tests.builders.planted_side_by_side import (
    existed_too_early,
    foreign_token,
    generation_lost,
    goes_back,
    name_lost,
    not_begun,
    not_begun_in_the_end,
    old_name,
    reads_less,
    record_lost,
    record_twice,
    second_holder,
    seen_and_gone_in_the_end,
    stranger,
    torn_look,
    two_names,
    unexplained,
    won_by_none,
    won_twice,
)
from tests.builders.side_by_side import (
    CLIENTS,
    CRASH_LASTS_S,
    KINDS,
    Recorded,
    found_in,
    judge,
    over_a_crash,
    verdict,
)

SEEDS = st.integers(0, 2**32 - 1)
TURNS = 12
DUE_TO_CLOCKS = {Unknown.CLOCKS, Unknown.NO_CONTENTION, Unknown.NOTHING_NEW}


@pytest.mark.parametrize("kind", list(KINDS))
@given(
    seed=SEEDS,
    turns=st.integers(1, TURNS),
    error_s=st.floats(0, 3.0),
    shares=st.tuples(*[st.floats(-1, 1)] * CLIENTS),
)
def test_a_right_storage_is_never_accused(
    kind: str, seed: int, turns: int, error_s: float, shares: tuple[float, ...]
) -> None:
    """With any concurrent operations, and any clocks within their errors."""
    reported = KINDS[kind](Random(seed), turns)
    wrong_s = tuple(share * error_s for share in shares)
    found = judge(kind, reported.histories(error_s, wrong_s), reported.about())
    assert (found.violations, found.lost_locks, found.unasked) == ([], [], [])
    assert set(found.reasons) <= DUE_TO_CLOCKS | {Unknown.FEW_ANSWERS}


@pytest.mark.parametrize("kind", list(KINDS))
@given(seed=SEEDS, from_s=st.floats(999, 1004), lasts_s=st.floats(0, 4))
def test_a_fault_on_correct_storage_is_no_violation(
    kind: str, seed: int, from_s: float, lasts_s: float
) -> None:
    """A fault and the time after it excuse; they never accuse.

    A client without power excuses, too: a range that it held must be granted again, which this
    storage does not do.
    """
    reported = KINDS[kind](Random(seed), TURNS)
    reported.cut = set() if kind == "locks" else {1}
    lost = frozenset(f"c{client}" for client in reported.cut)
    for end_s in (from_s + lasts_s, None):
        disturbed = (from_s, from_s + lasts_s)
        about = reported.about(
            disturbed=disturbed, settled_s=end_s, lost_power=lost, forgetful=lost
        )
        assert judge(kind, reported.histories(), about).violations == []


@pytest.mark.parametrize("kind", list(KINDS))
@given(seed=SEEDS, crash_s=st.floats(1000.0, 1003.0), error_s=st.floats(0, 0.1))
def test_a_crash_that_loses_only_unacknowledged_data_is_no_violation(
    kind: str, seed: int, crash_s: float, error_s: float
) -> None:
    """Data from the server's memory may disappear for a while, or forever if their writer got
    an error.
    """
    reported = over_a_crash(kind, Random(seed), TURNS, crash_s)
    over_s = crash_s + CRASH_LASTS_S
    found = found_in(reported, error_s, disturbed=(crash_s, over_s), settled_s=over_s)
    assert (found.violations, found.lost_locks) == ([], [])
    assert set(found.reasons) <= DUE_TO_CLOCKS | {Unknown.FEW_ANSWERS, Unknown.UNSTABLE}


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_right_storage_passes(kind: str) -> None:
    """Where the clocks are good and most operations were answered, nothing is in doubt."""
    reported = KINDS[kind](Random(1), TURNS)
    found = found_in(reported)
    assert (found.violations, found.unknowns, found.reasons) == ([], [], {})
    assert verdict(kind, found) == "pass"


DEFECT_EXAMPLES = 100 if "SEATRIAL_SOAK" in os.environ else 25
"""histories for each planted defect: any of them has the defect, so rare ones add little; the tests
that no right storage is accused keep all their examples
"""

Plant = Callable[[Recorded], None]
DEFECTS: list[tuple[str, Plant, Wrong]] = [
    ("locks", second_holder, Wrong.TWO_HOLDERS),
    ("locks", foreign_token, Wrong.FOREIGN_TOKEN),
    *[
        (kind, plant, reason)
        for kind in ("append", "close-to-open")
        for plant, reason in (
            (reads_less, Wrong.STALE),
            (goes_back, Wrong.WENT_BACK),
            (seen_and_gone_in_the_end, Wrong.LOST),
            (not_begun, Wrong.NOT_WRITTEN),
            (not_begun_in_the_end, Wrong.NOT_WRITTEN),
            (torn_look, Wrong.TORN),
            (stranger, Wrong.NOT_MADE),
        )
    ],
    ("append", record_lost, Wrong.LOST),
    ("append", record_twice, Wrong.OUT_OF_ORDER),
    ("close-to-open", generation_lost, Wrong.LOST),
    ("exclusive", won_twice, Wrong.WON_TWICE),
    ("exclusive", won_by_none, Wrong.WON_BY_NONE),
    ("exclusive", existed_too_early, Wrong.EXISTED_TOO_EARLY),
    ("exclusive", name_lost, Wrong.NAME_LOST),
    ("exclusive", stranger, Wrong.NOT_MADE),
    ("rename", name_lost, Wrong.NAME_LOST),
    ("rename", stranger, Wrong.NOT_MADE),
    ("rename", two_names, Wrong.TWO_NAMES),
    ("rename", old_name, Wrong.WRONG_NAME),
    ("rename", unexplained, Wrong.UNEXPLAINED),
]


@pytest.mark.parametrize(
    ("kind", "plant", "reason"), DEFECTS, ids=[f"{item[0]}-{item[1].__name__}" for item in DEFECTS]
)
@settings(max_examples=DEFECT_EXAMPLES)
@given(seed=SEEDS, shares=st.tuples(*[st.floats(-1, 1)] * CLIENTS))
def test_each_defect_is_found_by_its_code(
    kind: str, plant: Plant, reason: Wrong, seed: int, shares: tuple[float, ...]
) -> None:
    """With clocks that are good enough, and any other operations in progress."""
    reported = KINDS[kind](Random(seed), TURNS)
    plant(reported)
    wrong_s = tuple(share * 0.0005 for share in shares)
    found = judge(kind, reported.histories(0.0005, wrong_s), reported.about())
    assert reason in found.reasons, (found.violations, found.unknowns)
    assert found.violations
    assert (
        verdict(
            kind, found, Options(lost_locks="waive", ambiguous_errors="waive", stale_reads="waive")
        )
        == "fail"
    )


PLANTED_ELSEWHERE = {Wrong.NEVER_FREED, Wrong.UNDONE_TOO_OLD, Wrong.UNDONE_BETWEEN}


def test_every_code_of_a_violation_is_planted() -> None:
    """A new rule comes with a history that breaks it."""
    assert {reason for _, _, reason in DEFECTS} | PLANTED_ELSEWHERE == set(Wrong)
