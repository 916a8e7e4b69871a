"""`hard-links`, `retried`, `synced-names`, `tmpfile`: legal histories pass, each planted defect is
a violation.
"""

from typing import Any

import pytest
from hypothesis import given

from seatrial.analysis.histories import Inode
from seatrial.judge.checks.consistency import Options, judge_consistency_test
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from tests.builders import model_histories as tools
from tests.builders.model_histories import ERRORS_S, SHARES, TURNS, Recorded

NUMBERS = [0, 1, 2, 0, 1, 2, 0, 1]


def hard_links(turns: list[int]) -> Recorded:
    """All link to one name after the other; the first wins.

    In odd turns each removes the other name of its file.
    """
    reported = Recorded("hard-links")
    for number, first in enumerate(turns):
        name = f"w{number}"
        removed = bool(number % 2)
        for shift in range(3):
            client = (first + shift) % 3
            item = f"h{client}.{number}"
            won = shift == 0
            reported.add(client, "create", "won", item=item)
            reported.add(client, "link", "won" if won else "exists", item=item, name=name)
            reported.add(client, "links", item=item, links=2 if won else 1)
            if removed:
                reported.add(client, "unlink", item=item)
            links = won + (not removed)
            names = [name] * won + [item] * (not removed)
            reported.inodes.update({each: Inode(0, links) for each in names})
    return reported


def won_twice(reported: Recorded) -> None:
    """Two clients have the name."""
    reported.last("link", outcome="exists")["outcome"] = "won"
    reported.last("links", links=1)["links"] = 2


def won_by_none(reported: Recorded) -> None:
    """Each client gets the answer that the name exists, and none of them has it."""
    reported.last("link", outcome="won")["outcome"] = "exists"
    reported.last("links", links=2)["links"] = 1


def denied(reported: Recorded) -> None:
    """EEXIST, and the link count shows that it was created."""
    reported.last("link", outcome="won")["outcome"] = "exists"


def not_counted(reported: Recorded) -> None:
    """A link that is not counted."""
    reported.last("links", links=2)["links"] = 1


def counted_in_the_end(reported: Recorded) -> None:
    """A count that is too high in the end."""
    name = reported.last("link", outcome="won")["name"]
    reported.inodes[name] = Inode(0, reported.inodes[name].links + 1)


def name_lost(reported: Recorded) -> None:
    """A created name is missing."""
    reported.inodes.pop(reported.last("link", outcome="won")["name"])


def name_stays(reported: Recorded) -> None:
    """A removed name exists."""
    reported.inodes[reported.last("unlink")["item"]] = Inode(0, 1)


def link_from_nowhere(reported: Recorded) -> None:
    """A name that no client asked for."""
    reported.inodes["w4711"] = Inode(0, 1)


def retried(turns: list[int]) -> Recorded:
    """Each makes, renames and removes its own."""
    reported = Recorded("retried")
    for number, client in enumerate(turns):
        item = f"{client}.{number}"
        reported.add(client, "mkdir", item=item)
        reported.add(client, "rename", item=item)
        if number % 2:
            reported.add(client, "rmdir", item=item)
        reported.add(client, "create", item=item)
        if number % 2:
            reported.add(client, "unlink", item=item)
        else:
            reported.inodes.update({f"e{item}": Inode(4096, 2), f"f{item}": Inode(0, 1)})
    return reported


def mkdir_exists(reported: Recorded) -> None:
    """EEXIST of a name that no other client uses."""
    reported.last("mkdir")["outcome"] = "exists"


def rmdir_missing(reported: Recorded) -> None:
    """ENOENT of an existing directory."""
    reported.last("rmdir")["outcome"] = "missing"


def rename_missing(reported: Recorded) -> None:
    """ENOENT of an existing directory."""
    reported.last("rename")["outcome"] = "missing"


def unlink_undone(reported: Recorded) -> None:
    """A removed file exists at the end."""
    reported.inodes[f"f{reported.last('unlink')['item']}"] = Inode(0, 1)


def rename_undone(reported: Recorded) -> None:
    """A directory that was renamed has its old name in the end."""
    name = next(name for name in reported.inodes if name.startswith("e"))
    reported.inodes[f"d{name[1:]}"] = reported.inodes.pop(name)


def made_by_none(reported: Recorded) -> None:
    """A name that no client asked for."""
    reported.inodes["d9.9"] = Inode(0, 1)


def synced(turns: list[int]) -> Recorded:
    """Each client creates own files."""
    reported = Recorded("synced-names")
    for number, client in enumerate(turns):
        item = f"{client}.{number}"
        size = 100 + number
        reported.add(client, "publish", item=item, renamed=bool(number % 2), size_bytes=size)
        reported.inodes[f"s{item}"] = Inode(size, 1)
    for client in range(3):
        reported.add(client, "publish", item=f"{client}.99", renamed=False, size_bytes=199)
        reported.inodes[f"s{client}.99"] = Inode(199, 1)
    return reported


def synced_lost(reported: Recorded) -> None:
    """A file that was synced is not there."""
    reported.inodes.pop(f"s{reported.last('publish', renamed=True)['item']}")


def synced_empty(reported: Recorded) -> None:
    """It exists, and is empty."""
    reported.inodes[f"s{reported.last('publish', renamed=False)['item']}"] = Inode(0, 1)


def old_name_too(reported: Recorded) -> None:
    """It has its old name, too."""
    reported.inodes[f"t{reported.last('publish', renamed=True)['item']}"] = Inode(100, 1)


def publish_exists(reported: Recorded) -> None:
    """EEXIST of a name that no other client creates."""
    reported.last("publish")["outcome"] = "exists"


def synced_by_none(reported: Recorded) -> None:
    """A name that no client asked for."""
    reported.inodes["s9.9"] = Inode(0, 1)


def tmpfile(turns: list[int]) -> Recorded:
    """Each links files that had no name, and closes others without one."""
    reported = Recorded("tmpfile")
    for number, client in enumerate(turns):
        if number % 2:
            reported.add(client, "drop", item=f"{client}.{number}", size_bytes=100)
            continue
        reported.add(client, "publish", item=f"{client}.{number}", size_bytes=100 + number)
        reported.inodes[f"u{client}.{number}"] = Inode(100 + number, 1)
    return reported


def linked_lost(reported: Recorded) -> None:
    """A file that was linked is not there."""
    reported.inodes.pop(f"u{reported.last('publish')['item']}")


def linked_empty(reported: Recorded) -> None:
    """It exists, and is empty."""
    reported.inodes[f"u{reported.last('publish')['item']}"] = Inode(0, 1)


def linked_twice(reported: Recorded) -> None:
    """Its link count is too high."""
    item = reported.last("publish")
    reported.inodes[f"u{item['item']}"] = Inode(item["size_bytes"], 2)


def dropped_stays(reported: Recorded) -> None:
    """A file that was closed without a name has one."""
    reported.inodes[f"u{reported.last('drop')['item']}"] = Inode(100, 1)


MODELS: dict[str, tools.Model] = {
    "hard-links": hard_links,
    "retried": retried,
    "synced-names": synced,
    "tmpfile": tmpfile,
}
DEFECTS: list[tuple[str, tools.Plant, str]] = [
    ("hard-links", won_twice, "won-twice"),
    ("hard-links", won_by_none, "won-by-none"),
    ("hard-links", denied, "denied-though-done"),
    ("hard-links", not_counted, "wrong-count"),
    ("hard-links", counted_in_the_end, "wrong-count"),
    ("hard-links", name_lost, "lost"),
    ("hard-links", name_stays, "not-removed"),
    ("hard-links", link_from_nowhere, "no-cause"),
    ("retried", mkdir_exists, "no-cause"),
    ("retried", rmdir_missing, "no-cause"),
    ("retried", rename_missing, "no-cause"),
    ("retried", unlink_undone, "not-done"),
    ("retried", rename_undone, "not-done"),
    ("retried", made_by_none, "not-done"),
    ("synced-names", synced_lost, "lost"),
    ("synced-names", synced_empty, "wrong-size"),
    ("synced-names", old_name_too, "both-names"),
    ("synced-names", publish_exists, "no-cause"),
    ("synced-names", synced_by_none, "stranger"),
    ("tmpfile", linked_lost, "lost"),
    ("tmpfile", linked_empty, "wrong-size"),
    ("tmpfile", linked_twice, "wrong-count"),
    ("tmpfile", dropped_stays, "stranger"),
    ("tmpfile", publish_exists, "no-cause"),
]


@pytest.mark.parametrize("kind", list(MODELS))
@given(turns=TURNS, errors_s=ERRORS_S, share=SHARES)
def test_a_true_storage_is_never_accused(
    kind: str, turns: list[int], errors_s: list[float], share: float
) -> None:
    """With any clocks within their errors."""
    tools.require_true(MODELS[kind], turns, errors_s, share)


@pytest.mark.parametrize(
    ("kind", "plant", "reason"), DEFECTS, ids=[f"{item[0]}-{item[1].__name__}" for item in DEFECTS]
)
def test_each_planted_defect_is_found(kind: str, plant: tools.Plant, reason: str) -> None:
    """And named by its reason."""
    tools.require_found(MODELS[kind], plant, reason, NUMBERS)


def slow(reported: Recorded, op: str) -> None:
    """Each took so long that it may have been sent again."""
    for event in (
        event for events in reported.events.values() for event in events if event["op"] == op
    ):
        event["end_ns"] = event["begin_ns"] + 0.3


@pytest.mark.parametrize(
    ("kind", "plant", "op"),
    [
        ("hard-links", denied, "link"),
        ("retried", mkdir_exists, "mkdir"),
        ("retried", rename_missing, "rename"),
        ("synced-names", publish_exists, "publish"),
        ("tmpfile", publish_exists, "publish"),
    ],
)
def test_the_effect_of_a_lost_answer_is_unknown(kind: str, plant: tools.Plant, op: str) -> None:
    """Inside the outage, where the call took long enough to be sent again; a waiver lets it decide
    nothing.
    """
    reported = MODELS[kind](NUMBERS)
    plant(reported)
    slow(reported, op)
    reported.disturbed = (reported.now_s - 1.0, reported.now_s)
    tools.require_unknown(reported, "sent-again")
    found: Any = {"consistency_test": kind, **reported.judged().to_json()}
    assert (
        judge_consistency_test(found, Options(ambiguous_errors="waive")).verdict
        == PASS_WITH_WAIVERS
    )
    reported.disturbed = (reported.now_s + 5, reported.now_s + 9)
    assert reported.judged().violations


def test_a_link_count_shows_the_winner_after_a_lost_answer() -> None:
    """No name counts as won by no client, or by two."""
    reported = hard_links(NUMBERS)
    denied(reported)
    slow(reported, "link")
    reported.disturbed = (reported.now_s - 1.0, reported.now_s)
    assert "won-by-none" not in reported.judged().reasons


@pytest.mark.parametrize(("kind", "op"), [("retried", "create"), ("hard-links", "links")])
def test_a_failed_operation_may_have_happened(kind: str, op: str) -> None:
    """Its presence at the end is then no violation."""
    reported = MODELS[kind](NUMBERS[:3])
    event = reported.last(op)
    event.update(outcome="error", errno="EIO")
    for name in (f"f{event['item']}", event["item"]):
        reported.inodes.pop(name, None)
    found = reported.judged()
    assert (found.violations, "writer-failed" in found.reasons) == ([], kind == "hard-links")


@pytest.mark.parametrize("kind", list(MODELS))
def test_a_client_that_lost_its_power_is_followed_to_its_end(kind: str) -> None:
    """Of its last operation nothing is known; that it has no end is no news."""
    reported = MODELS[kind](NUMBERS)
    reported.ended = False
    about: dict[str, Any] = {"lost_power": frozenset({"c0", "c1", "c2"})}
    assert reported.judged(**about).violations == []
    link_from_nowhere(reported)
    found = reported.judged(**about)
    assert (found.violations, found.checked["made by what was not noted"]) == ([], 1)


@pytest.mark.parametrize(("kind", "plant"), [("hard-links", name_lost), ("retried", rename_undone)])
def test_a_crash_may_undo_unsynced_operations(kind: str, plant: tools.Plant) -> None:
    """By a client that keeps the journal itself, shortly before its crash; never synced data."""
    reported = MODELS[kind](NUMBERS)
    plant(reported)
    everyone = frozenset({"c0", "c1", "c2"})
    about: dict[str, Any] = {"lost_power": everyone, "forgetful": everyone}
    reported.disturbed = (reported.now_s, reported.now_s + 9)
    found = reported.judged(**about)
    assert (found.violations, found.checked["undone by a crash"] > 0) == ([], True)
    reported.disturbed = (reported.now_s + 90, reported.now_s + 99)
    assert reported.judged(**about).violations


def test_synced_data_survive_every_crash() -> None:
    """Also of a client that keeps the journal itself."""
    reported = synced(NUMBERS)
    synced_lost(reported)
    everyone = frozenset({"c0", "c1", "c2"})
    reported.disturbed = (reported.now_s, reported.now_s + 9)
    assert reported.judged(lost_power=everyone, forgetful=everyone).reasons == {"lost": 1}


def test_a_file_system_that_has_no_such_files_leaves_it_unknown() -> None:
    """NFS, CephFS and GFS2 have none."""
    reported = Recorded("tmpfile")
    for number in range(6):
        op = "drop" if number % 2 else "publish"
        reported.add(0, op, "unsupported", item=f"0.{number}", size_bytes=100, errno="EOPNOTSUPP")
    tools.require_unknown(reported, "unsupported")
