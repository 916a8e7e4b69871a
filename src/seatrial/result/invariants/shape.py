"""Whether a line has every field that a run writes, and each of its type.

A run of this version writes every field of its types, so an absent one was taken out. Records
without a manifest are older and may lack fields that came later. These are not examined.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter, ValidationError

from seatrial.result.baselines import Baseline
from seatrial.result.faults import FaultResult
from seatrial.result.invariants.contradiction import Code, Contradiction, Subject
from seatrial.result.phases import PhaseResult

LINE_KEYS = frozenset({"type", "unix_s"})
"""the keys that every line has in addition to its fields"""


def of_shape(line: Mapping[str, Any], where: str) -> Iterator[Contradiction]:
    """The missing fields of a line of a phase, a fault or the baselines, and those of
    another type.
    """
    kind = str(line["type"])
    if not line.keys() >= LINE_KEYS:
        yield Contradiction(Code.FIELD_ABSENT, Subject.RUN, where, "unix_s is absent")
    if kind == "phase":
        yield from _of_type(PhaseResult, _own_fields(line), Subject.PHASE, where)
    elif kind == "fault":
        yield from _of_type(FaultResult, _own_fields(line), Subject.FAULT, where)
    elif kind == "baselines":
        baselines = line.get("found")
        for item in baselines if isinstance(baselines, list) else [baselines]:
            yield from _of_type(Baseline, item, Subject.BASELINE, where)


def _own_fields(line: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key not in LINE_KEYS}


def _of_type(kind: type, value: Any, subject: Subject, where: str) -> Iterator[Contradiction]:
    for path in _absent(kind, value):
        yield Contradiction(Code.FIELD_ABSENT, subject, where, f"{path} is absent")
    yield from _mistyped(kind, value, subject, where)


def _mistyped(kind: Any, value: Any, subject: Subject, where: str) -> Iterator[Contradiction]:
    """The first place where a value is not of its type."""
    try:
        _adapter(kind).validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        yield Contradiction(Code.MALFORMED, subject, where, f"{path}: {first['msg']}")


@lru_cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _absent(kind: Any, value: Any, path: str = "") -> Iterator[str]:
    """The path of each missing field, of a dataclass and of those within it."""
    if isinstance(value, list):
        element = _element(kind)
        for part in value if element is not None else ():
            yield from _absent(element, part, path)
    elif isinstance(value, dict):
        for name, field_type in _typed_fields(kind):
            here = f"{path}.{name}" if path else name
            if name not in value:
                yield here
            else:
                yield from _absent(field_type, value[name], here)


@lru_cache
def _typed_fields(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The name and the type of each field of a dataclass; nothing of another type."""
    if not is_dataclass(kind):
        return ()
    hints = get_type_hints(kind)
    return tuple((item.name, hints[item.name]) for item in fields(kind))


@lru_cache
def _element(kind: Any) -> Any:
    """The dataclass of the elements of a type such as `tuple[Evidence, ...]`, or None."""
    if is_dataclass(kind):
        return kind
    elements = (_element(part) for part in get_args(kind))
    return next((part for part in elements if part is not None), None)
