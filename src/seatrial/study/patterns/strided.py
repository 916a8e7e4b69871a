"""`strided`: skips transfers between any two, and wraps until each was done once."""

from pydantic import Field

from seatrial.study.agent_limits import COUNT_MAX
from seatrial.study.pattern_kinds import PatternNumbers, PatternTraits

TRAITS = PatternTraits(is_scattered=True)


class Numbers(PatternNumbers):
    """The keys of a workload for this pattern."""

    skip: int = Field(
        ge=1,
        le=COUNT_MAX,
        description="With `strided`: transfers left out between two, wrapping until each was done.",
    )
