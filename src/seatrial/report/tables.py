"""The report's tables, as rows of plain text that the template escapes and sets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ClusterShell.NodeSet import NodeSetException

from seatrial.checkers.base import Judgement
from seatrial.quantities import OPERATIONS, RATE, Quantity
from seatrial.report.series import Measured, short
from seatrial.schema import fold
from seatrial.units import format_size

NONE = "–"
MEGA = 1e6
SYMBOLS = {"pass": "✓", "fail": "✗", "unknown": "?", "agrees": "=", "differs": "≠", "cannot say": "?"}
"""Beside the word, never instead of it: the report must be readable in black and white."""


@dataclass(frozen=True)
class Column:
    """A column's title and unit; numbers are set to the right."""

    title: str
    unit: str = ""
    number: bool = False


@dataclass(frozen=True)
class Table:
    """A numbered table with its caption."""

    label: str
    """`Table 3`"""
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    css: str = ""
    marks: frozenset[int] = field(default=frozenset())
    """rows that are set apart (their flags say why)"""


def mega(rate_bytes_per_s: float | None, digits: int = 3) -> str:
    """MB/s with so many significant digits; a dash when there is no rate."""
    return NONE if rate_bytes_per_s is None else figures(rate_bytes_per_s / MEGA, digits)


def written(quantity: Quantity, value: float | None, digits: int = 3) -> str:
    """A value of a quantity in its unit, without the unit's name."""
    return NONE if value is None else figures(value / quantity.divisor, digits)


def figures(value: float | None, digits: int = 3) -> str:
    """A number with so many significant digits and never an exponent: 0.0123, 12.3, 1230."""
    if value is None:
        return NONE
    text = f"{value:#.{digits}g}"
    return f"{value:.0f}" if "e" in text else text.rstrip(".")


def percent(share: float | None) -> str:
    """A share of one in whole percent."""
    return NONE if share is None else f"{share * 100:.0f} %"


def _result_columns(quantity: Quantity) -> tuple[Column, ...]:
    name = "operations" if quantity is OPERATIONS else "natural aggregate"
    unit = "1/s" if quantity is OPERATIONS else quantity.unit
    return (
        Column("phase"),
        Column("repeats", "used/all", number=True),
        Column(name, unit, number=True),
        Column("± s", unit, number=True),
        *_COMMON_COLUMNS,
    )


_COMMON_COLUMNS = (
    Column("harmonic mean", "MB/s", number=True),
    Column("harmonic aggregate", "MB/s", number=True),
    Column("fairness", "0–1", number=True),
    Column("first / last done", "s", number=True),
    Column("latency", "p50 / p99 / max, ms", number=True),
    Column("processors busy", "", number=True),
    Column("bottleneck", "predicted"),
    Column("of prediction", "", number=True),
    Column("flags"),
)


def results(label: str, caption: str, points: Sequence[Measured], note: str) -> Table:
    """One row for each point and phase."""
    keys = list(dict.fromkeys(key for item in points for key in item.point))
    columns = (*(Column(short(key), number=True) for key in keys), *_result_columns(points[0].quantity))
    rows = tuple((*(str(item.point.get(key, NONE)) for key in keys), *_result(item)) for item in points)
    marks = frozenset(index for index, item in enumerate(points) if item.lab_limited or not item.whole)
    return Table(label, caption, columns, rows, note=note, css="results", marks=marks)


def _result(item: Measured) -> tuple[str, ...]:
    done, latency = item.done_s, item.latency_ms
    predicted = item.first_of("predicted_bytes_per_s")
    mean = item.mean
    return (
        item.phase,
        f"{len(item.basis)}/{len(item.repeats)}",
        written(item.quantity, mean),
        written(item.quantity, item.deviation, digits=2),
        mega(item.mean_of("harmonic_mean_bytes_per_s")),
        mega(item.mean_of("harmonic_aggregate_bytes_per_s")),
        NONE if mean is None else f"{item.mean_of('fairness'):.3f}",
        " / ".join(figures(value) for value in done) if done else NONE,
        " / ".join(figures(value) for value in latency) if latency else NONE,
        percent(item.mean_of("processors_busy_share")),
        item.first_of("bottleneck") or NONE,
        percent(mean / predicted) if mean and predicted and item.quantity is RATE else NONE,
        ", ".join(flags(item)) or NONE,
    )


def flags(item: Measured) -> list[str]:
    """What a reader must know before using a point."""
    found = []
    for count, what in (
        (len(item.whole) - len(item.usable), "lab-limited"),
        (len(item.repeats) - len(item.whole), "partial"),
    ):
        if count:
            found.append(f"{what} {count}/{len(item.repeats)}")
    clients = [client for repeat in item.repeats for client in repeat.clients]
    for count, what in (
        (sum(bool(client.lost) for client in clients), "clients lost"),
        (sum(len(client.damage) for client in clients), "damaged extents"),
        (sum(len(client.errors) for client in clients), "errors"),
    ):
        if count:
            found.append(f"{what}: {count}")
    return found


def troubles(points: Iterable[Measured]) -> list[str]:
    """Every lost client, error and damaged extent of some points, in words."""
    found = []
    for item in points:
        for repeat in item.repeats:
            where = f"{', '.join(f'{short(key)} {value}' for key, value in item.point.items()) or 'only point'}"
            where = f"{where}, repeat {repeat.repeat}, {item.phase}"
            for client in repeat.clients:
                words = [client.lost] if client.lost else []
                words += [_in_words(entry) for entry in (*client.errors, *client.damage)]
                found += [f"{where}: {client.client}: {text}" for text in words]
    return found


def _in_words(entry: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in entry.items())


def claims(label: str, caption: str, judgements: Iterable[Judgement]) -> Table:
    """Claims with verdict, statement and evidence; published ones with the figures that were compared."""
    items = list(judgements)
    published = any(item.kind == "published" for item in items)
    columns = [Column("claim"), Column("verdict"), Column("statement")]
    columns += [Column("measured"), Column("reason")] if published else [Column("evidence")]
    rows = []
    for item in items:
        row = [item.claim, f"{SYMBOLS.get(item.verdict, '')} {item.verdict}", item.statement]
        rows.append((*row, *([_measured(item)] if published else []), item.evidence))
    note = MEASURED_NOTE if any(item.measured for item in items) else ""
    return Table(label, caption, tuple(columns), tuple(rows), note=note, css="claims")


MEASURED_NOTE = (
    "Measured: what varies → every usable repeat, as measured here. Published rates are "
    "compared with them only as shares of the resource that bounds both."
)


def _measured(item: Judgement) -> str:
    return "\n".join(f"{key}: {_value(value)}" for key, value in (item.measured or {}).items()) or NONE


def _value(value: Any) -> str:
    if isinstance(value, float):
        return figures(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key} → {_value(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_value(part) for part in value)
    return str(value)


def node_set(nodes: Sequence[str]) -> str:
    """The shortest node set of some names; a name that cannot be in one is printed as it is."""
    try:
        return fold(nodes)
    except NodeSetException:
        return ", ".join(nodes)


def folded(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Nodes with the same value as one node set: [("c[1-8]", value)], in the order of first sight."""
    groups: dict[str, tuple[list[str], Any]] = {}
    for node, value in values.items():
        groups.setdefault(repr(value), ([], value))[0].append(node)
    return [(node_set(nodes), value) for nodes, value in groups.values()]


def pairs(label: str, caption: str, titles: tuple[str, str], rows: Iterable[tuple[str, str]]) -> Table:
    """A plain table of two columns."""
    return Table(label, caption, tuple(Column(title) for title in titles), tuple(rows), css="pairs two")


def size(size_bytes: Any) -> str:
    """Bytes in the shortest form to at most three digits: `512 MiB`, `23.5 GiB`."""
    if not isinstance(size_bytes, int | float) or isinstance(size_bytes, bool):
        return NONE
    exact = format_size(int(size_bytes))
    if len(exact) <= 7:
        return exact.rstrip("KMGTiB") + " " + exact.lstrip("0123456789")
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size_bytes >= 1024**power:
            return f"{figures(size_bytes / 1024**power)} {unit}"
    return f"{size_bytes} B"
