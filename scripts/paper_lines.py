"""The lines of the printed tables of a paper, and the variant that reproduces each of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from paper_places import experiment_text, measured, places_text
from paper_rows import Covered
from paper_text import cell

from seatrial.judge.published import published_rows
from seatrial.report.rows import printed_by_clients
from seatrial.study.experiment import Experiment


def line_rows(coverage: Covered) -> Iterator[str]:
    """A line of a page for each line of each printed table, in their order."""
    for item in coverage.items("experiments"):
        if item.get("kind") == "table":
            yield from _of_table(coverage, item)


def _of_table(coverage: Covered, item: Mapping[str, Any]) -> Iterator[str]:
    by_clients = dict(_by_clients(coverage, item["id"]))
    by_line = dict(_by_line(coverage, item["id"]))
    keys = published_rows(coverage.facts, item["id"])
    for number, (key, values) in enumerate(zip(keys, item["rows"], strict=True), start=1):
        cells = dict(zip(item["columns"], values, strict=True))
        text = by_clients.get(cells.get("clients", -1)) or by_line.get(key)
        printed = ", ".join(
            f"{column} {value}"
            for column, value in cells.items()
            if value is not None and column != "line_no"
        )
        where = text or _as_table(coverage, item["id"])
        yield f"| {item['id']} line {number} | {cell(printed)} | {where} |"


def _as_table(coverage: Covered, name: str) -> str:
    """The cells of a line that no variant reproduces alone."""
    row = coverage.row("experiments", name)
    places = [place for place in row.where if place.experiment or place.option or place.study]
    reason = f"as {name}: {row.status}" if places else (row.reason or "")
    return f"{places_text(places, coverage.name)} | {cell(reason)}"


def _by_line(coverage: Covered, table: str) -> Iterator[tuple[int, str]]:
    """Line of the table -> cells, of the variants that name their line."""
    for name, experiment in coverage.study.experiments.items():
        if experiment.table == table:
            for variant, changes in experiment.variants.items():
                if changes.line is not None:
                    yield changes.line, _cells(coverage, name, experiment, variant)


def _cells(coverage: Covered, name: str, experiment: Experiment, variant: str) -> str:
    changes = experiment.variants[variant]
    where = experiment_text(coverage.name, name, variant)
    reason = changes.skip or "–"
    if changes.unsupported:
        reason = f"skipped where the kernel reports: {changes.unsupported}"
    return f"{where} | {cell(reason)}"


def _by_clients(coverage: Covered, table: str) -> Iterator[tuple[int, str]]:
    """Number of clients -> cells, of the variant that reproduces the table."""
    clients = printed_by_clients(coverage.facts, table)
    for name, experiment in coverage.study.experiments.items():
        for variant, changes in experiment.variants.items():
            if changes.table == table:
                for number in clients:
                    is_measured = measured(coverage.name, name, variant, number)
                    where = experiment_text(coverage.name, name, variant, number)
                    reason = "–" if is_measured else "no profile has this number of clients"
                    yield number, f"{where} | {reason}"
