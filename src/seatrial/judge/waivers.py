"""Waivers: findings that would make a criterion fail or unknown, and that the study accepts.

A criterion that passes only with a waiver has a separate verdict, so that a count of passes does
not include it. Each waiver has its finding, its number, the key and line of the study, and the
reason.
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, StringConstraints, model_validator

from seatrial.basics.schema import Model
from seatrial.basics.units import counted

PASS_WITH_WAIVERS: Final = "pass with waivers"
NO_REASON = "the study gives no reason; studies before 2026-11-29 did not need one"
Kind = Literal["violation", "unknown answer"]


@dataclass(frozen=True)
class Waiver:
    """The findings that one key of a criterion waived in one test of one fault."""

    key: str
    """the key of the criterion: `stale_reads`"""
    kind: Kind
    number: int
    """how many of these were waived"""
    subject: str
    """the fault and the test of it"""
    example: str
    """the first of them, in words"""
    where: str = ""
    """the line and the key of the study that waives it: `study.yaml:181,
    criteria[6].stale_reads`"""
    reason: str = ""
    """why, in the study's words"""


class WaivingOptions(Model):
    """Options of a check that can waive some of its findings."""

    WAIVES: ClassVar[dict[str, str]] = {}
    """key -> the value of it that waives"""
    reasons: dict[str, Annotated[str, StringConstraints(strip_whitespace=True, min_length=10)]] = (
        Field(
            default_factory=dict,
            description="Reason for each key that waives a finding, at least 10 characters.",
        )
    )

    @model_validator(mode="after")
    def _gives_reasons_for_waivers_only(self) -> "WaivingOptions":
        for key in self.reasons:
            if key not in self.waived_keys:
                waived_text = " and ".join(self.waived_keys) or "nothing"
                words = f"reasons: {key} waives nothing here; this criterion waives {waived_text}"
                raise ValueError(words)
        return self

    @property
    def waived_keys(self) -> tuple[str, ...]:
        """The keys that waive something."""
        return tuple(key for key, value in self.WAIVES.items() if getattr(self, key) == value)

    @property
    def without_reason(self) -> tuple[str, ...]:
        """The keys that waive something without a reason in the study."""
        return tuple(key for key in self.waived_keys if key not in self.reasons)


def with_source(waiver: Waiver, place: str, index: int, options: WaivingOptions) -> Waiver:
    """The same with its author and reason; `place` is `FILE:LINE:COLUMN`, where the folder has no
    meaning.
    """
    file, line, _ = place.rsplit(":", 2)
    where = f"{file.rpartition('/')[2]}:{line}, criteria[{index}].{waiver.key}"
    return replace(waiver, where=where, reason=options.reasons.get(waiver.key, NO_REASON))


def number_words(waivers: tuple[Waiver, ...]) -> str:
    """`1 violation and 3 unknown answers waived`."""
    sums: dict[str, int] = {}
    for item in waivers:
        sums[item.kind] = sums.get(item.kind, 0) + item.number
    return f"{' and '.join(counted(number, kind) for kind, number in sums.items())} waived"


def source_words(waivers: tuple[Waiver, ...]) -> str:
    """`study.yaml:181, criteria[6].stale_reads: REASON`, once for each key."""
    return "; ".join(dict.fromkeys(f"{item.where}: {item.reason}" for item in waivers))


def whole_words(waivers: tuple[Waiver, ...]) -> str:
    """The waived findings, and for the first one of each key, its author and reason."""
    parts = []
    for key in dict.fromkeys(item.key for item in waivers):
        of_key = tuple(item for item in waivers if item.key == key)
        first = of_key[0]
        parts.append(
            f"{number_words(of_key)} by {first.where} ({first.reason}): {first.subject}: "
            f"{first.example}"
        )
    return "; ".join(parts)
