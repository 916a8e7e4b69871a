"""The context of a run: everything that its experiments and its faults need."""

from collections.abc import Callable
from dataclasses import dataclass

from seatrial.load.clock_offsets import WallClocks
from seatrial.result.writer import Writer
from seatrial.service.session import Observer, Session


@dataclass(frozen=True)
class RunContext:
    """One run in one deployed system; a fault with overrides has another session."""

    session: Session
    agent: str
    """its path on every node"""
    run_id: str
    """the identity of the run's data"""
    next_generation: Callable[[int], int]
    """reserves this number of generations and returns the first: each write of the files has a new
    one
    """
    writer: Writer
    """the result"""
    observer: Observer
    """the terminal"""
    wall_clocks: WallClocks
    """the changes of the nodes' wall clocks"""
    consented: frozenset[str] = frozenset()
    """faults that may run commands of the site"""
