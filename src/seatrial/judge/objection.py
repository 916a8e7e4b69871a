"""Reasons that weaken an answer: each objection is a class, and one function applies them.

An objection never makes an answer better. The subject is a criterion of the study, or one fault.
"""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from seatrial.judge.answer import Answer

Subject_contra = TypeVar("Subject_contra", contravariant=True)
Judged = TypeVar("Judged")


class Objection(Protocol[Subject_contra]):
    """A reason for which an answer may not be valid."""

    def apply(self, claim: Subject_contra, answer: Answer, /) -> Answer:
        """The answer, or where the objection holds, a weaker one with the reason."""


def apply_objections(
    objections: Iterable[Objection[Judged]], claim: Judged, answer: Answer
) -> Answer:
    """The answer after every objection, in their order."""
    for objection in objections:
        answer = objection.apply(claim, answer)
    return answer
