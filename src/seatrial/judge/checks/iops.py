"""`check: iops`: the operations per second of reads and writes are within limits.

Judged as `throughput`, with completed reads and writes per second of all clients together. A share
of the bound uses the mean transfer size of the phase. Limits in operations per second are not
multiplied by the scale of the lab, because times are not scaled.
"""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import Field

from seatrial.judge.answer import Answer
from seatrial.judge.flaws import Evidence
from seatrial.judge.rate_limits import OPERATIONS, OperationsKey, RateOptions
from seatrial.judge.rates import Measure, judge_rate, rate_mistakes
from seatrial.judge.selection import Mistakes
from seatrial.result.result import Result
from seatrial.study.study import Study
from seatrial.study.workload import DataPhase

TITLE = "the operations per second are within their limits"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})
MEASURE = Measure(get_args(DataPhase), lambda phase: phase.operations_per_s, OPERATIONS)


class Options(RateOptions):
    """`{check: iops, experiment: random, phase: read, at_least: 12000}`."""

    at_least: OperationsKey | None = Field(
        None,
        description="Lower limit in operations per second, such as `12000`, or a share.",
    )
    at_most: OperationsKey | None = Field(
        None, description="Upper limit in operations per second, or a share."
    )


def mistakes(study: Study, published: Mapping[str, Any], options: Options) -> Mistakes:
    """Names and references that the study does not have."""
    return rate_mistakes(study, published, options, MEASURE)


def check(result: Result, options: Options) -> Answer:
    """Judge the best selected point."""
    return judge_rate(result, options, MEASURE)
