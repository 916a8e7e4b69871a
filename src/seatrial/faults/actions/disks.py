"""Actions on disks and arrays."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from seatrial.basics.errors import RunError
from seatrial.faults.actions.base import Ability, Action, Means, Outcome, unable
from seatrial.faults.actions.commands import SHELL_TIMEOUT_S, Shell
from seatrial.faults.done import Done
from seatrial.labs.base import DiskControl

REBUILD_POLL_S = 0.5


@dataclass(frozen=True)
class Disk(Action):
    """A disk of a node, numbered from 1, and its new limits; without limits, its original rate."""

    node: str
    number: int
    rate_bytes_per_s: float | None = None
    requests_per_s: float | None = None
    ability: ClassVar[Ability | None] = Ability(DiskControl, "slow a disk down")

    def text(self) -> str:
        """A readable description."""
        limits = (
            [f"{self.rate_bytes_per_s / 1e6:.3g} MB/s"] if self.rate_bytes_per_s is not None else []
        )
        limits += [f"{self.requests_per_s:g} requests/s"] if self.requests_per_s is not None else []
        return f"disk {self.number} of {self.node}: {' and '.join(limits) or 'as fast as before'}"

    def carry_out(self, means: Means) -> Outcome:
        """Set the limits."""
        lab = means.session.lab
        if not isinstance(lab, DiskControl):
            raise unable(means.session)
        lab.disk(self.node, self.number, self.rate_bytes_per_s, self.requests_per_s)
        return Outcome()

    @property
    def breaks(self) -> bool:
        """Whether the disk becomes slower."""
        return self.rate_bytes_per_s is not None or self.requests_per_s is not None


@dataclass(frozen=True)
class Rebuild(Action):
    """Wait until an array is completely rebuilt."""

    node: str
    array: str
    begun_by: Shell
    """the rebuild begins after this command"""
    is_over: str
    """a command on the node that exits with 0 when the rebuild has ended"""
    limit_s: float

    def text(self) -> str:
        """A readable description."""
        return f"rebuild of {self.array} on {self.node}"

    def carry_out(self, means: Means) -> Outcome:
        """Wait for its end."""
        transport = means.session.transport
        limit_s = time.monotonic() + self.limit_s
        while transport.run(self.node, self.is_over, timeout_s=SHELL_TIMEOUT_S).exit_code:
            if time.monotonic() >= limit_s:
                raise RunError(f"it has not ended within {self.limit_s:g} s")
            means.pause(REBUILD_POLL_S)
        return Outcome()

    def has_begun(self, done: Iterable[Done]) -> bool:
        """Whether the command that begins it has succeeded."""
        return any(item.action is self.begun_by and not item.error for item in done)

    @property
    def waits_s(self) -> float:
        """Its longest time in s."""
        return self.limit_s

    @property
    def breaks(self) -> bool:
        """It waits."""
        return False
