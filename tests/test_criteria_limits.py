"""Decisions against limits: `judge.limits` and `repeats_to_decide`."""

from dataclasses import replace

import pytest

from seatrial.analysis.statistics import Sample, mean_of, ratio, repeats_to_decide
from seatrial.judge.answer import Answer, Reason, failed, passed, unknown
from seatrial.judge.limits import Limit, combine_all, decide, decide_best, judge_undisturbed
from seatrial.result.phases import PhaseResult
from tests.builders.results import phase

NARROW = Sample((99.0, 100.0, 101.0))
"""95 % interval 97.5 to 102.5"""
WIDE = Sample((80.0, 100.0, 120.0))
"""95 % interval 59 to 164"""


@pytest.mark.parametrize(
    ("sample", "at_least", "at_most", "verdict"),
    [
        (NARROW, 97.0, None, "pass"),
        (NARROW, 98.0, None, "unknown"),
        (NARROW, 102.0, None, "unknown"),
        (NARROW, 103.0, None, "fail"),
        (NARROW, None, 103.0, "pass"),
        (NARROW, None, 98.0, "unknown"),
        (NARROW, None, 97.0, "fail"),
        (NARROW, 97.0, 103.0, "pass"),
        (NARROW, 97.0, 102.0, "unknown"),
        (NARROW, 50.0, 60.0, "fail"),
        (WIDE, 97.0, None, "unknown"),
        (Sample((100.0,)), 1.0, None, "unknown"),
        (Sample(()), 1.0, None, "unknown"),
        (Sample((0.0, 100.0)), 1.0, None, "unknown"),
        (Sample(NARROW.values, looks=8), 97.0, None, "unknown"),
    ],
)
def test_the_whole_interval_decides(
    sample: Sample, at_least: float | None, at_most: float | None, verdict: str
) -> None:
    """A part of it within the limits is no pass, and a part beyond them no failure."""
    lower = Limit(at_least, f"{at_least}") if at_least is not None else None
    upper = Limit(at_most, f"{at_most}") if at_most is not None else None
    assert decide(sample, at_least=lower, at_most=upper).verdict == verdict


def test_a_failure_among_many_needs_more() -> None:
    """One of many measurements is beyond its limit by chance."""
    limit = Limit(103.0, "103")
    assert decide(NARROW, at_least=limit).verdict == "fail"
    assert decide(NARROW, at_least=limit, among=20).verdict == "unknown"
    assert decide(NARROW, at_least=Limit(97.0, "97"), among=20).verdict == "pass"


def test_the_error_of_a_reference_counts() -> None:
    """A share of an uncertain reference is uncertain."""
    exact = Limit(0.8, "80 % of it", Sample((100.0, 100.1, 99.9)))
    vague = Limit(0.8, "80 % of it", WIDE)
    assert decide(NARROW, at_least=exact).verdict == "pass"
    assert decide(NARROW, at_least=vague).verdict == "unknown"
    assert decide(NARROW, at_least=Limit(0.8, "", Sample((5.0,)))).verdict == "unknown"


def test_the_best_of_several_allows_for_the_choice() -> None:
    """One of eight equal points reaches more than the true value."""
    limit = Limit(97.0, "97")
    assert decide(NARROW, at_least=limit).verdict == "pass"
    many = {key: NARROW if key == 3 else Sample((98.0, 99.0, 100.0)) for key in range(8)}
    assert decide_best(many, at_least=limit).verdict == "unknown"
    assert decide_best({1: NARROW}, at_least=limit).verdict == "pass"
    assert "3, the best of 8 points" in decide_best(many, at_least=limit).evidence
    assert decide_best({1: Sample((90.0,)), 2: NARROW}, at_least=limit).verdict == "pass"
    assert decide_best({1: Sample((200.0,)), 2: NARROW}, at_least=limit).verdict == "unknown"


@pytest.mark.parametrize("limit", [90.0, 95.0, 105.0, 120.0, 135.0])
def test_the_number_of_repeats_is_the_lowest_that_decides(limit: float) -> None:
    """Repeats with the same mean and deviation of their logarithms decide from this number on."""
    needed = repeats_to_decide(WIDE, limit)
    assert needed is not None
    assert needed > 3

    def excludes(number: int) -> bool:
        found = mean_of(_alike(number))
        assert found is not None
        interval = found.interval()
        return not interval.low <= limit <= interval.high

    assert excludes(needed)
    assert not excludes(needed - 1)


def _alike(number: int) -> Sample:
    """Repeats that have exactly the mean and the deviation of WIDE's logarithms."""
    logs = WIDE.logs()
    raw = Sample(tuple(float(index % 2) + 0.001 * index for index in range(number)))
    scale = (logs.variance / raw.variance) ** 0.5
    return Sample(
        tuple(2.718281828459045 ** (logs.mean + scale * (it - raw.mean)) for it in raw.values)
    )


def test_repeats_that_cannot_decide() -> None:
    """A mean at the limit, a single repeat, and a rate of 0."""
    assert repeats_to_decide(NARROW, 99.9967) is None
    assert repeats_to_decide(Sample((100.0,)), 50.0) is None
    assert repeats_to_decide(Sample((0.0, 1.0)), 50.0) is None
    assert repeats_to_decide(Sample((5.0, 5.0)), 4.0) == 3
    near = repeats_to_decide(NARROW, 99.0)
    with_reference = repeats_to_decide(NARROW, 0.99, Sample((90.0, 100.0, 110.0)))
    assert near is not None
    assert with_reference is not None
    assert with_reference > near
    reference = Sample((90.0, 100.0, 110.0))
    found = ratio([(NARROW, reference)])
    assert found is not None
    assert found.interval().low < 0.99 < found.interval().high
    looked = repeats_to_decide(Sample(NARROW.values, looks=8), 99.0)
    assert looked is not None
    assert looked > near


def test_one_answer_for_all() -> None:
    """A failure decides, then an open answer."""
    opened = unknown("open", Reason.NOT_DISTINGUISHABLE)
    answers = {
        failed("c"): combine_all([passed("a"), opened, failed("c")], ""),
        opened: combine_all([passed("a"), opened], ""),
        passed("a; b"): combine_all([passed("a"), passed("b")], ""),
    }
    for expected, found in answers.items():
        assert replace(found, rows=()) == expected
    assert combine_all([], "none").reason is Reason.NOTHING_CHECKED


def _judge(phases: list[PhaseResult]) -> Answer:
    rates = tuple(item.natural_bytes_per_s for item in phases)
    return decide(Sample(rates), at_least=Limit(100.0, "100"))


@pytest.mark.parametrize(
    ("rates", "changes", "robust", "verdict", "reason"),
    [
        ((199.0, 200.0), {}, "pass", "pass", None),
        ((19.0, 20.0), {}, "pass", "fail", None),
        ((19.0, 20.0), {"cpus_short_share": 0.5}, "pass", "unknown", Reason.BUSY_MACHINE),
        ((199.0, 200.0), {"cpus_short_share": 0.5}, "pass", "pass", None),
        ((199.0, 200.0), {"cpus_short_share": 0.5}, None, "unknown", Reason.BUSY_MACHINE),
        ((199.0, 200.0), {"lab_limited": True}, "pass", "pass", None),
        ((199.0, 200.0), {"lab_limited": True}, None, "unknown", Reason.BUSY_MACHINE),
        ((19.0, 20.0), {"lab_limited": True}, "pass", "unknown", Reason.BUSY_MACHINE),
        ((19.0, 20.0), {"lab_limited": True}, "fail", "fail", None),
        ((199.0, 200.0), {"partial": True}, "pass", "unknown", Reason.NOT_DISTINGUISHABLE),
        ((199.0, 200.0), {"out_of_caches": "c1's"}, "pass", "unknown", Reason.NOT_DISTINGUISHABLE),
    ],
)
def test_a_shortage_of_processors(
    rates: tuple[float, ...], changes: dict[str, object], robust: str, verdict: str, reason: Reason
) -> None:
    """A shortage excuses the verdicts that it can cause, and no phase that is no measurement
    counts.
    """
    phases = [phase(rate, repeat=number, **changes) for number, rate in enumerate(rates, start=1)]
    found = judge_undisturbed(phases, _judge, robust)  # type: ignore[arg-type]
    assert (found.verdict, found.reason) == (verdict, reason), found


def test_calm_phases_confirm_a_failure() -> None:
    """Two repeats without a shortage suffice."""
    calm = [phase(19.0), phase(20.0, repeat=2)]
    busy = phase(21.0, repeat=3, cpus_short_share=0.5)
    found = judge_undisturbed([*calm, busy], _judge, "pass")
    assert (found.verdict, "2 repeats" in found.evidence) == ("fail", True)
