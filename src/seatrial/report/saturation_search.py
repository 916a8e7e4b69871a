"""The saturation rates of an experiment as a table: the highest rate that meets a latency
objective.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.report.lab_marks import marked
from seatrial.report.tables import Cell, Table, of_items
from seatrial.study.points import point_text
from seatrial.summary.notation import NONE, figures, milliseconds

Line = Mapping[str, Any]
"""one search, as recorded"""
NOTE = (
    "Operations begin at scheduled times, so that waiting counts as latency. The saturation rate "
    "is between the two "
    "rates shown: two tries agree on each, and the search ends at the study’s precision. Rates "
    "are of all "
    "clients."
)


def table(lines: Sequence[Line], *, in_lab: bool) -> Table:
    """One row per point with a search."""
    filled = of_items("Saturation rate.", SEARCHES, lines, NOTE)
    return marked(filled, in_lab=in_lab)


def tries(lines: Sequence[Line], *, in_lab: bool) -> Table:
    """Every try, by its rate."""
    all_tries = [
        _Try(line, item)
        for line in lines
        for item in sorted(line["tries"], key=lambda item: float(item["rate_per_s"]))
    ]
    return marked(
        of_items("Every try of the search for the saturation rate.", TRIES, all_tries),
        ("latency",),
        in_lab=in_lab,
    )


def _point(line: Line) -> str:
    return point_text(line["point"]) or "all clients"


def _total(line: Line, rate: float | None) -> str:
    """The rate of all clients, from the rate of one client."""
    return NONE if rate is None else figures(rate * line["clients"], 3)


def _remark(line: Line) -> str:
    if line["holds_per_s"] is None:
        return "met at no rate"
    if line["breaks_per_s"] is None:
        return "no limit was found"
    remarks = [] if line["settled"] else ["the tries were used up before they agreed"]
    if line["lab_limited"]:
        remarks.append("limited by the lab's CPUs")
    return "; ".join(remarks)


@dataclass(frozen=True)
class _Try:
    """One rate that a search tried."""

    search: Line
    """the line of the search"""
    result: Line

    @property
    def offered(self) -> str:
        """The rate of all clients."""
        return _total(self.search, self.result["rate_per_s"])


SEARCHES: tuple[Cell[Line], ...] = (
    Cell("point", head=True, of=_point),
    Cell(
        "objective", of=lambda line: f"{line['latency']} ≤ {milliseconds(line['objective_s'])} ms"
    ),
    Cell("met at", "operations/s", number=True, of=lambda line: _total(line, line["holds_per_s"])),
    Cell(
        "not met at",
        "operations/s",
        number=True,
        of=lambda line: _total(line, line["breaks_per_s"]),
    ),
    Cell("tries", number=True, of=lambda line: str(len(line["tries"]))),
    Cell("remark", of=_remark),
)
TRIES: tuple[Cell[_Try], ...] = (
    Cell("point", head=True, of=lambda tried: _point(tried.search)),
    Cell("offered", "operations/s", number=True, of=lambda tried: tried.offered),
    Cell("latency", "ms", number=True, of=lambda tried: figures(tried.result["latency_ms"])),
    Cell("met", of=lambda tried: "yes" if tried.result["met"] else "no"),
)
