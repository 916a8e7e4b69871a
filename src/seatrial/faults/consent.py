"""The operator's consent to faults that run commands of the site.

Such a fault may interrupt every user of a production system, so that a yes to the whole run is not
enough: each one is named.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from seatrial.basics.errors import InputError, RunError, suggestion
from seatrial.basics.units import counted
from seatrial.faults.base import Action, Actions, NotHere, Roles, Scene, planned_fault
from seatrial.faults.site_actions import SiteAction, SiteCheck, SiteCommand
from seatrial.service.variants import vary
from seatrial.study.faults import Fault
from seatrial.study.study import Study

Faults = Mapping[str, Fault]


@dataclass(frozen=True)
class SiteFault:
    """A fault that runs commands of the site."""

    name: str
    """as the study writes it: one name for all repetitions"""
    title: str
    lines: tuple[str, ...]
    """its commands and checks, in order"""
    hosts: tuple[str, ...]
    """the machines that run them"""


def site_faults(study: Study, faults: Faults) -> tuple[SiteFault, ...]:
    """The faults that run commands of the site, each repetition once."""
    found: dict[str, SiteFault] = {}
    for name, fault in faults.items():
        written = study.repetitions.written_name(name)
        actions = _actions_of(study, name, fault)
        if written not in found and has_site_actions(actions):
            title = planned_fault(study, name, fault).title
            lines, hosts = tuple(_lines(actions)), tuple(dict.fromkeys(_hosts(actions)))
            found[written] = SiteFault(written, title, lines, hosts)
    return tuple(found.values())


def has_site_actions(actions: Actions) -> bool:
    """Whether any of the actions is a command of the site."""
    everything = (*actions.inject, *actions.repair, *actions.after)
    return any(isinstance(item, SiteAction) for item in everything)


def check_names(study: Study, named: Iterable[str]) -> None:
    """Raise InputError for a name of --consent that is no fault of the study."""
    known = [*study.repetitions.written, *study.faults]
    for name in named:
        if name not in known:
            hint = suggestion(name, known) if known else "the study has no faults"
            raise InputError(f"--consent {name}: no fault is called that; {hint}")


def without_consent(study: Study, faults: Faults, named: Sequence[str]) -> tuple[SiteFault, ...]:
    """The faults that run commands of the site and that `named` does not have."""
    chosen = {name: fault for name, fault in faults.items() if name not in expanded(study, named)}
    return site_faults(study, chosen)


def expanded(study: Study, named: Sequence[str]) -> frozenset[str]:
    """The named faults; for the name of a repeated fault, all of its repetitions."""
    repetitions = study.repetitions
    return frozenset(name for name in study.faults if repetitions.is_chosen(name, named))


def check_consent(study: Study, faults: Faults, named: Sequence[str]) -> None:
    """Raise InputError where a fault runs commands of the site without consent."""
    missing = without_consent(study, faults, named)
    if missing:
        names = ", ".join(item.name for item in missing)
        options = " ".join(f"--consent {item.name}" for item in missing)
        raise InputError(
            f"{counted(len(missing), 'fault')} without consent to run commands of the site: "
            f"{names}; --yes is not enough",
            f"read the commands with --dry-run, then add {options}",
        )


def require(name: str, actions: Actions, consented: Collection[str]) -> None:
    """Raise RunError where the actions of this moment have commands without consent."""
    if has_site_actions(actions) and name not in consented:
        raise RunError(f"it would run commands of the site now, without --consent {name}")


def _actions_of(study: Study, name: str, fault: Fault) -> Actions:
    """The actions with the initial roles; none for a fault that is skipped."""
    varied = vary(study, fault.overrides)
    roles = Roles.before(varied.solution)
    scene = Scene(varied.study, varied.site, varied.solution, roles)
    try:
        return planned_fault(study, name, fault).actions(scene)
    except NotHere:
        return Actions(())


def _hosts(actions: Actions) -> Iterable[str]:
    everything = (*actions.inject, *actions.repair, *actions.after)
    return (item.host for item in everything if isinstance(item, SiteAction))


def _lines(actions: Actions) -> Iterable[str]:
    """One line for each command and check, with its time limit."""
    parts: tuple[tuple[str, Sequence[Action]], ...] = (
        ("command", actions.inject),
        ("repair", actions.repair),
        ("after the repair", actions.after),
    )
    for part, items in parts:
        for item in items:
            if isinstance(item, SiteCommand):
                yield f"{part} {item.text()} (at most {item.limit_s:g} s)"
            elif isinstance(item, SiteCheck):
                yield f"{item.text()} (until it succeeds, at most {item.limit_s:g} s)"
