"""A prediction as data for `--json` and as text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf

from seatrial.basics.units import counted, format_rate, format_size
from seatrial.matrix.matrix import RunMatrix
from seatrial.predict.costs import Costs
from seatrial.predict.layers import balance
from seatrial.predict.measured import Calibration, MeasuredTable
from seatrial.predict.outages import Outage, outages
from seatrial.predict.raid import (
    HOURS_PER_YEAR,
    Wear,
    data_disks,
    loss_probability,
    mean_time_to_loss_h,
)
from seatrial.predict.study import Expectation, expectations, unset_values
from seatrial.solutions.parts.raid import Raid
from seatrial.study.study import Study

ASSUMPTIONS = (
    (
        "every client does the same; requests take equally long on average, in any order (product"
        " profile)"
    ),
    "nothing fails, the system has no other users, caches are empty before a read",
    "more clients than the study has are more of the same, on switches that do not block",
)


UNKNOWN = inf
"""a bound or an estimate where the study states no rate"""


@dataclass(frozen=True)
class BalanceStep:
    """A layer to raise, and the rate at which the next layer limits."""

    layer: str
    from_bytes_per_s: float
    to_bytes_per_s: float
    next_layer: str


@dataclass(frozen=True)
class PredictedPoint:
    """The prediction of one phase of one point."""

    experiment: str
    point: str
    clients: int
    phase: str
    unit: str
    """`bytes/s` or `operations/s`: of the bound and of the estimate"""
    bound: float
    bound_layer: str
    estimate: float
    layer: str
    """the busiest one; empty where it is unknown"""
    utilisation: Mapping[str, float]
    """layer -> share of its time"""
    balance: tuple[BalanceStep, ...]


@dataclass(frozen=True)
class PredictedStorage:
    """Usable capacity and the probability of data loss of nodes with disks."""

    nodes: str
    level: int
    disks: int
    """without spares"""
    usable_bytes: int | None
    """None where the study states no size of the disks"""
    mean_time_to_loss_years: float
    loss_probability: float
    years: float
    annual_failure_rate: float
    rebuild_s: float
    assumptions: str


@dataclass(frozen=True)
class Prediction:
    """The prediction of a study, as `seatrial predict --json` prints it."""

    study: str
    scale: float
    assumptions: tuple[str, ...]
    points: tuple[PredictedPoint, ...]
    sources: Mapping[str, str]
    """layer -> the source of its rate"""
    unsaid: Mapping[str, str]
    """key of the study -> what to state there; a rate is unknown without it"""
    outages: tuple[Outage, ...]
    storage: tuple[PredictedStorage, ...]


def prediction(
    matrix: RunMatrix, *, clients: Sequence[int] = (), costs: Costs | None = None
) -> Prediction:
    """Every point, the outages, the storage.

    `clients`: client counts to predict instead of those of the study.
    """
    found = list(expectations(matrix.planned_experiments, clients=clients, costs=costs))
    is_unbound = any(item.bound == UNKNOWN for item in found)
    known = [item for item in found if item.known]
    return Prediction(
        study=matrix.study.id,
        scale=matrix.site.scale,
        assumptions=ASSUMPTIONS,
        points=tuple(_point(item) for item in found),
        sources={layer.name: layer.source for item in known for layer in item.layers},
        unsaid=unset_values(matrix.base) if is_unbound else {},
        outages=tuple(outages(matrix.planned_faults)),
        storage=tuple(_storage(matrix.study, matrix.solution.storage.raid)),
    )


def _point(item: Expectation) -> PredictedPoint:
    return PredictedPoint(
        experiment=item.experiment,
        point=item.point,
        clients=item.clients,
        phase=item.phase,
        unit="operations/s" if item.operations else "bytes/s",
        bound=item.bound,
        bound_layer=item.forecast.bound_layer,
        estimate=item.estimate if item.known else UNKNOWN,
        layer=item.forecast.layer if item.known else "",
        utilisation=item.forecast.utilisations,
        balance=tuple(
            BalanceStep(step.layer, step.from_bytes_per_s, step.to_bytes_per_s, step.next_layer)
            for step in balance(item.layers, item.demand)
        ),
    )


def _storage(study: Study, raid: Raid | None) -> Iterator[PredictedStorage]:
    """Each node with disks, in the solution's layout."""
    if raid is None:
        return
    wear = Wear()
    level = raid.level
    spans = raid.spans
    for nodes, node in study.nodes.items():
        if node.disks is None:
            continue
        disks = node.disks.count - raid.spares
        usable_disks = data_disks(level, disks, spans)
        time_to_loss_h = mean_time_to_loss_h(level, disks, wear, spans)
        yield PredictedStorage(
            nodes=nodes,
            level=level,
            disks=disks,
            usable_bytes=usable_disks * node.disks.size if node.disks.size else None,
            mean_time_to_loss_years=time_to_loss_h / HOURS_PER_YEAR,
            loss_probability=loss_probability(level, disks, wear, spans),
            years=wear.years,
            annual_failure_rate=wear.annual_failure_rate,
            rebuild_s=wear.rebuild_s,
            assumptions=wear.assumptions,
        )


def _figure(value: float, unit: str) -> str:
    if value == UNKNOWN:
        return "unknown"
    return format_rate(value) if unit == "bytes/s" else f"{value:.0f}/s"


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: columns as wide as their longest cell; at least one row."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def prediction_text(prediction: Prediction) -> str:
    """The prediction as text."""
    rows = [("experiment", "point", "phase", "clients", "bound", "by", "estimate", "busiest layer")]
    for item in prediction.points:
        bound = _figure(item.bound, item.unit)
        estimate = _figure(item.estimate, item.unit)
        names = (item.experiment, item.point, item.phase, str(item.clients))
        rows.append((*names, bound, item.bound_layer, estimate, item.layer))
    lines = text_table(rows)
    if prediction.scale != 1:
        factor = f"{1 / prediction.scale:g}"
        lines.append(f"Rates are the lab's; the modelled system's are {factor} times as high.")
    lines += [
        *_balance_lines(prediction.points),
        *_outage_lines(prediction.outages),
        *_storage_lines(prediction.storage),
    ]
    parts = {
        "Not known, as the study does not set it; add the applicable values:": prediction.unsaid,
        "Sources:": prediction.sources,
    }
    for title, entries in parts.items():
        if entries:
            lines += ["", title, *(f"  {name}: {text}" for name, text in entries.items())]
    if any(item.layer for item in prediction.points):
        lines += ["Assumed:", *(f"  {text}" for text in prediction.assumptions)]
    return "\n".join(lines)


def _balance_lines(points: Sequence[PredictedPoint]) -> list[str]:
    balanced = [item for item in points if item.balance]
    most = max(balanced, key=lambda item: item.clients, default=None)
    if most is None:
        return []
    lines = [
        "",
        (
            f"To increase the rate of {most.experiment} {most.phase} with "
            f"{counted(most.clients, 'client')}, raise these layers in this order:"
        ),
    ]
    for step in most.balance:
        low = format_rate(step.from_bytes_per_s)
        high = format_rate(step.to_bytes_per_s)
        lines.append(f"  {step.layer} from {low} to {high}; the next limit: {step.next_layer}")
    return lines


def _outage_lines(outages: Sequence[Outage]) -> list[str]:
    lines = ["", "Outage limits, from the timers of the solution:"] if outages else []
    for item in outages:
        total = "no limit" if item.total_s is None else f"{item.total_s:.1f} s"
        parts = " + ".join(f"{seconds:.1f} s {term}" for term, seconds in item.parts)
        lines.append(f"  {item.fault}: {total}{' = ' + parts if parts else ' is stated'}")
    return lines


def _storage_lines(storage: Sequence[PredictedStorage]) -> list[str]:
    lines = []
    for item in storage:
        usable = format_size(item.usable_bytes) if item.usable_bytes else "unknown"
        lines += [
            "",
            (
                f"Storage of {item.nodes}: RAID {item.level} of {counted(item.disks, 'disk')},"
                f" {usable} usable; data are lost within {item.years:g} years with probability"
                f" {item.loss_probability:.2g}"
            ),
            (
                f"  (annual failure rate {item.annual_failure_rate:.0%} of a disk, rebuilt"
                f" after {item.rebuild_s / 3600:g} h; {item.assumptions})"
            ),
        ]
    return lines


def measured_text(measured: MeasuredTable) -> str:
    """Measured points and their prediction."""
    middle = "none" if measured.median_error is None else f"{measured.median_error:.1%}"
    if measured.limited and measured.unlimited_median_error is not None:
        middle += (
            f", {measured.unlimited_median_error:.1%} of the {measured.rows - measured.limited}"
            " that the machine did not limit"
        )
    head = (
        f"{measured.rows} measured points; {measured.bound_exceeded} above the bound; median error"
        f" {middle}"
    )
    rows: list[tuple[str, ...]] = [
        ("result", "experiment", "point", "phase", "measured", "bound", "estimate", "error", "")
    ]
    for line in measured.table:
        figures = (
            _figure(value, line.unit) for value in (line.measured, line.bound, line.estimate)
        )
        names = (line.result, line.experiment, line.point, line.phase)
        rows.append(
            (
                *names,
                *figures,
                f"{line.error:+.0%}",
                "lab limited" if line.lab_limited else line.use,
            )
        )
    return "\n".join([head, *text_table(rows)])


def calibration_text(calibration: Calibration) -> str:
    """The parameters, and their effect at the points that were kept out."""

    def percent(value: float | None) -> str:
        return "unknown" if value is None else f"{value:.1%}"

    lines = [f"{name}: {value}" for name, value in asdict(calibration.costs).items()]
    factor = (
        "too few points"
        if calibration.interval_factor is None
        else f"within a factor of {calibration.interval_factor:.2f}"
    )
    lines += [
        f"{counted(calibration.used, 'point')} used, {calibration.kept_out} kept out",
        (
            f"median error of those kept out: {percent(calibration.median_error)}, cold"
            f" {percent(calibration.cold_median_error)}; repeats differ by"
            f" {percent(calibration.noise_floor)}, and no error below that is claimed"
        ),
        f"90 % interval: {factor}; {percent(calibration.covered)} of those kept out are in it",
        "error (mean square of logarithms): "
        + ", ".join(f"{name} {value:.4f}" for name, value in asdict(calibration.split).items()),
    ]
    return "\n".join(lines)
