"""Limits of a rate as a study writes them, and their values in a result.

A limit is a value, such as `5 GB/s`, or a share of a reference: of the bound, of the predicted
rate, of a published figure, or of another variant of the experiment.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, TypeAdapter, WithJsonSchema, model_validator

from seatrial.basics.schema import Model, Rate
from seatrial.basics.units import format_rate, parse_rate, plain
from seatrial.basics.yamlfile import Mistake
from seatrial.judge.limits import Limit
from seatrial.judge.published import published_experiment, published_rows
from seatrial.judge.selection import Mistakes, PointOptions, profiles_of, sweep_values
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.study.experiment import VARIANT
from seatrial.study.study import Study

BYTES_PER_UNIT = {"B/s": 1.0, "kB/s": 1e3, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}
"""units of published figures that are rates"""
OF_PUBLISHED = ("figure", "column", "line")
Reference = Literal["bound", "prediction", "published", "variant"]


class NoLimit(Exception):  # noqa: N818 - not an error: a reason why nothing can be decided
    """Why a limit has no value."""


class LimitKeys(Model):
    """The keys of a share; a subclass has the key of an absolute value."""

    ABSOLUTE: ClassVar[str]
    """the key of the absolute value"""
    share: float | None = Field(None, gt=0, le=1000, description="Share of the reference.")
    of: Reference | None = Field(
        None,
        description="The reference of the share: the bound of the links, the predicted rate, a "
        "published figure, or another variant.",
    )
    figure: str | None = Field(None, description="Published table, such as `T2`.")
    column: str | None = Field(None, description="Column of the published table.")
    line: Any = Field(
        None,
        description="Line of the published table: the value of its first column.",
    )
    variant: str | None = Field(None, description="Name of the variant of the same experiment.")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        absolute = getattr(self, self.ABSOLUTE)
        if (absolute is None) == (self.share is None):
            raise ValueError(f"a limit is either a value ({self.ABSOLUTE}) or a share")
        if (self.share is None) != (self.of is None):
            raise ValueError("a share has a reference; write {share: 0.8, of: bound}")
        needed = {"published": OF_PUBLISHED, "variant": ("variant",)}.get(self.of or "", ())
        for key in (*OF_PUBLISHED, "variant"):
            is_given = getattr(self, key) is not None
            if is_given and key not in needed:
                raise ValueError(f"{key} does not belong to a limit of {self.of or 'a value'}")
            if key in needed and not is_given:
                raise ValueError(f"a share of {self.of} needs {key}")
        return self


class ThroughputLimit(LimitKeys):
    """`5 GB/s`, or `{share: 0.8, of: bound}`."""

    ABSOLUTE = "rate"
    rate: Rate | None = Field(None, description="Absolute value. A rate alone is short for it.")

    @model_validator(mode="before")
    @classmethod
    def _from_rate(cls, data: Any) -> Any:
        if isinstance(data, dict | ThroughputLimit):
            return data
        parse_rate(data)  # the error then names the limit, not the key `rate`
        return {"rate": data}


class OperationsLimit(LimitKeys):
    """`12000` operations per second, or `{share: 0.9, of: variant, variant: sync}`."""

    ABSOLUTE = "operations_per_s"
    operations_per_s: float | None = Field(
        None,
        gt=0,
        description="Absolute value. A number alone is short for it.",
    )

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, data: Any) -> Any:
        if isinstance(data, int | float) and not isinstance(data, bool):
            return {"operations_per_s": data}
        return data


class MetadataLimit(OperationsLimit):
    """`12000` operations per second, or `{share: 0.9, of: variant, variant: sync}`."""

    of: Literal["published", "variant"] | None = Field(
        None,
        description="The reference of the share: a published figure, or another variant.",
    )


def _short(absolute: dict[str, Any], model: type[LimitKeys]) -> WithJsonSchema:
    """The schema of a limit: the value alone, or the mapping."""
    return WithJsonSchema({"anyOf": [absolute, model.model_json_schema()]})


NUMBER = {"type": "number", "exclusiveMinimum": 0}
ThroughputKey = Annotated[ThroughputLimit, _short(TypeAdapter(Rate).json_schema(), ThroughputLimit)]
OperationsKey = Annotated[OperationsLimit, _short(NUMBER, OperationsLimit)]
MetadataKey = Annotated[MetadataLimit, _short(NUMBER, MetadataLimit)]
"""the types of keys that have a limit"""


class RateOptions(PointOptions):
    """Selected points and their limits; a subclass has the type of both limits."""

    at_least: Any = None
    at_most: Any = None

    @model_validator(mode="after")
    def _has_limits(self) -> Self:
        limits = self.limits
        if not limits:
            raise ValueError("a limit is missing; write at_least or at_most, or both")
        variants = {item.variant for item in limits}
        if len(variants) > 1:
            raise ValueError("both limits must be a share of the same variant, or neither of one")
        if len(limits) == 2 and _is_reversed(*limits):
            raise ValueError("at_least is above at_most; no measurement can meet both")
        return self

    @property
    def limits(self) -> list[LimitKeys]:
        """The limits that are given, the lower one first."""
        return [item for item in (self.at_least, self.at_most) if item is not None]

    @property
    def variant(self) -> str | None:
        """The variant that a limit is a share of."""
        return self.limits[0].variant


def _is_reversed(lower: LimitKeys, upper: LimitKeys) -> bool:
    """Whether a lower limit is above an upper limit of the same reference."""

    def reference(item: LimitKeys) -> tuple[Any, ...]:
        return (item.of, item.figure, item.column, item.line, item.variant)

    def size(item: LimitKeys) -> float:
        absolute: float | None = getattr(item, item.ABSOLUTE)
        return absolute if absolute is not None else item.share or 0.0

    return reference(lower) == reference(upper) and size(lower) > size(upper)


# ---- mistakes of a study


def limit_mistakes(study: Study, published: Mapping[str, Any], options: RateOptions) -> Mistakes:
    """References that the study or its published result does not have."""
    for key, limit in (("at_least", options.at_least), ("at_most", options.at_most)):
        if limit is None:
            continue
        if limit.of == "variant":
            yield from _variant_mistakes(study, options, key, limit)
        elif limit.of == "published":
            try:
                published_value(published, limit)
            except NoLimit as error:
                yield Mistake((key,), str(error))


def _variant_mistakes(study: Study, options: RateOptions, key: str, limit: LimitKeys) -> Mistakes:
    if options.experiment not in study.experiments:
        return
    variants = sweep_values(profiles_of(study, options.experiment), VARIANT)
    if limit.variant not in variants:
        yield Mistake(
            (key, "variant"),
            f"no variant is called {limit.variant!r}; one of {', '.join(variants)}",
        )
    elif options.at.get(VARIANT) in (None, limit.variant):
        yield Mistake(
            (key, "variant"), f"the criterion needs another variant; add at: {{{VARIANT}: NAME}}"
        )


@dataclass(frozen=True)
class PublishedValue:
    """A cell of a published table."""

    value: float
    """in the unit"""
    unit: str


def published_value(published: Mapping[str, Any], limit: LimitKeys) -> PublishedValue:
    """The published figure that a limit is a share of; NoLimit where there is none."""
    table = published_experiment(published, limit.figure)
    if not table:
        raise NoLimit(f"the published result has no table {limit.figure!r}")
    rows = published_rows(published, limit.figure)
    row = rows.get(limit.line)
    if row is None:
        lines = ", ".join(map(str, rows)) or "none, as it is no table with columns"
        raise NoLimit(f"{limit.figure} has no line {limit.line!r}; one of {lines}")
    value = row.get(limit.column or "")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoLimit(f"line {limit.line} of {limit.figure} has no number {limit.column!r}")
    metrics = table.get("metrics", ())
    units = [str(item.get("unit")) for item in metrics if item.get("name") == limit.column]
    return PublishedValue(float(value), units[0] if units else "")


# ---- values of a result


@dataclass(frozen=True)
class Unit:
    """How a check converts and prints its rates."""

    written: Callable[[float], str]
    is_scaled: bool
    """whether the emulated environment scales it: bytes per second, but no operations"""
    bound: Callable[[PhaseResult], float | None]
    """the bound of a phase in this unit"""
    prediction: Callable[[PhaseResult], float | None]


def _operations_per_byte(phase: PhaseResult) -> float:
    moved_bytes = sum(client.size_bytes for client in phase.clients)
    return sum(client.operations for client in phase.clients) / moved_bytes if moved_bytes else 0.0


def _in_operations(phase: PhaseResult, rate_bytes_per_s: float | None) -> float | None:
    """A rate in operations per second of the size that this phase had on average."""
    return (rate_bytes_per_s or 0.0) * _operations_per_byte(phase) or None


BYTES = Unit(
    written=format_rate,
    is_scaled=True,
    bound=lambda phase: phase.bound_bytes_per_s,
    prediction=lambda phase: phase.predicted_bytes_per_s,
)
OPERATIONS = Unit(
    written=lambda value: f"{plain(value)} operations/s",
    is_scaled=False,
    bound=lambda phase: _in_operations(phase, phase.bound_bytes_per_s),
    prediction=lambda phase: _in_operations(phase, phase.predicted_bytes_per_s),
)


def scale_of(result: Result) -> float:
    """The factor of the emulated environment for rates of links and disks; 1 on real hosts."""
    return float(result.first("system").get("site", {}).get("scale", 1.0))


def resolved(limit: LimitKeys, unit: Unit, result: Result, phases: Sequence[PhaseResult]) -> Limit:
    """The value of a limit that is no share of a variant; NoLimit where it has none.

    An absolute value and a published figure are of the modelled system. The bound is the highest
    one of the selected points.
    """
    scale = scale_of(result) if unit.is_scaled else 1.0
    absolute: float | None = getattr(limit, limit.ABSOLUTE)
    if absolute is not None:
        return _scaled(absolute, unit, scale, unit.written(absolute))
    share = limit.share or 0.0
    if limit.of == "published":
        value = share * _published_rate(limit, unit, result)
        where = f"{share:.4g} of {limit.figure}, {limit.column}, line {limit.line}"
        return _scaled(value, unit, scale, f"{unit.written(value)} ({where})")
    find = unit.bound if limit.of == "bound" else unit.prediction
    values = [rate for phase in phases if (rate := find(phase)) is not None]
    if not values:
        raise NoLimit(f"the {limit.of} of no selected phase is known")
    value = share * max(values)
    return Limit(value, f"{unit.written(value)} ({share:.4g} of the {limit.of})")


def _published_rate(limit: LimitKeys, unit: Unit, result: Result) -> float:
    """The published figure in bytes/s, or in operations/s; NoLimit for another unit."""
    printed = published_value(result.published, limit)
    is_bytes = printed.unit in BYTES_PER_UNIT
    if is_bytes != unit.is_scaled:
        raise NoLimit(
            f"the published column {limit.column} is in {printed.unit or 'no known unit'}"
        )
    return printed.value * BYTES_PER_UNIT.get(printed.unit, 1.0)


def _scaled(value: float, unit: Unit, scale: float, title: str) -> Limit:
    """A limit of the modelled system in the emulated environment."""
    if scale == 1.0:
        return Limit(value, title)
    return Limit(value * scale, f"{title}, at the scale of the lab {unit.written(value * scale)}")
