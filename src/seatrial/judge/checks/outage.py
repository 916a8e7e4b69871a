"""`check: outage`: no client waited longer than allowed, during and after each fault.

Passes when no task of any client was without an answer for longer than the limit. The longest time
from one completion to the next counts, if it ends after the injection. A client that lost its own
power does not count.

Unknown when a stream was lost or had ended, when the fault could not be completed, or when the lab
machine was short of processors. A skipped fault is unknown if `goals` names it, and else has no
effect.
"""

from collections.abc import Mapping
from dataclasses import replace

from pydantic import Field

from seatrial.basics.schema import Duration, Model
from seatrial.judge.answer import Answer, Reason, combine, unknown
from seatrial.judge.flaws import Evidence
from seatrial.judge.outages import judge_outage
from seatrial.result.result import Result

TITLE = "no client waits longer than allowed"
NEEDS_FAULTS = True
RESTS_ON = frozenset({Evidence.FAULTS, Evidence.STREAMS, Evidence.AGENT_LINES})


class Options(Model):
    """`{check: outage, goals: {server-panic: 60s}}`."""

    goals: dict[str, Duration] = Field(
        default_factory=dict,
        description="Longest outage by fault. By default `expect.outage` of each fault.",
    )


def check(result: Result, options: Options) -> Answer:
    """Judge every fault that has a goal."""
    faults = {item.name: item for item in result.faults}
    stated = {name: item.expect.get("outage") for name, item in faults.items() if not item.controls}
    expected = {name: goal_s for name, goal_s in stated.items() if goal_s is not None}
    goals = options.goals or expected
    answers = []
    for name, goal_s in goals.items():
        if name not in faults:
            answer = unknown("not injected in this run", Reason.NOTHING_CHECKED)
        else:
            answer = judge_outage(faults[name], goal_s)
        if answer.verdict == "skipped" and name in options.goals:
            answer = replace(answer, verdict="unknown")
        answers.append(answer.about(name))
    return combine(answers, "no fault has a goal")


def outage_limits_s(options: Options) -> Mapping[str, float]:
    """The limits that the criterion gives to faults by name, for the report."""
    return options.goals
