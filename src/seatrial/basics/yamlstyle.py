"""One style for YAML: block mappings, lines of at most 100 columns, all comments kept.

- A mapping has a line for each key. Only one that holds numbers alone stays on one line: `{grace:
  1}`.
- A list of scalars stays on one line where it fits: `[1, 2, 4]`.
- A text has quotes where it needs them, and one that has brackets always: `"srv[1-2]"`.
- A longer text is folded (`>-`), and longer comments are broken into lines.
- Anchors and blank lines stay where they are.

The data of the text do not change, and a second pass changes nothing.
"""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import yaml

from seatrial.basics.errors import Defect, InputError
from seatrial.basics.yamlfile import DocumentLoader, parse_yaml
from seatrial.basics.yamltree import (
    STR_TAG,
    Alias,
    Collection,
    Entry,
    Scalar,
    Value,
    read_tree,
    resolved_tag,
)

COLUMNS = 100
INDENT = 2
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
NULL_TAG = "tag:yaml.org,2002:null"


def styled(text: str, path: Path) -> str:
    """The same YAML in this style; InputError where the text is no YAML. `path` is for messages."""
    source = parse_yaml(text, path)
    try:
        tree = read_tree(text)
    except yaml.MarkedYAMLError as error:  # libyaml accepts a little more, such as [1?]
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise InputError(f"{place}: not YAML: {error.problem}", "quote the text there") from None
    lines = [*tree.only, *_document(tree.root)]
    result = "\n".join(_without_double_blanks(lines)) + "\n"
    if parse_yaml(result, path).data != source.data or _words_of_comments(
        result
    ) != _words_of_comments(text):
        raise Defect(f"{path}: the style would change the content of the file")
    return result


def _document(root: Value) -> Iterator[str]:
    inline = _inline(root)
    if isinstance(root, Collection) and root.entries and (root.is_mapping or inline is None):
        if root.anchor:
            yield f"--- &{root.anchor}"
        yield from _lines(root, 0)
        return
    if isinstance(root, Collection):
        yield from _comments(root.after, 0)
    yield inline if inline is not None else _quoted(_text_of(root))


# ---- collections


def _lines(of: Collection, indent: int) -> Iterator[str]:
    """The entries of a collection in block style, each line with its indentation."""
    for number, entry in enumerate(of.entries):
        before = entry.before if number or not indent else _without_first_blank(entry.before)
        yield from _comments(before, indent)
        yield from _with_trailing_comments(entry, indent)
    yield from _comments(of.after, indent)


def _without_first_blank(comments: list[str]) -> list[str]:
    """The comments above the first entry of a collection, which follows its key directly."""
    return comments[1:] if comments[:1] == [""] else comments


def _with_trailing_comments(entry: Entry, indent: int) -> Iterator[str]:
    """An entry, with its comment at the end of its first line where that is possible, else above
    it.
    """
    leading, lines = _leading_comments(list(_entry(entry, indent)))
    yield from leading
    *above, last = entry.trailing or [""]
    has_room = len(lines[0]) + len("  ") + len(last) <= COLUMNS
    is_header = len(lines) == 1 or (entry.key is not None and isinstance(entry.value, Collection))
    if last and not (has_room and is_header):
        above = entry.trailing
        last = ""
    yield from _comments(above, indent)
    yield f"{lines[0]}  {last}".rstrip() if last else lines[0]
    yield from lines[1:]


def _leading_comments(lines: list[str]) -> tuple[list[str], list[str]]:
    """The comments above an entry's first line, and its lines."""
    first = next(
        number for number, line in enumerate(lines) if line and not line.lstrip().startswith("#")
    )
    return lines[:first], lines[first:]


def _entry(entry: Entry, indent: int) -> Iterator[str]:
    """An entry without its comments; those of an item's first key come above the item's dash."""
    spaces = " " * indent
    value = entry.value
    head = "-" if entry.key is None else f"{_scalar(entry.key, in_flow=False)}:"
    anchor = f" &{value.anchor}" if value.anchor else ""
    if isinstance(value, Collection) and _is_block(entry, indent + len(head) + len(anchor)):
        inner = list(_lines(value, indent + INDENT))
        if entry.key is None and not anchor:
            leading, lines = _leading_comments(inner)
            yield from (f"{spaces}{line.lstrip()}".rstrip() for line in leading)
            yield f"{spaces}- {lines[0].lstrip()}"
            yield from lines[1:]
            return
        yield f"{spaces}{head}{anchor}"
        yield from inner
        return
    inline = _inline(value)
    text = inline if inline is not None else _quoted(_text_of(value))
    line = f"{spaces}{head}{anchor} {text}".rstrip()
    if isinstance(value, Scalar) and value.is_text:
        block = _block_scalar(value.text, indent + INDENT, is_long=len(line) > COLUMNS)
        if block is not None:
            yield f"{spaces}{head}{anchor} {block[0]}"
            yield from block[1:]
            return
    yield line


def _is_block(entry: Entry, used: int) -> bool:
    """Whether the value of an entry takes separate lines; `used` columns of the line are taken."""
    value = entry.value
    if not isinstance(value, Collection):
        return False
    inline = _inline(value)
    return inline is None or used + len(" ") + len(inline) > COLUMNS


def _inline(value: Value) -> str | None:
    """A value on one line, without its anchor; None where it needs several."""
    if isinstance(value, Alias):
        return f"*{value.name}"
    if isinstance(value, Scalar):
        return _scalar(value, in_flow=False) if "\n" not in value.text else None
    assert isinstance(value, Collection)
    if value.entries and (
        value.after or any(entry.before or entry.trailing for entry in value.entries)
    ):
        return None
    texts = [_inline_entry(entry) for entry in value.entries]
    if any(text is None for text in texts):
        return None
    joined = ", ".join(text for text in texts if text is not None)
    return f"{{{joined}}}" if value.is_mapping else f"[{joined}]"


def _inline_entry(entry: Entry) -> str | None:
    """An entry between brackets; None where its collection has a line for each."""
    value = entry.value
    anchor = f"&{value.anchor} " if value.anchor else ""
    if entry.key is not None:
        is_number = isinstance(value, Scalar) and value.tag in NUMBERS
        return (
            f"{_scalar(entry.key, in_flow=True)}: {anchor}{_text_of(value)}" if is_number else None
        )
    if isinstance(value, Scalar):
        return f"{anchor}{_scalar(value, in_flow=True)}" if "\n" not in value.text else None
    if isinstance(value, Collection) and value.is_mapping and value.entries:
        return None
    inline = _inline(value)
    return None if inline is None else f"{anchor}{inline}"


# ---- scalars


def _text_of(value: Value) -> str:
    assert isinstance(value, Scalar)
    return value.text


PLAIN = re.compile(r"[A-Za-z0-9_./+~(](?:[^\n]*[^\s:])?")
"""a text that may do without quotes, so far as its first and its last character go"""
NEVER_PLAIN = re.compile(r"[\[\]{}]|: | #")
"""the parts that a plain text never has: brackets, the colon of a mapping, a comment"""
OF_OLDER_YAML = re.compile(r"(?:yes|no|on|off|[0-9]+(?::[0-9]+)+|[-+]?0[0-7]+)", re.IGNORECASE)
"""texts that YAML 1.1, which editors and other programs read, takes for another value"""


def _scalar(value: Scalar, *, in_flow: bool) -> str:
    """A scalar on one line."""
    if not value.is_text:
        return "null" if value.tag == NULL_TAG else value.text
    return value.text if _is_plain(value.text, in_flow=in_flow) else _quoted(value.text)


def _is_plain(text: str, *, in_flow: bool) -> bool:
    """Whether a text needs no quotes."""
    if not text.isprintable() or not PLAIN.fullmatch(text) or NEVER_PLAIN.search(text):
        return False
    if in_flow and any(letter in text for letter in ",?"):
        return False
    if text.startswith(".") and not text[1:2].isalnum():
        return False
    is_text = resolved_tag(DocumentLoader(""), text) == STR_TAG
    return is_text and not OF_OLDER_YAML.fullmatch(text)


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def _quoted(text: str) -> str:
    """A text in double quotes."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _block_scalar(text: str, indent: int, *, is_long: bool) -> list[str] | None:
    """A text of several lines, or one that is too long for a line, under its key; None where that
    is not possible.
    """
    lines = text.removesuffix("\n").split("\n")
    is_printable = all(letter.isprintable() for line in lines for letter in line)
    if not is_printable or not lines[0] or lines[0].startswith(" ") or not lines[-1].strip():
        return None
    if len(lines) > 1 or text.endswith("\n"):
        header = "|" if text.endswith("\n") else "|-"
        return [header, *(f"{' ' * indent}{line}" if line else "" for line in lines)]
    if not is_long or text != text.strip():
        return None
    folded = _folded(text, COLUMNS - indent)
    is_shorter = len(folded) > 1 or indent + len(text) <= COLUMNS
    return [">-", *(f"{' ' * indent}{line}" for line in folded)] if is_shorter else None


_FOLD = re.compile(r"(?<=[^ ]) (?=[^ ])")


def _folded(text: str, width: int) -> list[str]:
    """A text in lines, broken at single spaces only: a fold stands for one space."""
    lines = [""]
    for word in _FOLD.split(text):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and len(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


# ---- comments

_PROSE = re.compile(r"# (?![a-z_][\w.-]*:(?:\s|$))[^\s{}\-][^{}]*")
"""a line of a comment that may be broken elsewhere: no YAML that was commented out, no item of a
list"""


def _comments(texts: list[str], indent: int) -> Iterator[str]:
    """Comments on separate lines; paragraphs with a line that is too long are broken into lines
    again.
    """
    paragraph: list[str] = []
    for text in texts:
        if _PROSE.fullmatch(text):
            paragraph.append(text)
            continue
        yield from _paragraph(paragraph, indent)
        paragraph = []
        yield f"{' ' * indent}{text}".rstrip()
    yield from _paragraph(paragraph, indent)


def _paragraph(lines: list[str], indent: int) -> Iterator[str]:
    if any(indent + len(line) > COLUMNS for line in lines):
        text = " ".join(line.removeprefix("# ") for line in lines)
        width = COLUMNS - indent - len("# ")
        wrapped = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        lines = [f"# {line}" for line in wrapped]
    yield from (f"{' ' * indent}{line}" for line in lines)


def _words_of_comments(text: str) -> list[str]:
    """The words of all comments, in any order: lines may be broken elsewhere, and move above the
    entry that they are about.
    """
    tree = read_tree(text)
    all_comments = list(tree.only)
    pending: list[Value] = [tree.root]
    while pending:
        value = pending.pop()
        if isinstance(value, Collection):
            all_comments += value.after
            for entry in value.entries:
                all_comments += [*entry.before, *entry.trailing]
                pending.append(entry.value)
    return sorted(word for comment in all_comments for word in comment.lstrip("#").split())


def _without_double_blanks(lines: list[str]) -> Iterator[str]:
    """The lines without empty ones at the beginning and the end, and never two in a row."""
    single = [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    while single and not single[-1]:
        single.pop()
    yield from single
