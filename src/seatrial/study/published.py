"""How a study answers the claims of a published result."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from seatrial.basics.schema import Model, Size
from seatrial.basics.text import Identity, Name


class SeriesRef(Model):
    """One measured series: a phase of an experiment, at the points where some keys have given
    values.
    """

    experiment: str = Field(description="Name of the experiment.")
    phase: str = Field(description="Name of the phase.")
    from_: Identity | None = Field(
        None,
        alias="from_study",
        description=(
            "Another study that measured the series, at the same `scale`. A run copies its newest "
            "complete result."
        ),
    )
    where: dict[str, Any] = Field(
        default_factory=dict,
        description=(
            "Only points with these values. Every key of `sweep` except `over` is required."
        ),
    )
    file_size: Size | None = Field(None, description="For copy phases: only files of this size.")
    kind: str | None = Field(None, description="Only clients of this kind, over their own time.")
    quantity: Literal["rate", "operations", "copies", "efficiency"] | None = Field(
        None,
        description="The quantity. By default that of the figure.",
    )


class Expectation(Model):
    """What a series should do from its first to its last value, or how close its best should come
    to another's.
    """

    series: SeriesRef = Field(description="The series.")
    direction: Literal["up", "down", "flat"] | None = Field(
        None,
        description="The course of the series from its first to its last value.",
    )
    other: SeriesRef | None = Field(
        None,
        description="Instead of `direction`: the series that its best value is compared with.",
    )
    at_least: float = Field(
        0.9,
        gt=0,
        description="With `other`: lower limit of the ratio of the best values.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.direction is None) == (self.other is None):
            raise ValueError("write either direction or other")
        return self


FaultCheck = Literal["faults", "integrity", "fencing", "consistency", "recovery"]
"""the checks that judge a single fault"""
FaultProperties = Annotated[
    tuple[Name, ...],
    BeforeValidator(
        lambda value: (value,) if isinstance(value, str) else value,
        json_schema_input_type=str | tuple[str, ...],
    ),
]
"""names of properties of a fault, which `seatrial.judge.fault_properties` knows"""


class PublishedClaim(Model):
    """How this study answers a published claim: which series it is about, or why it gives no
    answer.

    With a series and `inconclusive`, the report shows the best value, but gives no verdict on it.
    """

    series: SeriesRef | None = Field(None, description="The measured series.")
    a: Any = Field(
        None,
        description="For a `delta`: the value of `over` that is compared with `b`.",
    )
    b: Any = Field(
        None,
        description="For a `delta`: the value of `over` that `a` is compared with.",
    )
    expect: tuple[Expectation, ...] = Field(
        (),
        description="The expected behaviour of each of several series; replaces the claim's form.",
    )
    other: SeriesRef | None = Field(None, description="The series that `series` is compared with.")
    over: str = Field(
        "clients",
        description=(
            "The key of `sweep` along which the series runs. `variant`: the variants. "
            "`file_size`: the file sizes of copies."
        ),
    )
    among: tuple[Any, ...] | None = Field(
        None,
        description="The values of `over` that count, in this order. By default all.",
    )
    step: tuple[Any, Any] | None = Field(
        None,
        description=(
            "For an `order`: two values of `over`. The change from the first to the second is"
            " compared."
        ),
    )
    best: Any = Field(
        None,
        description="For an `optimum`: the value of `over` that corresponds to the published one.",
    )
    share_of: str | None = Field(
        None,
        description=(
            "Resource that rates are a share of: a node (its link) or a rate such as `1Gbit/s`."
        ),
    )
    tolerance: float = Field(
        0.2,
        gt=0,
        lt=1,
        description=(
            "Largest difference between the measured and the printed share, as a share of the"
            " printed one."
        ),
    )
    faults: tuple[str, ...] = Field(
        (),
        description="The faults that answer a `range` in `s` or `min`, or a `property`.",
    )
    from_: Identity | None = Field(
        None,
        alias="from_study",
        description=(
            "Another study that `faults` are of. A run copies its newest complete result into this"
            " one."
        ),
    )
    checks: tuple[FaultCheck, ...] = Field(
        ("faults", "integrity"),
        min_length=1,
        description=(
            "Obsolete and read in older results only: the checks that the faults had to pass."
        ),
    )
    decides: FaultProperties = Field(
        (),
        description=(
            "Required with `faults`: the properties of a fault that the printed sentence is about."
        ),
    )
    inconclusive: str | None = Field(
        None,
        description=(
            "Reason why the study gives no answer. With `series` the best measured value is"
            " reported."
        ),
    )
    note: str | None = Field(None, description="Text that is added to the evidence.")
    fallback: "PublishedClaim | None" = Field(
        None,
        description="Another answer, for profiles of the study that do not measure the series.",
    )

    @model_validator(mode="after")
    def _two_values_or_two_series(self) -> Self:
        if self.other is not None and (self.a, self.b) != (None, None):
            raise ValueError("write either a and b, of one series, or other")
        return self

    @model_validator(mode="after")
    def _decided_by_faults(self) -> Self:
        if self.decides and not self.faults:
            raise ValueError("decides names properties of faults: name the faults")
        return self

    def answers(self) -> "tuple[PublishedClaim, ...]":
        """The answer itself and its substitutes, the best first."""
        return (self, *(self.fallback.answers() if self.fallback else ()))
