"""`mmap`, `read-ahead` and `attributes`: legal histories pass, and each planted defect is a
violation.
"""

from typing import Any

import pytest
from hypothesis import given

from seatrial.analysis.histories import Inode
from tests.builders import model_histories as tools
from tests.builders.model_histories import ERRORS_S, SHARES, TURNS, Recorded

NUMBERS = [0, 1, 2, 0, 1, 2, 0, 1]


def pages(kind: str) -> tools.Model:
    """One writes, another looks, of one kind."""

    def model(turns: list[int]) -> Recorded:
        reported = Recorded(kind)
        counts = [0, 0, 0]
        for client in turns:
            generation = counts[client]
            counts[client] = counts[client] + 1
            reported.add(client, "write", generation=generation, mtime_ns=generation)
            reported.add(
                (client + 2) % 3,
                "read",
                of=client,
                generation=generation,
                mtime_at_server_ns=generation,
            )
        return reported

    return model


def stale(reported: Recorded) -> None:
    """A reader sees the earlier content."""
    reported.last("read")["generation"] -= 1


def early(reported: Recorded) -> None:
    """A reader sees data that no client had begun to write."""
    reported.last("read")["generation"] += 1


def mixed(reported: Recorded) -> None:
    """A reader sees parts of two generations."""
    reported.last("read")["generation"] = None


def missing(reported: Recorded) -> None:
    """A reader does not see the file."""
    reported.last("read").update(outcome="missing", generation=None)


def attributes(turns: list[int]) -> Recorded:
    """One grows its file, and it and another look."""
    reported = Recorded("attributes")
    counts = [0, 0, 0]
    for client in turns:
        reported.add(client, "grow")
        counts[client] += 1
        size = 100 * counts[client]
        reported.inodes[f"attributes-{client}"] = Inode(size, 1)
        shown: dict[str, Any] = {
            "of": client,
            "size_bytes": size,
            "mtime_ns": 10**9 * counts[client],
        }
        reported.add(client, "read", **shown)
        reported.add((client + 2) % 3, "read", **shown)
        reported.add((client + 2) % 3, "read", **shown)
    return reported


def too_small(reported: Recorded) -> None:
    """A size from before."""
    reported.last("read")["size_bytes"] -= 100


def too_large(reported: Recorded) -> None:
    """A size that no one made."""
    reported.last("read")["size_bytes"] += 100


def time_back(reported: Recorded) -> None:
    """An earlier time, and nothing was written."""
    reported.last("read")["mtime_ns"] -= 1


def not_there(reported: Recorded) -> None:
    """A file that was synced is missing."""
    reported.last("read")["outcome"] = "missing"


def small_in_the_end(reported: Recorded) -> None:
    """Less than was synced."""
    reported.inodes["attributes-0"] = Inode(100, 1)


def large_in_the_end(reported: Recorded) -> None:
    """More than was begun."""
    reported.inodes["attributes-0"] = Inode(1000, 1)


MODELS: dict[str, tools.Model] = {
    "mmap": pages("mmap"),
    "read-ahead": pages("read-ahead"),
    "attributes": attributes,
}
PAGES = [(stale, "stale"), (early, "not-written"), (mixed, "no-generation"), (missing, "missing")]
ATTRIBUTES = [
    (too_small, "size-too-small"),
    (too_small, "size-went-back"),
    (too_large, "size-too-large"),
    (time_back, "mtime-went-back"),
    (not_there, "missing"),
    (small_in_the_end, "size-too-small"),
    (large_in_the_end, "size-too-large"),
]
DEFECTS: list[tuple[str, tools.Plant, str]] = [
    *(("mmap", plant, reason) for plant, reason in PAGES),
    *(("read-ahead", plant, reason) for plant, reason in PAGES),
    *(("attributes", plant, reason) for plant, reason in ATTRIBUTES),
]


@pytest.mark.parametrize("kind", list(MODELS))
@given(turns=TURNS, errors_s=ERRORS_S, share=SHARES)
def test_a_true_storage_is_never_accused(
    kind: str, turns: list[int], errors_s: list[float], share: float
) -> None:
    """With any clocks within their errors."""
    tools.require_true(MODELS[kind], turns, errors_s, share)


@pytest.mark.parametrize(
    ("kind", "plant", "reason"),
    DEFECTS,
    ids=[f"{kind}-{plant.__name__}-{reason}" for kind, plant, reason in DEFECTS],
)
def test_each_planted_defect_is_found(kind: str, plant: tools.Plant, reason: str) -> None:
    """And named by its reason."""
    tools.require_found(MODELS[kind], plant, reason, NUMBERS)


@pytest.mark.parametrize("kind", ["mmap", "read-ahead"])
def test_a_clock_that_may_be_wrong_by_more_than_is_tested_leaves_it_unknown(kind: str) -> None:
    """Every look may have met a writer."""
    tools.require_clocks_matter(MODELS[kind], stale, NUMBERS)


@pytest.mark.parametrize("kind", ["mmap", "read-ahead"])
def test_an_nfs3_open_without_a_request_is_distinguished(kind: str) -> None:
    """The server's change time shows that it had the later generation."""
    reported = Recorded(kind)
    calls: dict[str, Any] = {"nfs_version": "3", "of": 0, "getattr_calls": 0, "generation": 0}
    for generation in (0, 1):
        reported.add(0, "write", generation=generation, mtime_ns=generation)
        reported.add(1, "read", **calls, mtime_at_server_ns=generation, lookup_calls=1 - generation)
    found = reported.judged()
    assert (found.violations, len(found.unasked)) == ([], 1)
    reported.last("read")["mtime_at_server_ns"] = 0
    assert len(reported.judged().violations) == 1


def test_a_later_write_with_an_earlier_time_is_a_late_clock() -> None:
    """No standard forbids it: the server that took over stamps it."""
    reported = attributes(NUMBERS)
    client = NUMBERS[-1]
    reported.add(client, "grow")
    reported.inodes[f"attributes-{client}"] = Inode(400, 1)
    reported.add(client, "read", of=client, size_bytes=400, mtime_ns=1)
    tools.require_unknown(reported, "clock-behind")


def test_a_size_that_was_not_synced_may_go_back_over_a_crash() -> None:
    """A neighbour may have seen data that were not yet on the server's disk."""
    reported = attributes([0, 1, 2])
    reported.add(0, "grow")["end_ns"] += 9
    first = reported.add(2, "read", of=0, size_bytes=200, mtime_ns=2 * 10**9)
    reported.add(2, "read", of=0, size_bytes=100, mtime_ns=10**9)
    reported.inodes["attributes-0"] = Inode(200, 1)
    reported.disturbed = (first["begin_ns"], reported.now_s)
    found = reported.judged()
    assert (found.violations, found.checked["sizes that were not synced and taken back"]) == ([], 1)
    reported.disturbed = None
    assert reported.judged().reasons == {"size-went-back": 1}
