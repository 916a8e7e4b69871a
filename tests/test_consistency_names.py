"""`hard-links`, `retried`, `synced-names`, `tmpfile`: legal histories pass, each planted defect is a violation."""

from typing import Any

import pytest
from hypothesis import given

from seatrial.analysis.histories import Inode
from seatrial.judge.checks.consistency import Options, judge_consistency_test
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from tests import model_histories as tools
from tests.model_histories import ERRORS_S, SHARES, TURNS, Told

NUMBERS = [0, 1, 2, 0, 1, 2, 0, 1]


def hard_links(turns: list[int]) -> Told:
    """All link to one name after the other; the first wins. In odd turns each removes the other name of its file."""
    told = Told("hard-links")
    for number, first in enumerate(turns):
        name, removed = f"w{number}", bool(number % 2)
        for shift in range(3):
            client = (first + shift) % 3
            item, won = f"h{client}.{number}", shift == 0
            told.add(client, "create", "won", item=item)
            told.add(client, "link", "won" if won else "exists", item=item, name=name)
            told.add(client, "links", item=item, links=2 if won else 1)
            if removed:
                told.add(client, "unlink", item=item)
            links = won + (not removed)
            names = [name] * won + [item] * (not removed)
            told.inodes.update({each: Inode(0, links) for each in names})
    return told


def won_twice(told: Told) -> None:
    """Two clients have the name."""
    told.last("link", outcome="exists")["outcome"] = "won"
    told.last("links", links=1)["links"] = 2


def won_by_none(told: Told) -> None:
    """All are told that the name is there, and none of them has it."""
    told.last("link", outcome="won")["outcome"] = "exists"
    told.last("links", links=2)["links"] = 1


def denied(told: Told) -> None:
    """EEXIST, and the count says that it was done."""
    told.last("link", outcome="won")["outcome"] = "exists"


def not_counted(told: Told) -> None:
    """A link that is not counted."""
    told.last("links", links=2)["links"] = 1


def counted_in_the_end(told: Told) -> None:
    """A count that is too high in the end."""
    name = told.last("link", outcome="won")["name"]
    told.inodes[name] = Inode(0, told.inodes[name].links + 1)


def name_lost(told: Told) -> None:
    """A name that was won is gone."""
    told.inodes.pop(told.last("link", outcome="won")["name"])


def name_stays(told: Told) -> None:
    """A name that was removed is there."""
    told.inodes[told.last("unlink")["item"]] = Inode(0, 1)


def link_from_nowhere(told: Told) -> None:
    """A name that no client asked for."""
    told.inodes["w4711"] = Inode(0, 1)


def retried(turns: list[int]) -> Told:
    """Each makes, renames and removes its own."""
    told = Told("retried")
    for number, client in enumerate(turns):
        item = f"{client}.{number}"
        told.add(client, "mkdir", item=item)
        told.add(client, "rename", item=item)
        if number % 2:
            told.add(client, "rmdir", item=item)
        told.add(client, "create", item=item)
        if number % 2:
            told.add(client, "unlink", item=item)
        else:
            told.inodes.update({f"e{item}": Inode(4096, 2), f"f{item}": Inode(0, 1)})
    return told


def mkdir_exists(told: Told) -> None:
    """EEXIST of a name that nobody else touches."""
    told.last("mkdir")["outcome"] = "exists"


def rmdir_missing(told: Told) -> None:
    """ENOENT of a directory that is there."""
    told.last("rmdir")["outcome"] = "missing"


def rename_missing(told: Told) -> None:
    """ENOENT of a directory that is there."""
    told.last("rename")["outcome"] = "missing"


def unlink_undone(told: Told) -> None:
    """A file that was removed is there in the end."""
    told.inodes[f"f{told.last('unlink')['item']}"] = Inode(0, 1)


def rename_undone(told: Told) -> None:
    """A directory that was renamed has its old name in the end."""
    name = next(name for name in told.inodes if name.startswith("e"))
    told.inodes[f"d{name[1:]}"] = told.inodes.pop(name)


def made_by_none(told: Told) -> None:
    """A name that no client asked for."""
    told.inodes["d9.9"] = Inode(0, 1)


def synced(turns: list[int]) -> Told:
    """Each makes files of its own."""
    told = Told("synced-names")
    for number, client in enumerate(turns):
        item, size = f"{client}.{number}", 100 + number
        told.add(client, "publish", item=item, renamed=bool(number % 2), size_bytes=size)
        told.inodes[f"s{item}"] = Inode(size, 1)
    for client in range(3):
        told.add(client, "publish", item=f"{client}.99", renamed=False, size_bytes=199)
        told.inodes[f"s{client}.99"] = Inode(199, 1)
    return told


def synced_lost(told: Told) -> None:
    """A file that was synced is not there."""
    told.inodes.pop(f"s{told.last('publish', renamed=True)['item']}")


def synced_empty(told: Told) -> None:
    """It is there, and empty."""
    told.inodes[f"s{told.last('publish', renamed=False)['item']}"] = Inode(0, 1)


def old_name_too(told: Told) -> None:
    """It has its old name, too."""
    told.inodes[f"t{told.last('publish', renamed=True)['item']}"] = Inode(100, 1)


def publish_exists(told: Told) -> None:
    """EEXIST of a name that nobody else makes."""
    told.last("publish")["outcome"] = "exists"


def synced_by_none(told: Told) -> None:
    """A name that no client asked for."""
    told.inodes["s9.9"] = Inode(0, 1)


def tmpfile(turns: list[int]) -> Told:
    """Each links files that had no name, and closes others without one."""
    told = Told("tmpfile")
    for number, client in enumerate(turns):
        if number % 2:
            told.add(client, "drop", item=f"{client}.{number}", size_bytes=100)
            continue
        told.add(client, "publish", item=f"{client}.{number}", size_bytes=100 + number)
        told.inodes[f"u{client}.{number}"] = Inode(100 + number, 1)
    return told


def linked_lost(told: Told) -> None:
    """A file that was linked is not there."""
    told.inodes.pop(f"u{told.last('publish')['item']}")


def linked_empty(told: Told) -> None:
    """It is there, and empty."""
    told.inodes[f"u{told.last('publish')['item']}"] = Inode(0, 1)


def linked_twice(told: Told) -> None:
    """Its link count is too high."""
    item = told.last("publish")
    told.inodes[f"u{item['item']}"] = Inode(item["size_bytes"], 2)


def dropped_stays(told: Told) -> None:
    """A file that was closed without a name has one."""
    told.inodes[f"u{told.last('drop')['item']}"] = Inode(100, 1)


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
def test_a_true_storage_is_never_accused(kind: str, turns: list[int], errors_s: list[float], share: float) -> None:
    """Whatever the clocks say within their errors."""
    tools.require_true(MODELS[kind], turns, errors_s, share)


@pytest.mark.parametrize(
    ("kind", "plant", "reason"), DEFECTS, ids=[f"{item[0]}-{item[1].__name__}" for item in DEFECTS]
)
def test_each_planted_defect_is_found(kind: str, plant: tools.Plant, reason: str) -> None:
    """And named by its reason."""
    tools.require_found(MODELS[kind], plant, reason, NUMBERS)


def slow(told: Told, op: str) -> None:
    """Each took so long that it may have been sent again."""
    for event in (event for events in told.events.values() for event in events if event["op"] == op):
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
def test_what_a_lost_answer_explains_is_unknown(kind: str, plant: tools.Plant, op: str) -> None:
    """Inside the outage, where the call took long enough to be sent again; a waiver lets it decide nothing."""
    told = MODELS[kind](NUMBERS)
    plant(told)
    slow(told, op)
    told.disturbed = (told.now_s - 1.0, told.now_s)
    tools.require_unknown(told, "sent-again")
    found = {"consistency_test": kind, **told.judged().to_json()}
    assert judge_consistency_test(found, Options(ambiguous_errors="waive")).verdict == PASS_WITH_WAIVERS
    told.disturbed = (told.now_s + 5, told.now_s + 9)
    assert told.judged().violations


def test_a_link_count_tells_who_won_where_the_answer_was_lost() -> None:
    """No name is taken to be won by nobody, or by two."""
    told = hard_links(NUMBERS)
    denied(told)
    slow(told, "link")
    told.disturbed = (told.now_s - 1.0, told.now_s)
    assert "won-by-none" not in told.judged().reasons


@pytest.mark.parametrize(("kind", "op"), [("retried", "create"), ("hard-links", "links")])
def test_what_failed_may_have_happened_or_not(kind: str, op: str) -> None:
    """What is there in the end is then no violation."""
    told = MODELS[kind](NUMBERS[:3])
    event = told.last(op)
    event.update(outcome="error", errno="EIO")
    for name in (f"f{event['item']}", event["item"]):
        told.inodes.pop(name, None)
    found = told.judged()
    assert (found.violations, "writer-failed" in found.reasons) == ([], kind == "hard-links")


@pytest.mark.parametrize("kind", list(MODELS))
def test_a_client_that_lost_its_power_is_followed_to_its_end(kind: str) -> None:
    """Of its last operation nothing is known; that it has no end is no news."""
    told = MODELS[kind](NUMBERS)
    told.ended = False
    about: dict[str, Any] = {"lost_power": frozenset({"c0", "c1", "c2"})}
    assert told.judged(**about).violations == []
    link_from_nowhere(told)
    found = told.judged(**about)
    assert (found.violations, found.checked["made by what was not noted"]) == ([], 1)


@pytest.mark.parametrize(("kind", "plant"), [("hard-links", name_lost), ("retried", rename_undone)])
def test_what_was_not_synced_may_be_undone_by_its_own_crash(kind: str, plant: tools.Plant) -> None:
    """Of a client that keeps the journal itself, not long before its crash; never what was synced."""
    told = MODELS[kind](NUMBERS)
    plant(told)
    everyone = frozenset({"c0", "c1", "c2"})
    about: dict[str, Any] = {"lost_power": everyone, "forgetful": everyone}
    told.disturbed = (told.now_s, told.now_s + 9)
    found = told.judged(**about)
    assert (found.violations, found.checked["undone by a crash"] > 0) == ([], True)
    told.disturbed = (told.now_s + 90, told.now_s + 99)
    assert told.judged(**about).violations


def test_what_was_synced_survives_every_crash() -> None:
    """Also that of a client that keeps the journal itself."""
    told = synced(NUMBERS)
    synced_lost(told)
    everyone = frozenset({"c0", "c1", "c2"})
    told.disturbed = (told.now_s, told.now_s + 9)
    assert told.judged(lost_power=everyone, forgetful=everyone).reasons == {"lost": 1}


def test_a_file_system_that_has_no_such_files_leaves_it_unknown() -> None:
    """NFS, CephFS and GFS2 have none."""
    told = Told("tmpfile")
    for number in range(6):
        op = "drop" if number % 2 else "publish"
        told.add(0, op, "unsupported", item=f"0.{number}", size_bytes=100, errno="EOPNOTSUPP")
    tools.require_unknown(told, "unsupported")
