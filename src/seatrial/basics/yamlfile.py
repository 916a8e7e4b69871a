"""A reader of YAML 1.2, with the line and column of every value, so that every error can name its
place.

YAML 1.1 (PyYAML's own default) reads the natural key `on: nas1` as `True: 'nas1'`, `1:30` as 90 and
`010` as 8; the resolver here is the core schema of YAML 1.2.2, section 10.3.2. Sizes such as
`64MiB` stay text.
"""

import contextlib
import math
import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from seatrial.basics.errors import InputError

BYTES_MAX = 2**20
VALUES_MAX = 50_000
DEPTH_MAX = 40
TOO_DEEP = f"nested deeper than {DEPTH_MAX} levels"
DIGITS_MAX = 18
# Also characters that change the direction of writing: a reader would see another text than the
# file has.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""the characters of escapes such as "\\e": a terminal would execute them, and UTF-8 has no halves
of
surrogates"""
_PLAIN = {
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")
}
Location = tuple[str | int, ...]
"""The keys and indexes that lead to a value, as pydantic reports them."""


class Mistake(NamedTuple):
    """A mistake of a study: its place, and the mistake with its correction."""

    location: Location
    message: str


@dataclass(frozen=True)
class YamlFile:
    """A parsed file: its plain data and the position of every value in it."""

    path: Path
    text: str
    data: Any
    positions: dict[Location, tuple[int, int]] = field(repr=False)

    def where(self, location: Location) -> str:
        """`file:line:column` of a location, or of its nearest parent that the file has."""
        for length in range(len(location), -1, -1):
            if location[:length] in self.positions:
                line, column = self.positions[location[:length]]
                return f"{self.path}:{line}:{column}"
        return str(self.path)

    def name_of(self, location: Location) -> str:
        """A location in words: `criteria[0].check (id intact)`, with the id of the list item that
        contains it.
        """
        value = self.data
        identity = None
        for key in location:
            value = _child(value, key)
            if isinstance(key, int) and isinstance(value, dict):
                identity = value.get("id", identity)
        return f"{dotted(location) or 'study'}{'' if identity is None else f' (id {identity})'}"


def dotted(location: Location) -> str:
    """The keys that lead to a value, and indexes, from 0, in brackets: `criteria[0].check`."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in location)
    return text.removeprefix(".")


def _child(value: Any, key: str | int) -> Any:
    """The value below a key or an index; None where there is none, as below a missing key."""
    if isinstance(value, dict):
        return value.get(key)
    is_item = isinstance(value, list) and isinstance(key, int) and key < len(value)
    return value[key] if is_item else None


class DocumentLoader(yaml.SafeLoader):
    """SafeLoader with the core schema of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own protocol
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The next value; ComposerError, with its place, where it is nested too deep: PyYAML calls
        itself for each level.
        """
        if self.depth > DEPTH_MAX:
            raise yaml.composer.ComposerError(None, None, TOO_DEEP, self.peek_event().start_mark)  # type: ignore[no-untyped-call]
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


_LIBYAML: type[DocumentLoader] | None = None
_READ_OTHERWISE = re.compile(
    r"[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe]|^%", re.MULTILINE
)
"""characters that libyaml and PyYAML's own scanner read differently: tabs, byte order marks, line
ends of other systems, directives"""
if yaml.__with_libyaml__:
    from yaml._yaml import CParser

    class _LibyamlLoader(DocumentLoader, CParser):  # events of the same names, from C
        """The same, in an eighth of the time: libyaml reads the text. PyYAML's own scanner reports
        errors.
        """

        check_event, peek_event, get_event = (
            getattr(CParser, name) for name in ("check_event", "peek_event", "get_event")
        )
        dispose = CParser.dispose

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            yaml.composer.Composer.__init__(self)
            yaml.constructor.SafeConstructor.__init__(self)
            yaml.resolver.Resolver.__init__(self)

    _LIBYAML = _LibyamlLoader


for _tag, _pattern, _first in (
    ("null", r"null|Null|NULL|~|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
):
    DocumentLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )


def _construct_int(_loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(node.value, 16) if node.value.startswith("0x") else int(node.value, 10)


DocumentLoader.add_constructor("tag:yaml.org,2002:int", _construct_int)


class _Dumper(yaml.SafeDumper):
    """Quotes the texts that YAML 1.2 would read as another value, where PyYAML's own quotes those
    of 1.1.
    """

    yaml_implicit_resolvers = DocumentLoader.yaml_implicit_resolvers

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's own protocol
        """Every value is written out."""
        return True


def yaml_text(data: Any) -> str:
    """YAML 1.2 that `parse_yaml` reads as the same data; a mapping keeps its order."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def load_yaml(path: Path) -> YamlFile:
    """Read `path`; InputError names the file, line and column of anything that is not YAML 1.2."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file", "give the path of a study, or a name that seatrial list prints"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return parse_yaml(text, path)


def parse_yaml(text: str, path: Path) -> YamlFile:
    """Parse `text`; `path` is used in messages only.

    InputError for a text that is no plain YAML 1.2 of a study's size. The limits are: no other
    tags, 1 MiB, 50 000 values (a value that aliases repeat counts each time), 40 levels, and 18
    digits of a number.
    """
    if len(text) > BYTES_MAX:
        raise InputError(f"{path}: has {len(text)} characters of at most {BYTES_MAX}")
    if _LIBYAML is not None and not _READ_OTHERWISE.search(text):
        with contextlib.suppress(yaml.YAMLError, InputError):
            return _parsed(_LIBYAML, text, path)
    try:
        return _parsed(DocumentLoader, text, path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        marks = (error.problem_mark, error.context_mark)
        lines = [
            text.splitlines()[at.line] for at in marks if at and at.line < len(text.splitlines())
        ]
        hint = next((advice for line in lines if (advice := quoting(line))), None)
        raise InputError(f"{place}: not YAML: {error.problem}", hint) from None
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = f"{path}:{before.count(chr(10)) + 1}:{error.position - before.rfind(chr(10))}"
        raise InputError(
            f"{place}: not YAML: {chr(int(error.character))!r}: {error.reason}"
        ) from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML: {error}") from None


def _parsed(kind: type[DocumentLoader], text: str, path: Path) -> YamlFile:
    loader = kind(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise InputError(f"{path}:1:1: the file is empty")
        positions: dict[Location, tuple[int, int]] = {}
        _Index(loader, path, positions).add(node, ())
        return YamlFile(path, text, loader.construct_document(node), positions)
    finally:
        loader.dispose()


_KEY = re.compile(r"\s*(?:-\s+)*(?:[\w.\"'-]+:\s+)?")
_MEANING = tuple("*&!@%`|>?\"'-")
"""the characters that no unquoted text begins with"""
HINTED_MAX = 400
"""characters of a line that a user may have typed; brackets are followed inwards, level by level"""
_BRACED = re.compile(r"\{\w*\}[^\s,}\]]+")


def quoted(text: str) -> str:
    """The text in single quotes, so that YAML reads it as a text."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def quoting(line: str) -> str | None:
    """The correct form of a line that is no YAML, where it has a text that YAML takes for something
    else.
    """
    if len(line) > HINTED_MAX:
        return None
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with blanks: YAML takes no tabs"
    text = line.partition(" #")[0].strip()
    value = text[_KEY.match(text).end() :]  # type: ignore[union-attr]
    if braced := _BRACED.search(value):
        return f"quote the text: {quoted(braced[0])}"
    if value[:1] in ("[", "{"):
        return _of_brackets(value)
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return f"a quote inside a text: {quoted(value[1:-1])}"
    return f"quote the text: {quoted(value)}" if value[:1] in _MEANING or ": " in value else None


def _of_brackets(value: str) -> str | None:
    """The same of a list or a mapping in brackets: of its first item that is none."""
    if any(value.count(left) > value.count(right) for left, right in ("[]", "{}")):
        return "close the bracket; a text that begins with one is written in quotes"
    if value[-1] not in "]}":
        return f"quote the text: {quoted(value)}"
    items = re.split(r",\s+", value[1:-1])
    return next((advice for item in items if (advice := quoting(item))), None)


@dataclass
class _Index:
    """The place of every value of a document; refuses features that plain YAML of a study's size
    does not have.
    """

    loader: DocumentLoader
    path: Path
    positions: dict[Location, tuple[int, int]]
    values: int = 0

    def _refuse(self, node: yaml.Node, text: str) -> InputError:
        mark = node.start_mark
        return InputError(f"{self.path}:{mark.line + 1}:{mark.column + 1}: {text}")

    def add(self, node: yaml.Node, location: Location) -> None:
        """Note the position of `node` and of all below it."""
        self.values += 1
        if self.values > VALUES_MAX:
            raise self._refuse(
                node, f"more than {VALUES_MAX} values, those that aliases repeat among them"
            )
        if len(location) > DEPTH_MAX:
            raise self._refuse(node, TOO_DEEP)
        self._check_tag(node)
        self.positions.setdefault(location, (node.start_mark.line + 1, node.start_mark.column + 1))
        if isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self.add(item, (*location, index))
        elif isinstance(node, yaml.MappingNode):
            self._add_mapping(node, location)

    def _check_tag(self, node: yaml.Node) -> None:
        """A tag that is written out may contradict the value (`!!int abc`)."""
        kind = node.tag.rpartition(":")[2]
        if node.tag not in _PLAIN:
            text = f"the tag {node.tag.removeprefix('tag:yaml.org,2002:')!r} is not known here"
            raise self._refuse(node, f"{text}; a text that begins with ! is written in quotes")
        if not isinstance(node, yaml.ScalarNode):
            return
        plain: str = self.loader.resolve(yaml.ScalarNode, node.value, (True, False))  # type: ignore[no-untyped-call]
        if node.tag != plain and kind != "str":
            raise self._refuse(node, f"{node.value!r} is not a valid {kind}")
        if kind in ("int", "float") and sum(letter.isdigit() for letter in node.value) > DIGITS_MAX:
            raise self._refuse(node, f"a number of more than {DIGITS_MAX} digits")
        if kind == "float" and not math.isfinite(self.loader.construct_object(node)):
            raise self._refuse(node, f"{node.value} is not finite")
        if strange := _UNPRINTABLE.search(node.value):
            raise self._refuse(
                node, f"{strange[0]!r} is a control character, or half of a surrogate pair"
            )

    def _add_mapping(self, node: yaml.MappingNode, location: Location) -> None:
        """The same of each of its keys; one that is written twice is an error."""
        seen: set[Hashable] = set()
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._refuse(key_node, "a key must be plain text")
            self._check_tag(key_node)
            key = self.loader.construct_object(key_node)
            if not isinstance(key, str | int | float):
                raise self._refuse(key_node, "a key must be plain text")
            if key in seen:
                raise self._refuse(
                    key_node, f"{dotted((*location, str(key)))}: the key is written twice"
                )
            seen.add(key)
            self.positions[(*location, str(key), "(key)")] = (
                key_node.start_mark.line + 1,
                key_node.start_mark.column + 1,
            )
            self.add(value_node, (*location, str(key)))
