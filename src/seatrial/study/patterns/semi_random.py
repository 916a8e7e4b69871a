"""`semi-random`: the next transfers are random ones of a working set, which moves through the
file.
"""

from pydantic import Field

from seatrial.study.pattern_kinds import PatternNumbers, PatternTraits

TRAITS = PatternTraits()
SET_MAX_RECORDS = 2**24


class Numbers(PatternNumbers):
    """The keys of a workload for this pattern."""

    next: int = Field(
        ge=1,
        description=(
            "With `semi-random`: number of transfers that are taken at random from the working set."
        ),
    )
    working_set: int = Field(
        ge=1,
        description="With `semi-random`: number of transfers in the working set.",
    )

    def check(self) -> None:
        """Raise ValueError for more transfers than the working set has, or than the agent holds."""
        if self.next > self.working_set:
            raise ValueError(
                f"next is {self.next}, more than the working_set of {self.working_set} records"
            )
        if self.working_set > SET_MAX_RECORDS:
            raise ValueError(
                f"working_set is {self.working_set} records; at most {SET_MAX_RECORDS}"
            )
