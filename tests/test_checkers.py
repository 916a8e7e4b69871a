"""Verdicts on results with known answers."""

from dataclasses import replace
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest

from seatrial.analysis.statistics import Sample
from seatrial.basics.errors import InputError
from seatrial.judge.base import Judgement, run_checkers
from seatrial.judge.checks.spread import judge_points
from seatrial.judge.judge import exit_code, exit_words, study_of
from seatrial.load.rounds import _for_width
from seatrial.result.extents import Extent, extents_of
from seatrial.result.phases import PhaseResult
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import load_study
from tests.builders.places import STUDIES
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import changed


def verdict(tmp_path: Path, claim: dict[str, Any], *phases: PhaseResult) -> Judgement:
    """The judgement of one acceptance criterion on a result of these phases."""
    data = changed("criteria", [{"id": "it", **claim}])
    result = result_of(tmp_path / "r", data, *phases)
    return run_checkers(study_of(result), result)[0]


ZEROS: Extent = {"class": "zero", "file": "f0", "offset": 4096, "length": 4096}
DAMAGED = client(damage=(ZEROS,))
BADLY_DAMAGED = client(
    damage=extents_of({"extents": [ZEROS], "extents_omitted": 4321}), blocks_checked=9000
)


@pytest.mark.parametrize(
    ("claim", "phases", "expected", "evidence"),
    [
        ("integrity", [phase()], "pass", "4 blocks read back, all valid"),
        (
            "integrity",
            [phase(clients=(DAMAGED,))],
            "fail",
            "1 zero among 4 blocks: zero in f0 at 4096",
        ),
        (
            "integrity",
            [phase(clients=(BADLY_DAMAGED,))],
            "fail",
            "1 zero, 4321 more among 9000 blocks: zero in f0 at 4096+4096 (one clients=1 repeat 1"
            " read, c1)",
        ),
        ("integrity", [phase(clients=(client(blocks_checked=0),))], "unknown", "no block"),
        ("integrity", [phase(partial=True)], "unknown", "incomplete"),
        ("integrity", [], "unknown", "no block"),
        ("bound", [phase(12e6)], "pass", "96.0% of the rate of the client links"),
        ("bound", [phase(12e6), phase(14e6)], "fail", "112.0%"),
        ("bound", [phase(bound_bytes_per_s=None)], "unknown", "has a known bound"),
        ("bound", [phase(14e6, lab_limited=True)], "fail", "112.0%"),
        ("bound", [phase(12e6, lab_limited=True)], "pass", "of the rate of the client links"),
        (
            "spread",
            [phase(10e6), phase(10.1e6, repeat=2)],
            "pass",
            "at most 11.2% with 95% confidence",
        ),
        (
            "spread",
            [phase(10e6), phase(20e6, repeat=2)],
            "fail",
            "above the limit by more than chance",
        ),
        (
            "spread",
            [phase(10e6), phase(10.5e6, repeat=2)],
            "unknown",
            (
                "over 1 point is 3.4% (allowed: 15%); the least certain, one clients=1 read: 3.4%,"
                " at most 55.0%"
            ),
        ),
        ("spread", [phase(10e6), phase(13e6, repeat=2)], "unknown", "more repeats would decide"),
        (
            "spread",
            [
                phase(10e6 * factor, point={"clients": clients}, repeat=repeat)
                for clients in range(1, 13)
                for repeat, factor in enumerate(
                    (0.999, 1.001) if clients < 12 else (0.95, 1.05), start=1
                )
            ],
            "unknown",
            "the least certain, one clients=12",
        ),
        (
            "spread",
            [phase(10e6), phase(20e6, repeat=2, lab_limited=True)],
            "unknown",
            "own CPUs limited some",
        ),
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
            [
                phase(9e6, out_of_caches="c1's"),
                phase(9e6, repeat=2, lab_limited=True, out_of_caches="c1's"),
            ],
            "unknown",
            "no point has two usable repeats",
        ),
        ("idempotence", [], "unknown", "no second deploy"),
    ],
)
def test_acceptance(
    tmp_path: Path, claim: str, phases: list[PhaseResult], expected: str, evidence: str
) -> None:
    """Pass, fail and unknown, each with its evidence."""
    found = verdict(tmp_path, {"check": claim}, *phases)
    assert (expected, True) == (found.verdict, evidence in found.evidence), found


def test_a_checker_that_crashes_answers_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the other answers remain."""
    monkeypatch.setattr("seatrial.judge.checks.integrity.Counter", None)
    found = verdict(tmp_path, {"check": "integrity"}, phase(clients=(DAMAGED,)))
    assert (found.verdict, "the checker failed" in found.evidence) == ("unknown", True)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"check": "luck"}, "'luck' is not known"),
        ({"check": "spread", "bellow": 1}, "did you mean 'below'"),
    ],
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
def test_exit_codes(
    tmp_path: Path, verdicts: list[Any], complete: bool, code: int, words: str
) -> None:
    """The documented contract, and its words; published claims do not affect it."""
    result = result_of(tmp_path / "r", changed("criteria", []), phase(), complete=complete)
    judgements = [
        Judgement(f"claim-{index}", "acceptance", "x", item, "")
        for index, item in enumerate(verdicts)
    ]
    judgements.append(Judgement("y", "published", "y", "worse", ""))
    assert code == exit_code(result, judgements)
    assert exit_words(result, judgements).startswith(words)


@pytest.mark.parametrize(
    ("changes", "verdict", "evidence"),
    [
        ({}, "pass", "6 blocks and names match the operation logs"),
        (
            {"extents": [{"class": "zero", "file": "f", "offset": 0, "length": 9, "detail": "x"}]},
            "fail",
            "zero in f",
        ),
        (
            {"unfinished": ["c1.log: 1 of 2 tasks"]},
            "unknown",
            "operation logs are incomplete: c1.log",
        ),
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


def test_reads_from_caches_are_never_valid() -> None:
    """Not even as the only measurement. Then the phases that the lab limited count, and the
    text states it.
    """
    cached = phase(9e6, out_of_caches="c1's", lab_limited=True)
    limited = phase(9e6, repeat=2, lab_limited=True)
    assert _for_width([cached]) == []
    assert _for_width([cached, limited]) == [limited]


def with_a_spread(relative: float, repeats: int) -> Sample:
    """Repeats with this coefficient of variation."""
    offsets = [number - (repeats - 1) / 2 for number in range(repeats)]
    unit = relative / stdev(offsets)
    return Sample(tuple(1 + offset * unit for offset in offsets))


@pytest.mark.parametrize("profile", ALL_PROFILES)
def test_md1200_nfs_has_the_repeats_that_its_criterion_needs(profile: Profile) -> None:
    """Repeats with a spread of 4 % pass the limit of 20 %; with two of them, nothing above 1.2 %
    could.
    """
    shipped = load_study(STUDIES / "md1200-nfs" / "study.yaml")
    (limit,) = (claim.options()["below"] for claim in shipped.criteria if claim.check == "spread")
    repeats = {
        name: item.repeats
        for name, item in shipped.experiments_in(profile).items()
        if item.repeats > 1
    }
    samples = {name: with_a_spread(0.04, number) for name, number in repeats.items()}
    answer = judge_points(samples, limit)
    assert answer is not None
    assert answer.verdict == "pass", answer.evidence
