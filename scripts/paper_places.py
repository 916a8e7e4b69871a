"""A place of a row (`seatrial.study.paper`) in the words of a page, as Markdown."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, get_args

from paper_rows import data_of, matching, option_value, study_of

from seatrial.basics.errors import InputError
from seatrial.study.experiment import Experiment
from seatrial.study.paper import Place
from seatrial.study.profiles import Profile


def places_text(places: Iterable[Place], name: str) -> str:
    """The places of a row of the paper `name`; a dash for none."""
    return "; ".join(_escaped(place_text(place, name)) for place in places) or "–"


def place_text(place: Place, name: str) -> str:
    """A place of a row of the paper `name`, such as `fig14 (full)`."""
    other = f"`{place.study}`: " if place.study not in (None, name) else ""
    study = place.study or name
    if place.experiment is not None:
        return f"{other}{experiment_text(study, place.experiment, place.variant)}"
    if place.fault is not None:
        profiles = [
            profile for profile in _all_profiles() if place.fault in _faults(study, profile)
        ]
        return f"{other}fault `{place.fault}`{_in(profiles)}"
    if place.option is not None:
        return f"{other}`{place.option}`{_value(option_value(data_of(study), place.option))}"
    if place.step is not None:
        return f"{other}{_step_text(study, place.step)}"
    if place.verb is not None:
        return f"`seatrial {place.verb}`"
    if place.chapter is not None:
        return f"{other}report, *{place.chapter}*"
    if place.page is not None:
        return f"[{place.page.split('#')[0]}](../{place.page})"
    return f"study `{place.study}`"


def experiment_text(
    study: str, name: str, variant: str | None = None, clients: int | None = None
) -> str:
    """An experiment, its variant and a number of clients, and the profiles that measure them where
    the trial does not.
    """
    profiles = [
        profile for profile in _all_profiles() if _measures(profile, study, name, variant, clients)
    ]
    words = f"variant `{variant}` of `{name}`" if variant else f"`{name}`"
    plural = "" if clients == 1 else "s"
    count = f", {clients} client{plural}" if clients else ""
    return f"{words}{count}{_in(profiles)}"


def measured(study: str, name: str, variant: str, clients: int) -> bool:
    """Whether any profile measures a variant with this number of clients."""
    return any(_measures(profile, study, name, variant, clients) for profile in _all_profiles())


def _measures(
    profile: Profile, study: str, name: str, variant: str | None, clients: int | None
) -> bool:
    experiment = _experiments(study, profile).get(name)
    if experiment is None or (variant and variant not in experiment.measured_variants):
        return False
    return clients is None or clients in experiment.sweep.get("clients", ())


@cache
def _experiments(study: str, profile: Profile) -> Mapping[str, Experiment]:
    return study_of(study).experiments_in(profile)


@cache
def _faults(study: str, profile: Profile) -> Collection[str]:
    return study_of(study).faults_in(profile).keys()


def _all_profiles() -> tuple[Profile, ...]:
    return get_args(Profile)


def _in(profiles: list[Profile]) -> str:
    if "trial" in profiles:
        return ""
    return f" ({', '.join(profiles)})" if profiles else " (skipped)"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ""
    return f": {_plain(value)}"


def _plain(value: Any) -> str:
    """A value of a study, `true`, or `bmc, pdu` for a list."""
    if isinstance(value, list):
        return ", ".join(_plain(part) for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _step_text(study: str, text: str) -> str:
    step = matching(study, text)
    if step is None:
        raise InputError(f"no step of the plan of {study} has {text!r}")
    title = re.sub(r"\s+", " ", step.title)
    return f"plan, stage {step.stage}: {title if text in step.title else f'`{text}` in: {title}'}"


def _escaped(text: str) -> str:
    return text.replace("|", "&#124;").replace("<", "&lt;")
