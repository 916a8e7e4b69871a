"""The load lines of an experiment, as a table: the highest rate that still meets a latency objective."""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.report.tables import NONE, Column, Table, figures
from seatrial.study.points import point_text

NOTE = (
    "Operations begin at times that were set beforehand, so that what waits counts. The line lies between the two "
    "rates: two tries agree on each, and the search ends when they are as close as the study asks. Rates are of all "
    "clients."
)


def table(title: str, lines: Sequence[Mapping[str, Any]]) -> Table:
    """A row for each point that was searched."""
    columns = (
        Column("point", head=True),
        Column("objective"),
        Column("met at", "operations/s", number=True),
        Column("not met at", "operations/s", number=True),
        Column("tries", number=True),
        Column("remark"),
    )
    return Table(f"{title}: load line.", columns, tuple(map(_row, lines)), NOTE)


def tries(title: str, lines: Sequence[Mapping[str, Any]]) -> Table:
    """Every try, by its rate."""
    rows = [
        (
            point_text(line["point"]) or "all clients",
            figures(item["rate_per_s"] * line["clients"], 3),
            NONE if item["latency_ms"] is None else figures(item["latency_ms"], 3),
            "yes" if item["met"] else "no",
        )
        for line in lines
        for item in sorted(line["tries"], key=lambda item: float(item["rate_per_s"]))
    ]
    columns = (
        Column("point", head=True),
        Column("offered", "operations/s", number=True),
        Column("latency", "ms", number=True),
        Column("met"),
    )
    return Table(f"{title}: every try of the load line.", columns, tuple(rows))


def _row(line: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        point_text(line["point"]) or "all clients",
        f"{line['latency']} ≤ {figures(line['objective_s'] * 1e3, 3)} ms",
        _total(line, "holds_per_s"),
        _total(line, "breaks_per_s"),
        str(len(line["tries"])),
        _remark(line),
    )


def _total(line: Mapping[str, Any], key: str) -> str:
    rate = line[key]
    return NONE if rate is None else figures(rate * line["clients"], 3)


def _remark(line: Mapping[str, Any]) -> str:
    if line["holds_per_s"] is None:
        return "met at no rate"
    if line["breaks_per_s"] is None:
        return "no limit was found"
    remarks = [] if line["settled"] else ["the tries were used up before they agreed"]
    if line["lab_limited"]:
        remarks.append("limited by the lab's CPUs")
    return "; ".join(remarks)
