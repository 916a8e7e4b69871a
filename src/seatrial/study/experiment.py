"""An experiment: a workload with a sweep of crossed lists, or with named variants."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from seatrial.basics.schema import Duration, Model, first_message
from seatrial.basics.withheld import has_secret
from seatrial.basics.yamlfile import Location, Mistake
from seatrial.study import aliases
from seatrial.study.profiles import (
    CHANGES_MEANING,
    COMMON_PROFILES,
    PAPER_MEANING,
    PROFILES_MEANING,
    Profiles,
    checked_item,
)
from seatrial.study.workload import Workload, reads_data


class VariantChanges(Model):
    """A named variant: the values that differ from the experiment."""

    line: int | None = Field(
        None,
        description="The `line_no` of the published table that the variant reproduces.",
    )
    table: str | None = Field(
        None,
        description=(
            "The published table with client counts as lines that the variant reproduces, such as"
            " `T2`."
        ),
    )
    overrides: dict[str, Any] = Field(
        default_factory=dict,
        description="Values that differ, by path, such as `{solution.export.mode: sync}`.",
    )
    clients: int | None = Field(
        None,
        ge=1,
        description=(
            "Number of clients that take part. By default all. Not together with a sweep over"
            " clients."
        ),
    )
    workload: dict[str, Any] = Field(
        default_factory=dict,
        description="Keys of the workload that differ, such as `{tasks: 2}`.",
    )
    skip: str | None = Field(
        None,
        description="Reason why the variant is not measured. The report shows it.",
    )
    unsupported: str | None = Field(
        None,
        description=(
            "Text of an error. If the variant fails with it, the variant is skipped and "
            "the message is reported."
        ),
    )


EmptyCaches = bool | Literal["each-phase"]
"""before which phases the caches are emptied: those that read (true), none (false), or every one"""


class Figure(Model):
    """How an experiment is drawn."""

    number: str | dict[str, str] | None = Field(
        None,
        description=(
            "Figure of the published document, such as `F7`, or one for each phase, "
            "`{create: F10, stat: F11}`."
        ),
    )
    x: str = Field("clients", description="The key of `sweep` on the horizontal axis.")
    y: Literal["rate", "operations", "copies", "efficiency"] | None = Field(
        None,
        description="The quantity on the vertical axis. By default that of the phase.",
    )
    relative_to: str | int | None = Field(
        None,
        description="Show ratios to the mean at this value of the axis.",
    )
    log: bool = Field(False, description="Logarithmic horizontal axis.")

    def number_of(self, phase: str | None) -> str | None:
        """The published figure of a phase, or of all of them."""
        return self.number.get(phase or "") if isinstance(self.number, dict) else self.number


class SaturationSearch(Model):
    """Look for the highest rate of arrivals at which a latency objective is met, at each point of
    the experiment.
    """

    objective: Duration = Field(
        description="The latency that operations must meet, counted from their scheduled start.",
    )
    latency: Literal["p50", "p90", "p99", "p999", "max"] = Field(
        "p99",
        description=(
            "The percentile that must meet the objective. With several kinds of operations, all of"
            " them must."
        ),
    )
    start: float = Field(
        10.0,
        gt=0,
        description="Rate of the first try: operations per second of each client.",
    )
    within: float = Field(
        0.1,
        ge=0.01,
        le=1,
        description="The search ends when the two rates at its ends differ by at most this share.",
    )
    tries: int = Field(16, ge=2, le=100, description="Largest number of tries.")


class Precision(Model):
    """More repeats of each point, until its means are known well enough."""

    interval: float = Field(
        gt=0,
        le=1,
        description=(
            "Half of the 95 % confidence interval of each phase's mean, as a share of the mean."
        ),
    )
    at_most: int = Field(10, ge=2, le=1000, description="Largest number of repeats of a point.")
    within: Duration = Field(
        300.0,
        description="Largest time for the additional repeats of all points together.",
    )


class Experiment(Model):
    """A workload and its sweep; `quick` and `trial` have the values of the shorter profiles."""

    ALIASES = aliases.OF_EXPERIMENT
    title: str | None = Field(None, description="Caption of the figure.")
    continues: str | None = Field(
        None,
        description=(
            "Name of an earlier experiment. This one uses its files and its keys of `workload`."
        ),
    )
    workload: Workload = Field(description="The load that each client applies.")
    kinds: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description=(
            "Keys of the workload that differ, by kind of clients: `{nfs: {file_size: 1MiB}}`."
        ),
    )
    overrides: dict[str, Any] = Field(
        default_factory=dict,
        description=(
            "Values that differ from the study during the experiment, by path:"
            " `{solution.export.mode: sync}`."
        ),
    )
    variants: dict[str, VariantChanges] = Field(
        default_factory=dict,
        description=(
            "Variants by name: named sets of changed values. They are compared with the first."
        ),
    )
    variants_run: tuple[str, ...] | None = Field(
        None,
        description=(
            "The variants that are measured, for use in `quick` and `trial`. By default all."
        ),
    )
    table: str | None = Field(
        None,
        description=(
            "The table of the published document that the variants reproduce, such as `T3`."
        ),
    )
    sweep: dict[str, tuple[Any, ...]] = Field(
        default_factory=dict,
        description=(
            "Lists of values for `clients`, keys of the workload, or paths such as"
            " `solution.export.threads`."
        ),
    )
    repeats: int = Field(
        1,
        ge=1,
        le=1000,
        description=(
            "Repeats of each point. Error bars, trends and the check `spread` need 2 or more."
        ),
    )
    repeats_until: Precision | None = Field(
        None,
        description="More repeats of each point, until its confidence intervals are narrow enough.",
    )
    saturation_search: SaturationSearch | None = Field(
        None,
        description=(
            "Search for the saturation rate at each point, instead of repeats at a given rate."
        ),
    )
    empty_caches: EmptyCaches = Field(
        True,
        description=(
            "Empty the caches of clients and server before each phase that reads. `each-phase`: "
            "before every phase, also `stat` and `remove`."
        ),
    )
    figure: Figure | None = Field(None, description="How the experiment is drawn.")
    profiles: Profiles = Field(COMMON_PROFILES, description=PROFILES_MEANING)
    trial: dict[str, Any] | None = Field(None, description=CHANGES_MEANING)
    quick: dict[str, Any] | None = Field(None, description=CHANGES_MEANING)
    paper: dict[str, Any] | None = Field(None, description=PAPER_MEANING)

    @model_validator(mode="before")
    @classmethod
    def _profiles_fit(cls, data: Any) -> Any:
        return checked_item(data)

    @field_validator("sweep", mode="before")
    @classmethod
    def _not_empty(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for key, values in value.items():
                if not isinstance(values, list | tuple) or not values:
                    raise ValueError(f"{key} must be a list of at least one value")
        return value

    def empties_caches_before(self, phase: str) -> bool:
        """Whether the caches are emptied before a phase."""
        if self.empty_caches == "each-phase":
            return True
        return self.empty_caches and reads_data(phase)

    @property
    def measured_variants(self) -> tuple[str, ...]:
        """The variants that this profile measures, in their order."""
        chosen = self.variants_run if self.variants_run is not None else tuple(self.variants)
        return tuple(
            name for name, row in self.variants.items() if name in chosen and row.skip is None
        )


VARIANT = "variant"
"""the key of a point of an experiment with variants"""


def is_path(key: str) -> bool:
    """Whether a key of `sweep` or `overrides` is the path of a value that can change during
    service.

    These are the solution and all its values; the links of the nodes and the number of links of
    their bonds, their share of a processor, and the models of the paths to their disks; and the MTU
    of the networks.
    """
    if key.startswith("nodes."):
        changes_bond = ".bonds." in key and key.endswith(".members")
        return ".disks.paths." in key or key.endswith((".link", ".processor")) or changes_bond
    return (
        key == "solution"
        or key.startswith("solution.")
        or (key.startswith("networks.") and key.endswith(".mtu"))
    )


def set_mistakes(place: Location, changes: Mapping[str, Any]) -> Iterator[Mistake]:
    """The keys of `overrides` that are no path of a value that can be changed: (where, why)."""
    for key in changes:
        if not is_path(key):
            yield Mistake((*place, key), "cannot be set; write a path such as solution.export.mode")


def experiment_mistakes(experiments: Mapping[str, Experiment]) -> Iterator[Mistake]:
    """What cannot be set, varied or chosen: (where, why)."""
    for name, experiment in experiments.items():
        yield from set_mistakes(("experiments", name, "overrides"), experiment.overrides)
        for row, item in experiment.variants.items():
            yield from set_mistakes(
                ("experiments", name, "variants", row, "overrides"), item.overrides
            )
        yield from _kind_mistakes(("experiments", name, "kinds"), experiment)
        yield from _row_mistakes(("experiments", name), experiment)
        yield from _vary_mistakes(("experiments", name, "sweep"), experiment)
        yield from _saturation_mistakes(("experiments", name), experiment)


OF_ALL_KINDS = (
    "phases",
    "prepare",
    "time_based",
    "total_size",
    "local",
    "server_load",
    "verify_tree",
)
"""keys of a workload that are of all clients together"""


def _kind_mistakes(place: Location, experiment: Experiment) -> Iterator[Mistake]:
    for kind, changes in experiment.kinds.items():
        for key in changes:
            if key not in Workload.model_fields:
                yield Mistake((*place, kind, key), "is not a key of a workload")
            elif key in OF_ALL_KINDS:
                yield Mistake(
                    (*place, kind, key), "is of all clients together; say it in the workload"
                )
        try:
            experiment.workload.changed(changes)
        except ValidationError as error:
            yield Mistake((*place, kind), first_message(error))


def _row_mistakes(place: Location, experiment: Experiment) -> Iterator[Mistake]:
    known = ", ".join(experiment.variants)
    for name in experiment.variants_run or ():
        if name not in experiment.variants:
            yield Mistake(
                (*place, "variants_run"),
                (
                    f"no variant is called {name!r}; one of {known}"
                    if known
                    else "there are no variants"
                ),
            )
    for name, row in experiment.variants.items():
        if row.clients is not None and "clients" in experiment.sweep:
            yield Mistake(
                (*place, "variants", name, "clients"),
                "the experiment varies clients; leave one of the two out",
            )
        for key in row.workload:
            if key not in Workload.model_fields:
                yield Mistake(
                    (*place, "variants", name, "workload", key), "is not a key of a workload"
                )
    if experiment.table is not None and not experiment.variants:
        yield Mistake((*place, "table"), "a table has rows; write them as variants")


def _vary_mistakes(place: Location, experiment: Experiment) -> Iterator[Mistake]:
    for key, values in experiment.sweep.items():
        if key != "clients" and not is_path(key) and key not in Workload.model_fields:
            yield Mistake(
                (*place, key),
                (
                    "nothing is called that; vary clients, a key of the workload, or a path such as"
                    " solution.export.threads or nodes.nas.disks.paths.cabling"
                ),
            )
        for index, value in enumerate(values):
            if has_secret(key, value):
                secret = "a secret cannot be varied: the result and the report name every point"
                yield Mistake((*place, key, index), secret)
            if key == "clients" and (not isinstance(value, int) or value < 1):
                yield Mistake((*place, key, index), f"{value!r} is not a number of clients")


def _saturation_mistakes(place: Location, experiment: Experiment) -> Iterator[Mistake]:
    if experiment.saturation_search is None:
        return
    workload = experiment.workload
    if not workload.time_based or len(workload.phases) != 1:
        yield Mistake(
            (*place, "saturation_search"),
            (
                "a saturation rate needs one phase that is time_based: each try lasts for its"
                " time_limit"
            ),
        )
    if workload.arrivals_per_s is not None or "arrivals_per_s" in experiment.sweep:
        searched = "the search varies the rate of arrivals; leave arrivals_per_s out"
        yield Mistake((*place, "saturation_search"), searched)
    if experiment.repeats > 1:
        yield Mistake((*place, "repeats"), "the search itself tries rates again; leave repeats out")
    if experiment.repeats_until is not None:
        yield Mistake(
            (*place, "repeats_until"),
            "the search itself tries rates again; leave repeats_until out",
        )
