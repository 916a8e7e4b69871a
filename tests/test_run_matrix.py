"""The run matrix: one object with every case and every planned fault of a run."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.cases import vary
from seatrial.matrix.manifest import manifest_of
from seatrial.matrix.resolve import resolve, resolve_profiles
from seatrial.predict.study import expectations
from seatrial.study.study import Study
from tests.builders.strategies import MINIMAL, changed, study

WRITES = {"phases": ["write"], "transfer_size": "4KiB", "file_size": "64MiB", "arrivals_per_s": 4}
LOAD = {"workload": WRITES}
MODE = "solution.export.mode"


def swept(**more: Any) -> dict[str, Any]:
    """The small study with two modes of the export and two client counts."""
    one = MINIMAL["experiments"]["one"]
    experiment = {**one, "sweep": {MODE: ["sync", "async"], "clients": [1, 2]}, **more}
    return {**MINIMAL, "experiments": {"one": experiment}}


def broken(**more: Any) -> Study:
    """The small study with two faults; the second has another mode of the export."""
    first = {"kind": "panic", "duration": "5s"}
    second = {**first, "overrides": {MODE: "async"}}
    faults = {"first": first, "second": second}
    return study({**MINIMAL, "background_load": {"small": LOAD}, "faults": faults, **more})


def test_every_case_has_the_system_that_it_measures() -> None:
    """The last key varies fastest; a case has the solution with its values, and its own clients."""
    matrix = resolve(study(swept()), "full")
    assert [case.point.values for case in matrix.cases] == [
        {MODE: mode, "clients": clients} for mode in ("sync", "async") for clients in (1, 2)
    ]
    assert [case.variant.study.solution.options()["export"]["mode"] for case in matrix.cases] == [
        "sync",
        "sync",
        "async",
        "async",
    ]
    assert [case.clients for case in matrix.cases] == [
        matrix.solution.clients[:clients] for clients in (1, 2, 1, 2)
    ]


def test_cases_with_the_same_values_share_one_variant() -> None:
    """One solution for each setting, also with another client count."""
    cases = resolve(study(swept()), "full").cases
    assert cases[0].variant is cases[1].variant
    assert cases[0].variant is not cases[2].variant


def test_the_variants_of_a_run_are_listed_once() -> None:
    """The study itself, and the one other mode that the fault and the experiment have."""
    data = {**swept(), "faults": {"one-more": {"kind": "panic", "overrides": {MODE: "async"}}}}
    matrix = resolve(study({**data, "background_load": {"small": LOAD}}), "full")
    assert [item.changes for item in matrix.variants()] == [{}, {MODE: "sync"}, {MODE: "async"}]


def test_a_fault_has_the_system_into_which_it_is_injected() -> None:
    """With the values that it sets."""
    first, second = resolve(broken(), "full").planned_faults
    assert (first.variant.changes, first.planned.duration_s) == ({}, 5.0)
    assert second.variant.study.solution.options()["export"]["mode"] == "async"


def test_a_part_of_a_profile_is_resolved_alone() -> None:
    """In the order of the study; the streams belong to the faults, whichever are chosen."""
    matrix = resolve(broken(), "full", ["second"])
    assert (list(matrix.experiments), list(matrix.faults)) == ([], ["second"])
    assert list(matrix.background_load) == ["small"]


def test_a_part_that_a_profile_leaves_out_is_run_as_it_is_written() -> None:
    """The whole profile does not have it."""
    found = study(swept(profiles=["full"]))
    assert resolve(found, "quick").cases == ()
    assert len(resolve(found, "quick", ["one"]).cases) == 4


def test_making_it_is_the_check_of_the_whole_study() -> None:
    """A wrong value of another profile is a mistake too."""
    one = {**MINIMAL["experiments"]["one"], "profiles": ["full"]}
    data = changed("experiments.one", {**one, "sweep": {MODE: ["sync", "slow"]}})
    with pytest.raises(InputError, match="slow"):
        resolve(study(data), "quick")


def test_a_name_that_the_study_does_not_have_is_a_mistake() -> None:
    """With the known names."""
    with pytest.raises(InputError, match="no experiment and no fault is called 'two'"):
        resolve(study(), "full", ["two"])


def test_each_profile_has_its_own_nodes() -> None:
    """A node set that a profile leaves out is in none of its cases."""
    nas = MINIMAL["nodes"]["nas"]
    client = MINIMAL["nodes"]["c[1-4]"]
    extra = {**client, "profiles": ["full"]}
    nodes = {"nas": nas, "c[1-2]": client, "c[3-4]": extra}
    found = resolve_profiles(study({**MINIMAL, "nodes": nodes}))
    assert {profile: len(item.solution.clients) for profile, item in found.items()} == {
        "quick": 2,
        "trial": 2,
        "full": 4,
    }


def test_it_cannot_be_changed() -> None:
    """All consumers read the same object."""
    matrix = resolve(study(), "full")
    with pytest.raises(dataclasses.FrozenInstanceError):
        matrix.profile = "quick"  # type: ignore[misc]


# ---- its consumers


def test_the_manifest_has_the_cases_and_faults_of_the_matrix() -> None:
    """With the same points, clients and names."""
    matrix = resolve(broken(), "full")
    manifest = manifest_of(matrix, {}, study_text="", published_text=None)
    (one,) = manifest.experiments
    assert [(point.name, point.clients) for point in one.points] == [
        (case.point.name, case.clients) for case in matrix.cases
    ]
    assert [fault.name for fault in manifest.faults] == list(matrix.faults)


def test_a_prediction_has_the_cases_of_the_matrix() -> None:
    """A line for each phase of each case; with client counts, of each case without its own."""
    matrix = resolve(study(swept()), "full")
    lines = list(expectations(matrix.planned_experiments))
    assert list(dict.fromkeys(line.point for line in lines)) == [
        case.point.name for case in matrix.cases
    ]
    counted = list(expectations(matrix.planned_experiments, clients=[8]))
    assert list(dict.fromkeys((line.point, line.clients) for line in counted)) == [
        ("mode=sync", 8),
        ("mode=async", 8),
    ]


SOURCE = Path(__file__).parent.parent / "src" / "seatrial"
ENUMERATE_POINTS = {
    "cases.py": "makes the cases",
    "matrix/checks.py": "tries values one by one",
    "predict/study.py": "client counts that the study does not have",
    "service/session.py": "the packages and files of all solutions of a study",
    "advice/deeds.py": "a stored result",
    "judge/derived.py": "a stored result without a manifest",
    "predict/measured.py": "a stored result",
}


def test_no_other_file_enumerates_points() -> None:
    """A consumer reads the cases of the matrix; the exceptions have a reason."""
    imports = re.compile(r"from seatrial\.study\.points import (\([^)]*\)|[^\n]*)")
    found = set()
    for path in SOURCE.rglob("*.py"):
        names = " ".join(imports.findall(path.read_text()))
        if re.search(r"\bpoints\b", names):
            found.add(str(path.relative_to(SOURCE)))
    assert found == set(ENUMERATE_POINTS)


# ---- the items of a profile


def test_variants_share_the_items_that_they_do_not_change() -> None:
    """An experiment with values of a profile is read once; a changed one is read again."""
    data = changed("experiments.one.quick", {"repeats": 1})
    found = study(data)
    quick = found.experiments_in("quick")["one"]
    assert quick.repeats == 1
    assert vary(found, {MODE: "async"}).study.experiments_in("quick")["one"] is quick
    other = found.with_values({"experiments.one.title": "another"})
    assert other.experiments_in("quick")["one"] is not quick
