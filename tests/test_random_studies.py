"""Random studies: each can be read, planned and predicted, or is refused with a reason."""

from pathlib import Path

import pytest

from seatrial.basics.errors import InputError
from seatrial.matrix.resolve import resolve
from seatrial.plan.plan import describe
from seatrial.predict.study import expectations
from seatrial.solutions.look import deployment, removal
from seatrial.study.study import parse_study
from tests.builders.random_studies import FAULTS, SOLUTIONS, study_of
from tests.builders.strategies import text_of

SEEDS = range(300)


def test_every_solution_and_fault_is_dealt() -> None:
    """So that the set is not of one kind."""
    dealt = [study_of(seed) for seed in SEEDS]
    assert {data["solution"]["kind"] for data in dealt} == set(SOLUTIONS)
    assert {name for data in dealt for name in data.get("faults", {"nothing": {}})} == set(FAULTS)
    assert study_of(7) == study_of(7)


@pytest.mark.parametrize("first", SEEDS[::50])
def test_a_random_study_is_planned_and_predicted_or_refused_with_a_reason(first: int) -> None:
    """Never anything else."""
    refused = []
    for seed in range(first, first + 50):
        try:
            study = parse_study(text_of(study_of(seed)), Path("study.yaml"))
            matrix = resolve(study, "full")
        except InputError as error:
            refused.append(f"{seed}: {error}")
            continue
        assert describe(deployment(matrix.solution, matrix.site, {}))
        assert removal(matrix.solution, {}).stages
        found = list(expectations(matrix.planned_experiments))
        assert found
        for item in found:
            assert 0 < item.estimate <= item.bound * 1.001, (
                f"{seed}: {item.experiment} {item.point} {item.phase}"
            )
    assert len(refused) <= 10, refused
    assert all("study.yaml" in text for text in refused), refused
