"""The files that later experiments continue."""

from dataclasses import dataclass

from seatrial.service.session import Session


@dataclass(frozen=True)
class ContinuedFiles:
    """The files of an experiment that others continue."""

    session: Session
    nodes: tuple[str, ...]
    """a node of each tree"""
    directory: str
    generation: int
    is_whole: bool
    """every task wrote all of its files"""
