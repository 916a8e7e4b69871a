"""The score of a study as a table."""

from seatrial.basics.text import capitalised
from seatrial.report.tables import Column, Table
from seatrial.summary.io500_score import WORDS, WRITE_MIN_S, Score, ScorePhase
from seatrial.summary.notation import NONE, figures

NOTE = (
    "The bandwidth score is the geometric mean of the phases in GiB/s, the metadata score that of "
    "the phases in kIOP/s. The score is the square root of their product. It is invalid if a phase "
    f"that writes is shorter than {WRITE_MIN_S:g} s."
)


def table(score: Score | None) -> Table | None:
    """One row per phase, then the two means and the score; None where the study asks for none."""
    if score is None:
        return None
    columns = (
        Column("phase", head=True),
        Column("rate", number=True),
        Column("unit"),
        Column("time", "s", number=True),
        Column("remark"),
    )
    means = (
        ("bandwidth score", figures(score.bandwidth_gib_per_s), "GiB/s", NONE, ""),
        ("metadata score", figures(score.metadata_kiop_per_s), "kIOP/s", NONE, ""),
        ("score", figures(score.score), "", NONE, _verdict(score)),
    )
    return Table("Score of IO500.", columns, (*map(_row, score.phases), *means), NOTE)


def _row(phase: ScorePhase) -> tuple[str, ...]:
    remarks = "; ".join(WORDS[reason] for reason in phase.reasons)
    return (phase.name, figures(phase.rate), phase.unit, figures(phase.elapsed_s), remarks)


def _verdict(score: Score) -> str:
    if score.score is None:
        return "no score"
    return "valid" if score.is_valid else "INVALID"


def sentence(score: Score | None) -> list[str]:
    """The score as a sentence for the head of a chapter; empty where the study asks for none."""
    if score is None:
        return []
    return [f"{capitalised(score.words)}."]
