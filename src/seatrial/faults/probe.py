"""A look at what a command has broken."""

from dataclasses import dataclass

from seatrial.record.evidence import Sign


@dataclass(frozen=True)
class Probe:
    """A command on the same node, right after the one that breaks something."""

    command: str
    """exits with 0 where the fault is there"""
    shows: Sign
    """what it has seen then"""
