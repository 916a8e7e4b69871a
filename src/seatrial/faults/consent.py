"""The operator's consent to faults that run commands of the site, or cut the power of real hosts.

Such a fault may interrupt every user of a production system, so that a yes to the whole run is not
enough: each one is named.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from seatrial.basics.errors import InputError, RunError, suggestion
from seatrial.basics.units import counted
from seatrial.faults.base import Action, Actions, FaultCase, NotHere
from seatrial.labs.base import traits_named
from seatrial.study.study import Study


@dataclass(frozen=True)
class SiteFault:
    """A fault that runs commands of the site, or cuts the power of real hosts."""

    name: str
    """as the study writes it: one name for all repetitions"""
    title: str
    lines: tuple[str, ...]
    """its commands, checks and power cuts, in order"""
    hosts: tuple[str, ...]
    """the machines that run the commands"""


def site_faults(study: Study, faults: Iterable[FaultCase]) -> tuple[SiteFault, ...]:
    """The faults that need consent, each repetition once."""
    by_name: dict[str, SiteFault] = {}
    for case in faults:
        written = study.repetitions.written_name(case.name)
        actions = _actions_of(case)
        cuts = tuple(_power_lines(actions)) if is_of_real_hosts(study) else ()
        if written not in by_name and (has_site_actions(actions) or cuts):
            lines = (*_lines(actions), *cuts)
            hosts = tuple(dict.fromkeys(_hosts(actions)))
            by_name[written] = SiteFault(written, case.planned.title, lines, hosts)
    return tuple(by_name.values())


def has_site_actions(actions: Actions) -> bool:
    """Whether any of the actions is a command of the site."""
    return any(item.site_host for item in actions.everything)


def is_of_real_hosts(study: Study) -> bool:
    """Whether a power cut would be that of a real machine."""
    return not traits_named(study.environment.kind).is_emulated


def check_names(study: Study, consented: Iterable[str]) -> None:
    """Raise InputError for a name of --consent that is no fault of the study."""
    fault_names = [*study.repetitions.written, *study.faults]
    for name in consented:
        if name not in fault_names:
            hint = suggestion(name, fault_names) if fault_names else "the study has no faults"
            raise InputError(f"--consent {name}: no fault is called that; {hint}")


def without_consent(
    study: Study, faults: Iterable[FaultCase], consented_names: Sequence[str]
) -> tuple[SiteFault, ...]:
    """The faults that run commands of the site and that `consented_names` does not have."""
    consented = expanded(study, consented_names)
    return site_faults(study, [case for case in faults if case.name not in consented])


def expanded(study: Study, consented_names: Sequence[str]) -> frozenset[str]:
    """The named faults; for the name of a repeated fault, all of its repetitions."""
    repetitions = study.repetitions
    return frozenset(name for name in study.faults if repetitions.is_chosen(name, consented_names))


def check_consent(
    study: Study, faults: Iterable[FaultCase], consented_names: Sequence[str]
) -> None:
    """Raise InputError where a fault runs commands of the site without consent."""
    missing = without_consent(study, faults, consented_names)
    if missing:
        names = ", ".join(item.name for item in missing)
        options = " ".join(f"--consent {item.name}" for item in missing)
        raise InputError(
            f"{counted(len(missing), 'fault')} without consent to run commands of the site or to "
            f"cut the power of hosts: {names}; --yes is not enough",
            f"read the commands with --dry-run, then add {options}",
        )


def require(name: str, actions: Actions, consented: Collection[str]) -> None:
    """Raise RunError where the actions of this moment have commands without consent."""
    if has_site_actions(actions) and name not in consented:
        raise RunError(f"it would run commands of the site now, without --consent {name}")


def _actions_of(case: FaultCase) -> Actions:
    """The actions with the initial roles; none for a fault that is skipped."""
    try:
        return case.initial_actions()
    except NotHere:
        return Actions(())


def _hosts(actions: Actions) -> Iterable[str]:
    return (item.site_host for item in actions.everything if item.site_host)


def _lines(actions: Actions) -> Iterable[str]:
    """One line for each command and check, with its time limit."""
    parts: tuple[tuple[str, Sequence[Action]], ...] = (
        ("command", actions.inject),
        ("repair", actions.repair),
        ("after the repair", actions.after),
    )
    for part, items in parts:
        for item in items:
            if item.site_host:
                yield item.consent_text(part)


def _power_lines(actions: Actions) -> Iterable[str]:
    """One line for each node that loses its power, or is restarted unless it answers."""
    return (item.power_cut_text for item in actions.everything if item.power_cut_text)
