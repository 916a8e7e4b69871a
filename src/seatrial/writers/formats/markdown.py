"""`markdown`: a summary for a pull request or a wiki: headline, criteria, faults and figures."""

from collections.abc import Iterable, Iterator, Sequence

from seatrial.basics.units import format_rate, significant
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.study.points import point_text
from seatrial.summary.fault_results import FaultOutcome, OutageState
from seatrial.summary.notation import NONE
from seatrial.summary.point_results import Mean, Point
from seatrial.summary.results import Criterion, ResultSummary

TITLE = "headline, criteria, faults and figures, for a pull request"
EVIDENCE_MAX = 300
"""letters of an evidence text in a table"""
SYMBOLS = {
    "pass": "✅",
    PASS_WITH_WAIVERS: "☑️",
    "fail": "❌",
    "unknown": "❔",
    "skipped": "⏭️",
}


def write(summary: ResultSummary) -> str:
    """GitHub Flavored Markdown; text of the study and the result is escaped."""
    parts = [*_head(summary), *_criteria(summary), *_faults(summary), *_points(summary)]
    parts += _recommendations(summary)
    return "\n".join(parts).rstrip("\n") + "\n"


def _head(summary: ResultSummary) -> Iterator[str]:
    headline = summary.headline
    verdict = headline.verdict
    mark = f"{SYMBOLS.get(verdict, '')} {verdict}: " if verdict else ""
    lead = f"{headline.lead}: " if headline.lead else ""
    yield f"## {escaped(summary.study.title)}"
    yield ""
    yield f"**{mark}{escaped(lead + headline.answer)}**"
    yield ""
    if headline.more:
        yield from (escaped(headline.more), "")
    for figure in headline.key_figures:
        yield f"- **{escaped(figure.value)}** {escaped(figure.meaning)}"
    if headline.key_figures:
        yield ""
    run = summary.run
    facts = [f"study {summary.study.id}", f"profile {run.profile}", run.outcome]
    facts += [f"Seatrial {run.versions['seatrial']}"] if "seatrial" in run.versions else []
    facts += [summary.coverage.words] if summary.coverage.words else []
    yield escaped(", ".join(facts)) + "."
    yield ""


def _criteria(summary: ResultSummary) -> Iterator[str]:
    if summary.criteria:
        yield "### Acceptance criteria"
        yield ""
        rows = map(_criterion, summary.criteria)
        yield from _table(("criterion", "verdict", "evidence"), rows)


def _criterion(item: Criterion) -> tuple[str, ...]:
    waived = sum(waiver.number for waiver in item.waivers)
    note = f" ({waived} findings waived)" if waived else ""
    return (f"{item.id}: {item.statement}", f"{_verdict(item.verdict)}{note}", item.evidence)


def _faults(summary: ResultSummary) -> Iterator[str]:
    if summary.faults:
        yield "### Faults"
        yield ""
        rows = map(_fault, summary.faults)
        yield from _table(("fault", "verdict", "longest outage", "limit", "evidence"), rows)


def _fault(item: FaultOutcome) -> tuple[str, ...]:
    limit = NONE if item.outage_limit_s is None else f"{item.outage_limit_s:.1f} s"
    control = " (negative control)" if item.is_control else ""
    name = f"{item.name}: {item.title}{control}"
    return (name, _verdict(item.verdict), _outage(item), limit, item.evidence)


def _outage(item: FaultOutcome) -> str:
    if item.longest_outage_s is not None:
        return f"{item.longest_outage_s:.1f} s"
    words = {
        OutageState.NONE: "below the threshold",
        OutageState.NOT_RECOVERED: "not recovered",
        OutageState.NO_LOAD: "no load",
    }
    return words.get(item.outage_state, NONE)


def _points(summary: ResultSummary) -> Iterator[str]:
    if summary.points:
        yield "### Figures"
        yield ""
        titles = ("point", "phase", "throughput", "95 % interval", "operations/s", "p99", "flags")
        yield from _table(titles, map(_point, summary.points))


def _point(item: Point) -> tuple[str, ...]:
    rate = item.rate_bytes_per_s
    operations = item.operations_per_s
    latency = item.latency
    p99 = NONE if latency is None or latency.p99_ms is None else f"{significant(latency.p99_ms)} ms"
    names = (item.experiment, item.variant, point_text(item.values))
    return (
        " ".join(name for name in names if name),
        item.phase,
        NONE if rate is None else format_rate(rate.mean),
        _interval(rate),
        NONE if operations is None else significant(operations.mean),
        p99,
        ", ".join(item.flags) or NONE,
    )


def _interval(mean: Mean | None) -> str:
    if mean is None or mean.low is None or mean.high is None:
        return NONE
    return f"{format_rate(mean.low)} to {format_rate(mean.high)}"


def _recommendations(summary: ResultSummary) -> Iterator[str]:
    if summary.recommendations:
        yield "### Recommendations"
        yield ""
        for item in summary.recommendations:
            yield f"- {escaped(shortened(item.what))} ({escaped(shortened(item.why))})"
        yield ""


def _verdict(verdict: str) -> str:
    return f"{SYMBOLS.get(verdict, '')} {verdict}".strip()


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for row in rows:
        yield f"| {' | '.join(escaped(shortened(cell)) for cell in row)} |"
    yield ""


def shortened(text: str) -> str:
    """The text, cut at a blank where it is longer than a table can show."""
    if len(text) <= EVIDENCE_MAX:
        return text
    return f"{text[:EVIDENCE_MAX].rsplit(' ', 1)[0]} …"


def escaped(text: str) -> str:
    """The text without a character that Markdown or HTML would interpret, on one line."""
    one_line = " ".join(text.split())
    for character in "\\`*_[]|~#":
        one_line = one_line.replace(character, f"\\{character}")
    return one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
