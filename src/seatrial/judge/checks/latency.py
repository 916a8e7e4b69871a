"""`check: latency`: a percentile of the latency is below a limit.

The percentile is that of all clients together, from merged histograms. In an open loop it counts
from the scheduled start, and operations that never began count as the longest. Every selected point
is judged. Passes when the whole 95 % interval of each one is below the limit. Fails when the
interval of any is above it, corrected for the number of points.

With `stream`, the latencies are those of an open-loop workload stream, from the injection of a
fault to the recovery. The repetitions of a fault are its repeats.

The interval is that between repeats, so a single repeat is unknown. Unknown also with too few
operations: p99 needs 1000 in each repeat, p99.9 needs 10000.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from seatrial.analysis.histogram import Histogram, merge
from seatrial.basics.errors import not_known
from seatrial.basics.schema import Duration, Model
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.answer import Answer, Reason, Verdict, unknown
from seatrial.judge.busy import BusyMachine
from seatrial.judge.fault_latency import latencies_during
from seatrial.judge.flaws import Evidence
from seatrial.judge.happened import only_if_shown
from seatrial.judge.limits import combine_all, judge_undisturbed
from seatrial.judge.percentiles import Latencies, judge_percentile, kinds_of
from seatrial.judge.selection import (
    Mistakes,
    PointOptions,
    left_out_words,
    point_mistakes,
    profiles_of,
    select,
    sweep_values,
)
from seatrial.result.faults import FaultResult
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.points import point_text
from seatrial.study.study import Study
from seatrial.study.workload import METADATA_PHASES, DataPhase

TITLE = "the latency is below its limit"
RESTS_ON = frozenset({Evidence.PHASES, Evidence.FAULTS, Evidence.STREAMS, Evidence.AGENT_LINES})
PHASES = (*get_args(DataPhase), *METADATA_PHASES)
ARRIVALS = "arrivals_per_s"
OPEN_LOOP = "service"
"""the time from the actual start, which agents measure in open loops only"""
RATES_APART = 1e-5
"""share by which a rate of a search may differ from the stated one: a result has rounded rates"""
_REPETITION = re.compile(r"-[0-9]{2,}$")


class Options(Model):
    """`{check: latency, experiment: random, phase: read, percentile: 99, below: 20ms}`."""

    experiment: str | None = Field(None, description="Name of the experiment.")
    phase: str | None = Field(
        None,
        description="Name of the phase. Required where the experiment has several.",
    )
    at: dict[str, Any] = Field(
        default_factory=dict,
        description="Only points with these values of the sweep, such as `{clients: 16}`.",
    )
    at_rate: float | None = Field(
        None,
        gt=0,
        description="Only phases of an open loop with this rate, in operations per second of each "
        "client.",
    )
    operation: Literal["read", "write", "fsync"] | None = Field(
        None,
        description="Only this kind of operation. By default those that the phase is named after.",
    )
    stream: str | None = Field(
        None,
        description="Instead of an experiment: an open-loop workload stream of `background_load`.",
    )
    faults: tuple[str, ...] = Field(
        (),
        description="With `stream`: the faults. By default each one that is no negative control.",
    )
    percentile: float = Field(gt=0, lt=100, description="The percentile, such as `99` or `99.9`.")
    below: Duration = Field(description="Upper limit of the latency, such as `20ms`.")

    @model_validator(mode="after")
    def _one_subject(self) -> Self:
        if (self.experiment is None) == (self.stream is None):
            raise ValueError("write either experiment or stream")
        of_phases = (self.phase, self.at_rate, self.operation)
        if self.stream is not None and (self.at or any(value is not None for value in of_phases)):
            raise ValueError("phase, at, at_rate and operation belong to an experiment")
        if self.stream is None and self.faults:
            raise ValueError("faults belong to a stream")
        return self

    @property
    def points(self) -> PointOptions:
        """The selection; only with an experiment."""
        return PointOptions(experiment=self.experiment or "", phase=self.phase, at=self.at)

    @property
    def below_ms(self) -> float:
        """The limit in ms."""
        return self.below * 1e3


# ---- mistakes of a study


def mistakes(study: Study, _published: Mapping[str, Any], options: Options) -> Mistakes:
    """Names and rates that the study does not have."""
    if options.stream is not None:
        yield from _stream_mistakes(study, options, options.stream)
        return
    yield from point_mistakes(study, options.points, PHASES)
    if options.experiment in study.experiments:
        yield from _rate_mistakes(study, options)


def _stream_mistakes(study: Study, options: Options, stream: str) -> Mistakes:
    streams = study.background_load
    if stream not in streams:
        yield Mistake(("stream",), not_known(stream, list(streams)))
        return
    workload = streams[stream].workload
    if workload is None or workload.arrivals_per_s is None:
        yield Mistake(
            ("stream",), f"{stream} is not an open loop; give its workload arrivals_per_s"
        )
    names = {*study.faults, *study.repetitions.written}
    for index, name in enumerate(options.faults):
        if name not in names:
            yield Mistake(("faults", index), not_known(name, list(study.repetitions.written)))


def _rate_mistakes(study: Study, options: Options) -> Mistakes:
    profiles = profiles_of(study, options.experiment or "")
    if any(item.saturation_search is not None for item in profiles):
        if options.at_rate is None:
            yield Mistake(("experiment",), "the experiment tries several rates; add at_rate")
        return
    if options.at_rate is None:
        return
    rates = sweep_values(profiles, ARRIVALS)
    rates += [item.workload.arrivals_per_s for item in profiles if ARRIVALS not in item.sweep]
    known_rates = [rate for rate in rates if rate is not None]
    if not known_rates:
        yield Mistake(
            ("at_rate",), "the experiment has no arrivals_per_s, so it is not an open loop"
        )
    elif options.at_rate not in known_rates:
        words = f"the experiment has no phase at {options.at_rate:g}"
        yield Mistake(("at_rate",), f"{words}; one of {', '.join(map(str, known_rates))}")


# ---- the judgement


def check(result: Result, options: Options) -> Answer:
    """Judge every selected point, or every selected fault."""
    if options.stream is not None:
        return _check_faults(result, options, options.stream)
    selection = select(result, options.points, PHASES)
    phases = [item for item in selection.phases if _has_rate(item, options.at_rate)]
    if not phases:
        words = selection.why_empty or "no phase has this rate"
        return unknown(f"{selection.title}: {words}", Reason.NOTHING_CHECKED)
    answer = judge_undisturbed(
        phases, partial(_judge_points, result, options), _robust_verdict(phases)
    )
    evidence = f"{selection.title}: {answer.evidence}{left_out_words(phases)}"
    return Answer(answer.verdict, evidence, answer.reason, rows=answer.rows)


def _has_rate(phase: PhaseResult, rate_per_s: float | None) -> bool:
    """Whether a phase has the rate; where the rate is no part of the point, the study states it."""
    rate_of_point = phase.point.get(ARRIVALS)
    if rate_per_s is None or rate_of_point is None:
        return True
    return abs(float(rate_of_point) - rate_per_s) <= RATES_APART * rate_per_s


def _robust_verdict(phases: Sequence[PhaseResult]) -> Verdict | None:
    """A shortage of processors only lengthens latencies in an open loop. In a closed loop it also
    reduces the load on the storage.
    """
    is_open = all(OPEN_LOOP in phase.histograms for phase in phases)
    return "pass" if is_open else None


def _judge_points(result: Result, options: Options, phases: list[PhaseResult]) -> Answer:
    points: dict[str, list[PhaseResult]] = {}
    for phase in phases:
        points.setdefault(point_text(phase.point), []).append(phase)
    answers = []
    for name, repeats in points.items():
        first = repeats[0]
        answer = judge_percentile(
            [_latencies_of(phase, options.operation) for phase in repeats],
            options.percentile,
            options.below_ms,
            looks=result.looks(first.experiment, first.point),
            among=len(points),
        )
        answers.append(answer.about(name) if name else answer)
    return combine_all(answers, "no repeat can be used")


def _latencies_of(phase: PhaseResult, operation: str | None) -> Latencies | None:
    """The latencies of a phase; None where the result has no histogram of the operation."""
    own_kinds = kinds_of(phase.phase)
    kinds = own_kinds if operation is None else (operation,)
    merged = merge(
        Histogram.decode(phase.histograms[kind]) for kind in kinds if kind in phase.histograms
    )
    unserved = phase.unserved if set(kinds) <= set(own_kinds) else 0
    return None if merged is None else Latencies(merged, unserved)


# ---- during faults


def _check_faults(result: Result, options: Options, stream: str) -> Answer:
    groups: dict[str, list[FaultResult]] = {}
    for fault in result.faults:
        written = _REPETITION.sub("", fault.name)
        is_chosen = not fault.controls if not options.faults else _is_named(fault, options.faults)
        if is_chosen and fault.skipped is None:
            groups.setdefault(written, []).append(fault)
    missing = [name for name in options.faults if not _is_injected(result, name)]
    answers = [
        unknown(f"{name}: not injected in this run", Reason.NOTHING_CHECKED) for name in missing
    ]
    for name, faults in groups.items():
        answer = _judge_fault(result, options, stream, faults, among=len(groups))
        answers.append(answer.about(f"{stream} during {name}"))
    return combine_all(answers, "no fault was injected in this run")


def _is_named(fault: FaultResult, names: Sequence[str]) -> bool:
    return fault.name in names or _REPETITION.sub("", fault.name) in names


def _is_injected(result: Result, name: str) -> bool:
    return any(_is_named(fault, (name,)) for fault in result.faults if fault.skipped is None)


def _judge_fault(
    result: Result, options: Options, stream: str, faults: Sequence[FaultResult], among: int
) -> Answer:
    """The answer on the repetitions of one fault."""
    broken = [fault.name for fault in faults if fault.failed is not None]
    if broken:
        words = f"{broken[0]} could not be completed"
        return unknown(words, Reason.NOT_CARRIED_THROUGH)
    latencies = [latencies_during(result, fault, stream) for fault in faults]
    answer = judge_percentile(latencies, options.percentile, options.below_ms, among=among)
    for fault in faults:
        answer = BusyMachine(fault.limited()).apply(None, only_if_shown(fault, answer))
    return answer
