"""A criterion that rests on lines which cannot all be true is undecided, even where they favour the
storage.
"""

from collections.abc import Sequence

from seatrial.judge.against_study import against_study
from seatrial.result.invariants.contradiction import Contradiction, Subject
from seatrial.result.result import Result
from seatrial.study.study import Study

OF_PHASES = frozenset({Subject.RUN, Subject.PHASE})
OF_FAULTS = frozenset({Subject.RUN, Subject.FAULT})
OF_BLOCKS = frozenset({Subject.RUN, Subject.PHASE, Subject.FAULT, Subject.COMPARISON})
RESTS_ON: dict[str, frozenset[Subject]] = {
    "baselines": frozenset({Subject.RUN, Subject.BASELINE}),
    "bound": OF_PHASES,
    "spread": OF_PHASES,
    "throughput": OF_PHASES,
    "iops": OF_PHASES,
    "metadata-rate": OF_PHASES,
    "scaling": OF_PHASES,
    "variation": OF_PHASES,
    "latency": OF_PHASES | OF_FAULTS,
    "regression": OF_PHASES,
    "slow-member": OF_PHASES,
    "idempotence": frozenset({Subject.RUN}),
    "consistency": OF_FAULTS,
    "degraded": OF_FAULTS,
    "faults": OF_FAULTS,
    "fencing": OF_FAULTS,
    "outage": OF_FAULTS,
    "recovery": OF_FAULTS,
    "integrity": OF_BLOCKS,
}
"""by check; one that is not named here, of another package, rests on all"""
NAMED_MAX = 3


def contradictions_of(study: Study, result: Result) -> tuple[Contradiction, ...]:
    """The contradictions within the result, and against the study that it keeps; a caller computes
    them once and passes them to `why_contradicted` for each criterion.
    """
    return (*result.contradictions, *against_study(study, result))


def why_contradicted(found: Sequence[Contradiction], check: str) -> str | None:
    """Why the evidence of a check cannot be true; None where no lines contradict each other."""
    subjects = RESTS_ON.get(check, frozenset(Subject))
    return in_words([item for item in found if item.subject in subjects])


def in_words(found: Sequence[Contradiction]) -> str | None:
    """Some contradictions in words; None where there is none."""
    if not found:
        return None
    more = f"; and {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else ""
    return (
        "the result contradicts itself: "
        f"{'; '.join(item.words for item in found[:NAMED_MAX])}{more}"
    )
