"""An executed action."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from seatrial.result.fault_parts import ActionPart

if TYPE_CHECKING:
    from seatrial.faults.actions.base import Action


@dataclass(frozen=True)
class Done:
    """An executed action, with the time before and after it on the common clock."""

    what: str
    part: ActionPart
    started_unix_s: float
    ended_unix_s: float
    error: str | None = None
    exit_code: int | None = None
    """of a command, where it answered"""
    output: str | None = None
    """the result's file with the output of a command of the site"""
    seen: tuple[str, ...] = ()
    """immediate evidence of its effect (`seatrial.result.evidence.Sign`)"""
    action: Action | None = field(default=None, compare=False)
    """the action itself, by which later stages find it; not stored"""

    def stored(self) -> dict[str, Any]:
        """The entry of the action in the result."""
        return {name: value for name, value in vars(self).items() if name != "action"}
