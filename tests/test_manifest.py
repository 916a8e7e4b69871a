"""The manifest: missing or duplicate evidence leaves no pass."""

import copy
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.judge.base import _CHECKS as CHECKS
from seatrial.judge.base import checker_names
from seatrial.judge.checker import rests_on
from seatrial.judge.flaws import EVERYTHING
from seatrial.judge.judge import exit_code, judge, study_of
from seatrial.judge.missing import completeness
from seatrial.result.manifest import RUN_KEY, Manifest, plain, sum_of
from seatrial.result.result import read_result
from seatrial.result.sealed import LINES, seal
from tests.builders.whole_results import (
    ALL,
    OF_FAULTS,
    OF_PHASES,
    RESTED_ON,
    RESULTS,
    STUDIED,
    Line,
    Whole,
)

# ---- a good one


@pytest.mark.parametrize("name", RESULTS)
def test_nothing_is_missing_in_a_good_result(whole: Callable[[str], Whole], name: str) -> None:
    """And every claim passes."""
    good = whole(name)
    result = read_result(good.folder)
    found = completeness(study_of(result), result)
    assert [flaw.words for flaw in found.flaws] == []
    assert not found.is_derived
    assert good.passed(good.lines) == {claim.check for claim in study_of(result).criteria}
    assert exit_code(result, judge(result)) == 0


@pytest.mark.parametrize("name", RESULTS)
def test_a_manifest_is_read_back_unchanged(whole: Callable[[str], Whole], name: str) -> None:
    """From its line; the line `run` has its checksum."""
    line = whole(name).lines[1]
    found = Manifest.from_json(line)
    assert plain(found.to_json()) == {
        key: value for key, value in line.items() if key not in ("type", "unix_s")
    }
    assert sum_of(found.to_json()) == whole(name).lines[0][RUN_KEY]


# ---- one thing gone, or twice


SOAK = "SEATRIAL_SOAK" in os.environ
MANY = 30
"""of a longer list, as that of the steps of a deployment, every tenth element is tried; `make soak`
tries each
"""


@dataclass(frozen=True)
class Altered:
    """A result with one part missing or duplicated."""

    what: str
    checks: frozenset[str]
    lines: list[Line]


def altered(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """Each line, and each element of each list and mapping in `RESTED_ON`, missing and
    duplicated.
    """
    for number, line in enumerate(lines):
        kind = line["type"]
        rest = (lines[:number], lines[number + 1 :])
        checks = RESTED_ON.get(kind, frozenset())
        if number:  # without its first line it is no result
            yield Altered(f"{number} {kind} gone", checks, [*rest[0], *rest[1]])
        yield Altered(
            f"{number} {kind} twice", checks, [*rest[0], line, copy.deepcopy(line), *rest[1]]
        )
        for key in (name.partition(".")[2] for name in RESTED_ON if name.startswith(f"{kind}.")):
            for what, value in _without_one(line[key]):
                of_key = RESTED_ON[f"{kind}.{key}"]
                yield Altered(
                    f"{number} {kind} {key}: {what}",
                    of_key,
                    [*rest[0], {**line, key: value}, *rest[1]],
                )


def _without_one(items: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(items, Mapping):
        yield from (
            (f"{name} gone", {key: items[key] for key in items if key != name}) for name in items
        )
        return
    step = 10 if len(items) > MANY and not SOAK else 1
    for index in sorted({*range(0, len(items), step), len(items) - 1} - {-1}):
        item = items[index]
        yield f"{index} gone", [*items[:index], *items[index + 1 :]]
        yield f"{index} twice", [*items[: index + 1], copy.deepcopy(item), *items[index + 1 :]]


@pytest.mark.parametrize("name", RESULTS)
def test_missing_or_duplicate_evidence_leaves_no_pass(
    whole: Callable[[str], Whole], name: str
) -> None:
    """One part at a time, and all of them."""
    good = whole(name)
    kept = {
        found.what: good.passed(found.lines, found.checks)
        for found in altered(good.lines)
        if found.checks
    }
    assert {what: checks for what, checks in kept.items() if checks} == {}
    assert len(kept) > (600 if SOAK else 150)


# ---- more than one thing


def cut(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """The result ends anywhere, and has an end all the same."""
    for number in range(2, len(lines) - 1):
        gone = {
            RESTED_ON_ALL_OF[line["type"]]
            for line in lines[number:-1]
            if line["type"] in RESTED_ON_ALL_OF
        }
        checks = frozenset().union(*gone)
        yield Altered(f"cut before line {number}", checks, [*lines[:number], lines[-1]])


RESTED_ON_ALL_OF = {
    kind: checks for kind, checks in RESTED_ON.items() if "." not in kind and checks != ALL
}


def emptied(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """A whole list or mapping of a line is missing; every line of a kind is."""
    for name, checks in RESTED_ON.items():
        kind, _, key = name.partition(".")
        if key:
            for number, line in enumerate(lines):
                if line["type"] == kind and line[key]:
                    empty: Any = {} if isinstance(line[key], dict) else []
                    changed = [*lines[:number], {**line, key: empty}, *lines[number + 1 :]]
                    yield Altered(f"{number} {name} empty", checks, changed)
        elif kind != "run":
            left = [line for line in lines if line["type"] != kind]
            if len(left) < len(lines):
                yield Altered(f"every {kind} gone", checks, left)


def one_experiment_gone(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """Its line and all of its phases; or all of its phases of one kind but one."""
    for name in (line["name"] for line in lines if line["type"] == "experiment"):
        left = [line for line in lines if name not in (line.get("experiment"), line.get("name"))]
        yield Altered(f"{name} gone", OF_PHASES, left)
    phases = [line for line in lines if line["type"] == "phase"]
    for kind in dict.fromkeys(line["phase"] for line in phases):
        _first, *others = [line for line in phases if line["phase"] == kind]
        if others:
            left = [line for line in lines if all(line is not other for other in others)]
            yield Altered(f"all of {kind} but one gone", OF_PHASES, left)


def one_client_gone(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """Every stream of one client of a fault."""
    for number, line in enumerate(lines):
        rest = lines[:number], lines[number + 1 :]
        if line["type"] == "fault":
            for client in dict.fromkeys(item["client"] for item in line["streams"]):
                streams = [item for item in line["streams"] if item["client"] != client]
                changed = [*rest[0], {**line, "streams": streams}, *rest[1]]
                yield Altered(
                    f"{line['name']}: all of {client} gone", RESTED_ON["fault.streams"], changed
                )


def renamed(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """A good line in place of another, under its name: a fault, a repeat of a phase, a client."""
    faults = [line for line in lines if line["type"] == "fault"]
    phases = [line for line in lines if line["type"] == "phase"]
    for found, keys, checks in (
        (faults, ("name",), OF_FAULTS),
        (phases, ("repeat", "point"), OF_PHASES),
    ):
        for line in found:
            for other in found:
                about = {key: other[key] for key in keys}
                if (
                    line is other
                    or line.get("phase") != other.get("phase")
                    or about == {key: line[key] for key in keys}
                ):
                    continue
                if line.get("experiment") == other.get("experiment"):
                    changed = [{**line, **about} if it is other else it for it in lines]
                    yield Altered(f"{about} is a copy", checks, changed)


def witnesses_gone(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """The power log, the nodes' event logs, or the old server's write log of the fault with a
    fenced server.
    """
    for number, line in enumerate(lines):
        if line["type"] != "fault" or not line["moved"]:
            continue
        old, *_ = line["roles_before"].values()
        writers = {name: items for name, items in line["writers"].items() if name != old}
        for key, value in (("moments", []), ("writers", writers), ("power", [])):
            if line[key]:
                changed = [*lines[:number], {**line, key: value}, *lines[number + 1 :]]
                yield Altered(f"{line['name']}: no {key}", frozenset({"fencing"}), changed)


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize(
    "alter", [cut, emptied, one_experiment_gone, one_client_gone, renamed, witnesses_gone]
)
def test_more_missing_evidence_leaves_no_pass(
    whole: Callable[[str], Whole], name: str, alter: Callable[[tuple[Line, ...]], Iterator[Altered]]
) -> None:
    """As findings had it: whole experiments, all faults but one, all of one client, copies under
    another name.
    """
    good = whole(name)
    kept = {
        found.what: good.passed(found.lines, found.checks)
        for found in alter(good.lines)
        if found.checks
    }
    assert {what: checks for what, checks in kept.items() if checks} == {}


def test_agent_output_is_evidence(whole: Callable[[str], Whole], tmp_path: Path) -> None:
    """Without the lines of one agent its phase shows nothing."""
    good = whole("md1200-nfs-quick")
    for file in ("study.yaml", "published.yaml"):
        (tmp_path / file).write_bytes((good.folder / file).read_bytes())
    (tmp_path / "agent").mkdir()
    names = [path.name for path in (good.folder / "agent").iterdir()]
    for name in names[1:]:
        (tmp_path / "agent" / name).write_text("{}\n")
    (tmp_path / LINES).write_bytes((good.folder / LINES).read_bytes())
    seal(tmp_path)
    assert Whole(tmp_path, good.lines).passed(good.lines) == {"idempotence"}
    (tmp_path / "agent" / names[0]).write_text("{}\n")
    seal(tmp_path)
    assert Whole(tmp_path, good.lines).passed(good.lines) == {"idempotence", *STUDIED}


@pytest.mark.parametrize("name", RESULTS)
def test_unrelated_missing_evidence_leaves_a_pass(whole: Callable[[str], Whole], name: str) -> None:
    """A criterion depends on its own evidence alone: without the baselines, the faults have
    the same verdicts.
    """
    good = whole(name)
    before = good.passed(good.lines)
    for number, line in enumerate(good.lines):
        checks = RESTED_ON.get(line["type"], frozenset())
        if number and checks != ALL:
            left = [*good.lines[:number], *good.lines[number + 1 :]]
            assert good.passed(left) >= before - checks, f"{number} {line['type']}"


def test_a_check_that_declares_nothing_rests_on_everything() -> None:
    """A check of another package; each of ours declares its evidence."""
    assert rests_on(SimpleNamespace()) == EVERYTHING
    for name in checker_names():
        assert rests_on(CHECKS.load(name)) < EVERYTHING
