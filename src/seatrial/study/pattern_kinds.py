"""The patterns of a workload, the order of its transfers or of its names: one file each in
`study/patterns/`.

The agent has a file of the same name for each (`crates/job/src/order/kinds/`). There are no entry
points for patterns, because an installed package cannot extend the agent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import Model


@dataclass(frozen=True)
class PatternTraits:
    """The properties of a pattern on which rules and jobs decide."""

    describes_writes: bool = False
    """It is about the writing of files: they are read from the first transfer to the last."""
    is_at_end: bool = False
    """each write is at the end of the file"""
    repeats: bool = False
    """a transfer or a name may come more than once, and another one never"""
    is_in_order: bool = False
    """each transfer follows the one before it in the file, so a client reads ahead"""
    is_scattered: bool = False
    """small transfers have no neighbour on a disk"""


class PatternNumbers(Model):
    """The numbers of a pattern, in transfers. Each is a key of a workload, for this pattern alone,
    which needs it. A job has it as `KEY_transfers`.
    """

    def check(self) -> None:
        """Raise ValueError where the numbers contradict each other, or exceed the limits of the
        agent.
        """


class PatternKind(Protocol):
    """The content of a pattern's file. Its docstring describes the order."""

    TRAITS: PatternTraits
    # Numbers, type[PatternNumbers]: the numbers of the pattern, where it has any.


_KINDS = Plugins("seatrial.study.patterns", None, ("TRAITS",))


def pattern_names() -> list[str]:
    """The words of `pattern`."""
    return _KINDS.names()


@cache
def _kind(name: str) -> PatternKind:
    return cast(PatternKind, _KINDS.load(name))


def traits_of(name: str) -> PatternTraits:
    """The properties of a pattern; KeyError for an unknown name."""
    return _kind(name).TRAITS


def numbers_of(name: str) -> type[PatternNumbers]:
    """The model of a pattern's numbers, without fields where it has none; KeyError for an unknown
    name.
    """
    return getattr(_kind(name), "Numbers", PatternNumbers)


@cache
def owners_of_keys() -> Mapping[str, str]:
    """Key of a workload -> the pattern that it belongs to."""
    return {key: name for name in pattern_names() for key in numbers_of(name).model_fields}
