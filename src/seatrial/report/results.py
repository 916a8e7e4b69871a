"""The results of each experiment: figures, tables, seconds and problems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.basics.units import counted
from seatrial.judge.published import published_experiment, published_rows
from seatrial.report import (
    copies,
    laws,
    machines,
    mount_counters,
    outages,
    rows,
    saturation_search,
    seconds,
)
from seatrial.report.charts import caption_of, chart_of, described, published_values, values
from seatrial.report.figures import throughput
from seatrial.report.lab_marks import unit
from seatrial.report.picture import Picture
from seatrial.report.plots import client_spread, latencies, variant_bars
from seatrial.report.points import how_measured, results, troubles
from seatrial.report.seconds import Strips
from seatrial.report.tables import Numbered, Numbers, Table
from seatrial.report.words import in_words
from seatrial.result.phases import doubts_of
from seatrial.result.quantities import RATE
from seatrial.result.result import Result
from seatrial.study.experiment import VARIANT, Experiment
from seatrial.study.workload import OUTAGE_THRESHOLD_S
from seatrial.summary.latency_results import LatencyDistribution, latency_distributions
from seatrial.summary.names import point_name
from seatrial.summary.notation import figures, percent, written
from seatrial.summary.points import Measured, best_of_phases
from seatrial.summary.sources import MeasuredExperiment, Sources, experiment_of, points_of


@dataclass(frozen=True)
class Outages(Numbered):
    """The outages of an experiment: a sentence, and bars where there were any."""

    summary: str
    caption: str = ""
    bars: tuple[outages.Bars, ...] = ()


@dataclass(frozen=True)
class Fold:
    """Folded content."""

    summary: str
    table: Table | None = None
    strips: Strips | None = None


@dataclass(frozen=True)
class Section:
    """One experiment."""

    name: str
    title: str
    number: str
    workload: str
    failure: str | None
    pictures: tuple[Picture, ...]
    tables: tuple[Table, ...]
    outages: Outages | None
    strips: Strips | None
    folds: tuple[Fold, ...]
    troubles: tuple[str, ...]
    tabled: bool = False
    """has variants, which are shown in a table and not in a figure"""


def sections(sources: Sources, numbers: Numbers) -> list[Section]:
    """Every experiment of the result, in the order of the run."""
    return _notes_once([_section(item, sources, numbers) for item in sources.experiments])


def _notes_once(of_report: Sequence[Section]) -> list[Section]:
    """Keep each note under the first table that has it; later tables refer to that table."""
    first: dict[str, str] = {}

    def once(table: Table) -> Table:
        label = first.setdefault(table.note, table.label)
        again = table.note and label != table.label
        return replace(table, note=f"Columns and rules as in {label}.") if again else table

    return [
        replace(
            section,
            tables=tuple(map(once, section.tables)),
            folds=tuple(
                replace(fold, table=once(fold.table)) if fold.table else fold
                for fold in section.folds
            ),
        )
        for section in of_report
    ]


def _section(measured: MeasuredExperiment, sources: Sources, numbers: Numbers) -> Section:
    name = measured.name
    title = measured.title
    points = measured.points
    distributions = latency_distributions(points)
    experiment = experiment_of(sources, name)
    if experiment and sources.system and sources.system.keeps_caches:
        experiment = experiment.replaced(empty_caches=False)
    searched = [
        line for line in sources.result.of("saturation-search") if line["experiment"] == name
    ]
    counters = [line for line in sources.result.of("mount-counters") if line["experiment"] == name]
    in_lab = any(item.in_lab for item in points)
    most = max((len(repeat.clients) for item in points for repeat in item.repeats), default=None)
    number = experiment.figure.number if experiment and experiment.figure else None
    return Section(
        name=name,
        title=title,
        number=", ".join(number.values()) if isinstance(number, dict) else number or "",
        workload=in_words(experiment.workload, experiment, most) if experiment else "",
        failure=sources.result.failed_experiments.get(name),
        pictures=(
            *_pictures(name, title, points, sources, numbers),
            *_numbered(
                numbers,
                variant_bars.picture(sources, name),
                latencies.picture(distributions),
                client_spread.picture(points),
            ),
        ),
        tables=numbers.tables(
            *_row_tables(name, sources),
            saturation_search.table(searched, in_lab=in_lab),
            saturation_search.tries(searched, in_lab=in_lab),
            *_tables(points, distributions, experiment),
        ),
        outages=_outages(points, experiment, numbers),
        strips=numbers.figure(seconds.throughput(points)),
        folds=tuple(_folds(points, numbers, experiment, counters)),
        troubles=(*troubles(points), *_wide(name, sources.result)),
        tabled=bool(experiment and experiment.variants and points),
    )


def _row_tables(name: str, sources: Sources) -> Iterator[Table | None]:
    """The tables of variants; after the last experiment that one needs, the tables by file size."""
    experiment = experiment_of(sources, name)
    if experiment is None or not experiment.variants or sources.study is None:
        return
    printed = published_rows(sources.published, experiment.table)
    points = points_of(sources, name)
    left_out = [
        line for line in sources.result.of("variant-skipped") if line.get("experiment") == name
    ]
    skipped = {str(line.get("variant")): str(line.get("reason")) for line in left_out}
    yield rows.table(rows.Rows(experiment, points, skipped, printed))
    # Each variant that repeats a published table by clients, compared with it.
    for of_row, row in experiment.variants.items():
        of_variant = [
            item for item in points if item.point.get(VARIANT) == of_row and "clients" in item.point
        ]
        by_clients = rows.printed_by_clients(sources.published, row.table)
        if of_variant and row.table and by_clients:
            yield rows.sweep_table(of_row, row.table, rows.Sweep(of_variant, by_clients))
    for number, size_table in sources.study.size_tables.items():
        if name != list(size_table.columns.values())[-1].experiment:
            continue
        columns = {}
        for column, source in size_table.columns.items():
            variants = rows.Rows(experiment, points_of(sources, source.experiment), {}, {})
            columns[column] = variants.point(size_table.phase, source.variant)
        printed_sizes = published_experiment(sources.published, number)
        title = f"{size_table.title}, compared with the published table {number}"
        yield rows.sizes_table(rows.Sizes(title, columns, printed_sizes))


def _wide(name: str, result: Result) -> Iterator[str]:
    """The points with less precise means than the study requires."""
    repeats = "the maximum number of repeats was reached"
    time = "the time limit was reached"
    why = {"at_most": repeats, "within": time}
    for line in result.of("repeats"):
        if line["experiment"] == name and line["reason"] in why:
            width = (
                "is not known"
                if line["half_width"] is None
                else f"is still ± {percent(line['half_width'])}"
            )
            where = point_name(line["point"]) or "its point"
            yield (
                f"{where}: after {counted(line['repeats'], 'repeat')} the 95 % interval {width};"
                f" {why[line['reason']]}"
            )


def _tables(
    points: Sequence[Measured],
    distributions: Sequence[LatencyDistribution],
    experiment: Experiment | None,
) -> Iterator[Table | None]:
    if points:
        yield results("Every point.", points)
        yield latencies.table("Percentiles of the latencies.", distributions)
        yield laws.scaling("How it scales with clients.", points)
        yield laws.balance("Headroom by layer.", points)
        yield laws.shortfall("Effect of more servers.", points, experiment)
    if not (experiment and experiment.variants):
        yield _copied(points)


def _copied(points: Sequence[Measured]) -> Table:
    return copies.table("Time of one file, by its size.", points)


def _outages(
    points: Sequence[Measured], experiment: Experiment | None, numbers: Numbers
) -> Outages | None:
    # Only newer results contain outages; there, some client names its engine.
    if not any(
        client.engine for item in points for repeat in item.repeats for client in repeat.clients
    ):
        return None
    phases_with_outages = outages.outages(points)
    if not any(
        client.operations for item in points for repeat in item.repeats for client in repeat.clients
    ):
        return Outages("No client did anything, so outages are unknown.")
    threshold_s = (
        (experiment.workload.outage_threshold or OUTAGE_THRESHOLD_S) if experiment else None
    )
    sentence = outages.in_words(phases_with_outages, threshold_s)
    if not phases_with_outages:
        return Outages(sentence)
    caption = f"Outages. {outages.caption(phases_with_outages)}"
    return numbers.figure(Outages(sentence, caption, tuple(outages.bars(phases_with_outages))))


def _folds(
    points: Sequence[Measured],
    numbers: Numbers,
    experiment: Experiment | None,
    counters: Sequence[Mapping[str, Any]],
) -> list[Fold]:
    """The folds that have content, in the order in which they are shown.

    `counters`: the lines on the clients' mounts.
    """
    if not points:
        return []
    of_rows = bool(experiment and experiment.variants)  # then that table is long
    folds = (
        Fold("Time of one file, by its size", numbers.table(_copied(points)) if of_rows else None),
        Fold("Outages one by one", numbers.table(outages.listed(outages.outages(points)))),
        Fold("Latency in every second", strips=numbers.figure(seconds.latency(points))),
        Fold("Clients", numbers.table(machines.clients_table("Every client.", points))),
        Fold("Servers", numbers.table(machines.servers_table("The servers.", points))),
        Fold("Mounts", numbers.table(mount_counters.table("The mounts.", counters))),
        Fold("How it was measured", numbers.table(how_measured("How it was measured.", points))),
    )
    return [fold for fold in folds if fold.table or fold.strips]


def _pictures(
    name: str, title: str, points: Sequence[Measured], sources: Sources, numbers: Numbers
) -> Iterator[Picture]:
    """One figure, or one per phase where the study sets it or the phases differ in quantity."""
    experiment = experiment_of(sources, name)
    if experiment is not None and experiment.variants and experiment.figure is None:
        return  # Variants have no order for a line; the table of variants shows them.
    drawn = experiment.figure if experiment else None
    groups: list[tuple[str | None, Sequence[Measured]]] = [(None, points)]
    if (drawn and isinstance(drawn.number, dict)) or len({item.quantity for item in points}) > 1:
        phases = dict.fromkeys(item.phase for item in points)
        groups = [(phase, [item for item in points if item.phase == phase]) for phase in phases]
    for phase, group in groups:
        picture = numbers.figure(_picture(experiment, title, group, phase, sources))
        if picture:
            key = picture.label.lower().replace(" ", "-")
            yield replace(
                picture,
                wide=picture.wide.replace(KEY, key),
                narrow=picture.narrow.replace(KEY, key),
            )


def _numbered(numbers: Numbers, *pictures: Picture | None) -> Iterator[Picture]:
    """The figures that exist, with their numbers."""
    for picture in map(numbers.figure, pictures):
        if picture:
            yield picture


KEY = "figure-key"
"""placeholder in the ids of a figure until it has its number"""


def _picture(
    experiment: Experiment | None,
    title: str,
    points: Sequence[Measured],
    phase: str | None,
    sources: Sources,
) -> Picture | None:
    drawn = experiment.figure if experiment else None
    number = drawn.number_of(phase) if drawn else None
    local = bool(experiment and experiment.workload.local)
    published = published_values(sources.published, number, sources.system)
    chart = chart_of(points, drawn, sources.system, published, local=local)
    if chart is None:
        return None
    whole_title = f"{title}: {phase}" if phase else title
    alternative = f"{whole_title}. {described(chart)}"
    document = str(
        sources.published.get("title") or sources.published.get("id") or "the published document"
    )
    return Picture(
        title=phase or "",
        caption=" ".join(caption_of(points, chart, sources.system, published, document)),
        wide=throughput(chart, f"{KEY}-w", alternative),
        narrow=throughput(chart, f"{KEY}-n", alternative, narrow=True),
        data=values(chart),
    )


def at_a_glance(sections_points: Sequence[tuple[str, Sequence[Measured]]]) -> list[str]:
    """One sentence per experiment: the best usable point of each phase, or that there is none."""
    sentences = []
    for title, points in sections_points:
        usable = [item for item in points if item.usable]
        if not points:
            sentences.append(f"{title}: nothing was measured.")
        elif not usable:
            why = doubts_of(repeat for item in points for repeat in item.repeats)
            none = f"every point was {why}" if why else "no point has a figure"
            sentences.append(f"{title}: {none}; no published claim may rest on it.")
        else:
            count = f"{len(usable)} of {len(points)}"
            sentences.append(f"{title}: {_best(usable)}; usable points: {count}.")
    return sentences


def _best(usable: Sequence[Measured]) -> str:
    phases = []
    for best in best_of_phases(usable):
        bound = best.first_of("bound_bytes_per_s") if best.quantity is RATE else None
        share = f" ({percent((best.mean or 0) / bound)} of its bound)" if bound else ""
        value = f"{written(best.quantity, best.mean)} {unit(best.quantity, in_lab=best.in_lab)}"
        span = f", measured for {figures(best.lasted_s, 2)} s only" if best.is_short else ""
        phases.append(f"{best.phase} reaches {value}{share} at {point_name(best.point)}{span}")
    return ", ".join(phases)
