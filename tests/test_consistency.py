"""Histories with known answers: one true storage never gives a violation, and each planted defect
is
found.
"""

import copy
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.appended import records
from seatrial.analysis.overwritten import generation
from seatrial.judge.checks.consistency import judge_consistency_test
from tests.builders.histories import MODELS, STEP_S, TURNS, Storage, locks
from tests.builders.planted_defects import (
    closed_and_missing,
    done_all_the_same,
    file_missing,
    foreign_token,
    from_nowhere,
    lost_item,
    mixed,
    no_winner,
    not_found,
    old_in_the_end,
    old_name,
    opened_door,
    reads_holes,
    reads_less,
    reads_torn,
    record_gone,
    record_torn,
    record_twice,
    stale,
    two_holders,
    two_names,
    winner_gone,
    winner_twice,
)
from tests.builders.side_by_side import RUN, content_of, judge, result_of

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
    ("consistency_test", "plant", "printed"),
    DEFECTS,
    ids=[f"{item[0]}-{item[1].__name__}" for item in DEFECTS],
)
@given(turns=TURNS, share=st.floats(-1, 1))
def test_each_planted_defect_is_found(
    consistency_test: str,
    plant: Callable[[Storage], None],
    printed: str,
    turns: list[int],
    share: float,
) -> None:
    """And named, with clocks that are good enough to tell."""
    storage = MODELS[consistency_test](turns)
    plant(storage)
    found = judge(consistency_test, storage.histories([STEP_S / 100] * 3, share), storage.about())
    assert any(printed in words for words in found.violations), (found.violations, found.unknowns)
    assert judge_consistency_test(found.to_json()).verdict == "fail"


@given(st.integers(0, 9), st.integers(0, 5000))
def test_contents_are_read_as_the_agent_writes_them(client: int, number: int) -> None:
    """And of no other agent."""
    assert records(RUN, client, result_of(client, number) * 2) == [number, number]
    assert records(RUN, client + 1, result_of(client, number)) == [None]
    assert generation(RUN, client, content_of(client, number)) == number
    assert generation(RUN, client, content_of(client, number)[:-1]) is None


def test_planting_changes_only_its_defect() -> None:
    """The models are fresh each time."""
    assert copy.deepcopy(locks([0]).events) == locks([0]).events
