"""Generates a part of docs/prediction.md: `python -m seatrial.predict.markdown docs/prediction.md`
rewrites it.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from seatrial.predict.validate import Line, Validation, summary, validate_papers

COLUMNS = (
    "paper",
    "figure",
    "clients",
    "published",
    "bound",
    "cold",
    "factor",
    "calibrated (90 %)",
    "error",
    "use",
    "layer",
    "explanation",
)
BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"


def generated(found: Validation) -> str:
    """The figures, each paper's, and every row."""
    more = summary(found)
    above, within, covered = (
        sum(line.exceeded for line in found.table),
        more["within_30_percent"],
        more["covered_by_90_percent"],
    )
    lines = [
        f"{found.rows} published figures. Above the bound: {above}, of which no erratum and no cache explains "
        f"{found.bound_exceeded}. Cold: median factor {found.cold_median_factor:.2f}. Calibrated: median error "
        f"{found.median_error:.1%} of the {len(found.kept_out)} rows kept out; {within:.0%} of them within 30 %, "
        f"{covered:.0%} of the {more['with_interval']:.0f} that have a 90 % interval lie in it.",
        "",
        "| paper | rows | cold, median factor | kept out | calibrated, median error |",
        "|---|---|---|---|---|",
        *(_paper_line(paper, found.table) for paper in dict.fromkeys(line.paper for line in found.table)),
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
        *(_line(line) for line in found.table),
    ]
    return "\n".join(lines)


def _paper_line(paper: str, table: Sequence[Line]) -> str:
    lines = [line for line in table if line.paper == paper and line.use != "anomaly"]
    kept = [abs(line.error) for line in lines if line.use == "kept out"]
    cold = median(line.factor for line in lines)
    return f"| {paper} | {len(lines)} | {cold:.2f} | {len(kept)} | {median(kept):.1%} |"


def _line(line: Line) -> str:
    published = f"{line.published:.4g} {line.unit}"
    interval = f"{line.calibrated:.3g}" + (f" ({line.low:.3g} to {line.high:.3g})" if line.low else "")
    cells = [
        line.paper,
        line.workload,
        str(line.clients),
        published,
        f"{line.bound:.4g}",
        f"{line.cold:.3g}",
        f"{line.factor:.2f}",
        interval,
        f"{line.error:+.0%}",
        line.use,
        line.layer,
        ("**above the bound**: " if line.exceeded else "") + line.explanation,
    ]
    return f"| {' | '.join(cells)} |".replace("  |", " |")


def with_generated(page: str, found: Validation) -> str:
    """The page with its generated part replaced; raises ValueError where the page has no place for
    it.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks {BEGIN} or {END}")
    return f"{before}{BEGIN}\n{generated(found)}\n{END}{after}"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(with_generated(target.read_text(), validate_papers()))
