"""Figures over many runs: the trend of each, and where its level changed.

The figures are kept in an index in the folder of the results (SQLite), so that a thousand runs need
not be read again. It is a cache and may be deleted.
"""

import contextlib
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from seatrial.analysis.changes import Change, changes
from seatrial.basics.errors import InputError, SeatrialError
from seatrial.basics.units import counted, plain
from seatrial.result.quantities import quantity_of
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES, SUMS, Seal, seal_of
from seatrial.result.validity import is_valid
from seatrial.study.points import point_text

INDEX = ".index.sqlite"
VERSION = 2
"""of the index's tables; another version is rebuilt"""
_TABLES = """
CREATE TABLE IF NOT EXISTS runs
    (folder TEXT PRIMARY KEY, stamp TEXT, study TEXT, profile TEXT, started_unix_s REAL);
CREATE TABLE IF NOT EXISTS figures (folder TEXT, figure TEXT, unit TEXT, value REAL);
CREATE TABLE IF NOT EXISTS unrecovered (folder TEXT, fault TEXT);
CREATE INDEX IF NOT EXISTS of_run ON figures (folder);
"""


@dataclass(frozen=True)
class Trend:
    """One figure of one profile of a study, over its runs."""

    profile: str
    figure: str
    """`fig7 clients=8 read`, or `fault panic: longest outage`"""
    unit: str
    runs: tuple[str, ...]
    """names of the results, in the order of time"""
    values: tuple[float, ...]
    changes: tuple[Change, ...]

    @property
    def median(self) -> float:
        """The median of all runs."""
        return median(self.values)


@dataclass(frozen=True)
class Unrecovered:
    """A fault of one run after which some client never got an answer again: its outage has no
    length.
    """

    profile: str
    run: str
    fault: str


def history(folder: Path, study: str, without: Collection[str] = ()) -> list[Trend]:
    """Every figure of a study in at least two results of `folder`, except the results in `without`.

    Raises InputError when there is no result of it.
    """
    with _index_of(folder) as index:
        lines = index.execute(
            "SELECT profile, figure, unit, runs.folder, value FROM figures JOIN runs USING (folder)"
            " WHERE study = ? ORDER BY profile, figure, started_unix_s",
            (study,),
        ).fetchall()
    if not lines:
        way_out = "run it, or name the folder by --out"
        raise InputError(f"{folder}: no result of {study} has measurements", way_out)
    series: dict[tuple[str, str, str], list[tuple[str, float]]] = {}
    for profile, figure, unit, run, value in lines:
        if run in without:
            continue
        series.setdefault((profile, figure, unit), []).append((run, value))
    trends = []
    for (profile, figure, unit), points in series.items():
        if len(points) < 2:
            continue
        runs = tuple(run for run, _ in points)
        values = tuple(value for _, value in points)
        trends.append(Trend(profile, figure, unit, runs, values, tuple(changes(values))))
    return trends


def broken_seals(folder: Path, study: str) -> dict[str, Seal]:
    """By name, the results of a study that were edited since their runs ended; each is checked
    every time.
    """
    with _index_of(folder) as index:
        names = index.execute(
            "SELECT folder FROM runs WHERE study = ? ORDER BY folder", (study,)
        ).fetchall()
    broken = {}
    for (name,) in names:
        with contextlib.suppress(SeatrialError, OSError):
            seal = _seal(folder / name)
            if seal.is_broken:
                broken[name] = seal
    return broken


def _seal(folder: Path) -> Seal:
    """The lines are read only where there is no seal to compare."""
    if (folder / SUMS).is_file():
        return seal_of(folder, ended=True, promised=True)
    return read_result(folder).seal


def unrecovered_faults(folder: Path, study: str) -> list[Unrecovered]:
    """The faults of a study's results after which some client never got an answer."""
    with _index_of(folder) as index:
        lines = index.execute(
            "SELECT profile, runs.folder, fault FROM unrecovered JOIN runs USING (folder) "
            "WHERE study = ? ORDER BY profile, fault, started_unix_s",
            (study,),
        ).fetchall()
    return [Unrecovered(*line) for line in lines]


@contextlib.contextmanager
def _index_of(folder: Path) -> Iterator[sqlite3.Connection]:
    """The up-to-date index of a folder of results; in memory if its file cannot be used."""
    with contextlib.ExitStack() as stack:
        try:
            index = stack.enter_context(closing(sqlite3.connect(folder / INDEX)))
            _refresh(index, folder)
        except sqlite3.Error:
            index = stack.enter_context(closing(sqlite3.connect(":memory:")))
            _refresh(index, folder)
        yield index


def _refresh(index: sqlite3.Connection, folder: Path) -> None:
    """Read new and grown results, and remove deleted ones."""
    if index.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        index.executescript(
            "DROP TABLE IF EXISTS runs; DROP TABLE IF EXISTS figures; "
            f"DROP TABLE IF EXISTS unrecovered; PRAGMA user_version = {VERSION};"
        )
    index.executescript(_TABLES)
    stored_stamps = dict(index.execute("SELECT folder, stamp FROM runs").fetchall())
    paths = {path.parent.name: path for path in folder.glob(f"*/{LINES}")}
    stamps = {
        name: f"{path.stat().st_mtime_ns} {path.stat().st_size}" for name, path in paths.items()
    }
    with index:
        for name in {*stored_stamps, *paths}:
            if stored_stamps.get(name) != stamps.get(name):
                index.execute("DELETE FROM runs WHERE folder = ?", (name,))
                index.execute("DELETE FROM figures WHERE folder = ?", (name,))
                index.execute("DELETE FROM unrecovered WHERE folder = ?", (name,))
                if name in paths:
                    _add(index, name, paths[name].parent, stamps[name])


def _add(index: sqlite3.Connection, name: str, path: Path, stamp: str) -> None:
    try:
        result = read_result(path)
        run = result.first("run")
        figures = list(_figures(result))
        lost = [fault.name for fault in result.faults if fault.unrecovered is not None]
    except SeatrialError:
        # The result cannot be read. It is read again when it changes.
        run = {}
        figures = []
        lost = []
    values = (name, stamp, run.get("study"), run.get("profile"), run.get("unix_s"))
    index.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", values)
    index.executemany(
        "INSERT INTO figures VALUES (?, ?, ?, ?)", [(name, *figure) for figure in figures]
    )
    index.executemany("INSERT INTO unrecovered VALUES (?, ?)", [(name, fault) for fault in lost])


def _figures(result: Result) -> Iterator[tuple[str, str, float]]:
    """(figure, unit, mean of its valid repeats), and the outage of each completed fault."""
    points: dict[tuple[str, str], list[float]] = {}
    for phase in result.phases:
        quantity = quantity_of(phase.phase)
        if is_valid(phase, quantity):
            name = f"{phase.experiment} {point_text(phase.point)} {phase.phase}"
            points.setdefault((name, quantity.unit), []).append(
                quantity.of(phase) / quantity.divisor
            )
    for (name, unit), values in points.items():
        yield name, unit, fmean(values)
    for fault in result.faults:
        carried_through = fault.skipped is None and fault.failed is None
        if carried_through and fault.longest_s > 0 and fault.unrecovered is None:
            yield f"fault {fault.name}: longest outage", "s", fault.longest_s


def history_table(trends: list[Trend], unrecovered: Sequence[Unrecovered] = ()) -> str:
    """The history as text: changed figures first, then the others; finally the faults without a
    recovery.
    """
    lines = []
    for trend in sorted(trends, key=lambda item: not item.changes):
        last = trend.values[-1]
        lines.append(
            f"{trend.profile:5s}  {trend.figure}: {counted(len(trend.values), 'run')}, "
            f"median {plain(trend.median)} {trend.unit}, "
            f"last {plain(last)} ({last / trend.median - 1:+.1%})"
        )
        lines += [
            f"       {change.relative:+.1%} since {trend.runs[change.at]}"
            for change in trend.changes
        ]
    changed = sum(bool(trend.changes) for trend in trends)
    few = "; a figure needs at least two runs of one profile" if not trends else ""
    lines += [
        f"{item.profile:5s}  fault {item.fault}: not recovered in {item.run}"
        for item in unrecovered
    ]
    lines.append(f"{counted(len(trends), 'figure')}, {changed} changed their level{few}")
    return "\n".join(lines)
