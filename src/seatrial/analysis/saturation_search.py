"""The saturation rate: the highest rate of arrivals at which operations still meet a latency
objective, found by tries.

Operations begin at predetermined times, whether those before have ended or not (an open loop), so
that waiting time counts. A try either meets the objective or does not. The rate is doubled until it
does not, or halved until it does; then the ratio of the two is halved, on a logarithmic scale,
until it is small enough. Chance decides near the saturation rate: both ends are tried until two
tries agree, and a rate that two tries refute is dropped, whatever the first result was.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

AGREE = 2
"""the number of equal tries that decide a rate"""
HALVINGS_MAX = 20
"""a storage system that does not meet the objective at a millionth of the first rate never does"""


@dataclass(frozen=True)
class Try:
    """One run at one rate."""

    rate_per_s: float
    """operations that began, of one client"""
    met: bool


@dataclass(frozen=True)
class SaturationSearch:
    """The result of the tries: the saturation rate is between the two rates, of one client."""

    holds_per_s: float | None
    """the highest rate at which the objective was met; None: at no rate"""
    breaks_per_s: float | None
    """the lowest rate above it that missed the objective; None: no tried rate did"""
    settled: bool
    """the two are close enough, and two tries agree on each"""


def saturation_search(tries: Sequence[Try], within: float) -> SaturationSearch:
    """The saturation rate after these tries; `within`: the required ratio of the two rates, as a
    share.
    """
    holds, breaks = _ends(_outcomes(tries))
    return SaturationSearch(holds, breaks, bool(tries) and next_rate(tries, 1.0, within) is None)


def next_rate(tries: Sequence[Try], start_per_s: float, within: float) -> float | None:
    """The rate to try next; None where the line is settled, or the objective is met at no rate."""
    if not tries:
        return start_per_s
    outcomes = _outcomes(tries)
    holds, breaks = _ends(outcomes)
    if breaks is None:
        return 2 * max(outcomes)
    if holds is None:
        lowest = min(outcomes)
        return None if lowest <= tries[0].rate_per_s / 2**HALVINGS_MAX else lowest / 2
    if breaks / holds > 1 + within:
        # Enough digits to separate two that are 1 % apart.
        return float(f"{math.sqrt(holds * breaks):.4g}")
    agreed = {rate: max(met.count(True), met.count(False)) for rate, met in outcomes.items()}
    return next((rate for rate in (holds, breaks) if agreed[rate] < AGREE), None)


def _outcomes(tries: Sequence[Try]) -> dict[float, list[bool]]:
    outcomes_of: dict[float, list[bool]] = {}
    for item in tries:
        outcomes_of.setdefault(item.rate_per_s, []).append(item.met)
    return outcomes_of


def _met(outcomes: Sequence[bool]) -> bool:
    """Whether the majority of the tries met it; with an even number, the last try requires another
    one, and the objective counts as missed.
    """
    return 2 * sum(outcomes) > len(outcomes)


def _ends(outcomes: Mapping[float, Sequence[bool]]) -> tuple[float | None, float | None]:
    breaks = min((rate for rate, met in outcomes.items() if not _met(met)), default=None)
    holds = max(
        (rate for rate, met in outcomes.items() if _met(met) and (breaks is None or rate < breaks)),
        default=None,
    )
    return holds, breaks
