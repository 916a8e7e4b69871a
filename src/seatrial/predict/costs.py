"""Costs of a host or a lab in addition to its rated parts: fitted by `seatrial calibrate`, else
assumed or left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from seatrial.plan.data_path import ResourceRole
from seatrial.predict.layers import Layer

_GRID = 24
_ROUNDS = 3


SERVER_PROCESSOR = "server processor"


@dataclass(frozen=True)
class Costs:
    """The parameters of a calibration; None: as assumed."""

    read_s_per_byte: float | None = None
    """server processor time per read byte"""
    write_s_per_byte: float | None = None
    """server processor time per written byte"""
    server_s_per_packet: float | None = None
    """server processor time per packet"""
    round_trip_s: float | None = None
    """round trip of a request without contention"""
    commit_s: float | None = None
    """of a metadata operation that creates or removes an entry"""
    source: str = "calibrated"


UNKNOWN = Costs(source="not known without a calibration, and left out")
LAB = Costs(
    2.0e-9,
    3.5e-9,
    20e-6,
    source="assumed for a lab: measured there with NFS and large files, at MTU 1500 and 7200",
)


def server_processor(
    costs: Costs, operation: str, packet_bytes: float, share: float, units: int
) -> Layer:
    """The servers' processors with the share that requests can use, and the bytes of a packet of a
    direction.
    """
    layer = Layer(
        SERVER_PROCESSOR,
        costs.source,
        units=units,
        hard=False,
        packet_bytes=packet_bytes,
        share=share,
        role=ResourceRole.SERVER_PROCESSOR,
    )
    return _with_server(layer, costs, operation)


def _with_server(layer: Layer, costs: Costs, operation: str) -> Layer:
    byte_s = costs.read_s_per_byte if operation == "read" else costs.write_s_per_byte
    if byte_s:
        layer = replace(layer, rate_bytes_per_s=1 / byte_s, source=costs.source)
    if costs.server_s_per_packet:
        layer = replace(layer, per_request_s=costs.server_s_per_packet, source=costs.source)
    return layer


def with_costs(layers: Sequence[Layer], costs: Costs | None, operation: str) -> tuple[Layer, ...]:
    """The layers with the costs of a calibration, for a direction (`read` or `write`)."""
    if costs is None:
        return tuple(layers)
    of_requests = {
        ResourceRole.ROUND_TRIPS: costs.round_trip_s,
        ResourceRole.METADATA_COMMITS: costs.commit_s,
    }
    priced = []
    for layer in layers:
        if layer.role is ResourceRole.SERVER_PROCESSOR:
            layer = _with_server(layer, costs, operation)  # noqa: PLW2901
        elif each_s := of_requests.get(layer.role):
            layer = replace(layer, per_request_s=each_s, source=costs.source)  # noqa: PLW2901
        priced.append(layer)
    return tuple(priced)


def search(loss: Callable[[float], float], low: float, high: float) -> float:
    """The value between `low` and `high` (both above 0), or 0, with the least loss: a refined
    logarithmic grid.

    0 is taken where no value is better, so that nothing is claimed without a measurement.
    """
    best = 0.0
    least = loss(0.0)
    for _ in range(_ROUNDS):
        ratio = (high / low) ** (1 / _GRID)
        for step in range(_GRID + 1):
            value = low * ratio**step
            loss_here = loss(value)
            if loss_here < least - 1e-12:
                best = value
                least = loss_here
        if best == 0.0:
            return 0.0
        low = best / ratio
        high = best * ratio
    return best
