"""The paper: three files with the content of the page, on numbered pages without an empty one."""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.report.html import TEMPLATES, tree
from seatrial.report.paper import document
from seatrial.report.parts import Part
from seatrial.report.pdf import file_name, typeset, write_pdf
from seatrial.report.tree import Element
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES
from tests.builders.fault_results import MOMENTS, fault, result, stream
from tests.builders.reports import JUDGEMENTS, SAMPLE, copied

pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
pytest.importorskip("typst", reason="the typesetter is not installed")
EVIL = r'#panic("x") ] } $ \ " @it <x> = _a_ *b* // \u{41} `c`'


def pages(data: bytes) -> list[str]:
    """The text of every page, without the marks at which words may break."""
    reader = pypdf.PdfReader(io.BytesIO(data))
    return [page.extract_text().replace("\N{ZERO WIDTH SPACE}", "") for page in reader.pages]


def plain(text: str) -> str:
    """Letters and figures alone: lines and hyphens are the typesetter's."""
    return re.sub(r"[^\w]", "", text.replace("\N{SOFT HYPHEN}", ""))


def alternatives(item: Any) -> Iterator[str]:
    """The description of each drawing, from the tags."""
    item = item.get_object() if hasattr(item, "get_object") else item
    if isinstance(item, list):
        for part in item:
            yield from alternatives(part)
    elif isinstance(item, dict):
        if item.get("/S") == "/Figure":
            yield str(item.get("/Alt", ""))
        yield from alternatives(item.get("/K"))


def page_of(kept: Result) -> Element:
    """The tree of a result."""
    return tree(kept, JUDGEMENTS)


def texts(page: Element) -> dict[Part, list[str]]:
    """The text of every page of every part."""
    return {part: pages(typeset(page, part)) for part in Part}


@pytest.fixture(scope="module")
def page() -> Element:
    """The page of the sample."""
    return page_of(read_result(SAMPLE))


@pytest.fixture(scope="module")
def files(page: Element) -> dict[Part, list[str]]:
    """The text of its files."""
    return texts(page)


def folded(page: Element) -> set[int]:
    """The elements that the page folds."""
    return {
        id(item)
        for part in page.all("details")
        for item in part.all("figcaption", "caption", "pre", "svg")
    }


def test_technical_report_and_evidence_have_the_whole_page(
    page: Element, files: dict[Part, list[str]]
) -> None:
    """A caption is in the file of its fold alone; scripts are evidence."""
    closed = folded(page)
    technical = plain("".join(files[Part.TECHNICAL]))
    evidence = plain("".join(files[Part.EVIDENCE]))
    captions = [
        item for item in page.first("main").all("figcaption", "caption") if plain(item.text)
    ]
    assert {id(item) in closed for item in captions} == {True, False}
    for item in captions:
        there, elsewhere = (evidence, technical) if id(item) in closed else (technical, evidence)
        assert plain(item.text)[:60] in there, item.text
        assert plain(item.text) not in elsewhere, item.text
    for heading in page.all("h1", "h2", "h3"):
        if "unseen" not in heading.classes:
            assert plain(heading.text)[:60] in technical + evidence, heading.text
    script = next(page.all("pre")).text
    assert plain(script)[:200] in evidence
    assert plain(script)[:200] not in technical


def test_the_management_summary_is_short_and_can_be_signed(
    page: Element, files: dict[Part, list[str]]
) -> None:
    """At most 6 pages: answer, criteria, decision, and the checksum of the result."""
    assert len(files[Part.MANAGEMENT]) <= 6
    assert len(files[Part.TECHNICAL]) <= 40
    text = plain("".join(files[Part.MANAGEMENT]))
    answer = next(item for item in page.all("p") if "answer" in item.classes)
    for words in (answer.text, "accepted with conditions", "Organisation", "Signature", "SHA-256"):
        assert plain(words)[:60] in text, words
    for item in JUDGEMENTS:
        assert (plain(item.statement) in text) == (item.kind == "acceptance")
    (signed,) = [text for text in files[Part.MANAGEMENT] if "Organisation" in text]
    assert "accepted with conditions" in signed, "decision and signatures are on one page"
    assert "Signature" in signed
    css = (TEMPLATES / "report.css").read_text()
    assert document(page, css, Part.MANAGEMENT).count("#block(breakable: false)") == 1
    assert "Contents" not in "".join(files[Part.MANAGEMENT])
    assert plain(next(page.all("pre")).text)[:200] not in text


@pytest.mark.parametrize("part", Part)
def test_pages_are_numbered_and_none_is_empty(
    page: Element, files: dict[Part, list[str]], part: Part
) -> None:
    """Each has the title and the name of the part."""
    found = files[part]
    title = page.first("h1").text
    for number, text in enumerate(found, 1):
        assert f"{number} / {len(found)}" in text
        assert len(text) > 150, f"page {number} is empty"
        assert title in text
        assert part.heading in text
    assert ("Contents" in "".join(found)) == part.has_contents


def test_every_drawing_is_in_the_pdf(tmp_path: Path) -> None:
    """Also the bars of a fault; it is tagged for screen readers, and has title and language."""
    lost = stream(9.0, client="c2", lost_power=True, lost="its power was cut")
    page = page_of(result(tmp_path, fault(moments=MOMENTS, streams=(stream(40.0), lost))))
    reader = pypdf.PdfReader(io.BytesIO(typeset(page, Part.TECHNICAL)))
    whole = "".join(item.extract_text() for item in reader.pages)
    assert "lost its own power" in re.sub(r"\s+", " ", whole)
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert reader.metadata.title == f"{page.first('h1').text}: Technical report"
    closed = folded(page)
    wide = {
        id(svg) for item in page.all("div") if "wide" in item.classes for svg in item.all("svg")
    }
    drawn = [item for item in page.all("svg") if id(item) not in closed | wide]
    found = list(alternatives(reader.trailer["/Root"]["/StructTreeRoot"]))
    assert len(found) == len(drawn) >= 3
    assert all(found)


def test_no_text_is_smaller_than_8_pt(page: Element) -> None:
    """A row of a wide table is a paragraph instead."""
    css = (TEMPLATES / "report.css").read_text()
    sources = [document(page, css, part) for part in Part]
    for source in sources:
        sizes = [float(size) for size in re.findall(r"(?:text\(|#set text\()([\d.]+)pt", source)]
        assert sizes
        assert min(sizes) >= 8
        columns = [
            line
            for line in source.splitlines()
            if line.startswith(("#table(columns", "table(columns"))
        ]
        assert all(line.count("auto") + line.count("fr") <= 10 for line in columns)


@pytest.mark.parametrize(("height", "form"), [(700, "narrow"), (2000, "wide")])
def test_a_figure_that_is_higher_than_a_page_is_the_wide_one(height: int, form: str) -> None:
    """As the bars of 22 variants: the narrow form would be scaled to a quarter of its width."""
    drawings = {
        "wide": f'<svg viewBox="0 0 1000 {height / 2}"><title>wide</title></svg>',
        "narrow": f'<svg viewBox="0 0 350 {height}"><title>narrow</title></svg>',
    }
    divisions = [
        Element("div", {"class": name}, (Element("svg", {}, (svg,)),))
        for name, svg in drawings.items()
    ]
    first = Element("section", {"class": "first"}, (Element("figure", {}, tuple(divisions)),))
    end = Element("section", {}, (Element("h2", {}, ("End",)),))
    page = Element("body", {}, (Element("main", {}, (first, end)),))
    css = (TEMPLATES / "report.css").read_text()
    source = document(page, css, Part.TECHNICAL)
    assert [name for name in drawings if f'alt: "{name}"' in source] == [form]


def test_the_same_result_gives_the_same_pdf(tmp_path: Path) -> None:
    """With the date of the run, in the result folder, one file for each part."""
    kept = copied(tmp_path / "r")
    paths = write_pdf(kept, JUDGEMENTS)
    assert paths == [tmp_path / "r" / file_name(part) for part in Part]
    first = [path.read_bytes() for path in paths]
    assert [path.read_bytes() for path in write_pdf(kept, JUDGEMENTS)] == first


def test_one_part_alone_is_written(tmp_path: Path) -> None:
    """The others are not."""
    kept = copied(tmp_path / "r")
    (path,) = write_pdf(kept, JUDGEMENTS, parts=[Part.MANAGEMENT])
    assert path.name == "report-management.pdf"
    assert [item.name for item in kept.folder.glob("*.pdf")] == ["report-management.pdf"]


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_result_that_was_cut_off_gives_a_pdf(tmp_path: Path, share: float) -> None:
    """Its readable part, without a study, a system or a point."""
    content = (SAMPLE / LINES).read_bytes()
    kept = copied(tmp_path / "r")
    (kept.folder / LINES).write_bytes(
        content[: max(int(len(content) * share), content.index(b"\n") + 1)]
    )
    if not share:
        (kept.folder / "study.yaml").unlink()
    found = texts(page_of(read_result(kept.folder)))
    first = re.sub(r"\s+", " ", found[Part.MANAGEMENT][0])
    assert "not ended: running, or interrupted" in first


def test_text_means_nothing_to_the_typesetter(tmp_path: Path) -> None:
    """Its own signs, quotes, brackets and control characters are text."""
    kept = copied(tmp_path / "r")
    (kept.folder / "scripts" / "09-x-nas.sh").write_text(f"{EVIL}\n\x01\x1b[0m\n")
    found = pages(typeset(page_of(kept), Part.EVIDENCE))
    assert plain(EVIL) in plain("".join(found))


def test_without_the_typesetter_it_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And writes no file."""
    monkeypatch.setitem(sys.modules, "typst", None)
    kept = copied(tmp_path / "r")
    with pytest.raises(RunError, match="typesetter") as caught:
        write_pdf(kept, JUDGEMENTS)
    assert caught.value.hint
    assert f"{sys.executable} -m pip install" in caught.value.hint
    assert not list(kept.folder.glob("*.pdf"))
