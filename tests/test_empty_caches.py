"""The phases before which the caches are emptied, and the sentence about them."""

import pytest

from seatrial.report.words import in_words
from seatrial.study.experiment import EmptyCaches
from tests.builders.strategies import changed, study

METADATA = {"phases": ["create", "stat", "remove"], "tree": {"items": 3}}
PHASES = ("write", "read", "mixed", "create", "stat", "read-files", "remove")


@pytest.mark.parametrize(
    ("value", "emptied"),
    [
        (True, ("read", "mixed", "read-files")),
        (False, ()),
        ("each-phase", PHASES),
    ],
)
def test_the_study_selects_the_phases(value: EmptyCaches, emptied: tuple[str, ...]) -> None:
    """By default those that read data; the papers restart before each timed test."""
    experiment = study(changed("experiments.one.empty_caches", value)).experiments["one"]
    assert tuple(name for name in PHASES if experiment.empties_caches_before(name)) == emptied


@pytest.mark.parametrize(("value", "said"), [(True, False), ("each-phase", True)])
def test_the_report_says_it_of_metadata_operations(value: EmptyCaches, said: bool) -> None:
    """Rates of `stat` depend on it more than on anything else."""
    data = changed("experiments.one.workload", METADATA)
    data["experiments"]["one"]["empty_caches"] = value
    experiment = study(data).experiments["one"]
    sentence = in_words(experiment.workload, experiment)
    assert ("caches are emptied before each phase" in sentence) == said
