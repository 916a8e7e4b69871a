"""A figure of many lines has its bounds and predictions in the table only."""

from dataclasses import replace
from pathlib import Path

from seatrial.report import charts
from seatrial.result.phases import PhaseResult
from seatrial.result.result import read_result
from seatrial.study.experiment import Figure
from seatrial.summary.points import measured

SAMPLE = Path(__file__).parent / "data" / "report"


def lines(number: int) -> list[PhaseResult]:
    """Phases of this many lines; each line has its own bound and prediction."""
    phase = replace(read_result(SAMPLE).phases[0], lab_limited=False)
    return [
        replace(
            phase,
            point={"clients": clients, "transfer_size": f"{size}KiB"},
            bound_bytes_per_s=1.1e6 * size,
            predicted_bytes_per_s=0.5e6 * size,
        )
        for clients in (1, 2)
        for size in range(1, number + 1)
    ]


def test_few_bounds_and_predictions_are_drawn() -> None:
    """Two lines have two bounds and two predictions."""
    points = measured(lines(2))
    chart = charts.chart_of(points, Figure(), None, [])
    assert chart is not None
    assert len(chart.references) == charts.MODEL_LINES_MAX
    assert chart.tabled == ()
    assert "in the table only" not in " ".join(charts.caption_of(points, chart, None, [], ""))


def test_many_bounds_and_predictions_are_in_the_table_only() -> None:
    """Three lines have six, and the caption mentions the table."""
    points = measured(lines(3))
    chart = charts.chart_of(points, Figure(), None, [])
    assert chart is not None
    assert chart.references == ()
    assert len(chart.tabled) == 6
    titles = [column.title for column in charts.values(chart).columns]
    assert len([title for title in titles if title.startswith(("bound", "predicted"))]) == 6
    assert "in the table only" in " ".join(charts.caption_of(points, chart, None, [], ""))
