"""What cannot be relied on decides nothing: an edited result, and lines that contradict themselves."""

from collections.abc import Iterable
from dataclasses import replace

from seatrial.judge.base import Judgement, Verdict
from seatrial.record.record import Record

IN_FAVOUR: frozenset[Verdict] = frozenset({"pass", "agrees"})


def withheld_by_seal(record: Record, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The same verdicts; where the result was edited, nothing is in favour of the storage."""
    found = list(judgements)
    if not record.seal.is_broken:
        return found
    reason = record.seal.words
    return [_withheld(item, reason) if item.verdict in IN_FAVOUR else item for item in found]


def _withheld(item: Judgement, reason: str) -> Judgement:
    return replace(item, verdict="unknown", evidence=f"{reason} (its lines say: {item.evidence})")
