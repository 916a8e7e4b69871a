"""The page of the catalogue: escaping, order, bytes, policy, and its script in a browser."""

import base64
import copy
import hashlib
import html
import json
import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seatrial.catalogue.page import TEMPLATES, render, write_catalogue
from seatrial.catalogue.runs import relative_url
from seatrial.catalogue.sources import read_inputs
from seatrial.report.tree import Element
from tests.catalogues import STEADY, Data, fault_data, inputs, summary, write
from tests.commands import in_process
from tests.html_tree import tree_of
from tests.results import result_of
from tests.strategies import MINIMAL
from tests.test_report_page import BROWSER, LOOK

HOSTILE = "\"'><img src=x onerror=document.title='hit'></script><script>alert(1)</script><!--&amp;{{7*7}}"
WAIVER = {
    "criterion": "intact",
    "key": "stale_reads",
    "kind": "violation",
    "number": 3,
    "subject": "it",
    "example": "x",
    "where": "study.yaml:1",
    "reason": "known",
}
PEAK = {
    "experiment": "one",
    "variant": None,
    "values": {"clients": 2},
    "phase": "read",
    "quantity": "rate",
    "value": 2e7,
    "unit": "bytes/s",
    "bound": None,
    "words": "20 MB/s",
}


def whole(number: int, **changes: Any) -> Data:
    """A run with everything that the page shows."""
    faults = [fault_data(42.0 + number), fault_data(0.0, name="none")]
    more: Data = {"faults": faults, "peaks": [PEAK], "waivers": [WAIVER], **changes}
    return copy.deepcopy(summary(number, **more))


def page_of(folder: Path, *runs: Data) -> str:
    """The page of these runs."""
    return render(inputs(folder, *runs), folder / "catalogue.html")


@pytest.fixture
def page(tmp_path: Path) -> str:
    """Two studies, one with two runs and one of another profile."""
    return page_of(
        tmp_path,
        whole(0),
        whole(1, run__profile="full"),
        whole(2),
        whole(3, study__id="other", headline__verdict="fail"),
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


PATHS = (
    ("study", "id"),
    ("study", "title"),
    ("run", "result"),
    ("run", "profile"),
    ("run", "outcome"),
    ("run", "versions", "seatrial"),
    ("run", "versions", "kernel"),
    ("headline", "verdict"),
    ("criteria", 0, "id"),
    ("points", 0, "experiment"),
    ("points", 0, "variant"),
    ("points", 0, "phase"),
    ("points", 0, "values", "clients"),
    ("peaks", 0, "phase"),
    ("peaks", 0, "unit"),
    ("faults", 0, "name"),
)
"""every text of another person that the page shows"""


def put(data: Data, path: tuple[str | int, ...], text: str) -> Data:
    """The same data with this text at a path."""
    target: Any = data
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = text
    return data


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
    here, there = tmp_path / "here", tmp_path / "there"
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
    done = in_process("catalogue", "results", "nowhere", "--out", "page.html", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "catalogue": "page.html",
        "runs": 1,
        "left_out": [{"path": "nowhere", "problem": "missing", "words": "there is no such file or folder"}],
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


# ---- in a browser

ACT = """
const report = {};
const shown = () => [...document.querySelectorAll('#table tbody tr')].filter(row => !row.hidden)
  .map(row => row.dataset.number).join(' ');
const set = (selector, value) => {
  const item = document.querySelector(selector);
  item.value = value;
  item.dispatchEvent(new Event('input', {bubbles: true}));
};
const head = key => document.querySelector(`#table th[data-key=${key}]`);
const pick = number => document.querySelector(`.choice input[value="${number}"]`).click();
const tables = () => [...document.querySelectorAll('[data-comparison] table')].map(table =>
  [table.caption.textContent, ...[...table.rows].map(row =>
    [...row.cells].map(cell => [...cell.childNodes].map(it => it.textContent).join('|')))]);
const clear = () => document.querySelector('[data-reset]').click();
"""


def in_browser(page: str, folder: Path, actions: str) -> dict[str, Any]:
    """The object `report` after these actions, in a headless browser.

    The page's policy would refuse the second script, so that the copy has none.
    """
    changed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    end = (
        "document.body.replaceChildren(Object.assign(document.createElement('pre'), "
        "{id: 'found', textContent: JSON.stringify(report)}));"
    )
    script = f"<script>{ACT}{actions}\n{end}</script></body>"
    path = folder / "acted.html"
    path.write_text(changed.replace("</body>", script), encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', dumped(path, folder), re.DOTALL)
    assert found, "the script of the page failed"
    report: dict[str, Any] = json.loads(html.unescape(found[1]))
    return report


def dumped(path: Path, folder: Path, width: int = 1280) -> str:
    """The document after its scripts ran."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server"]
    command += [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1000"]
    command += ["--virtual-time-budget=5000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout


needs_browser = pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")


@needs_browser
def test_filters_hide_rows_and_trends(page: str, tmp_path: Path) -> None:
    """By study, verdict, profile, date and text; the number of rows is announced."""
    actions = """
    report.all = shown();
    set('[data-filter=study]', '=small'); report.study = shown();
    report.trends = [...document.querySelectorAll('.study')].map(item => item.hidden);
    set('[data-filter=profile]', '=full'); report.both = shown();
    report.series = [...document.querySelectorAll('.trend svg > g')]
      .filter(item => !item.hasAttribute('hidden')).map(item => item.dataset.profile);
    clear(); set('[data-filter=verdict]', '=fail'); report.verdict = shown();
    clear(); set('[data-from]', '2026-09-22'); set('[data-to]', '2026-09-23');
    report.dates = shown();
    clear(); set('[data-text]', 'OTHER 1/40'); report.text = shown();
    report.status = document.querySelector('[data-shown]').textContent;
    """
    found = in_browser(page, tmp_path, actions)
    assert set(found.pop("series")) == {"full"}
    assert found == {
        "all": "0 1 2 3",
        "study": "0 1 2",
        "trends": [False],
        "both": "1",
        "verdict": "3",
        "dates": "1 2",
        "text": "3",
        "status": "1 of 4 runs shown",
    }


@needs_browser
def test_columns_sort_in_both_directions(tmp_path: Path) -> None:
    """By button, so that a keyboard can; a row without a value is last in both."""
    slow = whole(0, peaks=[{**PEAK, "value": 1e6}])
    page = page_of(tmp_path, slow, whole(1, peaks=[]), whole(2))
    actions = """
    const press = key => head(key).querySelector('button').click();
    press('peak'); report.up = shown(); report.state = head('peak').ariaSort;
    press('peak'); report.down = shown();
    report.sorted = document.querySelectorAll('#table th[aria-sort]').length;
    press('date'); report.dates = shown();
    """
    found = in_browser(page, tmp_path, actions)
    assert found == {
        "up": "0 2 1",
        "state": "ascending",
        "down": "2 0 1",
        "sorted": 1,
        "dates": "0 1 2",
    }


@needs_browser
def test_selected_runs_are_compared_with_the_oldest(tmp_path: Path) -> None:
    """Ratios with intervals, verdicts by criterion, outages by fault, and facts that differ."""
    fast = summary(1, {1: (20.0, 20.2, 19.8), 4: (40.0, 40.4)}, faults=[fault_data(61.0)])
    page = page_of(tmp_path, summary(0, STEADY, faults=[fault_data(42.0)]), fast, whole(2))
    actions = """
    report.before = tables().length;
    pick(1); report.one = tables().length;
    pick(0); report.tables = tables();
    report.hint = document.querySelector('[data-hint]').textContent;
    """
    found = in_browser(page, tmp_path, actions)
    assert (found["before"], found["one"]) == (0, 0)
    assert found["hint"] == "2 runs; reference: small-0"
    facts, points, criteria, faults = found["tables"]
    assert ["date ≠", "2026-09-21 14:13 UTC", "2026-09-22 14:13 UTC"] in facts
    assert ["profile", "quick", "quick"] in facts
    assert points[1] == ["", "small-0", "small-1"]
    assert points[2] == [
        "one clients=1 read, MB/s",
        "10|9.754 to 10.25",
        "20|19.51 to 20.5|× 2.000 (1.955 to 2.046)|higher",
    ]
    assert points[3] == ["one clients=2 read, MB/s", "20|19.51 to 20.5", "–"]
    assert points[4][1] == "–"
    assert criteria[2] == ["intact", "pass", "unknown|evidence-missing"]
    assert faults[2] == ["it", "pass|42.0 s", "fail|61.0 s"]


@needs_browser
def test_a_hostile_text_runs_nothing(tmp_path: Path) -> None:
    """With the policy and without it, also in a comparison."""
    runs = [put(whole(number), path, HOSTILE) for number, path in enumerate(PATHS[:2])]
    for number, data in enumerate(runs):
        for path in PATHS[4:]:
            put(data, path, f"{HOSTILE}{number}" if path[-1] == "outcome" else HOSTILE)
    page = page_of(tmp_path / "in", *runs)
    actions = """
    pick(0); pick(1);
    report.images = document.querySelectorAll('img').length;
    report.title = document.title;
    report.tables = tables().length;
    """
    found = in_browser(page, tmp_path, actions)
    assert found == {"images": 0, "title": "Catalogue of 2 runs", "tables": 4}


@needs_browser
def test_the_policy_allows_the_pages_own_script(page: str, tmp_path: Path) -> None:
    """And its style: the page with its policy is no longer plain, and refuses another script."""
    path = tmp_path / "page.html"
    other = "<script>document.title = 'hit'</script></body>"
    path.write_text(page.replace("</body>", other), encoding="utf-8")
    document = dumped(path, tmp_path)
    assert re.search(r"<html[^>]*class=\"\"", document)
    assert "4 of 4 runs shown" in document
    assert "<title>Catalogue of 4 runs</title>" in document


@needs_browser
@pytest.mark.parametrize("state", ["script", "plain"])
def test_nothing_overflows_at_any_width(tmp_path: Path, state: str) -> None:
    """At 390 px and at 1280 px, with and without the script, also with a long name."""
    long = whole(1, study__title="a title " * 20, run__result="x" * 200)
    page = page_of(tmp_path / "in", whole(0), long, whole(2))
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    if state == "plain":
        page = page[: page.rindex("<script>")] + "</body></html>"
    else:
        pick = "document.querySelectorAll('.choice input').forEach(box => box.click());"
        page = page.replace("</body>", f"<script>{pick}</script></body>")
    widths = (390, 1280)
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{html.escape(page)}"></iframe>'
        for width in widths
    )
    path = tmp_path / "frames.html"
    head = '<!doctype html><meta charset="utf-8"><body>'
    path.write_text(f"{head}{frames}<script>{LOOK}</script>", encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', dumped(path, tmp_path, 1400), re.DOTALL)
    assert found
    looked = json.loads(html.unescape(found[1]))
    assert len(looked) == len(widths)
    for width, seen in zip(widths, looked, strict=True):
        assert seen.pop("texts"), width
        empty: Data = {"outside": [], "cut": [], "clipped": [], "small": [], "twice": []}
        assert seen == {"wide": 0, **empty}, width
