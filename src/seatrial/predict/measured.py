"""The prediction compared with measured points of results: cold, and with parameters calibrated on
other points.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from seatrial.basics.errors import InputError
from seatrial.judge.judge import study_of
from seatrial.predict.costs import Costs, search, with_costs
from seatrial.predict.layers import forecast
from seatrial.predict.study import ROUND_TRIPS, Expectation, direction, expectation
from seatrial.result.phases import PhaseResult
from seatrial.result.result import NOT_COMPLETED, Result
from seatrial.service.variants import vary
from seatrial.study.points import point_text, points
from seatrial.study.workload import moves_data

KEPT_OUT_OF = 3
"""every third point, in the results' order, is kept out of a calibration: the third, the sixth, and
so on
"""
SHARE = 0.9
FOLDS = 5
"""number of parts of the used points; each is left out of a fit once, to measure the error at
unseen points
"""
ROUNDS = 4
BYTE_S, REQUEST_S = (1e-10, 1e-5), (1e-6, 1.0)
"""search range of a cost"""


@dataclass(frozen=True)
class Measured:
    """A measured point with all its repeats, and its expectation."""

    result: str
    expected: Expectation
    values: tuple[float, ...]
    """of each repeat: bytes or operations per second"""
    lab_limited: bool
    """the lab machine, not the modelled hardware, was the bottleneck in most repeats"""
    clock_share: float = 0.0
    """possible relative error of a rate from comparing two nodes' clocks: their error over the
    duration
    """

    @property
    def value(self) -> float:
        """The median of the repeats."""
        return median(self.values)

    def error(self, costs: Costs | None) -> float:
        """The logarithm of expected over measured."""
        item = self.expected
        expected = forecast(with_costs(item.layers, costs, direction(item.phase)), item.demand)
        return math.log(expected.estimate_bytes_per_s / item.unit_bytes / self.value)


def measured_points(results: Sequence[Result]) -> list[Measured]:
    """Every point of the results that can be predicted; partial and cached ones are left out."""
    return [item for result in results for item in _points(result)]


def _some_points(results: Sequence[Result]) -> list[Measured]:
    points = measured_points(results)
    if not points:
        cut = f", {NOT_COMPLETED}" if not all(result.complete for result in results) else ""
        where = ", ".join(str(result.folder) for result in results)
        raise InputError(f"{where}: no point was measured for which a prediction can be made{cut}")
    return points


def _points(result: Result) -> Iterator[Measured]:
    study = study_of(result)
    profile = result.first("run").get("profile", "full")
    clients_max = len(vary(study).solution.clients)
    known = {
        (name, point.name): point
        for name, experiment in study.experiments_in(profile).items()
        for point in points(experiment, clients_max)
    }
    phases_by_point: dict[tuple[str, str, str], list[PhaseResult]] = {}
    for phase in result.phases:
        name = point_text(phase.point) or "only"
        predictable = phase.phase in ROUND_TRIPS or moves_data(phase.phase)
        if (phase.experiment, name) in known and predictable and not phase.partial and not phase.cached:
            phases_by_point.setdefault((phase.experiment, name, phase.phase), []).append(phase)
    for (experiment, name, phase_name), phases in phases_by_point.items():
        attribute = "natural_bytes_per_s" if moves_data(phase_name) else "operations_per_s"
        values = tuple(value for item in phases if (value := getattr(item, attribute)) > 0)
        if values:
            expected = expectation(study, experiment, known[experiment, name], phase_name)
            limited = sum(item.lab_limited for item in phases) * 2 > len(phases)
            yield Measured(result.folder.name, expected, values, limited, max(map(_clock_share, phases)))


def _clock_share(phase: PhaseResult) -> float:
    return phase.clock_error_s / phase.last_done_s if phase.last_done_s else 0.0


@dataclass(frozen=True)
class MeasuredLine:
    """One measured point and its prediction."""

    result: str
    experiment: str
    point: str
    phase: str
    unit: str
    measured: float
    repeats: int
    bound: float
    estimate: float
    error: float
    """estimate over measured, less 1"""
    layer: str
    exceeded: bool
    lab_limited: bool
    use: str
    """cold, used or kept out"""


@dataclass(frozen=True)
class MeasuredTable:
    """Points of results compared with the prediction."""

    rows: int
    bound_exceeded: int
    median_error: float | None
    """of all rows"""
    limited: int
    """number of points that the lab machine limited; they do not describe the modelled hardware"""
    unlimited_median_error: float | None
    """of the others"""
    table: tuple[MeasuredLine, ...]


def validate_results(results: Sequence[Result]) -> MeasuredTable:
    """Every measured point compared with the cold prediction for its study."""
    lines = [_line(item, None, "cold") for item in measured_points(results)]
    unlimited = [line for line in lines if not line.lab_limited]
    exceeded = sum(line.exceeded for line in lines)
    limited = len(lines) - len(unlimited)
    return MeasuredTable(len(lines), exceeded, _middle(lines), limited, _middle(unlimited), tuple(lines))


def _middle(lines: Sequence[MeasuredLine]) -> float | None:
    return median(abs(line.error) for line in lines) if lines else None


def _line(item: Measured, costs: Costs | None, use: str) -> MeasuredLine:
    expected, value = item.expected, item.value
    estimate = math.exp(item.error(costs)) * value
    unit = "operations/s" if expected.operations else "bytes/s"
    return MeasuredLine(
        item.result,
        expected.experiment,
        expected.point,
        expected.phase,
        unit,
        value,
        len(item.values),
        expected.bound,
        estimate,
        estimate / value - 1,
        expected.forecast.layer,
        value > expected.bound * (1 + item.clock_share),
        item.lab_limited,
        use,
    )


@dataclass(frozen=True)
class ErrorSplit:
    """Sources of the error at the points kept out, as mean squares of logarithms."""

    noise: float
    """spread of the repeats of one point; no error below it can be claimed"""
    contention: float
    """excess at points that the lab machine itself limited"""
    coverage: float
    """excess at points with an experiment and phase that no used point has"""
    model: float
    """the remainder: the model's own"""


@dataclass(frozen=True)
class Calibration:
    """Parameters fitted to some points, and their effect at the others."""

    costs: Costs
    used: int
    kept_out: int
    cold_median_error: float | None
    median_error: float | None
    noise_floor: float | None
    """the median relative spread of repeats: no error below it is claimed"""
    interval_factor: float | None
    """90 % of the points are between the estimate divided by this and multiplied by this; None
    with too few points
    """
    covered: float | None
    """the share of the points kept out that are in this interval"""
    split: ErrorSplit
    table: tuple[MeasuredLine, ...]


def calibrate(results: Sequence[Result]) -> Calibration:
    """Fit the costs to two thirds of the points, and predict the rest."""
    points = _some_points(results)
    held_out = points[KEPT_OUT_OF - 1 :: KEPT_OUT_OF]
    used = [item for index, item in enumerate(points) if (index + 1) % KEPT_OUT_OF]
    costs = _fit(used)
    margin = _interval(left_out_errors(used))
    errors = [abs(math.expm1(item.error(costs))) for item in held_out]
    spread = [max(item.values) / min(item.values) - 1 for item in points if len(item.values) > 1]
    covered = [abs(item.error(costs)) <= margin for item in held_out] if margin is not None else []
    return Calibration(
        costs,
        len(used),
        len(held_out),
        median([abs(math.expm1(item.error(None))) for item in held_out]) if held_out else None,
        median(errors) if errors else None,
        median(spread) / math.sqrt(2) if spread else None,
        math.exp(margin) if margin is not None else None,
        fmean(covered) if covered else None,
        _split(used, held_out, costs),
        tuple(_line(item, costs, "kept out" if item in held_out else "used") for item in points),
    )


def _fit(used: Sequence[Measured]) -> Costs:
    """Each cost in turn to the least mean absolute error, for several rounds."""
    costs = Costs(source="calibrated from results")

    def turn(low: float, high: float, change: Callable[[Costs, float], Costs]) -> Costs:
        value = search(lambda tried: fmean(abs(item.error(change(costs, tried))) for item in used), low, high)
        return change(costs, value)

    for _ in range(ROUNDS if used else 0):
        costs = turn(*BYTE_S, lambda it, value: replace(it, read_s_per_byte=value or None))
        costs = turn(*BYTE_S, lambda it, value: replace(it, write_s_per_byte=value or None))
        costs = turn(*REQUEST_S, lambda it, value: replace(it, server_s_per_packet=value or None))
        costs = turn(*REQUEST_S, lambda it, value: replace(it, round_trip_s=value or None))
        costs = turn(*REQUEST_S, lambda it, value: replace(it, commit_s=value or None))
    return costs


def left_out_errors(used: Sequence[Measured]) -> list[float]:
    """The error of each point with costs fitted without it: a fit is closer to its own points than
    to others.
    """
    errors = []
    for fold in range(FOLDS):
        costs = _fit([item for index, item in enumerate(used) if index % FOLDS != fold])
        errors += [abs(item.error(costs)) for item in used[fold::FOLDS]]
    return errors


def _interval(errors: Sequence[float]) -> float | None:
    """The error that 90 % of points do not exceed (cross-conformal, after Vovk); None of too few points."""
    rank = math.ceil(SHARE * (len(errors) + 1))
    return sorted(errors)[rank - 1] if rank <= len(errors) else None


def _split(used: Sequence[Measured], held_out: Sequence[Measured], costs: Costs) -> ErrorSplit:
    repeated = [item for item in (*used, *held_out) if len(item.values) > 1]
    noise = fmean(_variance(item.values) for item in repeated) if repeated else 0.0
    seen = {(item.expected.experiment, item.expected.phase) for item in used}
    groups: dict[str, list[float]] = {"contention": [], "coverage": [], "model": []}
    for item in held_out:
        known = (item.expected.experiment, item.expected.phase) in seen
        cause = "coverage" if not known else "contention" if item.lab_limited else "model"
        groups[cause].append(max(item.error(costs) ** 2 - noise / len(item.values), 0.0))
    total = max(len(held_out), 1)
    return ErrorSplit(noise, *(sum(groups[cause]) / total for cause in ("contention", "coverage", "model")))


def _variance(values: Sequence[float]) -> float:
    logarithms = [math.log(value) for value in values]
    middle = fmean(logarithms)
    return sum((value - middle) ** 2 for value in logarithms) / (len(values) - 1)
