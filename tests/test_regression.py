"""The check `regression`: a run against an accepted or a named result."""

import copy
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.redact import redact
from seatrial.analysis.holm import rejected
from seatrial.analysis.regressions import Outcome, Pair, find_slower
from seatrial.analysis.statistics import Sample
from seatrial.basics.errors import InputError
from seatrial.judge.answer import Reason
from seatrial.judge.base import load_checkers, refuse_mistakes, run_checkers
from seatrial.judge.checks.regression import Options, check
from seatrial.judge.judge import judge, study_of
from seatrial.judge.references import WORK_KEYS, accept, newest_accepted
from seatrial.result.opened import BrokenSeal
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES
from seatrial.study.experiment import Experiment
from seatrial.study.study import parse_study
from tests.builders.commands import in_process
from tests.builders.regressions import STEADY, Rates, repeats, run, scaled, study_with
from tests.builders.strategies import text_of

STUDY = study_with()


def accepted_run(folder: Path, rates: Rates = STEADY, **more: Any) -> Result:
    """The first run of a study, accepted."""
    result = run(folder / "first", STUDY, repeats(rates), **more)
    accept(result)
    return result


def verdict(result: Result) -> tuple[str, str]:
    """The verdict and the evidence of its one criterion."""
    (found,) = run_checkers(study_of(result), result)
    return found.verdict, found.evidence


@pytest.mark.parametrize(
    ("rates", "expected", "evidence"),
    [
        (STEADY, "pass", "2 points compared, the lowest one clients=1 read: +0.0 %"),
        (scaled(STEADY, 1.2), "pass", "(allowed: 5 % slower)"),
        (scaled(STEADY, 0.97), "pass", "-3.0 %"),
        (
            scaled(STEADY, 0.9),
            "fail",
            "2 of 2 points slower by more than chance: one clients=1 read: -10.0 %",
        ),
        ({**STEADY, 2: (18.0, 18.1, 17.9)}, "fail", "1 of 2 points slower"),
        ({**STEADY, 2: (21.0, 18.0, 20.0)}, "unknown", "repeats in both results would decide"),
        ({**STEADY, 2: (19.0, 19.05, 18.95)}, "unknown", "one clients=2 read: -5.0 %"),
        ({**STEADY, 2: (18.0,)}, "unknown", "a decision needs two usable repeats in both results"),
        (
            {1: STEADY[1]},
            "unknown",
            "no usable repeat here or in the reference: one clients=2 read",
        ),
        ({**STEADY, 4: (1.0, 1.0, 1.0)}, "pass", "2 points compared"),
    ],
)
def test_the_whole_interval_decides(
    tmp_path: Path, rates: Rates, expected: str, evidence: str
) -> None:
    """Pass, fail (the negative control) and unknown, each with its evidence."""
    accepted_run(tmp_path)
    found, words = verdict(run(tmp_path / "second", STUDY, repeats(rates)))
    assert (found, evidence in words) == (expected, True), (found, words)
    assert words.startswith("reference first: ")


def test_the_limit_is_that_of_the_study(tmp_path: Path) -> None:
    """The same measurement passes with 15 % and fails with 0."""
    accepted_run(tmp_path)
    phases = repeats(scaled(STEADY, 0.9))
    for name, limit, expected in (("b", "15%", "pass"), ("c", 0.15, "pass"), ("d", 0, "fail")):
        result = run(tmp_path / name, study_with(by_more_than=limit), phases)
        assert verdict(result)[0] == expected


def test_without_an_accepted_result_nothing_is_decided(tmp_path: Path) -> None:
    """Also where the accepted result has another profile or study, or no longer exists."""
    result = run(tmp_path / "first", STUDY, repeats(STEADY))
    found, words = verdict(result)
    assert (found, "seatrial accept RESULT" in words) == ("unknown", True)
    accept(run(tmp_path / "full", STUDY, repeats(STEADY), profile="full"))
    accept(run(tmp_path / "other", {**STUDY, "id": "other"}, repeats(STEADY)))
    with (tmp_path / "accepted").open("a") as file:
        file.write("gone\n../first\n\n")
    assert verdict(run(tmp_path / "second", STUDY, repeats(STEADY)))[0] == "unknown"
    accept(result)
    assert verdict(run(tmp_path / "third", STUDY, repeats(STEADY)))[0] == "pass"


def test_the_last_accepted_result_counts(tmp_path: Path) -> None:
    """A slower run that was accepted is the next reference; an older one can be accepted again."""
    first = accepted_run(tmp_path)
    slower = run(tmp_path / "slower", STUDY, repeats(scaled(STEADY, 0.8)))
    assert verdict(slower)[0] == "fail"
    accept(slower)
    assert verdict(run(tmp_path / "third", STUDY, repeats(scaled(STEADY, 0.8))))[0] == "pass"
    assert verdict(read_result(tmp_path / "slower"))[0] == "fail", (
        "a stored verdict does not change"
    )
    found = newest_accepted(tmp_path, "small", "quick", without=slower.folder)
    assert found is not None
    assert found.folder == first.folder
    accept(first)
    assert verdict(run(tmp_path / "fourth", STUDY, repeats(scaled(STEADY, 0.8))))[0] == "fail"


def test_a_named_result_is_a_reference(tmp_path: Path) -> None:
    """By its path, from the folder of the study."""
    run(tmp_path / "best", STUDY, repeats(STEADY))
    data = study_with(against="best")
    assert verdict(run(tmp_path / "a", data, repeats(STEADY)))[0] == "pass"
    assert verdict(run(tmp_path / "b", data, repeats(scaled(STEADY, 0.9))))[0] == "fail"
    found, words = verdict(run(tmp_path / "c", study_with(against="gone"), repeats(STEADY)))
    assert (found, "could not be read" in words) == ("unknown", True)


def test_a_path_without_a_result_is_refused_before_a_run(tmp_path: Path) -> None:
    """With its file and line; the same study with the result is valid."""
    text = text_of(study_with(against="best"))
    study = parse_study(text, tmp_path / "study.yaml")
    with pytest.raises(
        InputError, match=r"study.yaml:\d+:\d+: criteria\[0\].against .*no result at"
    ):
        refuse_mistakes(study, {})
    (tmp_path / "study.yaml").write_text(text)
    assert in_process("validate", "study.yaml", cwd=tmp_path).returncode == 2
    run(tmp_path / "best", STUDY, repeats(STEADY))
    refuse_mistakes(study, {})
    assert in_process("validate", "study.yaml", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by_more_than": "much"}, "'much' is not a share; write it like 5% or 0.05"),
        ({"by_more_than": 1.5}, "less than 1"),
        ({"by_more_than": -0.1}, "greater than or equal to 0"),
        ({"by_more": 0.1}, "did you mean 'by_more_than'?"),
        ({"against": ""}, "at least 1 character"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    """With file and line."""
    study = parse_study(text_of(study_with(**options)), Path("study.yaml"))
    with pytest.raises(InputError, match=r"study.yaml:\d+") as caught:
        load_checkers(study)
    assert message in str(caught.value)


def test_other_work_is_not_compared(tmp_path: Path) -> None:
    """A smaller transfer size is slower: no regression; more repeats are the same work."""
    accepted_run(tmp_path)
    other = copy.deepcopy(STUDY)
    other["experiments"]["one"]["workload"]["transfer_size"] = "4KiB"
    found, words = verdict(run(tmp_path / "other", other, repeats(scaled(STEADY, 0.5))))
    assert (found, "work that has changed since the reference" in words) == ("unknown", True)
    threads = copy.deepcopy(STUDY)
    threads["experiments"]["one"]["overrides"] = {"solution.export.threads": 8}
    assert verdict(run(tmp_path / "threads", threads, repeats(STEADY)))[0] == "unknown"
    more = copy.deepcopy(STUDY)
    more["experiments"]["one"]["repeats"] = 3
    assert verdict(run(tmp_path / "more", more, repeats(STEADY)))[0] == "pass"


def test_a_busy_machine_causes_no_failure(tmp_path: Path) -> None:
    """Of this run; a busy repeat of the reference is left out: it would hide a regression."""
    busy = {"cpus_short_share": 0.9}
    accepted_run(tmp_path)
    slow = run(tmp_path / "slow", STUDY, repeats(scaled(STEADY, 0.9), **busy))
    assert verdict(slow)[0] == "unknown"
    assert check(slow, Options()).reason == Reason.BUSY_MACHINE
    accept(run(tmp_path / "busy", STUDY, repeats(scaled(STEADY, 0.5), **busy)))
    found, words = verdict(run(tmp_path / "later", STUDY, repeats(scaled(STEADY, 0.5))))
    assert (found, "no usable repeat here or in the reference" in words) == ("unknown", True)


@pytest.mark.parametrize(
    "flaw", [{"partial": True}, {"out_of_caches": "c1"}, {"lab_limited": True}]
)
def test_phases_that_are_no_measurement_decide_nothing(
    tmp_path: Path, flaw: dict[str, Any]
) -> None:
    """In place of the phases of this run."""
    accepted_run(tmp_path)
    assert (
        verdict(run(tmp_path / "second", STUDY, repeats(scaled(STEADY, 0.5), **flaw)))[0]
        == "unknown"
    )


def test_a_missing_or_duplicate_reference_gives_no_pass(tmp_path: Path) -> None:
    """The line is the evidence."""
    accepted_run(tmp_path)
    result = run(tmp_path / "second", STUDY, repeats(STEADY))
    (line,) = result.of("reference")
    without = tuple(item for item in result.lines if item is not line)
    for lines in (without, (*result.lines, line)):
        answer = check(Result(result.folder, lines), Options())
        assert (answer.verdict, answer.reason) == ("unknown", Reason.EVIDENCE_MISSING)


def test_a_copy_without_names_is_judged_alike(tmp_path: Path) -> None:
    """Elsewhere, without the reference's folder."""
    accepted_run(tmp_path)
    result = run(tmp_path / "second", STUDY, repeats(scaled(STEADY, 0.9)))
    redact(result, tmp_path / "elsewhere" / "copy")
    copied = read_result(tmp_path / "elsewhere" / "copy")
    assert (
        [item.verdict for item in judge(copied)]
        == [item.verdict for item in judge(result)]
        == ["fail"]
    )


def test_only_a_complete_unedited_result_is_accepted(tmp_path: Path) -> None:
    """And a result that was edited later is passed over."""
    cut = run(tmp_path / "cut", STUDY, repeats(STEADY), complete=False)
    with pytest.raises(InputError, match="did not complete"):
        accept(cut)
    first = accepted_run(tmp_path)
    text = (first.folder / LINES).read_text()
    (first.folder / LINES).write_text(text.replace("10050000.0", "19050000.0"))
    with pytest.raises(BrokenSeal):
        accept(read_result(first.folder))
    assert newest_accepted(tmp_path, "small", "quick") is None
    assert verdict(run(tmp_path / "second", STUDY, repeats(STEADY)))[0] == "unknown"


def test_more_points_need_more_evidence() -> None:
    """One slow point alone is found; among sixty it may be chance."""
    slow = Pair(Sample((100.0, 101.0, 99.0)), Sample((91.0, 90.0, 89.5)))
    equal = Pair(Sample((100.0, 101.0, 99.0)), Sample((100.5, 101.0, 98.5)))
    assert find_slower({0: slow}, 0.05)[0].outcome == Outcome.SLOWER
    assert (
        find_slower({0: slow, **dict.fromkeys(range(1, 60), equal)}, 0.05)[0].outcome
        == Outcome.OPEN
    )
    found = find_slower({0: equal, 1: Pair(Sample((1.0,)), Sample((1.0, 2.0)))}, 0.05)
    assert (found[0].outcome, found[1].outcome) == (Outcome.INSIDE, Outcome.NO_INTERVAL)


def test_holm_steps_down() -> None:
    """Each rejection makes the next limit larger; the first that holds ends it."""
    assert rejected({"a": 0.01, "b": 0.02, "c": 0.04}) == {"a", "b", "c"}
    assert rejected({"a": 0.01, "b": 0.03, "c": 0.04}) == {"a"}
    assert rejected({"a": 0.02, "b": 0.02, "c": 0.02}) == set()
    assert rejected({}) == set()


def test_the_keys_of_the_work_are_keys_of_an_experiment() -> None:
    """A renamed key would be left out of the comparison unnoticed."""
    assert set(Experiment.model_fields) >= WORK_KEYS
