"""The shell functions that change a node: the files in `sh/`, which ShellCheck reads.

A script gets only the functions that it calls. So it is readable, and works without another file.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "sh"
_PRELUDE = FOLDER / "prelude.sh"
_FUNCTION = re.compile(r"(?:^#.*\n)*^(\w+)\(\) [{(](?:\n(?:.*\n)*?[})]|.*[})])$\n", re.MULTILINE)
_DIRECTIVE = re.compile(r"^ *# shellcheck .*\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *#.*$", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")


@cache
def prelude() -> str:
    """The beginning of every script."""
    # The first paragraph is about the file.
    return _DIRECTIVE.sub("", _PRELUDE.read_text(encoding="ascii")).partition("\n\n")[2]


@cache
def functions() -> Mapping[str, str]:
    """Name of each function -> its text with the comment above it."""
    texts = (path.read_text(encoding="ascii") for path in sorted(FOLDER.glob("*.sh")))
    return {
        match[1]: match[0]
        for path, text in zip(sorted(FOLDER.glob("*.sh")), texts, strict=True)
        if path != _PRELUDE
        for match in _FUNCTION.finditer(_DIRECTIVE.sub("", text))
    }


@cache
def _called_by(name: str) -> frozenset[str]:
    return _named_in(functions()[name]) - {name}


def _named_in(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_COMMENT.sub("", text))) & functions().keys()


def names_for(text: str) -> tuple[str, ...]:
    """The functions that `text` calls, and those that they call, in the order of the files."""
    called: set[str] = set()
    new = set(_named_in(text))
    while new:
        called |= new
        new = {callee for name in new for callee in _called_by(name)} - called
    return tuple(name for name in functions() if name in called)


def functions_for(text: str) -> str:
    """The texts of these functions."""
    return "".join(f"{functions()[name]}\n" for name in names_for(text))
