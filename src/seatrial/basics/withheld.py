"""A study's text without its secrets, as results keep it: the plan stays readable, and is judged as
before.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

SECRET = ("password", "community")
"""the keys of a study that have a secret as value, in any kind"""
MASK = "********"
"""the text in place of a secret in scripts, messages and logs"""
WITHHELD = "withheld"
"""the text in place of a secret; it is valid both as a password and as a community"""


def without_secrets(text: str) -> str:
    """YAML text with every secret replaced, and all else as it is, comments too."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    places = sorted(
        {(node.start_mark.index, node.end_mark.index) for node in _secrets(root)}, reverse=True
    )
    for begin, end in places:
        written = text[begin:end]
        anchor = re.match(r"(?:&\S+\s+)?", written)  # other values may refer to it
        ending = "\n" if written.endswith("\n") else ""  # a block ends with its last line
        text = f"{text[:begin]}{anchor[0] if anchor else ''}{WITHHELD}{ending}{text[end:]}"
    return text


def secret_values(text: str) -> set[str]:
    """Every secret that a study's text has."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return {str(node.value) for node in _secrets(root)}


def has_secret(key: str, value: Any) -> bool:
    """Whether a value of the study, at this key or path, is a secret or contains one."""
    if key.rpartition(".")[2] in SECRET:
        return True
    return isinstance(value, dict) and any(
        has_secret(str(name), item) for name, item in value.items()
    )


def _secrets(node: yaml.Node | None, *, inside: bool = False) -> Iterator[yaml.Node]:
    """Scalars below a secret's key, also where a sweep lists several values of it."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            is_secret = isinstance(key, yaml.ScalarNode) and key.value.rpartition(".")[2] in SECRET
            yield from _secrets(value, inside=inside or is_secret)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _secrets(item, inside=inside)
    elif node is not None and inside:
        yield node
