"""The results of each experiment: its figure, its table, its seconds, and what went wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.quantities import RATE
from seatrial.record import PhaseResult, Record
from seatrial.report import strips
from seatrial.report.built import Built
from seatrial.report.charts import caption_of, chart_of, described, published_values
from seatrial.report.figures import throughput
from seatrial.report.series import Measured, measured, point_name
from seatrial.report.tables import Table, percent, results, troubles, written
from seatrial.report.words import in_words
from seatrial.study import Experiment, Figure, Study


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
    pictures: tuple[Picture, ...]
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
    points = points_of(sources, name)
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
        number=", ".join(_numbers(figure)),
        workload=in_words(experiment.workload, experiment) if experiment else "",
        failures=tuple(failures),
        pictures=tuple(_pictures(name, title, points, sources, numbers)),
        table=results(numbers.table(), f"{title}: every point.", points, TABLE_NOTE) if points else None,
        strips=_strips(title, points, numbers),
        troubles=tuple(troubles(points)),
    )


def points_of(sources: Sources, name: str) -> list[Measured]:
    """An experiment's points, in the quantity that its figure asks for."""
    experiment = experiment_of(sources, name)
    asked = experiment.figure.y if experiment and experiment.figure else None
    return measured((phase for phase in sources.phases if phase.experiment == name), asked)


def _numbers(figure: Figure | None) -> list[str]:
    if figure is None or figure.number is None:
        return []
    return list(figure.number.values()) if isinstance(figure.number, dict) else [figure.number]


TABLE_NOTE = (
    "A row rests on its usable repeats: finished by every client and not lab-limited; where all were lab-limited it "
    "rests on those, is set in italics, and no claim may use it. Rates, fairness and busy shares are means, ± s is the "
    "sample standard deviation. First and last done: times of the fastest and the slowest task. Latency of one "
    "operation: from the merged histograms of all clients, the worst of the repeats. Fairness is "
    "Jain’s index of the tasks’ rates (1: all equal)."
)


def _pictures(
    name: str, title: str, points: Sequence[Measured], sources: Sources, numbers: Numbers
) -> Iterator[Picture]:
    """One figure, or one for each phase where the study names one for each or phases differ in their quantity."""
    experiment = experiment_of(sources, name)
    drawn = experiment.figure if experiment else None
    groups: list[tuple[str, str | None, Sequence[Measured]]] = [(title, None, points)]
    if (drawn and isinstance(drawn.number, dict)) or len({item.quantity for item in points}) > 1:
        phases = dict.fromkeys(item.phase for item in points)
        groups = [(f"{title}: {phase}", phase, [item for item in points if item.phase == phase]) for phase in phases]
    for words, phase, group in groups:
        picture = _picture(experiment, words, group, phase, sources)
        if picture:
            label = numbers.figure()
            key = label.lower().replace(" ", "-")
            yield replace(
                picture, label=label, wide=picture.wide.replace(KEY, key), narrow=picture.narrow.replace(KEY, key)
            )


KEY = "figure-key"
"""stands in the ids of a figure until it has its number"""


def _picture(
    experiment: Experiment | None, title: str, points: Sequence[Measured], phase: str | None, sources: Sources
) -> Picture | None:
    drawn = experiment.figure if experiment else None
    number = drawn.number_of(phase) if drawn else None
    local = bool(experiment and experiment.workload.local)
    published = published_values(sources.published, number, sources.system)
    chart = chart_of(points, drawn, sources.system, published, local=local)
    if chart is None:
        return None
    document = str(sources.published.get("title") or sources.published.get("id") or "the published document")
    return Picture(
        label="",
        title=title,
        caption=" ".join(
            caption_of(
                points,
                sources.system,
                published,
                document,
                linked=chart.link_bytes_per_s is not None,
                base=chart.base,
            )
        ),
        wide=throughput(chart, f"{KEY}-w"),
        narrow=throughput(chart, f"{KEY}-n", narrow=True),
        described=described(chart),
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
        best = max((item for item in usable if item.phase == phase), key=lambda item: item.mean or 0.0)
        bound = best.first_of("bound_bytes_per_s") if best.quantity is RATE else None
        share = f" ({percent((best.mean or 0) / bound)} of its bound)" if bound else ""
        value = f"{written(best.quantity, best.mean)} {best.quantity.unit}"
        words.append(f"{phase} reaches {value}{share} at {point_name(best.point)}")
    return ", ".join(words)
