"""Which repeats count: the one rule for the summary, the report, comparisons and histories.

A repeat is *complete* where every client finished and something was moved. A complete repeat is
*valid* where neither the lab machine nor a cache was the limit (`PhaseResult.is_comparable`). Means
use the valid repeats of a point. A point without one uses its complete repeats, and is marked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import Quantity


def is_complete(phase: PhaseResult, quantity: Quantity) -> bool:
    """Whether every client finished, and the quantity has a value."""
    return not phase.partial and quantity.of(phase) > 0


def is_valid(phase: PhaseResult, quantity: Quantity) -> bool:
    """Whether a comparison or a published claim may use the repeat."""
    return is_complete(phase, quantity) and phase.is_comparable


@dataclass(frozen=True)
class Repeats:
    """The repeats of one phase at one point, by their permitted use."""

    complete: tuple[PhaseResult, ...]
    valid: tuple[PhaseResult, ...]

    @property
    def basis(self) -> tuple[PhaseResult, ...]:
        """The repeats of the means: the valid ones; without any, all complete ones."""
        return self.valid or self.complete


def sorted_repeats(phases: Sequence[PhaseResult], quantity: Quantity) -> Repeats:
    """The complete and the valid repeats among some, in their order."""
    complete = tuple(item for item in phases if is_complete(item, quantity))
    valid = tuple(item for item in complete if is_valid(item, quantity))
    return Repeats(complete, valid)
