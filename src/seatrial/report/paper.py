"""The report as a paper: the page's tree, converted to the language of the typesetter Typst.

Each part of the paper (`parts`) has its elements of the page in their order. Text is 8 pt or
larger: figures are the narrow ones, and a row of a wide table becomes a paragraph. A narrow figure
that is higher than a page would get much smaller text; the wide one takes its place, with text of
6 pt. The list of links becomes a table of contents with page numbers.
"""

import json
import re
from collections.abc import Callable, Iterable
from html import unescape

from seatrial.report.parts import Part, sections_of
from seatrial.report.plots.drawing import WIDE
from seatrial.report.tree import Element
from seatrial.summary.notation import NONE

LEFT_OUT = frozenset({"wide", "skip", "unseen", "print-only"})
BREAK = "\N{ZERO WIDTH SPACE}"
SIZE = 8.0
"""type size of a table, in pt"""
SIZE_OF_FEW = 8.5
"""type size of a table with at most FEW_COLUMNS, in pt"""
FEW_COLUMNS = 5
COLUMNS_MAX = 9
"""The rows of a table with more columns are set as paragraphs."""
FIGURE_WIDTH_MM = 95.0
"""the width of a narrow figure, at which its text has 8 pt or more"""
FIGURE_HEIGHT_MM = 215.0
"""the largest height of a figure"""
WIDE_FIGURE_WIDTH_MM = 172.0
"""the width of the text of a page"""
TALL_MM = 125.0
"""a higher figure does not fit on the first page, below the title and the answer"""
VERDICTS = {
    "v-pass": "good",
    "v-pass-with-waivers": "open",
    "v-agrees": "good",
    "v-fail": "bad",
    "v-unknown": "open",
    "v-better": "link",
    "v-worse": "link",
    "v-different": "link",
}
"""class of a verdict -> its colour in the style sheet; a difference from the document is no failure
"""
_VIEW_BOX = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
FONT = "'DejaVu Sans'"
"""font of the plotting library, which measured its text in it"""
PREAMBLE = """
#set page(paper: "a4", margin: (x: 19mm, top: 24mm, bottom: 21mm),
  header: context if counter(page).get().first() > 1 {
    set text(8pt, fill: luma(35%)); grid(columns: (1fr, auto),
    running, part); v(-6pt); line(length: 100%, stroke: 0.4pt + luma(60%)) },
  footer: context { set text(8pt, fill: luma(35%)); grid(columns: (1fr, auto), source,
    [#counter(page).display() / #counter(page).final().first()]) })
#set text(font: ("Libertinus Serif", "DejaVu Sans"), size: 10pt, lang: "en", hyphenate: true)
#set par(justify: false, leading: 0.62em, spacing: 0.9em)
#set table(
  stroke: (x, y) => (
    top: if y == 0 { 0.8pt } else { 0.25pt + luma(75%) }, bottom: 0.25pt + luma(75%)),
  inset: (x: 2.5pt, y: 2.6pt))
#set list(spacing: 0.6em)
#set enum(spacing: 0.7em)
#show heading.where(level: 1): it => block(above: 1.9em, below: 0.8em, text(14pt, it.body))
#show heading.where(level: 2): it => block(above: 1.5em, below: 0.7em, text(11pt, it.body))
#show raw: set text(font: "DejaVu Sans Mono", size: 0.85em)
#show raw.where(block: true): it => block(width: 100%, fill: luma(96%), inset: 5pt, text(8pt, it))
#show link: set text(fill: rgb("#0b5394"))
#show outline.entry.where(level: 1): set block(above: 0.65em)
"""


def document(page: Element, css: str, part: Part) -> str:
    """The source of one part of the paper, from the page's tree and its style sheet."""
    return _Setter(page, css, part).document()


class _Setter:
    def __init__(self, page: Element, css: str, part: Part) -> None:
        self._page = page
        self._part = part
        self._first, *self._sections = sections_of(page, part)
        self._colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css.split("@media", 1)[0]))
        self._styles: dict[str, str] = {}
        for name in ("diagram", "strip", "outage", "plot"):
            rules = re.findall(rf"^\.{name} [^{{]*\{{[^}}]*\}}", css, re.MULTILINE)
            self._styles[name] = self._coloured(" ".join(rules).replace(f".{name} ", ""))
        below = [heading for section in self._sections for heading in section.all("h3")]
        self._labels = {item.attributes.get("id", "") for item in [*self._sections, *below]} - {""}

    def document(self) -> str:
        """Title and first page, contents, and then the sections of the part."""
        title = _plain(self._page.first("h1"))
        kind = next((item for item in self._page.all("p") if "kind" in item.classes), Element("p"))
        part = self._part.heading
        contents = ["#v(0.5em)", "#outline(title: [Contents], depth: 2)"]
        return "\n".join(
            [
                f"#let running = {_string(title)}",
                f"#let source = {_string(_plain(kind))}",
                f"#let part = {_string(part)}",
                f'#set document(title: {_string(f"{title}: {part}")}, author: "Seatrial")',
                PREAMBLE,
                f"#text(9pt, fill: luma(35%))[{self._inline(kind)} · #strong({_string(part)})]",
                f"#block(above: 0.6em, below: 0.9em, text(21pt, weight: 600, {_string(title)}))",
                *(self._block(child) for child in _tall_figure_last(self._first.elements)),
                *(contents if self._part.has_contents else []),
                *(self._block(section) for section in self._sections),
            ]
        )

    # ---- blocks

    def _block(self, item: Element) -> str:
        if item.classes & LEFT_OUT or item.tag in ("nav", "summary", "thead", "caption"):
            return ""
        of_tag: dict[str, Callable[[Element], str]] = {
            "h2": self._heading,
            "h3": self._heading,
            "p": self._paragraph,
            "ul": self._list,
            "ol": self._list,
            "dl": self._pairs,
            "table": self._table,
            "svg": lambda element: f"#block({self._picture(element).removeprefix('#')})",
            "pre": lambda element: f"#raw(block: true, {_string(element.text.rstrip())})",
            "details": self._details,
            "figcaption": lambda element: (
                f"#block(above: 0.5em, text(8.5pt)[{self._inline(element)}])"
            ),
        }
        if item.tag in of_tag:
            return of_tag[item.tag](item)
        children = _shown_forms(item) if item.tag == "figure" else item.elements
        inside = "\n".join(self._block(child) for child in children)
        if "box-note" in item.classes:
            colour = self._colours["bad" if "problem" in item.classes else "warn-rule"]
            return (
                f'#block(width: 100%, inset: 7pt, stroke: (left: 2.5pt + rgb("{colour}")), fill:'
                f" luma(97%))[{inside}]"
            )
        return inside

    def _heading(self, item: Element) -> str:
        if "question" in item.classes:
            return f'#text(12pt, style: "italic")[{self._inline(item)}]\n'
        level = int(item.tag[1]) - 1
        label = item.attributes.get("id", "").removesuffix("-title")
        return (
            "#heading(level:"
            f" {level})[{self._inline(item)}]{f' <{label}>' if label in self._labels else ''}\n"
        )

    def _paragraph(self, item: Element) -> str:
        size = None
        if "answer" in item.classes:
            size = 14
        elif item.classes & {"note", "workload"}:
            size = 8
        inside = self._inline(item, lines="reason" in item.classes)
        weight = ", weight: 600" if "answer" in item.classes else ""
        if "digest" in item.classes:
            return f"#block(sticky: true)[{inside}]\n"
        return f"#par[#text({size}pt{weight})[{inside}]]\n" if size else f"#par[{inside}]\n"

    def _list(self, item: Element) -> str:
        entries = ", ".join(f"[{self._inline(entry)}]" for entry in item.all("li"))
        function = "enum" if item.tag == "ol" else "list"
        return f"#{function}({entries})\n" if entries else ""

    def _pairs(self, item: Element) -> str:
        """Names and values, three pairs in a row; key figures are larger."""
        size = 17 if "keys" in item.classes else 9.5
        cells = ", ".join(
            f"[#text({size}pt, weight:"
            f" {600 if size > 10 else 400})[{self._inline(pair.first('dd'))}]\\\n#text(8pt, fill:"
            f" luma(35%))[{self._inline(pair.first('dt'))}]]"
            for pair in item.elements
        )
        return (
            f"#block(above: 1.3em, below: 1.3em, grid(columns: (1fr,) * 3, gutter: 11pt, {cells}))"
        )

    def _details(self, item: Element) -> str:
        """Folded content under its summary; omitted where a table's caption repeats it."""
        inside = "\n".join(self._block(child) for child in item.elements)
        summary = item.first("summary")
        if "part" in summary.classes or next(item.all("caption"), None):
            return inside
        title = self._inline(summary)
        heading = f"strong(text(9pt)[{title}])"
        return f"#block(above: 1.1em, below: 0.6em, sticky: true, {heading})\n{inside}"

    # ---- tables and drawings

    def _table(self, item: Element) -> str:
        heads = [row for part in item.all("thead") for row in part.all("tr")]
        rows = [row for part in item.all("tbody", "tfoot") for row in part.all("tr")]
        width = max((len(row.elements) for row in [*heads, *rows]), default=0)
        if not width:
            return ""
        if width > COLUMNS_MAX and heads:
            return self._heading_of_table(item) + self._records(heads[0], rows)
        size = SIZE_OF_FEW if width <= FEW_COLUMNS else SIZE
        head = "".join(f"table.header({self._cells(row, width)}),\n" for row in heads[:1])
        body = ",\n".join(self._cells(row, width) for row in rows)
        heading = self._heading_of_table(item)
        lines = ", rows: (auto,) + (9mm,) * 5" if "sign" in item.classes else ""
        table = f"#table(columns: {_columns(item, rows, width)}{lines},\n{head}{body})"
        # The two signatures stay with the decision on one page.
        block = "#block(breakable: false)" if "sign" in item.classes else "#"
        return f'{heading}{block}[#set text({size}pt, number-width: "tabular")\n{table}]\n'

    def _heading_of_table(self, item: Element) -> str:
        caption = self._inline(item.first("caption"))
        if not caption:
            return ""
        return f"#block(above: 1.4em, below: 0.6em, sticky: true, text(9pt)[{caption}])\n"

    def _records(self, head: Element, rows: Iterable[Element]) -> str:
        """Each row as a paragraph of titles and values; cells without a value are left out."""
        titles = [_plain(cell) for cell in head.elements]
        records = (self._record(titles, row) for row in rows)
        blocks = [f"#block(below: 0.55em, text({SIZE}pt)[{text}])" for text in records]
        return "\n".join(blocks) + "\n"

    def _record(self, titles: list[str], row: Element) -> str:
        if len(row.elements) != len(titles):
            return f"#strong[{self._inline(row)}]"  # the heading of a group of rows
        parts = []
        for title, cell in zip(titles, row.elements, strict=True):
            value = self._cell(cell, row)
            if _plain(cell) == NONE and not next(cell.all("svg"), None):
                continue
            is_head = "h" in cell.classes
            name = f"#text(fill: luma(35%))[{_set(title, False)}] "
            parts.append(f"#strong[{value}]" if is_head else f"{name}{value}")
        return "; ".join(parts)

    def _cells(self, row: Element, width: int) -> str:
        if len(row.elements) == 1 and width > 1:
            return f"table.cell(colspan: {width})[{self._cell(row.elements[0], row)}]"
        cells = [
            f"{'table.cell(align: right)' if 'n' in cell.classes else ''}[{self._cell(cell, row)}]"
            for cell in row.elements
        ]
        return ", ".join([*cells, *(["[]"] * (width - len(cells)))])

    def _cell(self, cell: Element, row: Element) -> str:
        if next(cell.all("svg"), None):
            size = (
                'width: 100%, height: 9pt, fit: "stretch"'
                if "bar" in cell.classes
                else "width: 62pt"
            )
            return self._picture(
                cell.first("svg"),
                size,
                " ".join(_plain(neighbour) for neighbour in row.elements).strip(),
            )
        if "axis" in cell.classes:
            return _placed(cell.elements)
        inside = self._inline(cell, lines="lines" in cell.classes)
        return (
            f"#strong[{inside}]" if cell.attributes.get("scope") in ("col", "rowgroup") else inside
        )

    def _picture(self, item: Element, size: str = "", fallback: str = "") -> str:
        """A drawing with its style rules; `fallback` is the text alternative where the drawing has
        none.
        """
        svg = "".join(child for child in item.children if isinstance(child, str))
        title = re.search(r"<title[^>]*>([^<]*)</title>", svg)
        alternative = unescape(title[1]) if title else item.attributes.get("aria-label", "")
        alt = _string(alternative or fallback or "drawing")
        size = size or _figure_size(svg)
        style = f"text {{ font-family: {FONT}; }}" + "".join(
            self._styles.get(name, "") for name in item.classes
        )
        svg = self._coloured(svg).replace("sans-serif", FONT).replace(" href=", " xlink:href=")
        svg = svg.replace("<svg ", f"<svg {SPACES} ", 1).replace(">", f"><style>{style}</style>", 1)
        return f'#image(bytes({_string(svg)}), format: "svg", {size}, alt: {alt})'

    def _coloured(self, text: str) -> str:
        """The text in the colours of light paper."""
        return re.sub(r"var\(--([\w-]+)\)", lambda match: self._colours[match[1]], text)

    # ---- running text

    def _inline(self, item: Element, *, lines: bool = False) -> str:
        return "".join(self._run(child, lines) for child in item.children).strip()

    def _run(self, child: "Element | str", lines: bool) -> str:
        if isinstance(child, str):
            return _set(child, lines)
        inside = "".join(self._run(inner, lines) for inner in child.children)
        if not inside:
            return ""
        verdict = next((VERDICTS[name] for name in child.classes if name in VERDICTS), None)
        if verdict:
            inside = f'#text(fill: rgb("{self._colours[verdict]}"))[{inside}]'
        if child.tag == "a":
            label = child.attributes.get("href", "").removeprefix("#")
            return f"#link(<{label}>)[{inside}]" if label in self._labels else inside
        if "count" in child.classes:
            return f"{inside}#h(1em)"
        if child.classes & {"why", "unit"}:
            before = "\\\n" if "why" in child.classes else ""
            return f"{before}#text(fill: luma(35%))[{inside}]"
        wrapped = {"b": "strong", "sup": "super"}.get(child.tag)
        if "mono" in child.classes:
            return f"#raw({_string(_breakable(_plain(child)))})"
        return f"#{wrapped}[{inside}]" if wrapped else inside


def _tall_figure_last(items: list[Element]) -> list[Element]:
    """The elements of the first page; a figure that would leave it empty is the last of them."""
    tall = [item for item in items if item.tag == "figure" and _height_mm(item) > TALL_MM]
    return [*(item for item in items if item not in tall), *tall]


def _shown_forms(figure: Element) -> list[Element]:
    """The elements of a figure with one of its two forms: the narrow one, if a page can hold it."""
    by_form = {name: item for item in figure.elements for name in item.classes & {"wide", "narrow"}}
    narrow = by_form.get("narrow")
    wide = by_form.get("wide")
    if narrow is None or wide is None:
        return list(figure.elements)
    if _drawn_height_mm([narrow]) <= FIGURE_HEIGHT_MM:
        return [item for item in figure.elements if item is not wide]
    chosen = Element(wide.tag, {}, wide.children)
    return [chosen if item is wide else item for item in figure.elements if item is not narrow]


def _height_mm(figure: Element) -> float:
    """The printed height of the highest drawing that the paper has of a figure."""
    return _drawn_height_mm([item for item in _shown_forms(figure) if not item.classes & LEFT_OUT])


def _drawn_height_mm(items: list[Element]) -> float:
    """The printed height of the highest drawing in these elements."""
    drawings = list(Element("figure", {}, tuple(items)).all("svg"))
    texts = [
        "".join(child for child in drawn.children if isinstance(child, str)) for drawn in drawings
    ]
    return max((_printed_height_mm(text) for text in texts), default=0.0)


def _printed_height_mm(svg: str) -> float:
    """The height of a drawing at its printed width; 0 where the drawing has no size."""
    box = _VIEW_BOX.search(svg)
    return _printed_width_mm(svg) * float(box[2]) / float(box[1]) if box else 0.0


def _printed_width_mm(svg: str) -> float:
    """The width of a drawing on paper, by the form that it has."""
    box = _VIEW_BOX.search(svg)
    is_wide = box is not None and float(box[1]) >= WIDE
    return WIDE_FIGURE_WIDTH_MM if is_wide else FIGURE_WIDTH_MM


def _figure_size(svg: str) -> str:
    """The width of a drawing; the height of one that would be higher than a page."""
    if _printed_height_mm(svg) > FIGURE_HEIGHT_MM:
        return f"height: {FIGURE_HEIGHT_MM}mm"
    return f"width: {_printed_width_mm(svg)}mm"


def _columns(item: Element, rows: Iterable[Element], width: int) -> str:
    """Column widths: numbers as wide as they are, text shares the rest by its length."""
    if "two" in item.classes:
        return "(auto, 1fr)"
    if "sign" in item.classes:
        return "(auto, 1fr, 1fr)"
    if any("bar" in cell.classes for row in rows for cell in row.elements):
        return "(auto, 1fr, auto)"
    longest = [0] * width
    for row in rows:
        if len(row.elements) == width:
            for index, cell in enumerate(row.elements):
                longest[index] = max(longest[index], len(_plain(cell)))
    if max(longest, default=0) < 30:
        return f"({', '.join(['auto'] * width)},)"
    parts = ["auto" if letters < 16 else f"{min(letters, 240) ** 0.6:.1f}fr" for letters in longest]
    return f"({', '.join(parts)},)"


def _placed(ticks: Iterable[Element]) -> str:
    """The texts of an axis, each at the place of its style (`left:20%`)."""
    placed = []
    for tick in ticks:
        left = re.search(r"left:([0-9.]+)%", tick.attributes.get("style", ""))
        across = f"{left[1]}% - 2em" if left else "0% - 2em"
        centred = f"box(width: 4em, align(center, {_string(_plain(tick))}))"
        placed.append(f"#place(top + left, dx: {across}, {centred})")
    return f"#box(width: 100%, height: 1em)[{''.join(placed)}]"


def _plain(item: Element) -> str:
    return re.sub(r"\s+", " ", item.text).strip()


def _set(text: str, lines: bool) -> str:
    """Escaped text for the typesetter; with line breaks where they matter."""
    if lines:
        return "#linebreak()".join(_set(part, False) for part in text.split("\n"))
    text = re.sub(r"[ \t\r\n]+", " ", text)
    return f"#{_string(_breakable(text))};" if text else ""


def _breakable(text: str) -> str:
    """Long words may break after their punctuation, and checksums anywhere."""
    text = re.sub(
        r"\S{24,}", lambda match: re.sub(r"([/,=_:;.-])(?=\S)", rf"\1{BREAK}", match[0]), text
    )
    return re.sub(
        r"[0-9A-Za-z]{32}", lambda match: BREAK.join(re.findall(r".{1,8}", match[0])) + BREAK, text
    )


def _string(text: str) -> str:
    """A string literal of Typst, which escapes as JSON does except for characters by number."""
    clean = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "\N{REPLACEMENT CHARACTER}", text)
    return json.dumps(clean, ensure_ascii=False)
