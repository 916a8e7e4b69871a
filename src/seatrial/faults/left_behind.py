"""Files of a fault's load that could not be removed."""

from typing import NamedTuple


class LeftBehind(NamedTuple):
    """A directory that stays on the storage."""

    node: str
    """that tried to remove it"""
    path: str
    reason: str
