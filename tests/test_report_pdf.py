"""The paper: every word that the page has as a heading, on numbered pages, none of them empty."""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.report.html import render
from seatrial.report.pdf import typeset, write_pdf
from seatrial.report.tree import tree_of
from seatrial.result.result import LINES, Result, read_result
from tests.test_fault_checkers import MOMENTS, fault, result, stream
from tests.test_report import JUDGEMENTS, SAMPLE, copied

pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
pytest.importorskip("typst", reason="the typesetter is not installed")


def pages(data: bytes) -> list[str]:
    """The text of every page, without what only lets words break."""
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


def reported(kept: Result) -> tuple[str, list[str]]:
    """The page and the paper of a result."""
    page = render(kept, JUDGEMENTS)
    return page, pages(typeset(page))


def test_the_pdf_has_the_content_of_the_page() -> None:
    """Headings, captions, claims; and pages that are numbered, with a running head, and none without text."""
    page, found = reported(read_result(SAMPLE))
    whole, tree = plain("".join(found)), tree_of(page)
    for item in [*tree.all("h1", "h2", "h3", "figcaption"), *tree.all("caption")]:
        if "unseen" not in item.classes:
            assert plain(item.text)[:60] in whole, item.text
    for number, text in enumerate(found, 1):
        assert f"{number} / {len(found)}" in text
        assert len(text) > 150, f"page {number} is empty"
    assert "Contents" in found[0]
    title = tree.first("h1").text
    assert all(title in text for text in found)


def test_every_drawing_is_in_the_pdf(tmp_path: Path) -> None:
    """Also the bars of a fault; it is tagged for screen readers, and has title and language."""
    lost = stream(9.0, client="c2", lost_power=True, lost="its power was cut")
    kept = result(tmp_path, fault(moments=MOMENTS, streams=(stream(40.0), lost)))
    page, found = reported(kept)
    assert "lost its own power" in re.sub(r"\s+", " ", "".join(found))
    reader = pypdf.PdfReader(io.BytesIO(typeset(page)))
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert reader.metadata.title == tree_of(page).first("h1").text
    narrow = sum(len(list(item.all("svg"))) for item in tree_of(page).all("div") if "narrow" in item.classes)
    drawn = len(list(tree_of(page).all("svg"))) - narrow
    told_of = list(alternatives(reader.trailer["/Root"]["/StructTreeRoot"]))
    assert len(told_of) == drawn >= 3
    assert all(told_of)


def test_the_same_result_gives_the_same_pdf(tmp_path: Path) -> None:
    """With the date of the run, and not of the hour; next to the result."""
    kept = copied(tmp_path / "r")
    path = write_pdf(kept, JUDGEMENTS)
    assert path == tmp_path / "r" / "report.pdf"
    first = path.read_bytes()
    assert write_pdf(kept, JUDGEMENTS).read_bytes() == first


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_result_that_was_cut_off_gives_a_pdf(tmp_path: Path, share: float) -> None:
    """Existing parts are set; without a study, a system or a point."""
    content = (SAMPLE / LINES).read_bytes()
    kept = copied(tmp_path / "r")
    (kept.folder / LINES).write_bytes(content[: max(int(len(content) * share), content.index(b"\n") + 1)])
    if not share:
        (kept.folder / "study.yaml").unlink()
    _, found = reported(read_result(kept.folder))
    assert "not ended: running, or interrupted" in re.sub(r"\s+", " ", found[0])


def test_text_means_nothing_to_the_typesetter(tmp_path: Path) -> None:
    """Its own signs, quotes, brackets and control characters are set as they are, or as what cannot be shown."""
    evil = r'#panic("x") ] } $ \ " @it <x> = _a_ *b* // \u{41} `c`'
    kept = copied(tmp_path / "r")
    (kept.folder / "scripts" / "09-x-nas.sh").write_text(f"{evil}\n\x01\x1b[0m\n")
    _, found = reported(kept)
    assert plain(evil) in plain("".join(found))


def test_without_the_typesetter_it_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And writes no file."""
    monkeypatch.setitem(sys.modules, "typst", None)
    kept = copied(tmp_path / "r")
    with pytest.raises(RunError, match="typesetter") as caught:
        write_pdf(kept, JUDGEMENTS)
    assert caught.value.hint
    assert f"{sys.executable} -m pip install" in caught.value.hint
    assert not (kept.folder / "report.pdf").exists()
