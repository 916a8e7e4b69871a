"""The evidence that a fault happened: for each action that breaks something, the observed signs of
it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class Sign(StrEnum):
    """An observation that proves that an action had its intended effect."""

    POWER_OFF = "power-off"
    """the lab's power log, or the node's controller, has the node or the bus without power"""
    NODE_STOPPED = "node-stopped"
    """the lab's power log has the node's processor stopped"""
    LINK_DOWN = "link-down"
    """the link, or the network's switch, was checked and was down"""
    PROCESS_GONE = "process-gone"
    """a process that existed is gone, or the node has another kernel than before"""
    MEDIUM_GONE = "medium-gone"
    """a disk, or the space on it, no longer exists"""
    SERVICE_MOVED = "service-moved"
    """the service runs on another server than before"""
    EFFECT_SEEN = "effect-seen"
    """a probe on the node found the effect of the command, where no other sign describes it"""
    COMMAND_SUCCEEDED = "command-succeeded"
    """the command that breaks it succeeded"""
    CHECK_SUCCEEDED = "check-succeeded"
    """a command of the site confirmed the fault"""
    CLIENTS_STALLED = "clients-stalled"
    """an outage of a whole client begins at the action"""


@dataclass(frozen=True)
class Evidence:
    """The observed signs of one action."""

    what: str
    """the action in words, as `actions` has it"""
    started_unix_s: float
    """of that action: one may be done more than once"""
    needs: tuple[Sign, ...]
    """each of these signs would prove it"""
    seen: tuple[Sign, ...]

    @property
    def is_shown(self) -> bool:
        """Whether the action had its intended effect."""
        return not self.needs or bool(set(self.needs) & set(self.seen))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of the result's entry; ValueError for a sign that this version does
        not know.
        """
        signs = {key: tuple(Sign(sign) for sign in data[key]) for key in ("needs", "seen")}
        return cls(str(data["what"]), float(data["started_unix_s"]), **signs)
