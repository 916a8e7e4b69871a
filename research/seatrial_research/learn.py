"""Fits a model's correction: the logarithm of measured over modelled, as a sum of the traits'
effects.

Ridge regression (A. Hoerl, R. Kennard, 1970): effects are kept small unless several rows agree on
them. The penalty is chosen by leaving one of the given rows out at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
Traits = Mapping[str, float]


@dataclass(frozen=True)
class Effects:
    """The fitted effects."""

    effects: Mapping[str, float]
    """trait -> its addend to the logarithm"""
    errors: tuple[float, ...]
    """of each row when it alone was left out: logarithm of measured over expected"""

    def of(self, traits: Traits) -> float:
        """The expected logarithm of measured over modelled; unknown traits add nothing."""
        return sum(self.effects.get(name, 0.0) * value for name, value in traits.items())

    def band(self, share: float = 0.9) -> float:
        """The error, as a logarithm, of this share of left-out rows; infinite without rows."""
        ranked = sorted(abs(error) for error in self.errors)
        # Split conformal prediction: Vovk, Gammerman, Shafer (2005).
        rank = int(np.ceil(share * (len(ranked) + 1)))
        return ranked[rank - 1] if 0 < rank <= len(ranked) else float("inf")


def learn(rows: Sequence[tuple[Traits, float]], weights: Sequence[float] | None = None) -> Effects:
    """Effects from (traits, logarithm of measured over modelled); none without rows."""
    if not rows:
        return Effects({}, ())
    names = sorted({name for traits, _ in rows for name in traits})
    matrix = np.array([[traits.get(name, 0.0) for name in names] for traits, _ in rows])
    target = np.array([value for _, value in rows])
    weight = np.array(weights if weights is not None else [1.0] * len(rows))
    best = np.zeros(len(names))
    errors = target
    least = float("inf")
    for penalty in PENALTIES:
        fitted, left_out = _ridge(matrix, target, weight, penalty)
        loss = float(np.sum(weight * np.abs(left_out)))
        if loss < least:
            best = fitted
            errors = left_out
            least = loss
    return Effects(dict(zip(names, best.tolist(), strict=True)), tuple(errors.tolist()))


def _ridge(
    matrix: NDArray[np.float64],
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    penalty: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(effects, error of each left-out row); the latter are residual / (1 - leverage)."""
    weighted = matrix * weight[:, None]
    inverse = np.linalg.inv(matrix.T @ weighted + penalty * np.eye(matrix.shape[1]))
    effects = inverse @ (weighted.T @ target)
    leverage = np.einsum("ij,jk,ik->i", matrix, inverse, weighted)
    return effects, (target - matrix @ effects) / np.maximum(1 - leverage, 1e-9)
