"""`openmetrics`: gauges, latency histograms and verdicts for a time series database.

Names end with their unit, in the base units of Prometheus. The time of every sample is the end of
the run. A missing value has no sample.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import get_args

from seatrial.judge.answer import Verdict
from seatrial.study.points import point_text
from seatrial.summary.point_results import Point
from seatrial.summary.results import ResultSummary
from seatrial.writers.rows import Figure, fault_figures, point_figures

TITLE = "gauges, latency histograms and verdicts, in the OpenMetrics text format 1.0"
Labels = dict[str, str]


@dataclass(frozen=True)
class Metric:
    """The name of a quantity, its help text, and the factor to its base unit."""

    name: str
    unit: str
    help: str
    factor: float = 1.0


METRICS: Mapping[str, Metric] = {
    "rate": Metric("rate", "bytes_per_second", "Aggregate throughput, mean of the repeats"),
    "operations": Metric("workload", "operations_per_second", "Operations of all clients"),
    "copy-rate": Metric("copy_rate", "bytes_per_second", "Mean over the file sizes of one copy"),
    "latency-p50": Metric("latency_p50", "seconds", "Median, worst of the repeats", 1e-3),
    "latency-p99": Metric("latency_p99", "seconds", "99th percentile, worst of the repeats", 1e-3),
    "latency-max": Metric("latency_max", "seconds", "Longest operation", 1e-3),
    "jain-fairness-index": Metric("jain_fairness_index", "", "Index of task rates; 1 if equal"),
    "slowest-client-rate": Metric("slowest_client_rate", "bytes_per_second", "Slowest client"),
    "fastest-client-rate": Metric("fastest_client_rate", "bytes_per_second", "Fastest client"),
    "bound": Metric("bound", "bytes_per_second", "Upper bound of the rate"),
    "share-of-bound": Metric("share_of_bound", "ratio", "Mean rate over its upper bound"),
    "predicted-rate": Metric("predicted_rate", "bytes_per_second", "Rate of the bottleneck"),
    "duration": Metric("phase_duration", "seconds", "Measured duration, mean of the repeats"),
    "longest-outage": Metric("fault_longest_outage", "seconds", "Longest outage of a client"),
    "outage-limit": Metric("fault_outage_limit", "seconds", "Outage that the study allows"),
    "blocks-lost-or-wrong": Metric("fault_blocks_lost_or_wrong", "", "Blocks and entries"),
}
PHASES = Metric("failover_phase_duration", "seconds", "Part of the longest outage")
FAILOVER = "failover-"
HISTOGRAM = "seatrial_latency_seconds"


@dataclass
class Family:
    """The samples of one metric."""

    name: str
    type: str
    help: str
    unit: str = ""
    samples: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The family as the format has it."""
        yield f"# TYPE {self.name} {self.type}"
        if self.unit:
            yield f"# UNIT {self.name} {self.unit}"
        yield f"# HELP {self.name} {escaped(self.help)}"
        yield from self.samples


class Families:
    """All families, in the order of their first sample."""

    def __init__(self, time_s: float | None) -> None:
        self._time = "" if time_s is None else f" {time_s!r}"
        self._families: dict[str, Family] = {}

    def add(self, family: Family, labels: Labels, value: float, suffix: str = "") -> None:
        """Add a sample; a value that is not finite is left out."""
        if not math.isfinite(value):
            return
        known_family = self._families.setdefault(family.name, family)
        sample = f"{family.name}{suffix}{{{label_text(labels)}}} {float(value)!r}{self._time}"
        known_family.samples.append(sample)

    def text(self) -> str:
        """The document."""
        lines = [line for family in self._families.values() for line in family.lines()]
        return "\n".join([*lines, "# EOF"]) + "\n"


def write(summary: ResultSummary) -> str:
    """The families of the run, the points, the criteria and the faults."""
    families = Families(_end_s(summary))
    run = {"study": summary.study.id, "profile": summary.run.profile, "result": summary.run.result}
    _add_run(families, run, summary)
    for point in summary.points:
        labels = {**run, **_point_labels(point)}
        _add_figures(families, labels, point_figures(point))
        _add_histograms(families, labels, point)
    for criterion in summary.criteria:
        labels = {**run, "criterion": criterion.id}
        _add_verdict(families, "seatrial_criterion_verdict", labels, criterion.verdict)
    for fault in summary.faults:
        labels = {**run, "fault": fault.name, "kind": fault.kind}
        _add_verdict(families, "seatrial_fault_verdict", labels, fault.verdict)
        _add_figures(families, labels, fault_figures(fault))
    return families.text()


def _end_s(summary: ResultSummary) -> float | None:
    run = summary.run
    if run.started_unix_s is None or run.duration_s is None:
        return None
    return run.started_unix_s + run.duration_s


def _point_labels(point: Point) -> Labels:
    labels = {"experiment": point.experiment, "phase": point.phase}
    if point.variant is not None:
        labels["variant"] = point.variant
    labels["point"] = point_text(point.values)
    if point.clients is not None:
        labels["clients"] = str(point.clients)
    if point.flags:
        labels["flags"] = ",".join(point.flags)
    return labels


def _add_run(families: Families, run: Labels, summary: ResultSummary) -> None:
    versions = {f"version_{name}": version for name, version in summary.run.versions.items()}
    identity = {**run, "title": summary.study.title, **versions}
    about = Family("seatrial_run", "info", "The run and its versions")
    families.add(about, identity, 1.0, "_info")
    complete = Family("seatrial_run_complete", "gauge", "1 where the run came to its end")
    families.add(complete, run, float(summary.run.is_complete))


def _add_figures(families: Families, labels: Labels, figures: Iterable[Figure]) -> None:
    for figure in figures:
        metric = METRICS.get(figure.quantity, PHASES)
        own_labels = dict(labels)
        if metric is PHASES:
            own_labels["failover_phase"] = figure.quantity.removeprefix(FAILOVER)
        values = (("", figure.value), ("_low", figure.low), ("_high", figure.high))
        for part, value in values:
            if value is not None:
                families.add(_gauge(metric, part), own_labels, value * metric.factor)


def _gauge(metric: Metric, part: str) -> Family:
    """The family of a quantity, or of a limit of its 95 % interval (`_low`, `_high`)."""
    unit = f"_{metric.unit}" if metric.unit else ""
    limit = ", limit of the 95 % interval" if part else ""
    name = f"seatrial_{metric.name}{part}{unit}"
    return Family(name, "gauge", f"{metric.help}{limit}", metric.unit)


def _add_histograms(families: Families, labels: Labels, point: Point) -> None:
    family = Family(HISTOGRAM, "histogram", "Time of one operation, all used repeats", "seconds")
    for item in point.histograms:
        own_labels = {**labels, "operation": item.operation}
        for bucket in item.buckets:
            at_most = {**own_labels, "le": repr(bucket.up_to_s)}
            families.add(family, at_most, bucket.operations, "_bucket")
        families.add(family, {**own_labels, "le": "+Inf"}, item.operations, "_bucket")
        families.add(family, own_labels, item.operations, "_count")
        families.add(family, own_labels, item.sum_s, "_sum")


def _add_verdict(families: Families, name: str, labels: Labels, verdict: Verdict) -> None:
    """One sample for each verdict that a criterion or a fault can have."""
    family = Family(name, "stateset", "1 for the verdict, 0 for the others")
    for state in STATES:
        families.add(family, {**labels, name: state}, float(state == verdict))


OF_CLAIMS = ("agrees", "inconclusive", "better", "worse", "different")
STATES = tuple(
    state
    for item in get_args(Verdict)
    for state in (get_args(item) or (item,))
    if state not in OF_CLAIMS
)


def label_text(labels: Labels) -> str:
    """`study="nss-ha",phase="read"`."""
    names = {re.sub("[^a-zA-Z0-9_]", "_", name): value for name, value in labels.items()}
    return ",".join(f'{name}="{escaped(value)}"' for name, value in names.items())


def escaped(text: str) -> str:
    """OpenMetrics 1.0, 3.1: backslash, quote and line feed."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
