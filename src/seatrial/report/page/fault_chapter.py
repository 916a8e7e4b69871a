"""The chapter on the faults."""

from collections.abc import Iterator

from seatrial.report.content import Content
from seatrial.report.page.blocks import course, folded, picture_if, table_if, tables
from seatrial.report.page.chapter import chapter
from seatrial.report.tree import Element, element


def faults(content: Content, number: int) -> Element:
    """The outages of all faults, the tables, and each fault on its own."""
    shown = content.faults
    return chapter(
        "faults",
        f"{number} Faults",
        shown.words,
        picture_if(shown.figure),
        table_if(shown.table),
        table_if(shown.predicted),
        *tables(shown.details),
        *_courses(content, number),
    )


def _courses(content: Content, number: int) -> Iterator[Element]:
    for index, item in enumerate(content.faults.courses, start=1):
        yield element("h3", f"{number}.{index} {item.name}: {item.title}")
        if item.is_folded:
            yield folded(f"Outages and rates of {item.name}", *course(item), css="long")
        else:
            yield from course(item)
