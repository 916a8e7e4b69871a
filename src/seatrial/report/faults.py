"""Faults: comparison with the published table, outages, throughput around each fault, and its
timeline.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from seatrial.basics.text import capitalised
from seatrial.basics.units import counted
from seatrial.judge.base import Judgement
from seatrial.judge.controls import judge_control
from seatrial.judge.outages import limit_words
from seatrial.judge.published_faults import recovery_s
from seatrial.report.lab_marks import unit
from seatrial.report.outages import HEIGHT, WIDTH, svg
from seatrial.report.picture import Picture
from seatrial.report.plots import fault_rates, timeline
from seatrial.report.plots.drawing import Key, Sample
from seatrial.report.plots.timeline import Legend, Tick
from seatrial.report.tables import SYMBOLS, Column, Numbered, Numbers, Table
from seatrial.result.faults import DID_NOTHING, FaultResult, StreamResult
from seatrial.result.quantities import Quantity
from seatrial.summary.failover import PARTS, failover_phases, first_answers, phases_words
from seatrial.summary.fault_rates import per_second, quantity_of_stream
from seatrial.summary.notation import NONE, figures, milliseconds, written
from seatrial.summary.processes import share_of_outage
from seatrial.summary.processes import words as process_words
from seatrial.summary.survival import fault_verdict

COLUMNS = (
    Column("fault", head=True),
    Column("published", optional=True),
    Column("expected there", optional=True),
    Column("expected here"),
    Column("outcome"),
    Column("longest outage", "s", number=True),
    Column("as expected here"),
    Column("as published", optional=True),
)
EVENTS = (
    Column("time", "s", number=True),
    Column("after", "s", number=True),
    Column("where", head=True),
    Column("what"),
)
DATA = (Column("who"), Column("what"))
OUTAGES_LISTED = 10
OPEN_MAX = 12
"""at most this many figures of faults are open: the technical report has up to 40 pages"""
ON_PAPER_MAX = 3
"""the technical report has the outages of each stream for at most this many faults"""
NOT_RECOVERED = "not recovered"
"""replaces the length of an outage that did not end"""
FUNCTIONS_MAX = 6
_OF_ALL = (
    *(
        "__switch_to",
        "__schedule",
        "schedule",
        "io_schedule",
        "bit_wait",
        "__wait_on_bit",
        "out_of_line_wait",
    ),
    *(
        "wait_on_bit",
        "do_syscall_64",
        "entry_SYSCALL",
        "x64_sys_call",
        "handle_syscall",
        "userspace",
        "fork_handler",
    ),
)


@dataclass(frozen=True)
class Row:
    """One line of a fault's figure."""

    name: str
    drawn: str
    summary: str
    alternative: str = ""
    """the complete text alternative, where it is longer"""


@dataclass(frozen=True)
class Course(Numbered):
    """One fault: a sentence, its figure and its timeline."""

    name: str
    title: str
    summary: str
    caption: str
    ticks: tuple[Tick, ...]
    legend: Legend
    rates: Picture | None
    """the rate on axes from 0; it comes before this figure"""
    rows: tuple[Row, ...]
    events: Table | None
    data: Table
    """the figure as a table"""
    is_folded: bool = False
    """the page folds it, because it has many faults"""
    is_in_evidence: bool = False
    """on paper, its outages of each stream are in the evidence: they fill a page"""


def open_names(faults: Sequence[FaultResult]) -> tuple[str, ...]:
    """The faults with an open figure on the page: failed and unknown ones, then those with the
    longest outages.
    """
    injected = [fault for fault in faults if fault.skipped is None]

    def order(fault: FaultResult) -> tuple[bool, bool, float]:
        return fault_verdict(fault).verdict == "pass", fault.unrecovered is None, -fault.longest_s

    return tuple(fault.name for fault in sorted(injected, key=order)[:OPEN_MAX])


def _log_words(fault: FaultResult) -> str:
    """The folder of the daemon logs, and the nodes without logs; empty where none were
    collected.
    """
    sentences = []
    if fault.daemon_logs:
        folder = fault.daemon_logs[0].file.rpartition("/")[0]
        files = counted(len(fault.daemon_logs), "file")
        sentences.append(f"Daemon logs of that time: {files} in {folder}.")
    if fault.logs_not_read:
        sentences.append(f"The logs of {', '.join(fault.logs_not_read)} could not be read.")
    return " ".join(sentences)


def table(
    faults: Sequence[FaultResult],
    rows: Sequence[Mapping[str, Any]],
    judgements: Sequence[Judgement],
) -> Table:
    """The published fault table and this run's faults; published rows without a fault come last."""
    printed = {str(row.get("id")): row for row in rows}
    verdicts = {item.claim: item.verdict for item in judgements if item.kind == "published"}
    lines = [_line(fault, printed.get(fault.published or ""), verdicts) for fault in faults]
    repeated = {fault.published for fault in faults}
    lines += [
        (
            NONE,
            f"{identity}: {row.get('failure', '')}",
            _printed(row),
            NONE,
            "not repeated",
            NONE,
            NONE,
            NONE,
        )
        for identity, row in printed.items()
        if identity not in repeated
    ]
    caption = "Faults: the document’s expectation, the study’s expectation, and the outcome."
    note = "Longest outage: of any task of a client that kept power, between two completions."
    return Table(caption, COLUMNS, tuple(lines), note, "cards wordy").slim()


def _line(
    fault: FaultResult, row: Mapping[str, Any] | None, verdicts: Mapping[str, str]
) -> tuple[str, ...]:
    published = verdicts.get(fault.published or "")
    return (
        f"{fault.name}: {fault.title}",
        f"{fault.published}: {row.get('failure', '')}" if row else NONE,
        _printed(row) if row else NONE,
        _expected_words(fault),
        happened(fault),
        NONE if fault.skipped or fault.failed else outage_cell(fault),
        _verdict(fault),
        f"{SYMBOLS.get(published, '')} {published}" if row and published else NONE,
    )


def _expected_words(fault: FaultResult) -> str:
    """The study's expectation as text."""
    if fault.controls:
        return f"negative control: found by {' and '.join(fault.controls)}"
    words = _failover_words(fault.expect.get("fails_over"))
    if fault.expect.get("blocks"):
        words += ", not before it is repaired"
    goal_s = fault.expect.get("outage")
    if goal_s is not None:
        words += f", at most {limit_words(fault, goal_s)}"
    if fault.expect.get("errors"):
        words += f", {' and '.join(fault.expect['errors'])} allowed"
    return words


def _failover_words(fails_over: bool | str | Sequence[str] | None) -> str:
    """Whether the service fails over, as text; `fails_over` as the study gives it."""
    if not fails_over:
        return "the service stays"
    if fails_over == "may":
        return "the service may fail over"
    if isinstance(fails_over, bool | str):
        return "the service fails over"
    return f"{' and '.join(fails_over)} fails over"


def outage_cell(fault: FaultResult) -> str:
    """The longest outage in seconds, for a table; an outage that never ended has no length."""
    if fault.unrecovered is not None:
        return NOT_RECOVERED
    if fault.judged and all(item.did_nothing for item in fault.judged):
        return DID_NOTHING
    return figures(fault.longest_s) if fault.longest_s else "< threshold"


def _printed(row: Mapping[str, Any]) -> str:
    limits = recovery_s(row.get("recovery"))
    tested = "" if row.get("tested", True) else "; not tested there"
    return f"{row.get('expected', '')}{f'; {limits.words}' if limits else ''}{tested}"


def happened(fault: FaultResult) -> str:
    """The outcome in a few words."""
    if fault.skipped is not None:
        return f"skipped: {fault.skipped}"
    if fault.failed is not None:
        return f"could not be completed: {fault.failed}"
    parts = []
    if fault.moved is not None:
        parts.append("the service failed over" if fault.moved else "the service stayed")
    parts.append(f"{', '.join(fault.restarted)} rebooted" if fault.restarted else "")
    wrong = sum(
        item["lost"] + item["wrong"] + item["names_wrong"] for item in fault.compared.values()
    )
    if wrong:
        parts.append(f"{wrong} blocks or directory entries lost or wrong")
    elif fault.compared:
        parts.append("nothing lost")
    parts.append("not compared with the logs" if fault.not_compared else "")
    parts.append(f"clients {NOT_RECOVERED}" if fault.unrecovered else "")
    parts.append("" if fault.recovered_unix_s else "the system was not healthy at the end")
    return ", ".join(part for part in parts if part)


def _verdict(fault: FaultResult) -> str:
    verdict = fault_verdict(fault).verdict
    return f"{SYMBOLS.get(verdict, '')} {verdict}".strip()


# ---- one fault


def course(fault: FaultResult, numbers: Numbers) -> Course | None:
    """The figure and the timeline of one fault; None where nothing was injected."""
    if fault.injected_unix_s is None or fault.started_unix_s is None or fault.ended_unix_s is None:
        return None
    rates = numbers.figure(fault_rates.picture(fault))
    scale = _Scale(fault)
    rows = []
    for item in fault.streams:
        name = f"{item.client} {item.stream}"
        rows.append(Row(name, _bar(item, scale), _outage_text(item), _spans(item, scale)))
    rows += _throughputs(fault, scale)
    parts = failover_phases(fault)
    if parts:
        bars = [_part_bar(scale.block(part.start_s, part.end_s), part.name) for part in parts]
        rows.append(Row("parts", scale.svg("".join(bars)), phases_words(parts)))
    caption = (
        f"{capitalised(fault.title)}. Bars: outages of each stream on each client. "
        "Strips: the rate of each stream in every second, all clients together; strips of the same "
        "unit have the same height. Times from the injection."
    )
    notes = f" {' '.join(fault.notes)}" if fault.notes else ""
    share = share_of_outage(fault)
    notes += f" {process_words(share)}" if share else ""
    if fault.kernel_messages:
        notes += f" Kernel messages of that time: {fault.kernel_messages}."
    outputs = [output for item in fault.actions if (output := item.get("output"))]
    notes += f" Output of the commands of the site: {', '.join(outputs)}." if outputs else ""
    notes += f" {_log_words(fault)}" if fault.daemon_logs or fault.logs_not_read else ""
    control = f" A negative control: {judge_control(fault).evidence}." if fault.controls else ""
    return Course(
        fault.name,
        fault.title,
        f"{capitalised(happened(fault))}.{control}{notes}",
        caption,
        scale.ticks,
        timeline.legend(tuple(_keys(bool(rates), [name for name, _, _ in parts]))),
        rates,
        tuple(rows),
        numbers.table(events(fault)),
        Table(
            "",
            DATA,
            tuple((row.name, row.alternative or row.summary) for row in rows),
            css="pairs two",
        ),
    )


def _part_bar(path: str, name: str) -> str:
    return f'<path d="{path}" class="{_part_css(name)}"/>'


def _part_css(name: str) -> str:
    """The colour of a part, as in the figure of all faults."""
    return f"fill-{PARTS.index(name) + 1}"


def _keys(has_rates: bool, parts: Sequence[str]) -> Iterator[Key]:
    """The legend of a fault's figure."""
    yield Key("no task got an answer", "whole", Sample.BLOCK)
    yield Key("some tasks got no answer", "some", Sample.BLOCK)
    if has_rates:
        yield Key("rate in a second", "rate", Sample.BLOCK)
    yield Key("injection to end of repair", "held", Sample.BLOCK)
    for name in parts:
        yield Key(name, _part_css(name), Sample.BLOCK)


class _Scale:
    """Maps Unix time to the width of a drawing."""

    def __init__(self, fault: FaultResult) -> None:
        self.zero_s = fault.injected_unix_s or 0.0
        self.start_s = fault.started_unix_s or self.zero_s
        self.end_s = max(fault.ended_unix_s or self.zero_s, self.start_s + 1e-3)
        self.repaired_s = fault.repaired_unix_s or self.end_s
        self.ticks = timeline.time_ticks(self.start_s - self.zero_s, self.end_s - self.zero_s)

    def x(self, unix_s: float) -> float:
        """The x coordinate of a time, limited to the drawing."""
        share = (unix_s - self.start_s) / (self.end_s - self.start_s)
        return WIDTH * min(max(share, 0.0), 1.0)

    def svg(self, inside: str) -> str:
        """A drawing with the fault shaded."""
        left = self.x(self.zero_s)
        right = self.x(self.repaired_s)
        shaded = f'<path d="M{left:.1f} 0H{right:.1f}V{HEIGHT}H{left:.1f}z" class="held"/>'
        return svg(inside, shaded + timeline.grid(self.ticks, WIDTH, HEIGHT))

    def block(self, start_s: float, end_s: float, height: float = HEIGHT) -> str:
        """The path of a block from one time to another, from the base line up."""
        return f"M{self.x(start_s):.1f} {HEIGHT}v{-height:.1f}H{self.x(end_s):.1f}V{HEIGHT}z"


def _bar(item: StreamResult, scale: _Scale) -> str:
    paths = {"some": "", "whole": ""}
    for outage in item.outages:
        css = "whole" if outage.is_of_whole_client else "some"
        paths[css] += scale.block(outage.start_unix_s, outage.end_unix_s)
    return scale.svg("".join(f'<path d="{path}" class="{css}"/>' for css, path in paths.items()))


def _spans(item: StreamResult, scale: _Scale) -> str:
    """The outages, in seconds from the injection; at most the longest ones."""
    whole = {
        (outage.start_unix_s, outage.end_unix_s)
        for outage in item.outages
        if outage.is_of_whole_client
    }
    # A client with one task has each outage twice.
    outages = [
        outage
        for outage in item.outages
        if outage.is_of_whole_client or (outage.start_unix_s, outage.end_unix_s) not in whole
    ]
    longest = sorted(outages, key=lambda outage: outage.length_s, reverse=True)[:OUTAGES_LISTED]
    spans = []
    for outage in sorted(longest, key=lambda outage: outage.start_unix_s):
        who = "all tasks" if outage.is_of_whole_client else f"task {outage.task}"
        from_s = outage.start_unix_s - scale.zero_s
        to_s = outage.end_unix_s - scale.zero_s
        without_end = ", without an end" if outage.open else ""
        spans.append(f"{who} {from_s:.1f} to {to_s:.1f} s{without_end}")
    more = len(outages) - len(spans)
    spans += [f"{more} shorter"] if more else []
    return f"{_outage_text(item)}{': ' if spans else ''}{'; '.join(spans)}"


def _outage_text(item: StreamResult) -> str:
    if item.lost_power:
        return "lost its own power"
    if item.lost is not None:
        return item.lost
    if item.did_nothing:
        return DID_NOTHING
    if item.longest is None:
        return "no outage"
    if item.is_unrecovered:
        return f"{NOT_RECOVERED}: no answer for the last {figures(item.longest.length_s)} s"
    return f"longest {figures(item.longest.length_s)} s"


def _throughputs(fault: FaultResult, scale: _Scale) -> Iterator[Row]:
    """One strip per stream; strips of the same unit have the same height."""
    strips: dict[str, tuple[Quantity, list[float]]] = {}
    tops: dict[str, float] = {}
    for stream in dict.fromkeys(item.stream for item in fault.streams):
        items = [item for item in fault.streams if item.stream == stream]
        quantity = quantity_of_stream(items[0])
        sums = per_second(items, scale.start_s, quantity)
        strips[stream] = (quantity, sums)
        tops[quantity.name] = max([tops.get(quantity.name, 0.0), *sums])
    for stream, (quantity, sums) in strips.items():
        height_of_one = HEIGHT / (tops[quantity.name] or 1.0)
        blocks = "".join(
            scale.block(scale.start_s + second, scale.start_s + second + 0.9, height_of_one * value)
            for second, value in enumerate(sums)
            if value
        )
        drawn = scale.svg(f'<path d="{blocks}" class="rate"/>')
        unit_words = unit(quantity, in_lab=fault.in_lab)
        highest = f"highest second {written(quantity, max(sums, default=0.0))} {unit_words}"
        yield Row(stream, drawn, highest, f"{_before_words(quantity, sums, scale)}{highest}")


def _before_words(quantity: Quantity, sums: Sequence[float], scale: _Scale) -> str:
    """The mean of the whole seconds before the injection; empty where there is none."""
    before = sums[: int(scale.zero_s - scale.start_s)]
    return f"mean before the injection {written(quantity, fmean(before))}; " if before else ""


# ---- the timeline


def _waits(fault: FaultResult) -> Iterator[tuple[float, str, str]]:
    """Where in its kernel the stream with the longest outage waited; each place once per thread."""
    longest = fault.longest
    if longest is None:
        return
    before: dict[str, str] = {}
    for item in longest.waits:
        # Only the innermost functions are informative, not those of any wait or system call.
        functions = [name for name in item["functions"] if not name.startswith(_OF_ALL)]
        place = " < ".join(functions[:FUNCTIONS_MAX]) or "its kernel"
        thread = str(item["thread"])
        if place != before.get(thread):
            text = f"{longest.stream}: {thread} waits in {place}"
            yield float(item["unix_s"]), longest.client, text
        before[thread] = place


def events(fault: FaultResult) -> Table:
    """Every event with a known time, in order of time, each with its source."""
    zero_s = fault.injected_unix_s or 0.0
    rows = [
        (float(item["started_unix_s"]), "Seatrial", str(item["what"])) for item in fault.actions
    ]
    rows += [
        (float(item["unix_s"]), str(item["node"]), f"{item['what']}: {item['text']}")
        for item in fault.moments
    ]
    rows += [
        (float(item["unix_s"]), str(item["node"]), f"power {item['what']}, by {item['by']}")
        for item in fault.power
    ]
    rows += [
        (unix_s, item.client, f"{item.stream}: first completion")
        for item, unix_s in first_answers(fault)
    ]
    rows += list(_waits(fault))
    if fault.recovered_unix_s is not None:
        healthy = "every stream gets answers, and the system is healthy"
        rows.append((fault.recovered_unix_s, "all", healthy))
    rows.sort()
    lines = []
    before_s = zero_s
    for unix_s, where, what in rows:
        lines.append((f"{unix_s - zero_s:.1f}", f"{unix_s - before_s:.1f}", where, what))
        before_s = unix_s
    error_ms = milliseconds(fault.clock_error_s, 2)
    note = (
        "Each event has the time of its node, corrected by the offset of that clock; the clients’"
        f" clocks agree within {error_ms} ms."
    )
    caption = f"{fault.name}: events, from the injection."
    return Table(caption, EVENTS, tuple(lines), note, "pairs")
