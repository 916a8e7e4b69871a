"""Holm's step-down procedure: which of many tests reject, so that all of them together are wrong in
`level` of cases at most.

Source: S. Holm (1979), Scandinavian Journal of Statistics 6, 65.
"""

from collections.abc import Hashable, Mapping
from typing import TypeVar

from seatrial.analysis.statistics import LEVEL

Name = TypeVar("Name", bound=Hashable)


def rejected(chances: Mapping[Name, float], level: float = LEVEL) -> set[Name]:
    """The names of the tests that reject; `chances` has the p-value of each test."""
    rejecting: set[Name] = set()
    by_chance = sorted(chances, key=lambda name: chances[name])
    for rank, name in enumerate(by_chance):
        if chances[name] > level / (len(chances) - rank):
            break
        rejecting.add(name)
    return rejecting
