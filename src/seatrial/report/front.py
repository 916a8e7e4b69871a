"""The first page: the title, the facts that identify the run, and the main figure.

The main figure is the one that the question is about: the settings, the outages of the faults, or
the sweep with the highest rate.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from seatrial.analysis.statistics import mean_of
from seatrial.basics.finite import is_finite
from seatrial.basics.units import counted, format_duration
from seatrial.report.bars import Bar, bars
from seatrial.report.faults import NOT_RECOVERED, outage_cell
from seatrial.report.lab_marks import unit
from seatrial.report.overview import measured, nodes_in_words
from seatrial.report.picture import Picture
from seatrial.report.results import Section
from seatrial.report.tables import Column, Table, folded
from seatrial.result.faults import FaultResult
from seatrial.result.result import LINES, Result
from seatrial.summary.choices import Choice, Option
from seatrial.summary.conclusions import Conclusions, outcome
from seatrial.summary.notation import NONE, figures
from seatrial.summary.sources import Sources
from seatrial.summary.system import Built, ratio

NOT_RECORDED = "not recorded"
BARS_MAX = 24
"""at most this many bars; the chapters have all of them"""
SHORTENED = frozenset({"quick", "trial"})
"""profiles that measure less than the whole study"""


@dataclass(frozen=True)
class Fact:
    """One fact that identifies the run."""

    title: str
    value: str
    is_code: bool = False
    """set in the font of code: ids and checksums"""
    is_wide: bool = False
    """takes a whole line"""


@dataclass(frozen=True)
class Front:
    """The text of the first page, except the answer."""

    title: str
    question: str
    study: str
    version: str
    """of Seatrial"""
    run_id: str
    digest: str
    """SHA-256 of the lines of the result; empty without lines"""
    coverage: str
    """`11 of 56 faults, 1 skipped; 12 of 14 experiments`"""
    facts: tuple[Fact, ...]


def front(sources: Sources, found: Conclusions) -> Front:
    """The first page of a result, without its answer."""
    result, study = sources.result, sources.study
    run, lines = result.first("run"), result.folder / LINES
    run_id = str(run.get("run_id") or result.folder.resolve().name)
    digest = hashlib.sha256(lines.read_bytes()).hexdigest() if lines.is_file() else ""
    title = run.get("title") or (study and study.title) or run.get("study") or "Untitled study"
    facts = [
        Fact("Storage", measured(sources.system) or _deployed(sources)),
        Fact("Site", _site(sources.system)),
        *_run_facts(result),
        Fact("Versions", _versions(result), is_wide=True),
        Fact("Run", run_id, is_code=True),
    ]
    if digest:
        facts.append(Fact("SHA-256 of the result", digest, is_code=True, is_wide=True))
    return Front(
        title=str(title),
        question=(study.question or "") if study else "",
        study=str(run.get("study", "")),
        version=str(run.get("seatrial", "")),
        run_id=run_id,
        digest=digest,
        coverage=found.coverage.words or NOT_RECORDED,
        facts=tuple(facts),
    )


def _deployed(sources: Sources) -> str:
    kind = sources.study.solution.kind if sources.study else ""
    return f"{kind}, deployed by this run" if kind else NOT_RECORDED


def _site(system: Built | None) -> str:
    if system is None:
        return NOT_RECORDED
    environment = "emulated lab" if system.in_lab else "hosts"
    scale = f" at a scale of {ratio(system.scale)}" if system.scaled else ""
    return f"{environment}{scale}: {nodes_in_words(system)}"


def _run_facts(result: Result) -> Iterator[Fact]:
    run, machine = result.first("run"), result.first("machine")
    started = run.get("unix_s")
    date = ""
    if isinstance(started, int | float):
        date = f"{datetime.fromtimestamp(started, UTC):%Y-%m-%d %H:%M UTC}"
    times = [line["unix_s"] for line in result.lines if isinstance(line.get("unix_s"), int | float)]
    duration = format_duration(max(times) - min(times)) if times else ""
    profile = str(run.get("profile", ""))
    shortened = " (shortened)" if profile in SHORTENED else ""
    who = [str(machine[key]) for key in ("user", "host") if machine.get(key)]
    yield Fact("Date", date or NOT_RECORDED)
    yield Fact("Duration", duration or NOT_RECORDED)
    yield Fact("Profile", f"{profile or NOT_RECORDED}{shortened}")
    yield Fact("State of the run", outcome(result))
    yield Fact("Run by", " on ".join(who) or NOT_RECORDED)


def _versions(result: Result) -> str:
    """`Seatrial 0.1.0; c[1-8]: kernel 7.2.7, Debian 12; controller: kernel 6.12`."""
    version = result.first("run").get("seatrial")
    parts = [f"Seatrial {version}"] if version else []
    facts = result.first("nodes").get("facts")
    for nodes, value in folded(facts) if isinstance(facts, dict) else ():
        if isinstance(value, dict) and value:
            parts.append(f"{nodes}: {_software(value)}")
    kernel = result.first("machine").get("kernel")
    parts += [f"controller: kernel {kernel}"] if kernel else []
    return "; ".join(parts) or NOT_RECORDED


def _software(facts: dict[str, Any]) -> str:
    """The software of a node: kernel and system, and its packages of storage."""
    named = [f"kernel {facts['kernel']}"] if facts.get("kernel") else []
    others = [str(value) for key, value in facts.items() if key != "kernel" and value]
    return ", ".join([*named, *others])


# ---- the main figure


def main_figure(sources: Sources, found: Conclusions, sections: Sequence[Section]) -> Picture | None:
    """The figure of the first page, without a number; None where nothing can be drawn."""
    if found.choice is not None and found.choice.best:
        return _settings_figure(found.choice)
    sweep = _sweep(found, sections)
    asks_for_faults = found.survival is not None and found.headline.is_yes_or_no
    faults = _faults_figure(sources.result.faults)
    candidates = (faults, sweep) if asks_for_faults else (sweep, faults)
    return next((item for item in candidates if item is not None), None)


def _sweep(found: Conclusions, sections: Sequence[Section]) -> Picture | None:
    """The figure of the experiment with the highest rate; a copy with its own ids."""
    wanted = [peak.item.repeats[0].experiment for peak in found.throughput.peaks]
    drawn = [section for section in sections if section.pictures]
    of_peaks = [section for section in drawn if section.name in wanted]
    section = next(iter([*of_peaks, *drawn]), None)
    if section is None:
        return None
    first = section.pictures[0]
    key = f"{first.label.lower().replace(' ', '-')}-"
    return replace(
        first,
        label="",
        title=f"{section.title}: {first.title}" if first.title else section.title,
        caption=f"{first.label} has the explanation and the values.",
        wide=first.wide.replace(key, "main-figure-"),
        narrow=first.narrow.replace(key, "main-figure-"),
        data=None,
    )


def _faults_figure(faults: Sequence[FaultResult]) -> Picture | None:
    """The longest outage of each injected fault, against its limit; the longest first."""
    injected = [item for item in faults if item.skipped is None and not item.controls]
    timed = [item for item in injected if item.failed is None]
    ordered = sorted(timed, key=_severity, reverse=True)
    shown = ordered[:BARS_MAX]
    if not shown:
        return None
    items = [_fault_bar(item) for item in shown]
    title = "Longest outage of each fault"
    limit = " A mark is the limit of the study." if any(item.limit for item in items) else ""
    rest = len(ordered) - len(shown)
    more = f" {counted(rest, 'fault')} with shorter outages are in the chapter." if rest else ""
    axis = "longest outage of a client (s)"
    alternative = f"{title}: {'; '.join(f'{item.name} {item.words}' for item in items)}"
    return Picture(
        title=title,
        caption=f"Of any client that kept its power.{limit}{more}",
        wide=bars(items, axis, alternative),
        narrow=bars(items, axis, alternative, narrow=True),
        data=_bar_values("fault", "s", items),
    )


def _severity(fault: FaultResult) -> tuple[bool, float]:
    return fault.unrecovered is not None, fault.longest_s


def _fault_bar(fault: FaultResult) -> Bar:
    limit_s = fault.expect.get("outage")
    is_open = fault.unrecovered is not None
    has_length = bool(fault.longest_s) and not is_open
    words = f"{figures(fault.longest_s)} s" if has_length else outage_cell(fault)
    return Bar(
        name=fault.name,
        value=fault.longest_s if has_length else None,
        words=NOT_RECOVERED if is_open else words,
        limit=limit_s if is_finite(limit_s) else None,
        is_open=is_open,
    )


def _settings_figure(choice: Choice) -> Picture:
    """The rate of each setting in the phase of the first recommendation, the highest first."""
    phase = choice.best[0].option.phase
    options = [item for item in choice.options if item.phase == phase]
    ordered = sorted(options, key=lambda item: item.item.mean or 0.0, reverse=True)
    shown = ordered[:BARS_MAX]
    items = [_option_bar(item) for item in shown]
    quantity = shown[0].item.quantity
    axis = f"{phase} ({unit(quantity, in_lab=shown[0].item.in_lab)})"
    title = f"Settings compared by {phase}"
    alternative = f"{title}: {'; '.join(f'{item.name} {item.words}' for item in items)}"
    rest = len(ordered) - len(shown)
    more = f" {counted(rest, 'slower setting')} are in the chapter." if rest else ""
    return Picture(
        title=title,
        caption=f"Means of the usable repeats, with their 95 % intervals.{more}",
        wide=bars(items, axis, alternative),
        narrow=bars(items, axis, alternative, narrow=True),
        data=_bar_values("setting", quantity.unit, items),
    )


def _option_bar(option: Option) -> Bar:
    divisor = option.item.quantity.divisor
    found = mean_of(option.sample)
    interval = found.interval() if found else None
    return Bar(
        name=option.name,
        value=(option.item.mean or 0.0) / divisor,
        words=option.value,
        low=interval.low / divisor if interval else None,
        high=interval.high / divisor if interval else None,
    )


def _bar_values(subject: str, unit_name: str, items: Sequence[Bar]) -> Table:
    """The values of the bars."""
    columns = (
        Column(subject, head=True),
        Column("value"),
        Column("limit", unit_name, number=True, optional=True),
        Column("from", unit_name, number=True, optional=True),
        Column("to", unit_name, number=True, optional=True),
    )
    rows = [(item.name, item.words, _figure(item.limit), _figure(item.low), _figure(item.high)) for item in items]
    return Table("", columns, tuple(rows), css="cards").slim()


def _figure(value: float | None) -> str:
    return NONE if value is None else figures(value)
