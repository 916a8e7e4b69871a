"""The rows of a catalogue: what the table shows of each run, as texts and as values to sort by."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from seatrial.basics.units import counted, significant
from seatrial.catalogue.figures import RATE_UNIT, PeakFigure, longest, peak_figures
from seatrial.catalogue.sources import Run
from seatrial.judge.answer import PASSING
from seatrial.summary.fault_results import FaultOutcome
from seatrial.summary.notation import NONE
from seatrial.summary.results import ResultSummary, Site
from seatrial.summary.system import ratio

VERDICTS = ("pass", "pass with waivers", "fail", "unknown", "skipped")
"""in the order of the counts"""
WORST_FIRST = ("fail", "unknown", "skipped", "pass with waivers", "pass")
NO_VERDICT = "none"
"""the study asks for figures only, or another program measured"""
UNKNOWN = "unknown"
"""an environment or a version that the summary does not have"""


@dataclass(frozen=True)
class Count:
    """The number of criteria or faults with one verdict."""

    verdict: str
    number: int


@dataclass(frozen=True)
class Row:
    """One run, for the table."""

    number: int
    """from 0, in the order of time"""
    result: str
    """name of the result folder"""
    report: str | None
    """relative URL of the report"""
    study: str
    title: str
    started_unix_s: float | None
    date: str
    """`2026-11-01 10:00 UTC`; empty where it is not known"""
    profile: str
    environment: str
    scale: str
    """`1/40`; empty for 1"""
    version: str
    """of Seatrial"""
    versions: str
    """of other programs: `kernel 6.12, python 3.11`"""
    verdict: str
    """of all criteria: the worst one. Whether the run answers its question is in its report"""
    criteria: tuple[Count, ...]
    waivers: int
    """number of waived findings"""
    peaks: tuple[str, ...]
    highest_mb_per_s: float | None
    """of the peaks, to sort by"""
    faults: tuple[Count, ...]
    longest_outage: str
    """`42.1 s (panic)`; empty where no fault has a length"""
    longest_outage_s: float | None
    notes: tuple[str, ...]
    """limitations of the run: not complete, edited, contradictions"""

    @property
    def day(self) -> str:
        """`2026-11-01`; empty where it is not known."""
        return self.date[:10]

    @property
    def criteria_not_passed(self) -> int | None:
        """The number of criteria that failed or are unknown; None without criteria."""
        if not self.criteria:
            return None
        return sum(item.number for item in self.criteria if item.verdict not in PASSING)

    @property
    def faults_number(self) -> int:
        """The number of faults."""
        return sum(item.number for item in self.faults)


def css_word(text: str) -> str:
    """A verdict as part of a class name; `other` for a word that is no verdict."""
    return text.replace(" ", "-") if text in VERDICTS else "other"


def rows_of(runs: Sequence[Run], out: Path) -> tuple[Row, ...]:
    """The rows, in the order of the runs. `out`: the page, from which links are relative."""
    return tuple(_row(number, run, out) for number, run in enumerate(runs))


def _row(number: int, run: Run, out: Path) -> Row:
    summary = run.summary
    versions = summary.run.versions
    peaks = peak_figures(summary)
    rates = [item.value for item in peaks if item.unit == RATE_UNIT]
    worst = longest(summary.faults)
    others = [f"{name} {version}" for name, version in versions.items() if name != "seatrial"]
    return Row(
        number=number,
        result=summary.run.result,
        report=None if run.report is None else relative_url(run.report, out),
        study=summary.study.id,
        title=summary.study.title,
        started_unix_s=summary.run.started_unix_s,
        date=date_text(summary.run.started_unix_s),
        profile=summary.run.profile,
        environment=summary.site.environment or UNKNOWN,
        scale=scale_text(summary.site),
        version=versions.get("seatrial", UNKNOWN),
        versions=", ".join(others),
        verdict=_worst(summary.headline.criteria),
        criteria=_counts(summary.headline.criteria),
        waivers=sum(item.number for item in summary.waivers),
        peaks=tuple(map(_peak_text, peaks)),
        highest_mb_per_s=max(rates, default=None),
        faults=_counts(Counter(item.verdict for item in summary.faults)),
        longest_outage=_outage_text(worst),
        longest_outage_s=worst.longest_outage_s if worst is not None else None,
        notes=tuple(_notes(run, summary)),
    )


def _worst(numbers: Mapping[str, int]) -> str:
    """The verdict of all criteria, as the exit code of the run has it."""
    for verdict in WORST_FIRST:
        if numbers.get(verdict):
            return verdict
    return UNKNOWN if any(numbers.values()) else NO_VERDICT


def _counts(numbers: dict[str, int] | Counter[str]) -> tuple[Count, ...]:
    """Only the verdicts that occur, passes first, unknown words last."""
    known_verdicts = [
        Count(verdict, numbers[verdict]) for verdict in VERDICTS if numbers.get(verdict)
    ]
    other_verdicts = [
        Count(verdict, numbers[verdict]) for verdict in sorted(set(numbers) - set(VERDICTS))
    ]
    return (*known_verdicts, *other_verdicts)


def _peak_text(peak: PeakFigure) -> str:
    return f"{peak.title} {significant(peak.value)} {peak.unit}"


def _outage_text(worst: FaultOutcome | None) -> str:
    if worst is None or worst.longest_outage_s is None:
        return ""
    return f"{significant(worst.longest_outage_s)} s ({worst.name})"


def _notes(run: Run, summary: ResultSummary) -> list[str]:
    notes = []
    if not summary.run.is_complete:
        notes.append(summary.run.outcome)
    if run.is_edited:
        notes.append("edited after its run: not compared, and not in the trends")
    if summary.problems:
        notes.append(counted(len(summary.problems), "problem"))
    return notes


def date_text(unix_s: float | None) -> str:
    """The date and the time of day in UTC; empty where it is not known."""
    return "" if unix_s is None else f"{datetime.fromtimestamp(unix_s, UTC):%Y-%m-%d %H:%M} UTC"


def scale_text(site: Site) -> str:
    """`1/40`; empty for 1, which every system of hosts has."""
    return "" if site.scale == 1.0 else ratio(site.scale)


def relative_url(target: Path, out: Path) -> str:
    """The URL of a file, relative to the page: it has no scheme, whatever the name is."""
    path = os.path.relpath(target.resolve(), out.resolve().parent)
    return "./" + quote(os.fsencode(path), safe="/")


def facts(row: Row) -> tuple[tuple[str, str], ...]:
    """The name and the text of each property of a run that a comparison shows."""
    return (
        ("study", row.study),
        ("date", row.date or NONE),
        ("profile", row.profile),
        ("environment", row.environment),
        ("scale", row.scale or "1"),
        ("Seatrial", row.version),
        ("other versions", row.versions or NONE),
        ("verdict", row.verdict),
        ("limitations", ", ".join(row.notes) or NONE),
    )
