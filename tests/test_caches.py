"""Reads came from the expected place: bytes of the agents compared with bytes on the links
and from the disks.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.load.cached import with_servers
from seatrial.load.telemetry import Watched
from seatrial.result.caches import ARRIVED_SHARE_MIN, AT_ONCE_BYTES, out_of_caches
from seatrial.result.phases import PhaseResult
from tests.builders.results import client, phase

READ = 10**9


def second(at_s: float, **counted: int | None) -> dict[str, Any]:
    """A second of a node's counters."""
    return {"unix_s": at_s, **counted}


def result(
    *, received: int | None, from_disks: int | None, told_until_s: float = 11.0, **changes: Any
) -> PhaseResult:
    """Two clients and two servers; 10 s in which each client read half of `READ`."""
    clients = tuple(
        client(
            client=name,
            size_bytes=READ // 2,
            telemetry=(
                second(5.0, network_received_bytes=share),
                second(10.0, network_received_bytes=0),
            ),
        )
        for name, share in (
            ("c1", received and received // 2),
            ("c2", received and received - received // 2),
        )
    )
    servers = {
        name: (second(1.0, disk_read_bytes=share), second(told_until_s, disk_read_bytes=0))
        for name, share in (("s1", from_disks), ("s2", None if from_disks is None else 0))
    }
    return phase(clients=clients, servers=servers, started_unix_s=0.0, last_done_s=10.0, **changes)


@given(over_links=st.floats(0, 3), over_disks=st.floats(0, 3))
def test_less_than_nine_tenths_is_a_cache_and_more_is_none(
    over_links: float, over_disks: float
) -> None:
    """Each side alone; the clients' caches are nearer."""
    printed = out_of_caches(
        result(received=int(READ * over_links), from_disks=int(READ * over_disks)), 10.0
    )
    if over_links * READ < ARRIVED_SHARE_MIN * READ - 2.1 * AT_ONCE_BYTES:  # of either client
        assert printed is not None
        assert printed.startswith("the clients' caches")
    elif (
        over_links > ARRIVED_SHARE_MIN
        and over_disks * READ < ARRIVED_SHARE_MIN * READ - 1.1 * AT_ONCE_BYTES
    ):
        assert printed is not None
        assert printed.startswith("the servers' caches")
    elif over_links > ARRIVED_SHARE_MIN and over_disks > ARRIVED_SHARE_MIN:
        assert printed is None


@pytest.mark.parametrize(
    ("received", "is_cache"), [(2**20 * 89 // 100, False), (2**20 * 70 // 100, True), (0, True)]
)
def test_a_node_may_count_a_moment_late(received: int, is_cache: bool) -> None:
    """Of 1 MiB a first packet train of a tenth is not counted; more than that is missing for
    another reason.
    """
    alone = client(size_bytes=2**20, telemetry=(second(5.0, network_received_bytes=received),))
    assert (out_of_caches(phase(clients=(alone,)), 10.0) is not None) is is_cache


def test_one_client_with_a_full_cache_is_found_among_many() -> None:
    """Each client alone: one of 28 would be hidden by the tenth that may be missing."""
    everyone = tuple(
        client(
            client=f"c{number}",
            size_bytes=READ,
            telemetry=(second(5.0, network_received_bytes=bytes_),),
        )
        for number, bytes_ in enumerate([1, *[int(1.02 * READ)] * 27], start=1)
    )
    assert out_of_caches(phase(clients=everyone), 10.0) == (
        "the clients' caches, with this share of the data over their links: c1 (0%)"
    )


def test_reads_of_a_servers_own_disks_are_found_in_their_counters() -> None:
    """Its reads cross no link; without reads from disks either, a cache answered."""
    both = client(
        client="s1", size_bytes=READ, telemetry=(second(5.0, network_received_bytes=READ // 2),)
    )
    for from_disks, is_cache in ((READ, False), (READ // 2, True)):
        counted = {"s1": (second(1.0, disk_read_bytes=from_disks), second(11.0, disk_read_bytes=0))}
        found = out_of_caches(
            phase(clients=(both,), servers=counted, started_unix_s=0.0, last_done_s=10.0), 10.0
        )
        assert (found is not None) is is_cache


@pytest.mark.parametrize(
    ("of_array", "words"), [(READ, None), (READ // 2, "the arrays' caches: 50% of it")]
)
def test_data_from_an_array_came_from_its_disks(of_array: int, words: str | None) -> None:
    """A server counts iSCSI reads as disk reads; the array reports its own disk reads."""
    watched = Watched()
    for name, from_disks in (("s1", READ), ("array", of_array)):
        watched.add(name, second(5.0, disk_read_bytes=from_disks))
        watched.add(name, second(11.0, disk_read_bytes=0))
    reported = with_servers(
        result(received=2 * READ, from_disks=None), watched, ("array",), emptied=True
    )
    assert (list(reported.servers), list(reported.arrays)) == (["s1"], ["array"])
    assert reported.out_of_caches is None if words is None else words in str(reported.out_of_caches)


@pytest.mark.parametrize(
    "changes",
    [
        {"received": None, "from_disks": 0, "told_until_s": 9.0},
        {"received": 2 * READ, "from_disks": None},
        {"received": 2 * READ, "from_disks": 0, "told_until_s": 9.0},
        {"received": 0, "from_disks": 0, "partial": True},
    ],
    ids=["no counters", "disks do not count", "the last second is missing", "a partial phase"],
)
def test_a_node_without_counters_proves_nothing(changes: dict[str, Any]) -> None:
    """Neither for nor against a cache."""
    assert out_of_caches(result(**changes), 10.0) is None


def test_only_reads_after_emptied_caches_are_judged_and_then_invalid() -> None:
    """Writes go to memory by design, and a study may measure a cache on purpose."""
    watched = Watched()
    read = result(received=0, from_disks=0)
    reported = with_servers(read, watched, (), emptied=True)
    assert reported.out_of_caches
    assert not reported.is_comparable
    assert with_servers(read, watched, (), emptied=False).is_comparable
    assert with_servers(
        result(received=0, from_disks=0, phase="write"), watched, (), emptied=True
    ).is_comparable
