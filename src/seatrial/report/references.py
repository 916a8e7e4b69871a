"""The references of the report: the published document with its sources, and the methods used."""

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.report.tables import Column, Table
from seatrial.summary.names import value_name
from seatrial.summary.notation import NONE

LAW = (
    "N. J. Gunther, Guerrilla Capacity Planning, Springer 2007, chapters 4 to 6 (the universal"
    " scalability law)"
)
BANDS = (
    "B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap, Chapman & Hall 1993, chapter 9"
    " (bands)"
)
FAIRNESS = (
    "R. Jain, D. Chiu, W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource"
    " Allocation in Shared Computer Systems, DEC Research Report TR-301, 1984 (fairness)"
)


def document(published: Mapping[str, Any]) -> str:
    """The published document in one line: authors, title, publisher, date."""
    if not published:
        return ""
    date = published.get("date")
    when = date.get("value") if isinstance(date, dict) else date
    authors = published.get("authors")
    who = ", ".join(str(item) for item in authors) if isinstance(authors, list) else ""
    return ", ".join(
        str(item)
        for item in (who, published.get("title"), published.get("publisher"), when)
        if item
    )


def references(published: Mapping[str, Any], *, measured: bool, scaled: bool) -> list[str]:
    """The reference list, with the document as [1].

    `measured`: points are tabled; `scaled`: the scaling law is fitted.
    """
    documents = []
    if line := document(published):
        source = published.get("source")
        source = source if isinstance(source, Mapping) else {}
        lines = source.get("lines")
        digest = source.get("sha256")
        of = f", of its text of {lines} lines (SHA-256 {digest})" if lines and digest else ""
        documents.append(f"{line}. Facts: published.yaml of the result; L… are source lines{of}")
    return [*documents, *([FAIRNESS] if measured else []), *([LAW, BANDS] if scaled else [])]


def parts(published: Mapping[str, Any]) -> Table:
    """The published system, part by part, with source lines."""
    system = published.get("system")
    components = system.get("components") if isinstance(system, Mapping) else None
    rows = [_part(item) for item in components or () if isinstance(item, Mapping)]
    columns = (
        Column("layer"),
        Column("part"),
        Column("as printed"),
        Column("number", number=True),
        Column("source lines"),
    )
    caption = "The published system, part by part; it is not the system measured here."
    return Table(caption, columns, tuple(rows), css="pairs")


def _part(item: Mapping[str, Any]) -> tuple[str, ...]:
    kind = str(item.get("kind", "")).replace("_", " ")
    of = item.get("of")
    return (
        str(item.get("layer", NONE)),
        f"{kind} of {of}" if of else kind,
        "; ".join(part for part in (str(item.get("model", "")), *_specs(item.get("specs"))) if part)
        or NONE,
        str(item.get("count", NONE)),
        str(item.get("src", NONE)),
    )


def _specs(specs: Any) -> Iterator[str]:
    """`clock 2.7 GHz`, each as in the facts."""
    for name, value in specs.items() if isinstance(specs, Mapping) else ():
        printed = _printed(value) if isinstance(value, Mapping) else value
        unit = (
            value.get("unit", "")
            if isinstance(value, Mapping) and "as_printed" not in value
            else ""
        )
        # A count already names its unit: `cores 4`.
        yield (
            f"{str(name).replace('_', ' ')} {value_name(printed)}"
            f" {'' if unit in str(name) else unit}".strip()
        )


def _printed(value: Mapping[str, Any]) -> Any:
    """`4`, `at least 120` or `125 to 150`, as in the facts."""
    if "ge" in value:
        return f"at least {value['ge']}"
    if "min" in value and "max" in value:
        return f"{value['min']} to {value['max']}"
    return value.get("as_printed", value.get("value"))
