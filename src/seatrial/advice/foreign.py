"""Types and text helpers for readers of other programs' results.

A reader is one file in `advice/imports/`. It offers `recognises(text) -> bool`, `version(text) ->
str` and `read(text) -> Reading`. It gets a text without the labels of a launcher, with line feeds
as line ends. `advice/importing.py` creates the result.

Missing values are not invented: no clients' parts, no bounds, no verdicts. A rate is the program's
figure for all tasks together. Where it prints several, the rate over the time of the slowest task
counts.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from seatrial.basics.units import format_size

PROFILE = "imported"
KIB = 2**10
MIB = 2**20
GIB = 2**30
_SUFFIXES = {"": 1, "b": 1, "k": 10, "m": 20, "g": 30, "t": 40}
Access = Literal["shared file", "file per process"]


@dataclass(frozen=True)
class Line:
    """One line of a text; the first line has the number 1."""

    number: int
    text: str


@dataclass(frozen=True)
class Foreign:
    """One phase of one repeat, as another program printed it.

    None: the program did not print it.
    """

    phase: str
    """`write`, `read`, `mixed`, or a metadata operation, as in a workload"""
    test: str
    """the program's own name of it"""
    bytes_per_s: float | None = None
    operations_per_s: float | None = None
    pattern: str | None = None
    transfer_bytes: int | None = None
    clients: int | None = None
    tasks: int | None = None
    """of all clients together"""
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    """of one operation: `p50`, `p99`, `max`"""
    queue_depth: int | None = None
    api: str | None = None
    """how the program reached the storage: `POSIX`, `MPIIO`, `libaio`"""
    file_bytes: int | None = None
    """of one file"""
    direct: bool | None = None
    """O_DIRECT"""
    access: Access | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """other settings that make a different point: `{"fsync": "1"}`, in the program's own words"""
    moved_bytes: int | None = None
    moved_operations: int | None = None
    elapsed_s: float | None = None
    """of the slowest task: with the two above, results of several nodes can be put together"""
    iteration: int | None = None
    """which repetition it is, where the program counts them"""
    section: int = 0
    """which run of its text it belongs to"""
    problem: str | None = None
    """the program's own report of an error or invalid result: the result is kept, and
    never valid
    """
    line: int | None = None
    """where it is in its text"""

    @property
    def point(self) -> dict[str, Any]:
        """The values that distinguish two points, as in the result. Sizes are texts: `4KiB`."""
        printed = {
            "test": self.test,
            "pattern": self.pattern,
            "transfer_size": _size_text(self.transfer_bytes),
            "clients": self.clients,
            "tasks": self.tasks,
            "queue_depth": self.queue_depth,
            "api": self.api,
            "file_size": _size_text(self.file_bytes),
            "direct": self.direct,
            "access": self.access,
        }
        others = {key: value for key, value in sorted(self.settings.items()) if key not in printed}
        return {key: value for key, value in {**printed, **others}.items() if value is not None}


@dataclass(frozen=True)
class Reading:
    """The results that a reader found in one text."""

    results: tuple[Foreign, ...]
    not_understood: tuple[Line, ...] = ()
    """lines of a results section that the reader could not use"""
    notes: tuple[str, ...] = ()
    """sentences on omitted parts, and why"""


class ReaderError(ValueError):
    """A text cannot be read; `line` is the number of the line, where it is known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Section:
    """A part of a text that belongs to one run."""

    number: int
    first_line: int
    """the number of its first line in the whole text"""
    text: str

    def lines(self) -> Iterator[Line]:
        """Its lines, with their numbers in the whole text."""
        for number, text in enumerate(self.text.split("\n"), start=self.first_line):
            yield Line(number, text)


def sections(text: str, start: re.Pattern[str]) -> tuple[Section, ...]:
    """The runs of a text: a line that matches `start` begins the next one.

    Lines before the first start belong to the first run. A text without a start is one section.
    """
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if start.search(line)]
    if starts:
        starts[0] = 0
    else:
        starts = [0]
    ends = [*starts[1:], len(lines)]
    return tuple(
        Section(number, first + 1, "\n".join(lines[first:end]))
        for number, (first, end) in enumerate(zip(starts, ends, strict=True), start=1)
    )


@dataclass(frozen=True)
class JsonObject:
    """One object of a text."""

    value: Mapping[str, Any]
    line: int
    """where it begins"""
    before: str
    """the text between the object before it, or the start, and this one"""


@dataclass(frozen=True)
class JsonObjects:
    """All objects of a text, one after the other, and where one begins that does not end."""

    objects: tuple[JsonObject, ...]
    behind: str
    """the text after the last object"""
    cut_off_line: int | None = None
    """of an object that is not whole"""


_OBJECT_START = re.compile(r"^[{]", re.MULTILINE)
_INDENTED_START = re.compile(r"^[ \t]*[{]", re.MULTILINE)
# As printf(3) writes values that are not finite: JSON has no such words.
_NOT_FINITE = re.compile(r"(?P<before>[:,\[]\s*)(?P<sign>-?)(?:nan|inf)(?=\s*[,}\]])")


def json_objects(text: str) -> JsonObjects:
    """The objects that begin a line, with any text before, between and after them.

    `nan` and `inf` in place of a value are read as NaN, so that the values next to them can be
    read. An indented brace counts only where no line begins with one: it may be a part of a
    truncated object.
    """
    text = _NOT_FINITE.sub(lambda match: f"{match['before']}{' ' * len(match['sign'])}NaN", text)
    start = _OBJECT_START if _OBJECT_START.search(text) else _INDENTED_START
    decoder = json.JSONDecoder()
    objects: list[JsonObject] = []
    end = 0
    position = 0
    cut_off = None
    while match := start.search(text, position):
        brace = match.end() - 1
        try:
            value, position = decoder.raw_decode(text, brace)
        except (ValueError, RecursionError):
            cut_off = cut_off or text.count("\n", 0, brace) + 1
            position = match.end()
            continue
        objects.append(JsonObject(value, text.count("\n", 0, brace) + 1, text[end:brace]))
        end = position
        cut_off = None
    return JsonObjects(tuple(objects), text[end:], cut_off)


def json_of(text: str) -> Mapping[str, Any]:
    """The first object of a text; empty where there is none."""
    objects = json_objects(text).objects
    return objects[0].value if objects else {}


def first_of(pattern: re.Pattern[str], text: str) -> str:
    """The first match of the pattern's group; empty without one."""
    match = pattern.search(text)
    return match[1] if match else ""


def size_bytes(text: str) -> int | None:
    """`256k`, `1 MiB`, `262144 bytes`: powers of 1024, as most of these programs mean them.

    None where the text is not exactly one size.
    """
    match = re.fullmatch(
        r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b|bytes)?\s*", text, re.IGNORECASE
    )
    if match is None:
        return None
    shift = _SUFFIXES[(match[2] or "").lower()]
    return int(float(match[1]) * (2**shift if shift > 1 else 1))


def number(text: str) -> float | None:
    """A figure of a table, or None where there is none.

    It may be `inf` or `nan`: the import leaves those out.
    """
    try:
        return float(text)
    except ValueError:
        return None


def _size_text(value_bytes: int | None) -> str | None:
    return None if value_bytes is None else format_size(value_bytes)
