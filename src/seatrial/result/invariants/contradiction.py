"""A defect of a result: lines that cannot all be true. It decides nothing for or against the
storage.
"""

from dataclasses import dataclass
from enum import StrEnum


class Subject(StrEnum):
    """The subject of a contradiction, which determines the criteria that rest on it."""

    RUN = "run"
    """the run as a whole: every criterion"""
    PHASE = "phase"
    FAULT = "fault"
    COMPARISON = "comparison"
    BASELINE = "baseline"


class Code(StrEnum):
    """Why lines cannot all be true."""

    MALFORMED = "malformed"
    FIELD_ABSENT = "field-absent"
    NOT_FINITE = "not-finite"
    NEGATIVE = "negative"
    END_WITH_REASON = "end-with-reason"
    END_WITH_FAILURES = "end-with-failures"
    OUTSIDE_THE_RUN = "outside-the-run"
    TIMES_OUT_OF_ORDER = "times-out-of-order"
    NO_DURATION = "no-duration"
    RATES_NOT_FROM_TASKS = "rates-not-from-tasks"
    SECONDS_DO_NOT_ADD_UP = "seconds-do-not-add-up"
    PARTIAL_UNSAID = "partial-unsaid"
    TASKS_GONE = "tasks-gone"
    OPERATIONS_DIFFER = "operations-differ"
    LATENCIES_OUT_OF_ORDER = "latencies-out-of-order"
    SHARE_ABOVE_ONE = "share-above-one"
    LAB_LIMITED_UNSAID = "lab-limited-unsaid"
    CACHES_UNSAID = "caches-unsaid"
    BOUND_NOT_FROM_LAYERS = "bound-not-from-layers"
    STEADY_ABOVE_ITS_SECONDS = "steady-above-its-seconds"
    CLOCK_ERROR_TOO_LARGE = "clock-error-too-large"
    LISTED_NOT_COUNTED = "listed-not-counted"
    COUNTED_MORE_THAN_THERE = "counted-more-than-there"
    NOTHING_HAD_TO_BE_THERE = "nothing-had-to-be-there"
    COMPARISONS_DIFFER = "comparisons-differ"
    COMPARISON_GONE = "comparison-gone"
    COPY_NOT_WHOLE = "copy-not-whole"
    WRITER_OUTSIDE_WATCH = "writer-outside-watch"
    LOCK_NOT_SAID = "lock-not-said"
    WORD_NOT_KNOWN = "word-not-known"
    LIMIT_NOT_ITS_SUM = "limit-not-its-sum"
    OUTAGE_UNSAID = "outage-unsaid"
    OUTAGE_BACKWARDS = "outage-backwards"
    RECOVERED_WHILE_SILENT = "recovered-while-silent"
    HEALTH_NOT_SAID = "health-not-said"
    MOVED_NOT_FROM_ROLES = "moved-not-from-roles"
    ROLES_GONE = "roles-gone"
    RESTARTED_WITHOUT_POWER = "restarted-without-power"
    FAILED_AND_SKIPPED = "failed-and-skipped"
    NOT_OF_THIS_STUDY = "not-of-this-study"
    EXPECTS_LESS_THAN_STUDY = "expects-less-than-study"


@dataclass(frozen=True)
class Contradiction:
    """One defect: the statement that cannot be true, its line, and its proof."""

    code: Code
    subject: Subject
    where: str
    detail: str

    @property
    def words(self) -> str:
        """The defect in words."""
        return f"{self.where}: {self.detail} ({self.code})"
