"""`torn-writes`: legal histories pass, and each planted defect is a violation."""

from hypothesis import given

from seatrial.analysis.consistency_kinds.torn_writes import Sectors, examine
from tests.builders import model_histories as tools
from tests.builders.model_histories import ERRORS_S, RUN, SHARES, TURNS, Recorded

NUMBERS = [0, 1, 2, 0, 1, 2, 0, 1]
RECORD_BYTES = 64 * 1024


def result_of(client: int, generation: int) -> bytes:
    """The agent's data for a slot."""
    stamp = f"{RUN} {client:05} {generation:012}\n".encode()
    return b"".join((stamp + bytes([number])).ljust(512, b".") for number in range(128))


def model(turns: list[int]) -> Recorded:
    """Each fills its slots; then one writes, and another looks."""
    reported = Recorded("torn-writes")
    counts = [0, 0, 0]
    for client in [0, 0, 0, 1, 1, 1, 2, 2, 2, *turns]:
        generation = counts[client]
        counts[client] = counts[client] + 1
        slot = generation % 3
        reported.add(client, f"write-{slot}", generation=generation, slot=slot)
        file = reported.files.get(f"torn-{client}", b"").ljust(3 * RECORD_BYTES, b"\0")
        before = file[: slot * RECORD_BYTES]
        after = file[(slot + 1) * RECORD_BYTES :]
        reported.files[f"torn-{client}"] = before + result_of(client, generation) + after
        shown = {"generations": [generation], "foreign_sectors": 0}
        reported.add((client + 2) % 3, "read", of=client, slot=slot).update(shown)
    return reported


def torn(reported: Recorded) -> None:
    """Parts of two records, and no one wrote."""
    event = reported.last("read")
    event["foreign_sectors"] = 8


def old_sector(reported: Recorded) -> None:
    """A sector of the previous record."""
    event = reported.last("read")
    event["generations"] = [event["generations"][0] - 3, *event["generations"]]


def early_sector(reported: Recorded) -> None:
    """A sector of a record that had not begun."""
    event = reported.last("read")
    event["generations"] = [*event["generations"], event["generations"][0] + 3]


def missing(reported: Recorded) -> None:
    """A reader does not see the file."""
    reported.last("read")["outcome"] = "missing"


def replaced(reported: Recorded, content: bytes, at: int = 4096) -> None:
    """The file of the first client has other content at the end."""
    file = reported.files["torn-0"]
    reported.files["torn-0"] = file[:at] + content + file[at + len(content) :]


def torn_in_the_end(reported: Recorded) -> None:
    """A sector of nothing in the end."""
    replaced(reported, b"x" * 512)


def old_in_the_end(reported: Recorded) -> None:
    """A slot without its acknowledged record at the end."""
    reported.add(0, "write-0", generation=300, slot=0)


def later_in_the_end(reported: Recorded) -> None:
    """A sector that no one wrote."""
    replaced(reported, result_of(0, 300)[4096:8192])


@given(turns=TURNS, errors_s=ERRORS_S, share=SHARES)
def test_a_true_storage_is_never_accused(
    turns: list[int], errors_s: list[float], share: float
) -> None:
    """With any clocks within their errors."""
    tools.require_true(model, turns, errors_s, share)


@tools.named(
    [
        (torn, "torn"),
        (old_sector, "stale"),
        (early_sector, "not-written"),
        (missing, "missing"),
        (torn_in_the_end, "torn"),
        (old_in_the_end, "stale"),
        (later_in_the_end, "not-written"),
    ]
)
def test_each_planted_defect_is_found(plant: tools.Plant, reason: str) -> None:
    """And named by its reason."""
    tools.require_found(model, plant, reason, NUMBERS)


def test_a_clock_that_may_be_wrong_by_more_than_is_tested_leaves_it_unknown() -> None:
    """Every look may have met a writer."""
    tools.require_clocks_matter(model, torn, NUMBERS)


def test_a_look_that_met_a_writer_may_show_parts_of_two_results() -> None:
    """POSIX promises no atomicity to readers; no reader may see a record older than the last
    acknowledged one.
    """
    reported = model(NUMBERS)
    write = reported.add(0, "write-0", generation=300, slot=0)
    replaced(reported, result_of(0, 300), at=0)
    look = reported.add(2, "read", of=0, slot=0, generations=[300], foreign_sectors=1)
    assert reported.judged().reasons == {"torn": 1}
    write["end_ns"] = look["end_ns"]
    look["generations"] = [3, 300]
    assert reported.judged().reasons == {}
    look["generations"] = [0, 300]
    assert reported.judged().reasons == {"stale": 1}


def test_a_write_that_failed_may_be_done_later() -> None:
    """Also after one that was acknowledged."""
    reported = model(NUMBERS)
    reported.add(0, "write-0", "error", generation=297, slot=0, errno="EIO")
    reported.add(0, "write-0", generation=300, slot=0)
    replaced(reported, result_of(0, 300), at=0)
    reported.add(2, "read", of=0, slot=0, generations=[297, 300], foreign_sectors=0)
    assert reported.judged().reasons == {}


def test_an_unacknowledged_write_may_be_present_in_part() -> None:
    """Each sector is old or new; an even older one is a violation here, too."""
    reported = model(NUMBERS)
    reported.add(0, "write-0", "error", generation=300, slot=0, errno="EIO")
    replaced(reported, result_of(0, 300)[4096:8192])
    found = reported.judged()
    assert (found.violations, found.unknowns, found.checked["torn, and not acknowledged"]) == (
        [],
        [],
        1,
    )
    replaced(reported, b"x" * 512)
    tools.require_unknown(reported, "writer-failed")
    replaced(reported, result_of(0, 0)[4096:8192])
    assert set(reported.judged().reasons) == {"stale"}


def test_the_last_write_of_a_client_that_lost_power_may_be_present_in_part() -> None:
    """The write was not recorded."""
    reported = model([0] * 6)
    reported.ended = False
    replaced(reported, result_of(0, 9)[4096:8192])
    found = reported.judged(lost_power=frozenset({"c0", "c1", "c2"}))
    assert (found.violations, found.checked["torn, and not acknowledged"]) == ([], 1)


def test_a_slot_is_read_as_the_agent_writes_it() -> None:
    """Sectors of another client, slot or place are invalid."""
    file = result_of(2, 3) + result_of(2, 4) + result_of(2, 5)
    assert examine(RUN, 2, 1, file) == Sectors((4,), 0)
    assert examine(RUN, 1, 1, file) == Sectors((), 128)
    assert examine(RUN, 2, 0, file[512:]) == Sectors((), 128)
    assert examine(RUN, 2, 0, b"") == Sectors((), 128)
