"""A published claim that compares series of two studies: the other study's phases are copied when a
run begins, and judged by their own manifest.
"""

import itertools
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.redact import redact
from seatrial.basics.errors import InputError
from seatrial.judge.borrowed import lines_to_borrow
from seatrial.judge.judge import judge
from seatrial.judge.published_claims import published_claims
from seatrial.result.result import Result, read_result
from seatrial.study.study import Study, parse_study
from tests.builders.regressions import Rates, repeats
from tests.builders.results import result_of
from tests.builders.strategies import changed, text_of

STATEMENT = "{id: C8, statement: reads improve by 75 %, src: L1,"
PUBLISHED = f"""\
schema: published/1
id: paper
title: A paper
claims:
  - {STATEMENT}
     form: {{type: delta, a: new, b: old, approx: 75, unit: "%"}}}}
"""
ANSWER: dict[str, Any] = {
    "series": {"experiment": "one", "phase": "read"},
    "other": {"from_study": "older", "experiment": "one", "phase": "read"},
}
OLD: Rates = {1: (10.0, 10.05, 9.95), 2: (20.0, 20.1, 19.9)}
NUMBERS = itertools.count()
NEW: Rates = {1: (17.5, 17.55, 17.45), 2: (35.0, 35.1, 34.9)}


def data_of(name: str, **more: Any) -> dict[str, Any]:
    """A study with the experiment `one`."""
    return {**changed("experiments.one.repeats", 3), "id": name, **more}


def own_study(answer: dict[str, Any] = ANSWER) -> Study:
    """The study with the published claim."""
    data = data_of("newer", published="paper", published_claims={"C8": answer})
    return parse_study(text_of(data), Path("study.yaml"))


def older(folder: Path, rates: Rates = OLD, scale: float = 0.025) -> None:
    """A result of the other study."""
    phases = repeats(rates, phase="read")
    result_of(folder / "older-1", data_of("older"), *phases, scale=scale)


def newer(folder: Path, answer: dict[str, Any] = ANSWER, published: str = PUBLISHED) -> Result:
    """A result of this study, next to the other."""
    data = data_of("newer", published="paper", published_claims={"C8": answer})
    borrowed = [("borrowed", line) for line in lines_to_borrow(own_study(answer), folder)]
    phases = repeats(NEW, phase="read")
    return result_of(
        folder / f"newer-{next(NUMBERS)}", data, *phases, lines=borrowed, published=published
    )


def answered(result: Result) -> tuple[str, str]:
    """The verdict and the evidence of the claim."""
    (claim,) = [item for item in judge(result) if item.claim == "C8"]
    return claim.verdict, claim.evidence


def test_series_of_two_studies_are_compared(tmp_path: Path) -> None:
    """The evidence names both; the published copy has the same verdict."""
    older(tmp_path)
    result = newer(tmp_path)
    verdict, evidence = answered(result)
    assert verdict == "agrees", evidence
    assert evidence.startswith("one read against older one read")
    redact(result, tmp_path / "copy")
    assert answered(read_result(tmp_path / "copy"))[0] == "agrees"


def test_another_rate_of_the_other_study_changes_the_verdict(tmp_path: Path) -> None:
    """The verdict is of the measured values."""
    older(tmp_path, NEW)
    assert answered(newer(tmp_path))[0] == "worse"


def test_both_series_may_be_of_other_studies(tmp_path: Path) -> None:
    """The study itself then measures neither."""
    older(tmp_path)
    both = {**ANSWER, "series": ANSWER["other"]}
    assert answered(newer(tmp_path, both))[1].startswith("older one read against older one read")


def test_without_a_result_the_reason_names_the_study(tmp_path: Path) -> None:
    """A user has to know what to run."""
    verdict, evidence = answered(newer(tmp_path))
    assert verdict == "inconclusive"
    assert "no complete result of older was next to this one" in evidence


def test_rates_at_two_scales_are_not_compared(tmp_path: Path) -> None:
    """The lab multiplies every rate by its scale."""
    older(tmp_path, scale=0.0025)
    verdict, evidence = answered(newer(tmp_path))
    assert verdict == "inconclusive"
    assert "different scales: newer at 0.025, older at 0.0025" in evidence


@pytest.mark.parametrize("removed", ["phase", "manifest"])
def test_what_is_missing_in_the_other_result_decides_nothing(tmp_path: Path, removed: str) -> None:
    """A copied phase is missing, or the manifest that lists the phases."""
    older(tmp_path)
    result = newer(tmp_path)
    (line,) = result.of("borrowed")
    kept = list(line["lines"])
    kept.remove(next(item for item in kept if item["type"] == removed))
    changed_lines = tuple(
        {**item, "lines": kept} if item["type"] == "borrowed" else item for item in result.lines
    )
    verdict, evidence = answered(Result(result.folder, changed_lines))
    assert verdict == "inconclusive", evidence
    assert "missing" in evidence


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"other": {**ANSWER["other"], "from_study": "newer"}}, "other.from_study: names this"),
        ({"series": {"experiment": "two", "phase": "read"}}, "no experiment is called 'two'"),
    ],
)
def test_mistakes_are_refused_at_their_place(answer: dict[str, Any], words: str) -> None:
    """Before a run."""
    with pytest.raises(InputError, match=words):
        own_study({**ANSWER, **answer})


def test_values_of_another_study_are_not_checked_in_this_one() -> None:
    """The other study may sweep what this one does not."""
    other = {**ANSWER["other"], "where": {"tasks": 8}}
    claims = {"claims": [{"id": "C8", "statement": "", "form": {"type": "delta"}}]}
    assert published_claims(own_study({**ANSWER, "other": other}), claims)


def test_a_share_is_of_the_resource_of_the_other_study(tmp_path: Path) -> None:
    """Also its name: this study has no node of that name."""
    older(tmp_path)
    share = {"series": ANSWER["other"], "share_of": "nas"}
    text = PUBLISHED.replace(
        'type: delta, a: new, b: old, approx: 75, unit: "%"',
        'type: bound, op: "<=", value: 500, unit: MB/s',
    )
    verdict, evidence = answered(newer(tmp_path, share, text))
    assert verdict == "better"
    assert evidence.startswith("older one read is best at clients 2: 64% of nas's link")
    verdict, evidence = answered(newer(tmp_path, {**share, "share_of": "nothing"}, text))
    assert (verdict, "older has no resource 'nothing'" in evidence) == ("inconclusive", True)


def test_several_series_are_judged_under_any_form(tmp_path: Path) -> None:
    """Each against its own limit; the form of the claim is a difference of two values."""
    older(tmp_path)
    pair = {"series": ANSWER["series"], "other": ANSWER["other"]}
    for at_least, wanted in ((1.7, "agrees"), (1.8, "worse")):
        answer = {"expect": [{**pair, "at_least": at_least}]}
        assert answered(newer(tmp_path, answer))[0] == wanted
