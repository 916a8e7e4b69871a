"""The interface of a checker: a module of `checks`, and a criterion of the study that it judges."""

from dataclasses import dataclass
from typing import Any, Protocol

from seatrial.basics.schema import Model
from seatrial.judge.answer import Answer
from seatrial.judge.flaws import EVERYTHING, Evidence
from seatrial.result.result import Result
from seatrial.study.study import Criterion


class Checker(Protocol):
    """The module of a check."""

    Options: type[Model]
    TITLE: str
    # RESTS_ON and RESTS_ON_OF_CONTROLS, frozenset[Evidence], may be left out; see `rests_on`.
    # mistakes(study, published, options) may be left out, too; see `base.refuse_mistakes`.
    # judge(fault) -> Answer, of a check that can judge a single fault; see `controls`.
    # NEEDS_FAULTS, bool: it answers from faults, and cannot pass where most were skipped.
    # FINDS_DAMAGE, bool: a fault that fails it damaged data; a run does not repeat such a fault.
    # outage_limits_s(options) -> Mapping[str, float]: limits of outages by fault, for the report.
    # reference_of(options) -> str: another result that it compares with; a run copies its figures.
    # MEANS_TWO_WRITERS, bool: damage that it detects means that two nodes wrote the same storage.

    def check(self, result: Result, options: Any) -> Answer:
        """Judge; the module's docstring describes the criterion."""


@dataclass(frozen=True)
class LoadedClaim:
    """An acceptance criterion of a study, with its checker."""

    index: int
    """index of the criterion in the study, from 0"""
    claim: Criterion
    checker: Checker
    options: Model

    @property
    def title(self) -> str:
        """The criterion in words."""
        return self.claim.title or self.checker.TITLE


def rests_on(checker: object, *, controls: bool = False) -> frozenset[Evidence]:
    """The evidence that a checker declares as `RESTS_ON`; one without it rests on everything.

    `controls`: of faults that are negative controls, where it declares `RESTS_ON_OF_CONTROLS`.
    """
    declared = frozenset(getattr(checker, "RESTS_ON", EVERYTHING))
    return frozenset(getattr(checker, "RESTS_ON_OF_CONTROLS", declared)) if controls else declared
