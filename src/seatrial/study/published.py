"""How a study answers the claims of a published result."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from seatrial.basics.schema import Model, Size
from seatrial.basics.text import Identity


class SeriesRef(Model):
    """One measured series: a phase of an experiment, at the points where some keys have given values."""

    experiment: str
    phase: str
    where: dict[str, Any] = Field(default_factory=dict)
    file: Size | None = Field(None, description="of phases that copy: the rate of files of this size alone")
    kind: str | None = Field(None, description="the rate of clients of this kind alone, over their own time")
    quantity: Literal["rate", "operations", "copies", "efficiency"] | None = Field(
        None, description="what of the phase; by default what its figure shows"
    )


class Expectation(Model):
    """What a series should do from its first to its last value, or how close its best should come to another's."""

    series: SeriesRef
    direction: Literal["up", "down", "flat"] | None = None
    other: SeriesRef | None = None
    at_least: float = Field(0.9, gt=0, description="with `other`: best over best")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.direction is None) == (self.other is None):
            raise ValueError("write either direction or other")
        return self


FaultCheck = Literal["faults", "integrity", "fencing", "consistency", "recovery"]
"""the checks that judge one fault by itself"""
FaultProperty = Literal[
    "service-moved",
    "service-stayed",
    "outage",
    "io-completes",
    "integrity",
    "data-lost",
    "consistency",
    "fencing",
    "recovery",
]
"""what of a fault a published sentence may be about"""
CONTRARY = (frozenset({"service-moved", "service-stayed"}), frozenset({"integrity", "data-lost"}))


class PublishedClaim(Model):
    """How this study answers a published claim: which series it is about, or why it gives no answer.

    With a series and `inconclusive`, the best measured value is told, but no verdict rests on it.
    """

    series: SeriesRef | None = None
    a: Any = Field(None, description="of a difference: the value of `over` that is compared ...")
    b: Any = Field(None, description="... with this one")
    expect: tuple[Expectation, ...] = Field((), description="of a property: what each of some series should do")
    other: SeriesRef | None = Field(None, description="the series that it is compared with")
    over: str = Field(
        "clients", description="the key of `vary` along which the series runs; row: the rows; file: the sizes of copies"
    )
    among: tuple[Any, ...] | None = Field(None, description="the values of `over` that count, in this order")
    best: Any = Field(None, description="of an optimum: the value of `over` that the published one is called here")
    share_of: str | None = Field(
        None, description="what both rates are shares of: a node (its link) or a modelled rate"
    )
    tolerance: float = Field(0.2, gt=0, lt=1, description="how far the measured share may lie from the printed one")
    faults: tuple[str, ...] = Field((), description="of a claim about failing over: the faults that answer it")
    from_: Identity | None = Field(
        None,
        alias="from",
        description="the study whose faults these are: its newest whole result beside this one answers",
    )
    checks: tuple[FaultCheck, ...] = Field(
        ("faults", "integrity"),
        min_length=1,
        description="how studies before `decides` said what their faults had to pass: read in older results",
    )
    decides: Annotated[tuple[FaultProperty, ...], BeforeValidator(lambda it: (it,) if isinstance(it, str) else it)] = (
        Field((), description="of a claim that faults answer: the properties that the printed sentence is about")
    )
    inconclusive: str | None = Field(None, description="why this study gives no answer")
    note: str | None = None
    instead: "PublishedClaim | None" = Field(
        None, description="how it is answered by a form of the study that does not measure the series"
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
        for pair in CONTRARY:
            if pair <= set(self.decides):
                raise ValueError(f"no fault has both {' and '.join(sorted(pair))}")
        return self

    def answers(self) -> "tuple[PublishedClaim, ...]":
        """The answer itself and what stands in for it, the best first."""
        return (self, *(self.instead.answers() if self.instead else ()))
