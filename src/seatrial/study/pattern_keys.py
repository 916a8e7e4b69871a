"""The keys of a workload for its pattern: `pattern`, and the numbers of all patterns.

The files of the patterns define the words and the numbers. A type checker cannot see either: for it
`pattern` is a text, and the numbers are in `PatternKeys.pattern_numbers` only.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from seatrial.basics.schema import Model
from seatrial.study.pattern_kinds import (
    PatternNumbers,
    PatternTraits,
    numbers_of,
    owners_of_keys,
    pattern_names,
    traits_of,
)

if TYPE_CHECKING:
    Pattern = str
else:
    Pattern = Literal[tuple(pattern_names())]


class _Pattern(Model):
    pattern: Pattern = Field("sequential", description="Order of the transfers, or of the names.")

    @property
    def pattern_traits(self) -> PatternTraits:
        """The properties of its pattern."""
        return traits_of(self.pattern)

    @property
    def pattern_numbers(self) -> PatternNumbers:
        """The numbers of its pattern. They are not validated again."""
        kind = numbers_of(self.pattern)
        return kind.model_construct(**{key: getattr(self, key) for key in kind.model_fields})


def _numbers() -> dict[str, Any]:
    """The fields for the numbers of all patterns, with the limits of their files. Each is optional:
    a rule of the workload requires those of its pattern.
    """
    fields: dict[str, Any] = {}
    for key, name in owners_of_keys().items():
        field = numbers_of(name).model_fields[key]
        kind = Annotated[int | None, *field.metadata]
        fields[key] = (kind, Field(None, description=field.description))
    return fields


if TYPE_CHECKING:
    PatternKeys = _Pattern
else:
    PatternKeys = create_model("PatternKeys", __base__=_Pattern, **_numbers())
