"""The results of each experiment: its figure, its table, its seconds, and what went wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.record import PhaseResult, Record
from seatrial.report import strips
from seatrial.report.built import Built
from seatrial.report.charts import caption_of, chart_of, published_values
from seatrial.report.figures import throughput
from seatrial.report.series import Measured, measured, point_name
from seatrial.report.tables import Table, mega, percent, results, size, troubles
from seatrial.study import Experiment, Study
from seatrial.workload import Workload


class Numbers:
    """Counts figures and tables in the order in which they are asked for."""

    def __init__(self) -> None:
        self._figures = 0
        self._tables = 0

    def figure(self) -> str:
        """`Figure 1`, `Figure 2`, ..."""
        self._figures += 1
        return f"Figure {self._figures}"

    def table(self) -> str:
        """`Table 1`, `Table 2`, ..."""
        self._tables += 1
        return f"Table {self._tables}"


@dataclass(frozen=True)
class Picture:
    """A numbered figure in two widths."""

    label: str
    title: str
    caption: str
    wide: str
    narrow: str
    described: str
    """the figure in words, for those who cannot see it"""


@dataclass(frozen=True)
class Strips:
    """The seconds of every phase: a table of small pictures."""

    label: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Section:
    """One experiment."""

    name: str
    title: str
    number: str
    workload: str
    failures: tuple[str, ...]
    picture: Picture | None
    table: Table | None
    strips: Strips | None
    troubles: tuple[str, ...]


@dataclass(frozen=True)
class Sources:
    """What sections are made from."""

    record: Record
    phases: Sequence[PhaseResult]
    study: Study | None
    published: Mapping[str, Any]
    system: Built | None


def sections(sources: Sources, numbers: Numbers) -> list[Section]:
    """Every experiment that the record names, in the order of the run."""
    record = sources.record
    lines = {str(line.get("name")): line for line in record.of("experiment")}
    failed = [str(line.get("name")) for line in record.of("experiment-failed")]
    names = dict.fromkeys([*lines, *(phase.experiment for phase in sources.phases), *failed])
    return [_section(name, lines.get(name, {}), sources, numbers) for name in names]


def experiment_of(sources: Sources, name: str) -> Experiment | None:
    """The study's experiment in the form that was run."""
    form = sources.record.first("run").get("form", "full")
    if sources.study is None or form not in ("quick", "trial", "full"):
        return None
    return sources.study.experiments_in(form).get(name) or sources.study.experiments.get(name)


def _section(name: str, line: Mapping[str, Any], sources: Sources, numbers: Numbers) -> Section:
    points = measured(phase for phase in sources.phases if phase.experiment == name)
    experiment = experiment_of(sources, name)
    failures = [
        str(item.get("reason") or "no reason given")
        for item in sources.record.of("experiment-failed")
        if item.get("name") == name
    ]
    figure = experiment.figure if experiment else None
    title = str(line.get("title") or (experiment and experiment.title) or name)
    return Section(
        name=name,
        title=title,
        number=(figure.number or "") if figure else "",
        workload=in_words(experiment.workload, experiment) if experiment else "",
        failures=tuple(failures),
        picture=_picture(name, title, points, sources, numbers),
        table=results(numbers.table(), f"{title}: every point.", points, TABLE_NOTE) if points else None,
        strips=_strips(title, points, numbers),
        troubles=tuple(troubles(points)),
    )


TABLE_NOTE = (
    "A row rests on its usable repeats: finished by every client and not lab-limited; where all were lab-limited it "
    "rests on those, is set in italics, and no claim may use it. Rates, fairness and busy shares are means, ± s is the "
    "sample standard deviation. First and last done: times of the fastest and the slowest task. Latency of one "
    "operation: median of the clients’ medians, the worst client’s 99th percentile, the worst maximum. Fairness is "
    "Jain’s index of the tasks’ rates (1: all equal)."
)


def in_words(workload: Workload, experiment: Experiment) -> str:
    """A workload as a sentence."""
    many = "one task" if workload.tasks == 1 else f"{workload.tasks} tasks"
    timed = {"none": "no fsync", "file": "one fsync a file", "record": "an fsync a record"}[workload.fsync]
    told = [
        f"{workload.pattern} {workload.layout.upper()} transfers of {size(workload.record)} records",
        f"{many} a client with a file of {size(workload.file)} each",
        f"{timed}{' and the close' if workload.close_in_timing else ''} inside the timing",
    ]
    if workload.direct:
        told.append("O_DIRECT")
    if "read" in workload.phases:
        told.append(f"each client reads {'its own' if workload.read == 'own' else 'its neighbour’s'} file")
        told.append("every block read is verified" if workload.verify else "blocks are not verified")
        told.append(f"caches {'are' if experiment.empty_caches else 'are not'} emptied before each read")
    text = "; ".join(told)
    return f"{text[0].upper()}{text[1:]}."


def _picture(name: str, title: str, points: Sequence[Measured], sources: Sources, numbers: Numbers) -> Picture | None:
    experiment = experiment_of(sources, name)
    drawn = experiment.figure if experiment else None
    published = published_values(sources.published, drawn.number if drawn else None, sources.system)
    chart = chart_of(points, drawn, sources.system, published)
    if chart is None:
        return None
    label = numbers.figure()
    key = label.lower().replace(" ", "-")
    document = str(sources.published.get("title") or sources.published.get("id") or "the published document")
    described = "; ".join(
        f"{item.phase} at {point_name(item.point)}: {mega(item.mean_bytes_per_s)} MB/s" for item in points
    )
    return Picture(
        label=label,
        title=title,
        caption=" ".join(caption_of(points, sources.system, published, document)),
        wide=throughput(chart, f"{key}-w"),
        narrow=throughput(chart, f"{key}-n", narrow=True),
        described=described,
    )


def _strips(title: str, points: Sequence[Measured], numbers: Numbers) -> Strips | None:
    longest, tops = strips.scale_of(points)
    if not longest:
        return None
    columns = [
        (phase, repeat)
        for phase in dict.fromkeys(item.phase for item in points)
        for repeat in sorted({result.repeat for item in points for result in item.repeats})
    ]
    rows: dict[str, dict[tuple[str, int], str]] = {}
    for item in points:
        for result in item.repeats:
            row = rows.setdefault(point_name(item.point), {})
            css = "bar-1" if item.phase == columns[0][0] else "bar-2"
            row[item.phase, result.repeat] = strips.strip(strips.per_second(result), longest, tops[item.phase], css)
    return Strips(
        label=numbers.figure(),
        caption=f"{title}: throughput of all clients in every second; {strips.scale_text(longest, tops)}. "
        "A write counts when its call returns, which may be in the client’s own memory; the flush that follows is "
        "inside the timing but moves no further bytes here.",
        columns=tuple(f"{phase}, repeat {repeat}" for phase, repeat in columns),
        rows=tuple((name, tuple(row.get(column, "") for column in columns)) for name, row in rows.items()),
    )


def at_a_glance(sections_points: Sequence[tuple[str, Sequence[Measured]]]) -> list[str]:
    """One sentence for each experiment: the best usable point of each phase, or that there is none."""
    told = []
    for title, points in sections_points:
        usable = [item for item in points if item.usable]
        if not points:
            told.append(f"{title}: nothing was measured.")
        elif not usable:
            told.append(f"{title}: every point was limited by the lab machine; no claim may rest on it.")
        else:
            told.append(f"{title}: {_best(usable)}; usable points: {len(usable)} of {len(points)}.")
    return told


def _best(usable: Sequence[Measured]) -> str:
    words = []
    for phase in dict.fromkeys(item.phase for item in usable):
        best = max((item for item in usable if item.phase == phase), key=lambda item: item.mean_bytes_per_s or 0.0)
        bound = best.first_of("bound_bytes_per_s")
        share = f" ({percent((best.mean_bytes_per_s or 0) / bound)} of its bound)" if bound else ""
        words.append(f"{phase} reaches {mega(best.mean_bytes_per_s)} MB/s{share} at {point_name(best.point)}")
    return ", ".join(words)
