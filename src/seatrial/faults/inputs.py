"""The inputs of every fault of a run."""

from collections.abc import Callable
from dataclasses import dataclass

from seatrial.load.clock_offsets import WallClocks
from seatrial.result.result import Writer
from seatrial.service.session import Observer, Session


@dataclass
class FaultInputs:
    """The inputs of every fault of a run."""

    session: Session
    agent: str
    run_id: str
    next_generation: Callable[[int], int]
    writer: Writer
    observer: Observer
    wall_clocks: WallClocks
    consented: frozenset[str] = frozenset()
    """faults that may run commands of the site"""
