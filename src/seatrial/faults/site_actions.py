"""The actions of `kind: site-command`: commands of the site on a machine of the site, as data.

Unlike `Shell`, they need no node of the study: the machine may be the controller, or any host that
the operator's own ssh reaches.
"""

from dataclasses import dataclass
from enum import StrEnum


class Purpose(StrEnum):
    """The state that a check of the site looks for."""

    HAPPENED = "happened"
    """the fault is present"""
    RECOVERED = "recovered"
    """the storage is repaired"""


@dataclass(frozen=True)
class SiteCommand:
    """A command on a machine of the site, which must exit with 0 within `limit_s`."""

    host: str
    command: str
    limit_s: float

    def text(self) -> str:
        """A readable description."""
        return f"on {self.host}: {self.command}"


@dataclass(frozen=True)
class SiteCheck:
    """A command that is repeated until it exits with 0, at most for `limit_s`."""

    host: str
    command: str
    limit_s: float
    purpose: Purpose

    def text(self) -> str:
        """A readable description."""
        return f"check {self.purpose} on {self.host}: {self.command}"


SiteAction = SiteCommand | SiteCheck
