"""`ratio`: one series over another, or over the resource that bounds it."""

import math
from collections.abc import Mapping
from typing import Any

from seatrial.analysis.statistics import Interval
from seatrial.judge.answer import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import (
    NOT_RESOLVED,
    best_of,
    choice_words,
    interval_words,
    quotient_at_best,
)
from seatrial.judge.contrary import HIGHER_IS_BETTER, sides_of, within
from seatrial.result.published import FIGURES

NEEDED = (FIGURES,)


def judge(context: Context) -> Answer:
    """The first series over the second where both are best, or its best over the resource, against
    limits.
    """
    series = context.first()
    form = context.form
    limits = ", ".join(
        f"{key} {form[key]}" for key in ("min", "max", "value", "approx") if key in form
    )
    if context.mapping.other is None:
        best = best_of(series)
        effect = 0.0  # the whole share counts
        sides = HIGHER_IS_BETTER
        value = context.share(best.value)
        measured = Interval(context.share(best.interval.low), context.share(best.interval.high))
        divisor = context.resource()[0]
        where = choice_words(best)
    else:
        other = context.series(context.mapping.other)
        quotient = quotient_at_best(series, other)
        effect = 1.0
        sides = sides_of(series, other)
        value = quotient.ratio.value
        measured = quotient.ratio.interval()
        divisor = other.title
        where = f", {quotient.where}" if quotient.where else ""
    evidence = (
        f"{series.title} over {divisor}: {value:.2f} ({interval_words(measured, '.2f')}{where}; "
        f"published: {limits})"
    )
    accepted = _accepted(form, context.mapping.tolerance, effect)
    unresolved = Interval(accepted.low * (1 - NOT_RESOLVED), accepted.high * (1 + NOT_RESOLVED))
    return within(measured, accepted, sides, evidence, unresolved)


def _accepted(form: Mapping[str, Any], tolerance: float, effect: float) -> Interval:
    """Between which values a ratio fits; the tolerance is on the effect, which is 0.75 where 1.75
    is printed.

    Where two are printed as equal, there is no effect, and it is on the ratio itself.
    """
    printed = form.get("value", form.get("approx"))
    if printed is None:
        return Interval(form.get("min", 0.0), form.get("max", math.inf))
    around = tolerance * (abs(printed - effect) or printed)
    return Interval(
        max(form.get("min", 0.0), printed - around),
        min(form.get("max", math.inf), printed + around),
    )
