"""The profiles of a study, and its data with changed values.

The profiles are quick (for CI), trial and full. The values in the study are those of full.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import AfterValidator

from seatrial.basics.schema import Model, key_mistake, validate
from seatrial.basics.yamlfile import YamlFile

Profile = Literal["quick", "trial", "full"]
SHORTER: tuple[Profile, ...] = ("quick", "trial")
ALL_PROFILES: tuple[Profile, ...] = (*SHORTER, "full")
InProfile = TypeVar("InProfile", bound=Model)
"""a part of a study with the keys `profiles` (PROFILES), `trial` and `quick`

The last two have the values that differ in that profile.
"""
PROFILES = "profiles"
"""the key that names the profiles that have an item"""


def _checked_profiles(profiles: tuple[Profile, ...]) -> tuple[Profile, ...]:
    if "full" not in profiles:
        raise ValueError("the full profile has every item; add full, or remove the item")
    if len(set(profiles)) != len(profiles):
        raise ValueError("a profile is named twice")
    return profiles


Profiles = Annotated[tuple[Profile, ...], AfterValidator(_checked_profiles)]
"""the type of the key `profiles`"""
PROFILES_MEANING = "The profiles that have this item. `full` must be one of them."
CHANGES_MEANING = "Keys that differ in this profile."


def checked_item(data: Any) -> Any:
    """What a study writes of an item; PydanticCustomError where its keys for profiles contradict each other.

    `quick: false` was the key of an earlier format.
    """
    if not isinstance(data, dict):
        return data
    left = [profile for profile in ALL_PROFILES if data.get(profile) is not False]
    chosen = data.get(PROFILES, ALL_PROFILES)
    for profile in SHORTER:
        if data.get(profile) is False:
            raise key_mistake(profile, f"false is gone; write {PROFILES}: [{', '.join(left)}]")
        if isinstance(data.get(profile), dict) and isinstance(chosen, list | tuple) and profile not in chosen:
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
        if profile in getattr(item, PROFILES)
    }


def with_nodes_of(data: Any, profile: Profile | None) -> Any:
    """A study's data without the node sets that a profile leaves out; unchanged for None."""
    if profile is None:
        return data
    return {
        **data,
        "nodes": {
            name: item for name, item in data["nodes"].items() if profile in (item or {}).get(PROFILES, ALL_PROFILES)
        },
    }


def with_values_of(data: Any, changes: Mapping[str, Any]) -> Any:
    """A study's data with some values replaced: `{"solution.export.threads": 64}`; the others are the same objects."""
    changed = copy.copy(data)
    for path, value in changes.items():
        *parents, last = path.split(".")
        target = changed
        for key in parents:
            target[key] = target = copy.copy(target.get(key, {}))
        target[last] = copy.deepcopy(value)
    return changed


@dataclass(frozen=True, eq=False)
class _Asked:
    """An item in a profile, as a key: the same item is the same object."""

    item: Model
    changes: Mapping[str, Any]
    source: YamlFile
    location: tuple[str, str]

    def __hash__(self) -> int:
        return hash((id(self.item), id(self.changes)))

    def __eq__(self, other: object) -> bool:
        mine = (self.item, self.changes, self.source)
        return isinstance(other, _Asked) and all(
            one is another for one, another in zip(mine, (other.item, other.changes, other.source), strict=True)
        )


def _in_profile(item: InProfile, profile: Profile, source: YamlFile, location: tuple[str, str]) -> InProfile:
    changes = getattr(item, profile) if profile != "full" else None
    return cast(InProfile, _changed(_Asked(item, changes, source, location))) if changes else item


@lru_cache(maxsize=1024)
def _changed(asked: _Asked) -> Model:
    """Asked for again, as for each variant of a study, it is the same object."""
    section, name = asked.location
    data = copy.deepcopy(asked.source.data[section][name])
    for key, value in asked.changes.items():
        before = data.get(key, {})
        mapping = isinstance(value, dict) and isinstance(before, dict) and key != "sweep"
        data[key] = {**before, **value} if mapping else value
    return validate(type(asked.item), data, asked.source, asked.location).replaced(trial=None, quick=None)
