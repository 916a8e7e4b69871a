"""Unreliable evidence decides no published claim: an edited result, and contradictions.

Their effect on an acceptance criterion is in `objections`, which knows the evidence of each
criterion.
"""

from collections.abc import Iterable
from dataclasses import replace

from seatrial.judge.answer import Reason, Verdict
from seatrial.judge.base import Judgement
from seatrial.judge.contradicted import contradictions_of, in_words
from seatrial.result.result import Result
from seatrial.study.study import Study

IN_FAVOUR: frozenset[Verdict] = frozenset({"agrees", "better"})
"""the verdicts that become inconclusive without evidence"""


def withheld(study: Study, result: Result, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The same verdicts on published claims; those in favour are inconclusive where the result was
    edited, or contradicts itself.
    """
    edited = result.seal.words if result.seal.is_broken else None
    why = edited or in_words(contradictions_of(study, result))
    reason = Reason.EDITED if edited else Reason.CONTRADICTED
    return [_without_favour(item, why, reason) for item in judgements]


def _without_favour(item: Judgement, why: str | None, reason: Reason) -> Judgement:
    if why is None or item.verdict not in IN_FAVOUR:
        return item
    evidence = f"{why} (otherwise: {item.evidence})"
    return replace(item, verdict="inconclusive", evidence=evidence, reason=reason)
