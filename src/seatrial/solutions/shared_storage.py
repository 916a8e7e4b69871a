"""Storage that other users share: its caches stay, and a run writes into one folder."""

from typing import Protocol, runtime_checkable

from seatrial.basics.optional import Optional
from seatrial.solutions.base import Solution


@runtime_checkable
class KeepsCaches(Protocol, metaclass=Optional):
    """Optional: a solution with caches that must not be emptied, because other users share them."""

    server_memory_bytes: float | None
    """memory of all its servers together; None when unknown"""
    work_folder: str
    """the folder for everything that Seatrial writes to it"""


def work_folder(solution: Solution, base: str) -> str:
    """The folder for everything that a run writes to the storage that is mounted at `base`."""
    return solution.work_folder if isinstance(solution, KeepsCaches) else f"{base}/seatrial"


@runtime_checkable
class NamesServers(Protocol, metaclass=Optional):
    """Optional: a solution with servers that the site operates, and that a run observes only."""

    observed_servers: tuple[str, ...]
    """names for ssh; they are no nodes of the study"""
