"""The blocks of the page: tables, figures, lists of findings, and the figures of faults."""

from collections.abc import Iterable, Iterator, Sequence

from seatrial.report.faults import Course
from seatrial.report.parts import IN_EVIDENCE
from seatrial.report.picture import Picture
from seatrial.report.plots.timeline import Tick
from seatrial.report.results import Outages
from seatrial.report.seconds import Strips
from seatrial.report.tables import Column, Table
from seatrial.report.tree import Child, Element, drawing, element

COLUMNS_MANY = 9
"""from this number of columns on, a table is set smaller on paper"""
CLAIM = 0
"""column of a table of criteria or claims"""
VERDICT = 1
STATEMENT = 2


# ---- text


def paragraph(*children: Child, css: str = "") -> Element:
    """A paragraph."""
    return element("p", *children, css=css)


def bold(text: str) -> Element:
    """Bold text."""
    return element("b", text)


def code(text: str) -> Element:
    """Text in the font of code."""
    return element("span", text, css="mono")


def listed(lines: Iterable[str], css: str = "") -> Element:
    """A list of sentences."""
    return element("ul", *(element("li", line) for line in lines), css=css)


def box(*children: Child, is_problem: bool = False) -> Element:
    """A highlighted box."""
    return element("div", *children, css="box-note problem" if is_problem else "box-note")


def folded(title: Child, *children: Child, css: str = "") -> Element:
    """Content that the page folds."""
    return element("details", element("summary", title), *children, css=css)


# ---- tables


def tables(found: Iterable[Table]) -> Iterator[Element]:
    """Each table; see `table`."""
    return (table(item) for item in found)


def table_if(found: Table | None) -> Element | None:
    """The table, where the result has it."""
    return None if found is None else table(found)


def table(found: Table) -> Element:
    """A table; the page folds a long one."""
    whole = whole_table(found)
    if not found.is_long:
        return whole
    return folded(f"{found.label}: {len(found.rows)} rows", whole, css="long")


def whole_table(found: Table, caption: str = "") -> Element:
    """A table with its caption and its note; `caption` replaces its own."""
    is_paragraphs = "cards" in found.css or ("pairs" in found.css and "two" not in found.css)
    words = [found.css] if found.css else []
    words += ["paragraphs"] if is_paragraphs else []
    words += ["many"] if len(found.columns) >= COLUMNS_MANY else []
    bodies = [
        _body(found, title, indexes, is_paragraphs=is_paragraphs) for title, indexes in found.bodies
    ]
    inside = element("table", _caption(found, caption), _head(found), *bodies, css=" ".join(words))
    return _numbered(inside, found, found.label or caption)


def _numbered(inside: Element, found: Table, label: str) -> Element:
    """A table in a frame that scrolls, with its note."""
    note = paragraph(found.note, css="note") if found.note else None
    return element("div", _scrolling(inside, label), note, css="numbered")


def _scrolling(inside: Element, label: str) -> Element:
    return element("div", inside, css="scroll", tabindex="0", role="group", aria_label=label)


def _caption(found: Table, caption: str = "") -> Element:
    label = bold(f"{found.label}.") if found.label else None
    space = " " if found.label else None
    return element("caption", element("span", label, space, caption or found.caption))


def _head(found: Table) -> Element:
    cells = (_title(column) for column in found.columns)
    return element("thead", element("tr", *cells))


def _title(column: Column) -> Element:
    unit = element("span", column.unit, css="unit") if column.unit else None
    space = " " if column.unit else None
    css = "n" if column.number else ""
    return element("th", column.title, space, unit, css=css, scope="col")


def _body(found: Table, title: str, indexes: Sequence[int], *, is_paragraphs: bool) -> Element:
    width = str(len(found.columns))
    heading = element("th", title, scope="rowgroup", colspan=width)
    group = element("tr", heading, css="group") if title else None
    rows = (_row(found, index, is_paragraphs=is_paragraphs) for index in indexes)
    return element("tbody", group, *rows)


def _row(found: Table, index: int, *, is_paragraphs: bool) -> Element:
    cells = []
    for number, (column, text) in enumerate(zip(found.columns, found.rows[index], strict=True)):
        leads = number == 0 and "pairs" in found.css and not column.number
        is_head = column.head or leads
        css = " ".join(["n"] * column.number + ["h"] * column.head)
        scope = {"scope": "row"} if is_head else {}
        title = {"data_title": column.label} if is_paragraphs else {}
        cells.append(element("th" if is_head else "td", text, css=css, **scope, **title))
    return element("tr", *cells, css="flagged" if index in found.marks else "")


def claim_table(found: Table) -> Element:
    """Criteria or claims: id, verdict in its colour, statement, and the rest."""
    rows = (element("tr", *_claim_cells(found, row)) for row in found.rows)
    body = element("tbody", *rows)
    inside = element("table", _caption(found), _head(found), body, css="claims")
    return _numbered(inside, found, found.label)


def _claim_cells(found: Table, row: Sequence[str]) -> Iterator[Element]:
    for number, (column, text) in enumerate(zip(found.columns, row, strict=True)):
        if number == CLAIM:
            yield element("th", text, css="id", scope="row")
        elif number == VERDICT:
            verdict = text.split(" ", 1)[1]
            yield element("td", text, css=f"verdict {verdict_css(verdict)}")
        elif number == STATEMENT:
            yield element("td", text)
        else:
            css = "lines" if column.title == "measured" else "why"
            yield element("td", text, css=css, data_title=column.title)


def verdict_css(verdict: str) -> str:
    """The class of a verdict: `v-pass-with-waivers`."""
    return f"v-{verdict.replace(' ', '-')}"


# ---- figures


def pictures(found: Iterable[Picture]) -> Iterator[Element]:
    """Each figure."""
    return (picture(item) for item in found)


def picture_if(found: Picture | None) -> Element | None:
    """The figure, where the result has it."""
    return None if found is None else picture(found)


def picture(found: Picture) -> Element:
    """A figure in two widths, with its values as a table."""
    title = f"{found.title[:1].upper()}{found.title[1:]}. " if found.title else ""
    caption = element("figcaption", bold(f"{found.label}."), f" {title}{found.caption}")
    return element(
        "figure",
        element("div", drawing(found.wide), css="wide"),
        element("div", drawing(found.narrow), css="narrow"),
        caption,
        _values(found.label, found.data),
    )


def _values(label: str, data: Table | None) -> Element | None:
    if data is None:
        return None
    return folded("Values as a table", whole_table(data, f"Values of {label}."), css="data")


def strips(found: Strips) -> Element:
    """A table of small pictures."""
    titles = (element("th", title, scope="col") for title in found.columns)
    head = element("thead", element("tr", element("td"), *titles))
    rows = []
    for name, cells in found.rows:
        drawn = (element("td", drawing(cell) if cell else None) for cell in cells)
        rows.append(element("tr", element("th", name, scope="row"), *drawn))
    inside = element("table", head, element("tbody", *rows))
    return element(
        "figure",
        _scrolling(inside, found.label),
        _figure_caption(found.label, found.caption),
        _values(found.label, found.data),
        css="strips",
    )


def _figure_caption(label: str, caption: str) -> Element:
    return element("figcaption", bold(f"{label}."), f" {caption}")


def outages(found: Outages) -> Iterator[Element]:
    """A sentence, and the bars of the outages of each phase."""
    yield paragraph(found.said)
    if not found.bars:
        return
    bars = []
    for phase in found.bars:
        rows = (_bar(name, bar, words) for name, bar, words in phase.rows)
        axis = _time_axis(phase.ticks, "time in the phase (s)")
        bars.append(
            element("table", element("caption", phase.title), element("tbody", *rows), axis)
        )
    caption = _figure_caption(found.label, found.caption)
    figure = element("figure", *bars, caption, css="outages")
    yield folded(f"{found.label}: times of the outages", figure)


def _bar(name: str, svg: str, words: str) -> Element:
    return element(
        "tr",
        element("th", name, scope="row"),
        element("td", drawing(svg), css="bar"),
        element("td", words, css="said"),
    )


def _time_axis(ticks: Iterable[Tick], title: str) -> Element:
    places = (element("span", tick.text, style=f"left:{tick.place_percent}%") for tick in ticks)
    axis = element("td", *places, css="axis")
    row = element("tr", element("td"), axis, element("td", title, css="said"))
    return element("tfoot", row)


def course(found: Course) -> Iterator[Element]:
    """One fault: a sentence, its rates, its outages on one axis, and its timeline."""
    yield paragraph(found.said)
    if found.rates:
        yield picture(found.rates)
    rows = (_bar(row.name, row.drawn, row.said) for row in found.rows)
    axis = _time_axis(found.ticks, "time from the injection (s)")
    yield element(
        "figure",
        element("table", element("tbody", *rows), axis),
        element("div", drawing(found.legend.wide), css="wide"),
        element("div", drawing(found.legend.narrow), css="narrow"),
        _figure_caption(found.label, found.caption),
        _values(found.label, found.data),
        css=f"outages {IN_EVIDENCE}" if found.is_in_evidence else "outages",
    )
    if found.events:
        yield folded(f"{found.events.label}: timeline of events", table(found.events))
