"""`csv`: the figures in long format, one row per point and quantity."""

import csv
import io
from dataclasses import asdict

from seatrial.basics.finite import only_finite
from seatrial.summary.results import ResultSummary
from seatrial.writers.rows import COLUMNS, rows

TITLE = "figures in long format: a row per point and quantity, and per fault and quantity"


def write(summary: ResultSummary) -> str:
    """A header and the rows, as RFC 4180 has them, with line feeds. An unknown cell is empty."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows(summary):
        writer.writerow(only_finite(asdict(row)))
    return out.getvalue()
