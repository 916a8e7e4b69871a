"""Recommended settings from the measurements of a result, with the evidence for each.

Each variant of an experiment, and each value of a setting that varies alone, is compared with the
first. A difference counts only where the repeats decide it (`analysis.statistics`). A setting that
the plan warns of is never recommended: its effect is shown as the price of safety.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from seatrial.analysis.statistics import Difference, Sample, difference
from seatrial.basics.errors import InputError, SeatrialError
from seatrial.basics.printable import command
from seatrial.cases import Variants
from seatrial.judge.judge import study_of
from seatrial.result.phases import PhaseResult
from seatrial.result.quantities import Quantity, quantity_of
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES
from seatrial.study.experiment import VARIANT, Experiment, is_path
from seatrial.study.study import Study

Word = Literal["set", "leave", "either", "depends", "unsafe", "safer", "undecided"]
WORDS: dict[Word, str] = {
    "set": "faster: set it",
    "leave": "slower: leave it",
    "either": "no difference: either will do",
    "depends": "faster in one phase and slower in the other: depends on the load",
    "unsafe": "faster, at the price of safety: not advised",
    "safer": "safer, at the cost shown",
    "undecided": "not decided by the repeats",
}


@dataclass(frozen=True)
class Effect:
    """The effect of a change on one phase."""

    phase: str
    unit: str
    before: float
    """mean in `unit`"""
    after: float
    change: Difference | None
    """as a share of `before`; None where a side has one repeat"""

    @property
    def direction(self) -> str | None:
        """`up`, `down`, `flat`, or None where the repeats do not decide it."""
        return self.change.direction() if self.change else None


@dataclass(frozen=True)
class Advice:
    """One change of the settings."""

    experiment: str
    name: str
    """the variant, or the value that varies"""
    changes: dict[str, Any]
    """compared with the first variant or value"""
    word: Word
    effects: tuple[Effect, ...]
    warnings: tuple[str, ...]
    """the plan's warnings for the settings of this variant that the first does not have"""
    spared: tuple[str, ...]
    """the plan's warnings for the first variant that this one avoids"""


def advise(study: Study, result: Result) -> list[Advice]:
    """All recommendations of a result, in the order of the study; empty where no setting varies."""
    profile = result.first("run").get("profile", "full")
    variants = Variants(study)
    recommendations = list[Advice]()
    for name, experiment in study.experiments_in(profile).items():
        phases = [
            phase for phase in result.phases if phase.experiment == name and phase.is_comparable
        ]
        recommendations += _of_rows(variants, name, experiment, phases)
        recommendations += _of_values(variants, name, experiment, phases)
    return recommendations


def _of_rows(
    variants: Variants, name: str, experiment: Experiment, phases: Sequence[PhaseResult]
) -> Iterator[Advice]:
    if not experiment.variants:
        return
    first, *others = experiment.measured_variants
    base = experiment.variants[first]
    for row in others:
        changes = {**experiment.variants[row].overrides, **experiment.variants[row].workload}
        can_be_set = {
            key: value
            for key, value in changes.items()
            if key.partition(".")[0] in ("solution", "networks")
        }
        if not can_be_set or set(changes) != set(can_be_set):
            continue  # Another load or another link is not a setting.
        effects = _effects(phases, VARIANT, first, row)
        if effects:
            yield _advice(
                name,
                row,
                can_be_set,
                effects,
                before=_warnings(variants, {**experiment.overrides, **base.overrides}),
                after=_warnings(
                    variants, {**experiment.overrides, **experiment.variants[row].overrides}
                ),
            )


def _of_values(
    variants: Variants, name: str, experiment: Experiment, phases: Sequence[PhaseResult]
) -> Iterator[Advice]:
    """Settings that vary: each value compared with the first, with all else equal."""
    for key, values in experiment.sweep.items():
        if not is_path(key) or not key.startswith(("solution", "networks")):
            continue
        for value in values[1:]:
            effects = _effects(phases, key, values[0], value)
            if effects:
                yield _advice(
                    name,
                    str(value),
                    {key: value},
                    effects,
                    before=_warnings(variants, {**experiment.overrides, key: values[0]}),
                    after=_warnings(variants, {**experiment.overrides, key: value}),
                )


def _effects(
    phases: Sequence[PhaseResult], key: str, before: Any, after: Any
) -> tuple[Effect, ...]:
    """The effect of one value of a key compared with another, for each phase, with all else equal.

    Where other keys vary too, every figure is taken as a share of the first value's mean at its
    place, so that different client counts are never compared. The means are over the places that
    both have.
    """
    effects = []
    for phase in dict.fromkeys(item.phase for item in phases):
        quantity = quantity_of(phase)
        of_phase = [item for item in phases if item.phase == phase]
        old = _by_place(of_phase, key, before, quantity)
        new = _by_place(of_phase, key, after, quantity)
        bases = {place: fmean(old[place]) for place in old if place in new and fmean(old[place])}
        if not bases:
            continue
        change = difference(_shares(old, bases), _shares(new, bases))
        effects.append(Effect(phase, quantity.unit, _mean(old, bases), _mean(new, bases), change))
    return tuple(effects)


def _shares(figures: Mapping[str, Sequence[float]], bases: Mapping[str, float]) -> Sample:
    """The figures at each place as shares of the base at that place."""
    return Sample(tuple(value / base for place, base in bases.items() for value in figures[place]))


def _mean(figures: Mapping[str, Sequence[float]], places: Iterable[str]) -> float:
    """The mean over the places, each with the same weight."""
    return fmean(fmean(figures[place]) for place in places)


def _by_place(
    phases: Sequence[PhaseResult], key: str, value: Any, quantity: Quantity
) -> dict[str, list[float]]:
    """The figures of one value of a key, in the quantity's unit, by the values of all else."""
    figures: dict[str, list[float]] = {}
    for item in phases:
        if item.point.get(key) == value:
            rest = sorted((name, repr(other)) for name, other in item.point.items() if name != key)
            figures.setdefault(repr(rest), []).append(quantity.of(item) / quantity.divisor)
    return figures


def _warnings(variants: Variants, settings: Mapping[str, Any]) -> Set[str]:
    """The plan's warnings for these settings."""
    return set(variants.of(settings).solution.plan({}).warnings)


def _advice(
    experiment: str,
    name: str,
    changes: dict[str, Any],
    effects: tuple[Effect, ...],
    *,
    before: Set[str],
    after: Set[str],
) -> Advice:
    """The recommendation for a change; `before` and `after`: the plan's warnings."""
    warnings = tuple(sorted(after - before))
    spared = tuple(sorted(before - after))
    return Advice(
        experiment=experiment,
        name=name,
        changes=changes,
        word=_word(effects, bool(warnings), bool(spared)),
        effects=effects,
        warnings=warnings,
        spared=spared,
    )


def _word(effects: Sequence[Effect], warned: bool, spared: bool) -> Word:
    directions = {effect.direction for effect in effects}
    up = "up" in directions
    down = "down" in directions
    if up and down:
        return "depends"
    if warned:
        return "unsafe" if up else "leave"
    if spared:
        return "safer"
    if up:
        return "set"
    if down:
        return "leave"
    return "either" if directions == {"flat"} else "undecided"


def newest_result(folder: Path, study: Study) -> Path:
    """The newest result of a study in a folder that has measurements; raises InputError without
    one.
    """
    measured = []
    for path in folder.glob(f"*/{LINES}"):
        try:
            result = read_result(path.parent)
        except SeatrialError:
            continue
        if result.first("run").get("study") == study.id and result.first("phase"):
            measured.append((result.first("run").get("unix_s", 0.0), path.parent))
    if not measured:
        raise InputError(
            f"{folder}: no result of {study.id} has measurements",
            f"{command('run', study.source.path)}, or name the folder of a result",
        )
    return max(measured)[1]


def newest_advice(folder: Path, study: Study) -> list[Advice]:
    """The recommendations of a study's newest result; empty without a result."""
    with contextlib.suppress(InputError):
        result = read_result(newest_result(folder, study))
        return [] if result.seal.is_broken else advise(study_of(result), result)
    return []


def advice_text(recommendations: Sequence[Advice]) -> str:
    """The recommendations as text: the action first, with its evidence below."""
    lines = []
    for item in recommendations:
        values = {
            key: value if isinstance(value, list | tuple) else (value,)
            for key, value in item.changes.items()
        }
        settings = ", ".join(f"{key}={','.join(map(str, value))}" for key, value in values.items())
        lines.append(f"{item.experiment}, {item.name} ({settings}): {WORDS[item.word]}")
        lines += [f"    {_evidence(effect)}" for effect in item.effects]
        lines += [f"    warning: {text}" for text in item.warnings]
        lines += [f"    avoids: {text}" for text in item.spared]
    return "\n".join(lines)


def _evidence(effect: Effect) -> str:
    figures = f"{effect.phase}: {effect.before:.3g} -> {effect.after:.3g} {effect.unit}"
    if effect.change is None:
        return f"{figures}, {effect.after / effect.before - 1:+.0%}; one repeat only"
    change = effect.change
    return (
        f"{figures}, {change.relative:+.0%} (95 % interval {change.low:+.0%} to {change.high:+.0%})"
    )
