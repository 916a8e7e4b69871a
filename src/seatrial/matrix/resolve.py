"""From a study to the run matrix. Making it is the whole check: a mistake of any value of any
profile is an InputError, before any node exists.
"""

from collections.abc import Mapping, Sequence

from seatrial.cases import Variants
from seatrial.matrix.checks import (
    Checked,
    check_clients,
    check_profile,
    check_selection,
)
from seatrial.matrix.matrix import RunMatrix
from seatrial.result.planned import selected
from seatrial.study.profiles import PAPER, Profile
from seatrial.study.study import Study


def resolve(study: Study, profile: Profile, only: Sequence[str] = ()) -> RunMatrix:
    """The cases and faults of one run: all of the profile, or those that `only` names.

    An experiment or fault that is named and that the profile leaves out is run as it is written.
    InputError names the mistakes of the whole study, not of this profile alone.
    """
    checked = _checked(study)[profile]
    check_selection(checked.variants, profile, only)
    return _matrix(checked, profile, tuple(only))


def resolve_profiles(study: Study) -> dict[Profile, RunMatrix]:
    """The matrix of each profile that fits the study's nodes; InputError as `resolve`."""
    return {profile: _matrix(checked, profile, ()) for profile, checked in _checked(study).items()}


def _checked(study: Study) -> dict[Profile, Checked]:
    """Each profile of a study without mistakes."""
    whole = Variants(study)
    profiles = {profile: _of_profile(whole, profile) for profile in study.profiles}
    checked = _check(whole, profiles)
    if PAPER in study.all_profiles and PAPER not in profiles:
        # The paper's system may have other values, so it is checked as a separate study.
        of_paper = Variants(study.in_profile(PAPER))
        checked |= _check(of_paper, {PAPER: of_paper})
    return checked


def _check(whole: Variants, profiles: Mapping[Profile, Variants]) -> dict[Profile, Checked]:
    check_clients(whole, profiles)
    return {
        profile: check_profile(whole, of_profile, profile)
        for profile, of_profile in profiles.items()
    }


def _of_profile(whole: Variants, profile: Profile) -> Variants:
    """The variants with the nodes of a profile."""
    study = whole.study.in_profile(profile)
    return whole if study is whole.study else Variants(study)


def _matrix(checked: Checked, profile: Profile, only: tuple[str, ...]) -> RunMatrix:
    variants = checked.variants
    study = variants.study
    selection = selected(study, profile, only)
    return RunMatrix(
        study=study,
        profile=profile,
        only=only,
        base=variants.base,
        planned_experiments=checked.experiment_cases(selection.experiments),
        planned_faults=tuple(
            checked.fault_case(name, fault) for name, fault in selection.faults.items()
        ),
        background_load=study.background_load_in(profile),
    )
