"""Whether the reads of a phase came from a cache instead of the storage.

Where every cache was emptied before, this is measured. Bytes that did not cross the clients' links
came from client caches. Bytes that crossed them and did not leave the disks came from server
caches.

Where the caches cannot be emptied, it is inferred. A client's cache is excluded by O_DIRECT, by
reading data of another client, or by data of at least twice the memory available to a cache. The
servers' caches are excluded by data of at least twice their total memory. The factor of two is that
of the authors of IOzone and IOR ("twice the memory"): a cache of half the data can serve at most
half of a sequential read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from seatrial.load.telemetry import Watched
from seatrial.result.caches import out_of_caches
from seatrial.result.phases import ClientResult, PhaseResult
from seatrial.solutions.base import Solution
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.study.points import Point
from seatrial.study.workload import LOOKS_AT_NEIGHBOUR, moves_data

TIMES_MEMORY = 2.0
LAST_SECOND_S = 2.5
"""for a server's count of the second in which a phase ended, also from a busy machine"""


def may_be_cached(
    solution: Solution, point: Point, phase: str, clients: Iterable[ClientResult]
) -> str | None:
    """The caches that may have answered, as text; None where none can, or where the run has emptied
    them.
    """
    if not isinstance(solution, KeepsCaches) or phase not in (*LOOKS_AT_NEIGHBOUR, "mixed"):
        return None
    workload = point.workload
    readers = list(clients)
    foreign = workload.read == "neighbour" and phase in LOOKS_AT_NEIGHBOUR and len(readers) > 1
    each_bytes = workload.phase_bytes(phase) * workload.tasks if moves_data(phase) else 0
    caches = []
    if not (foreign or workload.direct or all(_outgrows(each_bytes, item) for item in readers)):
        caches.append("the clients'" if len(readers) > 1 else "the client's")
    if not _twice(each_bytes * len(readers), solution.server_memory_bytes):
        caches.append("the servers'" if solution.server_memory_bytes else "the storage's own")
    return " and ".join(caches) or None


def with_servers(
    result: PhaseResult, watched: Watched, arrays: Sequence[str], *, emptied: bool
) -> PhaseResult:
    """The phase with the counts of its servers and `arrays`; where caches were `emptied`, whether
    they answered.
    """
    ended_s = result.started_unix_s + (result.last_done_s or 0.0)
    judged = emptied and result.phase == "read"
    if judged:
        watched.wait_until(ended_s, LAST_SECOND_S)
    nodes = watched.between(result.started_unix_s, ended_s)
    behind = {name: lines for name, lines in nodes.items() if name in arrays}
    servers = {name: lines for name, lines in nodes.items() if name not in behind}
    counted = replace(result, servers=servers, arrays=behind)
    return replace(counted, out_of_caches=out_of_caches(counted, ended_s) if judged else None)


def _outgrows(data_bytes: int, client: ClientResult) -> bool:
    """MemAvailable counts cache content as free, so its maximum is the largest possible cache."""
    available = [
        line["memory_available_bytes"]
        for line in client.telemetry
        if line.get("memory_available_bytes")
    ]
    return _twice(data_bytes, max(available, default=None))


def _twice(data_bytes: float, memory_bytes: float | None) -> bool:
    return memory_bytes is not None and data_bytes >= TIMES_MEMORY * memory_bytes
