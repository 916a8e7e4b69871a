"""What a host or a lab costs beside its rated parts: fitted by `seatrial calibrate`, otherwise unknown and left out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from seatrial.predict.layers import Layer

_GRID = 24
_ROUNDS = 3


@dataclass(frozen=True)
class Costs:
    """The parameters of a calibration."""

    read_s_per_byte: float = 0.0
    """what a byte that is read takes of the server's software"""
    write_s_per_byte: float = 0.0
    """what a byte that is written takes of it"""
    server_s_per_request: float = 0.0
    """what a request takes of it"""
    round_trip_s: float | None = None
    """of a request that finds nobody else; None: as assumed"""
    commit_s: float = 0.0
    """of a name that is made or removed"""
    source: str = "calibrated"


def with_costs(layers: Sequence[Layer], costs: Costs | None, operation: str) -> tuple[Layer, ...]:
    """The layers with what a calibration knows of them, for a direction (`read` or `write`)."""
    if costs is None:
        return tuple(layers)
    found = []
    for layer in layers:
        if layer.name == "round trips" and costs.round_trip_s is not None:
            layer = replace(layer, per_request_s=costs.round_trip_s, source=costs.source)  # noqa: PLW2901
        if layer.name == "metadata commits" and costs.commit_s:
            layer = replace(layer, per_request_s=costs.commit_s, source=costs.source)  # noqa: PLW2901
        found.append(layer)
    byte_s = costs.read_s_per_byte if operation == "read" else costs.write_s_per_byte
    if byte_s or costs.server_s_per_request:
        rate = 1 / byte_s if byte_s else math.inf
        found.append(Layer("server software", costs.source, rate, costs.server_s_per_request, hard=False))
    return tuple(found)


def search(loss: Callable[[float], float], low: float, high: float) -> float:
    """The value between `low` and `high` (both above 0), or 0, of the least loss: a grid of logarithms, made finer.

    0 is taken where no value is better, so that nothing is claimed that no measurement shows.
    """
    best, least = 0.0, loss(0.0)
    for _ in range(_ROUNDS):
        ratio = (high / low) ** (1 / _GRID)
        for step in range(_GRID + 1):
            value = low * ratio**step
            found = loss(value)
            if found < least - 1e-12:
                best, least = value, found
        if best == 0.0:
            return 0.0
        low, high = best / ratio, best * ratio
    return best
