"""docs/decisions: the index lists every decision once, by its number and title."""

import re

from tests.builders.places import ROOT

FOLDER = ROOT / "docs" / "decisions"
INDEX = FOLDER / "README.md"
ENTRY = re.compile(r"^- \[(?P<title>.+)\]\((?P<file>[^)]+)\)$", re.MULTILINE)


def titles_of_files() -> dict[str, str]:
    """The name of each decision -> its heading."""
    files = [path for path in FOLDER.glob("*.md") if path != INDEX]
    return {path.name: path.read_text().splitlines()[0].removeprefix("# ") for path in files}


def test_the_index_lists_each_decision_once() -> None:
    """A new decision needs a line, and a new title a new line."""
    entries = [(found["file"], found["title"]) for found in ENTRY.finditer(INDEX.read_text())]
    assert sorted(entries) == sorted(titles_of_files().items())


def test_a_decision_has_the_number_of_its_file() -> None:
    """A link by number leads to the right page."""
    numbers = {name: f"{int(name[:4])}. " for name in titles_of_files()}
    wrong = [
        name for name, title in titles_of_files().items() if not title.startswith(numbers[name])
    ]
    assert wrong == []


def test_a_link_names_the_decision_that_it_leads_to() -> None:
    """`decision 0049` in the text of a link is the file with that number."""
    pages = [*FOLDER.parent.glob("*.md"), *FOLDER.glob("*.md")]
    link = re.compile(r"\[(?:decision\s+)?(\d{4})\]\((?:decisions/)?(\d{4})-[^)]*\)", re.IGNORECASE)
    wrong = [
        f"{page.name}: {shown} leads to {target}"
        for page in pages
        for shown, target in link.findall(page.read_text())
        if shown != target
    ]
    assert wrong == []
