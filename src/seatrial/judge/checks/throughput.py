"""`check: throughput`: the aggregate throughput is within limits.

The best of the selected points is judged: the aggregate throughput of all clients in `write`,
`read` or `mixed`. Passes when the whole 95 % interval of its mean is within the limits. Fails when
the whole interval is beyond one. The interval allows for the choice of the best point.

Unknown otherwise, with the number of repeats that would decide. Unknown also when the point was
measured once only, or when the reference of a limit is missing. Partial repeats and reads from
caches are left out. Repeats that the processors of the lab machine limited decide only the verdict
that a shortage cannot cause.
"""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import Field

from seatrial.judge.answer import Answer
from seatrial.judge.flaws import Evidence
from seatrial.judge.rate_limits import BYTES, RateOptions, ThroughputKey
from seatrial.judge.rates import Measure, judge_rate, rate_mistakes
from seatrial.judge.selection import Mistakes
from seatrial.result.result import Result
from seatrial.study.study import Study
from seatrial.study.workload import DataPhase

TITLE = "the throughput is within its limits"
RESTS_ON = frozenset({Evidence.SYSTEM, Evidence.PHASES, Evidence.AGENT_LINES})
MEASURE = Measure(get_args(DataPhase), lambda phase: phase.natural_bytes_per_s, BYTES)


class Options(RateOptions):
    """`{check: throughput, experiment: streams, phase: write, at_least: 5 GB/s}`."""

    at_least: ThroughputKey | None = Field(
        None,
        description="Lower limit, such as `5 GB/s` or `{share: 0.8, of: bound}`.",
    )
    at_most: ThroughputKey | None = Field(None, description="Upper limit.")


def mistakes(study: Study, published: Mapping[str, Any], options: Options) -> Mistakes:
    """Names and references that the study does not have."""
    return rate_mistakes(study, published, options, MEASURE)


def check(result: Result, options: Options) -> Answer:
    """Judge the best selected point."""
    return judge_rate(result, options, MEASURE)
