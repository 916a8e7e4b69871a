"""The universal scalability law: how a rate follows the number of clients, with its peak and bands.

X(N) = λ N / (1 + σ (N - 1) + κ N (N - 1)): λ is the rate of one client, σ the share of work that
must wait (contention), κ the share that clients must agree on (coherency), which makes a rate
decline. Source: N. Gunther, *Guerrilla Capacity Planning* (2007), chapters 4 to 6.

Bands are those of a parametric bootstrap (B. Efron, R. Tibshirani, 1993, chapters 6 and 9). Few
points show little of their scatter. Therefore each draw has a separate variance, from its
distribution (residual sum of squares over chi square), as Student's t has. Draws may be outside the
range of the law (κ below 0). The bands are cut there after the draws, not before: the draws of a
fit that is held at 0 would all be on one side of the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

POINTS_MIN = 5
"""three parameters and four points leave one degree of freedom, which bounds nothing"""
DRAWS = 1000
BAND = 0.9
WEIGHINGS = 4
"""of the points, by the fit before"""
_SEED = 1
_PARAMETERS = 3


@dataclass(frozen=True)
class Law:
    """One fit."""

    one_client: float
    """λ, in the unit of the rates"""
    contention: float
    """σ; at least 0 but in a draw"""
    coherency: float
    """κ; at least 0 but in a draw"""

    def rate(self, clients: float) -> float:
        """X(N); infinite where a draw has clients that help each other without end."""
        waits = self.contention * (clients - 1) + self.coherency * clients * (clients - 1)
        return self.one_client * clients / (1 + waits) if waits > -1 else math.inf

    @property
    def peak_clients(self) -> float:
        """The number of clients with the highest rate: sqrt((1 - σ) / κ); infinite where the rate
        never declines.
        """
        if self.coherency <= 0:
            return math.inf
        return max(math.sqrt(max(1 - self.contention, 0) / self.coherency), 1.0)

    @property
    def knee_clients(self) -> float:
        """The number of clients at which λ N equals the highest rate of the law: above it clients
        mostly wait for each other.
        """
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
        """Low and high of the rate at this number of clients."""
        return _band([law.rate(clients) for law in self.draws])


def fit(points: Sequence[tuple[int, float]]) -> Scaling | None:
    """The law of (clients, rate); None where there are fewer than five client counts or a rate is
    not above 0.

    Least squares of N / X, which is linear in the parameters, weighted so that relative errors
    count alike.
    """
    if len({clients for clients, _ in points}) < POINTS_MIN or any(rate <= 0 for _, rate in points):
        return None
    law = _fit(points)
    free = _free(points)
    if free is None:
        return None
    squares = sum((rate / free.rate(clients) - 1) ** 2 for clients, rate in points)
    freedom = len(points) - _PARAMETERS
    random = Random(_SEED)  # equal points give equal bands
    draws = []
    for _ in range(DRAWS):
        scatter = math.sqrt(squares / random.gammavariate(freedom / 2, 2))  # a chi square
        drawn = [
            (clients, free.rate(clients) * math.exp(random.gauss(0, scatter)))
            for clients, _ in points
        ]
        draws.append(_free(drawn, free) or free)
    low, high = _band([item.coherency for item in draws])
    coherency = (max(low, 0.0), max(high, 0.0))
    low, high = _band([item.contention for item in draws])
    contention = (max(low, 0.0), max(high, 0.0))
    return Scaling(
        law, _band([item.peak_clients for item in draws]), contention, coherency, tuple(draws)
    )


def _band(values: Sequence[float]) -> tuple[float, float]:
    ranked = sorted(values)
    out = int(len(ranked) * (1 - BAND) / 2)
    return ranked[out], ranked[-1 - out]


def _free(points: Sequence[tuple[int, float]], circumstances: Law | None = None) -> Law | None:
    """The least-squares fit with every sign, weighed by the law that the points were drawn about
    where it is known.

    None where it has none with a positive λ.
    """
    all_terms = (0, 1, 2)
    if circumstances is None:
        solution = _weighted(points, all_terms)
    else:
        solution = _solve(
            [
                _terms(clients, rate, all_terms, circumstances.rate(clients) / clients)
                for clients, rate in points
            ]
        )
    if solution is None or solution[0] <= 0:
        return None
    return Law(1 / solution[0], solution[1] / solution[0], solution[2] / solution[0])


def _fit(points: Sequence[tuple[int, float]]) -> Law:
    """The least-squares fit of N / X = a + b (N - 1) + c N (N - 1) with a above 0, b and c at least
    0.

    Of the sets of parameters that may be 0, the one that fits best and keeps all of them in bounds.
    """
    best = None
    least = math.inf
    for used in ((0, 1, 2), (0, 1), (0, 2), (0,)):
        solution = _weighted(points, used)
        if solution is None or solution[0] <= 0 or min(solution) < 0:
            continue
        parameters = dict(zip(used, solution, strict=True))
        a, b, c = (parameters.get(index, 0.0) for index in range(3))
        law = Law(1 / a, b / a, c / a)
        error = sum((law.rate(clients) ** -1 * rate - 1) ** 2 for clients, rate in points)
        if error < least - 1e-15:
            best = law
            least = error
    return best or Law(max(rate / clients for clients, rate in points), 0.0, 0.0)


def _weighted(points: Sequence[tuple[int, float]], used: Sequence[int]) -> list[float] | None:
    """The parameters of a fit in which relative errors count alike: the weight of each point
    follows from the fit before.

    With weights from the measured rates, a point that is low by chance would weigh less, and the
    whole curve would be too high.
    """
    scale = [rate / clients for clients, rate in points]
    solution = None
    for _ in range(WEIGHINGS):
        rows = [
            _terms(clients, rate, used, weight)
            for (clients, rate), weight in zip(points, scale, strict=True)
        ]
        solution = _solve(rows)
        if solution is None:
            return None
        fitted = [_sum(clients, used, solution) for clients, _ in points]
        if min(fitted) <= 0:
            return solution
        scale = [1 / value for value in fitted]
    return solution


def _sum(clients: int, used: Sequence[int], solution: Sequence[float]) -> float:
    """N / X by a fit."""
    terms = (1.0, clients - 1.0, clients * (clients - 1.0))
    return sum(terms[index] * value for index, value in zip(used, solution, strict=True))


def _terms(clients: int, rate: float, used: Sequence[int], weight: float) -> list[float]:
    """The terms of a point and their sum, N / X, all times its weight."""
    terms = (1.0, clients - 1.0, clients * (clients - 1.0))
    return [*(terms[index] * weight for index in used), clients / rate * weight]


def _solve(rows: Sequence[Sequence[float]]) -> list[float] | None:
    """The least-squares solution of rows (terms ..., sum) by the normal equations; None where they
    are singular.
    """
    count = len(rows[0]) - 1
    matrix = [
        [sum(row[line] * row[column] for row in rows) for column in range(count + 1)]
        for line in range(count)
    ]
    for pivot in range(count):
        swap = max(range(pivot, count), key=lambda line: abs(matrix[line][pivot]))
        matrix[pivot], matrix[swap] = matrix[swap], matrix[pivot]
        if abs(matrix[pivot][pivot]) < 1e-12:
            return None
        for line in range(count):
            if line != pivot:
                share = matrix[line][pivot] / matrix[pivot][pivot]
                matrix[line] = [
                    value - share * pivot_value
                    for value, pivot_value in zip(matrix[line], matrix[pivot], strict=True)
                ]
    return [matrix[line][count] / matrix[line][line] for line in range(count)]
