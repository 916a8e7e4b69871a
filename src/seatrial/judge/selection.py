"""The phases of an experiment that a criterion selects, and mistakes of a selection.

A criterion names an experiment, one of its phases, and values of its sweep (`at`). Points with
these values are selected. Repeats of one point form one sample.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from seatrial.analysis.statistics import Sample
from seatrial.basics.errors import not_known
from seatrial.basics.schema import Model
from seatrial.basics.yamlfile import Mistake
from seatrial.result.phases import PhaseResult, doubts_of
from seatrial.result.result import Result
from seatrial.study.experiment import VARIANT, Experiment
from seatrial.study.points import phase_text, point_text
from seatrial.study.study import Study

Mistakes = Iterator[Mistake]
"""(place below the criterion, message)"""


class PointOptions(Model):
    """The points of one phase of an experiment."""

    experiment: str = Field(description="Name of the experiment.")
    phase: str | None = Field(
        None,
        description="Name of the phase. Required where the experiment has several phases that the "
        "check can judge.",
    )
    at: dict[str, Any] = Field(
        default_factory=dict,
        description="Only points with these values of the sweep, such as `{clients: 16}`.",
    )


@dataclass(frozen=True)
class Selection:
    """The selected phases of a result."""

    title: str
    """in words: `fig7 write`"""
    phases: tuple[PhaseResult, ...]
    why_empty: str
    """why there is no phase; empty where there is one"""


def select(result: Result, options: PointOptions, judged_phases: Sequence[str]) -> Selection:
    """The phases of a result; `judged_phases`: the names of the phases that the check can judge."""
    of_experiment = [item for item in result.phases if item.experiment == options.experiment]
    names = dict.fromkeys(item.phase for item in of_experiment if item.phase in judged_phases)
    name = options.phase or (next(iter(names)) if len(names) == 1 else None)
    title = phase_text(options.experiment, {}, *([name] if name else []))
    if not of_experiment:
        return Selection(title, (), "the experiment was not measured in this run")
    if name is None:
        words = ", ".join(names) or "none that the check judges"
        return Selection(title, (), f"no single phase to judge; measured: {words}")
    selected = tuple(
        item for item in of_experiment if item.phase == name and _is_at(item.point, options.at)
    )
    return Selection(title, selected, "" if selected else "no such point was measured in this run")


def _is_at(point: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(point.get(key) == value for key, value in values.items())


def samples_of(
    result: Result, phases: Iterable[PhaseResult], value: Callable[[PhaseResult], float]
) -> dict[str, Sample]:
    """One sample of repeats per point, by the words of the point (`clients=4`).

    A sample has the number of looks of `repeats_until`.
    """
    values: dict[str, list[float]] = {}
    looks: dict[str, int] = {}
    for phase in phases:
        name = point_text(phase.point)
        values.setdefault(name, []).append(value(phase))
        looks[name] = result.looks(phase.experiment, phase.point)
    return {name: Sample(tuple(figures), looks[name]) for name, figures in values.items()}


def left_out_words(phases: Sequence[PhaseResult]) -> str:
    """The phases that never count, as the end of a sentence; empty where each counts."""
    left_out = [item for item in phases if item.partial or item.out_of_caches]
    if not left_out:
        return ""
    return f" (left out: {len(left_out)} of {len(phases)} phases, {doubts_of(left_out)})"


# ---- mistakes of a study


def point_mistakes(study: Study, options: PointOptions, judged_phases: Sequence[str]) -> Mistakes:
    """An experiment, a phase or a value that the study does not have in any profile."""
    if options.experiment not in study.experiments:
        yield Mistake(("experiment",), not_known(options.experiment, list(study.experiments)))
        return
    profiles = profiles_of(study, options.experiment)
    names = dict.fromkeys(name for item in profiles for name in _phases_of(item))
    judged_names = [name for name in names if name in judged_phases]
    if not judged_names:
        words = f"{options.experiment} has no phase that this check judges"
        yield Mistake(("experiment",), f"{words}; it judges {', '.join(judged_phases)}")
    elif options.phase is None and len(judged_names) > 1:
        words = f"{options.experiment} has several phases; add phase: {judged_names[0]}"
        yield Mistake(("experiment",), f"{words}, or another of {', '.join(judged_names)}")
    elif options.phase is not None and options.phase not in judged_names:
        yield Mistake(("phase",), not_known(options.phase, judged_names))
    for key, value in options.at.items():
        yield from _value_mistakes(profiles, key, value)


def profiles_of(study: Study, experiment: str) -> list[Experiment]:
    """An experiment as each profile has it, the full one first."""
    by_profile = [study.experiments_in(profile) for profile in reversed(study.all_profiles)]
    return [experiments[experiment] for experiments in by_profile if experiment in experiments]


def sweep_values(profiles: Sequence[Experiment], key: str) -> list[Any]:
    """The values of a key of the sweep in any profile; of `row`, the measured variants."""
    if key == VARIANT:
        values = [name for item in profiles for name in item.measured_variants]
    else:
        values = [value for item in profiles for value in item.sweep.get(key, ())]
    return [value for index, value in enumerate(values) if value not in values[:index]]


def sweep_keys(profiles: Sequence[Experiment]) -> list[str]:
    """The keys that differ between the points of an experiment."""
    keys = [VARIANT for item in profiles if item.variants]
    keys += [key for item in profiles for key in item.sweep]
    return list(dict.fromkeys(keys))


def _phases_of(experiment: Experiment) -> Iterator[str]:
    """Every phase of an experiment, also of its variants."""
    yield from experiment.workload.phases
    for row in experiment.variants.values():
        yield from row.workload.get("phases", ())
    for phases in experiment.sweep.get("phases", ()):
        yield from phases


def _value_mistakes(profiles: Sequence[Experiment], key: str, value: Any) -> Mistakes:
    keys = sweep_keys(profiles)
    if key not in keys:
        varies = f"it varies {', '.join(keys)}" if keys else "it varies nothing"
        yield Mistake(("at", key), f"{key!r} is the same at all points of the experiment; {varies}")
        return
    values = sweep_values(profiles, key)
    if value not in values:
        values_text = ", ".join(map(str, values))
        yield Mistake(
            ("at", key), f"the experiment has no point with {value!r}; one of {values_text}"
        )
