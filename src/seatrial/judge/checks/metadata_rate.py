"""`check: metadata-rate`: the metadata operations per second are within limits.

Judged as `throughput`, with completed metadata operations per second of all clients together, such
as `create`, `stat` or `remove`. Limits are not multiplied by the scale of the lab, because times
are not scaled.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from seatrial.judge.answer import Answer
from seatrial.judge.flaws import Evidence
from seatrial.judge.rate_limits import OPERATIONS, MetadataKey, RateOptions
from seatrial.judge.rates import Measure, judge_rate, rate_mistakes
from seatrial.judge.selection import Mistakes
from seatrial.result.result import Result
from seatrial.study.study import Study
from seatrial.study.workload import METADATA_PHASES

TITLE = "the metadata operations per second are within their limits"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})
MEASURE = Measure(METADATA_PHASES, lambda phase: phase.operations_per_s, OPERATIONS)


class Options(RateOptions):
    """`{check: metadata-rate, experiment: metadata, phase: create, at_least: 12000}`."""

    at_least: MetadataKey | None = Field(
        None,
        description="Lower limit in operations per second, such as `12000`, or a share.",
    )
    at_most: MetadataKey | None = Field(
        None, description="Upper limit in operations per second, or a share."
    )


def mistakes(study: Study, published: Mapping[str, Any], options: Options) -> Mistakes:
    """Names and references that the study does not have."""
    return rate_mistakes(study, published, options, MEASURE)


def check(result: Result, options: Options) -> Answer:
    """Judge the best selected point."""
    return judge_rate(result, options, MEASURE)
