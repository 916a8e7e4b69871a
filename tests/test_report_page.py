"""The page as it is read: by a browser at three widths, in two colour schemes, by keyboard and by a
screen reader.
"""

import html
import json
import re
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.judge import study_of
from seatrial.judge.published_faults import judge_fault_rows
from seatrial.report.html import TEMPLATES, render
from seatrial.report.tables import ROWS_MAX
from seatrial.report.tree import Element
from seatrial.result.result import read_result
from tests.builders.browser import BROWSER, LOOK
from tests.builders.fault_results import MOMENTS, fault, result, stream
from tests.builders.html_tree import tree_of
from tests.builders.places import STUDIES
from tests.builders.reports import JUDGEMENTS, SAMPLE
from tests.builders.results import phase, result_of
from tests.builders.strategies import written_in

WIDTHS = (390, 800, 1280)


@pytest.fixture(scope="module", params=["points", "faults", "shares"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three reports: of experiments, of faults, and of what stands in for a system that is not
    there.
    """
    if request.param == "points":
        return render(read_result(SAMPLE), JUDGEMENTS)
    if request.param == "shares":
        whole = written_in(STUDIES / "gpfs-nsd" / "study.yaml")
        return render(
            result_of(tmp_path_factory.mktemp("r") / "run", whole, phase(experiment="large")), []
        )
    lost = stream(9.0, client="c2", lost_power=True, lost="its power was cut")
    parts = [["detection (a source with a rather long name)", 30.0], ["grace", 30.0]]
    expect = {"fails_over": True, "outage": 60.0, "outage_parts": parts}
    kept = result(
        tmp_path_factory.mktemp("r"),
        fault(moments=MOMENTS, streams=(stream(40.0), lost), expect=expect),
    )
    return render(kept, [*JUDGEMENTS, *judge_fault_rows(study_of(kept), kept)])


@pytest.fixture(scope="module")
def tree(page: str) -> Element:
    """The same as a tree."""
    return tree_of(page)


EXPAND = """
addEventListener('load', () => {
  const page = document.querySelector('iframe').contentDocument;
  const folded = () => [...page.querySelectorAll('details table, details pre')];
  const hidden = () => folded().filter(e => !e.checkVisibility()).length;
  const before = hidden();
  page.querySelector('#expand-all').click();
  const found = {folded: folded().length, before: before, after: hidden(),
    acceptance: page.querySelector('#acceptance').closest('details') === null};
  document.body.innerHTML = '';
  const shown = {id: 'found', textContent: JSON.stringify(found)};
  document.body.append(Object.assign(document.createElement('pre'), shown));
});
"""


def found_by(script: str, frames: str, folder: Path) -> Any:
    """The findings of a script in frames of the page, in a headless browser."""
    path = folder / "frames.html"
    head = '<!doctype html><meta charset="utf-8"><body>'
    path.write_text(f"{head}{frames}<script>{script}</script>", encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu"]
    command += [f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000"]
    command += ["--virtual-time-budget=5000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


@pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")
def test_one_box_unfolds_everything_without_a_script(page: str, tmp_path: Path) -> None:
    """The style sheet alone does it; chapters are never folded."""
    assert "<script" not in page
    frame = f'<iframe style="width:1280px;height:900px" srcdoc="{html.escape(page)}"></iframe>'
    found = found_by(EXPAND, frame, tmp_path)
    assert found["before"] == found["folded"] > 0
    assert found["after"] == 0
    assert found["acceptance"]


def sizes_pt(path: Path) -> dict[str, float]:
    """Each piece of text of a printed page with its size."""
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
    found: dict[str, float] = {}

    def visit(text: str, cm: list[float], tm: list[float], _font: Any, size: float) -> None:
        vertical = abs(tm[3] * cm[3]) or abs(tm[1] * cm[2])
        if text.strip():
            found[text.strip()] = min(size * vertical, found.get(text.strip(), 1000.0))

    for item in pypdf.PdfReader(path).pages:
        item.extract_text(visitor_text=visit)
    return found


@pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")
def test_the_browser_prints_open_content_in_readable_sizes(page: str, tmp_path: Path) -> None:
    """At least 8 pt; no script, no list of links, and the block for the signatures."""
    source = tmp_path / "report.html"
    printed = tmp_path / "printed.pdf"
    source.write_text(page, encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={printed}"]
    subprocess.run([*command, source.as_uri()], capture_output=True, timeout=120, check=True)
    sizes = sizes_pt(printed)
    text = " ".join(sizes)
    assert "accepted with conditions" in text
    assert "Show folded" not in text
    assert "Values as a table" not in text
    assert "#!/bin/sh" not in text
    assert {piece: size for piece, size in sizes.items() if size < 7.9} == {}


@pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")
def test_nothing_overflows_is_cut_or_empty_at_any_width(page: str, tmp_path: Path) -> None:
    """With everything unfolded, in a headless browser: a phone, a tablet, a screen."""
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px;border:0"'
        f' srcdoc="{html.escape(page)}"></iframe>'
        for width in WIDTHS
    )
    looked: list[dict[str, Any]] = found_by(LOOK, frames, tmp_path)
    assert len(looked) == len(WIDTHS)
    for width, seen in zip(WIDTHS, looked, strict=True):
        assert seen.pop("texts") or "<text" not in page, width
        assert seen == {
            "wide": 0,
            "outside": [],
            "cut": [],
            "clipped": [],
            "small": [],
            "twice": [],
        }, width


def test_every_link_leads_into_the_page(tree: Element) -> None:
    """To a unique id, as do all references of drawings to their titles."""
    ids = [
        item.attributes["id"]
        for item in tree.all(*{item.tag for item in walk(tree)})
        if "id" in item.attributes
    ]
    links = [item.attributes.get("href", "") for item in tree.all("a")]
    assert len(links) > 10
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert all(link.startswith("#") for link in links)


def walk(item: Element) -> list[Element]:
    """Every element."""
    return [item, *(below for child in item.elements for below in walk(child))]


def test_headings_follow_each_other(tree: Element) -> None:
    """One title, and no level is skipped."""
    levels = [int(item.tag[1]) for item in tree.all("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_a_screen_reader_finds_its_way(tree: Element) -> None:
    """Landmarks, a link past the header, named sections, and drawings with descriptions."""
    for landmark in ("header", "nav", "main", "footer"):
        assert len(list(tree.all(landmark))) == 1, landmark
    first = next(tree.first("body").all("a"))
    assert first.classes == {"skip"}
    assert all("aria-labelledby" in item.attributes for item in tree.all("section"))
    for drawing in tree.all("svg"):
        reported = {"aria-labelledby", "aria-label"} & drawing.attributes.keys()
        assert drawing.attributes.get("role") == "img"
        assert reported or drawing.attributes.get("aria-hidden") == "true"


def test_tables_have_captions_and_heads(tree: Element) -> None:
    """Those that set drawings side by side are captioned by their figure."""
    for table in tree.all("table"):
        if not any(True for _ in table.all("svg")):
            assert table.first("caption").text.strip()
        assert all(cell.attributes.get("scope") for cell in table.all("th"))


def test_every_figure_has_its_values_as_a_table(tree: Element) -> None:
    """Folded, below it; bars of outages are listed one by one."""
    figures = list(tree.all("figure"))
    assert figures
    for figure in figures:
        assert figure.first("figcaption").text.strip()
        # The first page refers to the figure of the chapter.
        is_copy = "has the explanation and the values" in figure.first("figcaption").text
        has_values = any("data" in item.classes for item in figure.all("details"))
        assert is_copy or has_values or "silent" in figure.text


def test_the_first_page_answers_and_chapters_are_open(tree: Element) -> None:
    """The summary has no table, figures and criteria need no click, scripts are folded."""
    sections = [item for item in tree.first("main").elements if item.tag == "section"]
    assert sections[0].attributes["id"] == "summary"
    assert not [item for item in sections[0].elements if item.tag == "table"]
    tags = ("table", "figure", "pre", "svg")
    folded = {id(item) for part in tree.all("details") for item in part.all(*tags)}
    assert all(id(item) in folded for item in tree.all("pre"))
    by_id = {item.attributes["id"]: item for item in sections}
    opened = [item for item in by_id["built"].all("figure") if id(item) not in folded]
    assert opened or "Not recorded" in by_id["built"].text
    tables = [item for item in by_id["acceptance"].all("table") if "claims" in item.classes]
    assert not tables or id(tables[0]) not in folded
    assert not any("open" in item.attributes for item in tree.all("details"))


def test_tables_of_more_than_20_rows_are_folded(tree: Element) -> None:
    """No shorter table is folded for its length."""
    folded = {id(table) for part in tree.all("details") for table in part.all("table")}
    for table in tree.all("table"):
        every = [row for body in table.all("tbody") for row in body.all("tr")]
        rows = [row for row in every if "group" not in row.classes]
        drawn = any(True for _ in table.all("svg"))
        assert drawn or len(rows) <= ROWS_MAX or id(table) in folded


def test_the_print_has_what_is_open_and_nothing_smaller_than_8_pt() -> None:
    """Folded content and the marks of folds are left out; 1 rem is 12 pt."""
    css = (TEMPLATES / "report.css").read_text().split("@media print", 1)[1]
    assert "details:not([open]) { display: none; }" in css
    assert "summary { list-style: none; }" in css
    assert all(float(size) >= 8 for size in re.findall(r"font-size: ([\d.]+)pt", css))
    everywhere = (TEMPLATES / "report.css").read_text().split("@media", 1)[0]
    assert all(float(size) * 12 >= 8 for size in re.findall(r"font-size: ([\d.]+)rem", everywhere))


def test_the_decision_can_be_signed(tree: Element) -> None:
    """Three decisions, both parties, and the result that they sign."""
    signed = tree.first("footer")
    for decision in ("☐ accepted", "☐ accepted with conditions", "☐ rejected"):
        assert decision in signed.text
    assert [row.elements[0].text for row in signed.first("tbody").all("tr")] == [
        *("Conditions", "Name", "Organisation", "Date", "Signature"),
    ]
    (listed,) = [item for item in tree.all("dl") if "facts" in item.classes]
    facts = {item.first("dt").text: item.first("dd").text for item in listed.elements}
    digest = facts["SHA-256 of the result"]
    assert re.fullmatch(r"[0-9a-f]{64}", digest)
    assert digest in signed.text
    assert facts["Run"] in signed.text


# ---- contrast


def schemes() -> dict[str, dict[str, str]]:
    """Colours by name for the light and the dark theme, and for paper."""
    css = (TEMPLATES / "report.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    light, dark, paper = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block)) for block in blocks
    )
    return {"light": light, "dark": light | dark, "print": light | paper}


def luminance(colour: str) -> float:
    """WCAG 2.2: relative luminance of `#rrggbb` or `#rgb`."""
    digits = colour[1:] if len(colour) == 7 else "".join(letter * 2 for letter in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_ratio_is_that_of_wcag() -> None:
    """Black on white, and a grey that just passes."""
    assert round(contrast("#000000", "#fff"), 2) == 21.0
    assert round(contrast("#767676", "#ffffff"), 2) == 4.54


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_text_can_be_read_in_every_scheme(scheme: str) -> None:
    """AA: 4.5 for text, which the names of lines are too; 3 for the rules that mean something."""
    colours = schemes()[scheme]
    text = [
        "ink",
        "muted",
        "link",
        "good",
        "bad",
        "open",
        *(f"series-{number}" for number in range(1, 7)),
    ]
    for name in text:
        assert contrast(colours[name], colours["page"]) >= 4.5, name
    for name in ("ink", "muted"):
        for page in ("tint", "warn-page", "bad-page"):
            assert contrast(colours[name], colours[page]) >= 4.5, (name, page)
    assert contrast(colours["link"], colours["page"]) >= 3, "the outline of what has the focus"
