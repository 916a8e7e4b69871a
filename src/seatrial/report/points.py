"""The tables of points: the results, and how they were measured; one row per point and phase."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from seatrial.analysis.histogram import P99_OPERATIONS
from seatrial.report.lab_marks import marked
from seatrial.report.series import limits
from seatrial.report.tables import Cell, Table, of_items
from seatrial.result.extents import extent_count
from seatrial.result.phases import ClientResult
from seatrial.result.quantities import OPERATIONS, RATE, Quantity
from seatrial.study.workload import COPY_PHASES, moves_data
from seatrial.summary.names import heading, short, value_name
from seatrial.summary.notation import NONE, figures, milliseconds, percent, written
from seatrial.summary.points import Latency, Measured, worst

RESULTS_NOTE = (
    " Rates and Jain fairness indices are means, ± s is the sample standard deviation. Times count"
    " from the common start. Stonewalled: the data of all tasks when the first of them had"
    " finished, over that time; a dash where too much of it would be interpolated. Fairness is"
    " Jain’s index of the tasks’ rates (1: all equal). First and last done: times of the fastest"
    " and the slowest task. Latency of one operation (of a copy: of one file; of a mixed phase: of"
    " the slower kind): from the merged histograms of all clients, the worst of the repeats, with"
    f" the fewest operations of any of them in brackets; the p99 of fewer than {P99_OPERATIONS}"
    " operations is their maximum, and left out."
)
STEADY_NOTE = (
    " Steady: sums of the clients’ figures inside their windows, which begin after the warm-up. "
    "Latency as before, of "
    "the operations that ended in the windows."
)
MEASURED_NOTE = (
    "Means of the usable repeats. Engine alone: the rate of one reading task on its client when "
    "the "
    "storage takes no time, without generating or verifying content, measured before each phase. "
    "The next share is "
    "the part of that rate which the mean task reached. Clock error and late start are the worst "
    "of the repeats."
)
LATENCY_UNIT = "p50 / p99 / max, ms (operations)"


def results(caption: str, points: Sequence[Measured]) -> Table:
    """One row per point and phase."""
    quantity = points[0].quantity
    cells = [
        *_basic(quantity),
        *_steady(quantity),
        Cell("bottleneck", "predicted, reached", optional=True, of=_reached),
        Cell("flags", optional=True, of=lambda item: ", ".join(flags(item)) or NONE),
    ]
    marks = frozenset(
        index
        for index, item in enumerate(points)
        if item.lab_limited or not item.whole or item.cached
    )
    note = (
        _rests_on(points)
        + RESULTS_NOTE
        + (STEADY_NOTE if any(item.steady for item in points) else "")
    )
    table = replace(_table(caption, points, cells, note), marks=marks)
    return marked(table, ("latency", "its latency"), in_lab=any(item.in_lab for item in points))


def _rests_on(points: Sequence[Measured]) -> str:
    what = limits(points)
    if not what:
        return "A row uses its usable repeats: those that every client finished."
    return (
        f"A row uses its usable repeats: those that every client finished and that were not {what}."
        " A row without a usable repeat uses its other repeats and is in italics. No published"
        " claim may use it."
    )


def how_measured(caption: str, points: Sequence[Measured]) -> Table:
    """Further means of each point, and the overhead of the measurement."""
    table = _table(caption, points, _instruments(points[0].quantity), MEASURED_NOTE)
    return marked(table, in_lab=any(item.in_lab for item in points))


Cells = list[Cell[Measured]]


def _table(caption: str, points: Sequence[Measured], cells: Cells, note: str) -> Table:
    keys = dict.fromkeys(key for item in points for key in item.point)
    all_cells: Cells = [
        *map(_of_key, keys),
        Cell("phase", head=True, of=lambda item: item.phase),
        *cells,
    ]
    return of_items(caption, all_cells, points, note, "cards")


def _of_key(key: str) -> Cell[Measured]:
    return Cell(
        short(key),
        head=True,
        of=lambda item: value_name(item.point[key]) if key in item.point else NONE,
    )


def _mean(quantity: Quantity, attribute: str) -> Callable[[Measured], str]:
    return lambda item: written(quantity, item.mean_of(attribute) or None)


def _number(
    title: str, unit: str, of: Callable[[Measured], str], *, optional: bool = True
) -> Cell[Measured]:
    return Cell(title, unit, number=True, optional=optional, of=of)


def _unit(quantity: Quantity) -> str:
    return "1/s" if quantity is OPERATIONS else quantity.unit


HEADS = {
    "rate": "aggregate throughput",
    "operations": "operations",
    "copies": "mean over sizes",
    "efficiency": "efficiency",
}
"""of the column of a quantity's values"""


def _basic(quantity: Quantity) -> Cells:
    name = HEADS[quantity.name]
    unit = _unit(quantity)
    counted = _counted(quantity)
    stonewalled = f"stonewalled_{'operations' if counted is OPERATIONS else 'bytes'}_per_s"
    return [
        _number(
            "repeats",
            "used/all",
            lambda item: f"{len(item.basis)}/{len(item.repeats)}",
            optional=False,
        ),
        _number(name, unit, lambda item: written(quantity, item.mean), optional=False),
        _number("± s", unit, lambda item: written(quantity, item.deviation, digits=2)),
        _number("stonewalled", _unit(counted), _mean(counted, stonewalled)),
        _number(
            "fairness",
            "0–1",
            lambda item: NONE if item.mean is None else f"{item.mean_of('fairness'):.3f}",
        ),
        _number("first / last done", "s", lambda item: slashed(item.done_s)),
        _number("latency", LATENCY_UNIT, lambda item: latency_text(item.latency)),
    ]


def _counted(quantity: Quantity) -> Quantity:
    """The quantity that the agents counted; the shown one may be its share or its mean
    over sizes.
    """
    return OPERATIONS if quantity is OPERATIONS else RATE


def _steady(quantity: Quantity) -> Cells:
    quantity = _counted(quantity)

    def rate(item: Measured) -> str:
        if not item.steady:
            return NONE
        if quantity is OPERATIONS:
            return written(quantity, fmean(window["operations_per_s"] for window in item.steady))
        return written(quantity, fmean(window["rate_bytes_per_s"] for window in item.steady))

    def latency(item: Measured) -> str:
        return latency_text(worst(item.phase, (window["latency_ms"] for window in item.steady)))

    return [
        _number("steady", _unit(quantity), rate),
        _number("its latency", LATENCY_UNIT, latency),
    ]


def _reached(item: Measured) -> str:
    """The bottleneck, and the rate as a share of the predicted one."""
    name = item.first_of("bottleneck")
    predicted = item.first_of("predicted_bytes_per_s")
    if not name:
        return NONE
    share = (
        percent(item.mean / predicted) if item.mean and predicted and item.quantity is RATE else ""
    )
    return f"{name} {share}".strip().replace(" %", "\u00a0%")


def _instruments(quantity: Quantity) -> Cells:
    other = RATE if quantity is OPERATIONS else OPERATIONS
    name = "operations" if other is OPERATIONS else "aggregate throughput"

    def window(item: Measured) -> str:
        spans_s = [window_s["to_unix_s"] - window_s["from_unix_s"] for window_s in item.steady]
        return figures(fmean(spans_s)) if spans_s else NONE

    def alone(client: ClientResult) -> float | None:
        return client.null_operations_per_s or None

    return [
        _number(name, _unit(other), _mean(other, other.attribute)),
        _number("harmonic mean", "MB/s", _mean(RATE, "harmonic_mean_bytes_per_s")),
        _number("harmonic aggregate", "MB/s", _mean(RATE, "harmonic_aggregate_bytes_per_s")),
        _number("steady window", "s", window),
        _number("lab machine busy", "", lambda item: percent(item.mean_of("cpus_busy_share"))),
        _number(
            "clock error",
            "ms",
            lambda item: _worst_ms(repeat.clock_error_s for repeat in item.basis),
        ),
        _number(
            "late start",
            "ms",
            lambda item: _worst_ms(client.start_late_s for client in _clients(item)),
        ),
        Cell("engine", optional=True, of=lambda item: engines(_clients(item))),
        _number(
            "engine alone",
            "operations/s",
            lambda item: written(OPERATIONS, _of_engines(item, alone)),
        ),
        _number("needed of it", "", lambda item: share_text(_of_engines(item, of_engine))),
    ]


def _clients(item: Measured) -> list[ClientResult]:
    return [client for repeat in item.basis for client in repeat.clients]


def engines(clients: Iterable[ClientResult]) -> str:
    """The engines that the clients used; a dash when the result does not contain them."""
    return ", ".join(sorted({client.engine for client in clients if client.engine})) or NONE


def of_engine(client: ClientResult) -> float | None:
    """Operations of a client's mean task as a share of its engine's rate alone; None
    when unknown.
    """
    if not client.null_operations_per_s or not client.tasks:
        return None
    return client.operations_per_s / len(client.tasks) / client.null_operations_per_s


def _of_engines(item: Measured, of: Callable[[ClientResult], float | None]) -> float | None:
    """The mean of a figure of the clients' engines.

    None for phases of metadata operations or copies, which use another loop.
    """
    known_values = [value for client in _clients(item) if (value := of(client)) is not None]
    return (
        fmean(known_values)
        if known_values and moves_data(item.phase) and item.phase not in COPY_PHASES
        else None
    )


def share_text(share: float | None) -> str:
    """A share of one in percent with two digits, also a very small one: `0.34 %`."""
    return NONE if share is None else f"{figures(share * 100, 2)} %"


def latency_text(latency: Latency | None) -> str:
    """`0.8 / 12.3 / 40.1 (4800)`; without p99 below its minimum of operations: `0.8 / – / 40.1
    (48)`.
    """
    if latency is None:
        return NONE
    return (
        f"{figures(latency.p50_ms)} / {figures(latency.p99_ms)} / {figures(latency.max_ms)}"
        f" ({latency.operations})"
    )


def slashed(values: tuple[float, float] | None) -> str:
    """Related figures: `0.8 / 12.3 / 40.1`."""
    return " / ".join(figures(value) for value in values) if values else NONE


def _worst_ms(times_s: Iterable[float]) -> str:
    return milliseconds(max(times_s, default=None), 2)


def flags(item: Measured) -> list[str]:
    """The limitations of a point."""
    limitations = []
    for count, what in (
        (sum(repeat.lab_limited for repeat in item.whole), "limited by the lab's CPUs"),
        (len(item.repeats) - len(item.whole), "partial"),
    ):
        if count:
            limitations.append(f"{what} {count}/{len(item.repeats)}")
    possible = dict.fromkeys(repeat.cached for repeat in item.repeats)
    limitations += [f"may come from {caches} caches" for caches in possible if caches]
    certain = dict.fromkeys(repeat.out_of_caches for repeat in item.repeats)
    limitations += [f"out of {caches}" for caches in certain if caches]
    clients = [client for repeat in item.repeats for client in repeat.clients]
    unserved = sum(client.unserved for client in clients)
    for count, what in (
        (sum(bool(client.lost) for client in clients), "clients lost"),
        (sum(extent_count(client.damage) for client in clients), "damaged extents"),
        (sum(len(client.errors) for client in clients), "errors"),
        (unserved, "operations that never began and have no latency"),
    ):
        if count:
            limitations.append(f"{what}: {count}")
    return limitations


def troubles(points: Iterable[Measured]) -> list[str]:
    """Every lost client, error and damaged extent of some points, in words."""
    troubles_of = []
    for item in points:
        for repeat in item.repeats:
            where = f"{heading(item.point, f'repeat {repeat.repeat}')}, {item.phase}"
            for client in repeat.clients:
                words = [client.lost] if client.lost else []
                entries = (entry.items() for entry in (*client.errors, *client.damage))
                words += [", ".join(f"{key} {value}" for key, value in entry) for entry in entries]
                troubles_of += [f"{where}: {client.client}: {text}" for text in words]
    return troubles_of
