"""The prose of the repository's files: pages, docstrings, comments, messages, templates. Code is
left out.

Each reader takes the text of a file and yields `Prose`, a piece of text that is read as one: a
paragraph, a cell of a table, a docstring, a comment, a message. Inline code, quoted YAML and blocks
of code are replaced by a placeholder.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath

import yaml

CODE = "CODE"
"""stands for inline code, so that a sentence keeps its number of words"""
VALUE = "VALUE"
"""stands for a value that a program puts into a message"""
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|[0-9]+\.)\s+")
_SHELL = re.compile(
    r"\$[({\w]|&&|\|\||[0-9]?>&?[0-9/$]|;\s*(?:do|then|done|fi)\b|\bexit"
    r" [0-9]|\\[swdb.(]|\(\?|\[a-z"
)
_SHELL_COMMENT = re.compile(r"\s*#(?!!)\s+(?!shellcheck )(.*\w.*)")
_DIRECTIVE = re.compile(r"#\s*(?:noqa|type:|fmt:|pragma|shellcheck|!)")
_JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_HTML = re.compile(r"<style.*?</style>|<script.*?</script>|<[^>]*>", re.DOTALL)


@dataclass(frozen=True)
class Prose:
    """A piece of text, and the line of the file that it begins on."""

    line: int
    text: str

    def line_of(self, offset: int) -> int:
        """The line of the file on which the letter number `offset` of the text is."""
        return self.line + self.text.count("\n", 0, offset)


def _blank(match: re.Match[str], placeholder: str = "") -> str:
    """A placeholder with the line breaks of the replaced text, so that lines keep their numbers."""
    return placeholder + "\n" * match[0].count("\n")


def without_code(text: str) -> str:
    """Text of Markdown without inline code, comments, targets of links and marks of emphasis."""
    text = re.sub(r"<!--.*?-->", _blank, text, flags=re.DOTALL)
    text = re.sub(
        r"(`+)(?:(?!\n\n).)*?\1", lambda match: _blank(match, CODE), text, flags=re.DOTALL
    )
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    text = re.sub(r"<?https?://[^\s>)]+>?", CODE, text)
    return re.sub(r"\*\*|!?\[|\]", "", text)


def _without_blocks(text: str) -> list[str]:
    """The lines of a page, where those of fenced and of indented blocks of code are empty."""
    lines: list[str] = []
    fence = None
    in_block = False
    for line in text.split("\n"):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark is not None:
            if fence is None:
                fence = mark[1]
            elif line.strip() == fence:
                fence = None
        elif fence is None:
            begins = not lines or not lines[-1].strip()
            is_indented = line.startswith("    ") and not _LIST_ITEM.match(line)
            in_block = is_indented and (in_block or begins)
            lines.append("" if in_block else line)
            continue
        lines.append("")
    return lines


def pieces_of_markdown(text: str, first_line: int = 1) -> Iterator[Prose]:
    """The paragraphs, headings, items of lists and cells of tables of a page."""
    block: list[str] = []
    block_line = 0
    lines = _without_blocks(without_code_blocks_kept(text))
    for number, line in enumerate([*lines, ""], first_line):
        is_row = line.lstrip().startswith("|")
        alone = is_row or line.startswith("#")
        if block and (not line.strip() or alone or _LIST_ITEM.match(line)):
            yield Prose(block_line, "\n".join(block))
            block = []
        if is_row:
            cells = line.strip().strip("|").split("|")
            yield from (Prose(number, cell.strip()) for cell in cells if re.search(r"\w", cell))
        elif alone:
            yield Prose(number, line.lstrip("# "))
        elif line.strip():
            block_line = block_line if block else number
            block.append(_LIST_ITEM.sub("", line, count=1) if not block else line.strip())


def without_code_blocks_kept(text: str) -> str:
    """`without_code` of all but the fenced blocks, which keep their marks for their reader."""
    parts = re.split(r"(^[ ]*```.*?^[ ]*```[ ]*$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if index % 2 else without_code(part) for index, part in enumerate(parts))


def _docstrings(tree: ast.Module) -> dict[int, ast.Constant]:
    """Every string that is a statement: docstrings, and what follows a constant; by the identity of
    its node.
    """
    statements = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    constants = [value for value in statements if isinstance(value, ast.Constant)]
    return {id(value): value for value in constants if isinstance(value.value, str)}


def pieces_of_python(text: str, *, messages: bool) -> Iterator[Prose]:
    """Docstrings and comments; where `messages` is set, the texts that the program prints, too."""
    tree = ast.parse(text)
    docstrings = _docstrings(tree)
    for node in docstrings.values():
        yield Prose(node.lineno, without_code(str(node.value)))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string):
            yield Prose(token.start[0], without_code(token.string.lstrip("# ")))
    if messages:
        yield from _messages(tree, frozenset(docstrings))


def pieces_of_shell(text: str, first_line: int = 1) -> Iterator[Prose]:
    """The comments of a script; adjacent lines are one text."""
    comment: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], first_line):
        match = _SHELL_COMMENT.match(line)
        if match:
            comment.append(match[1])
        elif comment:
            yield Prose(number - len(comment), without_code("\n".join(comment)))
            comment = []


def _messages(tree: ast.Module, docstrings: frozenset[int]) -> Iterator[Prose]:
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    parts_of_joined = chain.from_iterable(map(ast.walk, joined))
    left_out = docstrings.union(map(id, parts_of_joined))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (
                part.value if isinstance(part, ast.Constant) else VALUE for part in node.values
            )
            text = "".join(map(str, parts))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in left_out
        ):
            text = node.value
        else:
            continue
        yield from pieces_of_shell(text, node.lineno)
        if is_prose(text):
            yield Prose(node.lineno, without_code(" ".join(text.split())))


def is_prose(text: str) -> bool:
    """Whether a string of a program is a text for people: several words, and nothing of a shell or
    of a pattern.
    """
    words = re.findall(r"(?<![\w/.-])[A-Za-z]{2,}(?![\w/=(-])", text)
    return len(words) >= 2 and " " in text.strip() and not _SHELL.search(text)


def pieces_of_rust(text: str) -> Iterator[Prose]:
    """The doc comments."""
    block: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        match = re.match(r"\s*//[/!] ?(.*)", line)
        if match:
            block.append(match[1])
        elif block:
            yield from pieces_of_markdown("\n".join(block), number - len(block))
            block = []


def pieces_of_html(text: str) -> Iterator[Prose]:
    """The text of a template of HTML, without its tags and its logic."""
    plain = _JINJA.sub(
        lambda match: _blank(match, VALUE if match[0].startswith("{{") else ""), text
    )
    plain = _HTML.sub(lambda match: _blank(match, " | "), plain)
    for number, line in enumerate(plain.split("\n"), 1):
        yield from (
            Prose(number, piece.strip())
            for piece in line.split(" | ")
            if re.search(r"[A-Za-z]", piece)
        )


def pieces_of_yaml(text: str) -> Iterator[Prose]:
    """The comments of a template of YAML."""
    plain = _JINJA.sub(
        lambda match: _blank(match, VALUE if match[0].startswith("{{") else ""), text
    )
    for number, line in enumerate(plain.split("\n"), 1):
        if match := re.search(r"(?:^|\s)#\s(.*)", line):
            yield Prose(number, without_code(match[1]))


def pieces_of_study(text: str) -> Iterator[Prose]:
    """The comments of a study, and its texts for people: titles, reasons, notes, questions."""
    yield from pieces_of_yaml(text)
    # An alias repeats its node, which is one text in the file.
    scalars = {id(node): node for node in _scalars(yaml.compose(text, Loader=yaml.SafeLoader))}
    for node in scalars.values():
        if is_prose(node.value):
            yield Prose(node.start_mark.line + 1, without_code(node.value))


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """Every scalar below a node, once for each alias of it."""
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalars(item)
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _scalars(value)


def _messages_of_python(text: str) -> Iterator[Prose]:
    return pieces_of_python(text, messages=True)


def _comments_of_python(text: str) -> Iterator[Prose]:
    return pieces_of_python(text, messages=False)


def _suffix(name: str, text: str) -> str:
    """The suffix of a file; a program without one has that of its interpreter."""
    suffix = PurePath(name).suffix
    interpreter, _, _ = text.partition("\n")
    if suffix or not interpreter.startswith("#!"):
        return suffix
    return ".py" if "python" in interpreter else ".sh"


def _reader(name: str, suffix: str) -> Callable[[str], Iterator[Prose]]:
    """The reader for a file of this name; KeyError for an unknown suffix."""
    if name.endswith(".yaml.j2") or name.endswith("/parts.j2"):
        return pieces_of_yaml
    readers = {
        ".md": pieces_of_markdown,
        ".py": _messages_of_python if name.startswith("src/") else _comments_of_python,
        ".rs": pieces_of_rust,
        ".sh": pieces_of_shell,
        ".yaml": pieces_of_study,
        ".j2": pieces_of_html,
    }
    return readers[suffix]


def pieces_of(name: str, text: str) -> list[Prose]:
    """The prose of a file; `name` is its path from the root of the repository, and decides how it
    is read.
    """
    return list(_reader(name, _suffix(name, text))(text))
