"""What one agent said during a phase, as it was heard."""

from dataclasses import dataclass, field
from typing import Any

NS = 1e9


@dataclass
class Heard:
    """One agent's lines of one phase."""

    client: str
    ahead_s: float
    """how far its clock is ahead of the common one"""
    lines: list[dict[str, Any]] = field(default_factory=list)
    done: dict[str, Any] | None = None
    lost: str | None = None
    stream: str = ""
    """which of several jobs of this client"""

    @property
    def name(self) -> str:
        """Client and stream, for people and file names."""
        return f"{self.client} {self.stream}" if self.stream else self.client

    def of(self, event: str) -> list[dict[str, Any]]:
        """The lines of one kind."""
        return [line for line in self.lines if line.get("event") == event]

    def common_s(self, unix_ns: float) -> float:
        """A time of its clock on the common one."""
        return unix_ns / NS - self.ahead_s
