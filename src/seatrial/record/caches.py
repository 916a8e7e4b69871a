"""Whether what a phase read came from a memory instead of the storage, by the bytes that every node
counted.

Where every cache was emptied before, bytes that did not cross the clients' links came out of their
own memories, and bytes that crossed them and did not leave the disks came out of the servers'.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.record.phases import ClientResult, PhaseResult

ARRIVED_SHARE_MIN = 0.9
"""of what was read, what has to arrive from where it should: a node's counters begin and end some
ms off"""
AT_ONCE_BYTES = 128 * 1024
"""what a link that was idle lets pass, or a read-ahead brings, in those ms: a node's first count
may not have it"""


def out_of_caches(result: PhaseResult, ended_s: float) -> str | None:
    """Whose caches answered a phase that read after all had been emptied, in words; None where none
    is known to have.

    By the counters of every node: bytes that the clients' links received, that the disks of the
    servers read, and those of the arrays behind them. A node that does not count, or whose last
    count is from before the phase's end `ended_s`, proves nothing.
    """
    read_bytes = sum(client.size_bytes for client in result.clients)
    if result.partial or not read_bytes:
        return None
    # What a server reads of its own disks crosses no link: whether it did come from disks, their
    # own counters tell.
    remote = [client for client in result.clients if client.client not in result.servers]
    found = [
        f"{client.client} ({share:.0%})"
        for client in remote
        if (share := _over_its_link(client)) is not None
    ]
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
