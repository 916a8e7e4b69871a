"""The forms of a study: quick for CI, trial, and full; what is written is the full one."""

import copy
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

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


def _in_form(item: Formed, form: Form, source: YamlFile, location: tuple[str, str]) -> Formed:
    changes = getattr(item, form) if form != "full" else None
    if not changes:
        return item
    data = copy.deepcopy(source.data[location[0]][location[1]])
    for key, value in changes.items():
        data[key] = {**data.get(key, {}), **value} if isinstance(value, dict) and key != "vary" else value
    changed = validate(type(item), data, source, location)
    return changed.replaced(trial=None, quick=None)
