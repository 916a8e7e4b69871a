"""`truncate`: legal histories pass, and each planted defect is a violation."""

from typing import Any

from hypothesis import given

from seatrial.analysis.consistency_kinds.truncate import Shown, examine, head_bytes, size_bytes
from tests.builders import model_histories as tools
from tests.builders.model_histories import ERRORS_S, RUN, SHARES, TURNS, Recorded

NUMBERS = [0, 1, 2, 0, 1, 2, 0, 1]


def content_of(client: int, generation: int) -> bytes:
    """The agent's content of its file."""
    head = bytes([ord("a") + generation % 26]) * head_bytes(generation)
    tail = f"{RUN} {client:05} {generation:012}\n".encode()
    return (head.ljust(20_480, b"\0") + tail).ljust(size_bytes(generation), b"\0")


def model(turns: list[int]) -> Recorded:
    """One makes a generation, another looks."""
    reported = Recorded("truncate")
    counts = [0, 0, 0]
    for client in turns:
        generation = counts[client]
        counts[client] = counts[client] + 1
        reported.add(client, "rewrite", generation=generation)
        reported.files[f"truncate-{client}"] = content_of(client, generation)
        reported.add((client + 2) % 3, "read", of=client, **shown(generation))
    return reported


def shown(generation: int) -> dict[str, Any]:
    """The content that a look shows."""
    size = size_bytes(generation)
    return {"generation": generation, "size_bytes": size, "head_whole": True, "dirty_bytes": 0}


def stale(reported: Recorded) -> None:
    """A reader sees the earlier content."""
    reported.last("read").update(shown(-1))


def early(reported: Recorded) -> None:
    """A reader sees data that no client had begun to write."""
    event = reported.last("read")
    event.update(shown(event["generation"] + 1))


def came_back(reported: Recorded) -> None:
    """Truncated bytes are present again."""
    reported.last("read")["dirty_bytes"] = 4096


def head_gone(reported: Recorded) -> None:
    """More was cut off than was asked for."""
    reported.last("read")["head_whole"] = False


def wrong_size(reported: Recorded) -> None:
    """The size is that of another generation."""
    reported.last("read")["size_bytes"] += 1


def missing(reported: Recorded) -> None:
    """A reader does not see the file."""
    reported.last("read").update(outcome="missing", generation=None)


def no_generation(reported: Recorded) -> None:
    """The content is no generation."""
    reported.last("read")["generation"] = None


def dirty_in_the_end(reported: Recorded) -> None:
    """The hole is not empty in the end."""
    name = next(iter(reported.files))
    reported.files[name] = reported.files[name][:18_000] + b"x" + reported.files[name][18_001:]


def old_in_the_end(reported: Recorded) -> None:
    """The file has its earlier content."""
    client = max(
        reported.events,
        key=lambda each: sum(event["op"] == "rewrite" for event in reported.events[each]),
    )
    reported.add(client, "rewrite", generation=500)


def gone_in_the_end(reported: Recorded) -> None:
    """The file is not there."""
    reported.files.pop(next(iter(reported.files)))


@given(turns=TURNS, errors_s=ERRORS_S, share=SHARES)
def test_a_true_storage_is_never_accused(
    turns: list[int], errors_s: list[float], share: float
) -> None:
    """With any clocks within their errors."""
    tools.require_true(model, turns, errors_s, share)


@tools.named(
    [
        (stale, "stale"),
        (early, "not-written"),
        (came_back, "not-zero"),
        (head_gone, "head-lost"),
        (wrong_size, "wrong-size"),
        (missing, "missing"),
        (no_generation, "no-generation"),
        (dirty_in_the_end, "not-zero"),
        (old_in_the_end, "lost"),
        (gone_in_the_end, "lost"),
    ]
)
def test_each_planted_defect_is_found(plant: tools.Plant, reason: str) -> None:
    """And named by its reason."""
    tools.require_found(model, plant, reason, NUMBERS)


def test_a_clock_that_may_be_wrong_by_more_than_is_tested_leaves_it_unknown() -> None:
    """Every look may have met a writer."""
    tools.require_clocks_matter(model, stale, NUMBERS)
    reported = model(NUMBERS)
    assert "clocks" in reported.judged([30.0] * 3, 0.0).reasons


def test_a_look_that_met_a_writer_is_not_judged() -> None:
    """Between two steps of one generation, a file may hold anything."""
    reported = model(NUMBERS)
    write = reported.add(0, "rewrite", generation=3)
    reported.files["truncate-0"] = content_of(0, 3)
    look = reported.add(2, "read", of=0, **no_tail())
    assert reported.judged().reasons == {"no-generation": 1}
    reads = reported.judged().checked["reads"]
    write["end_ns"] = look["end_ns"]
    found = reported.judged()
    assert (found.reasons, found.checked["reads"]) == ({}, reads - 1)


def no_tail() -> dict[str, Any]:
    """The content of a look before the tail is written."""
    return {"generation": None, "size_bytes": 16_384, "head_whole": False, "dirty_bytes": 0}


def test_looks_that_fail_show_nothing() -> None:
    """Below half of them, the answer is unknown."""
    reported = model(NUMBERS)
    for _ in range(9):
        reported.add(0, "read", "error", of=1, errno="EIO")
    tools.require_unknown(reported, "few-answers")


def test_an_operation_that_failed_may_have_left_anything() -> None:
    """Also half of it: the file in the end is no evidence."""
    reported = model(NUMBERS)
    reported.add(0, "rewrite", "error", generation=99, errno="EIO")
    reported.files["truncate-0"] = b"half of it"
    tools.require_unknown(reported, "writer-failed")


def test_an_nfs3_open_without_a_request_is_distinguished() -> None:
    """As in close-to-open: it fails unless the study waives it."""
    reported = Recorded("truncate")
    calls: dict[str, Any] = {"nfs_version": "3", "of": 0, "getattr_calls": 0}
    for generation in (0, 1):
        reported.add(0, "rewrite", generation=generation)
        reported.files["truncate-0"] = content_of(0, generation)
        more: dict[str, Any] = {
            "size_at_server_bytes": size_bytes(generation),
            "lookup_calls": 1 - generation,
        }
        reported.add(1, "read", **calls, **shown(0), **more)
    found = reported.judged()
    assert (found.violations, len(found.unasked)) == ([], 1)
    reported.last("read")["size_at_server_bytes"] = size_bytes(0)
    assert len(reported.judged().violations) == 1


def test_a_file_is_read_as_the_agent_writes_it() -> None:
    """And no other client's."""
    whole = Shown(7, size_bytes(7), head_whole=True, dirty_bytes=0)
    assert examine(RUN, 2, content_of(2, 7)) == whole
    assert examine(RUN, 1, content_of(2, 7)).generation is None
    assert examine(RUN, 1, b"").generation is None
