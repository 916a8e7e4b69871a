"""A check of a command's effect."""

from dataclasses import dataclass

from seatrial.result.evidence import Sign


@dataclass(frozen=True)
class Probe:
    """A command on the same node, immediately after the one that breaks something."""

    command: str
    """exits with 0 where the fault is present"""
    shows: Sign = Sign.EFFECT_SEEN
    """the sign that this proves"""
