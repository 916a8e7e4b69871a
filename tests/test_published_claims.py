"""Verdicts on published claims, from results with known answers."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from seatrial.basics.errors import InputError
from seatrial.judge.judge import check_published, judge
from seatrial.result.phases import PhaseResult
from seatrial.result.published import published_result
from seatrial.result.result import read_result
from tests.builders.claims import OTHER, SERIES, TWO, answer, points
from tests.builders.places import PUBLISHED, STUDIES
from tests.builders.results import phase, result_of
from tests.builders.strategies import changed, study
from tests.builders.yaml_texts import loaded


def test_two_values_and_two_series_are_not_compared_at_once(tmp_path: Path) -> None:
    """One of them would be ignored in silence."""
    with pytest.raises(InputError, match="write either a and b, of one series, or other"):
        answer(
            tmp_path,
            {"type": "delta", "approx": 4},
            {"series": SERIES, "other": OTHER, "a": 2, "b": 1},
            phase(),
        )


def by_factor(factor: float, noise: float = 0.01) -> list[PhaseResult]:
    """Two series; the first is larger by this factor."""
    first, second = (
        points(name, {8: [rate * (1 + noise * part) for part in (-1, 0, 1)]})
        for name, rate in (("read", 10 * factor), ("write", 10.0))
    )
    return first + second


UP = points("read", {1: [10, 10.1], 8: [30, 30.2]})
NEAR = points("read", {1: [10, 10.1], 2: [15, 15.1]})
NONE_OF = points("read", {1: [10, 10.02], 2: [10.03, 10.05]})
CASES: list[tuple[str, dict[str, Any], dict[str, Any], list[PhaseResult], str]] = [
    ("trend up", {"type": "trend", "direction": "up"}, {"series": SERIES}, UP, "agrees"),
    ("trend down", {"type": "trend", "direction": "down"}, {"series": SERIES}, UP, "better"),
    (
        "trend undecided",
        {"type": "trend", "direction": "up"},
        {"series": SERIES},
        points("read", {1: [10, 30], 8: [12, 29]}),
        "inconclusive",
    ),
    (
        "one repeat",
        {"type": "trend", "direction": "up"},
        {"series": SERIES},
        UP[::2],
        "inconclusive",
    ),
    # 600 of 1250 MB/s is 48 %. In the lab the link carries 31.25 MB/s; 15 MB/s of it are 48 %.
    (
        "bound",
        {"type": "bound", "op": "~", "value": 600, "unit": "MB/s"},
        {"series": SERIES, "share_of": "nas"},
        points("read", {4: [15, 15]}),
        "agrees",
    ),
    (
        "bound too low where the profile ends",
        {"type": "bound", "op": "~", "value": 600, "unit": "MB/s"},
        {"series": SERIES, "share_of": "nas"},
        points("read", {1: [2, 2.02]}),
        "inconclusive",
    ),
    (
        "bound too low at all",
        {"type": "bound", "op": "~", "value": 600, "unit": "MB/s"},
        {"series": SERIES, "share_of": "nas"},
        points("read", {1: [2, 2.02], 2: [3, 3.02]}),
        "worse",
    ),
    (
        "bound exceeded",
        {"type": "bound", "op": "~", "value": 600, "unit": "MB/s"},
        {"series": SERIES, "share_of": "nas"},
        UP,
        "better",
    ),
    (
        "bound measured once",
        {"type": "bound", "op": "~", "value": 600, "unit": "MB/s"},
        {"series": SERIES, "share_of": "nas"},
        points("read", {4: [13]}),
        "inconclusive",
    ),
    (
        "impact measured once",
        {"type": "bound", "op": "<=", "value": 10, "unit": "%"},
        TWO,
        by_factor(0.97)[::3],
        "inconclusive",
    ),
    (
        "impact measured once, far off",
        {"type": "bound", "op": "<=", "value": 10, "unit": "%"},
        TWO,
        by_factor(0.4)[::3],
        "inconclusive",
    ),
    (
        "impact",
        {"type": "bound", "op": "<=", "value": 10, "unit": "%"},
        TWO,
        by_factor(0.97),
        "agrees",
    ),
    (
        "bound in another unit",
        {"type": "bound", "op": "<=", "value": 5000, "unit": "ops/s"},
        {"series": SERIES, "share_of": "nas"},
        UP,
        "inconclusive",
    ),
    (
        "order",
        {"type": "order", "order": ["read", "write"]},
        {"series": SERIES, "other": OTHER},
        UP + points("write", {1: [5, 5.1], 8: [20, 20.1]}),
        "agrees",
    ),
    (
        "order where some points are equal",
        {"type": "order", "order": ["read", "write"]},
        {"series": SERIES, "other": OTHER},
        points("read", {1: [10, 10.001], 8: [30, 30.1]})
        + points("write", {1: [10, 10.001], 8: [20, 20.1]}),
        "agrees",
    ),
    (
        "order where a point may be the other way round",
        {"type": "order", "order": ["read", "write"]},
        {"series": SERIES, "other": OTHER},
        UP + points("write", {1: [9.9, 10.2], 8: [20, 20.1]}),
        "inconclusive",
    ),
    (
        "order where nothing is decided",
        {"type": "order", "order": ["read", "write"]},
        {"series": SERIES, "other": OTHER},
        UP + points("write", {1: [9.9, 10.2]}),
        "inconclusive",
    ),
    (
        "order turned",
        {"type": "order", "order": ["write", "read"]},
        {"series": OTHER, "other": SERIES},
        UP + points("write", {1: [5, 5.1], 8: [20, 20.1]}),
        "different",
    ),
    ("ratio", {"type": "ratio", "min": 1}, {"series": SERIES, "share_of": "1Gbit/s"}, UP, "agrees"),
    (
        "ratio at its limit",
        {"type": "ratio", "max": 1},
        {"series": SERIES, "other": SERIES},
        UP,
        "inconclusive",
    ),
    # The tolerance is on the effect: of 1.75 on 0.75.
    ("ratio as printed", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.75), "agrees"),
    ("ratio too small", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.42), "different"),
    ("ratio too large", {"type": "ratio", "approx": 1.75}, TWO, by_factor(2.09), "different"),
    ("ratio of none", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.0), "different"),
    ("ratio of equals", {"type": "ratio", "approx": 1}, TWO, by_factor(1.05), "agrees"),
    (
        "ratio of equals that are none",
        {"type": "ratio", "approx": 1},
        TWO,
        by_factor(1.4),
        "different",
    ),
    ("ratio far below its limit", {"type": "ratio", "max": 2}, TWO, by_factor(0.5, 0.45), "agrees"),
    (
        "ratio in noise",
        {"type": "ratio", "approx": 1.75},
        TWO,
        by_factor(1.42, 0.4),
        "inconclusive",
    ),
    # With one repeat each, the error is unknown.
    (
        "ratio measured once",
        {"type": "ratio", "approx": 1.75},
        TWO,
        by_factor(1.42)[::3],
        "inconclusive",
    ),
    (
        "ratio measured once, far off",
        {"type": "ratio", "approx": 1.75},
        TWO,
        by_factor(5)[::3],
        "inconclusive",
    ),
    (
        "ratio of series",
        {"type": "ratio", "max": 1},
        {"series": OTHER, "other": SERIES},
        UP + points("write", {1: [5, 5.1], 8: [20, 20.1]}),
        "agrees",
    ),
    (
        "optimum",
        {"type": "optimum", "best": 8},
        {"series": SERIES, "other": OTHER},
        UP + points("write", {1: [5, 5.1], 8: [20, 20.1]}),
        "agrees",
    ),
    (
        "optimum of one repeat",
        {"type": "optimum", "best": 8},
        {"series": SERIES, "other": OTHER},
        UP + points("write", {1: [5], 8: [20]}),
        "inconclusive",
    ),
    (
        "optimum of a flat line",
        {"type": "optimum", "best": 8},
        {"series": SERIES, "other": SERIES},
        points("read", {1: [10, 10.2], 2: [10.1, 10.3], 8: [10.2, 10.1]}),
        "inconclusive",
    ),
    (
        "optimum elsewhere",
        {"type": "optimum", "best": 1},
        {"series": SERIES, "other": SERIES},
        UP,
        "different",
    ),
    (
        "order at saturation",
        {"type": "order", "order": ["a", "b"]},
        {"series": SERIES, "other": OTHER},
        points("read", {8: [12.38, 12.381]}) + points("write", {8: [12.32, 12.321]}),
        "inconclusive",
    ),
    (
        "not mapped",
        {"type": "trend", "direction": "up"},
        {"inconclusive": "because"},
        UP,
        "inconclusive",
    ),
    ("property", {"type": "property"}, {"series": SERIES}, UP, "inconclusive"),
    (
        "limited by the lab's CPUs",
        {"type": "trend", "direction": "up"},
        {"series": SERIES},
        points("read", {1: [1, 1], 8: [3, 3]}, lab_limited=True),
        "inconclusive",
    ),
    ("not measured", {"type": "trend", "direction": "up"}, {"series": OTHER}, UP, "inconclusive"),
    ("delta", {"type": "delta", "approx": 50}, {"series": SERIES, "a": 2, "b": 1}, NEAR, "agrees"),
    (
        "delta within tolerance",
        {"type": "delta", "approx": 46},
        {"series": SERIES, "a": 2, "b": 1},
        NEAR,
        "agrees",
    ),
    (
        "delta exceeded",
        {"type": "delta", "approx": 4},
        {"series": SERIES, "a": 2, "b": 1},
        NEAR,
        "better",
    ),
    (
        "delta that may be none",
        {"type": "delta", "approx": 4},
        {"series": SERIES, "a": 2, "b": 1},
        points("read", {1: [10, 30], 2: [12, 29]}),
        "inconclusive",
    ),
    (
        "delta of none, in noise",
        {"type": "delta", "approx": 0},
        {"series": SERIES, "a": 2, "b": 1},
        points("read", {1: [10, 12], 2: [10, 12]}),
        "inconclusive",
    ),
    (
        "delta of none",
        {"type": "delta", "approx": 0},
        {"series": SERIES, "a": 2, "b": 1},
        NONE_OF,
        "agrees",
    ),
    (
        "delta of none that is one",
        {"type": "delta", "approx": 0},
        {"series": SERIES, "a": 2, "b": 1},
        NEAR,
        "better",
    ),
    (
        "delta of none in noise",
        {"type": "delta", "approx": 0},
        {"series": SERIES, "a": 2, "b": 1},
        points("read", {1: [10, 30], 2: [12, 29]}),
        "inconclusive",
    ),
    ("delta of what", {"type": "delta", "approx": 4}, {"series": SERIES}, UP, "inconclusive"),
    (
        "property of two series",
        {"type": "property"},
        {"expect": [{"series": SERIES, "direction": "up"}, {"series": OTHER, "direction": "flat"}]},
        UP + points("write", {1: [20, 20.1], 8: [20, 20.1]}),
        "agrees",
    ),
    (
        "property of two series, one otherwise",
        {"type": "property"},
        {"expect": [{"series": SERIES, "direction": "up"}, {"series": OTHER, "direction": "flat"}]},
        UP + points("write", {1: [20, 20.1], 8: [30, 30.1]}),
        "different",
    ),
    (
        "told, not judged",
        {"type": "range", "min": 1, "max": 2},
        {"series": SERIES, "inconclusive": "of the scale"},
        UP,
        "inconclusive",
    ),
]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        (
            {"series": {**SERIES, "where": {"transfer_size": "4KiB"}}},
            "does not sweep transfer_size over '4KiB'",
        ),
        ({"series": SERIES, "a": 7, "b": 1}, "does not sweep clients over 7; it has"),
        ({"series": SERIES, "over": "record"}, "varies clients too; select one value with where"),
    ],
)
def test_an_impossible_series_is_reported_before_a_run(
    mapping: dict[str, Any], message: str
) -> None:
    """Points of different kinds are never averaged, and a value that is not measured is a
    mistake.
    """
    text = yaml.safe_dump(
        {"claims": [{"id": "C1", "statement": "s", "form": {"type": "trend", "direction": "up"}}]}
    )
    data = changed("criteria", [])
    data |= {"published": "p", "published_claims": {"C1": mapping}}
    with pytest.raises(InputError, match=message):
        check_published(study(data), loaded(text))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (
            {"type": "bound", "value": 9, "op": "=<"},
            r"p\.yaml:\d+:\d+: claims\[0\]\.form\.op \(id \w+\): '=<' is not known",
        ),
        ({"type": "bound", "op": "<="}, "a bound needs value"),
        ({"type": "ratio", "num": "a", "den": "b"}, "a ratio needs approx or value or min or max"),
        ({"type": "hunch"}, "'hunch' is not known"),
        ({}, r"claims\[0\]\.form\.type \(id \w+\): this key is missing"),
    ],
)
def test_a_claim_that_cannot_be_judged_is_reported_before_a_run(
    form: dict[str, Any], message: str
) -> None:
    """With its place, instead of a missing verdict and report after all measurements."""
    text = yaml.safe_dump({"claims": [{"id": "C1", "statement": "s", "form": form}]})
    with pytest.raises(InputError, match=message):
        published_result(text, Path("p.yaml"))


def test_a_published_table_exists_once() -> None:
    """With two entries of one id a reader would see only the first."""
    text = yaml.safe_dump(
        {"experiments": [{"id": "T1"}, {"kind": "prose"}, {"kind": "prose"}, {"id": "T1"}]}
    )
    with pytest.raises(
        InputError, match=r"p\.yaml:\d+:\d+: experiments: the id 'T1' is written twice"
    ):
        published_result(text, Path("p.yaml"))


def test_another_series_answers_where_the_first_was_not_measured(tmp_path: Path) -> None:
    """Only then, and with its own note."""
    instead = {"series": SERIES, "note": "second best"}
    mapping = {"series": OTHER, "note": "best", "fallback": instead}
    form = {"type": "trend", "direction": "up"}
    found = answer(tmp_path / "a", form, mapping, *UP)
    assert (found.verdict, found.evidence.rpartition(". ")[2]) == ("agrees", "second best")
    falling = points("write", {1: [20, 20.1], 8: [5, 5.1]})
    found = answer(tmp_path / "b", form, mapping, *UP, *falling)
    assert (found.verdict, found.evidence.rpartition(". ")[2]) == ("worse", "best")


def test_a_claim_without_a_verdict_is_reported(tmp_path: Path) -> None:
    """The best measured value is next to the reason for the missing verdict."""
    mapping = {"series": SERIES, "inconclusive": "because of the scale"}
    evidence = answer(
        tmp_path, {"type": "bound", "op": "<=", "value": 5, "unit": "ops/s"}, mapping, *UP
    ).evidence
    assert evidence == "one read is best at clients 8: 30.1 MB/s in the lab; because of the scale"


def test_names_are_judged_by_their_operations(tmp_path: Path) -> None:
    """Where no data move, a series is of operations per second."""
    made = [
        phase(0, phase="create", operations_per_s=rate, point={"clients": clients}, repeat=repeat)
        for clients, rates in {1: (100, 101), 4: (300, 305)}.items()
        for repeat, rate in enumerate(rates, start=1)
    ]
    mapping = {"series": {"experiment": "one", "phase": "create"}}
    found = answer(tmp_path, {"type": "trend", "direction": "up"}, mapping, *made)
    assert (found.verdict, list(found.measured or {})) == ("agrees", ["one create, operations/s"])


@pytest.mark.parametrize(
    ("form", "mapping", "phases", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_published(
    tmp_path: Path,
    form: dict[str, Any],
    mapping: dict[str, Any],
    phases: list[PhaseResult],
    expected: str,
) -> None:
    """Every verdict for every form, always with a reason."""
    found = answer(tmp_path, form, mapping, *phases)
    assert expected == found.verdict, found.evidence
    assert found.evidence


COMPARED = [
    path for path in sorted(STUDIES.glob("*/study.yaml")) if "published" in loaded(path.read_text())
]


@pytest.mark.parametrize("path", COMPARED, ids=lambda path: path.parent.name)
def test_no_published_claim_is_left_out(tmp_path: Path, path: Path) -> None:
    """Every claim of the paper is in the verdicts of its study, in the paper's order, and none is
    passed over.
    """
    data = loaded(path.read_text())
    text = (PUBLISHED / f"{data['published']}.yaml").read_text()
    result = result_of(tmp_path / "r", data, published=text)
    published = [item for item in judge(result) if item.kind == "published"]
    reported = loaded(text)
    wanted = [str(claim["id"]) for claim in reported["claims"]]
    rows = [str(row["id"]) for row in reported.get("faults", ())]
    assert wanted + rows == [item.claim for item in published]
    assert set(wanted) == set(data["published_claims"])
    assert {item.verdict for item in published} == {"inconclusive"}  # nothing was measured
    assert all(item.evidence for item in published)


def test_a_series_that_was_not_measured_names_the_profiles_that_measure_it(tmp_path: Path) -> None:
    """Not the profile of the run itself, which left the series out."""
    judged = answer(tmp_path, {"type": "trend", "direction": "up"}, {"series": OTHER}, *UP)
    own = read_result(tmp_path / "r").first("run")["profile"]
    others = [profile for profile in ("quick", "trial", "full") if profile != own]
    assert judged.evidence == (
        f"one write was not measured in this run; the profiles {' and '.join(others)} measure it"
    )


def test_the_reason_of_the_study_needs_no_measurement(tmp_path: Path) -> None:
    """No profile would decide the claim."""
    mapping = {"series": OTHER, "inconclusive": "the paper states times"}
    judged = answer(tmp_path, {"type": "trend", "direction": "up"}, mapping, *UP)
    assert judged.evidence == "the paper states times"


def test_a_best_value_that_was_not_measured_leaves_the_answer_to_the_fallback(
    tmp_path: Path,
) -> None:
    """A profile with other points has another published choice."""
    form = {"type": "optimum", "best": 2}
    rates = {1: [10.0, 10.1, 9.9], 8: [5.0, 5.1, 4.9]}
    both = points("read", rates) + points("write", rates)
    mapping = {**TWO, "best": 2, "fallback": {**TWO, "best": 1}}
    assert answer(tmp_path, form, mapping, *both).verdict == "agrees"
