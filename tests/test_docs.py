"""The instructions of the documents: every command, study, key, target and link in them is
tried.
"""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import SeatrialError
from seatrial.check import prepare
from seatrial.start.json_schema import study_schema
from seatrial.study.study import parse_study
from tests.builders.commands import parsed
from tests.builders.places import ROOT

PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "studies/*/README.md", "published/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)


INLINE = re.compile(r"`([^`\n]+)`")


LINK = re.compile(r"\]\(([^)\s]+)\)")


def blocks(path: Path) -> Iterator[tuple[str, str]]:
    """(Language, text) of every block of code, fenced or indented."""
    text = path.read_text()
    for found in re.finditer(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield found[1], found[2]
    rest = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for found in re.finditer(r"(?:^ {4,}\S.*\n)+", rest, re.MULTILINE):
        yield "", re.sub(r"^ {4}", "", found[0], flags=re.MULTILINE)


def prose(path: Path) -> str:
    """All but the blocks of code that are fenced."""
    return re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)


def commands(path: Path) -> Iterator[str]:
    """Every line of a block, and every `...` in the text, that runs the program."""
    lines = [line for _, text in blocks(path) for line in text.splitlines()]
    lines += INLINE.findall(prose(path))
    for line in lines:
        for part in line.split("; "):
            words = part.strip().removeprefix("$ ").removeprefix(".venv/bin/")
            if words.startswith("seatrial "):
                yield words


WITH_COMMANDS = [(path, command) for path in PAGES for command in commands(path)]


FREE = {
    "seatrial --version",
    "seatrial --help",
    "seatrial --install-completion",
    "seatrial --show-completion",
}
"""these end as soon as they are parsed"""


@pytest.mark.parametrize(
    ("path", "command"), WITH_COMMANDS, ids=[f"{p.name}:{c}"[:90] for p, c in WITH_COMMANDS]
)
def test_every_command_is_one(path: Path, command: str) -> None:
    """Its verb exists, and so do its options; a sentence may omit the arguments."""
    if re.sub(r"\s+#.*", "", command) in FREE:
        return
    try:
        parsed(command)
    except Exception as error:
        missing = type(error).__name__ == "MissingParameter"
        if not missing or len(command.split()) > 3:
            pytest.fail(f"{path.relative_to(ROOT)}: {command}: {error!r}")


def test_the_commands_are_looked_at() -> None:
    """The reader above finds them, and a wrong one fails."""
    assert len(WITH_COMMANDS) > 80
    for wrong in (
        "seatrial frobnicate",
        "seatrial run STUDY --sideways",
        "seatrial lab sink STUDY",
    ):
        with pytest.raises(Exception, match=r"(?i)no such"):
            parsed(wrong)


WHOLE = [
    (path, number, text)
    for path in PAGES
    for number, (language, text) in enumerate(blocks(path))
    if language == "yaml" and text.startswith("schema: study/1")
]


@pytest.mark.parametrize(
    ("path", "number", "text"), WHOLE, ids=[f"{path.name}-{number}" for path, number, _ in WHOLE]
)
def test_every_whole_study_holds_together(path: Path, number: int, text: str) -> None:
    """With all its profiles, faults and claims; it measures or breaks something, and claims
    something.
    """
    study = parse_study(text, path)
    _, solution = prepare(study)
    assert solution.plan({}).stages
    assert study.experiments or study.faults
    assert study.criteria


def test_the_readme_shows_real_hosts() -> None:
    """Its study is one of real hosts."""
    texts = [text for path, _, text in WHOLE if path == ROOT / "README.md"]
    assert [parse_study(text, ROOT / "README.md").environment.kind for text in texts] == ["hosts"]
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@cache
def properties() -> frozenset[str]:
    """Every key that the schema of a study knows."""
    found: set[str] = set()

    def gather(value: Any) -> None:
        if isinstance(value, dict):
            found.update(value.get("properties", {}))
            for item in value.values():
                gather(item)
        elif isinstance(value, list):
            for item in value:
                gather(item)

    gather(study_schema())
    return frozenset(found)


def test_every_key_of_the_study_format_is_one() -> None:
    """The first cell of each table with keys; and every key of the schema is on the page."""
    page = (ROOT / "docs/study-format.md").read_text()
    wrong = []
    for table in re.findall(r"^\| key (?:of [^|]+)?\|.*\n(?:\|.*\n)+", page, re.MULTILINE):
        for row in table.splitlines()[2:]:
            for key in INLINE.findall(row.split("|")[1]):
                last = key.rpartition(".")[2]
                if last not in properties() and not key.isupper() and "NODES" not in key:
                    wrong.append(key)
    assert wrong == []


def test_every_key_of_the_schema_is_documented() -> None:
    """Somewhere in the documents, as `key`, `part.key` or in an example."""
    words = set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", " ".join(page.read_text() for page in PAGES)))
    assert sorted(properties() - words) == []


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    plain = [
        re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower() for title in titles
    ]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


@pytest.mark.parametrize(
    "path", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_every_link_leads_somewhere(path: Path) -> None:
    """Files and headings of this repository; other sites are not asked."""
    broken = []
    for link in LINK.findall(prose(path)):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_page_is_reached_from_the_start_page() -> None:
    """By a chain of links that begins at docs/README.md."""
    seen: set[Path] = set()
    todo = [ROOT / "docs/README.md"]
    while todo:
        page = todo.pop()
        if page in seen or not page.is_file() or page.suffix != ".md":
            continue
        seen.add(page)
        links = [
            link.partition("#")[0] for link in LINK.findall(page.read_text()) if "://" not in link
        ]
        todo += [(page.parent / link).resolve() for link in links if link]
    pages = {
        path
        for path in PAGES
        if path.is_relative_to(ROOT / "docs") and "decisions" not in path.parts
    }
    assert pages - seen == set()


def test_every_target_of_make_is_one() -> None:
    """Those that the documents name, with their variables."""
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z]+(?:-[a-z]+)*):", makefile, re.MULTILINE))
    known = set(re.findall(r"\$\((?:if \$\()?([A-Z]+)", makefile))
    for path in PAGES:
        lines = [line for _, text in blocks(path) for line in text.splitlines()] + INLINE.findall(
            prose(path)
        )
        for line in lines:
            words = re.sub(r"\s+#.*", "", line.strip()).split()
            if words[:1] != ["make"] or len(words) < 2:
                continue
            for word in words[1:]:
                name, assigned, _ = word.partition("=")
                assert name in (known if assigned else targets), f"{path.name}: {line}"


def test_every_named_study_exists() -> None:
    """`studies/ID` in the documents."""
    for path in PAGES:
        for name in re.findall(r"\bstudies/([a-z0-9][a-z0-9-]*)\b", path.read_text()):
            assert (ROOT / "studies" / name).is_dir() or name == "id", f"{path.name}: {name}"


def test_a_mistake_in_a_document_would_be_found(tmp_path: Path) -> None:
    """A study with an unknown key, and a link into nothing."""
    page = tmp_path / "page.md"
    page.write_text("[x](gone.md)\n\n```yaml\nschema: study/1\nid: x\n```\n")
    ((_, text),) = blocks(page)
    with pytest.raises(SeatrialError):
        parse_study(text, page)
    assert not (page.parent / LINK.findall(prose(page))[0]).exists()


def shown_by(text: str) -> list[list[tuple[str, str]]]:
    """(file, test) of the last cell of each row of the tables."""
    rows = [
        line.strip("|").rpartition("|")[2] for line in text.splitlines() if line.startswith("| ")
    ]
    return [re.findall(r"`([\w/.]+)::(\w+)`", row) for row in rows if row.strip() != "shown by"]


def lacking(rows: list[list[tuple[str, str]]]) -> list[str]:
    """Tests that are named and are not there."""
    return [
        f"{name}::{test}"
        for name, test in dict.fromkeys(found for row in rows for found in row)
        if not (path := ROOT / ("crates" if name.endswith(".rs") else "tests") / name).is_file()
        or not re.search(rf"^ *(?:def|fn) {test}\(", path.read_text(), re.MULTILINE)
    ]


def test_every_cited_test_exists() -> None:
    """Each row of docs/assurance.md names one at least; a test that is called otherwise is called
    so there, too.
    """
    rows = shown_by((ROOT / "docs" / "assurance.md").read_text())
    assert len(rows) > 40
    assert all(rows)
    assert lacking(rows) == []
    gone = shown_by(
        "| a | shown by |\n|---|---|\n| b | `test_docs.py::test_gone`,"
        " `test_docs.py::test_every_link` |"
    )
    assert lacking(gone) == ["test_docs.py::test_gone", "test_docs.py::test_every_link"]


def test_a_trial_takes_a_study_of_ones_own() -> None:
    """By its path, also one with a blank; a name is one of `seatrial list`."""
    reported = subprocess.run(
        ["make", "--no-print-directory", "-n", "trial", "STUDY=/home/me/a b", "QUICK=1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert reported.stdout.splitlines()[-1] == '.venv/bin/seatrial run "/home/me/a b" --quick'


PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\bN\b|…")
"""what stands for a name, a number or more text in a message of docs/troubleshooting.md"""


SHORT_OF_A_MESSAGE = 8
"""letters; a shorter piece of a message is in some source file by chance"""


def explained_messages(text: str) -> list[str]:
    """The fixed pieces of each message in the first cells of the tables below `Exit code`."""
    _, _, tables = text.partition("## Exit code 4")
    cells = re.findall(r"^\| (`.*?) \|", tables, re.MULTILINE)
    messages = [
        message
        for cell in cells
        for message in INLINE.findall(cell)
        if not message.startswith("seatrial ")
    ]
    pieces = [piece.strip(" :()") for message in messages for piece in PLACEHOLDER.split(message)]
    return [piece for piece in pieces if len(piece) >= SHORT_OF_A_MESSAGE]


def not_in_the_source(pieces: list[str]) -> list[str]:
    """The pieces that no literal of the program has; a literal may continue in the next line."""
    files = [
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "src").rglob("*.sh"),
        *(ROOT / "crates").rglob("*.rs"),
    ]
    text = " ".join(file.read_text() for file in files)
    joined = re.sub(r'"\s*\n\s*f?"', "", text)
    plain = re.sub(r"\{[^{}]*\}", "", joined)
    return [piece for piece in pieces if piece not in joined and piece not in plain]


def test_every_message_that_is_explained_is_one() -> None:
    """A message that was reworded is reworded in docs/troubleshooting.md, too."""
    pieces = explained_messages((ROOT / "docs/troubleshooting.md").read_text())
    assert len(pieces) > 60
    assert not_in_the_source(pieces) == []
    invented = explained_messages(
        "## Exit code 4\n| `NODE: the frobnicator broke down: N` | x | y |\n"
    )
    assert not_in_the_source(invented) == ["the frobnicator broke down"]
