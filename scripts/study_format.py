"""Make docs/study-format.md from the schema of a study: `python scripts/study_format.py`; `--check`
only compares.

The tables are made from `study_schema()`: a key, its type, limits and default, and its description.
The text of a kind is the docstring of its module. Hand-written text is in `study_format.md`, which
has the headings of the page:

- Text below a heading of the schema, such as `### faults: panic`, follows its table. Text above a
  line `<!-- keys -->` precedes the table and replaces the docstring.
- A heading with a dot or a colon must be one of the schema; other headings are copied with their
  text.
- Parts of the schema without a heading in the file are added at the end of their group. So a new
  kind needs no edit.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from seatrial.basics.units import format_size
from seatrial.start.json_schema import study_schema

ROOT = Path(__file__).parent.parent
TEXTS = Path(__file__).parent / "study_format.md"
PAGE = ROOT / "docs" / "study-format.md"
HEAD = (
    "<!-- Made by scripts/study_format.py from the schema and scripts/study_format.md; do not"
    " edit. -->"
)
KEYS = "<!-- keys -->"
CONTENTS = "<!-- contents -->"
TOP = "Top level"
FLAT_MAX = 8
"""keys of a mapping that are rows of its parent's table; a larger mapping has a section"""
NONE = "–"

Schema = Mapping[str, Any]


class FormatError(Exception):
    """Text for a part that the schema does not have."""


@dataclass(frozen=True)
class Row:
    """A line of a table of keys."""

    key: str
    type: str
    default: str
    meaning: str

    def __str__(self) -> str:
        cells = (f"`{self.key}`", self.type, self.default, self.meaning)
        return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


@dataclass
class Section:
    """A part of the page that the schema has."""

    heading: str
    level: int
    intro: str
    rows: list[Row] = field(default_factory=list)
    children: "list[Section]" = field(default_factory=list)
    is_kind: bool = False

    def body(self, above: str, below: str) -> str:
        """Its text and its table."""
        parts = [above or self.intro, _table(self.rows), below]
        if self.is_kind and not self.rows:
            parts[1] = "It has no options."
        return "\n\n".join(part.strip("\n") for part in parts if part)


@dataclass(frozen=True)
class Text:
    """A heading of the hand-written file and what follows it."""

    heading: str
    level: int
    text: str

    def halves(self) -> tuple[str, str]:
        """(above the table, below it)."""
        above, mark, below = self.text.partition(KEYS)
        return (above.strip("\n"), below.strip("\n")) if mark else ("", above.strip("\n"))


@dataclass(frozen=True)
class Place:
    """Where the keys of a part are described."""

    section: Section
    """its table has them"""
    owner: Section
    """the section that sections of larger parts are added to"""
    path: str
    """of the part, from the top of the study"""
    in_kind: bool
    """it is a part of a kind, which describes all of its parts itself"""

    def heading_of(self, key: str) -> str:
        """The heading of a section for the value of a key."""
        return f"{self.section.heading}, {key}" if self.in_kind else f"{self.path}.{key}"


@dataclass
class Page:
    """The sections that the schema has."""

    schema: Schema
    uses: Counter[str] = field(default_factory=Counter)
    """part of the schema -> places of the study that it is at"""
    homes: dict[str, str] = field(default_factory=dict)
    """part of the schema -> the section that has its keys"""

    def __post_init__(self) -> None:
        self._count(self.schema, ())

    def _count(self, part: Schema, seen: tuple[str, ...]) -> None:
        for about in part.get("properties", {}).values():
            for name in _parts_of(about):
                self.uses[name] += 1
                if self.uses[name] == 1 and name not in seen:
                    self._count(self._part(name), (*seen, name))

    def _part(self, name: str) -> Schema:
        part: Schema = self.schema["$defs"][name]
        return part

    def sections(self) -> list[Section]:
        """All of the page, in the order of the keys of a study."""
        top = Section(TOP, 2, "")
        groups = [top]
        for key, about in self.schema["properties"].items():
            kinds = _kinds_of(about)
            parts = _parts_of(about)
            top.rows.append(self._row(key, about, self.schema, f"#{anchor(key)}"))
            group = Section(key, 2, one_line(about.get("description", "")))
            place = Place(group, group, key, in_kind=False)
            if kinds:
                self._add_kinds(place, kinds)
            for name in parts:
                group.intro = self._part(name)["description"]
                self.homes[name] = key
                self._add_keys(place, self._part(name))
            if kinds or parts:
                groups.append(group)
        return groups

    def _add_kinds(self, place: Place, names: list[str]) -> None:
        """The keys of all kinds, and a section for each with its own."""
        parts = [self._part(name) for name in names]
        first = parts[0]["properties"]
        common = [key for key in first if all(key in part["properties"] for part in parts)]
        differs = {
            key for key in common if len({str(part["properties"][key]) for part in parts}) > 1
        }
        selector = next(key for key in common if "const" in first[key] and key in differs)
        kinds = [part["properties"][selector]["const"] for part in parts]
        group = place.section
        for key in common:
            if key == selector:
                links = (f"[`{kind}`](#{anchor(f'{group.heading}: {kind}')})" for kind in kinds)
                group.rows.append(Row(key, ", ".join(links), "required", "Selects the kind."))
            else:
                about = {**first[key], "default": None} if key in differs else first[key]
                self._add_key(place, key, about, parts[0])
        for kind, part in zip(kinds, parts, strict=True):
            own = {
                key: about
                for key, about in part["properties"].items()
                if key not in common or (key in differs and key != selector)
            }
            child = Section(f"{group.heading}: {kind}", 3, part["description"], is_kind=True)
            group.children.append(child)
            self._add_keys(Place(child, group, "", in_kind=True), {**part, "properties": own})
            self._add_files(group, kind)

    def _add_files(self, group: Section, kind: str) -> None:
        """A section for each file that a kind reads."""
        for name, part in self.schema["$defs"].items():
            if name.startswith(f"File {kind} "):
                heading = f"{group.heading}: {kind}, {name.removeprefix(f'File {kind} ')}"
                child = Section(heading, 4, part["description"])
                group.children.append(child)
                self._add_keys(Place(child, group, "", in_kind=True), part)

    def _add_keys(self, place: Place, part: Schema, prefix: str = "") -> None:
        for key, about in part.get("properties", {}).items():
            self._add_key(place, prefix + key, about, part)

    def _add_key(self, place: Place, key: str, about: Schema, part: Schema) -> None:
        """A row for a key, and its own keys: as rows below it, or in a section."""
        names = _parts_of(about)
        inner = self._part(names[0]) if names else _with_keys(about)
        name = names[0] if names else place.heading_of(key)
        if not inner.get("properties"):
            place.section.rows.append(self._row(key, about, part))
        elif len(inner["properties"]) <= FLAT_MAX and (place.in_kind or self.uses[name] <= 1):
            place.section.rows.append(self._row(key, about, part))
            self._add_keys(place, inner, f"{key}{_step(about)}.")
        else:
            heading = (None if place.in_kind else self.homes.get(name)) or place.heading_of(key)
            place.section.rows.append(self._row(key, about, part, f"#{anchor(heading)}"))
            if place.in_kind or name not in self.homes:
                self.homes[name] = heading
                child = Section(heading, 4 if place.in_kind else 3, inner.get("description", ""))
                place.owner.children.append(child)
                self._add_keys(Place(child, place.owner, heading, place.in_kind), inner)

    def _with_enums(self, about: Schema) -> Schema:
        """The schema with the values of each enumeration that it refers to."""
        if "$ref" in about:
            part = self._part(about["$ref"].removeprefix("#/$defs/"))
            return {**part, **about} if "enum" in part else about
        choices = [self._with_enums(item) for item in about.get("anyOf", ())]
        return {**about, "anyOf": choices} if choices else about

    def _row(self, key: str, about: Schema, part: Schema, link: str = "") -> Row:
        about = self._with_enums(about)
        is_part = about.get("properties") or _parts_of(about) or _kinds_of(about)
        kind = f"[{_type(about)}]({link})" if link and is_part else _type(about)
        last = re.split(r"[.\]]", key)[-1]
        default = "required" if last in part.get("required", ()) else self._default(about)
        return Row(key, kind, default, one_line(about.get("description", "")))

    def _default(self, about: Schema) -> str:
        value = about.get("default")
        if isinstance(value, dict) and (names := _parts_of(about)):
            known = self._part(names[0])["properties"]
            shown = {key: _shown(known.get(key, {}), item) for key, item in value.items()}
            usual = {key: _shown(item, item.get("default")) for key, item in known.items()}
            value = {key: item for key, item in shown.items() if item != usual.get(key)}
        if value is None or value in ([], {}):
            return NONE
        return f"`{_yaml(_shown(about, value))}`"


def _parts_of(about: Schema) -> list[str]:
    """The parts that a key's value, or each of its values, consists of; kinds are left out."""
    if "$ref" in about:
        return [about["$ref"].removeprefix("#/$defs/")]
    inner = [*about.get("anyOf", ()), *_values_of(about)]
    return list(chain.from_iterable(map(_parts_of, inner)))


def _with_keys(about: Schema) -> Schema:
    """The alternative of a value that has keys, such as the mapping of a limit that may be a time;
    the value itself where it has none.
    """
    for choice in about.get("anyOf", ()):
        inner = _with_keys(choice)
        if inner.get("properties"):
            return inner
    return about


def _values_of(about: Schema) -> list[Schema]:
    """The schemas of the values of a mapping, and of the items of a list."""
    values = [
        about.get("additionalProperties"),
        about.get("items"),
        *about.get("patternProperties", {}).values(),
    ]
    return [item for item in values if isinstance(item, dict)]


def _kinds_of(about: Schema) -> list[str]:
    """The parts of the kinds that a key's value, or each of its values, is one of."""
    for item in (about, *_values_of(about)):
        if "oneOf" in item:
            return [choice["$ref"].removeprefix("#/$defs/") for choice in item["oneOf"]]
    return []


def _shown(about: Schema, value: Any) -> Any:
    """A value with its unit, as a study writes it."""
    formats = {item.get("format") for item in (about, *about.get("anyOf", ()))}
    if isinstance(value, int | float) and not isinstance(value, bool):
        if "size" in formats:
            return format_size(int(value))
        if "time" in formats:
            return f"{value:g}s"
    return re.sub(r"^([0-9]+)\.0s$", r"\1s", value) if isinstance(value, str) else value


def _step(about: Schema) -> str:
    """The text between a key and the keys of its values."""
    if any("items" in item for item in (about, *about.get("anyOf", ()))):
        return "[]"
    return ".NAME" if any(_values_of(item) for item in (about, *about.get("anyOf", ()))) else ""


def _yaml(value: Any) -> str:
    """A value as a study writes it, on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_yaml, value)) + "]"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _type(about: Schema) -> str:
    """The type of a value, and its limits."""
    if "anyOf" in about:
        names = list(
            dict.fromkeys(_type(item) for item in about["anyOf"] if item.get("type") != "null")
        )
        if len(names) == 2 and names[1] == f"list of {names[0]}":
            return f"one or a list of {names[0]}"
        return " or ".join(names)
    if "const" in about or "enum" in about:
        values = about["enum"] if "enum" in about else [about["const"]]
        names = [str(value) if isinstance(value, float) else _yaml(value) for value in values]
        return ", ".join(f"`{name}`" for name in dict.fromkeys(names))
    if "format" in about:
        return f"{about['format']}{_limits(about)}"
    match about.get("type"):
        case "boolean":
            return "`true`, `false`"
        case "integer" | "number":
            return f"number{_limits(about)}"
        case "string":
            return "text"
        case "array":
            return _list_type(about)
        case "object":
            return "mapping"
    return "mapping" if "$ref" in about or "oneOf" in about else "any value"


def _list_type(about: Schema) -> str:
    least = about.get("minItems")
    most = about.get("maxItems")
    number = f" ({least} to {most})" if least and most else ""
    return f"list of {_type(about.get('items', {}))}{number}"


def _limits(about: Schema) -> str:
    """`, 1 to 1024`; empty where a value has none."""
    low = about.get("minimum")
    high = about.get("maximum")
    if about.get("format") == "size":
        low, high = (format_size(int(item)) if item is not None else None for item in (low, high))
    above = about.get("exclusiveMinimum")
    below = about.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f", {_yaml(low)} to {_yaml(high)}"
    limits = [
        f"{word} {_yaml(value)}"
        for word, value in (("from", low), ("above", above), ("at most", high), ("below", below))
        if value is not None
    ]
    return f", {', '.join(limits)}" if limits else ""


def one_line(text: str) -> str:
    """A text as a cell of a table can have it."""
    return " ".join(text.split())


def _table(rows: list[Row]) -> str:
    head = ["| key | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([*head, *map(str, rows)]) if rows else ""


def anchor(heading: str) -> str:
    """The anchor of a heading, as forges make it."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def texts_of(text: str) -> tuple[str, list[Text]]:
    """(the text above the first heading, the headings with their texts)."""
    parts = re.split(r"(^```.*?^```$)|^(#{2,6}) ([^\n]*)\n", text, flags=re.MULTILINE | re.DOTALL)
    above = parts[0]
    texts: list[Text] = []
    for fenced, marks, heading, rest in zip(
        parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True
    ):
        if marks:
            texts.append(Text(heading, len(marks), rest))
        elif texts:
            last = texts.pop()
            texts.append(Text(last.heading, last.level, last.text + fenced + rest))
        else:
            above += fenced + rest
    return above, texts


def _all(sections: list[Section]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from _all(section.children)


class Assembly:
    """Puts the hand-written texts and the sections of the schema into one page."""

    def __init__(self, texts: list[Text], sections: list[Section]) -> None:
        self._texts = {text.heading: text for text in texts}
        self._sections = sections
        self._known = {section.heading: section for section in _all(sections)}
        self.page: list[tuple[int, str, str]] = []
        """(level, heading, body)"""

    def check(self) -> None:
        """FormatError for text of a part that the schema does not have."""
        for heading, text in self._texts.items():
            is_part = re.search(r"[.:]", heading) or KEYS in text.text
            if is_part and heading not in self._known:
                known = ", ".join(self._known)
                raise FormatError(
                    f"{TEXTS.name}: the schema has no part {heading!r}; one of {known}"
                )

    def write(self) -> None:
        """Every text in its place; after the texts of a group the parts of the group that have
        none.
        """
        self.check()
        texts = list(self._texts.values())
        last = max(index for index, text in enumerate(texts) if text.heading in self._known)
        group: Section | None = None
        for index, text in enumerate(texts):
            if text.level == 2:
                self._finish(group)
                group = next(
                    (item for item in self._sections if item.heading == text.heading), None
                )
            if text.heading in self._known:
                self._put(self._known[text.heading])
            else:
                self.page.append((text.level, text.heading, text.text.strip("\n")))
            if index == last:
                self._finish(group)
                group = None
                self._put_missing()
        self._finish(group)

    def _put(self, section: Section) -> None:
        text = self._texts.get(section.heading)
        above, below = text.halves() if text else ("", "")
        self.page.append((section.level, section.heading, section.body(above, below)))

    def _finish(self, group: Section | None) -> None:
        for child in group.children if group else ():
            if child.heading not in self._texts:
                self._put(child)

    def _put_missing(self) -> None:
        """The groups without a text."""
        for section in self._sections:
            if section.heading not in self._texts:
                self._put(section)
                self._finish(section)


def contents(page: list[tuple[int, str, str]]) -> str:
    """The table of contents: a line for each part, with its kinds."""
    lines: list[str] = []
    for level, heading, _ in page:
        if level == 2:
            lines.append(f"- [{heading}](#{anchor(heading)})")
        elif ": " in heading and level == 3:
            joint = ": " if lines[-1].count("](") == 1 else ", "
            lines[-1] += f"{joint}[{heading.partition(': ')[2]}](#{anchor(heading)})"
    return "\n".join(lines)


def written(schema: Schema, text: str) -> str:
    """The page."""
    above, texts = texts_of(text)
    assembly = Assembly(texts, Page(schema).sections())
    assembly.write()
    page = assembly.page
    parts = [f"{'#' * level} {heading}\n\n{body}".rstrip("\n") for level, heading, body in page]
    head = above.replace(CONTENTS, contents(page)).strip("\n")
    title, _, rest = head.partition("\n")
    return "\n\n".join([f"{title}\n\n{HEAD}\n{rest}".rstrip("\n"), *parts]) + "\n"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it; the exit code."""
    page = written(study_schema(), TEXTS.read_text())
    if "--check" in arguments:
        if PAGE.read_text() == page:
            return 0
        sys.stderr.write(f"{PAGE.name} is not up to date; run scripts/study_format.py\n")
        return 1
    PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
