"""`repeat` of a fault: each repetition is a fault, as if the study had written it out."""

import copy
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.matrix.manifest import manifest_of
from seatrial.matrix.resolve import resolve
from seatrial.result.manifest import Manifest
from seatrial.study.study import Study, load_study
from tests.builders.strategies import MINIMAL, study

CRASH: dict[str, Any] = {"kind": "panic", "duration": "5s", "title": "A crash"}
LOAD = {
    "workload": {
        "phases": ["write"],
        "transfer_size": "4KiB",
        "file_size": "64MiB",
        "arrivals_per_s": 4,
    }
}
CRASHES = ["crash-01", "crash-02", "crash-03"]


def data_with(faults: dict[str, Any]) -> dict[str, Any]:
    """The minimal study with faults and a load."""
    return copy.deepcopy({**MINIMAL, "background_load": {"small": LOAD}, "faults": faults})


def repeated(**more: Any) -> Study:
    """A study with a fault, three crashes, and another fault."""
    faults = {"first": CRASH, "crash": {**CRASH, "repeat": 3, **more}, "last": CRASH}
    return study(data_with(faults))


def manifest(of: Study, *only: str) -> Manifest:
    """The measurements of a full run of it."""
    return manifest_of(resolve(of, "full", only), {}, study_text="", published_text=None)


def test_each_repetition_is_a_fault_with_its_number() -> None:
    """In the order of the study, between its neighbours."""
    found = repeated()
    assert list(found.faults) == ["first", *CRASHES, "last"]
    assert list(found.faults_in("full")) == ["first", *CRASHES, "last"]
    assert {item.title for item in found.faults.values()} == {"A crash"}


def test_it_is_as_if_the_study_had_written_them_out() -> None:
    """The manifest of a run, from which its result is judged, has the same faults."""
    written_out = study(data_with({"first": CRASH, **dict.fromkeys(CRASHES, CRASH), "last": CRASH}))
    assert manifest(repeated()).faults == manifest(written_out).faults
    assert list(resolve(repeated(), "full").faults) == list(resolve(written_out, "full").faults)


def test_one_repetition_or_all_can_be_selected() -> None:
    """By its own name, or by the name that the study writes."""
    found = repeated()
    assert list(resolve(found, "full", ["crash-02"]).faults) == ["crash-02"]
    assert list(resolve(found, "full", ["crash"]).faults) == CRASHES
    assert [item.name for item in manifest(found, "crash").faults] == CRASHES
    with pytest.raises(InputError) as caught:
        resolve(found, "full", ["crash-04"])
    assert caught.value.hint == "one of one, first, crash, last"


def test_a_profile_may_repeat_it_less_often() -> None:
    """And may leave it out; more often it may not: the full study has no names for these."""
    found = repeated(trial={"repeat": 2}, quick={"repeat": 1, "duration": "1s"})
    assert list(found.faults_in("trial")) == ["first", *CRASHES[:2], "last"]
    assert list(found.faults_in("quick")) == ["first", CRASHES[0], "last"]
    assert found.faults_in("quick")[CRASHES[0]].duration == 1.0
    with pytest.raises(
        InputError, match=r"faults\.crash\.trial\.repeat: 4 are more than the 3 of the full study"
    ):
        repeated(trial={"repeat": 4})


def test_a_changed_study_has_the_same_repetitions() -> None:
    """Its variants are built from the faults that were read before."""
    found = (
        repeated()
        .with_values({"solution.export.threads": 64})
        .with_values({"solution.export.threads": 8})
    )
    assert list(found.faults) == ["first", *CRASHES, "last"]


def test_names_have_as_many_digits_as_the_largest_number() -> None:
    """Two at least, so that they sort."""
    assert list(repeated(repeat=100).faults)[1] == "crash-001"
    assert list(repeated(repeat=1).faults) == ["first", "crash", "last"]


def test_two_faults_cannot_have_one_name() -> None:
    """Written out before or after it."""
    for faults in (
        {"crash-02": CRASH, "crash": {**CRASH, "repeat": 2}},
        {"a": {**CRASH, "repeat": 2}, "a-01": CRASH},
    ):
        with pytest.raises(
            InputError, match=r"its repetition '\S+-0\d' has the name of another fault"
        ):
            study(data_with(faults))


def test_a_mistake_is_reported_once_at_its_place() -> None:
    """Not at a name that the file does not have."""
    data = data_with({"crash": {**CRASH, "repeat": 3, "node": "nobody"}})
    with pytest.raises(InputError) as caught:
        prepare(study(data))
    line = next(
        number for number, text in enumerate(text_lines(data), start=1) if text == "  crash:"
    )
    assert str(caught.value).startswith(f"study.yaml:{line + 1}:5: faults.crash: ")


def text_lines(data: dict[str, Any]) -> list[str]:
    """The lines of the file that `study` reads."""
    return study(data).source.text.splitlines()


def test_a_number_of_repeats_is_needed() -> None:
    """None is no fault, and a thousand are enough."""
    for wrong in (0, 1001):
        with pytest.raises(InputError, match=r"faults\.crash\.repeat: "):
            repeated(repeat=wrong)


def test_the_shipped_soak_has_twenty_crashes() -> None:
    """Named as in every earlier version."""
    found = load_study(Path("nss-ha"))
    names = [name for name in found.faults if found.repetitions.written_name(name) == "crash"]
    assert names == [f"crash-{number:02d}" for number in range(1, 21)]
