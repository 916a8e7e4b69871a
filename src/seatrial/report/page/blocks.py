"""The blocks of the page: tables, figures, lists of findings, and the figures of faults."""

from collections.abc import Iterable, Iterator, Sequence

from seatrial.basics.text import capitalised
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


def tables(contents: Iterable[Table]) -> Iterator[Element]:
    """Each table; see `table`."""
    return (table(item) for item in contents)


def table_if(contents: Table | None) -> Element | None:
    """The table, where the result has it."""
    return None if contents is None else table(contents)


def table(contents: Table) -> Element:
    """A table; the page folds a long one."""
    whole = whole_table(contents)
    if not contents.is_long:
        return whole
    return folded(f"{contents.label}: {len(contents.rows)} rows", whole, css="long")


def whole_table(contents: Table, caption: str = "") -> Element:
    """A table with its caption and its note; `caption` replaces its own."""
    is_paragraphs = "cards" in contents.css or (
        "pairs" in contents.css and "two" not in contents.css
    )
    words = [contents.css] if contents.css else []
    words += ["paragraphs"] if is_paragraphs else []
    words += ["many"] if len(contents.columns) >= COLUMNS_MANY else []
    bodies = [
        _body(contents, title, indexes, is_paragraphs=is_paragraphs)
        for title, indexes in contents.bodies
    ]
    inside = element(
        "table", _caption(contents, caption), _head(contents), *bodies, css=" ".join(words)
    )
    return _numbered(inside, contents, contents.label or caption)


def _numbered(inside: Element, contents: Table, label: str) -> Element:
    """A table in a frame that scrolls, with its note."""
    note = paragraph(contents.note, css="note") if contents.note else None
    return element("div", _scrolling(inside, label), note, css="numbered")


def _scrolling(inside: Element, label: str) -> Element:
    return element("div", inside, css="scroll", tabindex="0", role="group", aria_label=label)


def _caption(contents: Table, caption: str = "") -> Element:
    label = bold(f"{contents.label}.") if contents.label else None
    space = " " if contents.label else None
    return element("caption", element("span", label, space, caption or contents.caption))


def _head(contents: Table) -> Element:
    cells = (_title(column) for column in contents.columns)
    return element("thead", element("tr", *cells))


def _title(column: Column) -> Element:
    unit = element("span", column.unit, css="unit") if column.unit else None
    space = " " if column.unit else None
    css = "n" if column.number else ""
    return element("th", column.title, space, unit, css=css, scope="col")


def _body(contents: Table, title: str, indexes: Sequence[int], *, is_paragraphs: bool) -> Element:
    width = str(len(contents.columns))
    heading = element("th", title, scope="rowgroup", colspan=width)
    group = element("tr", heading, css="group") if title else None
    rows = (_row(contents, index, is_paragraphs=is_paragraphs) for index in indexes)
    return element("tbody", group, *rows)


def _row(contents: Table, index: int, *, is_paragraphs: bool) -> Element:
    cells = []
    for number, (column, text) in enumerate(
        zip(contents.columns, contents.rows[index], strict=True)
    ):
        leads = number == 0 and "pairs" in contents.css and not column.number
        is_head = column.head or leads
        css = " ".join(["n"] * column.number + ["h"] * column.head)
        scope = {"scope": "row"} if is_head else {}
        title = {"data_title": column.label} if is_paragraphs else {}
        cells.append(element("th" if is_head else "td", text, css=css, **scope, **title))
    return element("tr", *cells, css="flagged" if index in contents.marks else "")


def claim_table(contents: Table) -> Element:
    """Criteria or claims: id, verdict in its colour, statement, and the rest."""
    rows = (element("tr", *_claim_cells(contents, row)) for row in contents.rows)
    body = element("tbody", *rows)
    inside = element("table", _caption(contents), _head(contents), body, css="claims")
    return _numbered(inside, contents, contents.label)


def _claim_cells(contents: Table, row: Sequence[str]) -> Iterator[Element]:
    for number, (column, text) in enumerate(zip(contents.columns, row, strict=True)):
        if number == CLAIM:
            yield element("th", text, css="id", scope="row")
        elif number == VERDICT:
            verdict = text.split(" ", 1)[1]
            yield element("td", text, css=f"verdict {verdict_css(verdict)}")
        elif number == STATEMENT:
            yield element("td", text)
        else:
            css = "lines" if column.is_multiline else "why"
            yield element("td", text, css=css, data_title=column.title)


def verdict_css(verdict: str) -> str:
    """The class of a verdict: `v-pass-with-waivers`."""
    return f"v-{verdict.replace(' ', '-')}"


# ---- figures


def pictures(figures: Iterable[Picture]) -> Iterator[Element]:
    """Each figure."""
    return (picture(item) for item in figures)


def picture_if(figure: Picture | None) -> Element | None:
    """The figure, where the result has it."""
    return None if figure is None else picture(figure)


def picture(figure: Picture) -> Element:
    """A figure in two widths, with its values as a table."""
    title = f"{capitalised(figure.title)}. " if figure.title else ""
    caption = element("figcaption", bold(f"{figure.label}."), f" {title}{figure.caption}")
    return element(
        "figure",
        element("div", drawing(figure.wide), css="wide"),
        element("div", drawing(figure.narrow), css="narrow"),
        caption,
        _values(figure.label, figure.data),
    )


def _values(label: str, data: Table | None) -> Element | None:
    if data is None:
        return None
    return folded("Values as a table", whole_table(data, f"Values of {label}."), css="data")


def strips(figure: Strips) -> Element:
    """A table of small pictures."""
    titles = (element("th", title, scope="col") for title in figure.columns)
    head = element("thead", element("tr", element("td"), *titles))
    rows = []
    for name, cells in figure.rows:
        drawn = (element("td", drawing(cell) if cell else None) for cell in cells)
        rows.append(element("tr", element("th", name, scope="row"), *drawn))
    inside = element("table", head, element("tbody", *rows))
    return element(
        "figure",
        _scrolling(inside, figure.label),
        _figure_caption(figure.label, figure.caption),
        _values(figure.label, figure.data),
        css="strips",
    )


def _figure_caption(label: str, caption: str) -> Element:
    return element("figcaption", bold(f"{label}."), f" {caption}")


def outages(section: Outages) -> Iterator[Element]:
    """A sentence, and the bars of the outages of each phase."""
    yield paragraph(section.summary)
    if not section.bars:
        return
    bars = []
    for phase in section.bars:
        rows = (_bar(name, bar, words) for name, bar, words in phase.rows)
        axis = _time_axis(phase.ticks, "time in the phase (s)")
        bars.append(
            element("table", element("caption", phase.title), element("tbody", *rows), axis)
        )
    caption = _figure_caption(section.label, section.caption)
    figure = element("figure", *bars, caption, css="outages")
    yield folded(f"{section.label}: times of the outages", figure)


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


def course(section: Course) -> Iterator[Element]:
    """One fault: a sentence, its rates, its outages on one axis, and its timeline."""
    yield paragraph(section.summary)
    if section.rates:
        yield picture(section.rates)
    rows = (_bar(row.name, row.drawn, row.summary) for row in section.rows)
    axis = _time_axis(section.ticks, "time from the injection (s)")
    yield element(
        "figure",
        element("table", element("tbody", *rows), axis),
        element("div", drawing(section.legend.wide), css="wide"),
        element("div", drawing(section.legend.narrow), css="narrow"),
        _figure_caption(section.label, section.caption),
        _values(section.label, section.data),
        css=f"outages {IN_EVIDENCE}" if section.is_in_evidence else "outages",
    )
    if section.events:
        yield folded(f"{section.events.label}: timeline of events", table(section.events))
