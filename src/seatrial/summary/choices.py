"""The answer to a question about settings: the fastest setting, and the cost of the others.

A study asks about settings where experiments have variants and no fault is injected. A variant
counts as a setting where it changes nothing but the solution and its networks: another client link
or another load is no setting. Differences count only where the repeats decide them
(`analysis.statistics.decided`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial.analysis.statistics import Difference, Sample, decided, difference
from seatrial.study.experiment import VARIANT, Experiment
from seatrial.study.study import Study
from seatrial.summary.notation import percent, written
from seatrial.summary.points import STEADY_MIN_S, Measured
from seatrial.summary.sources import Sources, experiment_of
from seatrial.summary.variant_rates import compared_at

LEAST_SHARE = 0.05
"""a smaller difference has no practical meaning"""
COSTS_MAX = 3
"""at most this many costs are named in the headline"""
SETTING_KEYS = frozenset({"solution", "networks"})


@dataclass(frozen=True)
class Option:
    """One measured variant of one experiment in one phase."""

    experiment: str
    """title"""
    variant: str
    phase: str
    item: Measured
    looks: int = 1
    """how often the run looked whether its repeats are enough"""

    @property
    def name(self) -> str:
        """`NFS on the file server, noac`."""
        return f"{self.experiment}, {self.variant}"

    @property
    def value(self) -> str:
        """`12.0 MB/s`."""
        return f"{written(self.item.quantity, self.item.mean)} {self.item.quantity.unit}"

    @property
    def sample(self) -> Sample:
        """Its usable repeats."""
        return Sample(tuple(self.item.values), self.looks)


@dataclass(frozen=True)
class Cost:
    """What a setting costs, compared with the first variant of its experiment."""

    option: Option
    change: Difference
    """as a share of the first variant; below zero"""

    @property
    def words(self) -> str:
        """`noac 91 % of copy-to-storage (NFS on the file server)`."""
        share = percent(-self.change.relative)
        return f"{self.option.variant} {share} of {self.option.phase} ({self.option.experiment})"


@dataclass(frozen=True)
class Best:
    """The fastest setting of one phase."""

    option: Option
    rivals: tuple[Option, ...]
    """the settings that the repeats cannot separate from it"""
    slower: int
    """the number of settings that are slower by more than chance"""


@dataclass(frozen=True)
class Choice:
    """The comparison of the settings of a run."""

    options: tuple[Option, ...]
    """every usable setting, in the order of the run"""
    best: tuple[Best, ...]
    """one for each phase in which a setting is faster than another by more than chance"""
    costs: tuple[Cost, ...]
    """decided costs, the largest first"""
    not_compared: tuple[str, ...] = ()
    """settings without a valid repeat that shows a steady state, in any phase"""
    missing: tuple[str, ...] = ()
    """titles of the experiments without a compared setting"""

    @property
    def not_compared_words(self) -> str:
        """`12 of 21 settings are not compared: no valid repeat of at least 2 s`; empty for none."""
        if not self.not_compared:
            return ""
        compared = {item.name for item in self.options}
        total = len(compared.union(self.not_compared))
        return (
            f"{len(self.not_compared)} of {total} settings are not compared: "
            f"no valid repeat of at least {STEADY_MIN_S:g} s"
        )

    @property
    def is_answered(self) -> bool:
        """Whether the run recommends a setting: every experiment must have a part in the choice."""
        return bool(self.best) and not self.missing

    @property
    def why_not(self) -> str:
        """Why the run recommends no setting."""
        if len(self.options) < 2:
            return "this run does not answer the question: it has no two settings to compare"
        if self.missing:
            return (
                f"this run does not answer the question: no setting of "
                f"{' and '.join(self.missing)} has a "
                f"valid repeat of at least {STEADY_MIN_S:g} s"
            )
        return (
            "this run does not answer the question: its repeats do not separate the "
            f"{len({item.name for item in self.options})} settings"
        )

    @property
    def words(self) -> str:
        """`NFS on the file server, jumbo: copy-to-storage reaches 12.0 MB/s`."""
        names = {item.option.name for item in self.best}
        if len(names) == 1:
            reached = [f"{item.option.phase} reaches {item.option.value}" for item in self.best]
            return f"{self.best[0].option.name}: {', '.join(reached)}"
        parts = [
            f"{item.option.name} for {item.option.phase} ({item.option.value})"
            for item in self.best
        ]
        return "; ".join(parts)

    @property
    def rivals_words(self) -> str:
        """The number of settings that may be as fast; empty for none."""
        parts = [f"{len(item.rivals)} in {item.option.phase}" for item in self.best if item.rivals]
        return f"settings that may be as fast: {', '.join(parts)}" if parts else ""

    @property
    def cost_words(self) -> str:
        """`wrong settings cost: noac 91 % of copy-to-storage (NFS on the file server)`."""
        if not self.costs:
            return "no setting is slower than the first of its experiment by more than chance"
        costs_text = "; ".join(item.words for item in self.costs[:COSTS_MAX])
        more = len(self.costs) - COSTS_MAX
        rest = f"; {more} more cost less" if more > 0 else ""
        return (
            f"wrong settings cost, compared with the first of their experiment: {costs_text}{rest}"
        )


def choice(sources: Sources) -> Choice | None:
    """The comparison of settings; None where the study is not about settings."""
    study = sources.study
    if study is None or not is_about_settings(study):
        return None
    candidates = tuple(_candidates(sources))
    options = tuple(item for item in candidates if _is_steady(item.item))
    compared = {item.name for item in options}
    not_compared = dict.fromkeys(item.name for item in candidates if item.name not in compared)
    phases = dict.fromkeys(item.phase for item in options)
    of_phases = [[item for item in options if item.phase == phase] for phase in phases]
    bests = [best for group in of_phases if (best := _best(group)) is not None]
    costs = sorted(_costs(sources, options), key=lambda cost: cost.change.relative)
    titles = dict.fromkeys(item.experiment for item in candidates)
    with_options = {item.experiment for item in options}
    missing = tuple(title for title in titles if title not in with_options)
    return Choice(options, tuple(bests), tuple(costs), tuple(not_compared), missing)


def is_about_settings(study: Study) -> bool:
    """Whether at least two experiments have variants, and no fault is part of the study."""
    with_variants = [item for item in study.experiments.values() if item.variants]
    return len(with_variants) > 1 and not study.faults


def _is_steady(item: Measured) -> bool:
    """Whether a point has a valid repeat that is long enough for a rate."""
    return bool(item.usable) and not item.is_short


def _candidates(sources: Sources) -> Iterator[Option]:
    """Every measured setting of every experiment with variants."""
    for measured in sources.experiments:
        experiment = experiment_of(sources, measured.name)
        if experiment is None or not experiment.variants:
            continue
        at = compared_at(measured.points)
        for item in measured.points:
            variant = str(item.point.get(VARIANT, ""))
            is_comparable = _without_variant(item) == at and is_setting(experiment, variant)
            if is_comparable:
                looks = sources.result.looks(measured.name, item.point)
                yield Option(measured.title, variant, item.phase, item, looks)


def _without_variant(item: Measured) -> dict[str, object]:
    return {key: value for key, value in item.point.items() if key != VARIANT}


def is_setting(experiment: Experiment, variant: str) -> bool:
    """Whether a variant changes nothing but the solution and its networks."""
    settings = experiment.variants.get(variant)
    if settings is None or settings.clients is not None:
        return False
    keys: list[str] = [*settings.overrides, *settings.workload]
    return all(key.partition(".")[0] in SETTING_KEYS for key in keys)


def _best(options: Sequence[Option]) -> Best | None:
    """The fastest option of one phase; None where it is faster than no other by more than chance.

    The choice of the highest mean is one of many, which Holm's procedure allows for.
    """
    first = max(options, key=lambda item: item.item.mean or 0.0)
    others = [item for item in options if item is not first]
    changes = _changes(first, others)
    directions = decided(changes, LEAST_SHARE)
    slower = [index for index, direction in directions.items() if direction == "down"]
    if not slower:
        return None
    rivals = [item for index, item in enumerate(others) if index not in slower]
    return Best(first, tuple(rivals), len(slower))


def _changes(first: Option, others: Sequence[Option]) -> Mapping[int, Difference]:
    """The difference of each option from the first; those without two repeats are left out."""
    differences = {
        index: difference(first.sample, item.sample) for index, item in enumerate(others)
    }
    return {index: change for index, change in differences.items() if change is not None}


def _costs(sources: Sources, options: Sequence[Option]) -> Iterator[Cost]:
    """The decided costs of each experiment and phase, against the experiment's first variant."""
    for measured in sources.experiments:
        experiment = experiment_of(sources, measured.name)
        if experiment is None or not experiment.variants:
            continue
        first_name = next(iter(experiment.variants))
        of_experiment = [item for item in options if item.experiment == measured.title]
        for phase in dict.fromkeys(item.phase for item in of_experiment):
            of_phase = [item for item in of_experiment if item.phase == phase]
            first = next((item for item in of_phase if item.variant == first_name), None)
            if first is None:
                continue
            others = [item for item in of_phase if item is not first]
            changes = _changes(first, others)
            for index, direction in decided(changes, LEAST_SHARE).items():
                if direction == "down":
                    yield Cost(others[index], changes[index])
