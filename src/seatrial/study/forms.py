"""The forms of a study: quick for CI, trial, and full; what is written is the full one. And its variants' data."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast

from seatrial.basics.schema import Model, validate
from seatrial.basics.yamlfile import YamlFile

Form = Literal["quick", "trial", "full"]
FORMS: tuple[Form, ...] = ("quick", "trial", "full")
Formed = TypeVar("Formed", bound=Model)
"""a part of a study that has the keys `trial` and `quick`: what is different in that form, or false"""


def all_in_form(items: Mapping[str, Formed], form: Form, source: YamlFile, key: str) -> dict[str, Formed]:
    """The items that a form has, as it has them; `key` is where they stand in the study. InputError for a mistake."""
    return {
        name: _in_form(item, form, source, (key, name))
        for name, item in items.items()
        if form == "full" or getattr(item, form) is not False
    }


def with_nodes_of(data: Any, form: Form | None) -> Any:
    """A study's data without the node sets that a form does without; as they are where none is given."""
    if form is None:
        return data
    return {
        **data,
        "nodes": {name: item for name, item in data["nodes"].items() if (item or {}).get(form) is not False},
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
    """An item in a form, as a key: the same item is the same object."""

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


def _in_form(item: Formed, form: Form, source: YamlFile, location: tuple[str, str]) -> Formed:
    changes = getattr(item, form) if form != "full" else None
    return cast(Formed, _changed(_Asked(item, changes, source, location))) if changes else item


@lru_cache(maxsize=1024)
def _changed(asked: _Asked) -> Model:
    """Asked for again, as for each variant of a study, it is the same object."""
    section, name = asked.location
    data = copy.deepcopy(asked.source.data[section][name])
    for key, value in asked.changes.items():
        before = data.get(key, {})
        mapping = isinstance(value, dict) and isinstance(before, dict) and key != "vary"
        data[key] = {**before, **value} if mapping else value
    return validate(type(asked.item), data, asked.source, asked.location).replaced(trial=None, quick=None)
