"""The patterns of a workload: the order of its transfers, or of its names.

The agent has each order in `crates/job/src/order/`. The keys with the numbers of a pattern are in
`seatrial.study.workload`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Pattern = Literal[
    "sequential",
    "backward",
    "rewrite",
    "append",
    "random",
    "random-with-replacement",
    "strided",
    "semi-random",
]


@dataclass(frozen=True)
class PatternTraits:
    """The properties of a pattern on which rules and jobs decide."""

    keys: tuple[str, ...] = ()
    """the keys of a workload that belong to it alone; it needs each of them, in transfers"""
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


PLAIN = PatternTraits()
TRAITS: Mapping[Pattern, PatternTraits] = {
    "sequential": PatternTraits(is_in_order=True),
    "backward": PLAIN,
    "rewrite": PatternTraits(describes_writes=True, is_in_order=True),
    "append": PatternTraits(describes_writes=True, is_at_end=True, is_in_order=True),
    "random": PatternTraits(is_scattered=True),
    "random-with-replacement": PatternTraits(repeats=True, is_scattered=True),
    "strided": PatternTraits(keys=("skip",), is_scattered=True),
    "semi-random": PatternTraits(keys=("next", "working_set")),
}
ONLY_FOR: Mapping[str, Pattern] = {
    key: name for name, traits in TRAITS.items() for key in traits.keys
}
"""key of a workload -> its pattern"""
