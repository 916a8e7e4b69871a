"""What cannot be relied on decides nothing: an edited result, and lines that contradict
themselves.
"""

from collections.abc import Iterable
from dataclasses import replace

from seatrial.judge.base import Judgement, Verdict
from seatrial.judge.contradicted import contradictions_of, in_words
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.record.record import Record
from seatrial.study.study import Study

UNDECIDED: dict[str, Verdict] = {
    "pass": "unknown",
    PASS_WITH_WAIVERS: "unknown",
    "agrees": "inconclusive",
    "better": "inconclusive",
}
"""what a verdict in favour becomes where it has nothing to rest on"""


def withheld(study: Study, record: Record, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The same verdicts; of an edited result none is in favour, of a contradiction no comparison
    with others agrees.

    What a contradiction does to an acceptance claim `run_checkers` says, which knows what each
    rests on.
    """
    edited = record.seal.words if record.seal.is_broken else None
    contradicted = in_words(contradictions_of(study, record))
    found = []
    for item in judgements:
        reason = edited or (contradicted if item.kind == "published" else None)
        found.append(_without(item, reason) if reason and item.verdict in UNDECIDED else item)
    return found


def _without(item: Judgement, reason: str) -> Judgement:
    return replace(
        item, verdict=UNDECIDED[item.verdict], evidence=f"{reason} (else: {item.evidence})"
    )
