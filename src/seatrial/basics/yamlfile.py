"""YAML 1.2 in, with the line and column of every value, so that every error can say where it is.

YAML 1.1 (PyYAML's own default) reads the natural key `on: nas1` as `True: 'nas1'`, `1:30` as 90 and `010` as
8; the resolver here is the core schema of YAML 1.2.2, section 10.3.2. Sizes such as `64MiB` stay text.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from seatrial.basics.errors import InputError

Location = tuple[str | int, ...]
"""The keys and indexes that lead to a value, as pydantic reports them."""


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


class _Loader(yaml.SafeLoader):
    """SafeLoader with the core schema of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own protocol


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
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first)


def _construct_int(_loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(node.value, 16) if node.value.startswith("0x") else int(node.value, 10)


_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


def load_yaml(path: Path) -> YamlFile:
    """Read `path`; InputError names the file, line and column of anything that is not YAML 1.2."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", "give the path of a study, e.g. studies/md1200-nfs") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return parse_yaml(text, path)


def parse_yaml(text: str, path: Path) -> YamlFile:
    """Parse `text`; `path` is used in messages only."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise InputError(f"{path}:1:1: the file is empty")
        positions: dict[Location, tuple[int, int]] = {}
        _index(node, (), positions, loader, path)
        return YamlFile(path, text, loader.construct_document(node), positions)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise InputError(f"{place}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML: {error}") from None
    finally:
        loader.dispose()


def _index(
    node: yaml.Node,
    location: Location,
    positions: dict[Location, tuple[int, int]],
    loader: _Loader,
    path: Path,
) -> None:
    """Note the position of `node` and of all below it; a key written twice is an error."""
    positions.setdefault(location, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _index(item, (*location, index), positions, loader, path)
    elif isinstance(node, yaml.MappingNode):
        seen: set[Hashable] = set()
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if not isinstance(key, str | int | float):
                raise InputError(f"{path}:{place[0]}:{place[1]}: a key must be plain text")
            if key in seen:
                raise InputError(
                    f"{path}:{place[0]}:{place[1]}: {'.'.join(map(str, (*location, key)))}: the key is written twice"
                )
            seen.add(key)
            positions[(*location, str(key), "(key)")] = place
            _index(value_node, (*location, str(key)), positions, loader, path)
