"""`property`: each of some series has the property that the study expects."""

from seatrial.analysis.statistics import LEVEL
from seatrial.judge.answer import Answer, inconclusive, reason_of
from seatrial.judge.claim import Context
from seatrial.judge.comparing import in_order, interval_words, quotient_at_best
from seatrial.judge.contrary import sides_of, verdict_of_all
from seatrial.judge.course import judge_course
from seatrial.judge.series import NoAnswer
from seatrial.study.published import Expectation


def judge(context: Context) -> Answer:
    """The claim holds when each series has the property; a series that is not decided decides
    nothing.

    One that does not have it contradicts the claim, so that false contradictions are shared by all
    (Bonferroni).
    """
    expected = context.mapping.expect
    if not expected:
        raise NoAnswer("the study names no series for this claim")
    answers = [_judge(context, item, LEVEL / len(expected)) for item in expected]
    evidence = "; ".join(answer.evidence for answer in answers)
    verdict = verdict_of_all(answer.verdict for answer in answers)
    return Answer(verdict, evidence, reason_of(verdict, answers))


def _judge(context: Context, expected: Expectation, level: float) -> Answer:
    series = context.series(expected.series)
    if expected.other is None:
        assert expected.direction is not None  # either of both, as the study's schema has it
        return judge_course(
            series,
            sorted(series.samples, key=in_order),
            expected.direction,
            level,
        )
    other = context.series(expected.other)
    quotient = quotient_at_best(series, other)
    limit = expected.at_least
    measured = quotient.ratio.interval()
    where = f", {quotient.where}" if quotient.where else ""
    evidence = (
        f"{series.title} over {other.title}: {quotient.ratio.value:.2f} "
        f"({interval_words(measured, '.2f')}{where}; at least {limit:g})"
    )
    if measured.low >= limit:
        return Answer("agrees", evidence)
    if quotient.ratio.interval(level).high < limit:
        return Answer(sides_of(series, other).below, evidence)
    return inconclusive(f"{evidence}; the repeats do not decide it")
