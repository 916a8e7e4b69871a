"""A criterion that rests on lines which cannot all be true is undecided, even where they favour the
storage.
"""

from collections.abc import Sequence

from seatrial.judge.against_study import against_study
from seatrial.judge.flaws import Evidence
from seatrial.result.invariants.contradiction import Contradiction, Subject
from seatrial.result.result import Result
from seatrial.study.study import Study

SUBJECTS = {
    Evidence.BASELINES: Subject.BASELINE,
    Evidence.PHASES: Subject.PHASE,
    Evidence.COMPARISONS: Subject.COMPARISON,
    Evidence.FAULTS: Subject.FAULT,
    Evidence.STREAMS: Subject.FAULT,
}
"""evidence of a check -> the lines that have it; every check rests on the lines of the run too"""
NAMED_MAX = 3


def contradictions_of(study: Study, result: Result) -> tuple[Contradiction, ...]:
    """The contradictions within the result, and against the study that it keeps; a caller computes
    them once and passes them to `why_contradicted` for each criterion.
    """
    return (*result.contradictions, *against_study(study, result))


def why_contradicted(
    contradictions: Sequence[Contradiction], evidence: frozenset[Evidence]
) -> str | None:
    """Why the evidence of a check cannot be true; None where no lines contradict each other."""
    subjects = {Subject.RUN} | {SUBJECTS[kind] for kind in evidence if kind in SUBJECTS}
    return in_words([item for item in contradictions if item.subject in subjects])


def in_words(contradictions: Sequence[Contradiction]) -> str | None:
    """Some contradictions in words; None where there is none."""
    if not contradictions:
        return None
    more = (
        f"; and {len(contradictions) - NAMED_MAX} more" if len(contradictions) > NAMED_MAX else ""
    )
    return (
        "the result contradicts itself: "
        f"{'; '.join(item.words for item in contradictions[:NAMED_MAX])}{more}"
    )
