"""The prediction compared with published figures: bound, cold estimate, and an estimate calibrated
on a third of a paper.

Cold: no row of the predicted paper was used, only the effects of common traits fitted on the four
others. Calibrated: every third row in the paper's order, from the first on, is used, and the others
are predicted. Rows that an erratum calls an anomaly are in the table, and bounded, but are not
fitted and count in no median.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median

from seatrial.basics.errors import InputError
from seatrial.judge.published import published_data
from seatrial.predict.costs import search
from seatrial.predict.layers import Forecast, Layer, forecast
from seatrial_research.learn import Effects, learn
from seatrial_research.papers import (
    gfs_equallogic,
    gpfs_nsd,
    md1200_nfs,
    network_storage_clusters,
    nss_ha,
)
from seatrial_research.rows import Row

PAPERS = (md1200_nfs, nss_ha, network_storage_clusters, gpfs_nsd, gfs_equallogic)
USED_OF = 3
BYTE_S = (1e-11, 1e-3)
"""search range of a byte's cost"""
OUTLIER_FACTOR = 1.5
OUTLIER_ERROR = 0.3
ANOMALIES = (gpfs_nsd.ANOMALY,)


@dataclass(frozen=True)
class Line:
    """One published figure and its prediction, in its own unit."""

    paper: str
    workload: str
    clients: int
    published: float
    unit: str
    bound: float
    cold: float
    factor: float
    """cold over published or the inverse: never below 1"""
    calibrated: float
    error: float
    """calibrated over published, less 1"""
    low: float
    high: float
    """the calibrated estimate's 90 % interval"""
    use: str
    """used, kept out, or anomaly"""
    layer: str
    bound_layer: str
    exceeded: bool
    explanation: str


@dataclass(frozen=True)
class Validation:
    """The whole table and its four figures."""

    rows: int
    bound_exceeded: int
    """figures above the bound that neither an erratum nor a cache explains"""
    cold_median_factor: float
    median_error: float
    """of the rows that were kept out"""
    table: tuple[Line, ...]

    @property
    def kept_out(self) -> list[Line]:
        """The rows that the calibrated median is of."""
        return [line for line in self.table if line.use == "kept out"]


def paper_rows() -> list[list[Row]]:
    """Each paper's rows, from the copies of the facts that come with Seatrial; InputError where
    they are missing.
    """
    all_rows = []
    for module in PAPERS:
        published = published_data(module.PAPER)
        if not published:
            raise InputError(
                f"the published facts of {module.PAPER} are not here",
                "run it in Seatrial's repository",
            )
        all_rows.append(module.rows(published))
    return all_rows


def validate_papers() -> Validation:
    """Every row of the five papers."""
    papers = paper_rows()
    lines = [
        line
        for rows in papers
        for line in _paper(rows, [other for other in papers if other is not rows])
    ]
    counted = [line for line in lines if line.use != "anomaly"]
    return Validation(
        len(lines),
        sum(line.exceeded and not line.explanation.startswith("erratum") for line in lines),
        median(line.factor for line in counted),
        median(abs(line.error) for line in lines if line.use == "kept out"),
        tuple(lines),
    )


def _paper(rows: Sequence[Row], others: Sequence[Sequence[Row]]) -> list[Line]:
    forecasts = [forecast(row.layers, row.demand) for row in rows]
    general = _cold_effects(others)
    cold = [
        _limited(item, general.of(row.traits)) for row, item in zip(rows, forecasts, strict=True)
    ]
    usable = [index for index, row in enumerate(rows) if row.explanation not in ANOMALIES]
    used = usable[::USED_OF]
    costs = software_costs([rows[index] for index in used])
    fitted = [_with_software(row, costs.get(row.software, 0.0)) for row in rows]
    own = learn(
        [
            (rows[index].own, _log_ratio(rows[index], fitted[index].estimate_bytes_per_s))
            for index in used
        ]
    )
    lines = []
    for index, row in enumerate(rows):
        use = "kept out" if index in usable else "anomaly"
        if index in used:
            use = "used"
        estimates = Estimates(
            forecasts[index], cold[index], _limited(fitted[index], own.of(row.own)), own.band()
        )
        lines.append(_line(row, estimates, use))
    return lines


def software_costs(used: Sequence[Row]) -> dict[str, float]:
    """Seconds per byte of each kind of software, one server at a time, that fit the
    used rows best.
    """
    costs = {}
    for name in dict.fromkeys(row.software for row in used):
        group = [row for row in used if row.software == name]
        costs[name] = search(partial(_misfit, group), *BYTE_S)
    return costs


def _misfit(group: Sequence[Row], byte_s: float) -> float:
    return fmean(
        abs(_log_ratio(row, _with_software(row, byte_s).estimate_bytes_per_s)) for row in group
    )


def _with_software(row: Row, byte_s: float) -> Forecast:
    if not byte_s:
        return forecast(row.layers, row.demand)
    return forecast(
        (*row.layers, Layer("server software", "calibrated", 1 / byte_s, hard=False)), row.demand
    )


def _cold_effects(papers: Sequence[Sequence[Row]]) -> Effects:
    """The effects fitted on the other papers; each paper has the same weight, whatever its number
    of rows.
    """
    rows = []
    weights = []
    for paper in papers:
        usable = [row for row in paper if row.explanation not in ANOMALIES]
        for row in usable:
            rows.append(
                (row.traits, _log_ratio(row, forecast(row.layers, row.demand).estimate_bytes_per_s))
            )
            weights.append(10.0 / len(usable))
    return learn(rows, weights)


def _limited(item: Forecast, shift: float) -> float:
    return min(item.estimate_bytes_per_s * math.exp(shift), item.bound_bytes_per_s)


def _log_ratio(row: Row, modelled_bytes_per_s: float) -> float:
    return math.log(row.published_bytes_per_s / modelled_bytes_per_s)


@dataclass(frozen=True)
class Estimates:
    """The expected rate of a row, bytes per second."""

    forecast: Forecast
    cold: float
    calibrated: float
    band: float
    """of the calibrated one, 90 %: its possible error as a logarithm"""


def _line(row: Row, estimates: Estimates, use: str) -> Line:
    item = estimates.forecast
    cold = estimates.cold
    calibrated = estimates.calibrated
    unit = row.unit_bytes
    band = estimates.band
    factor = math.exp(abs(_log_ratio(row, cold)))
    error = calibrated / row.published_bytes_per_s - 1
    highest = max(row.value, row.highest or 0.0) * unit
    exceeded = highest > item.bound_bytes_per_s
    outlier = factor > OUTLIER_FACTOR or abs(error) > OUTLIER_ERROR or exceeded or use == "anomaly"
    explanation = (row.explanation or _why(item, row)) if outlier else ""
    return Line(
        row.paper,
        row.workload,
        row.clients,
        row.value,
        row.unit,
        item.bound_bytes_per_s / unit,
        cold / unit,
        factor,
        calibrated / unit,
        error,
        calibrated * math.exp(-band) / unit,
        min(calibrated * math.exp(band), item.bound_bytes_per_s) / unit,
        use,
        item.layer,
        item.bound_layer,
        exceeded,
        explanation,
    )


def _why(item: Forecast, row: Row) -> str:
    share = row.published_bytes_per_s / item.estimate_bytes_per_s
    return f"unexplained: {share:.0%} of the rate of {item.layer}; the paper gives no reason"


def summary(validation: Validation) -> Mapping[str, float]:
    """For the rows kept out: the share within 30 %, the number with an interval, and the share of
    these in it.

    A paper with few used rows has no interval: fewer than nine rows cannot support 90 %.
    """
    held_out = validation.kept_out
    bounded = [line for line in held_out if line.low > 0]
    covered = sum(line.low <= line.published <= line.high for line in bounded)
    return {
        "within_30_percent": sum(abs(line.error) <= OUTLIER_ERROR for line in held_out)
        / len(held_out),
        "with_interval": len(bounded),
        "covered_by_90_percent": covered / len(bounded) if bounded else 0.0,
    }
