"""The nodes of a GFS2 cluster: their state, their messages, and whether a journal was replayed in
time.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.judge.checks import recovery
from seatrial.judge.controls import judge_control
from seatrial.solutions.parts import gfs2_status
from tests.builders.moments import message, taken
from tests.builders.places import CLUSTERS

NODES = tuple(f"c{number}" for number in range(1, 7))
STANDING = (CLUSTERS / "gfs2-whole.txt").read_text()


def test_a_whole_cluster() -> None:
    """Quorate, and every node uses the file system."""
    reported = gfs2_status.read(STANDING, NODES, "c1")
    assert (reported.healthy, reported.text) == (True, "6 of 6 nodes use the file system")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("Quorate:          Yes", "Quorate:          No", "c1 sees no quorum"),
        ("members       1 2 3 4 5 6", "members       1 2 3 4 5", "c6 does not use the file system"),
        ("change        member", "new change    member", "a change of members is under way"),
    ],
)
def test_a_cluster_that_is_not_whole(before: str, after: str, words: str) -> None:
    """Each by its own words."""
    assert before in STANDING
    reported = gfs2_status.read(STANDING.replace(before, after), NODES, "c1")
    assert not reported.healthy
    assert words in reported.text


def test_moments_of_a_panic() -> None:
    """As c1 noted them: lost, fenced, its journal taken over; a journal that a node looks at to
    mount is its own.
    """
    reported = gfs2_status.moments("c1", (CLUSTERS / "gfs2-panic-c1.journal").read_text(), NODES)
    assert [(item.what, item.subject) for item in reported] == [
        ("detected", ""),
        ("membership", ""),
        ("fencing", "c6"),
        ("fencing-failed", "c6"),
        ("fenced", "c6"),
        ("recovering", "journal 3"),
        ("recovered", "journal 3"),
        ("membership", ""),
    ]


@given(st.text(max_size=200))
def test_any_message_can_be_read(text: str) -> None:
    """No message of a node ends a run."""
    gfs2_status.moments("c1", text, NODES)
    assert not gfs2_status.read(text, NODES, "c1").healthy


def crashed(*moments: dict[str, Any]) -> Any:
    """A fault with a crash of c6, and the messages of the others."""
    return taken(
        moments=moments,
        power=({"unix_s": 103.0, "node": "c6", "what": "ended by itself", "by": "c6"},),
    )


JOURNAL = message(107.0, "recovering", "journal 3")


def again(taken_s: float | None, off_s: float | None = 203.0, asked: bool = True) -> Any:
    """After c6, c5 is lost too, in the same fault."""
    first = taken()
    asks = (message(204.6, "fencing", "c5"), message(206.0, "fenced", "c5")) if asked else ()
    journals = () if taken_s is None else (message(taken_s, "recovering", "journal 2"),)
    off = () if off_s is None else ({"unix_s": off_s, "node": "c5", "what": "off", "by": "c5-bmc"},)
    return taken(moments=(*first.moments, *asks, *journals), power=(*first.power, *off))


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (again(207.0), "pass", "c5 was off 4.0 s before the replay of its journal"),
        (again(207.0, asked=False), "pass", "c5 was off 4.0 s before the replay of its journal"),
        (again(150.0, asked=False), "fail", "c1 replayed journal 2 53.0 s before c5 was off"),
        (
            again(150.0, None, asked=False),
            "fail",
            "c1 replayed journal 2, but no further node was off",
        ),
        (again(207.0, None), "fail", "although c5 was never off"),
        (again(None), "unknown", "c5 was off too, but no node logged a recovery"),
        (
            taken(
                moments=tuple(
                    message(300.0 + n, "recovering", f"journal {n}", "c6") for n in range(3)
                )
            ),
            "pass",
            "c6 was",
        ),
        (taken(), "pass", "c6 was off 1.7 s before the replay of its journal"),
        (
            taken(at_s=105.0, fenced_s=104.9),
            "fail",
            "c1 replayed journal 3 0.3 s before c6 was off",
        ),
        (
            taken(fenced_s=108.0),
            "fail",
            "c1 replayed journal 3 before the fencing of c6 was confirmed",
        ),
        (
            crashed(message(104.6, "fencing", "c6"), JOURNAL),
            "fail",
            "before the fencing of c6 was confirmed",
        ),
        (
            crashed(message(104.0, "quorum-lost"), JOURNAL),
            "fail",
            "c1 replayed journal 3 without a quorum",
        ),
        (
            crashed(message(104.0, "quorum-lost"), message(105.0, "fencing", "c6")),
            "fail",
            "fenced c6 without a quorum",
        ),
        (
            crashed(message(104.0, "quorum-lost"), message(106.5, "quorum"), JOURNAL),
            "pass",
            "c6 was off 4.0 s before",
        ),
        (taken(power=()), "fail", "although c6 was never off"),
        (taken(moments=taken().moments[1:2], power=()), "fail", "but no node was off"),
        (taken(moments=taken().moments[:1]), "unknown", "no node logged a recovery"),
        (taken(moments=(), power=()), "pass", "no journal was replayed"),
        (taken(skipped="it cannot be"), "skipped", "skipped, it cannot be"),
    ],
)
def test_a_journal_is_replayed_after_its_node_is_off(found: Any, verdict: str, words: str) -> None:
    """By the power log, and not by the nodes' own view."""
    answer = recovery.judge(found)
    assert (answer.verdict, words in answer.evidence) == (verdict, True), answer


def test_a_detected_control_of_recovery_passes() -> None:
    """A journal that was taken over from a node that lives; one that was not off fails no other
    check's claim.
    """
    expect = {"fails_over": False, "outage": 1.0, "detected_by": ("recovery",)}
    lie = taken(power=(), expect=expect)
    assert judge_control(lie).verdict == "pass"
    assert judge_control(taken(expect=expect)).verdict == "fail"
    assert judge_control(taken(moments=taken().moments[:1], expect=expect)).verdict == "unknown"
