"""YAML as it is written: values with their anchors, and the comments and blank lines around them.

`yamlfile` reads the content of a file. This module reads its layout, for `yamlstyle`, which writes
the same in one style. A comment on its own line belongs to the entry after it, or to the end of the
collection that its column shows. A comment at the end of a line belongs to the entry that ends
there.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from seatrial.basics.yamlfile import DocumentLoader

STR_TAG = "tag:yaml.org,2002:str"


@dataclass
class Value:
    """A scalar, an alias or a collection: where it is in the text, and its anchor."""

    start: int
    end: int
    anchor: str | None


@dataclass
class Scalar(Value):
    """One value."""

    text: str
    """of a string its characters; of another value as it is written"""
    tag: str

    @property
    def is_text(self) -> bool:
        """Whether it is a string."""
        return self.tag == STR_TAG


@dataclass
class Alias(Value):
    """`*name`: the value that has the anchor `name`."""

    name: str


@dataclass
class Collection(Value):
    """A mapping or a list."""

    is_mapping: bool
    is_flow: bool
    """written in brackets"""
    parent: "Entry | None"
    entries: list["Entry"] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    """comments after the last entry; an empty one is a blank line"""


@dataclass
class Entry:
    """A key with its value, or an item of a list, and the comments that belong to it."""

    of: Collection
    start: int
    column: int
    key: Scalar | None
    value: Value
    before: list[str] = field(default_factory=list)
    """comments on the lines before it; an empty one is a blank line"""
    trailing: list[str] = field(default_factory=list)
    """comments at the end of its line"""


@dataclass(frozen=True)
class _Comment:
    """A comment or a blank line (an empty text)."""

    start: int
    column: int
    text: str
    has_own_line: bool


@dataclass(frozen=True)
class Document:
    """A whole file."""

    root: Value
    only: tuple[str, ...] = ()
    """comments of a file that has no collection to hold them"""


def resolved_tag(
    loader: DocumentLoader, text: str, implicit: tuple[bool, bool] = (True, False)
) -> str:
    """The type that YAML 1.2 gives a scalar; `implicit` is (of a plain one, of a quoted one), as in
    PyYAML's events.
    """
    return str(loader.resolve(yaml.ScalarNode, text, implicit))  # type: ignore[no-untyped-call]


def read_tree(text: str) -> Document:
    """The tree of a text that `parse_yaml` has taken."""
    tokens = [token for token in yaml.scan(text, Loader=DocumentLoader) if _is_written(token)]
    builder = _Builder(text, tokens)
    root = builder.document()
    comments = sorted(
        [*_comments(text, tokens), *_header_comments(text, tokens)],
        key=lambda comment: comment.start,
    )
    if not isinstance(root, Collection):
        return Document(root, tuple(comment.text for comment in comments if comment.text))
    _Attaching(root, tokens, list(_entries(root))).attach(comments)
    return Document(root)


def _is_written(token: yaml.Token) -> bool:
    return bool(token.start_mark.index < token.end_mark.index)


class _Builder:
    """From the parser's events to values."""

    def __init__(self, text: str, tokens: list[yaml.Token]) -> None:
        self._text = text
        self._loader = DocumentLoader(text)
        dashes = (token.start_mark for token in tokens if isinstance(token, yaml.BlockEntryToken))
        self._dash_starts: list[int] = [mark.index for mark in dashes]

    def _next_event(self) -> Any:
        """The types of PyYAML's events lack marks and methods."""
        return self._loader.get_event()  # type: ignore[no-untyped-call]

    def document(self) -> Value:
        """The one document of the text."""
        self._skip(yaml.StreamStartEvent, yaml.DocumentStartEvent)
        return self._value(None)

    def _skip(self, *kinds: type[yaml.Event]) -> None:
        while self._loader.check_event(*kinds):
            self._next_event()

    def _value(self, parent: Entry | None) -> Value:
        event = self._next_event()
        start = event.start_mark.index
        end = event.end_mark.index
        if isinstance(event, yaml.AliasEvent):
            return Alias(start, end, None, str(event.anchor))
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        result = Collection(start, end, event.anchor, is_mapping, bool(event.flow_style), parent)
        end_of_it = yaml.MappingEndEvent if is_mapping else yaml.SequenceEndEvent
        while not self._loader.check_event(end_of_it):
            result.entries.append(self._entry(result))
        result.end = self._next_event().end_mark.index
        return result

    def _scalar(self, event: Any) -> Scalar:
        start = event.start_mark.index
        end = event.end_mark.index
        implicit = (event.implicit[0], event.implicit[1])
        tag = event.tag or resolved_tag(self._loader, event.value, implicit)
        return Scalar(start, end, event.anchor, event.value, tag)

    def _entry(self, of: Collection) -> Entry:
        placeholder = Scalar(0, 0, None, "", STR_TAG)
        if of.is_mapping:
            key = self._scalar(self._next_event())
            entry = Entry(of, key.start, self._column(key.start), key, placeholder)
        else:
            start = int(self._loader.peek_event().start_mark.index)  # type: ignore[no-untyped-call]
            if not of.is_flow:
                start = self._dash_before(start)
            entry = Entry(of, start, self._column(start), None, placeholder)
        entry.value = self._value(entry)
        return entry

    def _dash_before(self, start: int) -> int:
        return self._dash_starts[bisect_right(self._dash_starts, start) - 1]

    def _column(self, start: int) -> int:
        line_start: int = self._text.rfind("\n", 0, start) + 1
        return start - line_start


def _entries(of: Collection) -> Iterator[Entry]:
    """All entries below a collection, in the order of the text."""
    for entry in of.entries:
        yield entry
        if isinstance(entry.value, Collection):
            yield from _entries(entry.value)


def _comments(text: str, tokens: list[yaml.Token]) -> Iterator[_Comment]:
    """Comments and blank lines: everything between two tokens that is no space."""
    edges = [
        0,
        *(index for token in tokens for index in (token.start_mark.index, token.end_mark.index)),
        len(text),
    ]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        position = start
        for number, line in enumerate(text[start:end].split("\n")):
            has_own_line = number > 0 or position == 0 or text[position - 1] == "\n"
            comment = line.strip()
            is_last = position + len(line) == end
            if comment.startswith("#"):
                column = len(line) - len(line.lstrip()) if has_own_line else 0
                yield _Comment(position, column, comment, has_own_line)
            elif has_own_line and not is_last:
                yield _Comment(position, 0, "", has_own_line=True)
            position += len(line) + 1


def _header_comments(text: str, tokens: list[yaml.Token]) -> Iterator[_Comment]:
    """Comments after the `|` or `>` of a text in a block, which are a part of its token."""
    for token in tokens:
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            start = token.start_mark.index
            header, hash_sign, comment = text[start : text.find("\n", start)].partition("#")
            if hash_sign:
                yield _Comment(start + len(header), 0, f"#{comment.rstrip()}", has_own_line=False)


class _Attaching:
    """The entry, or the collection, that each comment belongs to."""

    def __init__(self, root: Collection, tokens: list[yaml.Token], entries: list[Entry]) -> None:
        self._root = root
        self._entries = entries
        self._starts = [entry.start for entry in entries]
        self._token_ends = [token.end_mark.index for token in tokens]

    def attach(self, comments: list[_Comment]) -> None:
        """Each to its place; blank lines go with the comment or the entry after them."""
        texts = [comment for comment in comments if comment.text]
        starts = [comment.start for comment in texts]
        after_blank: set[int] = set()
        for comment in comments:
            if comment.text and comment.has_own_line:
                blank = [""] if comment.start in after_blank else []
                self._own_line_place(comment).extend([*blank, comment.text])
            elif comment.text and not self._entries:
                self._root.after.append(comment.text)
            elif comment.text:
                self._entry_at_end_of_line(comment).trailing.append(comment.text)
            else:
                position = bisect_right(starts, comment.start)
                following = texts[position].start if position < len(texts) else None
                entry = self._next(comment.start)
                if entry is not None and (following is None or following > entry.start):
                    entry.before.append("")
                elif following is not None:
                    after_blank.add(following)

    def _next(self, start: int) -> Entry | None:
        position = bisect_right(self._starts, start)
        return self._entries[position] if position < len(self._entries) else None

    def _last(self, start: int) -> Entry | None:
        position = bisect_right(self._starts, start)
        return self._entries[position - 1] if position else None

    def _own_line_place(self, comment: _Comment) -> list[str]:
        following = self._next(comment.start)
        last = self._last(comment.start)
        around = self._flow_around(last, comment.start)
        if around is not None:
            is_within = following is not None and following.start < around.end
            return following.before if following is not None and is_within else around.after
        if following is not None and comment.column <= following.column:
            return following.before
        return self._collection_at(last, comment.column).after

    def _flow_around(self, last: Entry | None, position: int) -> Collection | None:
        """The innermost collection in brackets that a position is in."""
        entry = last
        while entry is not None:
            for collection in (entry.value, entry.of):
                is_flow = isinstance(collection, Collection) and collection.is_flow
                if is_flow and collection.start < position < collection.end:
                    assert isinstance(collection, Collection)
                    return collection
            entry = entry.of.parent
        return None

    def _collection_at(self, last: Entry | None, column: int) -> Collection:
        """The innermost block collection of the last entry that begins at a column or to
        its left.
        """
        entry = last
        while entry is not None:
            if not entry.of.is_flow and entry.column <= column:
                return entry.of
            entry = entry.of.parent
        return self._root

    def _entry_at_end_of_line(self, comment: _Comment) -> Entry:
        """The outermost entry that ends with the token before a comment."""
        entry = self._last(comment.start)
        if entry is None:
            return self._entries[0]
        token_end = self._token_ends[bisect_right(self._token_ends, comment.start) - 1]
        parent = entry.of.parent
        while parent is not None and entry.of.is_flow and entry.of.end <= token_end:
            entry, parent = parent, parent.of.parent
        return entry
