"""The page of the catalogue: escaping, order, bytes, policy, and its verb."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seatrial.catalogue.page import TEMPLATES, render, write_catalogue
from seatrial.catalogue.runs import relative_url
from seatrial.catalogue.sources import read_inputs
from seatrial.report.tree import Element
from tests.builders.catalogues import HOSTILE, PATHS, page_of, put, summary, whole, write
from tests.builders.commands import in_process
from tests.builders.html_tree import tree_of
from tests.builders.results import result_of
from tests.builders.strategies import MINIMAL


@pytest.fixture
def page(tmp_path: Path) -> str:
    """Two studies, one with two runs and one of another profile."""
    return page_of(
        tmp_path,
        whole(0),
        whole(1, run__profile="full"),
        whole(2),
        whole(3, study__id="other", headline__criteria={"pass": 1, "fail": 1}),
    )


# ---- without a browser


class _Shape(HTMLParser):
    """The tags and the names of their attributes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(name for name, _ in attrs)))


def shape(text: str) -> list[tuple[str, ...]]:
    """The structure of a page, without its texts."""
    parser = _Shape()
    parser.feed(text)
    return parser.tags


def two_runs(folder: Path, path: tuple[str | int, ...], text: str) -> str:
    """The page of two runs with a text at a path."""
    broken_off = {"run__is_complete": False}
    runs = [put(whole(number, **broken_off), path, text) for number in range(2)]
    for number, data in enumerate(runs):
        place = folder / str(number)
        place.mkdir(parents=True, exist_ok=True)
        (place / "results.json").write_text(json.dumps(data))
    return render(read_inputs([folder]), folder / "catalogue.html")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_no_text_becomes_markup(tmp_path: Path, path: tuple[str | int, ...]) -> None:
    """The page has the same elements with a hostile text as with a plain one."""
    hostile = two_runs(tmp_path, path, HOSTILE)
    assert shape(hostile) == shape(two_runs(tmp_path, path, "plain"))
    assert "<img" not in hostile


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1), path=st.sampled_from(PATHS))
def test_any_text_can_be_shown(tmp_path: Path, text: str, path: tuple[str | int, ...]) -> None:
    """Also control characters; the file is valid UTF-8."""
    two_runs(tmp_path, path, text)
    out = tmp_path / "catalogue.html"
    write_catalogue(read_inputs([tmp_path]), out)
    written = out.read_bytes().decode()
    assert shape(written) == shape(two_runs(tmp_path, path, "plain"))
    out.unlink()


def test_half_of_a_surrogate_pair_ends_nothing(tmp_path: Path) -> None:
    """It is no character; the page is written whether or not the run is on it."""
    write(tmp_path / "in", whole(0), put(whole(1), ("study", "title"), "\ud800"))
    out = tmp_path / "catalogue.html"
    write_catalogue(read_inputs([tmp_path / "in"]), out)
    assert "small-0" in out.read_bytes().decode()


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    """In any order of the operands, and at any place."""
    for place in ("here", "there"):
        write(tmp_path / place, whole(0), whole(1), whole(2))
    here = tmp_path / "here"
    there = tmp_path / "there"
    backwards = read_inputs([there / f"small-{number}" for number in (2, 1, 0)])
    first = render(read_inputs([here]), here / "page.html")
    assert render(backwards, there / "page.html") == first
    assert str(tmp_path) not in first


def test_the_page_loads_nothing_and_runs_one_script(page: str) -> None:
    """Its policy names the script and the style by their hashes."""
    tree = tree_of(page)
    policy = next(
        item.attributes["content"]
        for item in tree.all("meta")
        if item.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    for name in ("catalogue.js", "catalogue.css"):
        digest = hashlib.sha256((TEMPLATES / name).read_bytes()).digest()
        assert f"'sha256-{base64.b64encode(digest).decode()}'" in policy
    scripts = [item for item in tree.all("script") if "type" not in item.attributes]
    assert len(scripts) == 1
    assert [item.text for item in tree.all("style")] == [(TEMPLATES / "catalogue.css").read_text()]
    assert scripts[0].text == (TEMPLATES / "catalogue.js").read_text()
    names = {name for tag in shape(page) for name in tag[1:]}
    assert names.isdisjoint({"src", "style", "srcset", "action"})
    assert not [name for name in names if name.startswith("on")]
    links = {item.attributes["href"] for item in tree.all("a")}
    assert all(link.startswith(("#", "./")) for link in links)


def test_the_table_is_readable_without_the_script(page: str) -> None:
    """Every run with its texts; what needs the script is hidden."""
    tree = tree_of(page)
    assert tree.first("html").classes == {"plain"}
    rows = list(next(item for item in tree.all("tbody")).all("tr"))
    texts = [" ".join(row.text.split()) for row in rows]
    assert len(texts) == 4
    for text in ("small-1", "2026-09-22 14:13 UTC", "full", "emulated 1/40", "read 20.0 MB/s"):
        assert text in texts[1]
    assert "2: 2 pass longest outage 43.0 s (it)" in texts[1]
    assert "1 pass" in texts[1]
    assert "fail" in texts[3]
    filters = next(item for item in tree.all("div") if "filters" in item.classes)
    assert "tool" in filters.classes


def test_a_missing_value_is_a_dash(tmp_path: Path) -> None:
    """In the table of runs and in the values of a trend; never None, and never 0."""
    bare = summary(0, run__started_unix_s=None, headline__criteria={}, peaks=[], faults=[])
    page = page_of(tmp_path, bare, whole(1), whole(2))
    tree = tree_of(page)
    last = list(tree.first("tbody").all("tr"))[-1]
    cells = [cell.text.strip() for cell in last.all("td")]
    assert [cells[number] for number in (1, 6, 7, 8, 9)] == ["–"] * 5
    texts = [cell.text.strip() for cell in tree.all("td", "option", "caption")]
    assert not [text for text in texts if "None" in text]


def test_a_report_is_linked_where_there_is_one(tmp_path: Path) -> None:
    """By a relative URL without a scheme, whatever its name is."""
    folder = write(tmp_path / "results", whole(0), whole(1))
    (folder / "small-1" / "report.html").write_text("x")
    tree = tree_of(render(read_inputs([folder]), tmp_path / "catalogue.html"))
    links = [item.attributes["href"] for item in tree.first("tbody").all("a")]
    assert links == ["./results/small-1/report.html"]
    hostile = relative_url(tmp_path / "javascript:alert(1)" / 'a"b?#%.html', tmp_path / "page.html")
    assert hostile == "./javascript%3Aalert%281%29/a%22b%3F%23%25.html"


def test_every_table_and_drawing_has_its_words(page: str) -> None:
    """Captions, scopes, and a text alternative; ids are unique."""
    tree = tree_of(page)
    for table in tree.all("table"):
        assert table.first("caption").text.strip()
        assert all(cell.attributes.get("scope") for cell in table.all("th"))
    drawings = list(tree.all("svg"))
    assert drawings
    assert all(item.attributes["role"] == "img" for item in drawings)
    assert all(item.attributes["aria-label"] for item in drawings)
    found = [item.attributes["id"] for item in every(tree) if "id" in item.attributes]
    assert len(found) == len(set(found))
    assert any(item.attributes.get("aria-sort") == "ascending" for item in tree.all("th"))


def every(item: Element) -> Iterator[Element]:
    """An element and all below it."""
    yield item
    for child in item.elements:
        yield from every(child)


def test_the_data_of_the_script_are_json(page: str) -> None:
    """With the interval of each ratio, as text."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert data["ratios"]["0,2"]["0"] == ["1.000", "0.978 to 1.023", "not decided"]


# ---- the verb


def test_the_verb_writes_the_page(tmp_path: Path) -> None:
    """It reads the default folder, and warns of each input that is left out."""
    folder = write(tmp_path / "results", whole(0), whole(1))
    (folder / "bad").mkdir()
    (folder / "bad" / "results.json").write_text('{"schema": "results/9"}')
    done = in_process("catalogue", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "catalogue.html: 2 runs of 1 study\n")
    warning = "left out: results/bad/results.json: schema 'results/9' is not known"
    assert done.stderr.startswith(warning)
    page = (tmp_path / "catalogue.html").read_text()
    assert "results/bad/results.json" in page
    assert "schema &#39;results/9&#39; is not known" in page


def test_the_verb_has_an_object(tmp_path: Path) -> None:
    """With a code for each problem."""
    write(tmp_path / "results", whole(0))
    done = in_process(
        "catalogue", "results", "nowhere", "--out", "page.html", "--json", cwd=tmp_path
    )
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "catalogue": "page.html",
        "runs": 1,
        "left_out": [
            {"path": "nowhere", "problem": "missing", "words": "there is no such file or folder"}
        ],
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "no input is a readable result summary"),
        ((), "no input is a readable result summary"),
        (("old",), "hint: seatrial judge RESULT writes results.json"),
        (("results", "--out", "results.json"), "--out results.json: the page is HTML"),
        (("results", "--out", "no/page.html"), "--out no/page.html: there is no folder no"),
    ],
)
def test_wrong_input_ends_with_2(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    """No page is written."""
    result_of(tmp_path / "old", MINIMAL)
    done = in_process("catalogue", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not list(tmp_path.glob("**/*.html"))


def test_an_edited_result_is_marked_and_ends_with_3(tmp_path: Path) -> None:
    """The page is written; it shows the run with its state."""
    write(tmp_path / "results", whole(0), whole(1, run__seal="broken"))
    done = in_process("catalogue", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr.startswith("seal: results/small-1: a sealed file changed after the run")
    assert "edited after its run" in (tmp_path / "catalogue.html").read_text()
