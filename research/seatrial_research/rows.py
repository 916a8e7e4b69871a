"""A row of a published result, with the inputs of its prediction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seatrial.predict.layers import Demand, Layer


@dataclass(frozen=True)
class Row:
    """One published figure."""

    paper: str
    workload: str
    clients: int
    value: float
    unit: str
    unit_bytes: float
    """bytes per second per unit; for operations, the bytes of one"""
    layers: tuple[Layer, ...]
    demand: Demand
    traits: Mapping[str, float] = field(default_factory=dict)
    """traits that other papers have too, so that they can be fitted"""
    own: Mapping[str, float] = field(default_factory=dict)
    """traits that only rows of this paper share"""
    software: str = ""
    """the rows that share the cost of a server's software: one parameter of a calibration"""
    highest: float | None = None
    """another figure of the same row that the bound must hold for too"""
    explanation: str = ""
    """an erratum, a cache or a gap of the paper that a reader should know"""

    @property
    def published_bytes_per_s(self) -> float:
        """The figure in SI units."""
        return self.value * self.unit_bytes


def experiment(published: Mapping[str, Any], number: str) -> Mapping[str, Any]:
    """An experiment of a published result by its id; KeyError when there is none."""
    for item in published["experiments"]:
        if item["id"] == number:
            return dict(item)
    raise KeyError(number)


def table(published: Mapping[str, Any], number: str) -> list[dict[str, Any]]:
    """The rows of a published table: column -> value."""
    data = experiment(published, number)
    return [dict(zip(data["columns"], row, strict=True)) for row in data["rows"]]


def point(published: Mapping[str, Any], number: str, metric: str, index: int = 0) -> float:
    """A figure that the text states for a figure without data; a range counts as its middle."""
    points = experiment(published, number)["points"]
    figure = [item for item in points if item["metric"] == metric][index]
    if "min" in figure:
        return (float(figure["min"]) + float(figure["max"])) / 2
    return float(next(figure[key] for key in ("value", "approx", "gt", "le") if key in figure))


def common_traits(demand: Demand, operation: str, *marks: str) -> dict[str, float]:
    """The traits that rows of all papers have: direction, request pattern, and number
    of clients.
    """
    traits = {"all": 1.0, operation: 1.0}
    if demand.clients > 1:
        traits["many"] = 1.0
    return traits | dict.fromkeys(marks, 1.0)


def cross(names: Sequence[str], operation: str) -> dict[str, float]:
    """Own traits by their names, and each of them with the direction."""
    return dict.fromkeys(names, 1.0) | {f"{name} {operation}": 1.0 for name in names}
