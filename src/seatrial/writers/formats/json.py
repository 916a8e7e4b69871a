"""`json`: the whole summary, as `results.json` in a result folder has it."""

from seatrial.summary.results import ResultSummary
from seatrial.summary.summarise import json_document

TITLE = "the whole result summary, as docs/results.schema.json describes it"


def write(summary: ResultSummary) -> str:
    """One JSON object on one line."""
    return json_document(summary)
