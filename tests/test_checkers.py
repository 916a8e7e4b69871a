"""Verdicts on results with known answers."""

from dataclasses import replace
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
import yaml

from seatrial.analysis.statistics import Sample
from seatrial.basics.errors import InputError
from seatrial.judge.base import Judgement, run_checkers
from seatrial.judge.checks.spread import judge_points
from seatrial.judge.judge import check_published, exit_code, exit_words, judge, study_of
from seatrial.judge.published_claims import judge_published
from seatrial.result.phases import PhaseResult, believable
from seatrial.result.published import published_result
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import load_study
from tests.results import client, phase, result_of
from tests.strategies import changed, study

PUBLISHED = Path(__file__).parent.parent / "published"
STUDIES = Path(__file__).parent.parent / "studies"


def verdict(tmp_path: Path, claim: dict[str, Any], *phases: PhaseResult) -> Judgement:
    """The judgement of one acceptance criterion on a result of these phases."""
    data = changed("criteria", [{"id": "it", **claim}])
    result = result_of(tmp_path / "r", data, *phases)
    return run_checkers(study_of(result), result)[0]


DAMAGED = client(damage=({"class": "zero", "file": "f0", "offset": 4096, "length": 4096},))


@pytest.mark.parametrize(
    ("claim", "phases", "expected", "evidence"),
    [
        ("integrity", [phase()], "pass", "4 blocks read back, all valid"),
        ("integrity", [phase(clients=(DAMAGED,))], "fail", "1 zero among 4 blocks: zero in f0 at 4096"),
        ("integrity", [phase(clients=(client(blocks_checked=0),))], "unknown", "no block"),
        ("integrity", [phase(partial=True)], "unknown", "incomplete"),
        ("integrity", [], "unknown", "no block"),
        ("bound", [phase(12e6)], "pass", "96.0% of the rate of the client links"),
        ("bound", [phase(12e6), phase(14e6)], "fail", "112.0%"),
        ("bound", [phase(bound_bytes_per_s=None)], "unknown", "has a known bound"),
        ("bound", [phase(14e6, lab_limited=True)], "fail", "112.0%"),
        ("bound", [phase(12e6, lab_limited=True)], "pass", "of the rate of the client links"),
        ("spread", [phase(10e6), phase(10.1e6, repeat=2)], "pass", "at most 11.2% with 95% confidence"),
        ("spread", [phase(10e6), phase(20e6, repeat=2)], "fail", "above the limit by more than chance"),
        (
            "spread",
            [phase(10e6), phase(10.5e6, repeat=2)],
            "unknown",
            "over 1 point is 3.4% (allowed: 15%); the least certain, one clients=1 read: 3.4%, at most 55.0%",
        ),
        ("spread", [phase(10e6), phase(13e6, repeat=2)], "unknown", "more repeats would decide"),
        (
            "spread",
            [
                phase(10e6 * factor, point={"clients": clients}, repeat=repeat)
                for clients in range(1, 13)
                for repeat, factor in enumerate((0.999, 1.001) if clients < 12 else (0.95, 1.05), start=1)
            ],
            "unknown",
            "the least certain, one clients=12",
        ),
        ("spread", [phase(10e6), phase(20e6, repeat=2, lab_limited=True)], "unknown", "own CPUs limited some"),
        (
            "spread",
            [phase(9e6, lab_limited=True), phase(9e6, repeat=2, lab_limited=True)],
            "pass",
            "own CPUs limited some",
        ),
        (
            "spread",
            [phase(9e6, lab_limited=True), phase(5e6, repeat=2, lab_limited=True)],
            "unknown",
            "own CPUs limited some",
        ),
        ("spread", [phase(10e6)], "unknown", "no point has two usable repeats"),
        (
            "spread",
            [phase(9e6, out_of_caches="c1's"), phase(9e6, repeat=2, lab_limited=True, out_of_caches="c1's")],
            "unknown",
            "no point has two usable repeats",
        ),
        ("idempotence", [], "unknown", "no second deploy"),
    ],
)
def test_acceptance(tmp_path: Path, claim: str, phases: list[PhaseResult], expected: str, evidence: str) -> None:
    """Pass, fail and unknown, each with its evidence."""
    found = verdict(tmp_path, {"check": claim}, *phases)
    assert (expected, True) == (found.verdict, evidence in found.evidence), found


def test_a_checker_that_crashes_answers_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the other answers remain."""
    monkeypatch.setattr("seatrial.judge.checks.integrity.Counter", None)
    found = verdict(tmp_path, {"check": "integrity"}, phase(clients=(DAMAGED,)))
    assert (found.verdict, "the checker failed" in found.evidence) == ("unknown", True)


@pytest.mark.parametrize(
    ("claim", "message"),
    [({"check": "luck"}, "'luck' is not known"), ({"check": "spread", "bellow": 1}, "did you mean 'below'")],
)
def test_a_wrong_criterion_is_reported(tmp_path: Path, claim: dict[str, Any], message: str) -> None:
    """With its place, like any other mistake."""
    with pytest.raises(InputError, match=message):
        verdict(tmp_path, claim, phase())


@pytest.mark.parametrize(
    ("verdicts", "complete", "code", "words"),
    [
        (["pass", "pass"], True, 0, "all 2 acceptance criteria passed"),
        (["pass", "fail"], True, 1, "exit 1: 1 of 2 acceptance criteria failed: claim-1"),
        (
            ["unknown"],
            True,
            3,
            "exit 3: no criterion failed; 1 of 1 acceptance criterion undecided, each",
        ),
        (["pass"], False, 4, "exit 4: the run did not complete"),
        (["unknown"], False, 4, "exit 4: the run did not complete; undecided: claim-0"),
        (["fail"], False, 1, "exit 1: 1 of 1 acceptance criterion failed: claim-0"),
    ],
)
def test_exit_codes(tmp_path: Path, verdicts: list[Any], complete: bool, code: int, words: str) -> None:
    """The documented contract, and its words; published claims do not affect it."""
    result = result_of(tmp_path / "r", changed("criteria", []), phase(), complete=complete)
    judgements = [Judgement(f"claim-{index}", "acceptance", "x", item, "") for index, item in enumerate(verdicts)]
    judgements.append(Judgement("y", "published", "y", "worse", ""))
    assert code == exit_code(result, judgements)
    assert exit_words(result, judgements).startswith(words)


# ---- published claims

SERIES = {"experiment": "one", "phase": "read"}
OTHER = {"experiment": "one", "phase": "write"}


def answer(tmp_path: Path, form: dict[str, Any], mapping: dict[str, Any], *phases: PhaseResult) -> Judgement:
    """The judgement of one published claim."""
    data = changed("criteria", [])
    data |= {"published": "p", "published_claims": {"C1": mapping}}
    text = yaml.safe_dump({"claims": [{"id": "C1", "statement": "s", "form": form}]})
    result = result_of(tmp_path / "r", data, *phases, published=text)
    return judge_published(study_of(result), result)[0]


def test_two_values_and_two_series_are_not_compared_at_once(tmp_path: Path) -> None:
    """One of them would be ignored in silence."""
    with pytest.raises(InputError, match="write either a and b, of one series, or other"):
        answer(tmp_path, {"type": "delta", "approx": 4}, {"series": SERIES, "other": OTHER, "a": 2, "b": 1}, phase())


def points(phase_name: str, rates: dict[int, list[float]], **more: Any) -> list[PhaseResult]:
    """Repeats in MB/s by number of clients."""
    return [
        phase(rate * 1e6, phase=phase_name, point={"clients": clients}, repeat=index, **more)
        for clients, values in rates.items()
        for index, rate in enumerate(values, start=1)
    ]


def by_factor(factor: float, noise: float = 0.01) -> list[PhaseResult]:
    """Two series; the first is larger by this factor."""
    first, second = (
        points(name, {8: [rate * (1 + noise * part) for part in (-1, 0, 1)]})
        for name, rate in (("read", 10 * factor), ("write", 10.0))
    )
    return first + second


TWO = {"series": SERIES, "other": OTHER}
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
    ("one repeat", {"type": "trend", "direction": "up"}, {"series": SERIES}, UP[::2], "inconclusive"),
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
    ("impact", {"type": "bound", "op": "<=", "value": 10, "unit": "%"}, TWO, by_factor(0.97), "agrees"),
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
        points("read", {1: [10, 10.001], 8: [30, 30.1]}) + points("write", {1: [10, 10.001], 8: [20, 20.1]}),
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
    ("ratio at its limit", {"type": "ratio", "max": 1}, {"series": SERIES, "other": SERIES}, UP, "inconclusive"),
    # The tolerance is on the effect: of 1.75 on 0.75.
    ("ratio as printed", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.75), "agrees"),
    ("ratio too small", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.42), "different"),
    ("ratio too large", {"type": "ratio", "approx": 1.75}, TWO, by_factor(2.09), "different"),
    ("ratio of none", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.0), "different"),
    ("ratio of equals", {"type": "ratio", "approx": 1}, TWO, by_factor(1.05), "agrees"),
    ("ratio of equals that are none", {"type": "ratio", "approx": 1}, TWO, by_factor(1.4), "different"),
    ("ratio far below its limit", {"type": "ratio", "max": 2}, TWO, by_factor(0.5, 0.45), "agrees"),
    ("ratio in noise", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.42, 0.4), "inconclusive"),
    # With one repeat each, the error is unknown.
    ("ratio measured once", {"type": "ratio", "approx": 1.75}, TWO, by_factor(1.42)[::3], "inconclusive"),
    ("ratio measured once, far off", {"type": "ratio", "approx": 1.75}, TWO, by_factor(5)[::3], "inconclusive"),
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
    ("not mapped", {"type": "trend", "direction": "up"}, {"inconclusive": "because"}, UP, "inconclusive"),
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
    ("delta within tolerance", {"type": "delta", "approx": 46}, {"series": SERIES, "a": 2, "b": 1}, NEAR, "agrees"),
    ("delta exceeded", {"type": "delta", "approx": 4}, {"series": SERIES, "a": 2, "b": 1}, NEAR, "better"),
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
    ("delta of none", {"type": "delta", "approx": 0}, {"series": SERIES, "a": 2, "b": 1}, NONE_OF, "agrees"),
    ("delta of none that is one", {"type": "delta", "approx": 0}, {"series": SERIES, "a": 2, "b": 1}, NEAR, "better"),
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
        ({"series": {**SERIES, "where": {"transfer_size": "4KiB"}}}, "does not sweep transfer_size over '4KiB'"),
        ({"series": SERIES, "a": 7, "b": 1}, "does not sweep clients over 7; it has"),
        ({"series": SERIES, "over": "record"}, "varies clients too; select one value with where"),
    ],
)
def test_an_impossible_series_is_reported_before_a_run(mapping: dict[str, Any], message: str) -> None:
    """Points of different kinds are never averaged, and a value that is not measured is a
    mistake.
    """
    text = yaml.safe_dump({"claims": [{"id": "C1", "statement": "s", "form": {"type": "trend", "direction": "up"}}]})
    data = changed("criteria", [])
    data |= {"published": "p", "published_claims": {"C1": mapping}}
    with pytest.raises(InputError, match=message):
        check_published(study(data), yaml.safe_load(text))


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
def test_a_claim_that_cannot_be_judged_is_reported_before_a_run(form: dict[str, Any], message: str) -> None:
    """With its place, instead of a missing verdict and report after all measurements."""
    text = yaml.safe_dump({"claims": [{"id": "C1", "statement": "s", "form": form}]})
    with pytest.raises(InputError, match=message):
        published_result(text, Path("p.yaml"))


def test_a_published_table_exists_once() -> None:
    """With two entries of one id a reader would see only the first."""
    text = yaml.safe_dump({"experiments": [{"id": "T1"}, {"kind": "prose"}, {"kind": "prose"}, {"id": "T1"}]})
    with pytest.raises(InputError, match=r"p\.yaml:\d+:\d+: experiments: the id 'T1' is written twice"):
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
    evidence = answer(tmp_path, {"type": "bound", "op": "<=", "value": 5, "unit": "ops/s"}, mapping, *UP).evidence
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
    ("changes", "verdict", "evidence"),
    [
        ({}, "pass", "6 blocks and names match the operation logs"),
        ({"extents": [{"class": "zero", "file": "f", "offset": 0, "length": 9, "detail": "x"}]}, "fail", "zero in f"),
        ({"unfinished": ["c1.log: 1 of 2 tasks"]}, "unknown", "operation logs are incomplete: c1.log"),
        ({"names": [{"class": "missing", "file": "g", "detail": "x"}]}, "fail", "missing: g"),
    ],
)
def test_a_tree_that_differs_from_the_logs_fails(
    tmp_path: Path, changes: dict[str, Any], verdict: str, evidence: str
) -> None:
    """Acknowledged and synced data that are missing are a failure, also without a read of them."""
    result = result_of(tmp_path / "r", changed("criteria", [{"id": "it", "check": "integrity"}]))
    line = {
        "type": "comparison",
        "unix_s": result.lines[-1]["unix_s"],
        "experiment": "one",
        "point": {"clients": 2},
        "repeat": 1,
    }
    line |= {"blocks": 9, "must": 4, "names_checked": 2, "extents": [], "names": [], **changes}
    result = replace(result, lines=(*result.lines[:-1], line, result.lines[-1]))
    found = run_checkers(study_of(result), result)[0]
    assert (found.verdict, evidence in found.evidence) == (verdict, True), found.evidence


@pytest.mark.parametrize(("form", "mapping", "phases", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_published(
    tmp_path: Path, form: dict[str, Any], mapping: dict[str, Any], phases: list[PhaseResult], expected: str
) -> None:
    """Every verdict for every form, always with a reason."""
    found = answer(tmp_path, form, mapping, *phases)
    assert expected == found.verdict, found.evidence
    assert found.evidence


COMPARED = [path for path in sorted(STUDIES.glob("*/study.yaml")) if "published" in yaml.safe_load(path.read_text())]


@pytest.mark.parametrize("path", COMPARED, ids=lambda path: path.parent.name)
def test_no_published_claim_is_left_out(tmp_path: Path, path: Path) -> None:
    """Every claim of the paper is in the verdicts of its study, in the paper's order, and none is passed over."""
    data = yaml.safe_load(path.read_text())
    text = (PUBLISHED / f"{data['published']}.yaml").read_text()
    result = result_of(tmp_path / "r", data, published=text)
    published = [item for item in judge(result) if item.kind == "published"]
    reported = yaml.safe_load(text)
    wanted = [str(claim["id"]) for claim in reported["claims"]]
    rows = [str(row["id"]) for row in reported.get("faults", ())]
    assert wanted + rows == [item.claim for item in published]
    assert set(wanted) == set(data["published_claims"])
    assert {item.verdict for item in published} == {"inconclusive"}  # nothing was measured
    assert all(item.evidence for item in published)


def test_reads_from_caches_are_never_valid() -> None:
    """Not even as the only measurement. Then the phases that the lab limited count, and the
    text states it.
    """
    cached, limited = phase(9e6, out_of_caches="c1's", lab_limited=True), phase(9e6, repeat=2, lab_limited=True)
    assert believable([cached]) == ([], False)
    assert believable([cached, limited]) == ([limited], True)


def with_a_spread(relative: float, repeats: int) -> Sample:
    """Repeats with this coefficient of variation."""
    offsets = [number - (repeats - 1) / 2 for number in range(repeats)]
    unit = relative / stdev(offsets)
    return Sample(tuple(1 + offset * unit for offset in offsets))


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_md1200_nfs_has_the_repeats_that_its_criterion_needs(profile: Profile) -> None:
    """Repeats with a spread of 4 % pass the limit of 20 %; with two of them, nothing above 1.2 % could."""
    shipped = load_study(STUDIES / "md1200-nfs" / "study.yaml")
    (limit,) = (claim.options()["below"] for claim in shipped.criteria if claim.check == "spread")
    repeats = {name: item.repeats for name, item in shipped.experiments_in(profile).items() if item.repeats > 1}
    samples = {name: with_a_spread(0.04, number) for name, number in repeats.items()}
    answer = judge_points(samples, limit)
    assert answer is not None
    assert answer.verdict == "pass", answer.evidence
