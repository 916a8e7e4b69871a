"""Whether what a phase read may have come from a memory instead of the storage, where no cache is ours to empty.

A client's own memory is excluded by O_DIRECT, by reading what another client has written, or by data at least twice as
large as the memory that a cache could take; that of the servers by data at least twice as large as all of theirs. The
factor of two is that of IOzone's and IOR's authors ("twice the memory"): a cache of half the data can serve no more
than half of a sequential read.
"""

from collections.abc import Iterable

from seatrial.record.phases import ClientResult
from seatrial.solutions.base import KeepsCaches, Solution
from seatrial.study.points import Point
from seatrial.study.workload import LOOKS_AT_NEIGHBOUR, moves_data

TIMES_MEMORY = 2.0


def may_be_cached(solution: Solution, point: Point, phase: str, clients: Iterable[ClientResult]) -> str | None:
    """Whose caches may have answered, in words; None where none can, or where the run has emptied them."""
    if not isinstance(solution, KeepsCaches) or phase not in (*LOOKS_AT_NEIGHBOUR, "mixed"):
        return None
    workload, everyone = point.workload, list(clients)
    others = workload.read == "neighbour" and phase in LOOKS_AT_NEIGHBOUR and len(everyone) > 1
    each_bytes = workload.phase_bytes(phase) * workload.tasks if moves_data(phase) else 0
    found = []
    if not (others or workload.direct or all(_outgrows(each_bytes, item) for item in everyone)):
        found.append("the clients'")
    if not _twice(each_bytes * len(everyone), solution.server_memory_bytes):
        found.append("the servers'" if solution.server_memory_bytes else "the servers' (of unknown size)")
    return " and ".join(found) or None


def _outgrows(data_bytes: int, client: ClientResult) -> bool:
    """MemAvailable counts what a cache holds as free, so its largest value is what a cache could take."""
    available = [line["memory_available_bytes"] for line in client.telemetry if line.get("memory_available_bytes")]
    return _twice(data_bytes, max(available, default=None))


def _twice(data_bytes: float, memory_bytes: float | None) -> bool:
    return memory_bytes is not None and data_bytes >= TIMES_MEMORY * memory_bytes
