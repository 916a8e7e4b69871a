"""The universal scalability law: how a rate follows the number of clients, with its peak and bands.

X(N) = λ N / (1 + σ (N - 1) + κ N (N - 1)): λ is what one client gets, σ what has to wait (contention), κ what has to
be agreed between clients (coherency), which makes a rate decline. Source: N. Gunther, *Guerrilla Capacity Planning*
(2007), chapters 4 to 6. Bands are those of a residual bootstrap (B. Efron, R. Tibshirani, 1993, chapter 9).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

POINTS_MIN = 4
"""three parameters are no law of three points"""
DRAWS = 200
BAND = 0.9
_SEED = 1


@dataclass(frozen=True)
class Law:
    """One fit."""

    one_client: float
    """λ, in the unit of the rates"""
    contention: float
    """σ, at least 0"""
    coherency: float
    """κ, at least 0"""

    def rate(self, clients: float) -> float:
        """X(N)."""
        waits = self.contention * (clients - 1) + self.coherency * clients * (clients - 1)
        return self.one_client * clients / (1 + waits)

    @property
    def peak_clients(self) -> float:
        """Where the rate is highest: sqrt((1 - σ) / κ); infinite where nothing makes it decline."""
        if self.coherency <= 0:
            return math.inf
        return max(math.sqrt(max(1 - self.contention, 0) / self.coherency), 1.0)

    @property
    def knee_clients(self) -> float:
        """Where λ N meets the most that the law allows: from there on clients mostly wait for each other."""
        if math.isfinite(self.peak_clients):
            return self.rate(self.peak_clients) / self.one_client
        return 1 / self.contention if self.contention > 0 else math.inf


@dataclass(frozen=True)
class Scaling:
    """The law of a sweep, with bands of 90 %."""

    law: Law
    peak_clients: tuple[float, float]
    """low and high"""
    contention: tuple[float, float]
    coherency: tuple[float, float]
    draws: tuple[Law, ...]

    def band(self, clients: float) -> tuple[float, float]:
        """Low and high of the rate at so many clients."""
        return _band([law.rate(clients) for law in self.draws])


def fit(points: Sequence[tuple[int, float]]) -> Scaling | None:
    """The law of (clients, rate); None where there are fewer than four numbers of clients or a rate is not above 0.

    Least squares of N / X, which is linear in the parameters, weighted so that relative errors count alike.
    """
    if len({clients for clients, _ in points}) < POINTS_MIN or any(rate <= 0 for _, rate in points):
        return None
    law = _fit(points)
    residuals = [math.log(rate / law.rate(clients)) for clients, rate in points]
    random, draws = Random(_SEED), []  # the same bands of the same points
    stretch = math.sqrt(len(points) / max(len(points) - 3, 1))
    for _ in range(DRAWS):
        drawn = [(clients, law.rate(clients) * math.exp(stretch * random.choice(residuals))) for clients, _ in points]
        draws.append(_fit(drawn))
    peak, contention, coherency = (
        _band([getattr(item, name) for item in draws]) for name in ("peak_clients", "contention", "coherency")
    )
    return Scaling(law, peak, contention, coherency, tuple(draws))


def _band(values: Sequence[float]) -> tuple[float, float]:
    ranked = sorted(values)
    out = int(len(ranked) * (1 - BAND) / 2)
    return ranked[out], ranked[-1 - out]


def _fit(points: Sequence[tuple[int, float]]) -> Law:
    """The least-squares fit of N / X = a + b (N - 1) + c N (N - 1) with a above 0, b and c at least 0.

    Of the sets of parameters that may be 0, the one that fits best and keeps all of them in bounds.
    """
    best, least = None, math.inf
    for used in ((0, 1, 2), (0, 1), (0, 2), (0,)):
        found = _solve([_terms(clients, rate, used) for clients, rate in points])
        if found is None or found[0] <= 0 or min(found) < 0:
            continue
        parameters = dict(zip(used, found, strict=True))
        a, b, c = (parameters.get(index, 0.0) for index in range(3))
        law = Law(1 / a, b / a, c / a)
        error = sum((law.rate(clients) ** -1 * rate - 1) ** 2 for clients, rate in points)
        if error < least - 1e-15:
            best, least = law, error
    return best or Law(max(rate / clients for clients, rate in points), 0.0, 0.0)


def _terms(clients: int, rate: float, used: Sequence[int]) -> list[float]:
    """The terms of a point and what they add up to, 1: divided by N / X, relative errors count alike."""
    weight = rate / clients
    every = (1.0, clients - 1.0, clients * (clients - 1.0))
    return [*(every[index] * weight for index in used), 1.0]


def _solve(rows: Sequence[Sequence[float]]) -> list[float] | None:
    """The least-squares solution of rows (terms ..., sum) by the normal equations; None where they are singular."""
    count = len(rows[0]) - 1
    matrix = [[sum(row[line] * row[column] for row in rows) for column in range(count + 1)] for line in range(count)]
    for pivot in range(count):
        swap = max(range(pivot, count), key=lambda line: abs(matrix[line][pivot]))
        matrix[pivot], matrix[swap] = matrix[swap], matrix[pivot]
        if abs(matrix[pivot][pivot]) < 1e-12:
            return None
        for line in range(count):
            if line != pivot:
                share = matrix[line][pivot] / matrix[pivot][pivot]
                matrix[line] = [here - share * there for here, there in zip(matrix[line], matrix[pivot], strict=True)]
    return [matrix[line][count] / matrix[line][line] for line in range(count)]
