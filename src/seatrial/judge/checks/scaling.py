"""`check: scaling`: the efficiency at a number of clients is at least a limit.

The efficiency is the rate per client at `clients`, over the rate per client at `relative_to`.
Passes when its whole 95 % interval is at least `at_least`. Fails when the whole interval is below.
Metadata operations are counted as operations per second.

Unknown otherwise, with the number of repeats that would decide. Repeats that the processors of the
lab machine limited decide nothing, because the reference may be one of them.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self, get_args

from pydantic import Field, model_validator

from seatrial.analysis.statistics import Sample
from seatrial.basics.units import counted
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.answer import Answer, Reason, unknown
from seatrial.judge.flaws import Evidence
from seatrial.judge.limits import Limit, decide, judge_undisturbed
from seatrial.judge.selection import (
    Mistakes,
    PointOptions,
    left_out_words,
    point_mistakes,
    profiles_of,
    select,
    sweep_keys,
    sweep_values,
)
from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import Quantity, quantity_of
from seatrial.result.result import Result
from seatrial.study.study import Study
from seatrial.study.workload import METADATA_PHASES, DataPhase

TITLE = "the rate scales with the clients"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.AGENT_LINES})
PHASES = (*get_args(DataPhase), *METADATA_PHASES)
CLIENTS = "clients"


class Options(PointOptions):
    """`{check: scaling, experiment: streams, phase: read, clients: 16, at_least: 0.8}`."""

    clients: int | None = Field(
        None,
        ge=2,
        description="Number of clients that is judged. By default the largest one measured.",
    )
    relative_to: int | None = Field(
        None,
        ge=1,
        description="Number of clients that it is compared with. By default the smallest one "
        "measured.",
    )
    at_least: float = Field(
        gt=0, le=10, description="Lower limit of the efficiency, such as `0.8`."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if CLIENTS in self.at:
            raise ValueError("at names other values than clients; write clients and relative_to")
        smaller = self.relative_to
        larger = self.clients
        if smaller is not None and larger is not None and smaller >= larger:
            raise ValueError("relative_to is the smaller number of clients")
        return self


def mistakes(study: Study, _published: Mapping[str, Any], options: Options) -> Mistakes:
    """Names and client counts that the study does not have."""
    yield from point_mistakes(study, options, PHASES)
    if options.experiment not in study.experiments:
        return
    profiles = profiles_of(study, options.experiment)
    counts = sweep_values(profiles, CLIENTS)
    if len(counts) < 2:
        yield Mistake(("experiment",), "the experiment does not sweep clients")
        return
    for key in ("clients", "relative_to"):
        value = getattr(options, key)
        if value is not None and value not in counts:
            counts_text = ", ".join(map(str, counts))
            yield Mistake(
                (key,), f"the experiment has no point with {value} clients; one of {counts_text}"
            )
    for key in sweep_keys(profiles):
        if key != CLIENTS and key not in options.at and len(sweep_values(profiles, key)) > 1:
            first = sweep_values(profiles, key)[0]
            yield Mistake(
                ("experiment",), f"the experiment varies {key} too; add at: {{{key}: {first}}}"
            )


def check(result: Result, options: Options) -> Answer:
    """Judge the efficiency."""
    selection = select(result, options, PHASES)
    if selection.why_empty:
        return unknown(f"{selection.title}: {selection.why_empty}", Reason.NOTHING_CHECKED)
    counts = sorted({int(item.point.get(CLIENTS, 0)) for item in selection.phases})
    smaller = counts[0] if options.relative_to is None else options.relative_to
    larger = counts[-1] if options.clients is None else options.clients
    if smaller not in counts or larger not in counts or smaller >= larger or smaller < 1:
        measured = f"{larger} and {smaller} clients; measured: {', '.join(map(str, counts))}"
        words = f"{selection.title}: no two points to compare, {measured}"
        return unknown(words, Reason.NOTHING_CHECKED)
    judge = partial(_judge, result, options, smaller, larger)
    phases = [item for item in selection.phases if item.point.get(CLIENTS) in (smaller, larger)]
    answer = judge_undisturbed(phases, judge, None)
    words = f"{selection.title}: {answer.evidence}{left_out_words(phases)}"
    return Answer(answer.verdict, words, answer.reason)


def _judge(
    result: Result, options: Options, smaller: int, larger: int, phases: list[PhaseResult]
) -> Answer:
    if not phases:
        return unknown("no repeat can be used", Reason.NOTHING_CHECKED)
    quantity = quantity_of(phases[0].phase)
    reference = _per_client(result, phases, quantity, smaller)
    sample = _per_client(result, phases, quantity, larger)
    share = f"{options.at_least:g} of that at {counted(smaller, 'client')}"
    smaller_rate = f"{quantity.written(reference.mean)} per client"
    answer = decide(
        sample,
        at_least=Limit(options.at_least, f"{share}, {smaller_rate}", reference),
        written=lambda value: f"{quantity.written(value)} per client",
    )
    return answer.about(f"at {larger} clients")


def _per_client(
    result: Result, phases: Sequence[PhaseResult], quantity: Quantity, clients: int
) -> Sample:
    """The rate per client of each repeat."""
    of_count = [item for item in phases if item.point.get(CLIENTS) == clients]
    values = tuple(quantity.of(item) / clients for item in of_count)
    looks = max((result.looks(item.experiment, item.point) for item in of_count), default=1)
    return Sample(values, looks)
