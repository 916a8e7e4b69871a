"""The fields of a result's lines: a run writes all of them, so no pass may rest on a line that
lacks one.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import pytest
from typing_extensions import is_typeddict

from seatrial.result.baselines import Baseline
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.invariants.contradiction import Code
from seatrial.result.phases import ClientResult, PhaseResult
from tests.builders.manifests import element_of, typed_mappings
from tests.builders.whole_results import RESULTS, Line, Whole


@dataclass(frozen=True)
class Place:
    """A mapping within a line, and the names of the fields that it has to have."""

    number: int
    line: str
    path: tuple[str | int, ...]
    names: tuple[str, ...]
    optional: frozenset[str] = frozenset()
    """those that a line may lack"""


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a dataclass."""
    return tuple(item.name for item in fields(kind))


def places(lines: tuple[Line, ...]) -> Iterator[Place]:
    """The first line of each type, and in it the first element of each list that has typed
    elements.
    """
    seen: set[str] = set()
    for number, line in enumerate(lines):
        kind = line["type"]
        if kind in seen:
            continue
        seen.add(kind)
        if kind == "phase":
            yield Place(number, kind, (), names_of(PhaseResult))
            yield Place(number, kind, ("clients", 0), names_of(ClientResult))
        elif kind == "fault":
            yield Place(number, kind, (), names_of(FaultResult))
            yield Place(number, kind, ("streams", 0), names_of(StreamResult))
            yield from parts_of_a_fault(number, line)
        elif kind == "baselines" and line["found"]:
            yield Place(number, kind, ("found", 0), names_of(Baseline))


def parts_of_a_fault(number: int, line: Line) -> Iterator[Place]:
    """The typed mappings of a fault."""
    for field, kind in typed_mappings().items():
        value_type = kind
        path: list[str | int] = [field]
        value = line[field]
        while value and not is_typeddict(value_type):
            key = next(iter(value)) if isinstance(value, dict) else 0
            path.append(key)
            value_type = element_of(value_type)
            value = value[key]
        if value:
            names = tuple(value_type.__annotations__)
            yield Place(number, "fault", tuple(path), names, value_type.__optional_keys__)


def within(line: Line, path: tuple[str | int, ...]) -> Any:
    """The value at a path."""
    value: Any = line
    for step in path:
        value = value[step]
    return value


def without(field: str) -> Callable[[Any], None]:
    """Takes one field of a mapping away."""

    def change(mapping: Any) -> None:
        mapping.pop(field, None)

    return change


def with_another_type(field: str) -> Callable[[Any], None]:
    """Puts a mapping that means nothing into one field."""

    def change(mapping: Any) -> None:
        mapping[field] = {"no": "sense"}

    return change


def changed(good: Whole, place: Place, change: Callable[[Any], None]) -> list[Line]:
    """The lines, with one mapping changed."""
    lines = copy.deepcopy(list(good.lines))
    change(within(lines[place.number], place.path))
    return lines


def defects_of_shape(good: Whole, lines: list[Line], place: Place) -> set[Code]:
    """The defects of the shape of the line at a place, in a result that has only this line, its run
    and its manifest.
    """
    few = [
        line
        for number, line in enumerate(lines)
        if number == place.number or line["type"] in ("run", "manifest")
    ]
    codes = {item.code for item in good.result(few).contradictions}
    return codes & {Code.FIELD_ABSENT, Code.MALFORMED}


@pytest.mark.parametrize("name", RESULTS)
def test_no_field_may_be_absent(whole: Callable[[str], Whole], name: str) -> None:
    """Each field of each typed mapping, one at a time."""
    good = whole(name)
    tried = 0
    for place in places(good.lines):
        assert defects_of_shape(good, list(good.lines), place) == set()
        for field in place.names:
            if field in place.optional:
                continue
            lines = changed(good, place, without(field))
            where = f"{place.line} {place.path} {field}"
            assert defects_of_shape(good, lines, place), where
            tried += 1
    assert tried > len(names_of(PhaseResult))


@pytest.mark.parametrize("name", RESULTS)
def test_no_field_may_have_another_type(whole: Callable[[str], Whole], name: str) -> None:
    """A mapping in place of whatever each field holds."""
    good = whole(name)
    for place in places(good.lines):
        for field in place.names:
            value = within(good.lines[place.number], place.path).get(field)
            if value is None or isinstance(value, dict):
                continue
            lines = changed(good, place, with_another_type(field))
            where = f"{place.line} {place.path} {field}"
            assert defects_of_shape(good, lines, place), where


@pytest.mark.parametrize("name", RESULTS)
def test_a_line_without_a_field_lets_no_claim_pass_that_rests_on_it(
    whole: Callable[[str], Whole],
    name: str,
) -> None:
    """One field for each line: the verdict is unknown."""
    good = whole(name)
    for place in places(good.lines):
        present = [
            name for name in place.names if name in within(good.lines[place.number], place.path)
        ]
        lines = changed(good, place, without(present[-1]))
        assert good.passed(lines) < good.passed(good.lines), f"{place.line} {place.path}"


def test_an_older_result_may_lack_fields(whole: Callable[[str], Whole]) -> None:
    """One without a manifest is of a version that did not have them."""
    good = whole("md1200-nfs-quick")
    lines = [line for line in good.lines if line["type"] != "manifest"]
    phase = next(line for line in lines if line["type"] == "phase")
    lacking = {key: value for key, value in phase.items() if key != "cpus_short_share"}
    older = [lacking if line is phase else line for line in lines]
    codes = {item.code for item in good.result(older).contradictions}
    assert Code.FIELD_ABSENT not in codes
