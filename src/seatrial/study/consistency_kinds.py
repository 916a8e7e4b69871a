"""Which kinds of consistency tests there are: one file each in `analysis/consistency_kinds/`.

The agent has a part of the same name for each (`crates/consistency-test/src/kinds/`). Another
installed package can add the judgement of another kind by an entry point of
`seatrial.consistency_tests`.
"""

from collections.abc import Sequence
from typing import Protocol, cast

from seatrial.analysis.histories import Circumstances, Findings, History
from seatrial.basics.errors import suggestion
from seatrial.basics.plugins import Plugins


class ConsistencyKind(Protocol):
    """What the file of a kind has."""

    NEEDED: tuple[str, ...]
    """counters of `Findings.checked`: one of them must be above 0, otherwise nothing is decided"""
    FILES: tuple[str, ...] | None
    """shell patterns of the files that the judgement reads in the end; None: it reads no files"""

    def judge(self, histories: Sequence[History], circumstances: Circumstances) -> Findings:
        """What the histories show, side by side."""


_KINDS = Plugins(
    "seatrial.analysis.consistency_kinds",
    "seatrial.consistency_tests",
    ("NEEDED", "FILES", "judge"),
)


def kind_names() -> list[str]:
    """The words of `consistency_test`."""
    return _KINDS.names()


def load_kind(name: str) -> ConsistencyKind:
    """The judgement of a kind; KeyError where there is none of that name."""
    return cast(ConsistencyKind, _KINDS.load(name))


def holds_locks(name: str) -> bool:
    """Whether each client holds a lock over the whole fault in tests of a kind (`HOLDS_LOCKS`)."""
    return name in kind_names() and bool(getattr(load_kind(name), "HOLDS_LOCKS", False))


def known_kind(name: str) -> str:
    """The same word; ValueError where there is no such kind."""
    names = kind_names()
    if name not in names:
        meant = suggestion(name, names, f"one of {', '.join(names)}")
        raise ValueError(f"{name!r} is not a kind of consistency test; {meant}")
    return name
