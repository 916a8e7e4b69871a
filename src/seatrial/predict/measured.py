"""The prediction compared with measured points of results: cold, and with parameters calibrated on
other points.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import Any

from seatrial.basics.errors import InputError
from seatrial.cases import Case, Variants
from seatrial.judge.judge import study_of
from seatrial.predict.costs import Costs, search, with_costs
from seatrial.predict.layers import forecast
from seatrial.predict.study import Expectation, direction, expectation, is_predictable
from seatrial.result.phases import PhaseResult
from seatrial.result.result import NOT_COMPLETED, Result
from seatrial.study.points import point_name, points
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
BYTE_S = (1e-10, 1e-5)
REQUEST_S = (1e-6, 1.0)
SEARCH_RANGES = {
    "read_s_per_byte": BYTE_S,
    "write_s_per_byte": BYTE_S,
    "server_s_per_packet": REQUEST_S,
    "round_trip_s": REQUEST_S,
    "commit_s": REQUEST_S,
}
"""cost -> its lowest and highest value, in s; they are fitted in this order"""


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
    variants = Variants(study)
    clients_max = len(variants.base.solution.clients)
    planned = {
        (name, point.name): (experiment, point)
        for name, experiment in study.experiments_in(profile).items()
        for point in points(experiment, clients_max)
    }
    phases_by_point: dict[tuple[str, str, str], list[PhaseResult]] = {}
    for phase in result.phases:
        name = point_name(phase.point)
        if (
            (phase.experiment, name) in planned
            and is_predictable(phase.phase)
            and not phase.partial
            and not phase.cached
        ):
            phases_by_point.setdefault((phase.experiment, name, phase.phase), []).append(phase)
    for (experiment, name, phase_name), phases in phases_by_point.items():
        attribute = "natural_bytes_per_s" if moves_data(phase_name) else "operations_per_s"
        values = tuple(value for item in phases if (value := getattr(item, attribute)) > 0)
        if values:
            plan, point = planned[experiment, name]
            case = Case(experiment, plan, point, variants.of(point.changes))
            expected = expectation(case, phase_name)
            limited = sum(item.lab_limited for item in phases) * 2 > len(phases)
            yield Measured(
                result.folder.name, expected, values, limited, max(map(_clock_share, phases))
            )


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
    return MeasuredTable(
        len(lines), exceeded, _middle(lines), limited, _middle(unlimited), tuple(lines)
    )


def _middle(lines: Sequence[MeasuredLine]) -> float | None:
    return median(abs(line.error) for line in lines) if lines else None


def _line(item: Measured, costs: Costs | None, use: str) -> MeasuredLine:
    expected = item.expected
    value = item.value
    estimate = math.exp(item.error(costs)) * value
    unit = "operations/s" if expected.operations else "bytes/s"
    return MeasuredLine(
        result=item.result,
        experiment=expected.experiment,
        point=expected.point,
        phase=expected.phase,
        unit=unit,
        measured=value,
        repeats=len(item.values),
        bound=expected.bound,
        estimate=estimate,
        error=estimate / value - 1,
        layer=expected.forecast.layer,
        exceeded=value > expected.bound * (1 + item.clock_share),
        lab_limited=item.lab_limited,
        use=use,
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
    return Calibration(
        costs=costs,
        used=len(used),
        kept_out=len(held_out),
        cold_median_error=_median_error(held_out, None),
        median_error=_median_error(held_out, costs),
        noise_floor=_noise_floor(points),
        interval_factor=math.exp(margin) if margin is not None else None,
        covered=_covered_share(held_out, costs, margin),
        split=_split(used, held_out, costs),
        table=tuple(
            _line(item, costs, "kept out" if item in held_out else "used") for item in points
        ),
    )


def _median_error(points: Sequence[Measured], costs: Costs | None) -> float | None:
    """The median of the errors as shares of the measured values; None without points."""
    if not points:
        return None
    return median(abs(math.expm1(point.error(costs))) for point in points)


def _noise_floor(points: Sequence[Measured]) -> float | None:
    """The median relative spread of the repeats of a point; None without repeats."""
    repeated = [point.values for point in points if len(point.values) > 1]
    if not repeated:
        return None
    return median(max(values) / min(values) - 1 for values in repeated) / math.sqrt(2)


def _covered_share(points: Sequence[Measured], costs: Costs, margin: float | None) -> float | None:
    """The share of points with an error of at most `margin`; None where nothing is known."""
    if margin is None or not points:
        return None
    return fmean(abs(point.error(costs)) <= margin for point in points)


def _with_cost(costs: Costs, name: str, value: float) -> Costs:
    """The costs with another value of one; 0 is as assumed."""
    changes: dict[str, Any] = {name: value or None}
    return replace(costs, **changes)


def _fit(used: Sequence[Measured]) -> Costs:
    """Each cost in turn to the least mean absolute error, for several rounds."""
    costs = Costs(source="calibrated from results")
    for _ in range(ROUNDS if used else 0):
        for name, (low, high) in SEARCH_RANGES.items():
            costs = _fitted_cost(used, costs, name, low, high)
    return costs


def _fitted_cost(
    used: Sequence[Measured], costs: Costs, name: str, low: float, high: float
) -> Costs:
    """The costs with the value of one that has the least mean absolute error."""

    def mean_error(value: float) -> float:
        changed = _with_cost(costs, name, value)
        return fmean(abs(point.error(changed)) for point in used)

    return _with_cost(costs, name, search(mean_error, low, high))


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
    """The error that 90 % of points do not exceed (cross-conformal, after Vovk); None of too few
    points.
    """
    rank = math.ceil(SHARE * (len(errors) + 1))
    return sorted(errors)[rank - 1] if rank <= len(errors) else None


def _split(used: Sequence[Measured], held_out: Sequence[Measured], costs: Costs) -> ErrorSplit:
    repeated = [item for item in (*used, *held_out) if len(item.values) > 1]
    noise = fmean(_variance(item.values) for item in repeated) if repeated else 0.0
    seen = {(item.expected.experiment, item.expected.phase) for item in used}
    groups: dict[str, list[float]] = {"contention": [], "coverage": [], "model": []}
    for item in held_out:
        if (item.expected.experiment, item.expected.phase) not in seen:
            cause = "coverage"
        elif item.lab_limited:
            cause = "contention"
        else:
            cause = "model"
        groups[cause].append(max(item.error(costs) ** 2 - noise / len(item.values), 0.0))
    total = max(len(held_out), 1)
    return ErrorSplit(noise, **{cause: sum(group) / total for cause, group in groups.items()})


def _variance(values: Sequence[float]) -> float:
    logarithms = [math.log(value) for value in values]
    middle = fmean(logarithms)
    return sum((value - middle) ** 2 for value in logarithms) / (len(values) - 1)
