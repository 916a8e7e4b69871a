"""Whether what a phase read came from a memory instead of the storage.

Where every cache was emptied before, that is counted: bytes that did not cross the clients' links came out of their own
memories, bytes that crossed them and did not leave the disks came out of the servers'.

Where no cache is ours to empty, it can only be reasoned.
A client's own memory is excluded by O_DIRECT, by reading what another client has written, or by data at least twice as
large as the memory that a cache could take; that of the servers by data at least twice as large as all of theirs. The
factor of two is that of IOzone's and IOR's authors ("twice the memory"): a cache of half the data can serve no more
than half of a sequential read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from seatrial.load.telemetry import Watched
from seatrial.record.phases import ClientResult, PhaseResult
from seatrial.solutions.base import KeepsCaches, Solution
from seatrial.study.points import Point
from seatrial.study.workload import LOOKS_AT_NEIGHBOUR, moves_data

TIMES_MEMORY = 2.0
LAST_SECOND_S = 2.5
"""for a server's count of the second in which a phase ended, also from a busy machine"""
ARRIVED_SHARE_MIN = 0.9
"""of what was read, what has to arrive from where it should: a node's counters begin and end some ms off"""
AT_ONCE_BYTES = 128 * 1024
"""what a link that was idle lets pass, or a read-ahead brings, in those ms: a node's first count may not have it"""


def may_be_cached(solution: Solution, point: Point, phase: str, clients: Iterable[ClientResult]) -> str | None:
    """Whose caches may have answered, in words; None where none can, or where the run has emptied them."""
    if not isinstance(solution, KeepsCaches) or phase not in (*LOOKS_AT_NEIGHBOUR, "mixed"):
        return None
    workload, everyone = point.workload, list(clients)
    others = workload.read == "neighbour" and phase in LOOKS_AT_NEIGHBOUR and len(everyone) > 1
    each_bytes = workload.phase_bytes(phase) * workload.tasks if moves_data(phase) else 0
    found = []
    if not (others or workload.direct or all(_outgrows(each_bytes, item) for item in everyone)):
        found.append("the clients'" if len(everyone) > 1 else "the client's")
    if not _twice(each_bytes * len(everyone), solution.server_memory_bytes):
        found.append("the servers'" if solution.server_memory_bytes else "the storage's own")
    return " and ".join(found) or None


def with_servers(result: PhaseResult, watched: Watched, arrays: Sequence[str], *, emptied: bool) -> PhaseResult:
    """The phase with what its servers and `arrays` counted; where caches had been `emptied`, whether they answered."""
    ended_s = result.started_unix_s + (result.last_done_s or 0.0)
    judged = emptied and result.phase == "read"
    if judged:
        watched.wait_until(ended_s, LAST_SECOND_S)
    nodes = watched.between(result.started_unix_s, ended_s)
    behind = {name: lines for name, lines in nodes.items() if name in arrays}
    servers = {name: lines for name, lines in nodes.items() if name not in behind}
    told = replace(result, servers=servers, arrays=behind)
    return replace(told, out_of_caches=out_of_caches(told, ended_s) if judged else None)


def out_of_caches(result: PhaseResult, ended_s: float) -> str | None:
    """Whose caches answered a phase that read after all had been emptied, in words; None where none is known to have.

    By the counters of every node: bytes that the clients' links received, that the disks of the servers read, and those
    of the arrays behind them.
    A node that does not count, or whose last count is from before the phase's end `ended_s`, proves nothing.
    """
    read_bytes = sum(client.size_bytes for client in result.clients)
    if result.partial or not read_bytes:
        return None
    # What a server reads of its own disks crosses no link: whether it did come from disks, their own counters tell.
    remote = [client for client in result.clients if client.client not in result.servers]
    found = [f"{client.client} ({share:.0%})" for client in remote if (share := _over_its_link(client)) is not None]
    if found:
        return f"the clients' caches, with so much of it over their links: {', '.join(found)}"
    for whose, nodes in (("servers", result.servers), ("arrays", result.arrays)):
        ended = all(lines and lines[-1]["unix_s"] >= ended_s for lines in nodes.values())
        from_disks = _total(list(nodes.values()), "disk_read_bytes") if ended else None
        if from_disks is not None and from_disks < _least_bytes(read_bytes):
            return f"the {whose}' caches: {from_disks / read_bytes:.0%} of it came from their disks"
    return None


def _over_its_link(client: ClientResult) -> float | None:
    """The share of what a client read that crossed its link, where that is too little."""
    crossed = _total([client.telemetry], "network_received_bytes")
    if crossed is None or crossed >= _least_bytes(client.size_bytes):
        return None
    return crossed / client.size_bytes


def _least_bytes(read_bytes: float) -> float:
    """What has to arrive of so much; of very little nothing can be said."""
    return ARRIVED_SHARE_MIN * read_bytes - AT_ONCE_BYTES


def _total(nodes: Sequence[Sequence[Mapping[str, Any]]], key: str) -> int | None:
    """The sum of a counter over all nodes; None where one of them does not have it."""
    values: list[int | None] = [line.get(key) for lines in nodes for line in lines]
    known = [value for value in values if value is not None]
    return sum(known) if nodes and all(nodes) and len(known) == len(values) else None


def _outgrows(data_bytes: int, client: ClientResult) -> bool:
    """MemAvailable counts what a cache holds as free, so its largest value is what a cache could take."""
    available = [line["memory_available_bytes"] for line in client.telemetry if line.get("memory_available_bytes")]
    return _twice(data_bytes, max(available, default=None))


def _twice(data_bytes: float, memory_bytes: float | None) -> bool:
    return memory_bytes is not None and data_bytes >= TIMES_MEMORY * memory_bytes
