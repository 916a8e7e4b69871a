"""Estimate the time of a run: from the newest run of its study and profile, or from its plan.

Each estimate names its basis. A result has the time of each experiment and fault in the times of
its lines. The plan has the bytes of each phase and the slowest part of their path. It does not have
the times to boot nodes and to deploy.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.node_sets import fold
from seatrial.basics.withheld import without_secrets
from seatrial.cases import ExperimentCases
from seatrial.faults.durations import BESIDE_A_FAULT_S, expected_fault_s
from seatrial.load.baselines import probes
from seatrial.load.phases import OVERHEAD_S, expected_experiment_s, expected_runs, has_rates
from seatrial.matrix.matrix import RunMatrix
from seatrial.result.result import Result, whole_results
from seatrial.study.profiles import Profile
from seatrial.study.study import Study

THROTTLED = (
    "; the lab gives {} only a share of a processor. The estimate does not include processor time,"
    " so the run can take several times as long"
)

NODE_S = (5.0, 45.0)
"""to boot and deploy, for each node of a lab, as measured in runs

The first is of two idle cores, the second of one core next to another lab.
"""
LINK_BASELINE_S = 8.0
"""to measure links in both directions that do not affect each other, and run at the same time"""
EMPTYING_S = 0.4
"""to empty the caches before a phase, for each node of a lab on two idle cores that takes part.

With 64 clients that unmount and mount it was 31 s (studies/nss-ha, profile paper).
"""
OF_THE_PLAN = (
    "an estimate (~), because there is no result of such a run: for each phase, its bytes divided"
    f" by the rate of the slowest part of their path, plus {OVERHEAD_S:g} s{{emptying}}; for each"
    f" fault, its own times plus {BESIDE_A_FAULT_S:g} s; {{setup}}"
)
EMPTYING_WORDS = f" and {EMPTYING_S:g} s for each node that empties its caches"


@dataclass(frozen=True)
class Measured:
    """The time of a run, from the times of the lines of its result."""

    folder: Path
    when_unix_s: float
    setup_s: float
    """until the first experiment or fault began: booting, deploying, baselines"""
    items_s: Mapping[str, float]
    """experiment or fault -> its time"""
    same_study: bool
    """whether its study is, letter for letter, the present one"""

    @property
    def basis(self) -> str:
        """Text for the operator: the run with the measured times."""
        day = time.strftime("%Y-%m-%d", time.gmtime(self.when_unix_s))
        changed = "" if self.same_study else "; the study was changed since"
        return f"as the run of {day} did ({self.folder.name}{changed})"


@dataclass(frozen=True)
class Times:
    """The expected times of the parts of one profile."""

    items_s: Mapping[str, float]
    measured: Measured | None = None
    """the run with these times; None when they are estimates"""
    setup: Measured | None = None
    """a run of any profile, for the time before the first item; None without such a run"""
    booted: int = 0
    """how many nodes a lab has to boot; hosts run already"""
    link_batches: int = 0
    """how many times, one after another, the baselines measure links of a lab"""
    lacks_rates: bool = False
    """whether a phase has a data path without any known rate: the time for its bytes is left out"""
    throttled: str = ""
    """the nodes with a share of a processor, as a folded node set; their processor time is not
    included
    """

    @property
    def basis(self) -> str:
        """The basis of the times: an earlier run, or an estimate."""
        if self.measured:
            return self.measured.basis
        unknown = "; the rate of the storage is unknown, so the time to move data is not included"
        emptying = EMPTYING_WORDS if self.booted else ""
        parts = [OF_THE_PLAN.format(emptying=emptying, setup=self._setup_words())]
        parts += [unknown] if self.lacks_rates else []
        parts += [THROTTLED.format(self.throttled)] if self.throttled else []
        return "".join(parts)

    def _setup_words(self) -> str:
        """The time before the first experiment or fault."""
        if self.setup is not None:
            before = "booting and deploying" if self.booted else "before the first measurement,"
            return f"{before} {self.setup.basis}"
        if not self.booted:
            return "the time before the first measurement is not included"
        baselines_s = LINK_BASELINE_S * self.link_batches
        least, most = (rough(each_s * self.booted + baselines_s) for each_s in NODE_S)
        work = "booting, deploying and baselines" if self.link_batches else "booting and deploying"
        return f"{work} take {least} more on two idle cores, and up to {most} on a busy one"

    @property
    def total_s(self) -> float:
        """The sum of all items, and of the time before them when a run has measured it."""
        return sum(self.items_s.values()) + (self.setup.setup_s if self.setup else 0.0)

    def text(self, name: str | None = None) -> str:
        """Of one part or of all, `4 min`; `~4 min` by the plan alone; `-`: no part."""
        if name is not None and name not in self.items_s:
            return "-"
        duration_s = self.total_s if name is None else self.items_s[name]
        return f"{'' if self.measured else '~'}{rough(duration_s)}"


def times_of(
    matrix: RunMatrix,
    results: Path,
) -> Times:
    """The expected times of a run and of each of its experiments and faults."""
    study = matrix.study
    solution = matrix.solution
    names = [*matrix.experiments, *matrix.faults]
    measured = newest(results, study, matrix.profile, names)
    if measured is not None:
        return Times({name: measured.items_s[name] for name in names}, measured, measured)
    experiments = matrix.planned_experiments
    items = {
        item.name: expected_experiment_s(solution, item) + _emptying_s(matrix, item)
        for item in experiments
    }
    items |= {item.name: expected_fault_s(item.planned) for item in matrix.planned_faults}
    lacks_rates = not all(has_rates(solution, item) for item in experiments)
    booted = len(study.node_names()) if matrix.site.traits.is_temporary else 0
    baselines = probes(study.baselines, study, matrix.site, solution) if booted else []
    link_batches = {probe.batch for probe in baselines if probe.kind == "links"}
    return Times(
        items,
        setup=newest(results, study),
        booted=booted,
        link_batches=len(link_batches),
        lacks_rates=lacks_rates,
        throttled=_throttled(study) if matrix.site.traits.is_emulated else "",
    )


def _emptying_s(matrix: RunMatrix, planned: ExperimentCases) -> float:
    """The time in s in which a lab empties the caches before the phases of an experiment."""
    if not matrix.site.traits.is_emulated:
        return 0.0
    experiment = planned.experiment
    once_s = 0.0
    for point in planned.points:
        phases = point.workload.phases
        emptied = sum(experiment.empties_caches_before(phase) for phase in phases)
        if emptied and not point.workload.local:
            plan = matrix.solution.empty_caches(matrix.solution.clients[: point.clients])
            nodes = {node for stage in plan.stages for node in stage.steps}
            once_s += emptied * len(nodes) * EMPTYING_S
    return expected_runs(experiment) * once_s


def _throttled(study: Study) -> str:
    """The nodes of a lab that get only a share of a processor, as a folded node set."""
    names = [name for name, node in study.nodes_by_name.items() if (node.processor or 1.0) < 1.0]
    return fold(names)


def newest(
    results: Path, study: Study, profile: Profile | None = None, names: Sequence[str] = ()
) -> Measured | None:
    """The newest complete run of this study (and profile) with all these parts, or None.

    A run that was interrupted and resumed does not count.
    """
    for result in whole_results(results, study.id, profile):
        if not result.first("resumed"):
            measured = _measured(result, study)
            if set(names) <= set(measured.items_s):
                return measured
    return None


def _measured(result: Result, study: Study) -> Measured:
    began_s = result.first("run")["unix_s"]
    items = dict(_items(result))
    first = next((line["unix_s"] for line in result.lines if line["type"] == "experiment"), None)
    setup_s = (first if first is not None else began_s) - began_s
    same_study = result.text("study.yaml") == without_secrets(study.source.text)
    return Measured(result.folder, began_s, setup_s, items, same_study)


def _items(result: Result) -> Iterator[tuple[str, float]]:
    """The time of each experiment and fault.

    An experiment lasts from its first line to its last one. A fault lasts from the end of the item
    before it to its own line. The comparison after a fault comes before the line of the fault, and
    belongs to the fault, which records its begin.
    """
    since_s = result.first("run")["unix_s"]
    current = None
    passed_s = [since_s]
    for line in result.lines:
        kind = line["type"]
        now_s = line["unix_s"]
        if current is not None and kind in ("experiment", "fault", "end"):
            began_s = line.get("started_unix_s") or now_s
            ended_s = max((at_s for at_s in passed_s if at_s <= began_s), default=since_s)
            yield current, ended_s - since_s
            current = None
            since_s = ended_s
        if kind == "experiment":
            current = line["name"]
            since_s = now_s
            passed_s = []
        elif kind == "fault":
            yield line["name"], now_s - since_s
            since_s = now_s
        passed_s.append(now_s)


def rough(duration_s: float) -> str:
    """A time that is not known to the second: `40 s`, `4 min`, `2.5 h`."""
    if duration_s < 100:
        return f"{duration_s:.0f} s"
    return f"{duration_s / 60:.0f} min" if duration_s < 6000 else f"{duration_s / 3600:.1f} h"
