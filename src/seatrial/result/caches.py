"""Whether a memory instead of the storage answered the reads of a phase, by the byte counters of
every node.

Every cache was emptied before the phase. Bytes that did not cross the clients' links then came from
the memories of the clients. Bytes that crossed them and did not leave the disks came from the
memories of the servers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.basics.known import all_known
from seatrial.result.phases import ClientResult, PhaseResult

ARRIVED_SHARE_MIN = 0.9
"""share of the bytes read that must arrive from the expected source: a node's counters begin and
end some ms off"""
AT_ONCE_BYTES = 128 * 1024
"""the burst of an idle link, or of a read-ahead, in those ms: a node's first count may lack it"""


def out_of_caches(result: PhaseResult, ended_s: float) -> str | None:
    """The caches that answered a phase that read after all caches had been emptied, in words; None
    where no cache is known to have answered.

    The counters of every node are the source: bytes received by the clients' links, bytes read by
    the disks of the servers, and bytes read by the disks of the arrays. A node without counters
    proves nothing. Neither does a node with a last count from before the phase's end `ended_s`
    (unix time, seconds).
    """
    read_bytes = sum(client.size_bytes for client in result.clients)
    if result.partial or not read_bytes:
        return None
    # What a server reads from its local disks crosses no link: the counters of the disks show
    # whether it came from them.
    remote = [client for client in result.clients if client.client not in result.servers]
    from_links = [
        f"{client.client} ({share:.0%})"
        for client in remote
        if (share := _over_its_link(client)) is not None
    ]
    if from_links:
        shares = ", ".join(from_links)
        return f"the clients' caches, with this share of the data over their links: {shares}"
    for whose, nodes in (("servers", result.servers), ("arrays", result.arrays)):
        ended = all(lines and lines[-1]["unix_s"] >= ended_s for lines in nodes.values())
        from_disks = _total(list(nodes.values()), "disk_read_bytes") if ended else None
        if from_disks is not None and from_disks < _least_bytes(read_bytes):
            return f"the {whose}' caches: {from_disks / read_bytes:.0%} of it came from their disks"
    return None


def _over_its_link(client: ClientResult) -> float | None:
    """The share of a client's reads that crossed its link, where that is too small."""
    crossed = _total([client.telemetry], "network_received_bytes")
    if crossed is None or crossed >= _least_bytes(client.size_bytes):
        return None
    return crossed / client.size_bytes


def _least_bytes(read_bytes: float) -> float:
    """The bytes that must arrive for this number of bytes read; a small number of bytes allows no
    statement.
    """
    return ARRIVED_SHARE_MIN * read_bytes - AT_ONCE_BYTES


def _total(nodes: Sequence[Sequence[Mapping[str, Any]]], key: str) -> int | None:
    """The sum of a counter over all nodes; None where one of them does not have it."""
    values: list[int | None] = [line.get(key) for lines in nodes for line in lines]
    known_values = all_known(values)
    return sum(known_values) if known_values is not None and nodes and all(nodes) else None
