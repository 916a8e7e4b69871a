"""The report as PDF by the typesetter Typst: three files with the page's content.

`report/parts.py` selects the content of each file.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.basics.shipped import installing_typesetter
from seatrial.judge.base import Judgement
from seatrial.report.beside import ComparedResult
from seatrial.report.html import style_sheet, tree
from seatrial.report.paper import document
from seatrial.report.parts import Part
from seatrial.report.tree import Element
from seatrial.result.result import Result
from seatrial.summary.recommendations import Steps


def file_name(part: Part) -> str:
    """The file of a part in the result folder: `report-technical.pdf`."""
    return f"report-{part}.pdf"


def write_pdf(
    result: Result,
    judgements: Sequence[Judgement],
    steps: Steps | None = None,
    others: Sequence[ComparedResult] = (),
    parts: Iterable[Part] = tuple(Part),
) -> list[Path]:
    """Write a PDF for each of the parts into the result folder, and return their paths.

    Raises RunError where the typesetter is not installed.
    """
    page = tree(result, judgements, steps, others)
    started_unix_s = result.first("run").get("unix_s")
    # Nothing is written where one part cannot be set.
    files = {part: typeset(page, part, started_unix_s) for part in parts}
    paths = []
    for part, data in files.items():
        path = result.folder / file_name(part)
        path.write_bytes(data)
        paths.append(path)
    return paths


def typeset(page: Element, part: Part, unix_s: float | None = None) -> bytes:
    """One part of a report as PDF bytes.

    `unix_s` is the date of the file, so that the same result gives the same bytes.
    """
    try:
        import typst  # noqa: PLC0415
    except ImportError:
        hint = f"install it by: {installing_typesetter()}"
        raise RunError("the typesetter for PDF is not installed", hint) from None
    from matplotlib import get_data_path  # noqa: PLC0415 - takes half a second

    source = document(page, style_sheet(), part)
    # Only the fonts of the installed packages: the same paper on every machine.
    folder = str(Path(get_data_path()) / "fonts" / "ttf")
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[folder])
    timestamp = int(unix_s) if unix_s is not None else 0
    pdf = typst.Compiler(font_paths=fonts).compile(
        source.encode(), format="pdf", pdf_standards="ua-1", timestamp=timestamp
    )
    assert isinstance(pdf, bytes)
    return pdf
