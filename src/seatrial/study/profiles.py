"""The profiles of a study, and its data with changed values.

The profiles are quick (for CI), trial, full, and in some studies paper: the published system at its
own size. The values in the study are those of full.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator

from seatrial.basics.schema import Model, key_mistake, validate
from seatrial.basics.yamlfile import Location, Mistake, YamlFile

Profile = Literal["quick", "trial", "full", "paper"]
PAPER: Profile = "paper"
COMMON_PROFILES: tuple[Profile, ...] = ("quick", "trial", "full")
"""the profiles of every study"""
ALL_PROFILES: tuple[Profile, ...] = (*COMMON_PROFILES, PAPER)
WITH_CHANGES: tuple[Profile, ...] = ("quick", "trial", PAPER)
"""the profiles that are keys of an item, with the values that differ there"""
InProfile = TypeVar("InProfile", bound=Model)
"""a part of a study with the keys `profiles` (PROFILES), `quick`, `trial` and `paper`

The last three have the values that differ in that profile.
"""
PROFILES = "profiles"
"""the key that names the profiles that have an item"""


def _checked_profiles(profiles: tuple[Profile, ...]) -> tuple[Profile, ...]:
    if "full" not in profiles and profiles != (PAPER,):
        raise ValueError("the full profile has every item; add full, or remove the item")
    if len(set(profiles)) != len(profiles):
        raise ValueError("a profile is named twice")
    return profiles


Profiles = Annotated[tuple[Profile, ...], AfterValidator(_checked_profiles)]
"""the type of the key `profiles`"""
PROFILES_MEANING = (
    "The profiles that have this item. `full` must be one of them, unless `paper` is the only one."
)
CHANGES_MEANING = "Keys that differ in this profile."
PAPER_MEANING = "Keys that differ in the profile `paper`, which then has this item."


def checked_item(data: Any) -> Any:
    """What a study writes of an item; PydanticCustomError where its keys for profiles contradict
    each other.

    `quick: false` was the key of an earlier format.
    """
    if not isinstance(data, dict):
        return data
    left = [profile for profile in COMMON_PROFILES if data.get(profile) is not False]
    chosen = data.get(PROFILES, ALL_PROFILES)
    for profile in WITH_CHANGES:
        if data.get(profile) is False:
            raise key_mistake(profile, f"false is gone; write {PROFILES}: [{', '.join(left)}]")
        if (
            isinstance(data.get(profile), dict)
            and isinstance(chosen, list | tuple)
            and profile not in chosen
        ):
            left_out = f"{PROFILES} leaves {profile} out, so nothing can be different there"
            raise key_mistake(profile, f"{left_out}; remove one of the two keys")
    return data


def all_in_profile(
    items: Mapping[str, InProfile], profile: Profile, source: YamlFile, key: str
) -> dict[str, InProfile]:
    """The items of a profile, with its values; InputError for a mistake.

    `key` is the mapping of the study that has the items.
    """
    return {
        name: _in_profile(item, profile, source, (key, name))
        for name, item in items.items()
        if is_in(item, profile)
    }


def is_in(item: Model, profile: Profile) -> bool:
    """Whether a profile has an item. Changes for the profile `paper` are sufficient."""
    is_named = profile in getattr(item, PROFILES)
    return is_named or (profile == PAPER and getattr(item, PAPER) is not None)


def with_nodes_of(data: Any, profile: Profile) -> Any:
    """A study's data without the node sets that a profile leaves out; mistakes stay as they are."""
    nodes = data.get("nodes") if isinstance(data, dict) else None
    if not isinstance(nodes, dict):
        return data
    return {
        **data,
        "nodes": {name: node for name, node in nodes.items() if _has_node(node, profile)},
    }


def _has_node(item: Any, profile: Profile) -> bool:
    profiles_of_node = item.get(PROFILES, ALL_PROFILES) if isinstance(item, dict) else ALL_PROFILES
    if not isinstance(profiles_of_node, list | tuple):
        return True
    # The full profile also has those with a mistake in `profiles`, so that it is reported.
    return list(profiles_of_node) != [PAPER] if profile == "full" else profile in profiles_of_node


OVERRIDABLE = ("environment", "networks", "nodes", "solution")
"""parts of a study with values that a profile may override; items have their own keys for that"""


def override_mistakes(
    overrides: Mapping[Profile, Mapping[str, Any]],
) -> Iterator[Mistake]:
    """The mistakes in the values that differ by profile: (where, why)."""
    for profile, changes in overrides.items():
        place: Location = ("profile_overrides", profile)
        if profile not in WITH_CHANGES:
            yield Mistake(place, "the values of the study are those of full; write them there")
        for path in changes:
            if path.partition(".")[0] not in OVERRIDABLE:
                yield Mistake(
                    (*place, path), f"not the path of a value of {', '.join(OVERRIDABLE)}"
                )


def with_values_of(data: Any, changes: Mapping[str, Any]) -> Any:
    """A study's data with some values replaced: `{"solution.export.threads": 64}`; the others are
    the same objects.
    """
    changed = copy.copy(data)
    for path, value in changes.items():
        *parents, last = path.split(".")
        target = changed
        for key in parents:
            target[key] = target = copy.copy(target.get(key, {}))
        target[last] = copy.deepcopy(value)
    return changed


def _in_profile(
    item: InProfile, profile: Profile, source: YamlFile, location: tuple[str, str]
) -> InProfile:
    changes = getattr(item, profile) if profile in WITH_CHANGES else None
    return _changed(item, changes, source, location) if changes else item


def _changed(
    item: InProfile, changes: Mapping[str, Any], source: YamlFile, location: tuple[str, str]
) -> InProfile:
    """The item with these changes, read again from the study's file."""
    section, name = location
    data = copy.deepcopy(source.data[section][name])
    for key, value in changes.items():
        before = data.get(key, {})
        mapping = isinstance(value, dict) and isinstance(before, dict) and key != "sweep"
        data[key] = {**before, **value} if mapping else value
    return validate(type(item), data, source, location).replaced(trial=None, quick=None, paper=None)
