"""`ratio`: one series over another, or over what bounds it."""

import math
from collections.abc import Mapping
from typing import Any

from seatrial.analysis.statistics import difference
from seatrial.judge.base import Answer
from seatrial.judge.claim import Context
from seatrial.judge.comparing import NOT_RESOLVED, UNREPEATED, plus_minus


def judge(context: Context) -> Answer:
    """Best of the first series over best of the second, or over the resource, against min, max or a value."""
    found, form = context.first(), context.form
    _, best = found.best()
    if context.mapping.other is None:
        quotient, over = context.share(best.mean), context.resource()[0]
        error = difference(best, best)
        effect = 0.0  # of a share all of it counts
    else:
        other = context.series(context.mapping.other)
        _, second = other.best()
        quotient, over, error, effect = best.mean / second.mean, other.title, difference(second, best), 1.0
    half = (error.high - error.low) / 2 / (1 + error.relative) * quotient if error is not None else 0.0
    low, high = _accepted(form, context.mapping.tolerance, effect)
    limits = ", ".join(f"{key} {form[key]}" for key in ("min", "max", "value", "approx") if key in form)
    told = f"{quotient:.2f}{plus_minus(half, '.2f')}"
    evidence = f"{found.title} over {over}: {told} (published: {limits})"
    limit = min((low, high), key=lambda limit: abs(quotient - limit))
    half = half if error is not None else UNREPEATED * quotient
    within = low <= quotient - half and quotient + half <= high
    if not within and abs(quotient - limit) <= max(half, NOT_RESOLVED * limit):
        return Answer("inconclusive", f"{evidence}; too close to the limit of {limit:.2f} to be resolved")
    return Answer("agrees" if low <= quotient <= high else "differs", evidence)


def _accepted(form: Mapping[str, Any], tolerance: float, effect: float) -> tuple[float, float]:
    """Between which values a ratio fits; the tolerance is on the effect, which is 0.75 where 1.75 is printed.

    Where two are printed as equal, there is no effect, and it is on the ratio itself.
    """
    wanted = form.get("value", form.get("approx"))
    if wanted is None:
        return form.get("min", -math.inf), form.get("max", math.inf)
    around = tolerance * (abs(wanted - effect) or wanted)
    return max(form.get("min", 0.0), wanted - around), min(form.get("max", math.inf), wanted + around)
