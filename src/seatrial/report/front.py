"""The first page: its title, and the facts that identify the run."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from seatrial.basics.units import format_duration
from seatrial.report.overview import measured, nodes_in_words
from seatrial.report.tables import folded
from seatrial.result.result import Result
from seatrial.result.sealed import LINES
from seatrial.summary.conclusions import Conclusions, outcome
from seatrial.summary.sources import Sources
from seatrial.summary.system import Built, ratio

NOT_RECORDED = "not recorded"
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


def front(sources: Sources, conclusions: Conclusions) -> Front:
    """The first page of a result, without its answer."""
    result = sources.result
    study = sources.study
    run = result.first("run")
    lines = result.folder / LINES
    run_id = str(run.get("run_id") or result.folder.resolve().name)
    digest = hashlib.sha256(lines.read_bytes()).hexdigest() if lines.is_file() else ""
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
        title=sources.title,
        question=(study.question or "") if study else "",
        study=str(run.get("study", "")),
        version=str(run.get("seatrial", "")),
        run_id=run_id,
        digest=digest,
        coverage=conclusions.coverage.words or NOT_RECORDED,
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
    run = result.first("run")
    machine = result.first("machine")
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
    facts_by_node = facts if isinstance(facts, dict) else {}
    software = {
        node: _software(value) for node, value in facts_by_node.items() if isinstance(value, dict)
    }
    parts += [f"{nodes}: {text}" for nodes, text in folded(software) if text]
    kernel = result.first("machine").get("kernel")
    parts += [f"controller: kernel {kernel}"] if kernel else []
    return "; ".join(parts) or NOT_RECORDED


def _software(facts: dict[str, Any]) -> str:
    """The software of a node: kernel and system, and its packages of storage."""
    kernel = [f"kernel {facts['kernel']}"] if facts.get("kernel") else []
    others = [str(facts[key]) for key in ("system", "storage_software") if facts.get(key)]
    return ", ".join([*kernel, *others])
