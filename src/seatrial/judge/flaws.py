"""Possible flaws of the evidence of a result: something is missing, is a duplicate, or is not
planned.
"""

from dataclasses import dataclass
from enum import StrEnum


class Evidence(StrEnum):
    """The evidence on which a check may rest."""

    WHOLE = "whole"
    """the manifest, the run's own lines, the stored study, the end: every verdict rests on it"""
    SYSTEM = "system"
    """the system that was built, and its scale"""
    DEPLOYS = "deploys"
    FINGERPRINTS = "fingerprints"
    BASELINES = "baselines"
    PHASES = "phases"
    """every phase of every repeat of every point, with all of its clients"""
    AGENT_LINES = "agent-lines"
    """every line that the agents printed, in `agent/`"""
    COMPARISONS = "comparisons"
    """of trees with the operation logs"""
    FAULTS = "faults"
    STREAMS = "streams"
    CONSISTENCY = "consistency"
    COPIES = "copies"
    """by dd"""
    ROLES = "roles"
    """which server ran which service before and after a fault"""
    EVENTS = "events"
    """the events of a failover that the nodes noted"""
    POWER = "power"
    """the lab's power log"""
    WRITERS = "writers"
    """the servers that wrote to the array"""
    PUBLISHED = "published"
    """the published result that this result keeps"""
    BORROWED = "borrowed"
    """results of other studies"""


EVERYTHING = frozenset(Evidence)
ALWAYS = frozenset({Evidence.WHOLE})
OF_A_FAULT = frozenset(
    {
        Evidence.FAULTS,
        Evidence.STREAMS,
        Evidence.AGENT_LINES,
        Evidence.COMPARISONS,
        Evidence.CONSISTENCY,
        Evidence.COPIES,
        Evidence.ROLES,
        Evidence.EVENTS,
        Evidence.POWER,
        Evidence.WRITERS,
    }
)


@dataclass(frozen=True)
class Place:
    """The part of the manifest that it is about; empty where it is about the whole manifest."""

    experiment: str = ""
    phase: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Flaw:
    """One thing that is wrong with the evidence."""

    kind: Evidence
    where: str
    """in words: `fault panic`, `fig7 clients=2 repeat 1 read`"""
    what: str = ""
    """the affected part in words; empty for the whole"""
    place: Place = Place()

    reason = "is wrong"

    @property
    def words(self) -> str:
        """A sentence without its full stop."""
        return f"{self.where}{f': {self.what}' if self.what else ''} {self.reason}"


class Missing(Flaw):
    """It is in the manifest and not in the result."""

    reason = "is missing"


class Twice(Flaw):
    """The result has it more often than the run can have measured it."""

    reason = "is present twice"


class Unplanned(Flaw):
    """It is in the result and not in the manifest."""

    reason = "was not planned"


class Weakened(Flaw):
    """It differs from the manifest of the run."""

    reason = "differs from the manifest of the run"


class NotComparable(Flaw):
    """The expected lines are unknown; `where` has the reason."""

    @property
    def words(self) -> str:
        """The reason."""
        return self.where
