"""Rows: the ratio of one quantity of two contestants over interleaved rounds, and its spread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

Figures = Mapping[str, float]
"""the quantities that a contestant measured in one round, by name; the name ends with the unit"""


@dataclass(frozen=True)
class Spec:
    """What a row compares."""

    name: str
    quantity: str
    """a key of `Figures`"""
    unit: str
    ours: str
    """a contestant"""
    peers: tuple[str, ...]
    """contestants; the one with the best median counts"""
    target: float
    """the ratio that is wanted at least"""
    lower_is_better: bool = False
    peer_quantity: str | None = None
    """the peers' key, where it has another name than ours"""


@dataclass(frozen=True)
class Row:
    """A row of `bench.json`. Above 1, the ratio means that ours is better."""

    name: str
    ours: float | None
    """the median over all rounds, in `unit`, as is `peer`"""
    peer: float | None
    unit: str
    ratio: float | None
    """the median of the ratios of all rounds; the next two are the least and the greatest"""
    ratio_min: float | None
    ratio_max: float | None
    target: float
    against: str
    """the peer that counts; without one, every possible peer"""
    rounds: int
    reason: str | None = None
    """why a figure is missing"""

    @property
    def as_json(self) -> dict[str, Any]:
        """The row's keys and values; `reason` only where there is one."""
        return {key: value for key, value in vars(self).items() if key != "reason" or value}


def row_of(spec: Spec, rounds: Sequence[Mapping[str, Figures]], missing: Mapping[str, str]) -> Row:
    """The row of `spec`. `rounds` have the figures by contestant, and `missing` the reason why a
    contestant did not take part.
    """
    own_values = _series(rounds, spec.ours, spec.quantity)
    if spec.ours in missing or not own_values:
        return _without(spec, None, 0, missing.get(spec.ours, "not measured"))
    quantity = spec.peer_quantity or spec.quantity
    present = [peer for peer in spec.peers if peer not in missing]
    series = {peer: _series(rounds, peer, quantity) for peer in present}
    measured = {peer: values for peer, values in series.items() if len(values) == len(own_values)}
    if not measured:
        reasons = [missing.get(peer, f"{peer}: not measured") for peer in spec.peers]
        return _without(
            spec, median(own_values), len(own_values), "; ".join(dict.fromkeys(reasons))
        )
    best = min if spec.lower_is_better else max
    against = best(measured, key=lambda peer: median(measured[peer]))
    pairs = zip(own_values, measured[against], strict=True)
    ratios = [peer / ours if spec.lower_is_better else ours / peer for ours, peer in pairs]
    return Row(
        name=spec.name,
        ours=median(own_values),
        peer=median(measured[against]),
        unit=spec.unit,
        ratio=median(ratios),
        ratio_min=min(ratios),
        ratio_max=max(ratios),
        target=spec.target,
        against=against,
        rounds=len(own_values),
    )


def _series(rounds: Sequence[Mapping[str, Figures]], contestant: str, quantity: str) -> list[float]:
    return [item[contestant][quantity] for item in rounds if quantity in item.get(contestant, {})]


def _without(spec: Spec, ours: float | None, rounds: int, reason: str) -> Row:
    return Row(
        name=spec.name,
        ours=ours,
        peer=None,
        unit=spec.unit,
        ratio=None,
        ratio_min=None,
        ratio_max=None,
        target=spec.target,
        against=" or ".join(spec.peers),
        rounds=rounds,
        reason=reason,
    )


def as_text(rows: Sequence[Row]) -> str:
    """The rows as a table for a terminal."""
    width = max((len(row.name) for row in rows), default=0)
    lines = [
        f"{'':{width}s} {'ratio':>7s} {'spread':>13s} {'target':>7s} {'ours':>11s} {'peer':>11s}"
    ]
    return "\n".join([*lines, *(_line(row, width) for row in rows)])


def _line(row: Row, width: int) -> str:
    if row.ratio is None or row.ratio_min is None or row.ratio_max is None:
        ours = "–" if row.ours is None else _figure(row.ours)
        reason = row.reason or ""
        start = f"{row.name:{width}s} {'–':>7s} {'':13s} {row.target:7.2f}"
        return f"{start} {ours:>11s} {'–':>11s} {reason}"
    spread = f"{row.ratio_min:.2f} to {row.ratio_max:.2f}"
    missed = "" if row.ratio >= row.target else ", missed"
    figures = f"{_figure(row.ours or 0):>11s} {_figure(row.peer or 0):>11s}"
    return (
        f"{row.name:{width}s} {row.ratio:7.2f} {spread:>13s} {row.target:7.2f} {figures}"
        f" {row.unit}, against {row.against}{missed}"
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
