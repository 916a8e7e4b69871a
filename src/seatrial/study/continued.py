"""Experiments that continue an earlier one: they use its files, and its workload.

A study writes only the keys of the workload that differ. `with_continued` adds the others before
the study is read, so that every other part sees complete workloads.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from seatrial.basics.yamlfile import Location, Mistake, YamlFile
from seatrial.study.experiment import Experiment, is_path
from seatrial.study.profiles import PAPER, PROFILES, WITH_CHANGES

MAKES_FILES = ("write", "create")
"""the phases that can be continued, each as the only one of its experiment"""
NOT_AGAIN = ("write", "mixed", "create", "mkdir")
"""phases that would write the files again, or make the names a second time"""
ONE_POINT = ("sweep", "variants", "overrides", "kinds", "saturation_search", "repeats_until")
"""keys that make several points, or change the storage under the files"""
OF_THE_FILES = (
    "layout",
    "chunk",
    "transfer_size",
    "file_size",
    "total_size",
    "tasks",
    "tree",
    "directory",
    "local",
)
"""keys of a workload that describe the files: both experiments have the same values"""


def with_continued(source: YamlFile) -> YamlFile:
    """The study with complete workloads of the experiments that continue others."""
    data = source.data
    experiments = data.get("experiments") if isinstance(data, dict) else None
    if not isinstance(experiments, dict):
        return source
    completed = {name: _completed(item, experiments) for name, item in experiments.items()}
    if all(completed[name] is item for name, item in experiments.items()):
        return source
    return replace(source, data={**data, "experiments": completed})


def _completed(item: Any, experiments: Mapping[str, Any]) -> Any:
    """An experiment with the keys that it takes over; the same object if it continues no other."""
    if not isinstance(item, dict) or "continues" not in item:
        return item
    base = experiments.get(item["continues"]) if isinstance(item["continues"], str) else None
    own_workload = item.get("workload", {})
    if not isinstance(base, dict) or not isinstance(own_workload, dict):
        return item
    completed = {**item, "workload": {**_mapping(base, "workload"), **own_workload}}
    for profile in WITH_CHANGES:
        changes = _mapping(_mapping(base, profile), "workload")
        taken_over = {key: value for key, value in changes.items() if key not in own_workload}
        of_profile = _mapping(item, profile)
        by_default = (profile,) if profile != PAPER or of_profile else ()
        if not taken_over or profile not in item.get(PROFILES, by_default):
            continue
        workload = {**taken_over, **_mapping(of_profile, "workload")}
        completed[profile] = {**of_profile, "workload": workload}
    return completed


def _mapping(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The mapping below a key; empty where there is none."""
    value = data.get(key)
    return dict(value) if isinstance(value, dict) else {}


def continued_mistakes(experiments: Mapping[str, Experiment]) -> Iterator[Mistake]:
    """What prevents an experiment from using the files of another: (where, why)."""
    for name, experiment in experiments.items():
        if experiment.continues is None:
            continue
        place: Location = ("experiments", name, "continues")
        mistake = _mistake(name, experiment, experiments)
        if mistake is not None:
            yield Mistake(place, mistake)


def _mistake(
    name: str, experiment: Experiment, experiments: Mapping[str, Experiment]
) -> str | None:
    base_name = experiment.continues or ""
    earlier = tuple(takewhile(lambda item: item != name, experiments))
    if base_name not in earlier:
        return f"no earlier experiment of this profile is called {base_name!r}"
    base = experiments[base_name]
    if len(base.workload.phases) != 1 or base.workload.phases[0] not in MAKES_FILES:
        return f"{base_name} must have one phase that makes files: {' or '.join(MAKES_FILES)}"
    again = next((phase for phase in experiment.workload.phases if phase in NOT_AGAIN), None)
    if again is not None:
        return f"{again} makes files, and those of {base_name} exist; leave it out"
    several = _several_points(base_name, base) or _several_points(name, experiment)
    between = earlier[earlier.index(base_name) + 1 :]
    return (
        several or _differs(base_name, base, experiment) or _changes_storage(between, experiments)
    )


def _several_points(name: str, experiment: Experiment) -> str | None:
    key = next((key for key in ONE_POINT if getattr(experiment, key)), None)
    if key is None and experiment.repeats > 1:
        key = "repeats"
    if key is not None:
        return f"{name} has {key}; files are kept for one repeat of one point"
    unusable = ("prepare", "time_based", "verify_tree")
    key = next((key for key in unusable if getattr(experiment.workload, key)), None)
    return f"{name} has {key}, which does not go together with continues" if key else None


def _differs(base_name: str, base: Experiment, experiment: Experiment) -> str | None:
    for key in OF_THE_FILES:
        if getattr(base.workload, key) != getattr(experiment.workload, key):
            return f"{key} differs from that of {base_name}, which wrote the files; leave it out"
    return None


def _changes_storage(between: tuple[str, ...], experiments: Mapping[str, Experiment]) -> str | None:
    """Another deployment between the two could erase the files."""
    for name in between:
        experiment = experiments[name]
        changed = [*experiment.overrides, *filter(is_path, experiment.sweep)]
        changed += [key for row in experiment.variants.values() for key in row.overrides]
        if changed:
            return f"{name}, which runs between the two, changes {changed[0]}"
    return None
