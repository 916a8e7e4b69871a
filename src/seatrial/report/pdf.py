"""The report as PDF by the typesetter Typst: the page's content, page numbers and a table of
contents.
"""

from collections.abc import Sequence
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.basics.shipped import installing_typesetter
from seatrial.judge.base import Judgement
from seatrial.report.beside import Beside
from seatrial.report.html import TEMPLATES, render
from seatrial.report.paper import document
from seatrial.report.tree import tree_of
from seatrial.result.result import Result
from seatrial.summary.recommendations import Steps


def write_pdf(
    result: Result, judgements: Sequence[Judgement], steps: Steps | None = None, others: Sequence[Beside] = ()
) -> Path:
    """Write `report.pdf` into the result folder.

    Raises RunError where the typesetter is not installed.
    """
    path = result.folder / "report.pdf"
    path.write_bytes(typeset(render(result, judgements, steps, others), result.first("run").get("unix_s")))
    return path


def typeset(html: str, unix_s: float | None = None) -> bytes:
    """A report's page as PDF bytes.

    `unix_s` is the date of the file, so that the same result gives the same bytes.
    """
    try:
        import typst  # noqa: PLC0415
    except ImportError:
        raise RunError("the typesetter for PDF is not installed", f"install it by: {installing_typesetter()}") from None
    from matplotlib import get_data_path  # noqa: PLC0415 - takes half a second

    source = document(tree_of(html), (TEMPLATES / "report.css").read_text(encoding="utf-8"))
    # Only the fonts of the installed packages: the same paper on every machine.
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(Path(get_data_path()) / "fonts" / "ttf")])
    pdf = typst.Compiler(font_paths=fonts).compile(
        source.encode(), format="pdf", pdf_standards="ua-1", timestamp=int(unix_s) if unix_s is not None else 0
    )
    assert isinstance(pdf, bytes)
    return pdf
