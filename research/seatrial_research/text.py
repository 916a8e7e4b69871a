"""The validation as text."""

from seatrial.basics.units import plain
from seatrial.predict.output import text_table
from seatrial_research.validate import Validation, summary


def validation_text(validation: Validation) -> str:
    """The four figures and the outliers."""
    more = summary(validation)
    lines = [
        (
            f"{validation.rows} published figures; {validation.bound_exceeded} above the bound and"
            " unexplained"
        ),
        f"cold: median factor {validation.cold_median_factor:.2f}",
        (
            f"calibrated on every third row: median error {validation.median_error:.1%} of the"
            f" others; {more['within_30_percent']:.0%} within 30 %,"
            f" {more['covered_by_90_percent']:.0%} of {more['with_interval']:.0f} in their 90 %"
            " interval"
        ),
        "",
    ]
    rows: list[tuple[str, ...]] = [
        ("paper", "workload", "clients", "published", "bound", "cold", "calibrated", "explanation")
    ]
    for line in validation.table:
        if line.explanation:
            figures = (
                plain(value) for value in (line.published, line.bound, line.cold, line.calibrated)
            )
            rows.append((line.paper, line.workload, str(line.clients), *figures, line.explanation))
    return "\n".join([*lines, *text_table(rows)])
