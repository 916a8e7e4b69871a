"""A good result with one falsified fact: the check that depends on it no longer passes.

The stored result passed every criterion. Each falsification changes one line by a random amount.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.judge.base import run_checkers
from seatrial.judge.checks import recovery, spread
from seatrial.judge.judge import study_of
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES
from tests.builders.moments import taken
from tests.builders.results import phase
from tests.builders.stored import KEPT

Line = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]
Falsify = Callable[[list[Line], Draw], None]
AS_IT_IS = [json.loads(line) for line in (KEPT / LINES).read_text().splitlines()]
STUDY = study_of(read_result(KEPT))


def of(lines: list[Line], kind: str, draw: Draw) -> Line:
    """One of the lines of a kind."""
    found: Line = draw(st.sampled_from([line for line in lines if line["type"] == kind]))
    return found


def one(draw: Draw, items: Any) -> Any:
    """One of a list, or of a mapping's values."""
    return draw(st.sampled_from(list(items.values()) if isinstance(items, dict) else list(items)))


def panic(lines: list[Line]) -> Line:
    """The fault with a fencing in it."""
    return next(line for line in lines if line["type"] == "fault" and line["name"] == "panic")


# ---- the answers of a stream


def longer_outage(lines: list[Line], draw: Draw) -> None:
    """One stream was silent for longer than the fault allows."""
    fault = of(lines, "fault", draw)
    start_s = fault["injected_unix_s"] + draw(st.floats(0, 3))
    end_s = start_s + fault["expect"]["outage"] + draw(st.floats(0.2, 600))
    one(draw, fault["streams"])["outages"].append(
        {"task": None, "start_unix_s": start_s, "end_unix_s": end_s, "open": draw(st.booleans())}
    )


def lost_stream(lines: list[Line], draw: Draw) -> None:
    """One stream has an unknown end."""
    one(draw, of(lines, "fault", draw)["streams"])["lost"] = "no word from its agent"


def failed_fault(lines: list[Line], draw: Draw) -> None:
    """The fault was not completed."""
    of(lines, "fault", draw)["failed"] = "srv1 was not heard of"


def error(lines: list[Line], draw: Draw) -> None:
    """A client got an error that the fault may not give."""
    name = draw(st.sampled_from(["EIO", "ESTALE", "ENOSPC", "EACCES"]))
    stream = one(draw, of(lines, "fault", draw)["streams"])
    stream["errors"].append(
        {"name": name, "operation": "write", "count": draw(st.integers(1, 999))}
    )


# ---- who served


def other_course(lines: list[Line], draw: Draw) -> None:
    """The service failed over unexpectedly, or stayed unexpectedly; it was not healthy at the
    end, or its health is unknown.
    """
    fault = of(lines, "fault", draw)
    key, value = draw(
        st.sampled_from(
            [
                ("moved", not fault["moved"]),
                ("moved", None),
                ("recovered_unix_s", None),
                ("healthy", False),
            ]
        )
    )
    fault[key] = value


# ---- what the array and the power log saw


def written_before_fenced(lines: list[Line], draw: Draw) -> None:
    """The new server wrote before the old one was off."""
    spans = panic(lines)["writers"]["srv1"]
    spans[0]["start_unix_s"] -= draw(st.floats(13, 20))


def written_by_the_fenced(lines: list[Line], draw: Draw) -> None:
    """The old server wrote once more while the new one did."""
    start_s = 1795445165.13 + draw(st.floats(1, 18))
    span = {
        "volume": "data",
        "start_unix_s": start_s,
        "end_unix_s": start_s + draw(st.floats(2, 5)),
        "bytes": 4096,
    }
    panic(lines)["writers"]["srv2"].append(span)


def no_witness(lines: list[Line], draw: Draw) -> None:
    """The array's counters, the power log, or the servers' records of their starts are missing."""
    fault = panic(lines)
    missing: dict[str, Any] = {"writers_watched": None, "writers": {}, "power": [], "moments": []}
    key = draw(st.sampled_from(sorted(missing)))
    fault[key] = missing[key]


def switched_off_later(lines: list[Line], draw: Draw) -> None:
    """It was off only when the other served already."""
    for event in panic(lines)["power"]:
        event["unix_s"] += draw(st.floats(12, 60))


# ---- the content of the storage


def lost_block(lines: list[Line], draw: Draw) -> None:
    """A block or a name that was acknowledged is not there, or is another."""
    found = one(draw, of(lines, "fault", draw)["compared"])
    found[draw(st.sampled_from(["lost", "wrong", "names_wrong"]))] = draw(st.integers(1, 99))


def lost_block_in_the_comparison(lines: list[Line], draw: Draw) -> None:
    """The same in the line of the comparison itself."""
    of(lines, "comparison", draw)[draw(st.sampled_from(["lost", "wrong"]))] = draw(
        st.integers(1, 99)
    )


def spoiled_copy(lines: list[Line], draw: Draw) -> None:
    """A block of dd's copy is zero."""
    found = one(draw, of(lines, "fault", draw)["copies"])
    extent = {
        "verdict": "zero",
        "offset": draw(st.integers(0, 79)) * 4096,
        "length": 4096,
        "size_bytes": 4096,
    }
    found["damage"].append(extent)
    found["extents"]["zero"] = {"number": 1, "size_bytes": 4096}


def not_compared(lines: list[Line], draw: Draw) -> None:
    """Nothing was compared after a fault."""
    fault = of(lines, "fault", draw)
    fault["compared"] = {}
    fault["not_compared"] = "no client could read"


# ---- the rest


def changed_step(lines: list[Line], draw: Draw) -> None:
    """A step of the second deploy had something to do, or nothing is known of it."""
    deploy = [line for line in lines if line["type"] == "deploy"][1]
    if draw(st.booleans()):
        one(draw, deploy["results"])["result"] = "changed"
    else:
        deploy["results"] = []


def violation(lines: list[Line], draw: Draw) -> None:
    """Two clients saw data that no single storage could have shown them."""
    found = one(draw, of(lines, "fault", draw)["consistency"])
    found["violations_count"] = draw(st.integers(1, 9))
    found["violations"] = [{"what": "two holders of one lock"}]


def nothing_seen(lines: list[Line], draw: Draw) -> None:
    """A consistency test in which nothing happened."""
    found = one(draw, of(lines, "fault", draw)["consistency"])
    found["checked"] = {}


def too_fast(lines: list[Line], draw: Draw) -> None:
    """More arrived than the links carry."""
    phase = of(lines, "phase", draw)
    factor = phase["bound_bytes_per_s"] / phase["natural_bytes_per_s"] * draw(st.floats(1.3, 50))
    for client in phase["clients"]:
        client["size_bytes"] = int(client["size_bytes"] * factor)
        client["tasks"] = [[int(size * factor), *rest] for size, *rest in client["tasks"]]
    for key in [
        key
        for key in phase
        if key.endswith("bytes_per_s") and "bound" not in key and "predicted" not in key
    ]:
        phase[key] *= factor


def small_packets(lines: list[Line], draw: Draw) -> None:
    """A path that does not carry the packets of the other paths."""
    found = one(draw, of(lines, "baselines", draw)["found"])
    found["value"], found["error"] = draw(st.sampled_from([(0.0, ""), (None, "no answer")]))


FALSIFIED: list[tuple[str, Falsify]] = [
    ("outages", longer_outage),
    ("outages", lost_stream),
    ("outages", failed_fault),
    ("as-expected", failed_fault),
    ("as-expected", error),
    ("as-expected", other_course),
    ("fenced", written_before_fenced),
    ("fenced", written_by_the_fenced),
    ("fenced", no_witness),
    ("fenced", switched_off_later),
    ("intact", lost_block),
    ("intact", lost_block_in_the_comparison),
    ("intact", spoiled_copy),
    ("intact", not_compared),
    ("deploy-twice", changed_step),
    ("consistent", violation),
    ("consistent", nothing_seen),
    ("within-bounds", too_fast),
    ("sound", small_packets),
]


def verdicts(lines: list[Line]) -> dict[str, str]:
    """The verdicts of every acceptance criterion."""
    return {item.claim: item.verdict for item in run_checkers(STUDY, Result(KEPT, tuple(lines)))}


def test_every_criterion_passes_unchanged() -> None:
    """And every one of them has a fact that is falsified here."""
    found = verdicts(AS_IT_IS)
    assert set(found.values()) == {"pass"}
    assert set(found) == {claim for claim, _ in FALSIFIED}


@pytest.mark.parametrize(
    ("claim", "falsify"), FALSIFIED, ids=[f"{claim}-{it.__name__}" for claim, it in FALSIFIED]
)
@settings(max_examples=20)
@given(data=st.data())
def test_a_falsified_fact_leaves_no_pass(claim: str, falsify: Falsify, data: st.DataObject) -> None:
    """Whichever fault, stream or amount it is."""
    lines = copy.deepcopy(AS_IT_IS)
    falsify(lines, data.draw)
    assert verdicts(lines)[claim] != "pass"


# ---- the two checks that the kept result does not claim


@given(early_s=st.floats(2.0, 60.0))
def test_a_journal_that_was_replayed_too_early_leaves_no_pass(early_s: float) -> None:
    """Before its node was off, by any time; it was off 1.7 s before in the good one."""
    assert recovery.judge(taken()).verdict == "pass"
    assert recovery.judge(taken(at_s=107.0 - early_s)).verdict == "fail"


@given(late_s=st.floats(2.0, 60.0), missing=st.booleans())
def test_a_node_that_was_off_too_late_or_never_leaves_no_pass(late_s: float, missing: bool) -> None:
    """By the power log, which is the witness."""
    (event,) = taken().power
    power = () if missing else ({**event, "unix_s": event["unix_s"] + late_s},)
    assert recovery.judge(taken(power=power)).verdict != "pass"


@given(
    rates=st.lists(st.floats(9.9e6, 10.1e6), min_size=3, max_size=5), factor=st.floats(1.7, 20.0)
)
def test_an_outlying_repeat_leaves_no_pass(rates: list[float], factor: float) -> None:
    """Above the allowed 20 %; the other repeats are within 2 %."""

    def spread_of(values: list[float]) -> str:
        phases = [phase(value, repeat=number) for number, value in enumerate(values, start=1)]
        result = Result(KEPT, tuple({"type": "phase", **asdict(item)} for item in phases))
        return spread.check(result, spread.Options(below=0.2)).verdict

    assert spread_of(rates) == "pass"
    assert spread_of([*rates[:-1], rates[-1] * factor]) != "pass"
