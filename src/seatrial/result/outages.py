"""Outages as a result records them: times without a completion, longer than the threshold."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Self


@dataclass(frozen=True)
class Outage:
    """A time in which a client, or one of its tasks, completed nothing; on the common clock."""

    task: int | None
    """None: no task of the client completed anything"""
    start_unix_s: float
    """the last completion before it"""
    end_unix_s: float
    """the next completion, or the end of the observation"""
    open: bool
    """no completion ended it"""

    @property
    def length_s(self) -> float:
        """Its length in seconds."""
        return self.end_unix_s - self.start_unix_s

    @property
    def is_of_whole_client(self) -> bool:
        """Whether no task of the client completed anything."""
        return self.task is None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of the result's entry."""
        return cls(**{field.name: data[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class ClientOutage(Outage):
    """An outage in a phase, with its client."""

    client: str


def longest_of(outages: Iterable[Outage]) -> Outage | None:
    """The longest one; an outage without an end is longer than all others. None without any."""
    return max(outages, key=lambda outage: (outage.open, outage.length_s), default=None)
